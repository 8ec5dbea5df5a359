"""Dialogues are read in batches, but an error in a file still comes after the dialogues before it."""

from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.parts import Role
from dialmeter.tracking.align import read_ahead

_LINE = '{"dialogue_id": "%s", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {}}]}\n'


@pytest.mark.parametrize("count", [0, 1, 62, 63, 64, 150])
def test_an_error_comes_after_the_dialogues_before_it(tmp_path: Path, count: int) -> None:
    path = tmp_path / "pred.jsonl"
    path.write_text("".join(_LINE % number for number in range(count)) + _LINE % "last" + '{"dialogue_id": "cut')
    found = []
    with pytest.raises(InputError, match=f"line {count + 2}"):
        found.extend(each.id for each in read_ahead(open_corpus(path, Role.BOTH).numbered(Vocabulary())))
    assert found == [*map(str, range(count)), "last"]
