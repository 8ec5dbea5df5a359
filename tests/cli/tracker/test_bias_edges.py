"""``tracker bias`` on input without a result: one line with the reason, and no NaN."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from .. import invoke

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schema" / "tracker-bias.json").read_text("utf-8"))


def call(capsys: pytest.CaptureFixture[str], *words: str) -> invoke.CommandResult:
    return invoke.call(capsys, "tracker", "bias", *words)


@pytest.mark.parametrize(
    ("name", "dialogues", "wrong", "code"),
    [("few", 3, True, "few-dialogues"), ("perfect", 8, False, "no-mistakes"), ("constant", 8, True, "constant")],
)
@pytest.mark.parametrize("style", ["text", "json", "markdown", "latex", "csv"])
def test_nothing_to_correlate(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, dialogues: int, wrong: bool, code: str, style: str
) -> None:
    path = tmp_path / f"{name}.json"
    turn = {"gt": {"inn": {"area": "east"}}, "pr": {"inn": {"area": "west" if wrong else "east"}}}
    path.write_text(json.dumps({f"d{number}": {"0": turn, "1": turn} for number in range(dialogues)}))
    exit_code, out, err = call(capsys, str(path), "--as", style)
    assert exit_code == 0
    assert "nan" not in (out + err).lower()
    assert err.startswith(f"warning: {name}: ")
    if style == "json":
        found = json.loads(out)
        jsonschema.validate(found, SCHEMA)
        assert code in [warning["code"] for warning in found["warnings"]]
        assert all(each["r"] is None and each["reason"] for each in found["correlations"])
    if style == "text":
        assert out.count("The position of mistakes cannot be analysed: ") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing argument"),
        (("{file}", "{file}"), "a file is given twice"),
        (("{file}", "--ci", "0"), "the study needs intervals"),
        (("{file}", "--gold", "a", "--gold", "b"), "once for all files, or once for each of the 1"),
        (("{file}", "--trivial", "lat"), "is not one of"),
        (("{file}", "--measure", "JGB"), "did you mean JGA?"),
        (("{vectors}",), "only which slots are right"),
        (("nowhere.json",), "no such file"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    vectors = tmp_path / "vectors.json"
    vectors.write_text(json.dumps({"d": {"0": [1, 0, 1]}}))
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"d": {"0": {"gt": {}, "pr": {}}}}))
    places = {"file": str(mine), "vectors": str(vectors)}
    code, out, err = call(capsys, *(word.format(**places) for word in words))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
