"""Schema sensitivity: how much a tracker's frames change if only the wording of the schema changes (SGD-X).

Lee et al. (2022), SGD-X: A Benchmark for Robust Generalization in Schema-Guided Dialogue Systems, AAAI.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from statistics import mean, stdev

from msgspec import Struct
from msgspec.structs import asdict

from ..core.comparability import joint_signature, not_comparable
from ..core.comparison import Resampling
from ..errors import DialmeterError, one_line
from ..measure import Measure
from ..model import dialogue_key
from ..stats.formulas import Formula
from ..stats.resampling import bootstrap
from ..tracking.result import TrackerResult
from . import values_by_dialogue


class SensitiveDialogue(Struct, frozen=True):
    """A dialogue whose frames depend on the wording of the schema.

    Attributes:
        value: the mean over its scored frames.
        frames: number of scored frames.
        variants: the measure of the dialogue under each variant.
    """

    dialogue: str
    value: float
    frames: int
    variants: dict[str, float | None]


class SchemaSensitivity(Struct, frozen=True):
    """The sensitivity of a tracker under one measure of frames.

    Attributes:
        value: the mean over frames of (sample standard deviation over variants / mean over variants); 0 for a tracker that
            does not depend on the wording.
        n: number of scored frames.
        unscored: number of frames whose mean over variants is 0.
        mean: mean of the measure over variants.
        original: the measure under the original schema, if it was given.
        change: mean divided by original, minus 1.
        dialogues: the most sensitive dialogues.
    """

    measure: str
    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int
    mean: float | None
    original: float | None
    change: float | None
    dialogues: list[SensitiveDialogue]
    signature: str
    ci_reason: str = ""
    reason: str = ""


def study_sensitivity(
    variants: Mapping[str, TrackerResult],
    original: TrackerResult | None = None,
    resampling: Resampling | None = None,
    most: int = 5,
) -> list[SchemaSensitivity]:
    """Compute the sensitivity under every requested measure, with intervals over dialogues.

    It is the mean over frames of (sample standard deviation over variants / mean over variants): 0 for a tracker that does not
    depend on the wording. Frames whose mean is 0 are unscored.

    Args:
        variants: results by name; the same tracker, measures and rules, each with its own gold and schema.
        original: result under the original schema; it is not part of the sensitivity.
        resampling: settings of intervals; None for no intervals.
        most: maximum number of sensitive dialogues to list.

    Raises:
        DialmeterError: fewer than two variants, variants with other dialogues or frames, or results that are not comparable.
    """
    _check_comparable({**variants, **({"original": original} if original else {})})
    if len(variants) < 2:
        raise DialmeterError("schema sensitivity needs two variants or more")
    return [
        _sensitivity(variants, original, index, resampling, most)
        for index in range(len(next(iter(variants.values())).measures))
    ]


def _check_comparable(results: Mapping[str, TrackerResult]) -> None:
    """Raise DialmeterError if results differ in more than gold, whose names differ between variants."""
    (first, base), *others = results.items()
    for name, other in others:
        keys, theirs = (set(map(dialogue_key, each.measure_columns.main.dialogues)) for each in (base, other))
        if keys != theirs:
            example = one_line(min(keys ^ theirs), 60)
            raise DialmeterError(
                f"{first} and {name} do not have the same dialogues: {len(keys ^ theirs)} are only in one of them, "
                f"first {example}"
            )
        for one, two in zip(base.scores, other.scores, strict=True):
            reason = not_comparable("tracker", one.signature, two.signature, own=("data", "schema"))
            if reason:
                raise DialmeterError(f"{first} and {name} are not comparable under {one.measure}: {reason}")


def _sensitivity(
    variants: Mapping[str, TrackerResult],
    original: TrackerResult | None,
    index: int,
    resampling: Resampling | None,
    most: int,
) -> SchemaSensitivity:
    scores = [each.scores[index] for each in variants.values()]
    measure = scores[0].measure
    ratios, frames = _ratios(variants, measure)
    scored = [ratio for each in ratios.values() for ratio in each]
    values = [score.value for score in scores if score.value is not None]
    average = fsum(values) / len(values) if values else None
    before = original.scores[index].value if original else None
    ci, ci_reason = None, "one dialogue" if scored and resampling else ""
    if scored and resampling and len(ratios) > 1:
        # The maximum is the square root of the number of variants: only one variant is right.
        formula = Formula(lambda sums: sums[..., 0] / sums[..., 1], (0, 1), 0.0, sqrt(len(variants)))
        rows = [(fsum(each), len(each)) for each in ratios.values()]
        interval = bootstrap(rows, {measure: formula}, **asdict(resampling))[measure]
        ci, ci_reason = interval.ci, interval.reason or ""
    name, _, rest = joint_signature([score.signature for score in scores]).partition("|")
    return SchemaSensitivity(
        measure=measure,
        value=fsum(scored) / len(scored) if scored else None,
        ci=ci,
        n=len(scored),
        unscored=frames - len(scored),
        mean=average,
        original=before,
        change=average / before - 1 if before and average is not None else None,
        dialogues=_most_sensitive(variants, measure, ratios)[:most],
        signature=f"SchemaSensitivity({name})|variants:{len(variants)}|{rest}",
        ci_reason=ci_reason,
        reason="" if scored else "no frame is right under any variant",
    )


def _ratios(variants: Mapping[str, TrackerResult], measure: str) -> tuple[dict[str, list[float]], int]:
    """Return the number of frames and, by sorted key of the dialogue, the standard deviation divided by the mean of each frame.

    Frames whose mean is 0 have no ratio.
    """
    units = {
        variant: {
            dialogue_key(name): [vector[0] for vector in vectors]
            for name, vectors in result.measure_columns.units(_frame_measure(result, measure)).items()
        }
        for variant, result in variants.items()
    }
    first, *others = units
    for name in others:
        for key, frames in units[first].items():
            other = units[name].get(key, [])
            if len(other) != len(frames):
                raise DialmeterError(
                    f"dialogue {one_line(key, 60)} has {len(frames)} frames in {first} and {len(other)} in {name}"
                )
    ratios = {
        key: [
            stdev(frame) / average
            for frame in zip(*(each[key] for each in units.values()), strict=True)
            if (average := mean(frame))
        ]
        for key in sorted(units[first])
    }
    return ratios, sum(map(len, units[first].values()))


def _most_sensitive(
    variants: Mapping[str, TrackerResult], measure: str, ratios: Mapping[str, Sequence[float]]
) -> list[SensitiveDialogue]:
    values = {name: values_by_dialogue(each, _frame_measure(each, measure)) for name, each in variants.items()}
    names = {dialogue_key(name): name for name in next(iter(variants.values())).measure_columns.main.dialogues}
    dialogues = [
        SensitiveDialogue(
            names[key], fsum(each) / len(each), len(each), {name: column[key] for name, column in values.items()}
        )
        for key, each in ratios.items()
        if any(each)
    ]
    return sorted(dialogues, key=lambda each: (-each.value, each.dialogue))


def _frame_measure(result: TrackerResult, measure: str) -> Measure:
    for each in result.measures:
        if each.text == measure and each.used.reads() == "frames":
            return each.used
    raise DialmeterError(f"{measure} is not one of the requested measures of frames")
