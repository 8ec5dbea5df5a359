"""``tracker bias`` on input without a result: one line with the reason, and no NaN."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..invoke import Cli

COMMAND = "tracker bias"


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
    _, out, err = cli(str(path), "--as", style)
    assert "nan" not in (out + err).lower()
    assert err.startswith(f"warning: {name}: ")
    if style == "json":
        found = cli.json(path)
        assert code in [warning["code"] for warning in found["warnings"]]
        assert all(each["r"] is None and each["reason"] for each in found["correlations"])
    if style == "text":
        assert out.count("The position of mistakes cannot be analysed: ") == 1
