"""Generate text from acts: one sentence for acts that belong together, in one of several phrasings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from random import Random

from ...model import USER, Act
from ..world.database import DOMAINS, forms
from .grammar import Clause, SentenceFrame, grammar, intent_of, value_of

PARAPHRASED = 0.4
"""The chance that a user paraphrases a value."""

_NAMES = ("name", "departure", "destination")


def say(acts: Iterable[Act], speaker: str, rng: Random) -> str:
    """Return the text of a move.

    Args:
        acts: the acts in order; adjacent acts of one kind share a sentence.
        speaker: ``user`` or ``system``; they have different phrases.
        rng: the random generator for phrasings.

    Example:
        >>> from dialmeter.simulation.language.grammar import act
        >>> say([act("taxi", "request", "phone"), act("general", "thank")], "user", Random(1))
        'Could you tell me the phone number of the taxi? Thank you.'
    """
    return " ".join(_sentences(list(acts), speaker, rng))


def _sentences(acts: Sequence[Act], speaker: str, rng: Random) -> Iterator[str]:
    for (service, key), group in groupby(acts, lambda each: (each.service, _key(each, speaker))):
        together = list(group)
        frames = grammar(speaker).frames.get((service, key))
        if frames is None:
            # An external agent may use acts that the grammar does not have; they still need a text.
            pairs = ", ".join(f"{each.slot} {value_of(each)}".strip() for each in together)
            yield f"{key.capitalize()} {pairs}.".strip()
            continue
        frame = rng.choice(frames)
        if frame.kind in ("clauses", "slots"):
            yield _fill_frame(frame, together, speaker, rng)
        else:
            for each in together:
                text = frame.text.replace("{word}", _word(each.slot, speaker))
                yield text.replace("{v}", _capitalise(each.slot, value_of(each)))
                frame = rng.choice(frames)


def _key(act: Act, speaker: str) -> str:
    """Return the key of the frames of an act in the grammar, with the service."""
    intent = intent_of(act.name)
    if intent != "inform":
        return intent
    if speaker == USER:
        return "book" if act.slot in DOMAINS[act.service].book else "inform"
    return "choice" if act.slot == "choice" else "inform"


def _fill_frame(frame: SentenceFrame, acts: Sequence[Act], speaker: str, rng: Random) -> str:
    if frame.kind == "slots":
        words = [f"the {_word(each.slot, speaker)}" for each in acts]
        return frame.text.replace(
            "{slots}", words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
        )
    phrases = [_phrase(each, speaker, rng) for each in acts if each.slot]
    return frame.text.replace("{clauses}", ", ".join(phrases)) if phrases else frame.text.replace(" {clauses}", "")


def _word(slot: str, speaker: str) -> str:
    return grammar(speaker).words.get(slot, slot)


def _phrase(act: Act, speaker: str, rng: Random) -> str:
    value = value_of(act)
    index = _index_clauses(speaker, act.service)
    clauses = index.get((act.slot, value)) or index.get((act.slot, ""), ())
    if not clauses:
        return f"with {_word(act.slot, speaker)} {value}"
    form = value
    if speaker == USER and rng.random() < PARAPHRASED:
        form = rng.choice(forms(act.service, act.slot).get(value, (value,)))
    return rng.choice(clauses).text.replace("{v}", _capitalise(act.slot, form))


@cache
def _index_clauses(speaker: str, service: str) -> dict[tuple[str, str], tuple[Clause, ...]]:
    index: dict[tuple[str, str], list[Clause]] = {}
    for clause in grammar(speaker).clauses.get(service, ()):
        index.setdefault((clause.slot, clause.value), []).append(clause)
    return {key: tuple(clauses) for key, clauses in index.items()}


def _capitalise(slot: str, value: str) -> str:
    """Capitalise the words of names; write train numbers and codes in capitals."""
    if slot in _NAMES:
        return " ".join(
            word if word in ("the", "and", "of") else word[:1].upper() + word[1:] for word in value.split(" ")
        )
    return value.upper() if slot in ("ref", "trainid", "postcode") else value
