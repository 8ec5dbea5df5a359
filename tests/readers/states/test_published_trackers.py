"""Files of published trackers: the invented examples of the shared folder, and the pitfalls of these formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import Corpus, open_corpus
from dialmeter.readers.validation import Role
from dialmeter.tracking.scoring import score_file

GOLD_APART = {"ldst_test_LLM_result.txt": "ldst_test_LLM.json", "openai_batch_tool_calls.jsonl": "openai_gold.jsonl"}
FORMATS = {
    "icdst_running_log.json": "ic-dst",
    "icdst_test_gold.json": "ic-dst",
    "ldst_test_LLM_result.txt": "ldst",
    "simpletod.json": "simpletod",
    "pptod_dst.json": "bspn",
    "pptod_e2e.json": "bspn",
    "ubar_BS.json": "bspn",
    "mttod.json": "bspn",
    "fnctod.json": "bspn",
    "openai_batch_tool_calls.jsonl": "llm",
}


def states(corpus: Corpus, side: str) -> dict[str, list[Any]]:
    return {each.id: [getattr(turn, side) for turn in each.turns] for each in corpus}


@pytest.mark.parametrize("name", FORMATS)
def test_the_states_of_the_examples(name: str, shared: Path) -> None:
    expected = json.loads((shared / "expected" / "layouts.json").read_text("utf-8"))
    folder = shared / "data" / "layouts"
    assert expected.keys() == FORMATS.keys()
    apart = GOLD_APART.get(name)
    corpus = open_corpus(folder / name, Role.PRED if apart else Role.BOTH)
    assert corpus.format == FORMATS[name]
    read = list(corpus)
    gold = open_corpus(folder / apart, Role.GOLD) if apart else None
    golds = states(gold, "gold") if gold else {each.id: [turn.gold for turn in each.turns] for each in read}
    wanted = expected[name]
    assert {each.id for each in read} == wanted.keys()
    for each in read:
        turns = wanted[each.id]
        assert [turn.pred for turn in each.turns] == [turn["pred"] for turn in turns]
        assert golds[each.id] == [turn["gold"] for turn in turns]
        halves = 2 if corpus.format == "ldst" else 1
        assert [turn.number for turn in each.turns] == [turn["turn"] // halves for turn in turns]


@pytest.mark.parametrize("name", [*FORMATS, *GOLD_APART.values()])
def test_an_example_that_is_cut_off_is_one_line(name: str, shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "layouts"
    whole = (folder / name).read_bytes().rstrip()
    path = tmp_path / name
    index = (folder / name).with_suffix(".idx")
    if index.exists():
        (tmp_path / index.name).write_bytes(index.read_bytes())
    for step in range(1, 11):
        at = len(whole) * step // 11
        while whole[at - 1 : at] == b"\n" or whole[at : at + 1] == b"\n":
            at -= 1
        path.write_bytes(whole[:at])
        with pytest.raises(InputError) as caught:
            list(open_corpus(path, Role.PRED))
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


def notices(path: Path, thing: Any, role: Role = Role.BOTH, format: str | None = None) -> dict[str, tuple[int, Any]]:
    path.write_text(thing if isinstance(thing, str) else json.dumps(thing), "utf-8")
    corpus = open_corpus(path, role, format)
    list(corpus)
    return {each.code: (each.count, each.where) for each in corpus.notices}


def bspn(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"d": [{"turn_num": place, "bspn": gold, "bspn_gen": pred} for place, (gold, pred) in enumerate(pairs)]}


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (
            [("[hotel] area east", "[hotel] area east"), ("[hotel] area east", "")],
            {"empty-prediction": (1, ("d turn 1",))},
        ),
        ([("", "[attraction] name people portraits")], {"torn": (1, ("d turn 0 attraction-name",))}),
        ([("", "[hotel] area east area west")], {"two-values": (1, ("d turn 0 hotel-area",))}),
        ([("[hotel] area east", "[hotel] area east")] * 2, {"copied-gold": (2, ())}),
        ([("[hotel] area east", "[hotel] area west")] * 2, {}),
    ],
)
def test_traps_of_bspn(pairs: list[tuple[str, str]], expected: Any, tmp_path: Path) -> None:
    assert notices(tmp_path / "a.json", bspn(*pairs)) == expected


def ic_dst(**more: Any) -> dict[str, Any]:
    return {"ID": "d", "turn_id": 0, "slot_values": {"hotel-area": "east"}, **more}


def test_traps_of_ic_dst(tmp_path: Path, shared: Path) -> None:
    path = tmp_path / "log.json"
    changed = {"turn_slot_values": {"hotel-area": "east|the east"}}
    assert notices(path, [ic_dst(pred={}, **changed)]) == {"gold-overwritten": (1, ("d turn 0 hotel-area",))}
    assert notices(path, [ic_dst(pred={}, not_valid=1)]) == {"unparsed": (1, ("d turn 0",))}
    rows = [ic_dst(completion=" hotel WHERE area = east"), {**ic_dst(completion="  WHERE "), "turn_id": 1}]
    assert notices(path, rows) == {"outputs-read": (2, ("d turn 0", "d turn 1"))}
    assert [turn.pred for each in open_corpus(path) for turn in each.turns] == [{"hotel-area": "east"}] * 2
    with pytest.raises(InputError, match="dialogue d, turn 1: no pred, but other turns have one"):
        notices(path, [ic_dst(pred={}), {**ic_dst(), "turn_id": 1}])
    folder = shared / "data" / "layouts"
    log, gold = str(folder / "icdst_running_log.json"), str(folder / "icdst_test_gold.json")
    assert (
        score_file(log, measures=["JGA"]).scores[0].value
        == score_file(log, gold, measures=["JGA"]).scores[0].value
        == 0.75
    )


LDST = "data.json|||d|||{}|||0|||hotel|||{}|||{}\n"


def test_traps_of_ldst(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    asked = LDST.format(1, "area", "['east</s><unk>']") + LDST.format(1, "stars", "[]")
    assert notices(path, asked, Role.PRED) == {"not-asked": (1, ("hotel",))}
    [found] = open_corpus(path, Role.PRED)
    assert found.turns[0].pred == {"hotel-area": "east"}
    with pytest.raises(
        InputError, match="dialogue d, turn 3: the last turn has 1 of 2 slots; the file seems to be cut off"
    ):
        notices(path, asked + LDST.format(3, "area", "['NONE']"), Role.PRED)
    with pytest.raises(InputError, match="line 3, dialogue d, turn 1, slot hotel-area: duplicate slot"):
        notices(path, asked + LDST.format(1, "area", "['x']"), Role.PRED)
    with pytest.raises(InputError, match="line 1: expected a list of one text"):
        notices(path, LDST.format(1, "area", "['x', 'y']"), Role.PRED)
    with pytest.raises(InputError, match="does not exist"):
        notices(tmp_path / "alone.json", [{"instruction": "", "input": "", "output": ""}], Role.GOLD)


def test_traps_of_simpletod(tmp_path: Path) -> None:
    belief = {
        "target_turn_belief": [["hotel area east"]],
        "generated_turn_belief": [["hotel area east", "hotel area west", "hotel"]],
    }
    expected = {"two-values": (1, ("d turn 0 hotel-area",)), "unparsed": (1, ("d turn 0",))}
    assert notices(tmp_path / "a.json", {"d": belief}) == expected
    with pytest.raises(InputError, match="dialogue d: target_turn_belief and generated_turn_belief must have"):
        notices(tmp_path / "a.json", {"d": {**belief, "generated_turn_belief": []}})


def batch(custom_id: str, message: dict[str, Any], **more: Any) -> str:
    choices = [{"index": 0, "message": message, "finish_reason": more.pop("finish", "stop")}] * more.pop("n", 1)
    response = {"status_code": more.pop("status", 200), "body": {"choices": choices}}
    return json.dumps({"custom_id": custom_id, "response": response, "error": None, **more}) + "\n"


def calls(*pairs: tuple[str, Any]) -> dict[str, Any]:
    return {
        "content": None,
        "tool_calls": [{"type": "function", "function": {"name": name, "arguments": what}} for name, what in pairs],
    }


AREA = calls(("hotel", '{"area": "east"}'))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (batch("d_0", AREA) + batch("d_1", {"content": "Hello!"}), {}),
        (batch("d_0", AREA) + batch("d_1", AREA, finish="length"), {"unparsed": (1, ("d turn 1",))}),
        (batch("d_0", AREA) + batch("d_1", AREA, status=500), {"unparsed": (1, ("d turn 1",))}),
        (batch("d_0", AREA) + batch("d_1", AREA, error={"code": "x"}), {"unparsed": (1, ("d turn 1",))}),
        (batch("d_0", AREA) + batch("d_1", {"content": None, "refusal": "no"}), {"unparsed": (1, ("d turn 1",))}),
        (batch("d_0", AREA) + batch("d_1", calls(("hotel", '{"area": "ea'))), {"unparsed": (1, ("d turn 1",))}),
        (batch("d_0", AREA, n=2), {"several-choices": (1, ("d turn 0",))}),
        (
            batch("d_0", calls(("hotel", {"area": "x"}), ("hotel", {"area": "y"}))),
            {"repeated-call": (1, ("d turn 0",))},
        ),
    ],
)
def test_traps_of_tool_calls(lines: str, expected: Any, tmp_path: Path) -> None:
    assert notices(tmp_path / "batch.jsonl", lines) == expected


def predicted(path: Path, line: Any, format: str | None = None) -> Any:
    path.write_text(line if isinstance(line, str) else json.dumps(line) + "\n", "utf-8")
    [found] = open_corpus(path, format=format)
    return found.id, [turn.pred for turn in found.turns]


def test_calls_in_other_places(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    expected = ("d", [{"hotel-area": "east"}])
    row = {"dialogue_id": "d", "turn": 0}
    for answer in (
        {"completion": '{"function": "hotel", "arguments": {"area": "east"}}'},
        {"completion": '<function_call> {"name": "hotel", "arguments": "{\\"area\\": \\"east\\"}"} </function_call>'},
        {"response": {"function": "hotel", "arguments": {"area": "east"}}},
        {"choices": [{"message": {"content": None, "function_call": AREA["tool_calls"][0]["function"]}}]},
        {"tool_calls": AREA["tool_calls"]},
        {"messages": [{"role": "user", "content": "east"}, {"role": "assistant", **AREA}]},
        {"tool_calls": calls(("set_state", {"hotel": {"area": "east"}}))["tool_calls"]},
    ):
        assert predicted(path, {**row, **answer}) == expected
    named = "llm(custom_id={dialogue}-t{turn}, hotel=find_hotel())"
    assert predicted(path, batch("d-t0", calls(("find_hotel", {"area": "east"}))), named) == expected
    with pytest.raises(InputError, match="custom_id 'd-tx' does not end with the number of the turn"):
        predicted(path, batch("d-tx", AREA))
