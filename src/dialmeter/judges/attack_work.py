"""Attacks in another process: what goes there are names and a pool, and resources are opened there."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock

from msgspec import Struct

from ..errors import DialmeterError, one_line
from .attacking import attack_part, with_resources
from .attacks import Attack, chosen
from .attempts import Setting
from .corpus_pool import Pool
from .language import SYNONYMS, TOKENS, Language, Paraphraser, open_language
from .planning import AttackPart, AttackTask


class Resources(Struct, frozen=True):
    """Which resources are opened.

    Attributes:
        pipeline: a pipeline by name; None for the first that is known.
        light: use only what comes with dialmeter.
        cache: a folder for analyses; None for none.
        paraphraser: ``module:function``; empty for none.
    """

    pipeline: str | None = None
    light: bool = False
    cache: str | None = None
    paraphraser: str = ""

    def open(self) -> Language:
        """The resources.

        Raises:
            DialmeterError: one that was named cannot be had.
        """
        return open_language(
            pipeline_name=self.pipeline,
            light=self.light,
            cache=Path(self.cache) if self.cache else None,
            paraphraser=load_paraphraser(self.paraphraser) if self.paraphraser else None,
        )


def load_paraphraser(text: str) -> Paraphraser:
    """The paraphraser ``module:function``; it is code of the user's own, as a judge is.

    Raises:
        DialmeterError: there is none.
    """
    module, colon, name = text.partition(":")
    try:
        found = getattr(import_module(module), name) if colon else None
    except (ImportError, AttributeError) as error:
        raise DialmeterError(f"--paraphraser {one_line(text)}: {error}") from None
    if not callable(found):
        raise DialmeterError(f"--paraphraser {one_line(text)}: write it as module:function")

    def reworded(said: str) -> str:
        return str(found(said))

    reworded.__name__ = text
    return reworded


class AttackOrder(Struct, frozen=True):
    """What a worker is told once.

    Attributes:
        attacks: names, as on the command line.
        resources: what to open.
        names: what is opened where the work is handed out.
        pool: what may be borrowed from the corpus.
        seed: of all choices.
        corpus: a name that goes into the cases.
        cases: how many are wanted of each attack.
    """

    attacks: tuple[str, ...]
    resources: Resources
    names: tuple[str, ...]
    pool: Pool
    seed: int
    corpus: str
    cases: int


def order_of(attacks: Sequence[str], resources: Resources, setting: Setting, cases: int) -> AttackOrder:
    """What workers are told, so that they do as one would do with this setting."""
    names = setting.language.names((TOKENS, SYNONYMS))
    return AttackOrder(tuple(attacks), resources, names, setting.pool, setting.seed, setting.corpus, cases)


class AttackWork:
    """Does tasks of attacks in whatever process; resources are opened with the first one, and stay."""

    def __init__(self, order: AttackOrder) -> None:
        self._order = order
        self._lock = Lock()
        self._opened: tuple[dict[str, Attack], Setting] | None = None

    def __reduce__(self) -> tuple[type[AttackWork], tuple[AttackOrder]]:
        return AttackWork, (self._order,)

    def __call__(self, task: AttackTask) -> AttackPart:
        """Does a task; one at a time, because resources need not bear several threads.

        Raises:
            DialmeterError: a resource is not here, or is another one.
        """
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return attack_part(task, *self._opened, self._order.cases)

    def _open(self) -> tuple[dict[str, Attack], Setting]:
        order = self._order
        language = order.resources.open()
        names = language.names((TOKENS, SYNONYMS))
        if names != order.names:
            told = f"a worker has {', '.join(names)}, and here there is {', '.join(order.names)}"
            raise DialmeterError(f"{told}; install the same everywhere")
        able, _ = with_resources(chosen(order.attacks), language)
        return {attack.name: attack for attack in able}, Setting(language, order.pool, order.seed, order.corpus)
