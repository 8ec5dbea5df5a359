"""``study curve`` as a user types it."""

from __future__ import annotations

from pathlib import Path

from ...studies.few_shots import few_shot_folder, zero_shot_folder
from ..invoke import Cli

COMMAND = "study curve"

FEW = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--set", "resamples=100")


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
