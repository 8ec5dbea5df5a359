"""Small dialogues from short descriptions of acts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from dialmeter.users.events import DialogueOutcome
from dialmeter.users.profile import Profile, named
from dialmeter.users.rules import UserRules, changed
from dialmeter.users.rules import named as rules_named
from dialmeter.users.scorer import UserScorer
from dialmeter.values.maps import ValueMap


def acts(text: str) -> tuple[Act, ...]:
    """Parse acts such as ``Hotel-Inform area=east | Booking-Book``. The text before the hyphen is the service."""
    found = []
    for each in filter(None, (part.strip() for part in text.split("|"))):
        name, _, rest = each.partition(" ")
        slot, equals, value = rest.partition("=")
        found.append(Act(name, name.partition("-")[0].lower(), slot, (value,) if equals else ()))
    return tuple(found)


def user(said: str, text: str = "") -> Move:
    return Move(USER, text, acts(said))


def system(said: str, heard: str | None = None, text: str = "") -> Move:
    """Return a system turn. If ``heard`` is not given, :func:`make_conversation` fills in all acts of the previous user turn."""
    return Move(SYSTEM, text, acts(said), None if heard is None else acts(heard))


def goal(**domains: Mapping[str, Any]) -> dict[str, DomainGoal]:
    """Return a goal, as in ``goal(hotel={"info": {"area": "east"}, "requests": ["phone"]})``."""
    return {
        name: DomainGoal(**{**parts, "requests": tuple(parts.get("requests", ()))}) for name, parts in domains.items()
    }


def make_conversation(
    wanted: Mapping[str, DomainGoal], *moves: Move, name: str = "d", heard_all: bool = True
) -> Conversation:
    """Return a conversation. With ``heard_all``, system turns without understood acts have understood the previous turn."""
    filled = []
    for place, move in enumerate(moves):
        if heard_all and move.speaker == SYSTEM and move.understood is None:
            before = moves[place - 1].acts if place else ()
            filled.append(Move(SYSTEM, move.text, move.acts, before))
        else:
            filled.append(move)
    return Conversation(name, tuple(filled), wanted)


def read_examples(file: str) -> list[dict[str, Any]]:
    """Read one-dialogue examples: a JSON object on each line."""
    return [json.loads(line) for line in (Path(__file__).parent / "data" / file).read_text("utf-8").splitlines()]


def example_conversation(example: Mapping[str, Any]) -> Conversation:
    """Return the dialogue of an example. A turn is the text of its acts, or an object that also has text and heard acts."""
    moves: list[Move] = []
    for place, turn in enumerate(example["turns"]):
        parts = turn if isinstance(turn, dict) else {"acts": turn}
        understood = moves[-1].acts if place % 2 else None
        if "heard" in parts:
            understood = None if parts["heard"] is None else acts(parts["heard"])
        requested = (
            {domain: tuple(slots) for domain, slots in parts["requested"].items()} if "requested" in parts else None
        )
        speaker = SYSTEM if place % 2 else USER
        moves.append(Move(speaker, parts.get("text", ""), acts(parts["acts"]), understood, requested=requested))
    return Conversation("d", tuple(moves), goal(**example["goal"]), task=example.get("task", ""))


def scored(
    conversation: Conversation,
    *changes: str,
    rules: str | UserRules = "dialmeter",
    profile: str | Profile = "multiwoz",
    value_map: ValueMap | None = None,
) -> DialogueOutcome:
    chosen = rules if isinstance(rules, UserRules) else rules_named(rules)
    used = profile if isinstance(profile, Profile) else named(profile)
    return UserScorer(changed(chosen, *changes), used, value_map).add(conversation)


def classes(outcome: DialogueOutcome, family: str) -> set[str]:
    return {event.name for event in outcome.events if event.family == family}
