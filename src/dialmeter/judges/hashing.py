"""Digests that tell items and cases apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from ..model import Move
from .cases import Case


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
