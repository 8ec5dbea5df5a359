"""The same dialogues written in every layout that can carry them, as published files look: unsorted, with empty slots."""

from __future__ import annotations

import csv
import gzip
import json
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dialmeter.model import Dialogue, State, Turn, Value
from dialmeter.readers.own import native

from .talks import VALUES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class Written(NamedTuple):
    """Files with one corpus, and their formats; gold is apart where the layout holds one state."""

    path: Path
    form: str
    gold: Path | None = None
    gold_form: str = ""


Writer = Callable[[Path, list[Dialogue]], Written]

_SPELLINGS = {"hotel-people": "book people", "restaurant-time": "book time", "train-leaveat": "leaveAt"}
_OTHER_SPELLINGS = {"hotel-people": "book_people", "train-leaveat": "leave at", "taxi-arriveby": "arrive by"}
_BOOKED = {"people", "time"}


def _split(slot: str, spellings: dict[str, str]) -> tuple[str, str]:
    domain, _, name = slot.partition("-")
    return domain, spellings.get(slot, name)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else "|".join(value)


def _nested(state: State | None, spellings: dict[str, str] = _SPELLINGS, every: str | None = None) -> dict[str, Any]:
    """Domain → slot → value; with ``every``, all slots that there are, and that word where one is empty."""
    result: dict[str, dict[str, str]] = {}
    filled = dict(state or {})
    for slot in filled if every is None else VALUES:
        domain, name = _split(slot, spellings)
        result.setdefault(domain, {})[name] = _text(filled[slot]) if slot in filled else str(every)
    return result


def _glued(state: State | None) -> list[str]:
    return [f"{'-'.join(_split(slot, _SPELLINGS))}-{_text(value)}" for slot, value in (state or {}).items()]


