"""Test writers for the formats of corpora and trackers."""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any

from dialmeter.model import Dialogue, State, Turn

from .talks import VALUES

if sys.version_info >= (3, 14):
    pass
else:
    pass
from .written import (
    BOOKED,
    OTHER_SPELLINGS,
    SPELLINGS,
    Written,
    glued_state,
    nested_state,
    shuffled,
    split_slot,
    text_of,
    write_json,
    write_lines,
)


def write_native(folder: Path, dialogues: list[Dialogue]) -> Written:
    return Written(write_lines(folder / "native.jsonl", dialogues), "native")


def write_native_apart(folder: Path, dialogues: list[Dialogue]) -> Written:
    gold = write_lines(folder / "gold.jsonl", dialogues[::-1], "gold")
    return Written(write_lines(folder / "pred.jsonl", dialogues, "pred"), "native", gold, "native")


def write_nested(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = shuffled(
        (
            each.id,
            shuffled(
                (str(t.number), {"gt": nested_state(t.gold), "pr": nested_state(t.pred, OTHER_SPELLINGS)})
                for t in each.turns
            ),
        )
        for each in dialogues
    )
    return Written(write_json(folder / "nested.json", thing), "nested")


def write_fga_text(folder: Path, dialogues: list[Dialogue]) -> Written:
    lines = []
    for each in dialogues:
        lines.append(f"Dialogue ID : {each.id}")
        for turn in each.turns:
            lines += ["-" * 22, f"Turn: {turn.number}", f"Sys : {turn.system} ", f"Usr : {turn.user}", ""]
            for label, state in (("GT", turn.gold), ("PR", turn.pred)):
                lines.append(f"{label}  : {nested_state(state) or '{{}}'}")
            lines += ["", f"Matched : {turn.gold == turn.pred}", ""]
    path = folder / "sheet.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Written(path, "fga-text")


def write_trade(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: shuffled(
            (str(t.number), {"turn_belief": glued_state(t.gold), "pred_bs_ptr": glued_state(t.pred)[::-1]})
            for t in each.turns
        )
        for each in dialogues
    }
    return Written(write_json(folder / "trade.json", thing, indent=4), "trade")


def write_trade_with_domains(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: {
            "domain": "hotel",
            "turns": {
                str(t.number): {"turn_belief": glued_state(t.gold), "pred_belief": glued_state(t.pred)}
                for t in each.turns
            },
        }
        for each in dialogues
    }
    return Written(write_json(folder / "trade.json", thing), "trade")


def write_som_dst(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = shuffled(
        (f"{each.id}_{turn.number}", [glued_state(turn.pred), glued_state(turn.gold)])
        for each in dialogues
        for turn in each.turns
    )
    return Written(write_json(folder / "som.json", thing), "som-dst")


def write_trippy(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Only for dialogues without deleted slots."""
    entries = []
    for each in dialogues:
        gold: State = {}
        pred: State = {}
        for turn in each.turns:
            entry: dict[str, Any] = {"guid": ["test", each.id, str(turn.number)]}
            for slot in VALUES:
                name = "-".join(split_slot(slot, OTHER_SPELLINGS))
                entry[f"class_prediction_{name}"] = int(slot in (turn.pred or {}))
                entry[f"slot_prediction_{name}"] = _news(slot, turn.pred, pred)
                entry[f"slot_groundtruth_{name}"] = _news(slot, turn.gold, gold)
            gold, pred = turn.gold or {}, turn.pred or {}
            entries.append(entry)
    return Written(write_json(folder / "pred_res.test.final.json", entries[::-1], indent=2), "trippy")


def _news(slot: str, now: State | None, before: State) -> str:
    value = (now or {}).get(slot)
    return "none" if value is None or value == before.get(slot) else text_of(value)


def write_sgd(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Write frames only for services whose gold or prediction changed; two files per folder, one compressed."""
    paths = []
    for side in ("gold", "pred"):
        paths.append(folder / side)
        paths[-1].mkdir()
        things = [_sgd_dialogue(each, side) for each in dialogues]
        write_json(paths[-1] / "dialogues_001.json", things[:10], indent=2)
        (paths[-1] / "dialogues_002.json.gz").write_bytes(gzip.compress(json.dumps(things[10:]).encode()))
    services = {slot.partition("-")[0] for slot in VALUES}
    schema = [{"service_name": service, "slots": _schema_slots(service)} for service in sorted(services)]
    write_json(paths[0] / "schema.json", schema)
    return Written(paths[1], "sgd", paths[0], "sgd")


def _schema_slots(service: str) -> list[dict[str, Any]]:
    names = [name for domain, name in (split_slot(slot, SPELLINGS) for slot in VALUES) if domain == service]
    return [{"name": name, "is_categorical": False} for name in names]


def _sgd_dialogue(each: Dialogue, side: str) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    before: list[dict[str, Any]] = [{}, {}]
    for turn in each.turns:
        if turn.number:
            turns.append({"speaker": "SYSTEM", "utterance": turn.system, "frames": []})
        both = [_sgd_values(turn.gold or {}), _sgd_values(turn.pred or {})]
        now = both[0] if side == "gold" else both[1]
        changed = {
            service
            for old, new in zip(before, both, strict=True)
            for service in old.keys() | new.keys()
            if old.get(service) != new.get(service)
        }
        frames = [{"service": service, "state": {"slot_values": now.get(service, {})}} for service in sorted(changed)]
        turns.append({"speaker": "USER", "utterance": turn.user, "frames": frames})
        before = both
    return {"dialogue_id": each.id, "services": [], "turns": turns}


def _sgd_values(state: State) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for slot, value in state.items():
        domain, name = split_slot(slot, SPELLINGS)
        values.setdefault(domain, {})[name] = [value] if isinstance(value, str) else list(value)
    return values


def write_mwzeval(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id.lower().removesuffix(".json"): [
            {"response": "ok", "state": nested_state(turn.pred, OTHER_SPELLINGS)} for turn in each.turns
        ]
        for each in dialogues
    }
    gold = write_lines(folder / "gold.jsonl", dialogues, "gold")
    return Written(write_json(folder / "predictions.json", thing, indent=0), "mwzeval", gold, "native")


def write_convlab3(folder: Path, dialogues: list[Dialogue]) -> Written:
    entries = [
        {
            "dialogue_id": each.id,
            "utt_idx": 2 * turn.number,
            "utterance": turn.user,
            "state": nested_state(turn.gold, every=""),
            "predictions": {"state": nested_state(turn.pred, every="")},
        }
        for each in dialogues
        for turn in each.turns
    ]
    random.Random(3).shuffle(entries)
    return Written(write_json(folder / "predictions.json", entries), "convlab3")


def write_multiwoz(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {each.id: {"goal": {}, "log": _log(each)} for each in dialogues}
    pred = write_lines(folder / "pred.jsonl", dialogues, "pred")
    return Written(pred, "native", write_json(folder / "data.json", thing, indent=4), "multiwoz")


def _log(each: Dialogue) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = []
    for turn in each.turns:
        metadata: dict[str, Any] = {}
        for domain, slots in nested_state(turn.gold, {"train-leaveat": "leaveAt"}, every="").items():
            semi = {slot: value or "not mentioned" for slot, value in slots.items() if slot not in BOOKED}
            book = {slot: value for slot, value in slots.items() if slot in BOOKED}
            metadata[domain] = {"book": {"booked": [], **book}, "semi": semi}
        log += [{"text": turn.user, "metadata": {}}, {"text": "ok", "metadata": metadata}]
    return log


def write_test_dials(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = [
        {
            "dialogue_idx": each.id,
            "domains": ["hotel"],
            "dialogue": [
                {
                    "turn_idx": turn.number,
                    "belief_state": _belief(turn),
                    "system_transcript": "",
                    "transcript": turn.user,
                }
                for turn in each.turns
            ],
        }
        for each in dialogues
    ]
    pred = write_lines(folder / "pred.jsonl", dialogues, "pred")
    return Written(pred, "native", write_json(folder / "test_dials.json", thing, indent=4), "multiwoz")


def _belief(turn: Turn) -> list[dict[str, Any]]:
    pairs = [("-".join(split_slot(slot, SPELLINGS)), text_of(value)) for slot, value in (turn.gold or {}).items()]
    return [{"slots": [list(pair)], "act": "inform"} for pair in pairs]


def write_dstc10(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Only for dialogues of one turn whose id is their position."""
    paths = {}
    for side in ("gold", "pred"):
        instances = [_semi_and_book(getattr(each.turns[0], side)) for each in dialogues]
        paths[side] = write_json(folder / f"{side}.json", instances, indent=2)
    return Written(paths["pred"], "dstc10", paths["gold"], "dstc10")


def _semi_and_book(state: State) -> dict[str, Any]:
    halves: dict[str, Any] = {}
    for slot, value in state.items():
        domain, name = split_slot(slot, {})
        half = "book" if name in BOOKED else "semi"
        halves.setdefault(domain, {}).setdefault(half, {})[name] = [value] if isinstance(value, str) else list(value)
    return halves
