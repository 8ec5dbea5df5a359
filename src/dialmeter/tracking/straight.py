"""The straight way from native lines to tallies, for the rules and measures that most people use.

It is compiled (``kernel.pyx``) and takes what is plain; all else is left to ``prepare`` and ``walk``, which give the same rows.
Where dialmeter was built without a compiler, everything goes that way.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .digest import encode
from .ledger import Ledger
from .prepare import Preparer
from .tally import Lens

if TYPE_CHECKING:
    from ..formats.native import StateDecoder
    from ..normalise import Normaliser
    from .kernel import Learned, Tallied

COMPILED = find_spec(f"{__package__}.kernel") is not None
"""Is the kernel here?"""


def straight_way(preparer: Preparer, ledger: Ledger) -> Straight | None:
    """The straight way, where rules and measures allow it and the kernel is there."""
    rules = preparer.rules
    plain_rules = (rules.state, rules.extra, rules.match, rules.alternatives) == (
        "cumulative",
        "penalise",
        "exact",
        "any-of",
    )
    plain_measures = list(ledger.books) == [Lens("paper", "ignore")] and not ledger.hyphen_cut
    from_tallies = all(measure.reads() == "tally" for measure in ledger.measures)
    return Straight(preparer, ledger) if COMPILED and plain_rules and plain_measures and from_tallies else None


class Straight:
    """Tallies of plain lines.

    Args:
        preparer: holds the rules, and takes the digest and what is noticed.
        ledger: takes the tallies.
    """

    def __init__(self, preparer: Preparer, ledger: Ledger) -> None:
        from .kernel import Kernel

        self._preparer = preparer
        self._book = ledger.main
        # What learns knows nothing of us: a circle would keep the tallies of a span until the garbage is looked for.
        learn = partial(_learned, preparer.decoder, preparer.normaliser)
        self.read = Kernel(learn, encode, self._book.number_of).read

    def add(self, found: Tallied) -> None:
        """Takes a dialogue."""
        self._preparer.take(found)
        self._book.add_numbers(found.id, found.rows)


def _learned(decoder: StateDecoder, normaliser: Normaliser, text: bytes) -> Learned | None:
    """What a pair is; None where the slot is renamed or the value has alternatives."""
    read = decoder.fast(b"{%b}" % text)
    ((slot, value),) = read.items()
    if value in normaliser.clean and decoder.is_named(slot):
        return slot, value, value, value
    if "|" in value or not decoder.is_named(slot):
        return None
    gold, pred = normaliser.gold(read).get(slot), normaliser.pred(read).get(slot)
    assert not isinstance(gold, tuple)
    assert not isinstance(pred, tuple)
    return slot, value, gold, pred
