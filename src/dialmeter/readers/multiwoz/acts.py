"""Acts as MultiWOZ writes them, in a turn or in a file beside the dialogues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError, one_line, placing
from ...model import Act, dialogue_key
from ..pairs.slot_names import slot_in
from ..parts import as_list, as_mapping, as_text
from ..source import Source

_UNMARKED = "No Annotation"
_NO_VALUE = ("", "none", "?")


def acts_in(thing: Any) -> tuple[Act, ...]:
    """The acts of one turn.

    Args:
        thing: name of act → list of slot and value, or the words that say that the turn was not marked up.

    Raises:
        InputError: something else.

    Example:
        >>> acts = acts_in({"Hotel-Inform": [["Price", "cheap"]], "general-bye": [["none", "none"]]})
        >>> [(act.name, act.service, act.slot, act.values) for act in acts]
        [('Hotel-Inform', 'hotel', 'pricerange', ('cheap',)), ('general-bye', 'general', '', ())]
    """
    if thing in (_UNMARKED, []):
        return ()
    return tuple(_each(thing))


def _each(thing: Any) -> Iterator[Act]:
    for name, pairs in as_mapping(thing, "dialog_act").items():
        service = name.partition("-")[0].lower()
        for pair in as_list(pairs, f"act {one_line(name, 40)}"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise InputError(f"act {one_line(name, 40)} holds lists of slot and value")
            slot, value = (as_text(part, "slot and value of an act") for part in pair)
            named = slot_in(service, slot)
            yield Act(name, service, named, (value,) if named and value not in _NO_VALUE else ())


class ActFile:
    """A file of acts beside the dialogues, by dialogue and turn.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        source = Source(path)
        self.name = source.name
        with placing(file=self.name):
            found = as_mapping(source.document, "the file of acts")
        self._turns: dict[str, Any] = {dialogue_key(key): turns for key, turns in found.items()}

    def has(self, dialogue: str) -> bool:
        """Are the acts of this dialogue in the file?"""
        return dialogue_key(dialogue) in self._turns

    def acts(self, dialogue: str, turn: str) -> tuple[Act, ...] | None:
        """The acts of one turn; None where the file says nothing of it.

        Raises:
            InputError: they are not as they should be.
        """
        with placing(file=self.name):
            turns: Mapping[str, Any] = as_mapping(self._turns[dialogue_key(dialogue)], "a dialogue")
            if turn not in turns:
                return None
            thing = turns[turn]
            # MultiWOZ 2.2 has its acts beside the spans of their values.
            return acts_in(thing.get("dialog_act", {}) if isinstance(thing, dict) and "dialog_act" in thing else thing)


def act_file_near(source: Source, names: tuple[str, ...]) -> ActFile | None:
    """The file of acts beside the dialogues, or one folder above; None where there is none."""
    if source.path == "-":
        return None
    path = Path(source.path).absolute()
    for folder in (path, path.parent) if source.is_folder else (path.parent, path.parent.parent):
        for name in (name + ending for name in names for ending in ("", ".gz", ".zst")):
            if (folder / name).is_file():
                return ActFile(folder / name)
    return None
