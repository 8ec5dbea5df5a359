"""Cases: a reply in its context, and the adversarial reply that an attack made from it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct, structs

from ..model import Move


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
