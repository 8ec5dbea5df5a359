"""``study bias`` as a user types it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ..invoke import Cli

COMMAND = "study bias"


def written(path: Path, dialogues: int = 40, order: int | None = None) -> str:
    """A tracker that forgets one of four slots at one turn, or none, depending on the dialogue."""
    document = {}
    for number in range(dialogues):
        turns = 3 + number % 4
        gold = [{f"s{turn}": str(number) for turn in range(upto + 1)} for upto in range(turns)]
        gone = f"s{number % 5}"
        document[f"d{number:02d}"] = {
            str(turn): {"gt": {"inn": state}, "pr": {"inn": {slot: v for slot, v in state.items() if slot != gone}}}
            for turn, state in enumerate(gold)
        }
    if order is not None:
        names = list(document)
        random.Random(order).shuffle(names)
        document = {name: document[name] for name in names}
    path.write_text(json.dumps(document))
    return str(path)


def test_json_against_schema(cli: Cli, tmp_path: Path) -> None:
    file = written(tmp_path / "mine.json")
    found = cli.json(file, "--measure", "JGA", "--measure", "GCA", "--measure", "FGA(lam=0.5)")
    assert len(found["correlations"]) == 4 * 3 * 3
    assert len(found["pairs"]) == 4 * 3 * 3
    assert len(found["between"]) == 3 * 3
    assert len(found["verdicts"]) == 4 * 2 * 3
    assert all(score["ci"] for score in found["scores"])
    assert "dialogues" not in found
    rows = cli.json(file, "-v")
    assert len(rows["dialogues"]) == rows["counts"]["dialogues"] == 40


def test_several_files_pooled(cli: Cli, tmp_path: Path) -> None:
    files = [written(tmp_path / "a.json"), written(tmp_path / "b.json", 30)]
    found = cli.json(*files, "--measure", "JGA", "--measure", "GCA", "-v")
    assert list(dict.fromkeys(each["system"] for each in found["correlations"])) == ["a", "b", "pooled"]
    assert {each["system"] for each in found["scores"]} == {"a", "b"}
    assert found["counts"] | {"turns": 0} == {
        "systems": 2,
        "dialogues": 70,
        "turns": 0,
        "dialogues_with_mistakes": sum(any(row["mistakes"]) for row in found["dialogues"]),
    }
    [pooled] = [
        each
        for each in found["correlations"]
        if (each["system"], each["trait"], each["measure"], each["filter"]) == ("pooled", "TO", "JGA", "none")
    ]
    assert pooled["n"] == 70
    assert "repeated-dialogues" in [warning["code"] for warning in found["warnings"]]


@pytest.mark.parametrize(
    ("name", "dialogues", "wrong", "code"),
    [("few", 3, True, "few-dialogues"), ("perfect", 8, False, "no-mistakes"), ("constant", 8, True, "constant")],
)
@pytest.mark.parametrize("style", ["text", "json", "markdown", "latex", "csv"])
def test_nothing_to_correlate(
    cli: Cli, tmp_path: Path, name: str, dialogues: int, wrong: bool, code: str, style: str
) -> None:
    path = tmp_path / f"{name}.json"
    turn = {"gt": {"inn": {"area": "east"}}, "pr": {"inn": {"area": "west" if wrong else "east"}}}
    path.write_text(json.dumps({f"d{number}": {"0": turn, "1": turn} for number in range(dialogues)}))
    _, out, err = cli(str(path), "-f", style)
    assert "nan" not in (out + err).lower()
    assert err.startswith(f"warning: {name}: ")
    if style == "json":
        found = cli.json(path)
        assert code in [warning["code"] for warning in found["warnings"]]
        assert all(each["r"] is None and each["reason"] for each in found["correlations"])
    if style == "text":
        assert out.startswith("CANNOT TELL: ")
