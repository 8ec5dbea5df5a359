"""Tables with one row per turn, and variants of native lines."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.validation import Role

from ...cli.invoke import Cli


def read(path: Path, format: str | None = None, role: Role = Role.BOTH) -> list[tuple[str, int, Any, Any]]:
    corpus = open_corpus(path, role, format)
    return [(each.id, turn.number, turn.gold, turn.pred) for each in corpus for turn in each.turns]


def file_of(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


EAST = {"hotel-area": "east"}


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.csv", 'id,turn,gold,pred\nd,0,"{""hotel"": {""area"": ""east""}}","[""hotel-area-east""]"\n', None),
        ("b.csv", "dial_id;turn_id;label;belief\nd;0;{'hotel-area': 'east'};{'hotel-area': 'east'}\n", None),
        ("c.tsv", "\ufeffid\tturn\tgold:hotel-area\tpred_hotel-area\nd\t0.0\teast\teast\n", None),
        ("d.csv", 'conv,step,truth,guess\nd,0,{},"{}"\n', "rows(dialogue=conv, turn=step, gold=truth, pred=guess)"),
        (
            "e.jsonl",
            '{"id": "d", "turn": 0, "state": {"hotel-area": "east"}, "pred_state": ["hotel-area-east"]}\n',
            None,
        ),
        (
            "g.csv",
            "Dialogue ID;Turn ID;Gold State;Predicted State\r\nd;0;{'hotel-area': 'east'};{'hotel-area': 'east'}\r\n;;;\r\n",
            None,
        ),
        ("h.csv", "dialogue_id,turn,gold,pred\rd,0,{'hotel-area': 'east'},{'hotel-area': 'east'}\r", None),
        ("f.json", '[{"id": "d", "turn": "0", "gold_state": {"hotel": {"area": "east"}}, "belief": {}}]', None),
    ],
)
def test_the_usual_ways_to_write_a_table(name: str, text: str, format: str | None, tmp_path: Path) -> None:
    found = open_corpus(file_of(tmp_path, name, text), format=format)
    assert found.format == "rows"
    [(dialogue, number, gold, pred)] = read(tmp_path / name, format)
    assert (dialogue, number) == ("d", 0)
    assert gold == ({} if name == "d.csv" else EAST)
    assert pred == ({} if name in ("d.csv", "f.json") else EAST)


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `tables` is not installed")
    pyarrow = pytest.importorskip("pyarrow")
    rows = [
        {
            "dialogue_id": "d",
            "turn": 0,
            "gold": {"hotel-area": "east", "hotel-stars": None},
            "pred": '["hotel-area-east"]',
        }
    ]
    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    assert read(path) == [("d", 0, EAST, EAST)]
    whole = path.read_bytes()
    for step in range(1, 11):
        path.write_bytes(whole[: len(whole) * step // 11])
        with pytest.raises(InputError, match="invalid Parquet file"):
            read(path)


def test_one_state_is_what_the_role_says(tmp_path: Path) -> None:
    path = file_of(tmp_path, "a.csv", "id,turn,hotel-area\nd,0,east\nd,1,\n")
    assert read(path, role=Role.PRED) == [("d", 0, None, EAST), ("d", 1, None, {})]
    assert read(path, role=Role.GOLD) == [("d", 0, EAST, None), ("d", 1, {}, None)]


NAMED_OTHERWISE = {
    "a.csv": 'dialogue_id,turn,gold,predicted\nd,0,{},{}\nd,1,"{""hotel-area"": ""east""}","{""hotel-area"": ""east""}"\n',
    "d.tsv": "id\tturn\tgold\thistory\tguess\nd\t0\t{'hotel-area': 'east'}\t['hello']\t['hotel-area-east']\n",
}


@pytest.mark.parametrize("name", NAMED_OTHERWISE)
def test_other_name_of_predictions(name: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, name, NAMED_OTHERWISE[name])
    corpus = open_corpus(path)
    assert [turn.gold == turn.pred for each in corpus for turn in each.turns] == [True] * (2 if name == "a.csv" else 1)
    assert corpus.notices[0].message.endswith(f'pred={"guess" if name == "d.tsv" else "predicted"}"')


def test_a_table_of_gold_alone(tmp_path: Path) -> None:
    """Other columns, also a list of utterances, are not taken for states; neither are they if the role is gold."""
    text = '{"id": "d", "turn": 0, "gold": {"hotel-area": "east"}, "history": ["a-b c", "hello"], "note": "{"}\n'
    for path, role in (
        (file_of(tmp_path, "a.jsonl", text), Role.BOTH),
        (file_of(tmp_path, "b.csv", NAMED_OTHERWISE["a.csv"]), Role.GOLD),
    ):
        corpus = open_corpus(path, role)
        assert [each.id for each in corpus] == ["d"]
        assert corpus.notices == []


def test_without_turns_the_order_counts(tmp_path: Path) -> None:
    path = file_of(tmp_path, "a.csv", "id,gold,pred\nd,{},{}\ne,{},{}\nd,{},{}\n")
    for format in (None, "rows"):
        corpus = open_corpus(path, format=format)
        assert [(each.id, len(each.turns)) for each in corpus] == [("d", 2), ("e", 1)]
        assert [each.code for each in corpus.notices] == ["read-as"]


def test_fields_on_the_command_line(tmp_path: Path, cli: Cli) -> None:
    path = file_of(tmp_path, "a.csv", "conv,turn,gold,mine\nd,0,{},{}\n")
    words = ("score", path, "--measure", "JGA", "--set", "ci=0", "-f", "json")
    assert "no format" not in cli(*words, code=2).err
    assert cli(*words, "--columns", "dialogue=conv", "--columns", "pred=mine").json["scores"][0]["value"] == 1
    assert "did you mean mine?" in cli.refused(*words, "--columns", "dialogue=conv", "--columns", "pred=mien")
    assert "unknown key 'prd'; did you mean pred?" in cli.refused(*words, "--columns", "prd=mine")
    assert "must be KEY=NAME" in cli.refused(*words, "--columns", "mine")
    assert "not to nested" in cli.refused(*words, "--from", "nested", "--columns", "pred=mine")


def native(tmp_path: Path, *turns: dict[str, Any]) -> Path:
    return file_of(tmp_path, "a.jsonl", json.dumps({"dialogue_id": 7, "turns": list(turns)}) + "\n")


def test_native_lines_in_other_ways(tmp_path: Path) -> None:
    path = native(
        tmp_path,
        {"gold": {"hotel": {"area": "east", "parking": True}}, "pred": ["hotel-area-east"]},
        {"gold": {"hotel-area": "east", "hotel-parking": "yes"}, "pred": {"hotel-parking": False}},
    )
    corpus = open_corpus(path)
    [found] = corpus
    assert found.id == "7"
    assert [(turn.gold, turn.pred) for turn in found.turns] == [
        ({"hotel-area": "east", "hotel-parking": "yes"}, EAST),
        ({"hotel-area": "east", "hotel-parking": "yes"}, {"hotel-parking": "no"}),
    ]
    assert [(each.code, each.count, each.where) for each in corpus.notices] == [("yes-no", 2, ("hotel-parking",))]


def test_true_beside_other_values_is_refused(tmp_path: Path) -> None:
    path = native(tmp_path, {"gold": {"hotel-parking": "free"}, "pred": {"hotel-parking": True}})
    with pytest.raises(
        InputError,
        match="dialogue 7, turn 0, slot hotel-parking: the value is true or false, but other values are like 'free'",
    ):
        read(path)


@pytest.mark.parametrize(
    "state", [{"hotel": {"area": "east"}, "hotel-area": "west"}, ["hotel-area-east", "hotel-area-west"]]
)
def test_a_slot_in_two_ways_is_refused(state: Any, tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="slot hotel-area: duplicate slot"):
        read(native(tmp_path, {"gold": {}, "pred": state}))


def test_a_table_without_states(tmp_path: Path) -> None:
    path = file_of(tmp_path, "a.csv", "dialogue_id,turn,user\nd,0,hello\n")
    with pytest.raises(
        InputError, match="the closest format is rows, which also needs one of gold, pred, state, prediction"
    ):
        read(path, format="rows")


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("dialogue_id,turn,gold,pred\nd\xfc,0,{},{}\n".encode("latin-1"))
    opened = open_corpus(path, Role.BOTH)
    assert [dialogue.id for dialogue in opened] == ["d\xfc"]
    assert "not UTF-8 text; it is read as Windows-1252" in [notice.message for notice in opened.notices]
    path.write_bytes("dialogue_id,turn,gold,pred\n\u4f60\u597d\u5417,0,{},{}\n".encode("gbk"))
    with pytest.raises(InputError, match=r"not UTF-8 text \(byte 27\); save it as UTF-8"):
        read(path)


def test_a_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(DialmeterError, match=r"save the sheet as CSV, UTF-8.*pip install 'dialmeter\[tables\]'"):
        read(tmp_path / "a.xlsx")
