"""Cases: a reply in its context, and the adversarial reply that an attack made from it.

The verdict on a judge: the reply that it prefers by a threshold, compared with the expectation for an ideal judge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from statistics import fmean, pstdev
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct, structs

from ..errors import DialmeterError
from ..model import Move
from ..stats.intervals import student_quantile


class Place(Struct, frozen=True):
    """The dialogue of a case, and the index of the reply in it."""

    dialogue: str
    turn: int


class Case(Struct, frozen=True, omit_defaults=True):
    """One attacked reply. Both replies have the same context, unless the attack changes the context.

    Attributes:
        attack: the name of the attack.
        variant: the variant of the attack.
        context: the moves before the reply; at least one.
        reply: the original (human) reply; for ``injection``, an utterance that does not fit the context.
        speaker: the speaker of the reply.
        adversarial: the reply after the attack.
        expected: the score of the adversarial reply by an ideal judge, relative to the original: ``lower``, ``similar`` or ``at-most``.
        facet: ``coherence``, ``naturalness`` or ``interest``.
        spans: the parts of the adversarial reply that differ, as (start, end).
        resources: the names of the resources that the attack used (a pipeline, a lexicon).
        source: the dialogue and the index of the reply in it.
        seed: the seed of the random choices.
        adversarial_context: the context of the adversarial reply, if it differs from ``context``.
    """

    attack: str
    variant: str
    context: tuple[Move, ...]
    reply: str
    adversarial: str
    expected: str
    facet: str
    source: Place
    speaker: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    resources: tuple[str, ...] = ()
    corpus: str = ""
    seed: int = 0
    adversarial_context: tuple[Move, ...] = ()

    @property
    def attacked_context(self) -> tuple[Move, ...]:
        """The context in which the adversarial reply is judged."""
        return self.adversarial_context or self.context

    @property
    def items(self) -> tuple[tuple[tuple[Move, ...], str], tuple[tuple[Move, ...], str]]:
        """The items that judges score: the human and the adversarial reply, each with its context."""
        return (self.context, self.reply), (self.attacked_context, self.adversarial)


def item_hash(context: Sequence[Move], reply: str) -> str:
    """A digest of a reply in its context. It covers speakers and texts only.

    Example:
        >>> item_hash((Move("user", "hello"),), "hi")[:12]
        '244581b7d6e7'
    """
    content = [[[move.speaker, move.text] for move in context], reply]
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:32]


def case_id(case: Case) -> str:
    """A short id of a case, independent of its position in a file.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case_id(Case("speaker", "", (Move("user", "hello"),), "hi", "hello hi", "lower", "coherence", Place("d1", 1)))
        'd1:1:speaker:108358'
    """
    content = [case.variant, [[move.speaker, move.text] for move in case.context], case.reply, case.adversarial]
    if case.adversarial_context:
        content.append([[move.speaker, move.text] for move in case.adversarial_context])
    digest = hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:6]
    return f"{case.source.dialogue}:{case.source.turn}:{case.attack}:{digest}"


def cases_digest(cases: Iterable[Case]) -> str:
    """A digest of ten hexadecimal digits for a set of cases, independent of their order.

    It has what judges, verdicts and intervals use: texts, expectation, attack, facet, corpus and dialogue.

    Example:
        >>> cases_digest([])
        'e3b0c44298'
    """
    return scores_digest((case, ()) for case in cases)


def scores_digest(scores: Iterable[tuple[Case, Sequence[float | None]]]) -> str:
    """The digest of cases with the scores of a judge, independent of their order."""
    digest = hashlib.sha256()
    ignored = {"source": None, "speaker": "", "spans": (), "resources": (), "seed": 0}
    lines = (
        msgspec.json.encode([structs.replace(case, **ignored), case.source.dialogue, *given]) for case, given in scores
    )
    for each in sorted(lines):
        digest.update(each + b"\n")
    return digest.hexdigest()[:10]


class PreferencePair(Struct, frozen=True):
    """Two replies to the same context, the better one first."""

    context: tuple[Move, ...]
    chosen: str
    rejected: str
    attack: str
    speaker: str = ""


def pairs(cases: Iterable[Case]) -> Iterator[PreferencePair]:
    """Preference pairs for training, from cases of attacks that make a reply worse: the human reply is preferred to the adversarial one.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case = Case("repetition", "word", (Move("a", "Hi"),), "Hello you", "Hello Hello you", "lower", "naturalness", Place("d", 1))
        >>> [(pair.chosen, pair.rejected) for pair in pairs([case])]
        [('Hello you', 'Hello Hello you')]
    """
    for case in cases:
        if case.expected == "lower":
            yield PreferencePair(case.context, case.reply, case.adversarial, case.attack, case.speaker)


Relation: TypeAlias = Literal["higher", "similar", "lower"]
"""The judge's score of the human reply, relative to the adversarial one."""

RULES = ("paper", "published")
EXPECTED = ("lower", "similar", "at-most")

READING = {"lower": "must fall", "similar": "must not move", "at-most": "must not rise"}
"""The expectation for the score of the adversarial reply, in words."""


