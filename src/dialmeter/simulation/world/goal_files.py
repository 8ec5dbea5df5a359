"""Goals that a file brings: in MultiWOZ's layout, or those of dialogues that were played or recorded before."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from ...errors import InputError, placing
from ...model import DomainGoal, Goal, Notice
from ...readers.conversations import open_conversations
from ...readers.multiwoz.goals import goal_in
from ...readers.parts import as_mapping
from ...readers.source import Source
from .schema import DOMAINS

_LISTED = 10


def read_goals(path: str | Path) -> tuple[dict[str, Goal], list[Notice]]:
    """Goals by dialogue, in the order of the file, and what was left out.

    A JSON object of goals by id, ``data.json`` of MultiWOZ, and every file of talk that has goals will do. Domains that the
    town does not have are left out; a dialogue with no other domain is, too.

    Raises:
        InputError: the file cannot be read, or holds no goal for this town.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "goals.json")
        ...     with open(path, "w") as file:
        ...         _ = file.write('{"g1": {"hotel": {"info": {"area": "North"}, "reqt": ["phone"]}, "police": {"reqt": ["phone"]}}}')
        ...     goals, notices = read_goals(path)
        >>> goals["g1"]["hotel"].info, notices[0].code
        ({'area': 'north'}, 'domain-not-in-town')
    """
    found, unread = _in_file(str(path))
    here: dict[str, Goal] = {
        name: {domain: _lowered(each) for domain, each in goal.items() if domain in DOMAINS}
        for name, goal in found.items()
    }
    elsewhere = [name for name, goal in found.items() if any(domain not in DOMAINS for domain in goal)]
    kept = {name: goal for name, goal in here.items() if goal}
    notices = [
        Notice(code, len(names), f"{len(names)} {what}", tuple(names[:_LISTED]))
        for code, names, what in (
            ("domain-not-in-town", elsewhere, "goals have domains that the town does not have; these are skipped"),
            ("no-goal", [name for name in found if name not in kept], "dialogues have no goal for this town"),
            ("unread", unread, "dialogues cannot be read"),
        )
        if names
    ]
    if not kept:
        raise InputError("no goal that can be played in this town", file=str(path))
    return kept, notices


def _in_file(path: str) -> tuple[dict[str, Goal], list[str]]:
    """Goals by dialogue, and what is wrong with dialogues that cannot be read."""
    source = Source(path)
    with closing(source), placing(file=source.name):
        value = source.sample.value if source.sample.kind == "document" else None
        first = next(iter(value.values()), None) if isinstance(value, dict) else None
        if isinstance(first, dict) and "log" not in first and "turns" not in first:
            return _goals_by_id(source), []
    talks = open_conversations(path)
    return {talk.id: talk.goal or {} for talk in talks}, [str(error) for error in talks.refused]


def _goals_by_id(source: Source) -> dict[str, Goal]:
    goals: dict[str, Goal] = {}
    for name, thing in as_mapping(source.document, "the file of goals").items():
        with placing(dialogue=name):
            goals[name] = goal_in(as_mapping(thing, "a goal").get("goal", thing))
    return goals


def _lowered(goal: DomainGoal) -> DomainGoal:
    """A goal in small letters, as the town writes values."""

    def lowered(pairs: Mapping[str, str]) -> dict[str, str]:
        return {slot: value.lower() for slot, value in pairs.items()}

    return DomainGoal(
        lowered(goal.info), lowered(goal.fail_info), lowered(goal.book), lowered(goal.fail_book), goal.requests
    )
