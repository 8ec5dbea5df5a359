"""A finished run stays until the new one is complete; a run without identity is an empty run; rows, index and dialogues agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.core import output
from dialmeter.core.open_runs import open_run
from dialmeter.core.output import new_file, new_folder, write_file
from dialmeter.core.run_writer import RunWriter
from dialmeter.errors import DialmeterError

from ..cli.invoke import Cli, files_in
from ..cli.samples import native_lines, written

TURNS = [{"gold": {"a-b": "1"}, "pred": {"a-b": "2"}}]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return written(tmp_path / "good.jsonl", native_lines({f"d{number}": TURNS for number in range(600)}))


@pytest.fixture
def bad(tmp_path: Path, good: Path) -> Path:
    lines = good.read_text().splitlines()
    lines[500] = '{"dialogue_id": 3'
    return written(tmp_path / "bad.jsonl", "\n".join(lines) + "\n")


@pytest.mark.parametrize("command", [["score"], ["score", "--set", "profile=town"]])
def test_refused_input_keeps_run(command: list[str], good: Path, bad: Path, tmp_path: Path, cli: Cli) -> None:
    run = tmp_path / "run"
    cli("score", good, "--out", run, "--quiet")
    cli("report", run, "--quiet")
    before = files_in(run)
    cli(*command, bad, "--out", run, "--force", "--quiet", code=2)
    assert files_in(run) == before
    assert sorted(path.name for path in run.iterdir()) == sorted(before)


def test_refused_input_creates_no_files(bad: Path, tmp_path: Path, cli: Cli) -> None:
    cli("score", bad, "--out", tmp_path / "runs" / "run", "--quiet", code=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "good.jsonl"]


def test_old_report_removed(good: Path, tmp_path: Path, cli: Cli) -> None:
    run = tmp_path / "run"
    words = ("score", good, "--out", run, "--quiet", "--set", "ci=0")
    cli(*words)
    cli("report", run, "--quiet")
    written(run / "notes.txt", "mine")
    cli(*words, "--measure", "JGA", "--force")
    made = "charts.json findings.npz index.npz log.json notes.txt rows.jsonl run.json summary.txt"
    assert sorted(files_in(run)) == made.split()
    assert [score["measure"] for score in open_run(run).scores] == ["JGA"]


def test_foreign_folder_unchanged(good: Path, tmp_path: Path, cli: Cli) -> None:
    written(tmp_path / "book" / "parts" / "one.tex", "mine")
    words = ("score", good, "--out", tmp_path / "book", "--quiet")
    for more in ("--force",):
        assert "one.tex: does not belong to a run" in cli.refused(*words, more)
    assert files_in(tmp_path / "book") == {"parts/one.tex": b"mine"}


class TestRowsAndDialogues:
    """A run cannot be finished if it has more or fewer rows than dialogues."""

    @pytest.mark.parametrize(
        ("counts", "column"), [({"dialogues": 3}, []), ({"cases": 1}, []), ({}, [1.0]), ({}, [1.0, 0.5, None])]
    )
    def test_it_is_refused(self, counts: dict[str, int], column: list[float | None], tmp_path: Path) -> None:
        writer = RunWriter(tmp_path / "run", {})
        for name in "ab":
            writer.add({"id": name})
        columns = {"x": column} if column else {}
        with pytest.raises(DialmeterError, match=r"run: .* 2 rows for \d dialogues; start again with --force"):
            writer.finish({"scores": [], "counts": counts}, columns)
        writer.close()
        with pytest.raises(DialmeterError, match="an unfinished run"):
            open_run(tmp_path / "run")


class TestFiles:
    """One file, or one folder of files."""

    def test_error_keeps_old_file(self, tmp_path: Path) -> None:
        write_file(tmp_path / "x", "old")
        with pytest.raises(TypeError), new_file(tmp_path / "x", force=True) as file:
            file.writelines([b"new", "text"])  # type: ignore[list-item]
        assert files_in(tmp_path) == {"x": b"old"}

    def test_link_is_followed(self, tmp_path: Path) -> None:
        (tmp_path / "there").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "there" / "x")
        write_file(tmp_path / "link", "one")
        write_file(tmp_path / "link", "two", force=True)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "there" / "x").read_text() == "two"

    def test_device_is_not_replaced(self) -> None:
        with pytest.raises(DialmeterError, match="/dev/null: is not a regular file"):
            write_file("/dev/null", "x", force=True)

    def test_error_keeps_old_folder(self, tmp_path: Path) -> None:
        for text, names in (("old", "ab"), ("new", "b")):
            with new_folder(tmp_path / "x", lambda _: None, ["?"]) as new:
                for name in names:
                    (new / name).write_text(text)
        assert files_in(tmp_path) == {"x/b": b"new"}
        with pytest.raises(TypeError), new_folder(tmp_path / "x", lambda _: None, ["?"]) as new:
            (new / "b").write_bytes("newer")  # type: ignore[arg-type]
        assert files_in(tmp_path) == {"x/b": b"new"}


class TestFoldersThatReplaceFolders:
    """A reader finds either the old or the new folder, and files of others in it are kept."""

    @staticmethod
    def fill(folder: Path, text: str, names: str) -> None:
        with new_folder(folder, lambda _: None, ["?.html"]) as new:
            for name in names.split():
                (new / name).write_text(text)

    def test_foreign_files_moved(self, tmp_path: Path) -> None:
        self.fill(tmp_path / "x", "old", "a.html b.html")
        written(tmp_path / "x" / "notes" / "mine", "mine")
        (tmp_path / "x").chmod(0o750)
        self.fill(tmp_path / "x", "new", "b.html")
        assert files_in(tmp_path) == {"x/b.html": b"new", "x/notes/mine": b"mine"}
        assert (tmp_path / "x").stat().st_mode & 0o777 == 0o750

    @pytest.mark.parametrize("at_once", [True, False])
    def test_interrupted_exchange(self, at_once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without an exchange in one step (as on macOS), there are two renames."""
        self.fill(tmp_path / "x", "old", "a.html")
        written(tmp_path / "x" / "mine", "mine")
        with monkeypatch.context() as patched:
            if not at_once:
                patched.setattr(output, "_swap_names", lambda *_: False)
            patched.setattr(output, "_finish_exchange", lambda *_: None)
            self.fill(tmp_path / "x", "new", "b.html")
        assert (tmp_path / "x" / "b.html").read_text() == "new"
        assert not (tmp_path / "x" / "a.html").exists()
        with pytest.raises(DialmeterError, match="no"), new_folder(tmp_path / "x", self.refuse):
            pass
        assert files_in(tmp_path) == {"x/b.html": b"new", "x/mine": b"mine"}

    @staticmethod
    def refuse(_: set[str]) -> None:
        raise DialmeterError("no")

    def test_kill_between_renames(self, tmp_path: Path) -> None:
        self.fill(tmp_path / "x", "old", "a.html")
        (tmp_path / "x").rename(tmp_path / ".x.old")
        with pytest.raises(DialmeterError, match="no"), new_folder(tmp_path / "x", self.refuse):
            pass
        assert files_in(tmp_path) == {"x/a.html": b"old"}

    def test_working_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "x").mkdir()
        monkeypatch.chdir(tmp_path / "x")
        for text, names in (("old", "a.html b.html"), ("new", "b.html")):
            self.fill(Path(), text, names)
        assert files_in(Path()) == {"b.html": b"new"}
        assert (tmp_path / "x").samefile(".")

    def test_two_writers_of_one_folder(self, tmp_path: Path) -> None:
        with new_folder(tmp_path / "a" / "x", lambda _: None) as new:
            (new / "y").touch()
            with pytest.raises(DialmeterError, match="x: is being written by process"):
                self.fill(tmp_path / "a" / "x", "", "z")
        assert list(files_in(tmp_path)) == ["a/x/y"]
