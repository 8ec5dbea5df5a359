"""Schema sensitivity: how much a tracker's frames change when only the wording of the schema does (SGD-X).

Lee et al. (2022), SGD-X: A Benchmark for Robust Generalization in Schema-Guided Dialogue Systems, AAAI.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev

from msgspec import Struct
from msgspec.structs import asdict

from ..core.comparability import joint_signature, not_comparable
from ..core.comparison import Resampling
from ..errors import DialmeterError, one_line
from ..measure import Measure
from ..model import dialogue_key
from ..tracking.result import TrackerResult
from ..tracking.vectors.measure_columns import Valued


class SensitiveDialogue(Struct, frozen=True):
    """A dialogue whose frames depend on the wording of the schema.

    Attributes:
        value: the mean over its frames that are scored.
        frames: how many these are.
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
        n: frames that are scored.
        unscored: frames whose mean over variants is 0.
        mean: of the measure over variants.
        original: the measure under the original schema, where it was given.
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


def schema_sensitivity(variants: Sequence[TrackerResult], measure: str = "JointGoalAccuracy") -> Valued:
    """The mean over frames of (sample standard deviation over variants / mean over variants).

    Args:
        variants: the same tracker on the same dialogues under variants of the schema, scored with the measure.
        measure: a measure of frames.

    Returns:
        The sensitivity, 0 for a tracker that does not depend on the wording; frames whose mean is 0 are unscored.

    Raises:
        DialmeterError: fewer than two variants, or variants with other dialogues or frames.
    """
    return _mean(_ratios({f"variant {number}": each for number, each in enumerate(variants, 1)}, measure).values())


def study_sensitivity(
    variants: Mapping[str, TrackerResult],
    original: TrackerResult | None = None,
    resampling: Resampling | None = None,
    most: int = 5,
) -> list[SchemaSensitivity]:
    """The sensitivity under every measure that was asked for, with intervals over dialogues.

    Args:
        variants: by name; the same tracker, measures and rules, each with its own gold and schema.
        original: the tracker under the original schema; it takes no part in the sensitivity.
        resampling: how intervals are made; none without it.
        most: how many of the most sensitive dialogues are listed.

    Raises:
        DialmeterError: as ``schema_sensitivity``, or results that are not comparable.
    """
    named = {**variants, **({"original": original} if original else {})}
    _check(named)
    return [
        _sensitivity(variants, original, place, resampling, most)
        for place in range(len(next(iter(variants.values())).asked))
    ]


def _check(results: Mapping[str, TrackerResult]) -> None:
    """Raises DialmeterError where results differ in more than gold, which has other names in every variant."""
    (first, base), *others = results.items()
    for name, other in others:
        keys, theirs = (set(map(dialogue_key, each.measure_columns.main.dialogues)) for each in (base, other))
        if keys != theirs:
            some = one_line(min(keys ^ theirs), 60)
            raise DialmeterError(
                f"{first} and {name} are not of the same dialogues: {len(keys ^ theirs)} are in one of them only, first {some}"
            )
        for one, two in zip(base.scores, other.scores, strict=True):
            unlike = not_comparable("tracker", one.signature, two.signature, own=("data",))
            if unlike:
                raise DialmeterError(f"{first} and {name} are not comparable under {one.measure}: {unlike}")


def _sensitivity(
    variants: Mapping[str, TrackerResult],
    original: TrackerResult | None,
    place: int,
    resampling: Resampling | None,
    most: int,
) -> SchemaSensitivity:
    scores = [each.scores[place] for each in variants.values()]
    measure = scores[0].measure
    ratios = _ratios(variants, measure)
    found = _mean(ratios.values())
    values = [score.value for score in scores if score.value is not None]
    middle = math.fsum(values) / len(values) if values else None
    before = original.scores[place].value if original else None
    low_high, why = _interval(ratios, len(variants), resampling) if found.n else (None, "")
    name, _, rest = joint_signature([score.signature for score in scores]).partition("|")
    return SchemaSensitivity(
        measure=measure,
        value=found.value,
        ci=low_high,
        n=found.n,
        unscored=found.unscored,
        mean=middle,
        original=before,
        change=middle / before - 1 if before and middle is not None else None,
        dialogues=_most_sensitive(variants, measure, ratios, most),
        signature=f"SchemaSensitivity({name})|variants:{len(variants)}|{rest}",
        ci_reason=why,
        reason="" if found.n else "no frame is right under any variant",
    )


