"""Cross evaluation: every user with every system on the same goals, and differences to the first user with the same system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum, inf
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from .._version import __version__
from ..core.account import Account
from ..core.comparison import Resampling
from ..model import Conversation
from ..simulation.outcome import GoalSuccess
from ..simulation.play import Setting
from ..systems.compare import LogComparison, compare_systems
from ..systems.outcome import SystemOutcome, SystemSettings
from ..systems.result import SystemResult
from ..users.outcome import DialogueOutcome
from ..users.result import UserResult
from .act_success import TOWN

if TYPE_CHECKING:
    from ..stats import Comparison, Interval


class CrossMeasure(NamedTuple):
    """One column of the cross evaluation, a ratio of two sums over dialogues."""

    name: str
    title: str
    as_percent: bool = True


MEASURES = (
    CrossMeasure("GoalCompletion", "goals completed"),
    CrossMeasure("BookingRate", "wanted bookings that were made"),
    CrossMeasure("I-GCDF1", "I-GCDF1, constraints told"),
    CrossMeasure("R-GCDF1", "R-GCDF1, requests made"),
    CrossMeasure("Turns", "turns of the user per dialogue", as_percent=False),
)


class CrossCell(Struct, frozen=True):
    """One user with one system.

    Attributes:
        setting: who talked, and how.
        rows: two numbers per measure and dialogue, in the order of the goals; see :func:`row`.
        result: the scores of the user.
        outcomes: what the system reached, in the order of the goals.
        account: how many dialogues were requested and played.
    """

    setting: Setting
    rows: list[tuple[float, ...]]
    result: UserResult
    account: Account
    outcomes: list[SystemOutcome]

    @property
    def user(self) -> str:
        return self.setting.user.text

    @property
    def system(self) -> str:
        return self.setting.system.text


def row(talk: Conversation, scored: DialogueOutcome, found: GoalSuccess) -> tuple[float, ...]:
    """The numbers of a dialogue: for every measure a numerator and a denominator."""
    values = [each.f1 if each is not None else None for each in (scored.combined["I"], scored.combined["R"])]
    parts = [(value or 0.0, float(value is not None)) for value in values]
    turns = (float(len(talk.moves) // 2), 1.0)
    return (float(found.complete), 1.0, *map(float, found.bookings), *parts[0], *parts[1], *turns)


class CrossScore(Struct, frozen=True):
    """One measure of one cell; the difference is to the first user with the same system."""

    measure: CrossMeasure
    user: str
    system: str
    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int
    difference: float | None
    difference_ci: tuple[float, float] | None
    signature: str
    ci_reason: str = ""
    difference_ci_reason: str = ""

    @property
    def stands_out(self) -> bool:
        """Does the interval of the difference exclude zero?"""
        return self.difference_ci is not None and not self.difference_ci[0] <= 0 <= self.difference_ci[1]


def scores(cells: Sequence[CrossCell], how: Resampling | None) -> list[CrossScore]:
    """All measures of all cells, measure by measure."""
    first = {cell.system: cell for cell in reversed(cells)}
    found = [list(_cell_scores(cell, first[cell.system], how)) for cell in cells]
    return [each[place] for place in range(len(MEASURES)) for each in found]


def _cell_scores(cell: CrossCell, base: CrossCell, how: Resampling | None) -> Iterator[CrossScore]:
    from ..stats import bootstrap, paired_bootstrap, ratio

    formulas = {
        # A number of turns has no highest value.
        each.name: replace(ratio(2 * place, 2 * place + 1), high=1.0 if each.as_percent else inf)
        for place, each in enumerate(MEASURES)
    }
    spans: dict[str, Interval] = {}
    apart: dict[str, Comparison] = {}
    if how is not None and len(cell.rows) > 1:
        spans = bootstrap(cell.rows, formulas, **asdict(how))
        apart = paired_bootstrap(base.rows, cell.rows, formulas, **asdict(how)) if cell is not base else {}
    for place, each in enumerate(MEASURES):
        value, before = (_value(one.rows, place) for one in (cell, base))
        span, versus = spans.get(each.name), apart.get(each.name)
        yield CrossScore(
            measure=each,
            user=cell.user,
            system=cell.system,
            value=value,
            ci=span.ci if span else None,
            n=round(fsum(numbers[2 * place + 1] for numbers in cell.rows)),
            unscored=sum(not numbers[2 * place + 1] for numbers in cell.rows),
            difference=value - before if cell is not base and value is not None and before is not None else None,
            difference_ci=versus.ci if versus else None,
            signature=_signature(each.name, cell),
            ci_reason=(span.reason or "") if span else "",
            difference_ci_reason=(versus.reason or "") if versus else "",
        )


def _value(rows: Sequence[tuple[float, ...]], place: int) -> float | None:
    above, below = (fsum(numbers[column] for numbers in rows) for column in (2 * place, 2 * place + 1))
    return above / below if below else None


def _signature(measure: str, cell: CrossCell) -> str:
    setting = cell.setting
    played = (
        f"user:{cell.user}",
        f"system:{cell.system}",
        f"noise:{setting.noise:g}",
        f"turns:{setting.max_turns}",
        f"seed:{setting.seed}",
    )
    counts = (f"d:{cell.result.dialogues}", f"t:{cell.result.turns}", f"data:{cell.result.data}", f"v:{__version__}")
    return "|".join((measure, *played, *cell.result.signed, *cell.account.signed, *counts))


def compared_systems(cells: Sequence[CrossCell], how: Resampling | None) -> dict[str, LogComparison]:
    """The systems with each user, compared within goals, by user.

    Args:
        cells: all of them.
        how: confidence, resamples and seed; the intervals of differences have the default ones without it.
    """
    found: dict[str, dict[str, SystemResult]] = {}
    for cell in cells:
        # The values have their intervals in the scores of the cells.
        found.setdefault(cell.user, {})[cell.system] = SystemResult(SystemSettings(success=TOWN), cell.outcomes)
    return {user: compare_systems(results, how or Resampling()) for user, results in found.items()}


def as_dicts(found: Sequence[CrossScore]) -> list[dict[str, Any]]:
    """The scores as in JSON."""
    return [
        {
            "measure": each.measure.name,
            "value": each.value,
            "ci": list(each.ci) if each.ci else None,
            "n": each.n,
            "unscored": each.unscored,
            "user": each.user,
            "system": each.system,
            "difference": each.difference,
            "difference_ci": list(each.difference_ci) if each.difference_ci else None,
            "signature": each.signature,
            **{name: text for name in ("ci_reason", "difference_ci_reason") if (text := getattr(each, name))},
        }
        for each in found
    ]
