"""One corpus in every format: identical scores, the same data hash, and an error for every truncated file."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.measure import Score
from dialmeter.model import Dialogue
from dialmeter.readers.corpus import open_corpus
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules, change, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file

from .layouts import LAYOUTS, OF_LINES, OF_ONE_TURN, OF_TEXT, WITHOUT_DELETIONS, Written
from .talks import of_one_turn, talks, without_alternatives, without_deletions

MEASURES = (
    "JGA",
    "SA(slots=30)",
    "AGA",
    "IAGA",
    "RSA",
    "FGA(lam=0.5)",
    "GCA",
    "SlotF1",
    "JointF1",
    "FinalJGA",
    "DialogueAccuracy",
)
ALL = {**LAYOUTS, **WITHOUT_DELETIONS, **OF_ONE_TURN}


@cache
def corpus_for(layout: str) -> list[Dialogue]:
    if layout.startswith("t5-text"):
        return of_one_turn(without_alternatives(talks()))
    if layout in OF_ONE_TURN:
        return of_one_turn(talks())
    return without_deletions(talks()) if layout in WITHOUT_DELETIONS else talks()


def scored(dialogues: list[Dialogue], under: Rules) -> list[Score]:
    """Every measure with its signature, which includes the hash of gold."""
    scorer = TrackerScorer(MEASURES, under)
    for found in dialogues:
        scorer.add_dialogue(found)
    return scorer.result().scores


def scored_file(written: Written, under: Rules) -> TrackerResult:
    return score_file(str(written.path), str(written.gold) if written.gold else None, measures=MEASURES, rules=under)


def files_of(written: Written) -> list[tuple[Path, str]]:
    return [(written.path, written.format), *([(written.gold, written.gold_format)] if written.gold else [])]


def test_the_corpus_has_all_that_layouts_may_differ_in() -> None:
    turns = [turn for found in talks() for turn in found.turns]
    golds = [dict(turn.gold or {}) for turn in turns]
    values = [value for gold in golds for value in gold.values()]
    assert len(talks()) == 20
    assert {} in golds
    assert "dontcare" in values
    assert any(isinstance(value, tuple) for value in values)
    assert any("-" in value for value in values)
    for side in ("gold", "pred"):
        assert any(
            getattr(before, side).keys() - getattr(now, side).keys()
            for found in talks()
            for before, now in zip(found.turns, found.turns[1:], strict=False)
        )
    assert all(0 < (each.value or 0) < 1 for each in scored(talks(), named("dialmeter")))


@pytest.mark.parametrize("layout", ALL)
@pytest.mark.parametrize("under", ["dialmeter", "fga-repo"])
def test_same_scores_and_same_hash(layout: str, under: str, tmp_path: Path) -> None:
    rules = change(named(under), names="multiwoz")
    written = ALL[layout](tmp_path, corpus_for(layout))
    found = scored_file(written, rules)
    assert found.scores == scored(corpus_for(layout), rules)
    assert not {"missing", "extra", "clash"} & {notice.code for notice in found.notices}


TWO_SPELLINGS = (
    "nested", "llm", "llm, tool calls", "rows", "rows in csv", "ic-dst", "mwzeval", "multiwoz", "test_dials",
)  # fmt: skip
"""Formats whose files write some gold slots differently from predicted slots."""


@pytest.mark.parametrize("layout", ALL)
def test_names_as_they_are_make_spellings_count(layout: str, tmp_path: Path) -> None:
    written = ALL[layout](tmp_path, corpus_for(layout))
    as_written = scored_file(written, named("fga-repo"))
    joined = scored_file(written, change(named("fga-repo"), names="multiwoz"))
    assert as_written.gold == joined.gold
    if layout.partition(".")[0] in TWO_SPELLINGS:
        assert (as_written.scores[1].value or 0) < (joined.scores[1].value or 0)
    else:
        assert [each.value for each in as_written.scores] == [each.value for each in joined.scores]


@pytest.mark.parametrize("layout", ALL)
def test_the_format_is_found(layout: str, tmp_path: Path) -> None:
    written = ALL[layout](tmp_path, corpus_for(layout))
    for path, format in files_of(written):
        corpus = open_corpus(path)
        assert corpus.format == format
        assert len(list(corpus)) == len(corpus_for(layout))


@pytest.mark.parametrize("layout", ALL)
def test_a_file_that_is_cut_off_is_reported_in_one_line(layout: str, tmp_path: Path) -> None:
    written = ALL[layout](tmp_path, corpus_for(layout))
    for path, format in files_of(written):
        part = path / "dialogues_001.json" if path.is_dir() else path
        whole = part.read_bytes()
        for length in cuts(whole, format):
            part.write_bytes(whole[:length])
            with pytest.raises(InputError) as caught:
                list(open_corpus(path))
            assert "\n" not in str(caught.value)
            assert str(part) in str(caught.value)
        part.write_bytes(whole)


def cuts(whole: bytes, format: str) -> list[int]:
    """Ten offsets inside a file at which truncation leaves an incomplete file."""
    places = [len(whole) * step // 11 for step in range(1, 11)]
    if format == "fga-text" and whole.startswith(b"Dialogue"):
        # A sheet without its last turns is valid. Only a truncated state can be detected.
        return [whole.index(b": {'", place) + 3 for place in places[:-1]] + [whole.rindex(b": {'") + 3]
    return [next(at for at in range(place, 0, -1) if not _ends_whole(whole[:at])) for place in places]


def _ends_whole(part: bytes) -> bool:
    """Return True if the last line of the part is valid JSON."""
    try:
        json.loads(part.rstrip().rpartition(b"\n")[2])
    except ValueError:
        return False
    return True


WRONG = (None, True, 7, -1, 2.5, "", "x", [], {}, [None], [[]], [{}], {"": None}, {"a": []})


@pytest.mark.parametrize("layout", [name for name in ALL if "." not in name and name not in OF_TEXT])
def test_a_wrong_type_anywhere_is_no_traceback(layout: str, tmp_path: Path) -> None:
    written = ALL[layout](tmp_path, corpus_for(layout)[:3])
    draw = random.Random(layout)
    for path, format in files_of(written):
        part = path / "dialogues_001.json" if path.is_dir() else path
        lines = part.read_bytes().splitlines() if format in OF_LINES else [part.read_bytes()]
        said = []
        for _ in range(40):
            changed = [json.loads(line) for line in lines]
            _spoil(changed, draw)
            part.write_text("\n".join(map(json.dumps, changed)), encoding="utf-8")
            said.append(complaint_of(path, format))
        assert any(said)
        assert not any("\n" in each for each in said)


def complaint_of(path: Path, format: str) -> str:
    try:
        list(open_corpus(path, format=format))
    except InputError as error:
        return str(error)
    return ""


def _spoil(thing: Any, draw: random.Random) -> None:
    """Put an invalid value at a random position of any depth."""
    place = draw.choice(list(thing) if isinstance(thing, dict) else range(len(thing)))
    if isinstance(thing[place], dict | list) and thing[place] and draw.random() < 0.85:
        _spoil(thing[place], draw)
    else:
        thing[place] = draw.choice(WRONG)
