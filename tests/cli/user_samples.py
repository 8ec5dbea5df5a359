"""Small files of conversations for tests of ``dialmeter user``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dialmeter.model import Act, Conversation, Move
from dialmeter.readers.layouts.own import conversation_to_dict as line_of

from ..users.conversations import goal, make_conversation, system, user
from .samples import written

HOTEL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})
EATING = goal(
    restaurant={
        "info": {"food": "thai", "area": "centre"},
        "fail_info": {"food": "welsh"},
        "book": {"people": "2", "day": "friday"},
    }
)
TRIP = goal(
    train={"info": {"day": "monday", "destination": "ely"}, "requests": ["price", "duration"]},
    taxi={"info": {"leaveat": "10:00"}},
)

BOTH = user("Hotel-Inform area=east | Hotel-Inform stars=4", "A hotel with 4 stars in the east, please.")
PHONE = system("Hotel-Inform phone=123", text="Call 123.")
ASK = user("Hotel-Request phone", "What is the phone number?")

TALKS = (
    make_conversation(HOTEL, BOTH, system("Hotel-Recommend name=lodge"), ASK, PHONE, name="good"),
    make_conversation(
        HOTEL,
        user("Hotel-Inform area=east", "In the east."),
        system("Hotel-Recommend name=lodge", text="The lodge?"),
        ASK,
        PHONE,
        ASK,
        PHONE,
        name="hasty",
    ),
    make_conversation(
        EATING,
        user("Restaurant-Inform food=welsh", "Welsh food."),
        system("Restaurant-NoOffer food=welsh", text="There is none."),
        user("Restaurant-Inform food=thai | Restaurant-Inform area=centre"),
        system("Restaurant-Request food"),
        user("Restaurant-Inform food=thai"),
        system("general-reqmore"),
        user("Restaurant-Inform food=thai | Restaurant-Inform parking=yes"),
        system("general-reqmore"),
        user("Restaurant-Inform people=2"),
        system("Booking-Book ref=AB12"),
        name="eater",
    ),
    make_conversation(
        TRIP,
        user("Train-Inform day=monday | Train-Inform destination=ely"),
        system("Train-Inform price=5 pounds | Train-Inform duration=17 minutes"),
        user("Hotel-Inform area=west"),
        system("general-bye"),
        name="traveller",
    ),
)
"""Four dialogues: one is correct, one misses a constraint and repeats a request, one has repetitions, one forgets a domain."""


def lines(conversations: Iterable[Conversation]) -> str:
    """Encode dialogues as JSON lines."""
    return "".join(json.dumps(line_of(each)) + "\n" for each in conversations)


def users(folder: Path, conversations: Iterable[Conversation] = TALKS, name: str = "users.jsonl") -> Path:
    """Write dialogues to a file of JSON lines."""
    return written(folder / name, lines(conversations))


def published(each: Conversation) -> dict[str, Any]:
    """A dialogue in the published format."""
    turns = []
    for number, move in enumerate(each.moves):
        turn = {"turn_id": str(number), "speaker": move.speaker.upper(), "utterance": move.text}
        turn["frames"] = _frames(move.acts or ())
        if number % 2:
            turn["nlu"] = {"frames": _frames(move.understood or ())}
        turns.append(turn)
    wanted = {
        name: {
            **{part: dict(getattr(parts, part)) for part in ("info", "fail_info", "book", "fail_book")},
            "reqt": list(parts.requests),
        }
        for name, parts in (each.goal or {}).items()
    }
    return {"dialogue_id": each.id, "goal": wanted, "turns": turns}


def _frames(acts: Sequence[Act]) -> list[dict[str, Any]]:
    services = dict.fromkeys(act.service for act in acts)
    return [
        {
            "service": service,
            "actions": [
                {"act": act.name, "slot": act.slot, "values": list(act.values)}
                for act in acts
                if act.service == service
            ],
        }
        for service in services
    ]


def silent(each: Conversation) -> Conversation:
    """A dialogue that has only text."""
    return Conversation(each.id, tuple(Move(move.speaker, move.text) for move in each.moves), each.goal)
