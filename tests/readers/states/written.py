"""Parts of files with states, written by tests."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dialmeter.model import Dialogue, State, Turn, Value
from dialmeter.readers.layouts.own import write

from .talks import VALUES


class Written(NamedTuple):
    """The files of one corpus and their formats. Gold is a separate file if the format holds one state."""

    path: Path
    format: str
    gold: Path | None = None
    gold_format: str = ""


Writer = Callable[[Path, list[Dialogue]], Written]

SPELLINGS = {"hotel-people": "book people", "restaurant-time": "book time", "train-leaveat": "leaveAt"}
OTHER_SPELLINGS = {"hotel-people": "book_people", "train-leaveat": "leave at", "taxi-arriveby": "arrive by"}
BOOKED = {"people", "time"}


def split_slot(slot: str, spellings: dict[str, str]) -> tuple[str, str]:
    domain, _, name = slot.partition("-")
    return domain, spellings.get(slot, name)


def text_of(value: Value) -> str:
    return value if isinstance(value, str) else "|".join(value)


def nested_state(
    state: State | None, spellings: dict[str, str] = SPELLINGS, every: str | None = None
) -> dict[str, Any]:
    """Domain → slot → value; with ``every``, all slots, with that word for empty ones."""
    result: dict[str, dict[str, str]] = {}
    filled = dict(state or {})
    for slot in filled if every is None else VALUES:
        domain, name = split_slot(slot, spellings)
        result.setdefault(domain, {})[name] = text_of(filled[slot]) if slot in filled else str(every)
    return result


def glued_state(state: State | None) -> list[str]:
    return [f"{'-'.join(split_slot(slot, SPELLINGS))}-{text_of(value)}" for slot, value in (state or {}).items()]


def shuffled(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    listed = list(pairs)
    random.Random(len(listed)).shuffle(listed)
    return dict(listed)


def write_json(path: Path, thing: Any, indent: int | None = None) -> Path:
    path.write_text(json.dumps(thing, ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def write_lines(path: Path, dialogues: list[Dialogue], side: str = "both") -> Path:
    hidden = {"both": (), "gold": ("pred",), "pred": ("gold",)}[side]
    with path.open("wb") as file:
        write([Dialogue(each.id, tuple(_less(turn, hidden) for turn in each.turns)) for each in dialogues], file)
    return path


def _less(turn: Turn, hidden: Iterable[str]) -> Turn:
    fields = {name: getattr(turn, name) for name in ("gold", "pred", "user", "system") if name not in hidden}
    return Turn(turn.number, **fields)
