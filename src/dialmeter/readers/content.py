"""Detects what a file holds: states of a tracker, a log of an agent, dialogues of a user, cases or ratings for judges, or a saved run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..errors import InputError
from .csv_files import NO_HEADER, is_data, parse_header
from .entries import first_entry
from .formats import CONVERSATION_FORMATS, FORMATS, LOG_FORMATS, RATINGS, split_format
from .raw_file import is_stream
from .records.names import points
from .records.tables import tables_of
from .records.trees import tree_of, tree_of_sample
from .source import Sample, Source
from .unrecognised_input import no_data, no_such_file
from .validation import Role

Content: TypeAlias = Literal["cases", "ratings", "tracker", "system", "user", "dialogues", "certificate"]
_ONLY_TEXT = ("taskmaster", "chat", "personachat", "satisfaction", "dailydialog", "reddit")
"""Formats of conversations that have neither goals nor acts. Judges can be tested on their replies."""
_ANY_LOG = "chat"
"""The format of messages in records of any layout."""
_ANY_TEXT = "plain"
"""The format that accepts every text, so it says nothing about what a file holds."""


def only_text_advice(path: str) -> str:
    """Return what can be done with a file of dialogues that have only words."""
    file = shlex.quote(path)
    return (
        "these are dialogues without states, slots of goals and rewards; "
        f"make cases for judges: `dialmeter judge attack {file} -o cases.jsonl`, or give goals: --gold GOALS.json"
    )


def content_of(path: str, format: str | None = None) -> Content | None:
    """Return what a file holds: the first of cases, ratings, states, a log with rewards, dialogues with goals and acts, and other dialogues.

    None if it cannot be known: standard input and pipes, which can be read only once, and files of an unknown format.

    Raises:
        InputError: the file does not exist, or has no data.
    """
    name, fields = split_format(format) if format is not None else ("", {})
    if name and name != _ANY_LOG and (known := _content_of_format(name)) is not None:
        return known
    if is_stream(path):
        return None
    file = path if Path(path).exists() else path.partition("#")[0]
    if not Path(file).exists():
        raise InputError(no_such_file(file), file=file)
    if case_folders(Path(file)):
        return "cases"
    with closing(Source(file)) as source:
        sample = source.sample
        if reason := no_data(sample):
            raise InputError(reason, file=source.name)
        source.fields = fields
        return content_of_source(source)


def _content_of_format(name: str) -> Content | None:
    """Return what files of a format hold; None for a format that may hold several kinds, such as native."""
    from .ratings.open_ratings import RATING_FORMATS

    states, talks, logs = (name in each.names() for each in (FORMATS, CONVERSATION_FORMATS, LOG_FORMATS))
    if name in RATING_FORMATS:
        return "ratings"
    if logs:
        return "system"
    return None if states and talks else "tracker" if states else _talk_content(name) if talks else None


def content_of_source(source: Source) -> Content | None:
    """Return what the first items of a file hold. Messages of any layout are read as a whole."""
    sample, first = source.sample, first_entry(source.sample)
    if {"attack", "context", "reply", "adversarial"} <= first.keys():
        return "cases"
    if str(first.get("certificate")).startswith("dialmeter-judge/"):
        return "certificate"
    if (
        FORMATS.load("native").detect(sample)
        and _has_turn_states(first)
        and "talk" not in first
        and not _has_goals(first)
    ):
        return "tracker"
    return _content_of_others(sample, source.name, source.fields, partial(_whole_tree, source), source)


def content_of_rows(rows: list[dict[str, Any]], fields: Mapping[str, str]) -> Content | None:
    """Return what rows in memory hold."""
    return _content_of_others(Sample("document", rows[:20]), "the data", fields, lambda: rows)


def _whole_tree(source: Source) -> Any:
    with closing(Source(source.path)) as whole:
        return tree_of(whole, [])


def _has_turn_states(first: Mapping[str, Any]) -> bool:
    """Return True if the turns of a dialogue have gold and predicted states with slots as keys."""
    turns = first.get("turns")
    listed = [turn for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []
    return all(any(isinstance(turn.get(side), dict) for turn in listed) for side in ("gold", "pred"))


def _content_of_others(
    sample: Sample, name: str, fields: Mapping[str, str], tree: Callable[[], Any], source: Source | None = None
) -> Content | None:
    """Return what a file holds that is neither cases nor native states. Only here are the readers of all other formats imported."""
    from .chat.texts import is_dialogue_text
    from .ratings.inferred import are_verdicts
    from .ratings.open_ratings import RATING_FORMATS
    from .records.logs import content_of_log
    from .records.reader import has_both, replaces
    from .records.reading import has_several_states

    first = first_entry(sample)
    if sample.kind == "text" and any(map(is_data, header := parse_header(sample.value)[0])) and len(header) > 2:
        raise InputError(NO_HEADER, file=name, line=1)
    ratings = next((name for name, each in RATING_FORMATS.items() if each.detect(sample)), None)
    if ratings not in (None, RATINGS):
        return "ratings"
    detects = cache(lambda reader: reader.detect(sample))  # a reader of conversations may also be one of logs
    states, conversations, logs = (
        next((name for name in formats.builtin() if detects(formats.load(name))), None)
        for formats in (FORMATS, CONVERSATION_FORMATS, LOG_FORMATS)
    )
    has_states = states not in (None, "records") and _says_states(sample) and not are_verdicts(tree_of_sample(sample))
    is_open = conversations in (None, _ANY_LOG) or sample.kind == "text"
    is_rated = bool(ratings) and not has_states and is_open
    if is_rated and (logs is None or (logs == _ANY_LOG and not _is_only_log(tree(), fields))):
        is_clear = has_both(sample, is_sure=False) and _has_clear_states(tree(), name)
        is_tracker = is_clear or has_several_states(tables_of(tree()))
        return "tracker" if is_tracker else "ratings"
    if conversations == _ANY_TEXT and source and not (has_states or has_both(sample)) and is_dialogue_text(source):
        return "dialogues"
    is_log = logs == _ANY_LOG and not has_states and conversations in (None, _ANY_LOG)
    if is_log and not (has_both(sample, is_sure=False) and _has_clear_states(tree(), name)):
        return content_of_log(tree(), fields)
    if states == "records" and (logs or conversations not in (None, _ANY_TEXT)):
        if has_both(sample) or (has_both(sample, is_sure=False) and _has_clear_states(tree(), name)):
            return "tracker"
        states = None
    if logs not in (None, _ANY_LOG):
        return "system"
    if states and replaces(states, FORMATS.load(states).CONTENT == "state", sample, is_one_side=False):
        return "tracker"
    # A corpus such as MultiWOZ has gold states, and goals and acts. Without predictions, its users can be measured.
    if conversations is not None and (states is None or "talk" in first or _has_goals(first)):
        return _talk_content(conversations)
    return "tracker" if states else None


def _is_only_log(tree: Any, fields: Mapping[str, str]) -> bool:
    """Return True if a file of messages is a log, or dialogues, although a field of it may be a rating."""
    from .ratings.inferred import differ
    from .records.logs import calls_tools

    return calls_tools(tree, fields) or not differ(tree, fields)


def _has_clear_states(tree: Any, name: str) -> bool:
    """Return True if gold and predictions are found, or the only question is which of several trackers to score."""
    from .completions import NotAState
    from .records.reading import NoReading, Request, SeveralTrackers, best_reading

    try:
        best_reading(tables_of(tree), Request(Role.BOTH, "", name, {}))
    except SeveralTrackers:
        return True
    except (NoReading, NotAState, InputError):
        return False
    return True


_GOAL_PARTS = frozenset(["info", "fail_info", "book", "fail_book", "reqt"])


def is_goal_file(path: str) -> bool:
    """Return True for a file of goals by dialogue, as ``convert --to goals`` writes it."""
    if is_stream(path) or not Path(path).is_file():
        return False
    with closing(Source(path)) as source:
        if no_data(source.sample):
            return False
        goals = [each for each in first_entry(source.sample).values() if isinstance(each, dict)]
    parts = [part for goal in goals for part in goal.values() if isinstance(part, dict)]
    return any(not _GOAL_PARTS.isdisjoint(part) for part in parts)


def _says_states(sample: Sample) -> bool:
    """Return True if the name of a field says gold, prediction or state."""
    tree = tree_of_sample(sample)
    names = {name.rpartition(".")[2] for table in tables_of(tree) for name in table.columns}
    return any(points(role, name) > least for name in names for role, least in (("gold", 4), ("pred", 7), ("state", 4)))


def _talk_content(format: str) -> Content | None:
    """Return what a format of conversations holds."""
    return "dialogues" if format in _ONLY_TEXT else None if format == _ANY_TEXT else "user"


def _has_goals(first: Mapping[str, Any]) -> bool:
    """Return True if a dialogue has a goal; in MultiWOZ the dialogues are the values of an object."""
    return "goal" in first or any(isinstance(each, dict) and "goal" in each for each in first.values())


PUBLISHED_CASE = re.compile(r"case_(\d+)")
"""The name of a file of a published adversarial case."""


def case_folders(path: Path) -> list[Path]:
    """Return the folders with files ``case_N``: the given folder, and the folders in it."""
    if not path.is_dir():
        return []
    inside = [path, *sorted(each for each in path.iterdir() if each.is_dir())]
    return [each for each in inside if any(PUBLISHED_CASE.fullmatch(file.name) for file in each.iterdir())]
