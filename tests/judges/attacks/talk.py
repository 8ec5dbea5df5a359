"""Small dialogues for tests, and one attack on them."""

from __future__ import annotations

from dialmeter.judges.attacks import Kit, Pool, Snippet, make_pool, named, seeded, snippets
from dialmeter.judges.language import Language
from dialmeter.model import Conversation, Move


def talk(name: str, *lines: str, speakers: tuple[str, ...] = ("a", "b")) -> Conversation:
    """A dialogue whose speakers take turns."""
    return Conversation(name, tuple(Move(speakers[turn % len(speakers)], line) for turn, line in enumerate(lines)))


def snippet(*lines: str, later: tuple[str, ...] = ()) -> Snippet:
    """A snippet whose reply is the last of the lines."""
    return next(each for each in snippets(talk("d", *lines, *later)) if each.turn == len(lines) - 1)


def attacked(attack: str, what: Snippet, language: Language, *, pool: Pool | None = None, seed: int = 1) -> str:
    """What one variant, named as ``attack:variant``, makes of a snippet."""
    [variant] = named(attack).variants
    return variant.make(what, Kit(language, pool or Pool(), seeded(seed)))


def all_of(attack: str, what: Snippet, language: Language, *, pool: Pool | None = None, seeds: int = 30) -> set[str]:
    """Everything that a variant makes of a snippet under many seeds."""
    return {attacked(attack, what, language, pool=pool, seed=seed) for seed in range(seeds)}


VILLAGE = [
    talk(
        "green-house",
        "Hello, I am looking for a cheap hotel near the river.",
        "There are two. The Heron Lodge is cheap and it has free parking. Do you need a room tonight?",
        "Yes, for two nights. Does it serve breakfast?",
        "It does. Breakfast is served from seven. Shall I book the room for you?",
        "Please book it for Anna and me, we arrive on Friday.",
        "The room at the Heron Lodge is booked for Friday. Your reference is KL42. Can I help with anything else?",
        "No, that's all I need. Thank you for your help!",
        "You're welcome. Enjoy your stay in Millbrook.",
        speakers=("user", "system"),
    ),
    talk(
        "supper",
        "Which restaurants in Oxford serve Italian food?",
        "I know three restaurants. Do you want an expensive one or a moderate one?",
        "A moderate restaurant would be great. I'd like a table on Monday at six.",
        "I recommend Luigi's Kitchen in Castle Street. It is a nice place with a large garden.",
        "Is it open on Monday? My brother Peter wants to come too, he loves pasta.",
        "Yes, it is open on Monday until eleven. Should I reserve a table for Peter and you?",
        "Yes please, book a table for three people.",
        "Done. Luigi's Kitchen expects three people on Monday at six. Have a good meal!",
        speakers=("user", "system"),
    ),
    talk(
        "journey",
        "I need a train from London to Cambridge on Saturday.",
        "There is a train at nine and one at noon. When do you want to travel?",
        "The journey should start in the morning. How much is the ticket?",
        "The ticket costs twenty pounds. The trip takes about an hour. Do you want me to buy it?",
        "Yes, buy two tickets. My mother Helen travels with me, she needs help with her suitcase.",
        "I have bought two tickets for Saturday. Staff at the station can help her.",
        "That's wonderful. If the train is late, can I change the ticket?",
        "If the train is late, you can change your ticket without a fee.",
        speakers=("user", "system"),
    ),
    talk("friends", "Who is Martin?", "He is kind.", "What is the new film about?", "It shows a storm at sea."),
]
"""A corpus in which every attack finds something."""


def village_pool(language: Language) -> Pool:
    """What attacks may borrow from the village."""
    return make_pool(VILLAGE, language, 7)
