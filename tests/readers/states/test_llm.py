"""Files of completions: keys, order, notices, errors. test_completion tests the forms of completions."""

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts import llm

from .files import as_json, read_all

AREA = {"hotel-area": "east"}


def lines_of(folder: Path, *rows: Any) -> Path:
    path = folder / "completions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(dialogue_id: Any = "d", turn: Any = 0, completion: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"dialogue_id": dialogue_id, "turn": turn, "completion": completion, **more}


def test_lines_in_any_order(tmp_path: Path) -> None:
    path = lines_of(tmp_path, row("e", 1), row("d", 2), row("e", "0", '{"hotel-area": "east"}'), row("d", 0))
    first, second = read_all(path, "llm")
    assert (first.id, [(turn.number, turn.pred) for turn in first.turns]) == ("e", [(0, AREA), (1, {})])
    assert (second.id, [turn.number for turn in second.turns]) == ("d", [0, 2])


def test_gold_and_utterances_where_given(tmp_path: Path) -> None:
    rows = [
        row(turn=0, gold={"hotel": {"area": "east"}}, user="hi", system=None),
        row(turn=1, gold={"hotel-area": ["east", "west"]}, system="hello"),
        row(turn=2, gold=None),
        row(turn=3, gold={}),
    ]
    (found,) = read_all(lines_of(tmp_path, *rows), "llm")
    assert [turn.gold for turn in found.turns] == [AREA, {"hotel-area": ("east", "west")}, None, {}]
    assert [(turn.user, turn.system) for turn in found.turns[:2]] == [("hi", ""), ("", "hello")]


def test_what_cannot_be_read_is_empty_and_counted_and_listed(tmp_path: Path) -> None:
    rows = [row(f"d{n}", turn, "I do not know.") for n in range(4) for turn in (2, 1, 0)]
    corpus = open_corpus(lines_of(tmp_path, *rows, row("e"), row("f", 0, None)))
    dialogues = list(corpus)
    assert corpus.format == "llm"
    assert [turn.pred for found in dialogues for turn in found.turns] == [{}] * 14
    (notice,) = corpus.notices
    assert (notice.code, notice.count, len(notice.where)) == ("unparsed", 13, 10)
    assert notice.message.startswith("13 completions without a readable state")
    assert notice.where[:4] == ("d0 turn 0", "d0 turn 1", "d0 turn 2", "d1 turn 0")


def test_no_notice_without_need(tmp_path: Path) -> None:
    corpus = open_corpus(lines_of(tmp_path, row(), row(turn=1, completion="none")))
    assert [turn.pred for turn in next(iter(corpus)).turns] == [{}, {}]
    assert corpus.notices == []


@pytest.mark.parametrize("dialogue_key", ["dialogue_id", "dialog_id", "dialogue", "id"])
@pytest.mark.parametrize("turn_key", ["turn", "turn_id", "turn_idx"])
@pytest.mark.parametrize("key", ["completion", "response", "output", "text", "prediction", "generated_text"])
def test_names(tmp_path: Path, dialogue_key: str, turn_key: str, key: str) -> None:
    rows = [{dialogue_key: "d", turn_key: turn, key: '{"hotel-area": "east"}'} for turn in (0, 1)]
    corpus = open_corpus(lines_of(tmp_path, *rows))
    assert corpus.format == "llm"
    (found,) = corpus
    assert [(turn.number, turn.pred) for turn in found.turns] == [(0, AREA), (1, AREA)]


def test_utterances_of_both_speakers_are_counted_in_utt_idx(tmp_path: Path) -> None:
    rows = [{"dialogue_id": "d", "utt_idx": place, "completion": "?"} for place in (4, 0, 2)]
    corpus = open_corpus(lines_of(tmp_path, *rows))
    assert [turn.number for turn in next(iter(corpus)).turns] == [0, 1, 2]
    mixed = [{"dialogue_id": "d", "utt_idx": place, "completion": "?"} for place in (0, 1, 4)]
    corpus = open_corpus(lines_of(tmp_path, *mixed))
    assert [turn.number for found in corpus for turn in found.turns] == [0, 1, 2]
    assert corpus.notices[0].where == ("d turn 0", "d turn 1", "d turn 2")


CHOICES = [{"index": 0, "message": {"role": "assistant", "content": '{"hotel-area": "east"}'}}]


@pytest.mark.parametrize(
    "answer",
    [
        {"id": "chatcmpl-1", "choices": CHOICES},
        {"response": {"choices": CHOICES}},
        {"choices": [{"text": "hotel-area = east"}]},
        {"prediction": {"hotel": {"area": "east"}}},
        {"prediction": ["hotel-area-east"]},
    ],
)
def test_answers_that_are_objects(tmp_path: Path, answer: dict[str, Any]) -> None:
    corpus = open_corpus(lines_of(tmp_path, {"dialogue_id": "d", "turn": 0, **answer}))
    assert corpus.format == "llm"
    assert [turn.pred for found in corpus for turn in found.turns] == [AREA]
    assert corpus.notices == []


def test_one_document(tmp_path: Path) -> None:
    rows = [row(turn=1), row(turn=0, completion='{"hotel-area": "east"}')]
    corpus = open_corpus(as_json(tmp_path, rows))
    assert corpus.format == "llm"
    assert [turn.pred for found in corpus for turn in found.turns] == [AREA, {}]
    pretty = tmp_path / "one.json"
    pretty.write_text(json.dumps({"id": 7, "turn": 0, "output": "none"}, indent=2))
    assert [(found.id, found.turns[0].pred) for found in open_corpus(pretty)] == [("7", {})]


def test_the_page_names_every_key_that_is_tried() -> None:
    page = Path(__file__).parents[3] / "docs" / "formats.md"
    section = page.read_text("utf-8").partition("\n## llm\n")[2].partition("\n## ")[0].replace("\n  ", " ")
    for what, keys in (
        ("dialogue", llm._DIALOGUE_KEYS),
        ("turn", llm._TURN_KEYS),
        ("completion", llm._COMPLETION_KEYS),
    ):
        assert f"- {what}: {', '.join(f'`{key}`' for key in keys)}" in section
