"""Files of trackers with states as texts: sheets of FGA, and lines of T5 with the figures of the published script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Dialogue
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.formats import FORMATS
from dialmeter.readers.layouts.tracker_texts import FgaText, T5Text, state_in
from dialmeter.readers.literals import LONGEST, python_literal
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.source import Sample, Source
from dialmeter.readers.validation import Role
from dialmeter.tracking.align import GoldFile, open_pair, plain_dialogues, read_pair
from dialmeter.tracking.baselines import trivial
from dialmeter.tracking.rule_sets.rules import named

from ...shared_data import shared
from .files import complaint, read_all

SHEET = """Dialogue ID : MUL1.json
----------------------
Turn: 1
Sys : We have two.
Or three.
Usr : The first: please

GT  : {'hotel': {'area': 'east', 'book day': 'sunday'}}
PR  : {'hotel': {'area': 'east'},
       'taxi': {'leaveAt': '17:15'}}

Matched : False

----------------------
Turn: 0
Sys :
Usr : Hello
GT  : {{}}
PR  : {}

Matched : True
----------------------
"""


def sheet(folder: Path, text: str, name: str = "sheet.txt") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def turn(number: Any = 0, gold: Any = "{}", pred: Any = "{}") -> str:
    return f"Turn: {number}\nSys : s\nUsr : u\nGT  : {gold}\nPR  : {pred}\n"


def test_a_sheet(tmp_path: Path) -> None:
    corpus = open_corpus(sheet(tmp_path, SHEET + "Dialogue ID : MUL2.json\n" + turn()))
    assert corpus.format == "fga-text"
    first, second = corpus
    assert (first.id, second.id) == ("MUL1.json", "MUL2.json")
    opening, answer = first.turns
    assert (opening.number, opening.gold, opening.pred, opening.user, opening.system) == (0, {}, {}, "Hello", "")
    assert answer.gold == {"hotel-area": "east", "hotel-book day": "sunday"}
    assert answer.pred == {"hotel-area": "east", "taxi-leaveAt": "17:15"}
    assert (answer.system, answer.user) == ("We have two.\nOr three.", "The first: please")


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    plain = sheet(tmp_path, SHEET)
    marked = tmp_path / "marked.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + SHEET.replace("\n", "\r\n").encode())
    corpus = open_corpus(marked)
    assert list(corpus) == list(open_corpus(plain))
    assert corpus.format == "fga-text"


def test_a_folder_of_sheets(tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    sheet(folder, "Dialogue ID : b\n" + turn(), "2.txt")
    sheet(folder, "Dialogue ID : a\n" + turn(), "1.txt")
    corpus = open_corpus(folder)
    assert corpus.format == "fga-text"
    assert [found.id for found in corpus] == ["a", "b"]
    bad = sheet(folder, "Dialogue ID : B\n" + turn(), "3.txt")
    with pytest.raises(InputError, match="duplicate dialogue id") as caught:
        list(open_corpus(folder))
    assert caught.value.file == str(bad)


def test_a_folder_without_sheets(tmp_path: Path) -> None:
    assert complaint(tmp_path, "fga-text") == "a folder without .txt files"
    assert not FgaText.detect(Sample("folder", tmp_path))
    sheet(tmp_path, "read me", "readme.txt")
    assert not FgaText.detect(Sample("folder", tmp_path))


def test_the_published_sheet_is_the_published_dialogue() -> None:
    (found,) = open_corpus(shared("data", "tracking", "fga_text_MUL0144.txt"))
    published = open_corpus(shared("data", "tracking", "som_dst_100.json"), format="nested")
    assert found in list(published)


def test_one_side_only(tmp_path: Path) -> None:
    (found,) = read_all(sheet(tmp_path, "Dialogue ID : d\nTurn: 0\nPR : {'a': {'b': 'c'}}"), "fga-text")
    assert (found.turns[0].gold, found.turns[0].pred) == (None, {"a-b": "c"})


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 1 + 1}",
        "{'a': f'{1}'}",
        "{'a': b'1'}",
        "{1: 'a'}",
        "{**{}}",
        "{'a', 'b'}",
        "a.b",
        "\x00",
        "'\ud800'",
        "0x" + "f" * 4000,
        "-" * 9000 + "1",
        "(" * 9000,
        "[" * 300 + "]" * 300,
        repr({"a": "b" * LONGEST}),
    ],
)
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(InputError, match="a Python literal such as"):
        python_literal(text)


def test_literals() -> None:
    assert python_literal(r"{'a': ('b', -1, 2.5, None, True, null), 'c': '\d'}") == {
        "a": ["b", -1, 2.5, None, True, None],
        "c": "\\d",
    }


GOLD = "[hotel]([area][east],[stars][4]);[taxi]([leave at][12:30])"
STATE = {"hotel": {"area": ["east"], "stars": ["4"]}, "taxi": {"leave at": ["12:30"]}}


def as_lines(folder: Path, rows: Iterable[Any], name: str = "file.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def row(pred: Any, gold: Any = GOLD, **more: Any) -> dict[str, Any]:
    return {"predictions": pred, "state_seq": gold, **more}


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (GOLD, STATE),
        ("", {}),
        (" ", {}),
        ("garbage", {}),
        ("[hotel]", {}),
        ("[hotel]()", {}),
        ("[hotel]([])", {}),
        ("[]([][])", {"": {"": [""]}}),
        ("[hotel]([area][])", {"hotel": {"area": [""]}}),
        ("[hotel]([area][ ])", {"hotel": {"area": [" "]}}),
        ("[hotel]([area][a|b])", {"hotel": {"area": ["a|b"]}}),
        # One character is removed at the beginning and two at the end, but only these exact characters.
        ("hotel]([area][east", {"hotel": {"area": ["east"]}}),
        ("[[hotel]([area][east])])", {"[hotel": {"area": ["east])"]}}),
        ("[hotel]([area][east]", {"hotel": {"area": ["east]"]}}),
        # Blanks are kept at the beginning, at the end, and inside.
        (" [hotel]([area][east])", {" [hotel": {"area": ["east"]}}),
        ("[hotel]([area][east]) ", {"hotel": {"area": ["east]) "]}}),
        ("[ hotel ]([ area ][ the  east ])", {" hotel ": {" area ": [" the  east "]}}),
        ("[hotel]([area][east],[stars] [4])", {"hotel": {"area": ["east"]}}),
        ("[hotel]([area][east], [stars][4])", {}),
        ("[hotel]([area][east]); [taxi]([day][x])", {}),
        # The later slot is used, and a domain may be repeated.
        ("[hotel]([area][east],[area][west])", {"hotel": {"area": ["west"]}}),
        (
            "[hotel]([area][east],[day][x]);[taxi]([day][x]);[hotel]([area][west])",
            {"hotel": {"area": ["west"], "day": ["x"]}, "taxi": {"day": ["x"]}},
        ),
        # An invalid part is skipped, and the others are read.
        ("[hotel]([area][east],[stars],[day][x][y]);[taxi]([day][x])", {"hotel": {"area": ["east"]}, "taxi": {"day": ["x"]}}),
        ("[hotel];[taxi]([day][x])", {"hotel];[taxi": {"day": ["x"]}}),
        ("[hotel]([area][east]);[];[taxi]([day][x])", {"hotel": {"area": ["east"]}, "];[taxi": {"day": ["x"]}}),
        ("[hotel]([area]([east]);[taxi]([day][x])", {"taxi": {"day": ["x"]}}),
        ("x]);[taxi]([day][x]);[]);[", {"taxi": {"day": ["x"]}}),
        ("]);[[taxi]([day][x])", {"[taxi": {"day": ["x"]}}),
    ],
)  # fmt: skip
def test_texts(text: str, state: dict[str, Any]) -> None:
    assert state_in(text) == state


def test_every_line_is_a_dialogue_of_one_turn(tmp_path: Path) -> None:
    pred = " [hotel]([area][a|b]) "
    path = as_lines(tmp_path, [row(GOLD), row(pred, dialogue_id="d", utt_idx=4, context="user: hi"), row("", "")])
    first, second, third = T5Text.read(Source(path), Role.BOTH)
    assert [(each.id, [turn.number for turn in each.turns]) for each in (first, second, third)] == [
        ("0", [0]), ("1", [0]), ("2", [0]),
    ]  # fmt: skip
    assert (first.turns[0].gold, first.turns[0].pred) == (STATE, STATE)
    assert second.turns[0].pred == {" [hotel": {"area": ["a|b]) "]}}
    assert (third.turns[0].gold, third.turns[0].pred) == ({}, {})
    assert [each.turns[0].written for each in (first, second, third)] == [(GOLD, GOLD), (GOLD, pred), ("", "")]


def test_what_the_corpus_gives(tmp_path: Path) -> None:
    path = as_lines(tmp_path, [row(GOLD)])
    path.write_text(f"\ufeff{path.read_text('utf-8')}\n", "utf-8")
    corpus = open_corpus(path)
    assert (corpus.format, corpus.holds_both) == ("t5-text", True)
    [turn] = next(iter(corpus)).turns
    assert turn.gold == turn.pred == {"hotel-area": "east", "hotel-stars": "4", "taxi-leave at": "12:30"}
    assert turn.written == (GOLD, GOLD)


def test_gold_of_one_file_with_predictions_of_another(tmp_path: Path) -> None:
    gold = as_lines(tmp_path, [row("[a]([b][c])"), row(""), row("")], "gold.jsonl")
    pred = as_lines(tmp_path, [row("[x]([y][z])", ""), row("", "")], "pred.jsonl")
    for wanted in (str(gold), GoldFile(str(gold))):
        corpus, gold_corpus = open_pair(str(pred), wanted, None)
        words = wanted.vocabulary if isinstance(wanted, GoldFile) else Vocabulary()
        found = list(plain_dialogues(read_pair(corpus, gold_corpus, words), words, corpus))
        assert [each.turns[0].written for each in found] == [(GOLD, "[x]([y][z])"), (GOLD, ""), None]


def test_a_trivial_tracker_has_no_texts(tmp_path: Path) -> None:
    [found] = read_all(as_lines(tmp_path, [row(GOLD)]), "t5-text")
    assert trivial("empty", named("dialmeter"))(found).turns[0].written is None


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (row("", ""), True),
        (row("", "", dialogue_id="d", utt_idx=0), True),
        (row(None), False),
        (row({"state": {}}), False),
        ({"predictions": ""}, False),
        ({"state_seq": ""}, False),
    ],
)
def test_detection(value: Any, fits: bool) -> None:
    for sample in (Sample("lines", value), Sample("document", value)):
        claimed = [name for name in FORMATS.builtin() if name != "records" and FORMATS.load(name).detect(sample)]
        assert claimed == (["t5-text"] if fits else [])
    for sample in (Sample("document", [value]), Sample("lists", [value]), Sample("text", json.dumps(value))):
        assert not T5Text.detect(sample)


def expected() -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """The entries of the published script, and the lines to which they belong."""
    known = json.loads(shared("expected", "compat.json").read_text("utf-8"))
    for entry in [*known["files"], *known["cases"]]:
        if entry["rules"] == "convlab3-t5" and "text_rows" in entry:
            yield entry, entry["text_rows"]
        elif entry["rules"] == "convlab3-t5" and "t5-text" in entry.get("layout", ""):
            lines = shared("data", "compat", *entry["file"].split("/")).read_text("utf-8").splitlines()
            yield entry, [json.loads(line) for line in lines]


def figures(dialogues: Iterable[Dialogue]) -> dict[str, float]:
    """The figures of the script, computed from their definitions."""
    pairs = [[triples(state) for state in (turn.gold, turn.pred)] for each in dialogues for turn in each.turns]
    common = sum(len(gold & pred) for gold, pred in pairs)
    wanted, found = (sum(len(each[side]) for each in pairs) for side in (0, 1))
    precision = common / found if found else 0.0
    recall = common / wanted if wanted else 0.0
    return {
        "accuracy": sum(gold == pred for gold, pred in pairs) / len(pairs),
        "slot_precision": precision,
        "slot_recall": recall,
        "slot_f1": 2 * precision * recall / (precision + recall) if common else 0.0,
    }


def triples(state: Any) -> set[tuple[str, str, str]]:
    return {
        (domain, slot, "".join(value.split()).lower())
        for domain, slots in state.items()
        for slot, [value] in slots.items()
        if value
    }


def test_figures_of_the_published_script(tmp_path: Path) -> None:
    known = list(expected())
    assert len(known) == 2 + 15
    for entry, rows in known:
        path = as_lines(tmp_path, rows)
        assert open_corpus(path).format == "t5-text"
        found = list(T5Text.read(Source(path), Role.BOTH))
        texts = [turn.written or ("", " ") for each in found for turn in each.turns]
        same = sum(gold.strip() == pred.strip() for gold, pred in texts) / len(texts)
        assert {**figures(found), "seq_em": same} == pytest.approx(entry["figures"], rel=0, abs=1e-9)
