"""Runs on disk: their content, resuming a killed run with the same bytes as result, and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from dialmeter import __version__
from dialmeter.cli.main import run as run_command
from dialmeter.core.open_runs import open_run
from dialmeter.core.run_writer import RunWriter, row_part
from dialmeter.errors import DialmeterError

from ..cli.samples import native_lines, written

STATES: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "d1": [
        ({"hotel-area": "East"}, {"hotel-area": "east"}),
        ({"hotel-area": "East", "taxi-to": "a|b"}, {"pub-name": "x"}),
    ],
    "café": [({}, {}), ({}, {})],
    "d3": [({"taxi-to": "a"}, {"taxi-to": "b"}), ({"taxi-to": "a"}, {"taxi-to": "b"})],
}
BYTES = ("run.json", "rows.jsonl", "index.npz", "findings.npz")
"""The files that do not depend on clock and machine."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three dialogues with utterances."""
    dialogues = {
        name: [
            {"gold": gold, "pred": pred, "user": f"user {number} ü", "system": f"system {number}"}
            for number, (gold, pred) in enumerate(turns)
        ]
        for name, turns in STATES.items()
    }
    return written(tmp_path / "p.jsonl", native_lines(dialogues))


def score(file: Path, out: Path, *more: str) -> int:
    """Score into a run and return the exit code."""
    with pytest.raises(SystemExit) as stop:
        run_command(["score", str(file), "--out", str(out), "--quiet", *more])
    assert isinstance(stop.value.code, int)
    return stop.value.code


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in BYTES if (folder / name).exists()}


