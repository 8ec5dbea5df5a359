"""Files at addresses, with the drivers of fsspec that need no network."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import dialmeter as dm

from ..cli.invoke import Cli

ROWS = [
    {"session": name, "step": turn, "expected": {"hotel-area": "east"}, "output": {"hotel-area": area}}
    for name, turn, area in (("a", 0, "east"), ("a", 1, "west"), ("b", 0, "east"))
]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS)


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_address_gives_the_same(scheme: str, cli: Cli, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    local = tmp_path / "run.jsonl"
    local.write_text(LINES)
    address = f"{scheme}://{tmp_path}/run.jsonl"
    with fsspec.open(address, "w") as file:
        file.write(LINES)
    assert cli.json("score", address, "-m", "JGA")["scores"] == cli.json("score", local, "-m", "JGA")["scores"]
    assert f"next  dialmeter find {address} a" in cli("score", address, "-m", "JGA", "--set", "ci=0").out.replace(
        " \\\n     ", ""
    )
    assert dm.score(address)["JGA"] == dm.score(str(local))["JGA"]
    assert cli.refused("score", f"{address}.gz").endswith("run.jsonl.gz: no such file")


def test_no_driver(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    assert "cannot be read: Protocol not known: nowhere" in cli.refused("score", "nowhere://a/b.json")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    message = cli.refused("score", "s3://bucket/run.jsonl")
    assert message == "s3://bucket/run.jsonl needs fsspec: pip install fsspec"
    assert cli.refused("score", "https://example.org/p.json").startswith(
        "https://example.org/p.json: a URL, not a file"
    )