def _shuffled(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    listed = list(pairs)
    random.Random(len(listed)).shuffle(listed)
    return dict(listed)


def _json(path: Path, thing: Any, indent: int | None = None) -> Path:
    path.write_text(json.dumps(thing, ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def _native(path: Path, dialogues: list[Dialogue], side: str = "both") -> Path:
    hidden = {"both": (), "gold": ("pred",), "pred": ("gold",)}[side]
    with path.open("wb") as file:
        native.write([Dialogue(each.id, tuple(_less(turn, hidden) for turn in each.turns)) for each in dialogues], file)
    return path


def _less(turn: Turn, hidden: Iterable[str]) -> Turn:
    fields = {name: getattr(turn, name) for name in ("gold", "pred", "user", "system") if name not in hidden}
    return Turn(turn.number, **fields)


def write_native(folder: Path, dialogues: list[Dialogue]) -> Written:
    return Written(_native(folder / "native.jsonl", dialogues), "native")


def write_native_apart(folder: Path, dialogues: list[Dialogue]) -> Written:
    gold = _native(folder / "gold.jsonl", dialogues[::-1], "gold")
    return Written(_native(folder / "pred.jsonl", dialogues, "pred"), "native", gold, "native")


def write_nested(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = _shuffled(
        (
            each.id,
            _shuffled(
                (str(t.number), {"gt": _nested(t.gold), "pr": _nested(t.pred, _OTHER_SPELLINGS)}) for t in each.turns
            ),
        )
        for each in dialogues
    )
    return Written(_json(folder / "nested.json", thing), "nested")


def write_fga_text(folder: Path, dialogues: list[Dialogue]) -> Written:
    lines = []
    for each in dialogues:
        lines.append(f"Dialogue ID : {each.id}")
        for turn in each.turns:
            lines += ["-" * 22, f"Turn: {turn.number}", f"Sys : {turn.system} ", f"Usr : {turn.user}", ""]
            for label, state in (("GT", turn.gold), ("PR", turn.pred)):
                lines.append(f"{label}  : {_nested(state) or '{{}}'}")
            lines += ["", f"Matched : {turn.gold == turn.pred}", ""]
    path = folder / "sheet.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Written(path, "fga-text")


def write_trade(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: _shuffled(
            (str(t.number), {"turn_belief": _glued(t.gold), "pred_bs_ptr": _glued(t.pred)[::-1]}) for t in each.turns
        )
        for each in dialogues
    }
    return Written(_json(folder / "trade.json", thing, indent=4), "trade")


def write_trade_with_domains(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: {
            "domain": "hotel",
            "turns": {
                str(t.number): {"turn_belief": _glued(t.gold), "pred_belief": _glued(t.pred)} for t in each.turns
            },
        }
        for each in dialogues
    }
    return Written(_json(folder / "trade.json", thing), "trade")


def write_som_dst(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = _shuffled(
        (f"{each.id}_{turn.number}", [_glued(turn.pred), _glued(turn.gold)])
        for each in dialogues
        for turn in each.turns
    )
    return Written(_json(folder / "som.json", thing), "som-dst")


def write_trippy(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Only for dialogues in which nothing is taken back."""
    entries = []
    for each in dialogues:
        gold: State = {}
        pred: State = {}
        for turn in each.turns:
            entry: dict[str, Any] = {"guid": ["test", each.id, str(turn.number)]}
            for slot in VALUES:
                name = "-".join(_split(slot, _OTHER_SPELLINGS))
                entry[f"class_prediction_{name}"] = int(slot in (turn.pred or {}))
                entry[f"slot_prediction_{name}"] = _news(slot, turn.pred, pred)
                entry[f"slot_groundtruth_{name}"] = _news(slot, turn.gold, gold)
            gold, pred = turn.gold or {}, turn.pred or {}
            entries.append(entry)
    return Written(_json(folder / "pred_res.test.final.json", entries[::-1], indent=2), "trippy")


def _news(slot: str, now: State | None, before: State) -> str:
    value = (now or {}).get(slot)
    return "none" if value is None or value == before.get(slot) else _text(value)


def write_sgd(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Frames only for services whose gold or prediction has changed since the last turn; two files per folder, one packed."""
    paths = []
    for side in ("gold", "pred"):
        paths.append(folder / side)
        paths[-1].mkdir()
        things = [_sgd_dialogue(each, side) for each in dialogues]
        _json(paths[-1] / "dialogues_001.json", things[:10], indent=2)
        (paths[-1] / "dialogues_002.json.gz").write_bytes(gzip.compress(json.dumps(things[10:]).encode()))
    services = {slot.partition("-")[0] for slot in VALUES}
    schema = [{"service_name": service, "slots": _schema_slots(service)} for service in sorted(services)]
    _json(paths[0] / "schema.json", schema)
    return Written(paths[1], "sgd", paths[0], "sgd")


def _schema_slots(service: str) -> list[dict[str, Any]]:
    names = [name for domain, name in (_split(slot, _SPELLINGS) for slot in VALUES) if domain == service]
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
        domain, name = _split(slot, _SPELLINGS)
        values.setdefault(domain, {})[name] = [value] if isinstance(value, str) else list(value)
    return values


def write_mwzeval(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id.lower().removesuffix(".json"): [
            {"response": "ok", "state": _nested(turn.pred, _OTHER_SPELLINGS)} for turn in each.turns
        ]
        for each in dialogues
    }
    gold = _native(folder / "gold.jsonl", dialogues, "gold")
    return Written(_json(folder / "predictions.json", thing, indent=0), "mwzeval", gold, "native")


def write_convlab3(folder: Path, dialogues: list[Dialogue]) -> Written:
    entries = [
        {
            "dialogue_id": each.id,
            "utt_idx": 2 * turn.number,
            "utterance": turn.user,
            "state": _nested(turn.gold, every=""),
            "predictions": {"state": _nested(turn.pred, every="")},
        }
        for each in dialogues
        for turn in each.turns
    ]
    random.Random(3).shuffle(entries)
    return Written(_json(folder / "predictions.json", entries), "convlab3")


def write_multiwoz(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {each.id: {"goal": {}, "log": _log(each)} for each in dialogues}
    pred = _native(folder / "pred.jsonl", dialogues, "pred")
    return Written(pred, "native", _json(folder / "data.json", thing, indent=4), "multiwoz")


def _log(each: Dialogue) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = []
    for turn in each.turns:
        metadata: dict[str, Any] = {}
        for domain, slots in _nested(turn.gold, {"train-leaveat": "leaveAt"}, every="").items():
            semi = {slot: value or "not mentioned" for slot, value in slots.items() if slot not in _BOOKED}
            book = {slot: value for slot, value in slots.items() if slot in _BOOKED}
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
    pred = _native(folder / "pred.jsonl", dialogues, "pred")
    return Written(pred, "native", _json(folder / "test_dials.json", thing, indent=4), "multiwoz")


def _belief(turn: Turn) -> list[dict[str, Any]]:
    pairs = [("-".join(_split(slot, _SPELLINGS)), _text(value)) for slot, value in (turn.gold or {}).items()]
    return [{"slots": [list(pair)], "act": "inform"} for pair in pairs]


def write_dstc10(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Only for dialogues of one turn that are named by their place."""
    paths = {}
    for side in ("gold", "pred"):
        instances = [_semi_and_book(getattr(each.turns[0], side)) for each in dialogues]
        paths[side] = _json(folder / f"{side}.json", instances, indent=2)
    return Written(paths["pred"], "dstc10", paths["gold"], "dstc10")


def _semi_and_book(state: State) -> dict[str, Any]:
    halves: dict[str, Any] = {}
    for slot, value in state.items():
        domain, name = _split(slot, {})
        half = "book" if name in _BOOKED else "semi"
        halves.setdefault(domain, {}).setdefault(half, {})[name] = [value] if isinstance(value, str) else list(value)
    return halves


def write_t5_text(folder: Path, dialogues: list[Dialogue]) -> Written:
    """Only for dialogues of one turn that are named by their place, without alternatives."""
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
        for domain, slots in _nested(state).items()
    )


def write_llm(folder: Path, dialogues: list[Dialogue]) -> Written:
    rows = [
        {"dialogue_id": each.id, "turn": turn.number, "gold": dict(turn.gold or {}), "completion": _completion(turn)}
        for each in dialogues
        for turn in each.turns
    ]
    random.Random(5).shuffle(rows)
    path = folder / "completions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Written(path, "llm")


def _completion(turn: Turn) -> str:
    """A model's ways to say a state, one after the other."""
    nested, flat = _nested(turn.pred), dict(turn.pred or {})
    return (
        f"Sure! Here is the state:\n```json\n{json.dumps(nested, indent=2)}\n```\nAnything else?",
        json.dumps(flat),
        f"The state is {nested!r}.",
        "\n".join(f"{slot} = {value}" for slot, value in flat.items()) or "{}",
    )[turn.number % 4]


def write_rows(folder: Path, dialogues: list[Dialogue]) -> Written:
    rows = [
        {"dialogue_id": each.id, "turn": turn.number, "gold": dict(turn.gold or {}), "pred": _nested(turn.pred)}
        for each in dialogues
        for turn in each.turns
    ]
    random.Random(6).shuffle(rows)
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Written(path, "rows")


def write_csv(folder: Path, dialogues: list[Dialogue]) -> Written:
    """As a data frame is saved: objects as Python prints them."""
    path = folder / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dial_id", "turn_id", "label", "belief"])
        for each in dialogues:
            for turn in each.turns:
                gold = {slot: _text(value) for slot, value in (turn.gold or {}).items()}
                writer.writerow([each.id, turn.number, repr(gold), json.dumps(_glued(turn.pred))])
    return Written(path, "rows")


def write_slot_columns(folder: Path, dialogues: list[Dialogue]) -> Written:
    """A column for each slot, separated by tabs."""
    path = folder / "rows.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["id", "turn", *(f"{side}.{slot}" for side in ("gold", "pred") for slot in VALUES)])
        for each in dialogues:
            for turn in each.turns:
                states = [turn.gold or {}, turn.pred or {}]
                cells = [_text(state[slot]) if slot in state else "" for state in states for slot in VALUES]
                writer.writerow([each.id, turn.number, *cells])
    return Written(path, "rows")


def write_tool_calls(folder: Path, dialogues: list[Dialogue]) -> Written:
    """A batch of chat answers with calls of functions."""
    lines = []
    for each in dialogues:
        for turn in each.turns:
            calls = [
                {"id": "c", "type": "function", "function": {"name": domain, "arguments": json.dumps(slots)}}
                for domain, slots in _nested(turn.pred).items()
            ]
            message = {"role": "assistant", "content": None if calls else "Hello!", "tool_calls": calls}
            body = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
            response = {"status_code": 200, "body": body}
            lines.append({"custom_id": f"{each.id}_{turn.number}", "response": response, "error": None})
    random.Random(7).shuffle(lines)
    path = folder / "batch.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    gold = _native(folder / "gold.jsonl", dialogues, "gold")
    return Written(path, "llm", gold, "native")


def write_ic_dst(folder: Path, dialogues: list[Dialogue]) -> Written:
    entries = [
        {
            "ID": each.id,
            "turn_id": turn.number,
            "dialog": {"sys": [turn.system], "usr": [turn.user]},
            "slot_values": {slot: _text(value) for slot, value in (turn.gold or {}).items()},
            "pred": {"-".join(_split(slot, _SPELLINGS)): _text(value) for slot, value in (turn.pred or {}).items()},
            "completion": " hotel WHERE area = north",
        }
        for each in dialogues
        for turn in each.turns
    ]
    return Written(_json(folder / "running_log.json", entries, indent=1), "ic-dst")


def write_ldst(folder: Path, dialogues: list[Dialogue]) -> Written:
    lines, answers = [], []
    for each in dialogues:
        for turn in each.turns:
            for slot in VALUES:
                domain, name = _split(slot, _SPELLINGS)
                place = f"data.json|||{each.id}|||{2 * turn.number + 1}|||0|||{domain}|||{name}"
                gold, pred = (
                    _text(state[slot]) if slot in state else "NONE" for state in (turn.gold or {}, turn.pred or {})
                )
                lines.append((place, [f"{pred}</s>"]))
                answers.append({"instruction": f"the slot <{domain}-{name}>", "input": "", "output": gold})
    (folder / "test_LLM.idx").write_text("".join(f"{place}\n" for place, _ in lines), encoding="utf-8")
    path = folder / "result.txt"
    path.write_text("".join(f"{place}|||{answer!r}\n" for place, answer in lines), encoding="utf-8")
    return Written(path, "ldst", _json(folder / "test_LLM.json", answers), "ldst")


def write_simpletod(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: {
            "target_turn_belief": [_phrases(turn.gold) for turn in each.turns],
            "generated_turn_belief": [_phrases(turn.pred)[::-1] or [""] for turn in each.turns],
            "target_user": [turn.user for turn in each.turns],
        }
        for each in dialogues
    }
    return Written(_json(folder / "nocarry.json", thing), "simpletod")


def _phrases(state: State | None) -> list[str]:
    return [
        f"{' '.join(_split(slot, {'hotel-people': 'book people'}))} {_text(value)}"
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
    return Written(_json(folder / "mttod.json", thing, indent=2), "bspn")


def write_pptod(folder: Path, dialogues: list[Dialogue]) -> Written:
    """One list of turns."""
    rows = [
        {"dial_id": each.id, "turn_num": turn.number, "bspn": _marked(turn.gold), "bspn_gen": _marked(turn.pred)}
        for each in dialogues
        for turn in each.turns
    ]
    return Written(_json(folder / "e2e.json", rows), "bspn")


def _marked(state: State | None) -> str:
    """Slots in brackets, because words of slots tear values."""
    pairs = (
        f"[{domain}] " + " ".join(f"[value_{slot}] {value}" for slot, value in slots.items())
        for domain, slots in _nested(state, {}).items()
    )
    return f"<bos_belief> {' '.join(pairs)} <eos_belief>"


def _spelled_out(state: State | None) -> str:
    """Domains in brackets and words of slots, as FnCTOD, UBAR and PPTOD write them."""
    words = {"train-leaveat": "leave", "taxi-arriveby": "arrive"}
    return " ".join(
        f"[{domain}] " + " ".join(f"{slot} {value}" for slot, value in slots.items())
        for domain, slots in _nested(state, words).items()
    )


def write_fnctod(folder: Path, dialogues: list[Dialogue]) -> Written:
    thing = {
        each.id: [
            {
                "dial_id": each.id,
                "turn_num": turn.number,
                "bspn": _spelled_out(turn.gold),
                "bspn_gen": _spelled_out(turn.pred),
                "bspn_dict_gen": _nested(each.turns[-1].pred),
            }
            for turn in each.turns
        ]
        for each in dialogues
    }
    return Written(_json(folder / "fnctod.json", thing), "bspn")


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
    return Written(_json(folder / "ubar.json", thing), "bspn")


def write_parquet(folder: Path, dialogues: list[Dialogue]) -> Written:
    """States as JSON in text columns, under other usual names."""
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


def packed(writer: Writer, suffix: str) -> Writer:
    """The same layout with its main file compressed."""
    compress = {".gz": gzip.compress, ".zst": zstd.compress}[suffix]

    def write(folder: Path, dialogues: list[Dialogue]) -> Written:
        written = writer(folder, dialogues)
        path = written.path.with_name(written.path.name + suffix)
        path.write_bytes(compress(written.path.read_bytes()))
        return written._replace(path=path)

    return write


LAYOUTS: dict[str, Writer] = {
    "native": write_native,
    "native, apart": write_native_apart,
    "nested": write_nested,
    "fga-text": write_fga_text,
    "trade": write_trade,
    "trade with domains": write_trade_with_domains,
    "som-dst": write_som_dst,
    "llm": write_llm,
    "rows": write_rows,
    "rows in csv": write_csv,
    "rows of slots": write_slot_columns,
    "rows in parquet": write_parquet,
    "llm, tool calls": write_tool_calls,
    "ic-dst": write_ic_dst,
    "ldst": write_ldst,
    "simpletod": write_simpletod,
    "mttod": write_mttod,
    "pptod": write_pptod,
    "fnctod": write_fnctod,
    "ubar": write_ubar,
    "sgd": write_sgd,
    "mwzeval": write_mwzeval,
    "convlab3": write_convlab3,
    "multiwoz": write_multiwoz,
    "test_dials": write_test_dials,
    "native.gz": packed(write_native, ".gz"),
    "native.zst": packed(write_native, ".zst"),
    "nested.zst": packed(write_nested, ".zst"),
    "fga-text.gz": packed(write_fga_text, ".gz"),
    "convlab3.gz": packed(write_convlab3, ".gz"),
    "mwzeval.zst": packed(write_mwzeval, ".zst"),
}
OF_ONE_TURN: dict[str, Writer] = {
    "dstc10": write_dstc10,
    "dstc10.gz": packed(write_dstc10, ".gz"),
    "t5-text": write_t5_text,
    "t5-text.gz": packed(write_t5_text, ".gz"),
}
WITHOUT_DELETIONS: dict[str, Writer] = {"trippy": write_trippy, "trippy.gz": packed(write_trippy, ".gz")}

OF_TEXT = ("fga-text", "rows in csv", "rows of slots", "rows in parquet", "ldst")
"""Layouts of which a file is no JSON."""
OF_LINES = ("native", "llm", "t5-text", "rows")
"""Formats of JSON lines."""