class TestContents:
    """Content of a finished run."""

    @pytest.fixture
    def folder(self, file: Path, tmp_path: Path) -> Path:
        assert score(file, tmp_path / "run", "--measure", "JGA", "--measure", "GCA", "--measure", "FinalJGA") == 0
        return tmp_path / "run"

    def test_files_without_clock_machine_and_path(self, folder: Path, file: Path, tmp_path: Path) -> None:
        elsewhere = tmp_path / "elsewhere" / "p.jsonl"
        elsewhere.parent.mkdir()
        elsewhere.write_bytes(file.read_bytes())
        score(elsewhere, tmp_path / "other", "--measure", "JGA", "--measure", "GCA", "--measure", "FinalJGA")
        for name in ("run.json", "rows.jsonl", "index.npz", "findings.npz"):
            assert (folder / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
            assert str(tmp_path).encode() not in (folder / name).read_bytes()
        assert {"python", "machine", "seconds", "finished"} <= json.loads((folder / "log.json").read_bytes()).keys()

    def test_older_mistake_carried(self, folder: Path) -> None:
        new, old = open_run(folder).row(2)["turns"]
        assert new["slots"] == {"taxi-to": {"class": "wrong", "age": "new"}}
        assert old["slots"] == {"taxi-to": {"class": "wrong", "age": "carried-over"}}

    def test_index_needs_no_pickle(self, folder: Path) -> None:
        with np.load(folder / "index.npz", allow_pickle=False) as arrays:
            assert all(arrays[name].dtype != object for name in arrays.files)

    def test_input_may_be_deleted(self, folder: Path, file: Path) -> None:
        file.unlink()
        assert len(list(open_run(folder))) == 3


class TestResume:
    """A killed run is resumed, and has the same bytes as an uninterrupted run."""

    @pytest.fixture
    def whole(self, file: Path, tmp_path: Path) -> Path:
        assert score(file, tmp_path / "whole") == 0
        return tmp_path / "whole"

    def killed(self, whole: Path, folder: Path, rows: bytes) -> None:
        """Create a folder as a killed run leaves it."""
        manifest = open_run(whole).manifest
        identity = {name: manifest[name] for name in ("dialmeter", "kind", "inputs", "rules", "measures")}
        (folder / "parts").mkdir(parents=True)
        (folder / "parts" / "identity.json").write_bytes(msgspec.json.encode(identity, order="sorted"))
        (folder / "parts" / "rows-000000.jsonl").write_bytes(rows)

    def test_resume_without_unfinished_run(self, whole: Path, file: Path, tmp_path: Path) -> None:
        assert score(file, tmp_path / "new") == 0
        assert contents(tmp_path / "new") == contents(whole)

    @pytest.mark.parametrize("change", [["--rules", "trade"], ["--measure", "JGA"], ["--set", "none=keep"]])
    def test_resume_other_settings(
        self, change: list[str], whole: Path, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.killed(whole, tmp_path / "killed", b"")
        assert score(file, tmp_path / "killed", *change) == 2
        assert "other input, rules or measures; start again with --force" in capsys.readouterr().err

    def test_resume_other_input(
        self, whole: Path, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.killed(whole, tmp_path / "killed", b"")
        file.write_bytes(file.read_bytes().replace(b"taxi", b"cabs"))
        assert score(file, tmp_path / "killed") == 2
        assert "other input" in capsys.readouterr().err
        assert score(file, tmp_path / "killed", "--force") == 0
        assert [row["id"] for row in open_run(tmp_path / "killed")] == list(STATES)

    def test_existing_rows_kept(self, whole: Path, file: Path, tmp_path: Path) -> None:
        rows = (whole / "rows.jsonl").read_bytes()
        first = rows[: rows.index(b"\n") + 1].replace(b"user 0", b"USER 0")
        self.killed(whole, tmp_path / "killed", first)
        assert score(file, tmp_path / "killed") == 0
        assert [row["turns"][0]["user"][:6] for row in open_run(tmp_path / "killed")] == ["USER 0", "user 0", "user 0"]


IDENTITY = msgspec.json.encode({"dialmeter": __version__, "kind": "test"})


class TestWriter:
    """The writer alone."""

    ROWS = ({"id": "a", "x": 1}, {"id": "é", "x": [2]}, {"id": "c\n", "x": None})

    def write(self, folder: Path) -> None:
        writer = RunWriter(folder, {"kind": "test"})
        for row in self.ROWS:
            if row["id"] not in writer.done:
                writer.add(row)
        writer.keep("summary.txt", "é\n")
        writer.finish({"kind": "test", "scores": []}, {"x": [1.0, None, 0.5]})

    def test_file_cut_at_every_byte(self, tmp_path: Path) -> None:
        self.write(tmp_path / "whole")
        rows = (tmp_path / "whole" / "rows.jsonl").read_bytes()
        folder = tmp_path / "killed"
        for place in range(len(rows) + 1):
            parts = folder / "parts"
            parts.mkdir(parents=True)
            (folder / "run.json").unlink(missing_ok=True)
            (parts / "identity.json").write_bytes(IDENTITY)
            (parts / "rows-000000.jsonl").write_bytes(rows[:place])
            self.write(folder)
            assert contents(folder) == contents(tmp_path / "whole")

    def test_rows_flushed_in_batches(self, tmp_path: Path) -> None:
        writer = RunWriter(tmp_path / "run", {})
        for number in range(600):
            writer.add({"id": str(number)})
        assert (tmp_path / "run" / "parts" / "rows-000000.jsonl").read_bytes().count(b"\n") == 512
        writer.finish({"scores": []})
        assert [row["id"] for row in open_run(tmp_path / "run")] == [str(number) for number in range(600)]

    def test_parts_joined_in_order(self, tmp_path: Path) -> None:
        writer = RunWriter(tmp_path / "run", {})
        parts = writer.begin()
        for number in (2, 0, 1):
            part = row_part(parts, number)
            part.add({"id": f"{number}a"})
            part.add({"id": f"{number}b"})
            part.flush()
        writer.finish({"scores": []})
        assert [row["id"] for row in open_run(tmp_path / "run")] == ["0a", "0b", "1a", "1b", "2a", "2b"]

    def test_part_is_resumed(self, tmp_path: Path) -> None:
        (tmp_path / "rows-000003.jsonl").write_bytes(b'{"id":"a"}\n{"id":"b"}\n{"id":')
        part = row_part(tmp_path, 3)
        assert part.done == {"a", "b"}
        part.add({"id": "c"})
        part.flush()
        assert (tmp_path / "rows-000003.jsonl").read_bytes() == b'{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n'

    def test_empty_run(self, tmp_path: Path) -> None:
        RunWriter(tmp_path / "run", {}).finish({"scores": []})
        assert list(open_run(tmp_path / "run")) == []
        assert open_run(tmp_path / "run").index()["offset"].tolist() == []


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, r"run: no run here \(run.json is missing\)"),
        ('{"schema": 1', r"run\.json: damaged: "),
        ("[]", r"run\.json: damaged: "),
        ('{"schema": 2}', "schema version 2 is not supported"),
    ],
)
def test_no_finished_run(manifest: str | None, message: str, tmp_path: Path) -> None:
    if manifest is not None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "run.json").write_text(manifest)
    with pytest.raises(DialmeterError, match=message):
        open_run(tmp_path / "run")
