"""A number that is too large for a float is an error with its place, not "inf"."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus

NATIVE = '{"dialogue_id": "d", "turns": [{"turn": 0, "gold": {"a-b": %s}, "pred": {}}]}\n'
NESTED = '{"d": {"0": {"gt": {"a": {"b": %s}}, "pr": {}}}}'


@pytest.mark.parametrize("number", ["1e400", "-1E999", "[1e400]"])
@pytest.mark.parametrize(("layout", "place"), [(NATIVE, "line 1"), (NESTED, "dialogue d")])
def test_refused(tmp_path: Path, layout: str, place: str, number: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(layout.replace("%s", number), "utf-8")
    with pytest.raises(InputError, match=rf"file.json: {place}: {number.strip('[]')} is too large a number"):
        list(open_corpus(path))


def test_large_ones_that_are_none_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(NATIVE % "1e300", "utf-8")
    [found] = open_corpus(path)
    assert found.turns[0].gold == {"a-b": "1e+300"}
