"""Contents that are remembered: only where the file system would show a change."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from dialmeter.tracking import contents
from dialmeter.tracking.contents import Content, content_of, is_plain, is_still

OLD = 3_000_000_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "file.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"one")
    return path


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that were hashed."""
    paths: list[str] = []
    real = contents._hashed

    def noting(path: str) -> Content:
        paths.append(path)
        return real(path)

    monkeypatch.setattr(contents, "_hashed", noting)
    return paths


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the clock say that what was written by now was written long ago."""
    real = contents.time.time_ns
    monkeypatch.setattr(contents.time, "time_ns", lambda: real() + OLD)


def test_a_settled_file_is_hashed_once(
    file: Path, tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch)
    found = [content_of(str(file), tmp_path / "memory") for _ in range(3)]
    assert len({each.sha256 for each in found}) == 1
    assert len(hashed) == 1


def test_a_file_that_was_just_written_is_hashed_each_time(file: Path, tmp_path: Path, hashed: list[str]) -> None:
    first = content_of(str(file), tmp_path / "memory")
    assert not first.settled
    # The same size, and the clock set back to the same moment: nothing but the content says that it changed.
    said = os.stat(file)
    file.write_bytes(b"two")
    os.utime(file, ns=(said.st_atime_ns, said.st_mtime_ns))
    assert content_of(str(file), tmp_path / "memory").sha256 != first.sha256
    assert len(hashed) == 2
    assert not (tmp_path / "memory").exists()


def test_a_note_that_was_made_too_early_is_distrusted(
    file: Path, tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch)
    content_of(str(file), tmp_path / "memory")
    [note] = (tmp_path / "memory").iterdir()
    known = msgspec.json.decode(note.read_bytes(), type=Content)
    written = max(max(each.changed, each.touched) for each in known.stamps)
    for at, again in ((written - 1, True), (written + 1_900_000_000, True), (written + 2_100_000_000, False)):
        hashed.clear()
        note.write_bytes(msgspec.json.encode(msgspec.structs.replace(known, at=at)))
        content_of(str(file), tmp_path / "memory")
        assert bool(hashed) == again


@pytest.mark.parametrize("change", ["content", "longer", "clock set back", "moved over"])
def test_what_shows_a_change(
    change: str, file: Path, tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch)
    first = content_of(str(file), tmp_path / "memory")
    said = os.stat(file)
    if change == "moved over":
        other = file.with_name("other")
        other.write_bytes(b"two")
        os.utime(other, ns=(said.st_atime_ns, said.st_mtime_ns))
        os.replace(other, file)
    else:
        file.write_bytes(b"two" if change != "longer" else b"three")
        if change == "clock set back":
            os.utime(file, ns=(said.st_atime_ns, said.st_mtime_ns))
    assert content_of(str(file), tmp_path / "memory").sha256 != first.sha256
    assert len(hashed) == 2
    assert not is_still(str(file), first)


@pytest.mark.parametrize("bad", [b"", b"{}", b"[1]", b"\xff\xfe", b'{"sha256":1,"stamps":[],"at":0}', b"\0" * 100])
def test_a_bad_note_is_made_anew(
    bad: bytes, file: Path, tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch)
    first = content_of(str(file), tmp_path / "memory")
    [note] = (tmp_path / "memory").iterdir()
    whole = note.read_bytes()
    note.write_bytes(bad)
    assert content_of(str(file), tmp_path / "memory").sha256 == first.sha256
    assert len(hashed) == 2
    assert len(note.read_bytes()) == len(whole)


def test_a_folder_is_its_files_and_their_names(file: Path, tmp_path: Path) -> None:
    def now() -> str:
        return content_of(str(file.parent), tmp_path / "memory").sha256

    seen = [now()]
    (file.parent / "more.json").write_bytes(b"more")
    seen.append(now())
    (file.parent / "more.json").rename(file.parent / "other.json")
    seen.append(now())
    (file.parent / "other.json").write_bytes(b"else")
    seen.append(now())
    assert len(set(seen)) == 4
    (file.parent / "other.json").unlink()
    assert now() == seen[0]


def test_an_input_that_changed_is_not_still_itself(file: Path, tmp_path: Path) -> None:
    found = content_of(str(file), tmp_path / "memory")
    assert is_still(str(file), found)
    said = os.stat(file)
    file.write_bytes(b"two")
    os.utime(file, ns=(said.st_atime_ns, said.st_mtime_ns))
    assert not is_still(str(file), found)
    file.unlink()
    assert not is_still(str(file), found)


def test_a_file_that_changes_while_it_is_hashed_is_refused(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = contents.hashlib.file_digest

    def slow(stream: object, name: str) -> object:
        file.write_bytes(b"changed meanwhile")
        return real(stream, name)  # type: ignore[arg-type]

    monkeypatch.setattr(contents.hashlib, "file_digest", slow)
    with pytest.raises(OSError, match="changes while it is read"):
        content_of(str(file), tmp_path / "memory")


def test_pipes_and_standard_input_are_not_plain(file: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = [is_plain(str(path)) for path in (file, file.parent, tmp_path / "pipe", tmp_path / "none", "-", "a\0b")]
    assert found == [True, True, False, False, False, False]
