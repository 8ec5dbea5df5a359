"""Speed of attacks: batches against single calls, and twelve attacks on a thousand dialogues, with a cold and a warm cache.

Run with `python benchmarks/attack_speed.py`. The dialogues are made from sentence templates with random words. So nearly
every utterance is distinct, as in a real corpus.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import chosen
from dialmeter.judges.language import Resources, analysis
from dialmeter.judges.language.analysis import Pipeline
from dialmeter.model import Conversation, Move
from rows import Row, at_least, at_most, table

_USER = (
    "I am looking for a {adj} {place} in the {area} of town, please.",
    "Does the {name} {house} have free parking? It should be {adj}.",
    "Please book it for {number} people on {day} at {number}:{minute}.",
    "What is the phone number of the {name} {house}? I'd like to call them.",
    "If there is no {place}, I will take a {adj} room for {number} nights.",
    "My friend {person} says that it is {adj}. Can you check the price?",
    "Thanks! I also need a train from {town} to {town} on {day}.",
    "That sounds great, but is there a {adj} {place} near the {area}?",
)
_SYSTEM = (
    "The {name} {house} is a {adj} {place} in the {area}. Would you like to book it?",
    "I have found {number} options. Do you prefer the {area} or the {area}?",
    "It is booked for {day}. Your reference is {code}. Can I help with anything else?",
    "The phone number is 0{code}. The {place} is open until {number}:{minute}.",
    "The train leaves {town} at {number}:{minute} and arrives in {town} an hour later. Shall I buy a ticket?",
    "I'm sorry, there is no {adj} {place} in the {area}. Should I look for something else?",
    "{person} can reserve a table there. How many people are you?",
    "Yes, they serve breakfast, and it has a {adj} garden with {number} tables.",
)
_WORDS = {
    "adj": ["cheap", "expensive", "nice", "quiet", "modern", "small", "large", "famous", "lovely", "cosy"],
    "place": ["restaurant", "hotel", "museum", "guesthouse", "cinema", "park", "theatre", "pool", "cafe", "gallery"],
    "house": ["Lodge", "Inn", "House", "Hotel", "Garden", "Kitchen", "Corner", "Tavern"],
    "name": [
        "Heron",
        "Bear",
        "Castle",
        "River",
        "Bridge",
        "Willow",
        "Harbour",
        "Mill",
        "Crown",
        "Anchor",
        "Fox",
        "Abbey",
    ],
    "area": ["north", "south", "east", "west", "centre"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "town": ["London", "Cambridge", "Oxford", "Bristol", "Leeds", "York", "Norwich", "Ely", "Bath"],
    "person": ["Anna", "Peter", "Helen", "Martin", "Julia", "Thomas", "Laura", "Simon"],
    "minute": ["00", "15", "30", "45"],
}


def dialogues(number: int, seed: int = 7) -> list[Conversation]:
    """Return generated dialogues of about twenty turns."""
    random = Random(seed)

    def said(templates: tuple[str, ...]) -> str:
        text = random.choice(templates)
        for name, words in _WORDS.items():
            while "{" + name + "}" in text:
                text = text.replace("{" + name + "}", random.choice(words), 1)
        while "{number}" in text:
            text = text.replace("{number}", str(random.randint(2, 23)), 1)
        return text.replace("{code}", str(random.randint(10**6, 10**7)))

    return [
        Conversation(
            f"d{place}",
            tuple(
                Move(("user", "system")[turn % 2], said((_USER, _SYSTEM)[turn % 2]))
                for turn in range(random.randint(16, 24))
            ),
        )
        for place in range(number)
    ]


def _seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def ratios() -> list[Row]:
    """Return the rows of the common table."""
    name = analysis.installed_pipeline()
    if name is None:
        return []
    conversations = dialogues(1000)
    texts = list(dict.fromkeys(move.text for conversation in conversations for move in conversation.moves))
    loaded = Pipeline(name)
    list(loaded.analyse(texts[-50:]))
    some = texts[:600]
    # CPU time, best of three each, alternating: other work on the machine must not favour one side.
    clock = time.process_time
    rounds = [
        (
            _seconds(lambda: [next(loaded.analyse([text])) for text in some], clock),
            _seconds(lambda: list(loaded.analyse(some)), clock),
        )
        for _ in range(3)
    ]
    ratio = min(single for single, _ in rounds) / min(batch for _, batch in rounds)
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (_attacks(conversations, Path(folder)) for _ in range(2))
    return [
        at_least("one call per utterance ÷ batches", ratio, 1.8),
        at_most("12 attacks × 100 cases, 1,000 dialogues, seconds", cold, 90),
        at_most("the same with a warm store, seconds", warm, 20),
    ]


def _attacks(conversations: list[Conversation], cache: Path) -> float:
    language = Resources(cache=cache).open()
    return _seconds(lambda: attack_corpus(conversations, chosen(["paper"]), language, cases=100))


if __name__ == "__main__":
    found = ratios()
    if not found:
        sys.exit("no spaCy pipeline is installed: pip install 'dialmeter[attacks]'")
    print(table(found))
