"""Patches of gold: their effect, their errors, and every command that accepts one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.invoke import call
from tests.cli.samples import native_lines

from dialmeter.model import Dialogue, Turn
from dialmeter.readers.pairs.state_layouts import StateLayout
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.tracking.gold_patch import Correction, GoldPatch, load_patch

_GOLD = [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-book day": "monday"}]
_RIGHT = [{"hotel-area": "west"}, {"hotel-area": "west", "hotel-day": "monday"}]


def _files(folder: Path) -> tuple[Path, Path]:
    """Predictions with gold that is wrong in one value, and a patch that corrects it."""
    turns = [{"gold": gold, "pred": pred} for gold, pred in zip(_GOLD, _RIGHT, strict=True)]
    path, patch = folder / "pred.jsonl", folder / "patch.json"
    path.write_bytes(native_lines({"d1": turns, "d2": turns}))
    corrections = [Correction(name, "hotel-area", 0, 1, "east", "west") for name in ("D1.json", "d2")]
    patch.write_bytes(GoldPatch(corrections).encoded())
    return path, patch


def test_score_with_patch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, patch = _files(tmp_path)
    before = call(capsys, "score", path, "-f", "json").json["scores"][0]
    after = call(capsys, "score", path, "--set", f"patch={patch}", "-f", "json").json
    assert (before["value"], after["scores"][0]["value"]) == (0, 1)
    assert f"|patch:{load_patch(str(patch)).digest}|" in after["scores"][0]["signature"]
    assert "patch:" not in before["signature"]
    told = "gold is patched: 2 of 2 corrections apply to the scored dialogues"
    assert told in [each["message"] for each in after["warnings"]]


def test_patch_and_inverse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, patch = _files(tmp_path)
    there = load_patch(str(patch))
    inverse = [Correction(c.dialogue, c.slot, c.first, c.last, c.value, c.gold) for c in there.corrections]
    run = tmp_path / "run"
    call(capsys, "score", path, "--set", f"patch={patch}", "--out", run)
    rows = [json.loads(line) for line in (run / "rows.jsonl").read_text().splitlines()]
    patched = tmp_path / "patched.jsonl"
    patched.write_bytes(native_lines({row["id"]: row["turns"] for row in rows}, "gold", "pred"))
    back = tmp_path / "back.json"
    back.write_bytes(GoldPatch(inverse).encoded())
    data = [
        call(capsys, "score", *words, "-f", "json").json["scores"][0]["signature"].split("|data:")[1]
        for words in ([path], [patched, "--set", f"patch={back}"], [patched])
    ]
    assert data[0] == data[1] != data[2]


@pytest.mark.parametrize(
    "words",
    [
        ("score", "PRED"),
        ("check", "PRED"),
        ("compare", "PRED", "trivial:empty", "--set", "resamples=100"),
        ("study", "bias", "PRED", "--set", "resamples=100"),
        ("study", "people", "PRED", "--sheet", "RATINGS"),
        ("study", "rules", "PRED", "-n", "0"),
    ],
    ids=lambda words: words[words[0] == "study"],
)
def test_every_command_takes_patch(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, patch = _files(tmp_path)
    (tmp_path / "ratings.csv").write_text("dialogue,rater,rating\nd1,a,5\nd2,a,1\n")
    places = {"PRED": path, "RATINGS": tmp_path / "ratings.csv"}
    command = [*(places.get(word, word) for word in words), "-f", "json"]
    before, after = call(capsys, *command), call(capsys, *command, "--set", f"patch={patch}")
    assert (before.code, after.code) == (0, 0)
    digest = load_patch(str(patch)).digest
    assert digest in after.out
    assert digest not in before.out


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, patch = _files(tmp_path)
    other = tmp_path / "other.json"
    other.write_bytes(GoldPatch([Correction("d1", "hotel-area", 1, 1, "north", None)]).encoded())
    said = call(capsys, "score", path, "--set", f"patch={other}")
    assert said.code == 2
    place = "dialogue d1, turn 1, slot hotel-area"
    assert said.complaint == f"{other}: {place}: the patch expects 'north' in gold, but gold has 'east'"
    other.write_bytes(GoldPatch([Correction("d1", "hotel-area", 7, 9, "east", None)]).encoded())
    assert (
        "turn 7, slot hotel-area: gold has no such turn"
        in call(capsys, "score", path, "--set", f"patch={other}").complaint
    )
    other.write_text(patch.read_text().replace('"west"', '"north"'))
    assert "the file was edited" in call(capsys, "score", path, "--set", f"patch={other}").complaint
    other.write_text("{}")
    assert "not a patch of gold" in call(capsys, "score", path, "--set", f"patch={other}").complaint
    twice = [Correction("d1", "hotel-area", 0, last, "east", "west") for last in (0, 1)]
    other.write_bytes(GoldPatch(twice).encoded())
    assert "two corrections of one slot" in call(capsys, "score", path, "--set", f"patch={other}").complaint
    assert "no such file" in call(capsys, "score", path, "--set", f"patch={tmp_path / 'none.json'}").complaint
    said = call(capsys, "score", path, "--set", f"patch={patch}", "--set", "state=update")
    assert said.complaint == "a patch corrects cumulative gold states; it cannot be used with state=update"


def test_digest_of_corrections_order() -> None:
    one = Correction("a", "hotel-area", 0, 1, "east", None)
    other = Correction("b", "hotel-area", 0, 1, None, "east")
    assert GoldPatch([one, other]).digest == GoldPatch([other, one]).digest != GoldPatch([one]).digest


def test_value_added_under_file_name(tmp_path: Path) -> None:
    patch = tmp_path / "patch.json"
    patch.write_bytes(GoldPatch([Correction("d1", "hotel-book day", 0, 0, None, "friday")]).encoded())
    words = Vocabulary()
    states = ({}, {"hotel": {"semi": {"area": "east"}, "book": {"day": "monday"}}})
    turns = tuple(Turn(number, state) for number, state in enumerate(states))  # type: ignore[arg-type]
    read = words.number_dialogue(Dialogue("d1", turns), StateLayout("sections"))
    found = load_patch(str(patch)).apply(read, words).gold[0]
    assert found is not None
    assert [words.cell(pair) for pair in found] == [("hotel", "book", "day")]
