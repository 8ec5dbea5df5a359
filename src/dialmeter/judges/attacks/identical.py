"""The control: the reply as it is. What a judge gets wrong here is its own noise."""

from __future__ import annotations

from ..corpus_pool import Snippet
from . import Attack, Kit, Variant


def _same(snippet: Snippet, kit: Kit) -> str:
    return snippet.reply.text


ATTACK = Attack(
    name="identical",
    facet="coherence",
    expected="similar",
    help="Leaves the reply as it is; a judge that scores it otherwise is noisy by itself.",
    variants=(Variant("same", _same, "The reply, unchanged."),),
    control=True,
)
