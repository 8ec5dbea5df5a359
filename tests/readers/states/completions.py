"""Test writers for the formats of text, completions and rows."""

from __future__ import annotations

import csv
import json
import random
import sys
from pathlib import Path

import pytest

from dialmeter.model import Dialogue, State, Turn

from .talks import VALUES

if sys.version_info >= (3, 14):
    pass
else:
    pass
from .written import SPELLINGS, Written, glued_state, nested_state, split_slot, text_of, write_json, write_lines


def write_t5_text(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Only for dialogues of one turn whose id is their position, without alternatives."""
    rows = [
        {"predictions": _bracketed(turn.pred), "context": f"user: {turn.user}", "state_seq": _bracketed(turn.gold)}
        for each in dialogues
        for turn in each.turns
    ]
    path = folder / "test_generated_predictions.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Written(path, "t5-text")


def _bracketed(state: State | None) -> str:
    return ";".join(
        f"[{domain}]({','.join(f'[{slot}][{value}]' for slot, value in slots.items())})"
        for domain, slots in nested_state(state).items()
    )


def write_llm(folder: Path, dialogues: list[Dialogue]) -> Written:
    rows = [
        {"dialogue_id": each.id, "turn": turn.number, "gold": dict(turn.gold or {}), "completion": _completion(turn)}
        for each in dialogues
        for turn in each.turns
    ]
    random.Random(5).shuffle(rows)
    path = folder / "model-outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Written(path, "llm")


def _completion(turn: Turn) -> str:
    """The ways in which a model may write a state, one after the other."""
    nested, flat = nested_state(turn.pred), dict(turn.pred or {})
    return (
        f"Sure! Here is the state:\n```json\n{json.dumps(nested, indent=2)}\n```\nAnything else?",
        json.dumps(flat),
        f"The state is {nested!r}.",
        "\n".join(f"{slot} = {value}" for slot, value in flat.items()) or "{}",
    )[turn.number % 4]


def write_rows(folder: Path, dialogues: list[Dialogue]) -> Written:
    rows = [
        {"dialogue_id": each.id, "turn": turn.number, "gold": dict(turn.gold or {}), "pred": nested_state(turn.pred)}
        for each in dialogues
        for turn in each.turns
    ]
    random.Random(6).shuffle(rows)
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Written(path, "rows")


def write_csv(folder: Path, dialogues: list[Dialogue]) -> Written:
    """A table as saved from a data frame, with objects as Python literals."""
    path = folder / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dial_id", "turn_id", "label", "belief"])
        for each in dialogues:
            for turn in each.turns:
                gold = {slot: text_of(value) for slot, value in (turn.gold or {}).items()}
                writer.writerow([each.id, turn.number, repr(gold), json.dumps(glued_state(turn.pred))])
    return Written(path, "rows")


def write_slot_columns(folder: Path, dialogues: list[Dialogue]) -> Written:
    """A tab-separated table with one column per slot."""
    path = folder / "rows.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["id", "turn", *(f"{side}.{slot}" for side in ("gold", "pred") for slot in VALUES)])
        for each in dialogues:
            for turn in each.turns:
                states = [turn.gold or {}, turn.pred or {}]
                cells = [text_of(state[slot]) if slot in state else "" for state in states for slot in VALUES]
                writer.writerow([each.id, turn.number, *cells])
    return Written(path, "rows")


def write_tool_calls(folder: Path, dialogues: list[Dialogue]) -> Written:
    """A batch of chat responses with function calls."""
    lines = []
    for each in dialogues:
        for turn in each.turns:
            calls = [
                {"id": "c", "type": "function", "function": {"name": domain, "arguments": json.dumps(slots)}}
                for domain, slots in nested_state(turn.pred).items()
            ]
            message = {"role": "assistant", "content": None if calls else "Hello!", "tool_calls": calls}
            body = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
            response = {"status_code": 200, "body": body}
            lines.append({"custom_id": f"{each.id}_{turn.number}", "response": response, "error": None})
    random.Random(7).shuffle(lines)
    path = folder / "batch.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    gold = write_lines(folder / "gold.jsonl", dialogues, "gold")
    return Written(path, "llm", gold, "native")


def write_ic_dst(folder: Path, dialogues: list[Dialogue]) -> Written:
    entries = [
        {
            "ID": each.id,
            "turn_id": turn.number,
            "dialog": {"sys": [turn.system], "usr": [turn.user]},
            "slot_values": {slot: text_of(value) for slot, value in (turn.gold or {}).items()},
            "pred": {
                "-".join(split_slot(slot, SPELLINGS)): text_of(value) for slot, value in (turn.pred or {}).items()
            },
            "completion": " hotel WHERE area = north",
        }
        for each in dialogues
        for turn in each.turns
    ]
    return Written(write_json(folder / "running_log.json", entries, indent=1), "ic-dst")


def write_ldst(folder: Path, dialogues: list[Dialogue]) -> Written:
    lines, answers = [], []
    for each in dialogues:
        for turn in each.turns:
            for slot in VALUES:
                domain, name = split_slot(slot, SPELLINGS)
                place = f"data.json|||{each.id}|||{2 * turn.number + 1}|||0|||{domain}|||{name}"
                gold, pred = (
                    text_of(state[slot]) if slot in state else "NONE" for state in (turn.gold or {}, turn.pred or {})
                )
                lines.append((place, [f"{pred}</s>"]))
                answers.append({"instruction": f"the slot <{domain}-{name}>", "input": "", "output": gold})
    (folder / "test_LLM.idx").write_text("".join(f"{place}\n" for place, _ in lines), encoding="utf-8")
    path = folder / "result.txt"
    path.write_text("".join(f"{place}|||{answer!r}\n" for place, answer in lines), encoding="utf-8")
    return Written(path, "ldst", write_json(folder / "test_LLM.json", answers), "ldst")


def write_simpletod(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: {
            "target_turn_belief": [_phrases(turn.gold) for turn in each.turns],
            "generated_turn_belief": [_phrases(turn.pred)[::-1] or [""] for turn in each.turns],
            "target_user": [turn.user for turn in each.turns],
        }
        for each in dialogues
    }
    return Written(write_json(folder / "nocarry.json", thing), "simpletod")


def _phrases(state: State | None) -> list[str]:
    return [
        f"{' '.join(split_slot(slot, {'hotel-people': 'book people'}))} {text_of(value)}"
        for slot, value in (state or {}).items()
    ]


def write_mttod(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: [
            {"turn_num": turn.number, "user": turn.user, "bspn": _marked(turn.gold), "bspn_gen": _marked(turn.pred)}
            for turn in each.turns
        ]
        for each in dialogues
    }
    return Written(write_json(folder / "mttod.json", thing, indent=2), "bspn")


def write_pptod(folder: Path, dialogues: list[Dialogue]) -> Written:
    """One list of turns."""
    rows = [
        {"dial_id": each.id, "turn_num": turn.number, "bspn": _marked(turn.gold), "bspn_gen": _marked(turn.pred)}
        for each in dialogues
        for turn in each.turns
    ]
    return Written(write_json(folder / "e2e.json", rows), "bspn")


def _marked(state: State | None) -> str:
    """Slots in brackets, because slot names in values split the values."""
    pairs = (
        f"[{domain}] " + " ".join(f"[value_{slot}] {value}" for slot, value in slots.items())
        for domain, slots in nested_state(state, {}).items()
    )
    return f"<bos_belief> {' '.join(pairs)} <eos_belief>"


def _spelled_out(state: State | None) -> str:
    """Domains in brackets and slot names, as written by FnCTOD, UBAR and PPTOD."""
    words = {"train-leaveat": "leave", "taxi-arriveby": "arrive"}
    return " ".join(
        f"[{domain}] " + " ".join(f"{slot} {value}" for slot, value in slots.items())
        for domain, slots in nested_state(state, words).items()
    )


def write_fnctod(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: [
            {
                "dial_id": each.id,
                "turn_num": turn.number,
                "bspn": _spelled_out(turn.gold),
                "bspn_gen": _spelled_out(turn.pred),
                "bspn_dict_gen": nested_state(each.turns[-1].pred),
            }
            for turn in each.turns
        ]
        for each in dialogues
    }
    return Written(write_json(folder / "fnctod.json", thing), "bspn")


def write_ubar(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: {
            str(turn.number): {
                "context": "",
                "bspn": f"<sos_b> {_spelled_out(turn.gold)} <eos_b>",
                "bspn_gen": f"<sos_b> {_spelled_out(turn.pred)} <eos_b>",
            }
            for turn in each.turns
        }
        for each in dialogues
    }
    return Written(write_json(folder / "ubar.json", thing), "bspn")


def write_parquet(folder: Path, dialogues: list[Dialogue]) -> Written:
    """States as JSON in text columns, with other common column names."""
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `tables` is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {
            "id": each.id,
            "turn_idx": turn.number,
            "gold_state": json.dumps(turn.gold),
            "pred_state": json.dumps(turn.pred),
        }
        for each in dialogues
        for turn in each.turns
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "rows.parquet")
    return Written(folder / "rows.parquet", "rows")
