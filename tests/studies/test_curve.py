"""Few-shot curves and zero-shot tables, compared with independent computations."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dialmeter.core.comparison import Resampling
from dialmeter.errors import DialmeterError, InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.studies.curve import Curve, CurveFile, Series, draw_curve, entries_of, from_name
from dialmeter.tracking.scoring import score_file

from ..shared_data import shared
from .few_shots import RATIOS, SEEDS, few_shot_folder, gold, predicted, write, zero_shot_folder

RESAMPLING = Resampling(resamples=200)
MEASURES = ["JGA", "FGA(lam=0.5)", "GCA"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return few_shot_folder(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def curve(folder: Path) -> Curve:
    return draw_curve(entries_of([str(folder)])[0], measures=MEASURES, resampling=RESAMPLING)


def value(folder: Path, ratio: float, seed: int, measure: str) -> float:
    result = score_file(str(folder / f"ratio_{ratio:g}_seed_{seed}_prediction.json"), measures=[measure])
    assert result.value is not None
    return result.value


def test_a_point_is_the_mean_over_seeds_with_students_interval(folder: Path, curve: Curve) -> None:
    assert [(point.measure, point.ratio) for point in curve.points] == [(m, r) for m in MEASURES for r in RATIOS]
    for point in curve.points:
        found = [value(folder, point.ratio or 0, seed, point.measure) for seed in SEEDS]
        low, high = stats.t.interval(0.95, len(found) - 1, np.mean(found), stats.sem(found))
        assert point.seeds == tuple(map(str, SEEDS))
        assert point.value.value == pytest.approx(np.mean(found))
        assert point.value.seeds == pytest.approx((low, high))


def test_differences_are_taken_file_by_file(folder: Path, curve: Curve) -> None:
    point = next(each for each in curve.points if (each.measure, each.ratio) == ("JGA", 0.1))
    apart = [value(folder, 0.1, seed, "JGA") - value(folder, 0.1, seed, "GCA") for seed in SEEDS]
    low, high = stats.t.interval(0.95, 2, np.mean(apart), stats.sem(apart))
    assert point.difference is not None
    assert point.difference.value == pytest.approx(np.mean(apart))
    assert point.difference.seeds == pytest.approx((low, high))
    assert point.distance is not None
    assert point.distance.value == pytest.approx(np.mean(np.abs(apart)))
    assert all(each.difference is None for each in curve.points if each.measure == "GCA")


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_a_trend_is_the_regression_through_all_files(folder: Path, scale: str) -> None:
    found = draw_curve(entries_of([str(folder)])[0], measures=["JGA", "GCA"], scale=scale, resampling=RESAMPLING)  # type: ignore[arg-type]
    x = [math.log10(ratio) if scale == "log" else ratio for ratio in RATIOS for _ in SEEDS]
    jga = np.array([value(folder, ratio, seed, "JGA") for ratio in RATIOS for seed in SEEDS])
    gca = np.array([value(folder, ratio, seed, "GCA") for ratio in RATIOS for seed in SEEDS])
    for kind, y in (("value", jga), ("difference", jga - gca), ("distance", np.abs(jga - gca))):
        trend = next(each for each in found.trends if (each.measure, each.of) == ("JGA", kind))
        line = stats.linregress(x, y)
        half = stats.t.ppf(0.975, len(x) - 2) * line.stderr
        assert trend.slope.value == pytest.approx(line.slope)
        assert trend.slope.seeds == pytest.approx((line.slope - half, line.slope + half))
    assert next(each for each in found.trends if (each.measure, each.of) == ("JGA", "value")).verdict == "grows"


def test_the_interval_over_dialogues_of_one_seed_is_that_of_tracker_score(folder: Path) -> None:
    entries = [entry for entry in entries_of([str(folder)])[0] if entry.seed == "11"]
    found = draw_curve(entries, measures=MEASURES, resampling=RESAMPLING)
    for point in found.points:
        path = folder / f"ratio_{point.ratio:g}_seed_11_prediction.json"
        score = score_file(str(path), measures=[point.measure], resampling=RESAMPLING).scores[0]
        assert point.value.dialogues == pytest.approx(score.ci)
        assert point.value.seeds is None
        assert point.value.reason == "only one seed"
    assert [notice.code for notice in found.notices if notice.code == "one-seed"]


def test_the_same_dialogues_are_drawn_for_every_seed(tmp_path: Path) -> None:
    """Two equal files: if they were drawn independently, their mean would vary less than either."""
    document = predicted(gold(), 0.4, 1)
    for ratio, seed in ((0.1, 1), (0.1, 2), (0.5, 1)):
        write(tmp_path / f"ratio_{ratio}_seed_{seed}.json", document)
    found = draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA", "GCA"], resampling=RESAMPLING)
    twice, once = (each.value for each in found.points if each.measure == "JGA")
    assert twice.dialogues == pytest.approx(once.dialogues)
    for trend in found.trends:
        assert trend.slope.dialogues is None
        assert "all resamples have the same value" in trend.slope.reason
        assert trend.verdict == "unclear"


def test_by_domain_mean_and_pooled(tmp_path: Path) -> None:
    zero_shot_folder(tmp_path)
    found = draw_curve(entries_of([str(tmp_path)])[0], measures=MEASURES, resampling=RESAMPLING)
    assert not found.points
    assert not found.trends
    [table] = found.tables
    assert table.domains == {"hotel": 25, "taxi": 8}
    merged = {}
    for path in sorted(tmp_path.iterdir()):
        merged |= {f"{path.stem}-{name}": turns for name, turns in json.loads(path.read_text()).items()}
    whole = score_file(str(write(tmp_path / "all" / "all.json", merged)), measures=MEASURES)
    for row, score in zip(table.rows, whole.scores, strict=True):
        each = [estimate.value or 0 for estimate in row.domains.values()]
        assert row.mean.value == pytest.approx(sum(each) / 2)
        assert row.pooled.value == pytest.approx(score.value)
        assert row.mean.dialogues is not None
        assert row.mean.dialogues[0] < row.mean.value < row.mean.dialogues[1]
        assert row.pooled.dialogues is not None
        assert row.pooled.dialogues[0] < (row.pooled.value or 0) < row.pooled.dialogues[1]


def test_by_domain_over_seeds(tmp_path: Path) -> None:
    zero_shot_folder(tmp_path, seeds=(1, 2, 3))
    [table] = draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA"], resampling=RESAMPLING).tables
    row = table.rows[0]
    results = {
        (domain, seed): score_file(
            str(tmp_path / f"T5_result_zeroshot_{domain}_seed_{seed}.json"), measures=["JGA"]
        ).value
        for domain in ("hotel", "taxi")
        for seed in (1, 2, 3)
    }
    means = [((results["hotel", seed] or 0) + (results["taxi", seed] or 0)) / 2 for seed in (1, 2, 3)]
    assert row.mean.value == pytest.approx(np.mean(means))
    assert row.mean.seeds == pytest.approx(stats.t.interval(0.95, 2, np.mean(means), stats.sem(means)))
    assert row.pooled.n == 3
    (tmp_path / "T5_result_zeroshot_taxi_seed_3.json").unlink()
    [table] = draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA"], resampling=RESAMPLING).tables
    row = table.rows[0]
    domains = [
        np.mean([results[domain, seed] for seed in seeds]) for domain, seeds in (("hotel", (1, 2, 3)), ("taxi", (1, 2)))
    ]
    assert row.mean.value == pytest.approx(np.mean(domains))
    assert row.mean.dialogues is not None
    assert (row.pooled.value, row.pooled.reason) == (None, "domains have different seeds")


def test_the_published_zero_shot_files(tmp_path: Path) -> None:
    for name in ("attraction", "rest"):
        source = shared("data", "tracking", "nested", f"T5__T5_result_zeroshot_{name}.json")
        (tmp_path / f"T5_result_zeroshot_{name}.json").symlink_to(source)
    [table] = draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA", "GCA"], rules="gca-repo").tables
    rows = {row.measure: row for row in table.rows}
    assert {name: round(100 * (each.value or 0), 2) for name, each in rows["GCA"].domains.items()} == {
        "attraction": 33.11,
        "rest": 59.75,
    }
    assert 100 * (rows["JGA"].mean.value or 0) == pytest.approx((33.47 + 24.89) / 2, abs=0.006)
    assert 100 * (rows["JGA"].pooled.value or 0) == pytest.approx(100 * (1041 + 836) / (3110 + 3359), abs=1e-9)


def test_unequal_dialogues_are_cut_to_those_in_common(folder: Path, tmp_path: Path) -> None:
    few_shot_folder(tmp_path, ratios=(0.1, 0.5), seeds=(11, 23))
    path = tmp_path / "ratio_0.1_seed_11_prediction.json"
    document = json.loads(path.read_text())
    del document["MUL0003.json"], document["MUL0007.json"]
    path.write_text(json.dumps(document))
    found = draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA"], resampling=RESAMPLING)
    [notice] = [each for each in found.notices if each.code == "unequal-dialogues"]
    assert notice.where == ("mul0003", "mul0007")
    assert {each.result.dialogues for each in found.files} == {23}
    only = frozenset(found.files[0].keys)
    whole = score_file(str(tmp_path / "ratio_0.5_seed_23_prediction.json"), measures=["JGA"], only=only)
    assert found.files[-1].values["JGA"] == whole.value


def test_other_gold_and_nothing_in_common_are_refused(tmp_path: Path) -> None:
    few_shot_folder(tmp_path, ratios=(0.1,), seeds=(1,))
    other = predicted(gold(), 0.2, 1)
    other["MUL0000.json"]["0"]["gt"] = {"hotel": {"area": "elsewhere"}}
    path = write(tmp_path / "ratio_0.5_seed_1.json", other)
    with pytest.raises(DialmeterError, match="different gold for the same dialogues"):
        draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA"])
    write(path, {f"x{name}": turns for name, turns in other.items()})
    with pytest.raises(DialmeterError, match="no dialogue in common"):
        draw_curve(entries_of([str(tmp_path)])[0], measures=["JGA"])


def test_one_ratio_ratio_zero_and_few_dialogues(tmp_path: Path) -> None:
    one = few_shot_folder(tmp_path / "one", ratios=(0.1,))
    found = draw_curve(entries_of([str(one)])[0], measures=["JGA"], resampling=RESAMPLING)
    assert not found.trends
    assert "one-ratio" in [notice.code for notice in found.notices]
    few_shot_folder(one, ratios=(0.0, 0.5), seeds=(11,))
    found = draw_curve(entries_of([str(one)])[0], measures=["JGA"], resampling=RESAMPLING)
    assert [notice.count for notice in found.notices if notice.code == "ratio-zero"] == [1]
    assert [trend.slope.n for trend in found.trends if trend.of == "value"] == [4, 4]
    small = tmp_path / "small"
    for ratio in (0.1, 0.5):
        write(small / f"ratio_{ratio}.json", predicted(gold(1), 0.5, ratio))
    found = draw_curve(entries_of([str(small)])[0], measures=["JGA"], resampling=RESAMPLING)
    assert {point.value.dialogues for point in found.points} == {None}
    assert "1 dialogue: no intervals over dialogues" in [notice.message for notice in found.notices]


def test_without_intervals_and_with_another_reference(folder: Path) -> None:
    entries = entries_of([str(folder)])[0]
    found = draw_curve(entries, measures=["JGA", "FGA(lam=0)"], reference="FGA(lam=0)")
    assert found.reference == "FGA(lam=0)"
    assert {(each.value.seeds, each.value.dialogues) for each in found.points} == {(None, None)}
    assert {each.difference.value for each in found.points if each.difference} == {0.0}
    slots = {slot for each in open_corpus(entries[0].path) for turn in each.turns for slot in (turn.gold or {})}
    schema = folder.parent / "slots.json"
    schema.write_text(json.dumps(sorted(slots)))
    plain = draw_curve(entries, rules="sgd", schema=str(schema))
    assert plain.reference is None
    assert "no-reference" in [notice.code for notice in plain.notices]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("ratio_0.05_seed_557_prediction.json", (0.05, "557", None)),
        ("mwoz-ratio-1-seed-3.jsonl.gz", (1.0, "3", None)),
        ("ratio_5e-3.json", (0.005, None, None)),
        ("T5__T5_result_zeroshot_attraction.json", (0.0, None, "attraction")),
        ("zero-shot_Taxi_seed_4.json", (0.0, "4", "taxi")),
        ("ratio_0.1_zeroshot_taxi.json", (0.1, None, "taxi")),
        ("zero_shot_result.json", None),
        ("zeroshot_seed_3.json", None),
        ("poc__zero_shot_result1.json", None),
        ("ratio_.json", None),
        ("ratio_0.05x.json", None),
        ("generation_5.json", None),
        ("notes.txt", None),
    ],
)
def test_names(name: str, found: tuple[float, str | None, str | None] | None) -> None:
    entry = from_name(name)
    assert (entry and entry[1:]) == found


def test_files_that_do_not_fit_are_listed(folder: Path, tmp_path: Path) -> None:
    few_shot_folder(tmp_path, seeds=(1,))
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "gold.json").write_text("{}")
    (tmp_path / "old").mkdir()
    entries, [notice] = entries_of([str(tmp_path)], beside=[str(tmp_path / "gold.json")])
    assert [entry.ratio for entry in entries] == list(RATIOS)
    assert notice.where == ("notes.txt", "old")
    with pytest.raises(DialmeterError, match=r"no file is named like ratio_0\.05_seed_557_prediction\.json"):
        entries_of([str(tmp_path / "old")])
    with pytest.raises(DialmeterError, match="no such folder"):
        entries_of([str(tmp_path / "new")])
    write(tmp_path / "ratio_0.10_seed_1.json", {})
    with pytest.raises(DialmeterError, match=r"are both ratio 0\.1, seed 1"):
        entries_of([str(tmp_path)])


def test_manifests(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write(tmp_path / f"{name}.json", {})
    text = "File, ratio ,seed,domain,note\nb.json,0.01,2,,x\nc.json,,,hotel,\na.json,0.1,1,,\n"
    (tmp_path / "m.csv").write_text("\ufeff" + text.replace("\n", "\r\n"), "utf-8")
    entries, notices = entries_of([str(tmp_path / "m.csv")])
    assert entries == [
        CurveFile(str(tmp_path / "b.json"), 0.01, "2"),
        CurveFile(str(tmp_path / "a.json"), 0.1, "1"),
        CurveFile(str(tmp_path / "c.json"), None, None, "hotel"),
    ]
    assert [notice.where for notice in notices] == [("note",)]


def test_several_files(folder: Path) -> None:
    paths = [str(path) for path in sorted(folder.iterdir())]
    assert entries_of(paths) == entries_of([str(folder)])
    assert [each.path for each in entries_of(paths[:1])[0]] == paths[:1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,ratio\na.json,lots\n", "line 2: ratio must be a share of the training data such as 0.05, not 'lots'"),
        ("file,ratio\na.json,nan\n", "line 2: ratio must be a share"),
        ("file,ratio\na.json,-0.1\n", "line 2: ratio must be a share"),
        ("file,ratio\na.json,0.1\nb.json,0.1\n", "line 3: no such file"),
        ("file,ratio\n,0.1\n", "line 2: a row has no file"),
        ("file,ratio\na.json,\n", "line 2: a.json has neither ratio nor domain"),
        ("name,ratio\na.json,0.1\n", "line 1: expected the columns file and ratio or domain, and seed"),
        ("file,ratio\n", "the manifest has no files"),
        ("", "expected the columns"),
        ("file,ratio\na.json,0.1\n\na.json,0.1\n", "are both ratio 0.1"),
    ],
)
def test_bad_manifests(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path / "a.json", {})
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(DialmeterError) as caught:
        entries_of([str(path)])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, InputError):
        assert caught.value.file == str(path)


def test_estimates_of_nothing() -> None:
    assert Series([None, None]).mean().reason == "no file has a value"
    assert Series([0.5, None], confidence=0).mean().value == 0.5
    assert Series([0.1, 0.2]).slope([0, 1]).reason == "an interval of a slope needs three files"
    assert Series([0.1, None]).slope([0, 1]).value is None
    exact = Series([0.0, 1.0, 2.0]).slope([0, 1, 2])
    assert (exact.seeds, exact.reason) == (None, "all files are on one line")
