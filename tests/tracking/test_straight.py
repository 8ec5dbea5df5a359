"""What the straight way has to leave to the long way: nothing that is wrong may pass unseen."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.rules import load
from dialmeter.shards import Span
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import score_file
from dialmeter.tracking.spans import Settings, SpanTask, score_span

FIRST = '{"a-b":"x","c-d":"y"}'


def line(name: str, states: list[tuple[str, str]], more: str = "") -> str:
    turns = ",".join(
        f'{{"turn":{number},"gold":{gold},"pred":{pred}{more}}}' for number, (gold, pred) in enumerate(states)
    )
    return f'{{"dialogue_id":"{name}","turns":[{turns}]}}\n'


def scored(path: Path, bad: str) -> TrackerResult:
    # Enough plain dialogues for a vocabulary that knows every slot and value that follows.
    plain = [line(f"d{n}", [('{"a-b":"x"}', FIRST), (FIRST, f'{{"c-d":"{n}"}}')]) for n in range(100)]
    path.write_text("".join(plain) + bad)
    return score_file(str(path))


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([('{"a-b":"x","a-b":"y"}', FIRST)], "turn 0: 'a-b' stands twice in a state"),
        ([(FIRST, '{"a-b":"x","a-b":"x"}')], "turn 0: 'a-b' stands twice in a state"),
        ([(FIRST, FIRST), ('{"a-b":"x","c-d":"y","a-b":"y"}', FIRST)], "turn 1: 'a-b' stands twice in a state"),
        ([(FIRST, FIRST), (FIRST, '{"a-b":"x","c-d":"y","c-d":"y"}')], "turn 1: 'c-d' stands twice in a state"),
        ([(FIRST, '{"a-b":"x"}'), (FIRST, '{"a-b":"x","a-b":"y"}'), (FIRST, FIRST)], "turn 1: 'a-b' stands twice"),
        ([('{"a-b":"none","a-b":"x"}', FIRST)], "turn 0: 'a-b' stands twice in a state"),
        ([(FIRST, FIRST), ('{"a-b":"x","c-d":"y","e-f":true}', FIRST)], "turn 1, slot e-f"),
        ([(FIRST, FIRST), ('{"a-b":"x","c-d":"y","e-f":false}', FIRST)], "turn 1, slot e-f"),
        ([('[1,":",2]', FIRST)], "turn 0: a state must be an object"),
        ([(FIRST, FIRST), (FIRST, "null")], "1 turns have gold and no prediction"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(states: list[tuple[str, str]], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        scored(tmp_path / "file.jsonl", line("bad", states))
    assert said in str(caught.value)


def test_the_first_state_of_a_file_is_no_exception(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(line("bad", [('{"a-b":false}', '{"a-b":false}')]))
    with pytest.raises(InputError, match="slot a-b"):
        score_file(str(path))


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("doubled", ['"gold":{},', '"pred":{},', '"gold":{"a-b":"x"},'])
def test_a_key_that_stands_twice_in_a_turn(doubled: str, blank: str, tmp_path: Path) -> None:
    good = line("bad", [(FIRST, FIRST)], ',"user":"b","system":"c"')
    bad = good.replace('{"turn"', "{" + doubled + '"turn"')
    spaced = bad.replace(",", "," + blank).replace(":", ":" + blank)
    with pytest.raises(InputError, match="stands twice in a turn"):
        scored(tmp_path / "file.jsonl", spaced)


@pytest.mark.parametrize(
    ("gold", "pred", "right"),
    [
        ('{"a-b":"x\\u007cz"}', '{"a-b":"z"}', 1),
        ('{"a-b":"say \\"x\\""}', '{"a-b":"say \\"x\\""}', 1),
        ('{"a-book day":"x"}', '{"a-day":"x"}', 1),
        ('{"a-b":["x","z"]}', '{"a-b":"z"}', 1),
        ('{"a-b":4}', '{"a-b":"4"}', 1),
        ('{"a-b":"X "}', '{"a-b":"x"}', 1),
        ('{"a-b":"x","c-d":"none"}', '{"a-b":"x"}', 1),
        ("{ }", "{}", 1),
        ('{"a-b":"x"}', '{"a-b":"y"}', 0),
    ],
)
def test_other_ways_to_write_a_state(gold: str, pred: str, right: int, tmp_path: Path) -> None:
    result = scored(tmp_path / "file.jsonl", line("other", [(gold, pred)]))
    assert result.counts["exact_turns"] == right


def test_the_tallies_of_a_span_go_with_it(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text("".join(line(f"d{n}", [(FIRST, '{"a-b":"x"}')]) for n in range(50)))
    gc.collect()
    gc.disable()
    try:
        part = score_span(SpanTask(Span(str(path)), 0, Settings(load("dialmeter")))).part
        book = weakref.ref(part.ledger.main)
        assert len(part.ledger.main.dialogues) == 50
        del part
        assert book() is None
    finally:
        gc.enable()
