"""Flexible Goal Accuracy, and its limit for lam = infinity: the share of exact or locally right turns."""

import math
import re
from collections.abc import Mapping
from typing import cast

from msgspec.structs import force_setattr

from ...measure import Measure, Vector
from ..tally import NEVER, OTHER_DOMAINS, Alternatives, Local, Tally, TallyVariant

_DOMAIN = re.compile(r"[^\s{}(),:=|'\"]+( [^\s{}(),:=|'\"]+)*")


class DomainLambdas(dict[str, float]):
    """Domains with their lambdas; ``other`` is for the domains that are not listed. It must not be changed.

    Raises:
        ValueError: there is no domain, or a name cannot be written in a measure.

    Example:
        >>> DomainLambdas({"other": 0.5, "train": 0}).levels
        (0.0, 0.5)
    """

    def __init__(self, lams: Mapping[str, float]) -> None:
        if not lams:
            raise ValueError("lam has no domain; write it like {train: 0, hotel: 0.5}")
        for name in lams:
            if not name.isprintable() or not _DOMAIN.fullmatch(name):
                raise ValueError(
                    f"{name!r} cannot be a domain in lam: it holds characters of the syntax of measures, or blanks at its ends"
                )
        named = sorted(lams, key=lambda name: (name == OTHER_DOMAINS, name))
        super().__init__({name: float(lams[name]) for name in named})
        self.levels = tuple(sorted(set(self.values())))
        """The distinct lambdas, the strictest first."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def places(self) -> tuple[tuple[str, int], ...]:
        """Return for each domain the index of its lambda in ``levels``."""
        return tuple((name, self.levels.index(lam)) for name, lam in self.items())


class FGA(Measure, frozen=True, kw_only=True):
    """JGA with partial credit for a turn that is wrong only by an older mistake: the older the mistake, the more credit.

    If gold goes from ``x|y`` to ``x``, it has not changed (``alternatives=overlap``). A prediction that stays at ``y`` is then
    wrong for JGA. But with ``local=paper`` the turn does not have its own mistake, so FGA is 1 there if no mistake came before. With
    ``alternatives=strict`` gold has changed, and FGA is 0 at that turn.

    ``lam`` can have one lambda per domain, because a wrong train may matter more than a wrong museum:
    ``FGA(lam={train: 0, other: 0.5})``. A turn that is wrong by an older mistake uses the lambda of the domain in which its
    state is wrong. If it is wrong in several domains, the smallest of their lambdas counts. Turns are counted since the last
    mistake in any domain, as with a single lambda; therefore equal lambdas give exactly the same value as a single one.
    ``other`` is for all domains that are not listed; without it, a domain that is not listed is an error.
    """

    title = "Flexible Goal Accuracy"
    formula = "mean over turns of 1 if G = P, 0 if the turn has its own mistake, else 1 - exp(-lam · turns since the last mistake)"
    cite = ("dey-2022",)

    lam: float | Mapping[str, float]
    """The speed at which a mistake is forgotten: 0 gives JGA, inf the share of local matches. Or a mapping with one lambda per
    domain: {train: 0, other: 0.5}."""
    local: Local = "paper"
    """The definition of a locally right turn: ``paper`` as in Algorithm 1; ``code``: never directly after an exact turn;
    ``vector``: if the same slots are wrong as at the previous turn."""
    alternatives: Alternatives = "overlap"
    """If the new gold value shares an alternative with the old one, gold has not changed (``overlap``) or has changed
    (``strict``)."""

    def __post_init__(self) -> None:
        if isinstance(self.lam, Mapping):
            force_setattr(self, "lam", DomainLambdas(self.lam))
        if not all(lam >= 0 for lam in (self.lam.values() if isinstance(self.lam, Mapping) else [self.lam])):
            raise ValueError("lam must be at least 0")

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains in ``lam``; empty if it is one number."""
        return tuple(self.lam) if isinstance(self.lam, Mapping) else ()

    def tally_variant(self) -> TallyVariant:
        places = self.lam.places() if isinstance(self.lam, DomainLambdas) else ()
        return TallyVariant(local=self.local, alternatives=self.alternatives, strictness=places)

    def from_tally(self, tally: Tally) -> Vector:
        lam = self.lam.levels[tally.strictness] if isinstance(self.lam, DomainLambdas) else cast(float, self.lam)
        if tally.since == NEVER:
            # At lam = 0 the measure is JGA by definition, even if a turn is wrong and no turn up to it has its own mistake.
            return (tally.exact if lam == 0 else 1, 1)
        # 0 · inf is NaN, so a turn with its own mistake is handled separately.
        return (-math.expm1(-lam * tally.since) if tally.since else 0, 1)

    def forgives_wholly(self, tally: Tally) -> bool:
        """Does a wrong turn count 1 because no turn up to it has its own mistake?"""
        return tally.since == NEVER and not tally.exact and self.from_tally(tally)[0] == 1


def lam_for(forgotten: float, turns: float) -> float:
    """Return the lambda that forgets a given share of a mistake in a given number of turns.

    Example:
        >>> round(lam_for(0.95, 6), 3)
        0.499
    """
    if not 0 < forgotten < 1 or turns <= 0:
        raise ValueError("forgotten must be between 0 and 1, and turns must be above 0")
    return -math.log1p(-forgotten) / turns


class LocalAccuracy(Measure, frozen=True, kw_only=True):
    """The share of turns that are exact or locally right, the FGA paper's turn-level match."""

    title = "Turn-level matches"
    formula = "mean over turns of [G = P, or the mistake is older]"
    cite = ("dey-2022",)

    local: Local = "paper"
    """The definition of a locally right turn, as in FGA."""
    alternatives: Alternatives = "overlap"
    """Whether gold has changed if its new value shares an alternative with the old one, as in FGA."""

    def tally_variant(self) -> TallyVariant:
        return TallyVariant(local=self.local, alternatives=self.alternatives)

    def from_tally(self, tally: Tally) -> Vector:
        return (tally.local, 1)
