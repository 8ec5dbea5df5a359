"""Text files of chats: DailyDialog, Reddit threads, plain text, PersonaChat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import InputError, placing
from ...model import SYSTEM, USER, Conversation, Move
from ..entries import (
    Entry,
    Passage,
    alternate_speakers,
    entries,
    first_entry,
    make_conversation,
    passages,
    single_lines,
    speaker,
)
from ..layouts.tracker_texts import FgaText
from ..source import Sample, Source
from ..validation import as_list, as_mapping, as_text, first_mapping

_END = "__eou__"


class DailyDialog:
    """Text files of DailyDialog: one dialogue per line, with ``__eou__`` after every utterance.

    ``Is the bakery open ? __eou__ Only in the morning . __eou__``

    Two speakers, A and B, take turns. The id of a dialogue is its position in the file, counted from 1.
    """

    DESCRIPTION = "text, one dialogue per line, an end mark after every utterance"
    items = staticmethod(single_lines)

    @staticmethod
    def detect(sample: Sample) -> bool:
        return sample.kind == "text" and _END in sample.value

    @staticmethod
    def conversation(item: Passage) -> Conversation:
        line = "".join(text for _, text in item.texts())
        texts = [text.strip() for text in line.split(_END)]
        return make_conversation(item.name, alternate_speakers(texts if texts[-1] else texts[:-1]))


_BETWEEN = re.compile(r"\t|(?:(?<=\s)|^)EOS(?=\s|$)")
_WEIGHT = re.compile(r"[01]\.0(?:\s+|$)")


class Reddit:
    """Reddit threads: one thread per line, with the context, a tab, and the reply.

    ``any good pizza here ? EOS the one at the harbour .<TAB>i second that .``

    The turns of the context are separated by `` EOS `` or by tabs. Some files have a weight before every turn (``0.0 ..``,
    ``1.0 ..``); it is removed. The file does not name the authors, so two speakers, A and B, take turns. The id of a
    dialogue is its position in the file, counted from 1.
    """

    DESCRIPTION = "text, one thread per line: context, tab, reply; EOS between turns"
    items = staticmethod(single_lines)

    @staticmethod
    def detect(sample: Sample) -> bool:
        return sample.kind == "text" and bool(_BETWEEN.search(sample.value.strip()))

    @staticmethod
    def conversation(item: Passage) -> Conversation:
        line = "".join(text for _, text in item.texts())
        turns = [turn.strip() for turn in _BETWEEN.split(line)]
        if all(_WEIGHT.match(turn) for turn in turns):
            turns = [_WEIGHT.sub("", turn, count=1) for turn in turns]
        return make_conversation(item.name, alternate_speakers(turns))


_LABELLED = re.compile(r"\s*([^\W\d_][\w.' -]{0,29}?)\s*:(?:\s+(.*)|$)", re.DOTALL)
_TIME = re.compile(
    r"[\u200e\s]*[\[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[T\s]+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AP]\.?M\.?)?[\])]?(?:\s*[-–])?\s+",
    re.IGNORECASE,
)
_GOAL = re.compile(r"\s*(?:goal|task|instruction)s?\s*:\s+(.+)", re.IGNORECASE | re.DOTALL)


class Plain:
    """Plain text: one utterance per line, a blank line between dialogues.

    ::

        A: Is the bakery open on Sundays?
        B: Only in the morning.

        Good evening.
        Good evening, how can I help?

    Every line may begin with a time, as in the export of a messenger; then lines with a time but no label are not messages, and
    lines without a time belong to the message before them. A label such as ``A:`` or ``User:`` at the start of every line of a dialogue names the speaker. Without labels, two
    speakers, A and B, take turns. The first line may be the goal of the user, ``Goal: ...``. The id of a dialogue is its position
    in the file, counted from 1.
    """

    DESCRIPTION = "text, one utterance per line, a blank line between dialogues"
    items = staticmethod(passages)

    @staticmethod
    def detect(sample: Sample) -> bool:
        """Accept any text except the sheets of the format fga-text. Detection tries this format last."""
        return sample.kind == "text" and not FgaText.detect(sample)

    @staticmethod
    def conversation(item: Passage) -> Conversation:
        texts = _without_times([text for _, text in item.texts()])
        goal = _GOAL.fullmatch(texts[0]) if len(texts) > 1 else None
        texts = texts[1:] if goal else texts
        labels = [_LABELLED.fullmatch(text) for text in texts]
        labelled = [Move(speaker(match[1]), (match[2] or "").strip()) for match in labels if match]
        if len(labelled) == len(texts):
            return make_conversation(item.name, labelled, task=goal[1] if goal else "")
        return make_conversation(item.name, alternate_speakers(text.strip() for text in texts))


def _without_times(texts: list[str]) -> list[str]:
    """Return the messages of a chat without their times, if most lines have one."""
    times = [_TIME.match(text) for text in texts]
    if 2 * sum(map(bool, times)) <= len(texts):
        return texts
    messages: list[str] = []
    for text, time in zip(texts, times, strict=True):
        if time is None and messages:
            messages[-1] += f"\n{text}"
        elif time is not None and _LABELLED.fullmatch(text[time.end() :]):
            messages.append(text[time.end() :])
    return messages


def is_dialogue_text(source: Source) -> bool:
    """Return True for a plain text all of whose lines have labels of a user and a system."""
    try:
        lists = [[text for _, text in passage.texts()] for passage in passages(Source(source.path))]
    except InputError:
        # Not UTF-8: the reader of the file says what is wrong, or reads a table in another encoding.
        return False
    texts = [text for each in lists for text in _without_times(each) if not _GOAL.fullmatch(text)]
    labels = [_LABELLED.fullmatch(text) for text in texts]
    return all(labels) and {speaker(match[1]) for match in labels if match} == {USER, SYSTEM}


_NUMBERED = re.compile(r"\s*(\d{1,6}) (.*)", re.DOTALL)
_PERSONA = re.compile(r"(?:your|partner's) persona:")
_SILENCE = "__SILENCE__"


class PersonaChat:
    """PersonaChat: numbered lines as in ParlAI, or JSON with ``utterances``, ``history`` and ``candidates``.

    ::

        1 your persona: i keep bees.
        2 hello , how are you ?<TAB>busy , the bees are awake .<TAB><TAB>candidate|candidate

    A dialogue ends where the next line number is not larger. The first utterance of a line is from speaker A and the second
    from speaker B. The candidates after them, the personas and ``__SILENCE__`` are not moves.

    ``{"train": [{"personality": [".."], "utterances": [{"candidates": ["..", "the reply"], "history": ["..", ".."]}]}]}``

    The longest history is the dialogue, and the last of its candidates is the actual reply. The file may also be a list of
    such dialogues, or have one dialogue per line.
    """

    DESCRIPTION = "text: ParlAI's numbered lines, or JSON with histories and candidates"

    @staticmethod
    def detect(sample: Sample) -> bool:
        if sample.kind == "text":
            match = _NUMBERED.fullmatch(sample.value)
            return match is not None and int(match[1]) == 1 and bool(_PERSONA.match(match[2]) or "\t" in match[2])
        entry = first_entry(sample)
        splits = (
            [first_mapping(split) for split in entry.values() if isinstance(split, list)]
            if sample.kind == "document"
            else []
        )
        return any("history" in first_mapping(each.get("utterances")) for each in (entry, *splits))

    @staticmethod
    def items(source: Source) -> Iterator[Passage | Entry]:
        if source.sample.kind == "text":
            yield from _split_dialogues(source)
        elif _is_split(source):
            for split, dialogues in as_mapping(source.document, "the file").items():
                for place, dialogue in enumerate(as_list(dialogues, split), 1):
                    yield Entry(f"{split}-{place}", dialogue)
        else:
            yield from entries(source)

    @staticmethod
    def conversation(item: Passage | Entry) -> Conversation:
        if isinstance(item, Passage):
            with placing(dialogue=item.name):
                return make_conversation(item.name, _moves(item))
        with item.placing():
            return make_conversation(
                item.name, alternate_speakers(_longest_history(as_mapping(item.parsed(), f"dialogue {item.name}")))
            )


def _is_split(source: Source) -> bool:
    sample = source.sample
    return sample.kind == "document" and isinstance(sample.value, dict) and "utterances" not in sample.value


def _split_dialogues(source: Source) -> Iterator[Passage]:
    """Yield the dialogues. A dialogue begins where the line number is not larger than the previous one."""
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
    """Return the number of a line. A line without a number stays in its dialogue, which is rejected later."""
    word = line.split(maxsplit=1)[0]
    return int(word) if word.isdigit() and len(word) <= 6 else last + 1


def _moves(item: Passage) -> Iterator[Move]:
    for number, text in item.texts():
        match = _NUMBERED.fullmatch(text)
        if match is None:
            raise InputError("a line must begin with a number and a blank", line=number)
        if _PERSONA.match(match[2]):
            continue
        for move in alternate_speakers(part.strip() for part in match[2].split("\t")[:2]):
            if move.text != _SILENCE:
                yield move


def _longest_history(entry: Any) -> Iterator[str]:
    rounds = [as_mapping(each, "an utterance") for each in as_list(entry.get("utterances"), "utterances")]
    if not rounds:
        return
    last = max(rounds, key=lambda each: len(as_list(each.get("history"), "history")))
    for text in last["history"]:
        yield as_text(text, "history")
    candidates = as_list(last.get("candidates", []), "candidates")
    if candidates:
        yield as_text(candidates[-1], "candidates")
