"""Which domain decides how strictly an older mistake counts, where a measure treats domains differently."""

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
    """The tallies of a dialogue with the place of the strictest domain that is wrong.

    Args:
        rows: of ``Walk.rows``.
        details: what ``Walk.rows`` says of the slots of every turn.
        walk: the walk that made them.
        pairs: the names of domains.
        places: of domains, 0 for the strictest; ``other`` is for those that are not named.

    Raises:
        InputError: a state holds a domain that has no place.
    """
    found = []
    for row, slots, number in zip(rows, details, walk.numbers, strict=True):
        wrong = []
        for slot, kind, *_ in slots:
            domain = pairs.domain_names[pairs.domains[slot]]
            place = places.get(domain, places.get(OTHER_DOMAINS))
            if place is None:
                raise InputError(
                    f"lam names no lambda for the domain {domain!r}; add it, or {OTHER_DOMAINS} for all that are not named",
                    dialogue=walk.id,
                    turn=number,
                    slot=pairs.slot_names[slot],
                )
            if kind > CORRECT:
                wrong.append(place)
        strictest = min(wrong) if wrong and row[_SINCE] else -1
        found.append((*row, *(-1 for _ in range(_WIDTH - len(row))), strictest))
    return found
