"""The control attack: the reply is unchanged. The errors of a judge on it are the judge's noise."""

from __future__ import annotations

from . import Attack, Variant

ATTACK = Attack(
    name="identical",
    facet="coherence",
    expected="similar",
    help="Leaves the reply unchanged; a judge that gives it another score is noisy.",
    variants=(Variant("same", lambda snippet, kit: snippet.reply.text, "The reply, unchanged."),),
    control=True,
)
