"""The result of a saved run, computed again from its rows.

The rows hold states after the rules of the run were applied. So a run can be compared with runs under the same rules, but it
cannot be scored under others.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..core.account import read_account
from ..core.comparison import Resampling
from ..core.open_runs import Run
from ..errors import InputError, NotApplicable
from ..measure import Score
from ..model import Notice
from ..readers.layouts.schema import read_schema
from .diagnosis.suspicions import Finding
from .result import TrackerResult
from .rule_sets.rules import Rules
from .scorer import RowCallback, TrackerScorer
from .scoring import check_tracker, run_dialogues

_EQUAL = 1e-9
"""Two values are equal if they differ by less. The rows of a run are summed in another order than its input."""


class _Manifest(Struct):
    """The fields of a tracker's ``run.json`` that its result needs."""

    rules: Rules
    scores: list[Score]
    warnings: list[Notice] = []
    diagnosis: list[Finding] = []
    intervals: Resampling | None = None


def measures_of_run(folder: str) -> list[str]:
    """Return the measures that a finished run has scores of."""
    run = Run(folder)
    check_tracker(run)
    return list(dict.fromkeys(str(each.get("measure")) for each in run.scores))


def saved_result(
    folder: str,
    measures: Sequence[str] = (),
    resampling: Resampling | None = None,
    schema: str | None = None,
    on_row: RowCallback | None = None,
) -> TrackerResult:
    """Return the result of a finished run: its scores, with the vectors of its rows.

    Args:
        folder: the folder of the run.
        measures: measures of the run (default: all of them that have no group).
        resampling: the level of intervals that the run must have, for a comparison (default: as in the run).
        schema: a schema file.
        on_row: receives every dialogue.

    Raises:
        InputError: the folder holds no finished run of a tracker, or its rows do not give the scores of ``run.json``.
    """
    run = Run(folder)
    check_tracker(run)
    try:
        # The rows already contain the patched gold, and the patch file may no longer exist.
        rules = {**(run.manifest.get("rules") or {}), "patch": ""}
        manifest = msgspec.convert({**run.manifest, "rules": rules}, _Manifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=str(run.path("run.json"))) from None
    recorded = {score.measure: score for score in manifest.scores if not score.group}
    for name in measures:
        if name not in recorded:
            raise InputError(f"the run has no {name}; give the prediction file", file=folder)
    level = manifest.intervals.confidence if manifest.intervals else None
    if resampling is not None and level is not None and level != resampling.confidence:
        message = (
            f"the run has {100 * level:g} % intervals, not {100 * resampling.confidence:g} %; use --set ci={level:g}"
        )
        raise InputError(message, file=folder)
    result = _result_of_rows(run, manifest.rules, [*(measures or recorded)], schema, on_row)
    for score in result.scores:
        expected = recorded[score.measure].value
        if (score.value is None) is not (expected is None) or abs((score.value or 0) - (expected or 0)) > _EQUAL:
            message = (
                f"{score.measure} is {score.value} from the rows, but {expected} in run.json; give the prediction file"
            )
            raise InputError(message, file=folder)
    result.scores = [recorded[score.measure] for score in result.scores]
    result.format = "run"
    result.account = read_account(run.manifest) or result.account
    result.rules = manifest.rules
    result.notices = manifest.warnings
    result.diagnosis = manifest.diagnosis
    result.resampling = manifest.intervals
    return result


def _result_of_rows(
    run: Run, rules: Rules, measures: Sequence[str], schema: str | None, on_row: RowCallback | None
) -> TrackerResult:
    """Score the rows of a run. Its rules have been applied to names and values, but values are still to be matched."""
    plain = {"names": "as-is", "clash": "keep", "only": (), "values": (), "none": (), "dontcare": "keep"}
    applied = replace(rules, **plain, languages="none", map="", state="cumulative")
    scorer = TrackerScorer(measures, applied, read_schema(schema) if schema else None)
    try:
        for each in run_dialogues(run, scorer.vocabulary):
            if scorer.add_pairs(each) and on_row is not None:
                on_row(each, scorer.compared())
        return scorer.result()
    except NotApplicable as error:
        raise InputError(
            f"{error} (the rows of a run do not have it; give the prediction file)", file=str(run.folder)
        ) from None