def _ratios(variants: Mapping[str, TrackerResult], measure: str) -> dict[str, list[float | None]]:
    """By key of the dialogue, sorted: of each frame the standard deviation divided by the mean, None where the mean is 0."""
    if len(variants) < 2:
        raise DialmeterError("schema sensitivity needs two variants or more")
    units = {name: _frames(variant, measure) for name, variant in variants.items()}
    first, *others = units
    for name in others:
        if units[name].keys() != units[first].keys():
            raise DialmeterError(f"{first} and {name} are not of the same dialogues")
        for key, frames in units[first].items():
            if len(units[name][key]) != len(frames):
                raise DialmeterError(
                    f"dialogue {one_line(key, 60)} has {len(frames)} frames in {first} and {len(units[name][key])} in {name}"
                )
    return {
        key: [
            stdev(frame) / middle if (middle := mean(frame)) else None
            for frame in zip(*(each[key] for each in units.values()), strict=True)
        ]
        for key in sorted(units[first])
    }


def _mean(ratios: Iterable[Sequence[float | None]]) -> Valued:
    """The mean over frames, those without a ratio aside."""
    every = [ratio for each in ratios for ratio in each]
    known = [ratio for ratio in every if ratio is not None]
    return Valued(math.fsum(known) / len(known) if known else None, len(known), len(every) - len(known))


def _interval(
    ratios: Mapping[str, Sequence[float | None]], variants: int, resampling: Resampling | None
) -> tuple[tuple[float, float] | None, str]:
    """The bootstrap interval over dialogues, or the reason why there is none."""
    from ..stats import Formula, bootstrap

    if resampling is None or len(ratios) < 2:
        return None, "" if resampling is None else "one dialogue"
    rows = [
        (math.fsum(known), len(known)) for known in ([r for r in each if r is not None] for each in ratios.values())
    ]
    # One variant of all that is right gives the square root of their number.
    formula = Formula(lambda sums: sums[..., 0] / sums[..., 1], (0, 1), 0.0, math.sqrt(variants))
    found = bootstrap(rows, {"": formula}, **asdict(resampling))[""]
    return found.ci, found.reason or ""


def _most_sensitive(
    variants: Mapping[str, TrackerResult], measure: str, ratios: Mapping[str, Sequence[float | None]], most: int
) -> list[SensitiveDialogue]:
    means = {name: _by_dialogue(variant, measure) for name, variant in variants.items()}
    names = {dialogue_key(name): name for name in next(iter(variants.values())).measure_columns.main.dialogues}
    found = []
    for key, each in ratios.items():
        mean_ratio = _mean([each])
        if mean_ratio.value:
            of_variants = {name: values[key] for name, values in means.items()}
            found.append(SensitiveDialogue(names[key], mean_ratio.value, mean_ratio.n, of_variants))
    return sorted(found, key=lambda each: (-each.value, each.dialogue))[:most]


def _frames(result: TrackerResult, measure: str) -> dict[str, list[float]]:
    """A measure of every frame, by key of the dialogue."""
    units = result.measure_columns.units(_used(result, measure)).items()
    return {dialogue_key(name): [vector[0] for vector in vectors] for name, vectors in units}


def _by_dialogue(result: TrackerResult, measure: str) -> dict[str, float | None]:
    """A measure of every dialogue, by its key."""
    values = result.measure_columns.per_dialogue(_used(result, measure))
    return dict(zip(map(dialogue_key, result.measure_columns.main.dialogues), values, strict=True))


def _used(result: TrackerResult, measure: str) -> Measure:
    for each in result.asked:
        if each.text == measure and each.used.reads() == "frames":
            return each.used
    raise DialmeterError(f"{measure} is not a measure of frames that was asked for")
