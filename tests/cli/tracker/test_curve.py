"""``study curve`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ...studies.few_shots import few_shot_folder, zero_shot_folder
from ..invoke import Cli

COMMAND = "study curve"

FEW = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--set", "resamples=100")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(few_shot_folder(tmp_path_factory.mktemp("runs")))


def test_json_fits_its_schema(cli: Cli, folder: str) -> None:
    found = cli.json(folder, *FEW)
    assert found["counts"] == {"files": 9, "ratios": 3, "seeds": 3, "domains": 0}
    assert len(found["scores"]) == 27
    assert len(found["points"]) == 9
    assert len(found["trends"]) == 7
    assert found["domains"] == []
    plain = cli.json(folder, "--set", "ci=0", "--set", "trend=linear", "--set", "reference=JGA")
    assert plain["intervals"] is None
    assert {point["value"]["ci_seeds"] for point in plain["points"]} == {None}
    assert (plain["reference"], plain["scale"]) == ("JGA", "linear")


def test_curves_by_domain_from_manifest(cli: Cli, tmp_path: Path) -> None:
    zero_shot_folder(tmp_path, seeds=(1, 2, 3, 4))
    rows = [
        {"file": f"T5_result_zeroshot_{domain}_seed_{seed}.json", "ratio": ratio, "seed": seed, "domain": domain}
        for domain in ("hotel", "taxi")
        for ratio, seed in ((0.1, 1), (0.1, 2), (0.5, 3), (0.5, 4))
    ]
    lines = [",".join(map(str, row.values())) for row in rows]
    manifest = tmp_path / "m.csv"
    manifest.write_text("\n".join(["file,ratio,seed,domain", *lines]))
    found = cli.json(manifest, *FEW)
    assert {(point["domain"], point["ratio"]) for point in found["points"]} == {
        (domain, ratio) for domain in ("hotel", "taxi") for ratio in (0.1, 0.5)
    }
    assert [row["ratio"] for row in found["domains"]] == [0.1] * 3 + [0.5] * 3
    manifest.write_text("\n".join(["file,ratio,seed,domain", *reversed(lines)]))
    assert cli.json(manifest, *FEW) == found


def test_unscored_reported(cli: Cli, tmp_path: Path) -> None:
    few_shot_folder(tmp_path, seeds=(1,))
    (tmp_path / "readme.md").write_text("x")
    err = cli(str(tmp_path), *FEW).err
    assert "warning: 1 of 4 files are unscored because they are not named like " in err
    assert "no interval over seeds for ratios with only one seed: 0.01, 0.1, 0.5" in err
    assert {line.split(":")[0] for line in err.splitlines()} == {"warning"}


def test_verdict(cli: Cli, folder: str, tmp_path: Path) -> None:
    lines = cli(folder, *FEW, "-q").out.splitlines()
    assert lines[0].startswith("JGA grows with more training data: +")
    assert "per tenfold training data" in " ".join(lines[:2])
    assert lines[-1] == f"next  dialmeter study curve {folder} --measure JGA \\" or lines[-1].startswith("      ")
    zero_shot_folder(tmp_path)
    assert cli(tmp_path, *FEW, "-q").out.startswith("JGA is ")
    run = tmp_path / "run"
    cli(tmp_path, *FEW, "-q", "--out", run)
    assert [each["name"] for each in json.loads((run / "charts.json").read_text())] == ["domains"]
