"""Hand-made cases, and judges with known behaviour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dialmeter.judges.cases import Case, Place
from dialmeter.judges.judge import Item
from dialmeter.model import Move

FACET = {"repetition": "naturalness", "vocabulary": "naturalness", "dullness": "interest"}
EXPECTED = {"co-reference": "similar", "natural-paraphrase": "similar", "vocabulary": "at-most", "identical": "similar"}
ATTACKS = ("contradiction", "speaker", "pronoun", "repetition", "dullness", "vocabulary", "co-reference")


def case(attack: str, number: int, *, reply: str = "", adversarial: str = "", corpus: str = "town") -> Case:
    """A case whose text contains its number and attack."""
    context = (Move("user", f"i need room {number}"), Move("system", "for how many people?"))
    human = reply or f"for {number} people please" + " thanks" * (number % 3)
    return Case(
        attack=attack,
        variant="made",
        context=context,
        reply=human,
        adversarial=adversarial or f"{human} [{attack}]",
        expected=EXPECTED.get(attack, (attack == "entrainment" and "at-most") or "lower"),
        facet=FACET.get(attack, "coherence"),
        source=Place(f"d{number}", 2),
        speaker="user",
        corpus=corpus,
    )


def cases(attacks: Sequence[str] = ATTACKS, count: int = 12, corpus: str = "town") -> list[Case]:
    """The same replies under several attacks."""
    return [case(attack, number, corpus=corpus) for attack in attacks for number in range(count)]


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Write cases, one per line."""
    path.write_bytes(b"".join(msgspec.json.encode(case) + b"\n" for case in cases))


class Oracle:
    """Detects the mark of every attack that an ideal judge must detect. Its scores of human replies vary a little."""

    name = "oracle"
    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None
    sign = 1.0

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self.sign * self._one(reply) for _, reply in items]

    @staticmethod
    def _one(reply: str) -> float:
        noticed = any(f"[{attack}]" in reply for attack in ATTACKS if attack not in ("co-reference", "vocabulary"))
        return len(reply.partition(" [")[0]) / 1000 - 10 * noticed


class Flipped(Oracle):
    """The oracle with the wrong sign."""

    name = "flipped"
    sign = -1.0
