"""Entries of the cache that are damaged, foreign or made by somebody with other ends: never a traceback, never a number."""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from dialmeter.tracking.kept import Damaged, from_bytes
from dialmeter.tracking.scorer import TrackerScorer

from ..formats.layouts import write_native
from ..formats.talks import talks
from .cached import all_of, scored, tallies_in

MAGIC = b"dialmeter tallies\n"
START = len(MAGIC) + 32
"""Where the key stands, behind the checksum."""


class Touched:
    """Leaves a trace where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._path,)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A file, the folder of its cache, and the one entry in it."""
    file = write_native(tmp_path, talks()).path
    folder = tmp_path / "cache"
    scored(file, folder)
    [entry] = tallies_in(folder)
    return file, folder, entry


def made_anew(file: Path, folder: Path, entry: Path, whole: bytes) -> None:
    """A bad entry is told of once at most, read around, and replaced by what was there before."""
    found = scored(file, folder)
    assert found.read
    assert [notice.code for notice in found.said] == ["cache-damaged"]
    assert all_of(found.result) == all_of(scored(file, None).result)
    assert entry.read_bytes() == whole
    assert not scored(file, folder).read


def test_cut_off_anywhere(kept: tuple[Path, Path, Path]) -> None:
    *where, entry = kept
    whole = entry.read_bytes()
    for length in (0, 1, len(MAGIC), START - 1, START, START + 33, START + 60, len(whole) // 2, len(whole) - 1):
        entry.write_bytes(whole[:length])
        made_anew(*where, entry, whole)
    entry.write_bytes(whole + b"\0")
    made_anew(*where, entry, whole)


def test_one_byte_that_is_another(kept: tuple[Path, Path, Path]) -> None:
    _, _, entry = kept
    whole, key, empty = entry.read_bytes(), bytes.fromhex(entry.name), TrackerScorer().part
    random = Random(3)
    for place in (*range(START + 48), *random.sample(range(len(whole)), 300)):
        bad = bytearray(whole)
        bad[place] ^= 1 << random.randrange(8)
        with pytest.raises(Damaged):
            from_bytes(bytes(bad), key, empty)


def test_random_bytes(kept: tuple[Path, Path, Path]) -> None:
    *where, entry = kept
    whole, random = entry.read_bytes(), Random(4)
    for size in (10, 1000, len(whole)):
        entry.write_bytes(random.randbytes(size))
        made_anew(*where, entry, whole)
    entry.write_bytes(sealed(random.randbytes(1000)))
    made_anew(*where, entry, whole)


def test_the_entry_of_another_file(kept: tuple[Path, Path, Path], tmp_path: Path) -> None:
    file, folder, entry = kept
    whole = entry.read_bytes()
    scored(file, folder, by=("domain",))
    [other] = [path for path in tallies_in(folder) if path != entry]
    entry.write_bytes(other.read_bytes())
    made_anew(file, folder, entry, whole)


def test_pickles_are_not_opened(kept: tuple[Path, Path, Path], tmp_path: Path) -> None:
    *where, entry = kept
    whole, trace = entry.read_bytes(), tmp_path / "trace"
    packed = io.BytesIO()
    np.savez(packed, rows=np.array([Touched(trace)], dtype=object))
    for bad in (pickle.dumps(Touched(trace)), packed.getvalue()):
        for data in (bad, sealed(entry_key(whole) + len(bad).to_bytes(8, "big") + bad)):
            entry.write_bytes(data)
            made_anew(*where, entry, whole)
    assert not trace.exists()


def test_a_folder_in_the_place_of_an_entry(kept: tuple[Path, Path, Path]) -> None:
    file, folder, entry = kept
    entry.unlink()
    entry.mkdir()
    (entry / "inside").write_bytes(b"")
    found = scored(file, folder)
    assert found.read
    assert [notice.code for notice in found.said] == ["cache-unwritable"]


def sealed(body: bytes) -> bytes:
    """Bytes with the right checksum in front."""
    return MAGIC + hashlib.sha256(body).digest() + body


def entry_key(whole: bytes) -> bytes:
    return whole[START : START + 32]


def changed(whole: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """An entry whose header is another one, with the right checksum."""
    begin = START + 40
    end = begin + int.from_bytes(whole[START + 32 : begin], "big")
    head = msgspec.json.decode(whole[begin:end])
    change(head)
    header = msgspec.json.encode(head)
    return sealed(entry_key(whole) + len(header).to_bytes(8, "big") + header + whole[end:])


def put(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda head: head.update({name: value})


def in_book(place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(head: dict[str, Any]) -> None:
        head["books"][0][place] = value

    return change


def swapped(one: int, other: int) -> Callable[[dict[str, Any]], None]:
    def change(head: dict[str, Any]) -> None:
        book = head["books"][0]
        book[one], book[other] = book[other], book[one]

    return change


CHANGES = {
    "a field is missing": lambda head: head.pop("data"),
    "a field too many": put("more", 1),
    "books are a text": put("books", "all"),
    "no book": put("books", []),
    "no lens": lambda head: head.update(lenses=[], books=[]),
    "another lens": put("lenses", [{"local": "code", "deletions": "ignore"}]),
    "a lens that is none": put("lenses", [{"local": "print", "deletions": "ignore"}]),
    "a breakdown that nobody asked for": put(
        "breakdowns", [{"by": "domain", "dialogues": 1, "turns": 1, "groups": {}}]
    ),
    "counts below zero": put("gold_changes", -1),
    "a hash that is none": put("data", "zzzzzzzzzz"),
    "no digests": put("digests", ["u1", 0, 0]),
    "keys for other dialogues": put("keys", ["a"]),
    "examples are numbers": put("missing", {"turns": 0, "dialogues": 0, "examples": [1]}),
    "names are elsewhere": put("dialogues", ["u1", 3, 7]),
    "names are beyond the end": put("dialogues", ["u1", 0, 2**40]),
    "rows begin below zero": in_book(3, ["u2", -4, 10]),
    "rows of another kind": in_book(3, ["f8", 0, 10]),
    "rows of objects": in_book(3, ["O", 0, 10]),
    "no rows": in_book(3, ["u1", 0, 0]),
    "no ends": in_book(5, ["u1", 0, 0]),
    "tallies of another width": in_book(1, 12),
    "tallies of no width": in_book(1, 0),
    "no tallies": in_book(2, ["u1", 0, 0]),
    "turns and ends change places": swapped(4, 5),
    "rows and tallies change places": swapped(2, 3),
}


@pytest.mark.parametrize("name", CHANGES)
def test_wrong_types_and_numbers_under_a_right_checksum(name: str, kept: tuple[Path, Path, Path]) -> None:
    *where, entry = kept
    whole = entry.read_bytes()
    entry.write_bytes(changed(whole, CHANGES[name]))
    made_anew(*where, entry, whole)


def test_any_byte_of_the_arrays_under_a_right_checksum_is_no_traceback(kept: tuple[Path, Path, Path]) -> None:
    _, _, entry = kept
    whole, key, random = entry.read_bytes(), bytes.fromhex(entry.name), Random(5)
    begin = START + 40 + int.from_bytes(whole[START + 32 : START + 40], "big")
    for _ in range(300):
        body = bytearray(whole[START:])
        for place in random.sample(range(begin - START, len(body)), 3):
            body[place] = random.choice((0, 1, 127, 128, 255))
        scorer = TrackerScorer()
        try:
            found = from_bytes(sealed(bytes(body)), key, scorer.part)
        except Damaged:
            continue
        scorer.merge(found.part)
        result = scorer.result()
        assert result.scores
        assert result.worst(3) is not None
        assert result.by("turn")
