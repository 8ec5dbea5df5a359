"""Schema sensitivity with gold, schema and predictions of every variant."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from dialmeter import DialmeterError
from dialmeter.core.comparison import Resampling
from dialmeter.studies.sensitivity import study_sensitivity
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scoring import score_file

from .variants import Wrong, small_corpus, write_variants

NAMES = ("v1", "v2", "v3")
RESAMPLING = Resampling(resamples=200)


def scored(
    tmp_path: Path, wrong: Wrong, names: tuple[str, ...] = NAMES, dialogues: int = 6
) -> dict[str, TrackerResult]:
    folders = write_variants(tmp_path, *small_corpus(dialogues), names, wrong)
    return {
        name: score_file(
            pred, gold, measures=["JointGoalAccuracy", "AverageGoalAccuracy"], rules="sgd", resampling=RESAMPLING
        )
        for name, (pred, gold) in folders.items()
    }


def test_by_hand(tmp_path: Path) -> None:
    """Under v1 the first turn of dialogue 0 is wrong: values 0, 1, 1; all other frames are right."""
    results = scored(tmp_path, lambda variant, number, place: (variant, number, place) == ("v1", 0, 0))
    joint, average = study_sensitivity(results, resampling=RESAMPLING)
    one = math.sqrt(((0 - 2 / 3) ** 2 + 2 * (1 - 2 / 3) ** 2) / 2) / (2 / 3)
    assert joint.value == pytest.approx(one / 12)
    assert (joint.n, joint.unscored) == (12, 0)
    assert joint.mean == pytest.approx((11 / 12 + 1 + 1) / 3)
    assert joint.ci is not None
    assert joint.ci[0] <= joint.value <= joint.ci[1]
    [dialogue] = joint.dialogues
    assert (dialogue.dialogue, dialogue.frames) == ("1_00000", 2)
    assert dialogue.value == pytest.approx(one / 2)
    assert dialogue.variants == {"v1": 0.5, "v2": 1.0, "v3": 1.0}
    assert joint.signature.startswith("SchemaSensitivity(JointGoalAccuracy)|variants:3|rules:sgd|")
    assert average.value == pytest.approx(joint.value)


def test_names_alone_change_nothing(tmp_path: Path) -> None:
    results = scored(tmp_path, lambda variant, number, place: (number, place) == (0, 0))
    for found in study_sensitivity(results, resampling=RESAMPLING):
        assert (found.value, found.dialogues) == (0, [])
    joint, _ = study_sensitivity(results)
    assert (joint.n, joint.unscored) == (11, 1)
    assert joint.ci is None


def test_order_does_not_matter(tmp_path: Path) -> None:
    results = scored(tmp_path, lambda variant, number, place: (variant == "v1") == (number < 2))
    one, _ = study_sensitivity(results, resampling=RESAMPLING)
    other, _ = study_sensitivity(dict(reversed(results.items())), resampling=RESAMPLING)
    assert (one.value, one.ci, one.n) == (other.value, other.ci, other.n)


def test_right_under_one_variant_only(tmp_path: Path) -> None:
    """The standard deviation is then the mean times the square root of the number of variants."""
    results = scored(tmp_path, lambda variant, number, place: variant != "v2")
    joint, _ = study_sensitivity(results)
    assert joint.value == pytest.approx(math.sqrt(3))
    assert joint.mean == pytest.approx(1 / 3)


def test_against_the_original(tmp_path: Path) -> None:
    results = scored(tmp_path, lambda variant, number, place: variant == "v3" and number < 3)
    original = results.pop("v1")
    joint, _ = study_sensitivity(results, original)
    assert joint.original == 1
    assert joint.mean == pytest.approx(0.75)
    assert joint.change == pytest.approx(-0.25)
    assert "|variants:2|" in joint.signature


def test_never_right(tmp_path: Path) -> None:
    joint, _ = study_sensitivity(scored(tmp_path, lambda *_: True), resampling=RESAMPLING)
    assert (joint.value, joint.ci, joint.n, joint.unscored) == (None, None, 0, 12)
    assert joint.reason == "no frame is right under any variant"


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    whole = scored(tmp_path / "whole", lambda *_: False)
    fewer = scored(tmp_path / "fewer", lambda *_: False, ("v1",), dialogues=5)
    with pytest.raises(
        DialmeterError, match="v2 and v1 do not have the same dialogues: 1 are only in one of them, first 1_00005"
    ):
        study_sensitivity({"v2": whole["v2"], "v1": fewer["v1"]})
    with pytest.raises(DialmeterError, match="two variants or more"):
        study_sensitivity({"v1": whole["v1"]})
    other = score_file(*(str(tmp_path / "whole" / side / "v1") for side in ("pred", "gold")), measures=["JGA"])
    with pytest.raises(DialmeterError, match="JGA is not one of the requested measures of frames"):
        study_sensitivity({"v1": other, "v2": other})


def test_real_dialogues_with_made_up_names(tmp_path: Path, shared: Path) -> None:
    folder = shared / "data/tracking/sgd"
    dialogues = json.loads(gzip.decompress((folder / "dialogues_001.json.gz").read_bytes()))[:8]
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    names = ("v1", "v2", "v3", "v4", "v5")
    wrong = {"v4": 3, "v5": 2}

    def is_wrong(variant: str, number: int, place: int) -> bool:
        return variant in wrong and number % wrong[variant] == 0 and place == 2

    folders = write_variants(tmp_path, dialogues, schema, names, is_wrong)
    measures = ["JointGoalAccuracy", "AverageGoalAccuracy"]
    results = {name: score_file(pred, gold, measures=measures, rules="sgd") for name, (pred, gold) in folders.items()}
    assert [results[name].value for name in ("v1", "v2", "v3")] == [1, 1, 1]
    joint, average = study_sensitivity(results)
    for found in (joint, average):
        assert found.value is not None
        assert 0 < found.value < 1
        assert found.dialogues
        assert all(each.variants["v1"] == 1 for each in found.dialogues)
    assert joint.n + joint.unscored == results["v1"].scores[0].n
    # Frames without an active slot have no average.
    assert average.n == results["v1"].scores[1].n < joint.n
