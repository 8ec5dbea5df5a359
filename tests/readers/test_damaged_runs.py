"""Everything that opens a run folder gives a one-line error if the folder was edited or damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialmeter import open_run
from dialmeter.errors import InputError

from ..cli.invoke import call, call_process
from .test_run_inputs import COMMANDS

WRONG = (None, True, 7, 2.5, "x", [], {}, [None], ["x"], [{}], {"x": None}, [[[]]])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for kind, (words, content) in COMMANDS.items():
        (folder / f"{kind}.jsonl").write_bytes(content)
        said = call_process(*words, folder / f"{kind}.jsonl", "-q", "--out", folder / kind)
        assert said.code == 0, said.err
    return {kind: folder / kind for kind in COMMANDS}


def retyped(thing: Any) -> Iterator[Any]:
    """Yield copies of a value. In each copy, one part is replaced by a value of another type."""
    for key in list(thing) if isinstance(thing, dict) else range(min(1, len(thing))):
        kept = thing[key]
        for wrong in WRONG:
            if type(wrong) is not type(kept) or wrong != kept:
                thing[key] = wrong
                yield thing
        thing[key] = kept
        if isinstance(kept, dict | list):
            for _ in retyped(kept):
                yield thing


@pytest.mark.parametrize("kind", COMMANDS)
def test_fields_of_another_type(
    kind: str, runs: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = shutil.copytree(runs[kind], tmp_path / "run")
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    manifest = {**manifest, "rules": {"name": "dialmeter"}, "profile": {"name": "town"}}
    refused = 0
    for changed in retyped(manifest):
        (run / "run.json").write_text(json.dumps(changed), "utf-8")
        said = call(capsys, "cite", run)
        assert said.code in (0, 2), (said.err, changed)
        if said.code == 2:
            refused += said.complaint.startswith(f"{run / 'run.json'}: damaged: ")
            continue
        said = call(capsys, "report", run, "--as", "markdown", "--out", "-")
        assert said.code in (0, 2), (said.err, changed)
    assert refused > 100


@pytest.mark.parametrize("cut", [1, 40])
def test_torn_rows(cut: int, runs: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for kind, whole in runs.items():
        run = shutil.copytree(whole, tmp_path / kind)
        rows = (run / "rows.jsonl").read_bytes()
        (run / "rows.jsonl").write_bytes(rows[: -1 - cut])
        with pytest.raises(InputError, match=r"rows\.jsonl: line \d+: damaged: .*the file seems to be cut off"):
            list(open_run(run))
        with pytest.raises(InputError, match=r"rows\.jsonl: line \d+: damaged: "):
            open_run(run).row(-1)
    said = call(capsys, "user", "query", tmp_path / "user")
    assert said.code == 2
    assert said.complaint.startswith(f"{tmp_path / 'user' / 'rows.jsonl'}: line 1: damaged: ")


def test_retyped_rows(runs: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = shutil.copytree(runs["user"], tmp_path / "user")
    row = json.loads((run / "rows.jsonl").read_bytes())
    for changed in retyped(row):
        (run / "rows.jsonl").write_text(json.dumps(changed) + "\n", "utf-8")
        for words in ((), ("--dialogue", "d")):
            said = call(capsys, "user", "query", run, *words)
            assert said.code in (0, 2), (said.err, changed)


def test_a_damaged_index(runs: dict[str, Path], tmp_path: Path) -> None:
    run = shutil.copytree(runs["tracker"], tmp_path / "run")
    whole = (run / "index.npz").read_bytes()
    for data in (b"", b"x", whole[:-30], whole[: len(whole) // 2], b"\x00" * len(whole)):
        (run / "index.npz").write_bytes(data)
        with pytest.raises(InputError, match=r"index\.npz: damaged"):
            open_run(run).index()
    (run / "index.npz").unlink()
    with pytest.raises(InputError, match=r"index\.npz: missing"):
        open_run(run).row(0)


def test_a_key_twice_and_a_half_character(runs: dict[str, Path], tmp_path: Path) -> None:
    run = shutil.copytree(runs["tracker"], tmp_path / "run")
    text = (run / "run.json").read_text("utf-8").rstrip()
    for more, message in (
        (', "kind": "user"}', "damaged: duplicate key 'kind'"),
        (', "x": "\\ud800"}', r"damaged: \\ud800 is half of a character"),
        (', "x": 1e400}', "damaged: 1e400 is too large a number"),
    ):
        (run / "run.json").write_text(text[:-1] + more, "utf-8")
        with pytest.raises(InputError, match=message):
            open_run(run)
