"""Cross evaluation: every user with every system on the same goals, and the differences from the first user with the same system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, inf
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from .._version import __version__
from ..core.account import Account
from ..core.comparison import Resampling
from ..model import Conversation
from ..numeric import np
from ..simulation.outcome import GoalSuccess
from ..simulation.play import Setting
from ..simulation.world import TOWN, load_world
from ..stats.formulas import point, ratio
from ..stats.intervals import Interval
from ..stats.resampling import bootstrap, paired_bootstrap
from ..systems.compare import LogComparison, compare_systems
from ..systems.measures import SystemOutcome, SystemSettings
from ..systems.result import SystemResult
from ..users.events import DialogueOutcome
from ..users.result import UserResult


class CrossMeasure(NamedTuple):
    """One column of the cross evaluation. It is a ratio of two sums over dialogues."""

    name: str
    title: str
    as_percent: bool = True


MEASURES = (
    CrossMeasure("GoalCompletion", "goals completed"),
    CrossMeasure("BookingRate", "bookings of the goal that were made"),
    CrossMeasure("I-GCDF1", "I-GCDF1, constraints given"),
    CrossMeasure("R-GCDF1", "R-GCDF1, requests made"),
    CrossMeasure("Turns", "user turns per dialogue", as_percent=False),
)


class CrossCell(Struct, frozen=True):
    """The dialogues of one user with one system.

    Attributes:
        setting: user, system and settings of the simulation.
        rows: two numbers per measure and dialogue, in the order of the goals; see :func:`row`.
        outcomes: outcomes of the system, in the order of the goals.
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


def row(conversation: Conversation, outcome: DialogueOutcome, success: GoalSuccess) -> tuple[float, ...]:
    """Return the numbers of a dialogue: a numerator and a denominator for every measure."""
    values = [each.f1 if each is not None else None for each in (outcome.combined["I"], outcome.combined["R"])]
    parts = [(value or 0.0, float(value is not None)) for value in values]
    turns = (float(len(conversation.moves) // 2), 1.0)
    return (float(success.complete), 1.0, *map(float, success.bookings), *parts[0], *parts[1], *turns)


class CrossScore(Struct, frozen=True, omit_defaults=True):
    """One measure of one cell. The difference is from the first user with the same system."""

    measure: CrossMeasure
    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int
    user: str
    system: str
    difference: float | None
    difference_ci: tuple[float, float] | None
    signature: str
    ci_reason: str = ""
    difference_ci_reason: str = ""

    @property
    def excludes_zero(self) -> bool:
        """True if the interval of the difference excludes zero."""
        return self.difference_ci is not None and not self.difference_ci[0] <= 0 <= self.difference_ci[1]


def scores(cells: Sequence[CrossCell], resampling: Resampling | None) -> list[CrossScore]:
    """Return all measures of all cells, sorted by measure."""
    first = {cell.system: cell for cell in reversed(cells)}
    by_cell = [_cell_scores(cell, first[cell.system], resampling) for cell in cells]
    return [score for of_measure in zip(*by_cell, strict=True) for score in of_measure]


def _cell_scores(cell: CrossCell, base: CrossCell, resampling: Resampling | None) -> Iterator[CrossScore]:
    formulas = {
        # The number of turns has no maximum.
        each.name: ratio(2 * index, 2 * index + 1, 1.0 if each.as_percent else inf)
        for index, each in enumerate(MEASURES)
    }
    intervals: dict[str, Interval] = {}
    differences: dict[str, Interval] = {}
    if resampling is not None and len(cell.rows) > 1:
        settings = asdict(resampling)
        intervals = bootstrap(cell.rows, formulas, **settings)
        differences = paired_bootstrap(base.rows, cell.rows, formulas, **settings) if cell is not base else {}
    for index, each in enumerate(MEASURES):
        value, before = (point(formulas[each.name], np.array(one.rows)) for one in (cell, base))
        interval, versus = intervals.get(each.name), differences.get(each.name)
        yield CrossScore(
            measure=each,
            user=cell.user,
            system=cell.system,
            value=value,
            ci=interval.ci if interval else None,
            n=round(fsum(numbers[2 * index + 1] for numbers in cell.rows)),
            unscored=sum(not numbers[2 * index + 1] for numbers in cell.rows),
            difference=value - before if cell is not base and value is not None and before is not None else None,
            difference_ci=versus.ci if versus else None,
            signature=_signature(each.name, cell),
            ci_reason=(interval.reason or "") if interval else "",
            difference_ci_reason=(versus.reason or "") if versus else "",
        )


def _signature(measure: str, cell: CrossCell) -> str:
    setting = cell.setting
    simulation = (
        f"user:{cell.user}",
        f"system:{cell.system}",
        f"noise:{setting.noise:g}",
        f"turns:{setting.max_turns}",
        f"seed:{setting.seed}",
        *([] if setting.world == TOWN else [f"world:{load_world(setting.world).label}"]),
    )
    counts = (f"d:{cell.result.dialogues}", f"t:{cell.result.turns}", f"data:{cell.result.data}", f"v:{__version__}")
    return "|".join((measure, *simulation, *cell.result.signed, *cell.account.signed, *counts))


def compare_by_user(cells: Sequence[CrossCell], resampling: Resampling | None) -> dict[str, LogComparison]:
    """Compare the systems for each user, paired by goal.

    Args:
        resampling: confidence level, number of resamples and seed of differences; None for the defaults.
    """
    by_user: dict[str, dict[str, SystemResult]] = {}
    for cell in cells:
        # No intervals here: the scores of the cells have them.
        by_user.setdefault(cell.user, {})[cell.system] = SystemResult(
            SystemSettings(success=load_world(cell.setting.world).label), cell.outcomes
        )
    return {user: compare_systems(results, resampling or Resampling()) for user, results in by_user.items()}


def as_dicts(cross_scores: Sequence[CrossScore]) -> list[dict[str, Any]]:
    """Return the scores as dictionaries for JSON."""
    return [{**to_builtins(each), "measure": each.measure.name} for each in cross_scores]
