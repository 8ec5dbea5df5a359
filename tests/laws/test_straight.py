"""The straight way over native lines says what the long way says, to the last bit."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from dialmeter.model import Dialogue, Turn
from dialmeter.tracking.scorer import TrackerScorer, score_file

from .corpora import ALTERNATIVES, PLAIN, SPELLINGS, corpora, law, scored

LAYOUTS = {"compact": (",", ":"), "with blanks": (", ", ": "), "with blanks after commas": (", ", ":")}


def numbered(corpus: list[Dialogue]) -> list[Dialogue]:
    """Turns from 0 on without gaps, which is what the straight way takes."""
    return [
        Dialogue(each.id, tuple(Turn(number, turn.gold, turn.pred) for number, turn in enumerate(each.turns)))
        for each in corpus
    ]


def write(corpus: list[Dialogue], path: Path, separators: tuple[str, str]) -> None:
    lines = [
        {
            "dialogue_id": each.id,
            "turns": [{"turn": turn.number, "gold": turn.gold, "pred": turn.pred, "user": "a"} for turn in each.turns],
        }
        for each in corpus
    ]
    path.write_text("".join(json.dumps(line, separators=separators) + "\n" for line in lines))


@pytest.mark.parametrize("layout", LAYOUTS)
@law
@given(
    corpus=corpora((*PLAIN, *SPELLINGS, *ALTERNATIVES), (*PLAIN, *SPELLINGS, "1|2", "[DELETE]")).map(numbered),
)
def test_both_ways_say_the_same(layout: str, corpus: list[Dialogue]) -> None:
    plain = Dialogue("plain", (Turn(0, gold={"taxi-to": "1"}, pred={"taxi-to": "1"}),))
    whole = [plain, *corpus]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        write(whole, path, LAYOUTS[layout])
        straight = score_file(str(path))
    long = scored(whole)
    assert [(each.measure, each.value, each.signature) for each in straight.scores] == [
        (each.measure, each.value, each.signature) for each in long.scores
    ]
    assert straight.counts == long.counts
    assert straight.notices == long.notices


def test_common_rules_and_measures_take_the_straight_way() -> None:
    assert TrackerScorer()._straight is not None
    assert TrackerScorer(rules="gca-repo")._straight is None
    assert TrackerScorer(by=["domain"])._straight is None
