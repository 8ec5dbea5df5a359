"""A case: a reply in its context, and what an attack made of it."""

from __future__ import annotations

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
