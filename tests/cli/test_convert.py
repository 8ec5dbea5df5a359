"""``convert`` as a user types it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from dialmeter import convert
from dialmeter.readers.raw_file import zstd_module

from .invoke import Cli
from .samples import TOWN, native_lines, town, written


def states(data: bytes) -> dict[str, list[tuple[int, object, object]]]:
    """Return the content of JSON lines."""
    found = map(json.loads, data.splitlines())
    return {
        each["dialogue_id"]: [(turn["turn"], turn.get("gold"), turn.get("pred")) for turn in each["turns"]]
        for each in found
    }


def test_native_stays_native(tmp_path: Path, cli: Cli) -> None:
    file = town(tmp_path)
    cli("convert", file, tmp_path / "once.jsonl")
    cli("convert", tmp_path / "once.jsonl", tmp_path / "twice.jsonl")
    once = (tmp_path / "once.jsonl").read_bytes()
    assert once == (tmp_path / "twice.jsonl").read_bytes()
    users = [turn["user"] for line in once.splitlines() for turn in json.loads(line)["turns"]]
    assert users == [turn["user"] for turns in TOWN.values() for turn in turns]


def test_slots_and_values_unchanged(tmp_path: Path, cli: Cli) -> None:
    hotel = {"book day": "Monday", "bookday": ["a|b"], "priceRange": [], "people": ["1", "2"], "name": ""}
    file = written(tmp_path / "p.json", json.dumps({"d1": {"0": {"gt": {"hotel": hotel}, "pr": {}}}}))
    cli("convert", file, tmp_path / "once.jsonl")
    assert states((tmp_path / "once.jsonl").read_bytes()) == {
        "d1": [(0, {f"hotel-{slot}": value for slot, value in hotel.items()}, {})]
    }
    cli("convert", tmp_path / "once.jsonl", tmp_path / "twice.jsonl")
    assert (tmp_path / "once.jsonl").read_bytes() == (tmp_path / "twice.jsonl").read_bytes()


def test_compressed_by_name(tmp_path: Path, cli: Cli) -> None:
    file = town(tmp_path)
    for name in ("plain.jsonl", "one.gz", "two.gz", "one.zst"):
        cli("convert", file, tmp_path / name)
    plain = (tmp_path / "plain.jsonl").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == plain
    assert zstd_module().decompress((tmp_path / "one.zst").read_bytes()) == plain
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_python_compresses_by_name(tmp_path: Path, cli: Cli) -> None:
    """The bytes of a file are the same from Python and from the command."""
    file = town(tmp_path)
    for name in ("town.csv.gz", "town.jsonl.zst"):
        cli("convert", file, tmp_path / name)
        convert(file, tmp_path / f"python-{name}")
        assert (tmp_path / f"python-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_file_going_bad(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.jsonl", native_lines(TOWN)[:-20])
    cli("convert", file, tmp_path / "out.jsonl", code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]
