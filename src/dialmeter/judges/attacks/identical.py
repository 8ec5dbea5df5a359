"""The control: the unchanged reply. Errors of a judge here are its noise."""

from __future__ import annotations

from . import Attack, Variant

ATTACK = Attack(
    name="identical",
    facet="coherence",
    expected="similar",
    help="Leaves the reply as it is; a judge that scores it otherwise is noisy by itself.",
    variants=(Variant("same", lambda snippet, kit: snippet.reply.text, "The reply, unchanged."),),
    control=True,
)
