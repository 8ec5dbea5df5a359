"""A case: a reply in its context, and what an attack made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from ..model import Move


class Place(Struct, frozen=True):
    """Where a case comes from."""

    dialogue: str
    turn: int


class Case(Struct, frozen=True, omit_defaults=True):
    """One attacked reply. The context is shared by both replies.

    Attributes:
        attack: the name of the attack.
        variant: which way of it.
        context: what was said before, at least one move.
        reply: the last move of the snippet, as a person said it.
        speaker: who says the reply.
        adversarial: what the attack made of it.
        expected: ``lower``, ``similar`` or ``at-most``: what an ideal judge does with the adversarial reply.
        facet: ``coherence``, ``naturalness`` or ``interest``.
        spans: the parts of the adversarial reply that differ, as (start, end).
        resources: what the attack used (a pipeline, a lexicon), by name.
        source: the dialogue and the place of the reply in it.
        seed: of the random choices.
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


def item_hash(context: Sequence[Move], reply: str) -> str:
    """The digest of a reply in its context: who said what, and nothing else.

    Example:
        >>> item_hash((Move("user", "hello"),), "hi")[:12]
        '244581b7d6e7'
    """
    told = [[[move.speaker, move.text] for move in context], reply]
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:32]


def case_id(case: Case) -> str:
    """A short name for a case that does not depend on its place in a file.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case_id(Case("speaker", "", (Move("user", "hello"),), "hi", "hello hi", "lower", "coherence", Place("d1", 1)))
        'd1:1:speaker:108358'
    """
    told = [case.variant, [[move.speaker, move.text] for move in case.context], case.reply, case.adversarial]
    digest = hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:6]
    return f"{case.source.dialogue}:{case.source.turn}:{case.attack}:{digest}"


def cases_digest(cases: Iterable[Case]) -> str:
    """Ten digits that stand for a set of cases, whatever their order.

    Example:
        >>> cases_digest([])
        'e3b0c44298'
    """
    digest = hashlib.sha256()
    for each in sorted(msgspec.json.encode(case) for case in cases):
        digest.update(each + b"\n")
    return digest.hexdigest()[:10]


class Pair(Struct, frozen=True):
    """Two replies to the same context, the better one first."""

    context: tuple[Move, ...]
    chosen: str
    rejected: str
    attack: str
    speaker: str = ""


def pairs(cases: Iterable[Case]) -> Iterator[Pair]:
    """The pairs of those attacks that make a reply worse; where the two may be as good, nobody prefers either.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case = Case("repetition", "word", (Move("a", "Hi"),), "Hello you", "Hello Hello you", "lower", "naturalness", Place("d", 1))
        >>> [(pair.chosen, pair.rejected) for pair in pairs([case])]
        [('Hello you', 'Hello Hello you')]
    """
    for case in cases:
        if case.expected == "lower":
            yield Pair(case.context, case.reply, case.adversarial, case.attack, case.speaker)