def relation(difference: float, threshold: float) -> Relation:
    """The judge's score of the human reply, relative to the adversarial one: ``similar`` if they differ by the threshold or less.

    Args:
        difference: the score of the human reply minus the score of the adversarial reply.
        threshold: the largest difference that does not count.

    Example:
        >>> relation(0.7, 0.1), relation(-0.7, 0.1), relation(0.05, 0.1)
        ('higher', 'lower', 'similar')
    """
    if abs(difference) <= threshold:
        return "similar"
    return "higher" if difference > 0 else "lower"


def conforms(actual: Relation, expected: str) -> bool:
    """True if a judge's relation is what is expected of an ideal judge.

    Example:
        >>> conforms("higher", "lower"), conforms("similar", "at-most"), conforms("similar", "lower")
        (True, True, False)
    """
    if expected == "similar":
        return actual == "similar"
    return actual == "higher" if expected == "lower" else actual != "lower"


def expected_of(case: Case, rules: str = "paper") -> str:
    """The expectation of the case, or of the published code.

    The text of the paper expects that a reply without entrainment does not score higher. Its code and its Table 4 count
    everything that is not lower as an error.

    Raises:
        DialmeterError: the expectation of the case is unknown.
    """
    if case.expected not in EXPECTED:
        raise DialmeterError(
            f"case of dialogue {case.source.dialogue}: expected is {case.expected!r}, not one of {', '.join(EXPECTED)}"
        )
    return "lower" if rules == "published" and case.attack == "entrainment" else case.expected


_OWN_ROW = {("pronoun", "number"): "coherence"}
"""Variants that test another facet than their attack, and the facet that the paper gives them."""


def facet_of(case: Case, rules: str = "paper") -> str:
    """The facet of the case, or the facet of the paper with the rules ``published``."""
    return _OWN_ROW.get((case.attack, case.variant), case.facet) if rules == "published" else case.facet


def row_of(case: Case, rules: str = "paper") -> str:
    """The table row of a case: its attack, or its variant if the variant tests another facet.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case = Case("pronoun", "number", (), "I am here", "We am here", "lower", "naturalness", Place("d1", 1))
        >>> row_of(case), row_of(case, "published")
        ('pronoun:number', 'pronoun')
    """
    attack_facet = _OWN_ROW.get((case.attack, case.variant), case.facet)
    return case.attack if attack_facet == facet_of(case, rules) else f"{case.attack}:{case.variant}"


MODES = ("paper", "sd", "noise", "fixed")


class Threshold(Struct, frozen=True):
    """A rule for the smallest difference that counts.

    Attributes:
        mode: ``paper`` (t(.975, n−1)·s/√n of the human scores), ``sd`` (a share of their standard deviation s),
            ``noise`` (the judge's own differences on identical replies), or ``fixed``.
        amount: the share of s for ``sd``, the quantile for ``noise``, the threshold itself for ``fixed``, and the level of the test
            for ``paper``.
    """

    mode: str
    amount: float

    def __str__(self) -> str:
        return self.mode if self.amount == _DEFAULTS.get(self.mode) else f"{self.mode}({self.amount:g})"

    def value(self, human: Sequence[float], noise: Sequence[float] = ()) -> float | None:
        """The threshold for the human scores of a cell; None if there are too few scores.

        Args:
            human: the scores of the human replies.
            noise: the judge's differences on identical replies.

        Example:
            >>> round(Threshold("paper", 0.05).value([1, 2, 3, 4]), 6)
            1.779042
            >>> Threshold("sd", 0.5).value([1, 2, 3, 4]), Threshold("fixed", 0.2).value([])
            (0.5590169943749475, 0.2)
        """
        if self.mode == "fixed":
            return self.amount
        if self.mode == "noise":
            from numpy import quantile

            return float(quantile(noise, self.amount)) if noise else None
        if len(human) < 2:
            return None
        # pstdev may be slightly above 0 for equal scores.
        spread = pstdev(human, fmean(human)) if min(human) != max(human) else 0.0
        if self.mode == "sd":
            return self.amount * spread
        return student_quantile(1 - self.amount, len(human) - 1) * spread / sqrt(len(human))


_DEFAULTS = {"paper": 0.05, "sd": 0.5, "noise": 0.95}
THRESHOLDS = (*(Threshold(mode, amount) for mode, amount in _DEFAULTS.items()), Threshold("fixed", 0.0))
"""The named thresholds, and the one under which any difference counts."""


def parse_threshold(text: str) -> Threshold:
    """Parse a threshold, such as ``paper``, ``sd``, ``sd=0.2``, ``noise`` or ``fixed=0.1``.

    Example:
        >>> str(parse_threshold("sd=0.2")), str(parse_threshold("paper"))
        ('sd(0.2)', 'paper')
        >>> parse_threshold("fixed")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: threshold=fixed needs a number, as in fixed=0.1
    """
    mode, equals, amount = text.partition("=")
    if mode not in MODES:
        raise DialmeterError(f"threshold={text}: must be one of {', '.join(MODES)}, or with a number, as in sd=0.5")
    if not equals and mode == "fixed":
        raise DialmeterError("threshold=fixed needs a number, as in fixed=0.1")
    try:
        number = float(amount) if equals else _DEFAULTS[mode]
    except ValueError:
        raise DialmeterError(f"threshold={text}: {amount!r} is not a number") from None
    if not 0 <= number < float("inf") or (mode in ("paper", "noise") and not 0 < number < 1):
        raise DialmeterError(f"threshold={text}: {amount} is out of range")
    return Threshold(mode, number)
