"""Find dialogues: ``dm.find("runs/new", "slot=hotel-name")[0].show()``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..conditions import KEYS
from ..errors import DialmeterError
from ..model import dialogue_key
from .advice import in_python
from .calls import open_run, score
from .results import Result


class Found(NamedTuple):
    """A dialogue that meets the conditions, and its rows that do."""

    dialogue: str
    rows: list[dict[str, Any]]

    def __repr__(self) -> str:
        rows = ("  ".join(f"{key} {value}" for key, value in row.items() if key != "dialogue") for row in self.rows)
        return "\n  ".join([f"dialogue {self.dialogue}", *rows])

    def show(self) -> Found:
        """Return the dialogue itself; a notebook shows its rows."""
        return self


_KEYS = {"party": "lost_by", "goal": "goal", "ending": "ending", "attack": "attack", "event": "name"}
"""Key of a condition → key of a row, where they differ."""


@in_python
def find(source: Any, *conditions: str, n: int | None = None, **given: Any) -> list[Found]:
    """Find the dialogues that meet all conditions.

    Args:
        source: a run, a result, or anything that ``dm.score`` takes.
        conditions: ids of dialogues, or ``key=value``: slot, domain, outcome, turn and value for trackers; event, slot and domain for
            users; task, ending, outcome=failed, tool and argument (outcome=wrong) for systems; attack and judge for judges.
            ``slot="hotel-name"`` is the same.
        n: the largest number of dialogues.
        given: conditions, and arguments of ``dm.score``.

    Raises:
        DialmeterError: a condition cannot be read.

    Example:
        >>> gold, pred = {"d1": [{"hotel-area": "east"}], "d2": [{}]}, {"d1": [{}], "d2": [{}]}
        >>> [(each.dialogue, each.rows[0]["outcome"]) for each in find(score(gold, pred), "slot=hotel-area")]
        [('d1', 'missed')]
    """
    named = [f"{key}={given.pop(key)}" for key in KEYS if key in given]
    if isinstance(source, Result):
        result = source
    else:
        is_run = isinstance(source, str | Path) and (Path(source) / "run.json").exists()
        result = open_run(source) if is_run else score(source, **given)
    tests = [_parse(text) for text in (*conditions, *named)]
    found: dict[str, list[dict[str, Any]]] = {}
    for row in result.find_rows():
        name = str(next(row[key] for key in ("dialogue", "id", "case", "item") if key in row))
        if all(_meets(row, name, *test) for test in tests):
            found.setdefault(name, []).append(row)
    return [Found(*each) for each in found.items()][:n]


def _parse(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if any(sign in key for sign in "<>"):
        test = re.sub(r"^[^<>]+([<>]=?)\s*", r"each.value \1 ", text)
        raise DialmeterError(f"{text!r}: in Python, write [each for each in result.worst(1000) if {test}]")
    if not equals:
        return "", dialogue_key(text)
    return key.strip(), value.strip()


def _meets(row: Mapping[str, Any], name: str, key: str, value: str) -> bool:
    if not key:
        return dialogue_key(name) == value
    if key == "domain" and "domain" not in row and "slot" in row:
        return str(row["slot"]).partition("-")[0] == value
    if key == "outcome" and "success" in row:
        return row["success"] is {"right": True, "failed": False, "unscored": None}.get(value, value)
    if key == "value":
        return value in (str(row.get("gold")), str(row.get("pred")))
    key = key if key in row else _KEYS.get(key, key)
    return key in row and str(row[key]) == value
