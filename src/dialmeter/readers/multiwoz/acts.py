"""Dialogue acts in the format of MultiWOZ, in a turn or in a separate file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError, one_line, placing
from ...model import Act, dialogue_key
from ..pairs.slot_names import slot_in
from ..parts import as_list, as_mapping, as_text
from ..source import Source

_NOT_ANNOTATED = "No Annotation"
_NO_VALUE = ("", "none", "?")


def parse_acts(thing: Any) -> tuple[Act, ...]:
    """Parse the acts of one turn.

    Args:
        thing: name of an act → list of pairs of slot and value; or the text for a turn without annotation.

    Raises:
        InputError: invalid acts.

    Example:
        >>> acts = parse_acts({"Hotel-Inform": [["Price", "cheap"]], "general-bye": [["none", "none"]]})
        >>> [(act.name, act.service, act.slot, act.values) for act in acts]
        [('Hotel-Inform', 'hotel', 'pricerange', ('cheap',)), ('general-bye', 'general', '', ())]
    """
    if thing in (_NOT_ANNOTATED, []):
        return ()
    return tuple(_parse_acts(thing))


def _parse_acts(thing: Any) -> Iterator[Act]:
    for name, pairs in as_mapping(thing, "dialog_act").items():
        service = name.partition("-")[0].lower()
        for pair in as_list(pairs, f"act {one_line(name, 40)}"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise InputError(f"act {one_line(name, 40)} must hold pairs of slot and value")
            slot, value = (as_text(part, "slot and value of an act") for part in pair)
            goal_slot = slot_in(service, slot)
            yield Act(name, service, goal_slot, (value,) if goal_slot and value not in _NO_VALUE else ())


class ActFile:
    """A separate file of acts, by dialogue and turn.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        source = Source(path)
        self.name = source.name
        with placing(file=self.name):
            dialogues = as_mapping(source.document, "the file of acts")
        self._turns: dict[str, Any] = {dialogue_key(key): turns for key, turns in dialogues.items()}

    def has(self, dialogue: str) -> bool:
        """Return True if the file has acts of this dialogue."""
        return dialogue_key(dialogue) in self._turns

    def acts(self, dialogue: str, turn: str) -> tuple[Act, ...] | None:
        """Return the acts of one turn; None if the file does not have the turn.

        Raises:
            InputError: invalid acts.
        """
        with placing(file=self.name):
            turns: Mapping[str, Any] = as_mapping(self._turns[dialogue_key(dialogue)], "a dialogue")
            if turn not in turns:
                return None
            thing = turns[turn]
            # In MultiWOZ 2.2 the same object also holds the spans of values.
            return parse_acts(
                thing.get("dialog_act", {}) if isinstance(thing, dict) and "dialog_act" in thing else thing
            )


def find_act_file(source: Source, names: tuple[str, ...]) -> ActFile | None:
    """Find the file of acts in the folder of the dialogues or in its parent folder; None if there is none."""
    if source.path == "-":
        return None
    path = Path(source.path).absolute()
    for folder in (path, path.parent) if source.is_folder else (path.parent, path.parent.parent):
        for name in (name + ending for name in names for ending in ("", ".gz", ".zst")):
            if (folder / name).is_file():
                return ActFile(folder / name)
    return None
