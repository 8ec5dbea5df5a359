"""``convert`` as a user types it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dialmeter.readers.raw_file import zstd_module

from .invoke import Cli, call_process
from .samples import TOWN, native_lines, nested_document, town, written


def states(data: bytes) -> dict[str, list[tuple[int, object, object]]]:
    """Return the content of JSON lines."""
    found = map(json.loads, data.splitlines())
    return {
        each["dialogue_id"]: [(turn["turn"], turn.get("gold"), turn.get("pred")) for turn in each["turns"]]
        for each in found
    }


def test_a_layout_becomes_native(tmp_path: Path, cli: Cli) -> None:
    nested = written(tmp_path / "town.json", nested_document(TOWN))
    result = cli("convert", nested, tmp_path / "out.jsonl")
    assert (result.out, result.err) == ("", "3 dialogues from nested to native\n")
    assert states((tmp_path / "out.jsonl").read_bytes()) == states(native_lines(TOWN))
    assert cli("convert", nested, tmp_path / "quiet.jsonl", "--quiet").err == ""


def test_native_stays_native(tmp_path: Path, cli: Cli) -> None:
    file = town(tmp_path)
    cli("convert", file, tmp_path / "once.jsonl")
    cli("convert", tmp_path / "once.jsonl", tmp_path / "twice.jsonl")
    once = (tmp_path / "once.jsonl").read_bytes()
    assert once == (tmp_path / "twice.jsonl").read_bytes()
    users = [turn["user"] for line in once.splitlines() for turn in json.loads(line)["turns"]]
    assert users == [turn["user"] for turns in TOWN.values() for turn in turns]


def test_gold_and_predictions_become_one(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
    cli("convert", pred, tmp_path / "out.jsonl", "--gold", gold)
    assert states((tmp_path / "out.jsonl").read_bytes()) == states(native_lines(TOWN))


@pytest.mark.parametrize("role", ["gold", "pred"])
def test_one_state_per_turn_has_the_role_that_is_named(role: str, tmp_path: Path, cli: Cli) -> None:
    file = written(
        tmp_path / "p.json", json.dumps({"d1": [{"response": "", "state": {"taxi": {"leave at": "17:15"}}}]})
    )
    cli("convert", file, tmp_path / "out.jsonl", "--role", role)
    [turn] = json.loads((tmp_path / "out.jsonl").read_text())["turns"]
    assert turn[role] == {"taxi-leave at": "17:15"}
    assert {"gold", "pred"} & turn.keys() == {role}


def test_slots_and_values_stay_as_they_are_written(tmp_path: Path, cli: Cli) -> None:
    hotel = {"book day": "Monday", "bookday": ["a|b"], "priceRange": [], "people": ["1", "2"], "name": ""}
    file = written(tmp_path / "p.json", json.dumps({"d1": {"0": {"gt": {"hotel": hotel}, "pr": {}}}}))
    cli("convert", file, tmp_path / "once.jsonl")
    assert states((tmp_path / "once.jsonl").read_bytes()) == {
        "d1": [(0, {f"hotel-{slot}": value for slot, value in hotel.items()}, {})]
    }
    cli("convert", tmp_path / "once.jsonl", tmp_path / "twice.jsonl")
    assert (tmp_path / "once.jsonl").read_bytes() == (tmp_path / "twice.jsonl").read_bytes()


def test_slots_named_without_a_value_are_left_out(tmp_path: Path, cli: Cli) -> None:
    entry = {
        "dialogue_id": "d1",
        "utt_idx": 0,
        "state": {"hotel": {"area": "", "name": "x"}},
        "predictions": {"state": {}},
    }
    file = written(tmp_path / "p.json", json.dumps([entry]))
    cli("convert", file, tmp_path / "out.jsonl")
    assert states((tmp_path / "out.jsonl").read_bytes()) == {"d1": [(0, {"hotel-name": "x"}, {})]}


def test_compressed_by_the_name(tmp_path: Path, cli: Cli) -> None:
    file = town(tmp_path)
    for name in ("plain.jsonl", "one.gz", "two.gz", "one.zst"):
        cli("convert", file, tmp_path / name)
    plain = (tmp_path / "plain.jsonl").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == plain
    assert zstd_module().decompress((tmp_path / "one.zst").read_bytes()) == plain
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_pipes(tmp_path: Path) -> None:
    result = call_process("convert", "-", "-", stdin=nested_document(TOWN), cwd=tmp_path)
    assert result.code == 0
    assert states(result.out.encode()) == states(native_lines(TOWN))
    assert result.err == "3 dialogues from nested to native\n"
    scored = call_process("tracker", "score", "-", "--json", stdin=result.out.encode(), cwd=tmp_path)
    assert scored.json["scores"][0]["value"] == 0.5


def test_a_converted_file_scores_the_same(tmp_path: Path, cli: Cli) -> None:
    nested = written(tmp_path / "town.json", nested_document(TOWN))
    cli("convert", nested, tmp_path / "out.jsonl")
    one, other = (cli.json("tracker", "score", each) for each in (nested, tmp_path / "out.jsonl"))
    assert one["scores"] == other["scores"]


def test_a_file_that_goes_bad_leaves_nothing(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "p.jsonl", native_lines(TOWN)[:-20])
    cli("convert", file, tmp_path / "out.jsonl", code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]
