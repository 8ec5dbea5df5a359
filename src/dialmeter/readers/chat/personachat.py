"""PersonaChat: ParlAI's numbered lines, or JSON with ``utterances``, ``history`` and ``candidates``.

::

    1 your persona: i keep bees.
    2 hello , how are you ?<TAB>busy , the bees are awake .<TAB><TAB>candidate|candidate

A number that does not rise begins the next dialogue. The first utterance of a line is A's and the second B's. What stands
after them, the candidates, is no part of the talk, and neither are personas; nor is ``__SILENCE__``.

``{"train": [{"personality": [".."], "utterances": [{"candidates": ["..", "the reply"], "history": ["..", ".."]}]}]}``

The longest history is the dialogue, and the last of its candidates is the reply that was given. A list of such dialogues,
or one per line, reads the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import InputError, placing
from ...model import Conversation, Move
from ..entries import Entry, Passage, alternate_speakers, entries, first_entry, make_conversation, single_lines
from ..parts import as_list, as_mapping, as_text, first_mapping
from ..source import Sample, Source

CARRIES = "text: ParlAI's numbered lines, or JSON with histories and candidates"

_NUMBERED = re.compile(r"\s*(\d{1,6}) (.*)", re.DOTALL)
_PERSONA = re.compile(r"(?:your|partner's) persona:")
_SILENCE = "__SILENCE__"


def detect(sample: Sample) -> bool:
    if sample.kind == "text":
        found = _NUMBERED.fullmatch(sample.value)
        return found is not None and int(found[1]) == 1 and bool(_PERSONA.match(found[2]) or "\t" in found[2])
    entry = first_entry(sample)
    splits = (
        [first_mapping(split) for split in entry.values() if isinstance(split, list)]
        if sample.kind == "document"
        else []
    )
    return any("history" in first_mapping(each.get("utterances")) for each in (entry, *splits))


def items(source: Source) -> Iterator[Passage | Entry]:
    if source.sample.kind == "text":
        yield from _numbered(source)
    elif _is_split(source):
        for split, dialogues in as_mapping(source.document, "the file").items():
            for place, thing in enumerate(as_list(dialogues, split), 1):
                yield Entry(f"{split}-{place}", thing)
    else:
        yield from entries(source)


def _is_split(source: Source) -> bool:
    sample = source.sample
    return sample.kind == "document" and isinstance(sample.value, dict) and "utterances" not in sample.value


def conversation(item: Passage | Entry) -> Conversation:
    if isinstance(item, Passage):
        with placing(dialogue=item.name):
            return make_conversation(item.name, _spoken(item))
    with item.placing():
        return make_conversation(
            item.name, alternate_speakers(_longest(as_mapping(item.parsed(), f"dialogue {item.name}")))
        )


def _numbered(source: Source) -> Iterator[Passage]:
    """Dialogues begin where the number at the start of the line does not rise."""
    lines: list[tuple[int, bytes]] = []
    count, last = 0, -1
    for passage in single_lines(source):
        number = _number_of(passage.lines[0][1], last)
        if lines and number <= last:
            count += 1
            yield Passage(str(count), lines)
            lines = []
        lines += passage.lines
        last = number
    if lines:
        yield Passage(str(count + 1), lines)


def _number_of(line: bytes, last: int) -> int:
    """The number of a line; one without stays in its dialogue, which is then refused."""
    word = line.split(maxsplit=1)[0]
    return int(word) if word.isdigit() and len(word) <= 6 else last + 1


def _spoken(item: Passage) -> Iterator[Move]:
    for number, text in item.texts():
        found = _NUMBERED.fullmatch(text)
        if found is None:
            raise InputError("a line begins with its number and a blank", line=number)
        if _PERSONA.match(found[2]):
            continue
        for move in alternate_speakers(part.strip() for part in found[2].split("\t")[:2]):
            if move.text != _SILENCE:
                yield move


def _longest(entry: Any) -> Iterator[str]:
    rounds = [as_mapping(each, "an utterance") for each in as_list(entry.get("utterances"), "utterances")]
    if not rounds:
        return
    last = max(rounds, key=lambda each: len(as_list(each.get("history"), "history")))
    for text in last["history"]:
        yield as_text(text, "history")
    candidates = as_list(last.get("candidates", []), "candidates")
    if candidates:
        yield as_text(candidates[-1], "candidates")
