"""``tracker curve`` as a user types it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ...studies.few_shots import few_shot_folder, zero_shot_folder
from .. import invoke

FEW = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--resamples", "100")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(few_shot_folder(tmp_path_factory.mktemp("runs")))


def call(capsys: pytest.CaptureFixture[str], *words: str) -> invoke.CommandResult:
    return invoke.call(capsys, "tracker", "curve", *words)


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return invoke.checked(call(capsys, *words, "--json", "--quiet"), "tracker-curve")


def test_the_tables(capsys: pytest.CaptureFixture[str], folder: str) -> None:
    code, out, err = call(capsys, folder, *FEW)
    assert code == 0
    assert err == ""
    titles = [part.splitlines()[0] for part in out.split("\n\n")]
    assert titles[1:4] == [
        "values by share of training data, mean over seeds",
        "intervals over seeds and over dialogues, and differences to GCA",
        "trend in points per tenfold training data",
    ]
    assert titles[0].endswith("  9 files")
    assert "\neach of 9: 25 of 25 dialogues scored\n" in out
    lines = out.split("\n\n")[1].splitlines()
    assert lines[1].split() == ["ratio", "seeds", "JGA", "FGA(lam=0.5)", "GCA"]
    assert [line.split()[0] for line in lines[3:]] == ["0.01", "0.1", "0.5"]
    assert "nan" not in out


def test_json_fits_its_schema(capsys: pytest.CaptureFixture[str], folder: str) -> None:
    found = document(capsys, folder, *FEW)
    assert found["counts"] == {"files": 9, "ratios": 3, "seeds": 3, "domains": 0}
    assert len(found["scores"]) == 27
    assert len(found["points"]) == 9
    assert len(found["trends"]) == 7
    assert found["domains"] == []
    plain = document(capsys, folder, "--ci", "0", "--trend", "linear", "--reference", "JGA")
    assert plain["intervals"] is None
    assert {point["value"]["ci_seeds"] for point in plain["points"]} == {None}
    assert (plain["reference"], plain["scale"]) == ("JGA", "linear")


@pytest.mark.parametrize("style", ["markdown", "latex", "csv"])
def test_other_styles(capsys: pytest.CaptureFixture[str], folder: str, style: str) -> None:
    code, out, _ = call(capsys, folder, *FEW, "--quiet", "--as", style)
    assert code == 0
    if style == "csv":
        for part in out.split("\n\n"):
            headings, *rows = list(csv.reader(io.StringIO(part)))
            assert len(set(headings)) == len(headings)
            assert {len(row) for row in rows} == {len(headings)}
    else:
        assert out.count(r"\begin{table}" if style == "latex" else "\n|---") == 3


def test_zero_shot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    zero_shot_folder(tmp_path)
    code, out, _ = call(capsys, str(tmp_path), *FEW, "--quiet")
    assert code == 0
    lines = out.splitlines()
    assert lines[2] == "by domain, zero-shot"
    assert [line.split("  ")[0] for line in lines[5:9]] == ["hotel", "taxi", "mean over domains", "pooled"]
    found = document(capsys, str(tmp_path), *FEW)
    assert [row["measure"] for row in found["domains"]] == ["JGA", "FGA(lam=0.5)", "GCA"]
    assert set(found["domains"][0]["domains"]) == {"hotel", "taxi"}


def test_curves_by_domain_from_a_manifest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    zero_shot_folder(tmp_path, seeds=(1, 2, 3, 4))
    rows = [
        {"file": f"T5_result_zeroshot_{domain}_seed_{seed}.json", "ratio": ratio, "seed": seed, "domain": domain}
        for domain in ("hotel", "taxi")
        for ratio, seed in ((0.1, 1), (0.1, 2), (0.5, 3), (0.5, 4))
    ]
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("\n".join(map(json.dumps, rows)))
    found = document(capsys, str(tmp_path), "--manifest", str(manifest), *FEW)
    assert {(point["domain"], point["ratio"]) for point in found["points"]} == {
        (domain, ratio) for domain in ("hotel", "taxi") for ratio in (0.1, 0.5)
    }
    assert [row["ratio"] for row in found["domains"]] == [0.1] * 3 + [0.5] * 3
    manifest.write_text("\n".join(map(json.dumps, reversed(rows))))
    assert document(capsys, str(tmp_path), "--manifest", str(manifest), *FEW) == found


def test_what_is_left_out_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    few_shot_folder(tmp_path, seeds=(1,))
    (tmp_path / "readme.md").write_text("x")
    code, _, err = call(capsys, str(tmp_path), *FEW)
    assert code == 0
    assert "warning: 1 of 4 files were skipped because they are not named like " in err
    assert "no interval over seeds for ratios with only one seed: 0.01, 0.1, 0.5" in err
    assert {line.split(":")[0] for line in err.splitlines()} == {"warning"}


def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, folder: str) -> None:
    (tmp_path / "predictions.json").write_text("{}")
    cases = [
        (
            (str(tmp_path),),
            "no file is named like ratio_0.05_seed_557_prediction.json or T5_result_zeroshot_hotel.json",
        ),
        ((str(tmp_path / "none"),), "no such folder"),
        ((folder, "--manifest", str(tmp_path / "none.csv")), "no such file"),
        ((folder, "--ci", "95"), "--ci must be between 0 and 1"),
        ((folder, "--measure", "JGB"), "did you mean JGA?"),
        ((folder, "--reference", "GCB"), "did you mean GCA?"),
    ]
    for words, message in cases:
        code, out, err = call(capsys, *words)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_charts(capsys: pytest.CaptureFixture[str], tmp_path: Path, folder: str) -> None:
    found = document(capsys, folder, *FEW, "--charts", str(tmp_path / "c"))
    assert found["charts"] == ["curve.svg", "difference.svg", "distance.svg"]
    names = {path.name for path in (tmp_path / "c").iterdir()}
    assert names == {f"{name}.{kind}" for name in ("curve", "difference", "distance") for kind in ("svg", "csv")}
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c" / "curve.csv").read_text())))
    assert {row["measure"] for row in rows} == {"JGA", "FGA(lam=0.5)", "GCA"}
    before = (tmp_path / "c" / "curve.svg").read_bytes()
    document(capsys, folder, *FEW, "--charts", str(tmp_path / "c"))
    assert (tmp_path / "c" / "curve.svg").read_bytes() == before
    zero = zero_shot_folder(tmp_path / "z")
    assert document(capsys, str(zero), *FEW, "--charts", str(tmp_path / "d"))["charts"] == ["domains.svg"]
    code, _, err = call(capsys, folder, *FEW, "--quiet", "--charts", str(zero / "T5_result_zeroshot_taxi.json"))
    assert code == 2
    assert "T5_result_zeroshot_taxi.json: cannot be written" in err


def test_the_same_for_any_hash_seed(folder: str) -> None:
    words = [sys.executable, "-m", "dialmeter", "tracker", "curve", folder, *FEW, "--json"]
    outs = [
        subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("0", "1")
    ]
    assert outs[0] == outs[1]
