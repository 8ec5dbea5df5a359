"""Recipes of judges. A judge is sent to another process as a recipe, and that process creates the judge."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from importlib import invalidate_caches
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..errors import DialmeterError
from .ask import Asker, Shard, ShardAnswer
from .judge import Call, Judge, has_parameter, identity_of, make_judge


class Recipe(Struct, frozen=True):
    """Everything that a process needs to create a judge.

    Attributes:
        call: the judge's name and parameters.
        folder: an additional folder for modules.
        identity: the identity that a judge of dialmeter must have; empty to accept any identity.
    """

    call: Call
    folder: str = ""
    identity: str = ""

    def make(self, offered: Mapping[str, Any]) -> Judge:
        """Create the judge.

        Raises:
            DialmeterError: the judge cannot be created in this process.
        """
        if self.folder and ":" in self.call.name:
            _make_importable(self.folder, self.call.name.partition(":")[0])
        judge = make_judge(self.call, offered)
        if self.identity and identity_of(judge) != self.identity:
            raise DialmeterError(
                f"judge {self.call.name}: a worker has other weights or another version: {identity_of(judge)}, not {self.identity}"
            )
        return judge

    def rooted(self, judge: Judge) -> Recipe:
        """The recipe for a process with another working folder. Its paths are absolute, and judges of dialmeter must have the same identity."""
        given = {}
        for key, value in self.call.given.items():
            words = [os.path.abspath(word) if _is_path(word) else word for word in _words(key, value)]
            given[key] = shlex.join(words) if key == "run" else words[0]
        own = ":" not in self.call.name and self.call.name != "cmd"
        return Recipe(replace(self.call, given=given), os.getcwd(), identity_of(judge) if own else "")

    @property
    def files(self) -> list[str]:
        """The paths of files and folders in the parameters."""
        return [word for key, value in self.call.given.items() for word in _words(key, value) if _is_path(word)]


def _words(key: str, value: str) -> list[str]:
    """The words of the command line of a program; other values are one word."""
    return shlex.split(value) if key == "run" else [value]


def _make_importable(folder: str, module: str) -> None:
    """Make the current version of a module in a folder importable: a long-lived worker may have imported an older version."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    path = getattr(sys.modules.get(module), "__file__", None)
    if path and Path(path).is_relative_to(folder):
        del sys.modules[module]
    invalidate_caches()


def _is_path(word: str) -> bool:
    return bool(word) and len(word) < 4096 and Path(word).exists()


class RecipeAsker:
    """Asks judges in any process. It creates each judge from its recipe on first use.

    Args:
        recipes: recipes by the judge's name.
        offered: what the recipes do not say, such as the training data of judges that learn; see :func:`~dialmeter.judges.judge.load_judge`.

    Example:
        >>> from dialmeter.judges.judged_items import JudgedItem
        >>> asker = RecipeAsker({"length": Recipe(Call("length"))}, {})
        >>> asker.ask(Shard("length", 0, 0, (JudgedItem(("a1",), ((), "yes")),))).answers[0].scores
        {'a1': 1.0}
    """

    def __init__(self, recipes: Mapping[str, Recipe], offered: Mapping[str, Any]) -> None:
        self._recipes = dict(recipes)
        learns = any(has_parameter(each.call, "dialogues") for each in recipes.values())
        self._offered = dict(offered) if learns else {}
        self._judges: dict[str, Judge] = {}
        self._asker = Asker(self._find)
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[RecipeAsker], tuple[dict[str, Recipe], dict[str, Any]]]:
        return RecipeAsker, (self._recipes, self._offered)

    def ask(self, shard: Shard) -> ShardAnswer:
        """Ask a judge. Only one shard runs at a time, because a judge may not be thread-safe.

        Raises:
            DialmeterError: the judge cannot be created in this process.
        """
        with self._lock:
            return self._asker.ask(shard)

    def _find(self, name: str) -> Judge:
        if name not in self._judges:
            self._judges[name] = self._recipes[name].make(self._offered)
        return self._judges[name]
