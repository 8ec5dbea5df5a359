"""The strictness of a turn with an older mistake, for measures that treat domains differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError
from ..pairs import PairRules
from ..tally import CORRECT, OTHER_DOMAINS, Row, Tally
from ..walk import Walk

_WIDTH = len(Tally._fields) - 1
_SINCE = Tally._fields.index("since")


def with_strictness(
    rows: Sequence[Row], details: Sequence[Any], walk: Walk, pairs: PairRules, places: Mapping[str, int]
) -> list[Row]:
    """Add to the tallies of a dialogue the strictness of the strictest wrong domain.

    Args:
        rows: the rows from ``Walk.rows``.
        details: the details of the slots of every turn from ``Walk.rows``.
        walk: the walk that made them.
        pairs: the tables with the names of domains.
        places: the strictness of each domain, 0 for the strictest; ``other`` is for the domains that are not listed.

    Raises:
        InputError: a state holds a domain without a strictness.
    """
    result = []
    for row, slots, number in zip(rows, details, walk.numbers, strict=True):
        wrong = []
        for slot, kind, *_ in slots:
            domain = pairs.domain_names[pairs.domains[slot]]
            place = places.get(domain, places.get(OTHER_DOMAINS))
            if place is None:
                raise InputError(
                    f"lam has no lambda for the domain {domain!r}; add it, or add {OTHER_DOMAINS} for all other domains",
                    dialogue=walk.id,
                    turn=number,
                    slot=pairs.slot_names[slot],
                )
            if kind > CORRECT:
                wrong.append(place)
        strictest = min(wrong) if wrong and row[_SINCE] else -1
        result.append((*row, *(-1 for _ in range(_WIDTH - len(row))), strictest))
    return result
