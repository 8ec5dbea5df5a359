"""Attributions beside a run: the JSON of ``judge explain``, kept in the run's folder as ``explained-NAME.json``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from ...errors import InputError
from ...readers.strict_json import parse_as


class Reply(Struct, frozen=True):
    """Words and what each adds to the score."""

    words: tuple[str, ...]
    values: tuple[float, ...]


class Case(Struct, frozen=True):
    """Both replies of a case."""

    case: str
    human: Reply
    adversarial: Reply


class Score(Struct, frozen=True):
    """All that is needed of a score: whose it is."""

    judge: str


class Document(Struct, frozen=True):
    """What ``judge explain --json`` prints, as far as it is shown."""

    scores: tuple[Score, ...]
    cases: tuple[Case, ...]


def explained(folder: Path) -> dict[str, dict[str, Any]]:
    """By case and judge, the words of both replies with their values. A file that is something else is left out.

    Example:
        >>> explained(Path("no-such-folder"))
        {}
    """
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("explained*.json")):
        try:
            document = (
                parse_as(path.read_bytes(), Document, path.name, what="an explanation")
                if not path.is_symlink()
                else None
            )
        except (InputError, OSError):
            continue
        if document is None or not document.scores:
            continue
        for each in document.cases:
            sides = {
                name: list(zip(reply.words, reply.values, strict=False))
                for name, reply in (("human", each.human), ("adversarial", each.adversarial))
            }
            found.setdefault(each.case, {})[document.scores[0].judge] = sides
    return found
