"""Files of trackers as people save them: the same turns in many layouts. The figures are known by construction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...fuzz.layouts import by_domain

State = dict[str, str]


class Written(NamedTuple):
    """A turn."""

    dialogue: str
    turn: int
    gold: State
    pred: State
    other: State


def _turns() -> list[Written]:
    first, second, third = ({"hotel-area": "east"}, {"hotel-book people": "4"}, {"train-day": "friday"})
    wrong = {"hotel-area": "west"}
    return [
        Written("MUL1.json", 0, first, first, first),
        Written("MUL1.json", 1, first | second, first | second, wrong | second),
        Written("MUL1.json", 2, first | second | third, first | second, wrong | second | third),
        Written("MUL2.json", 0, third, third, third),
        Written("MUL2.json", 1, third | second, third | second, third | second),
    ]


TURNS = _turns()
RIGHT = {"JGA": 4 / 5, "turns": 5, "dialogues": 2}
RIGHT_OF_OTHER = {**RIGHT, "JGA": 3 / 5}


def _cells(head: str, cell: str, pair: str, form: str) -> str:
    """Returns a table with the dialogue, the turn and both states of each turn."""
    rows = [
        [
            each.dialogue,
            str(each.turn),
            *(pair.join(form.format(*own) for own in state.items()) for state in (each.gold, each.pred)),
        ]
        for each in TURNS
    ]
    return "".join(f"{line}\n" for line in (head, *(cell.join(row) for row in rows)))


def _lines(row: Callable[[Written], Any], before: Sequence[Any] = (), after: Sequence[Any] = ()) -> str:
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in (*before, *map(row, TURNS), *after))


def _words(state: State) -> str:
    return ", ".join(f"{slot.replace('-', ' ')} {value}" for slot, value in state.items())


def _by_dialogue(value: Callable[[Written], Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in TURNS:
        found.setdefault(each.dialogue, []).append(value(each))
    return found


def _place(each: Written) -> dict[str, Any]:
    return {"dialogue_id": each.dialogue, "turn": each.turn}


def _gemini(text: str) -> dict[str, Any]:
    return {"response": {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}}


def _anthropic(text: str) -> dict[str, Any]:
    return {
        "result": {"type": "succeeded", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}
    }


def _responses(text: str) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {"response": {"status_code": 200, "body": {"output": [{"type": "reasoning", "summary": []}, message]}}}


_GOLD = {"gold.jsonl": _lines(lambda each: {**_place(each), "state": each.gold})}

READ: Mapping[str, Mapping[str, str]] = {
    "outputs of an engine": {
        "run.jsonl": _lines(
            lambda each: {
                "meta": {**_place(each), "gold_state": each.gold},
                "outputs": [{"index": 0, "text": f"So:\n```json\n{json.dumps(each.pred)}\n```", "finish_reason": "stop"}],
            }
        )
    },
    "batch of Anthropic": {
        "run.jsonl": _lines(lambda each: {"custom_id": f"{each.dialogue}_{each.turn}", **_anthropic(json.dumps(each.pred))}),
        **_GOLD,
    },
    "batch of Gemini": {
        "run.jsonl": _lines(lambda each: {"key": f"{each.dialogue}|{each.turn}", **_gemini(json.dumps(each.pred))}),
        **_GOLD,
    },
    "batch of responses": {
        "run.jsonl": _lines(lambda each: {"custom_id": f"{each.dialogue}-turn-{each.turn}", **_responses(json.dumps(each.pred))}),
        **_GOLD,
    },
    "samples with arguments of generation": {
        "run.jsonl": _lines(
            lambda each: {
                "doc": _place(each),
                "target": json.dumps(each.gold),
                "arguments": {"gen_args_0": {"arg_0": "Track"}},
                "filtered_resps": [json.dumps(each.pred)],
            }
        )
    },
    "events with a header": {
        "run.jsonl": _lines(
            lambda each: {
                "sample_id": f"{each.dialogue}.{each.turn}",
                "run_id": "26",
                "data": {"expected": json.dumps(each.gold), "picked": json.dumps(each.pred)},
            },
            [{"spec": {"eval_name": "dst"}}],
            [{"final_report": {"accuracy": 0.5}}],
        )
    },
    "rows of several kinds": {
        "run.ndjson": "".join(
            f"{json.dumps({'kind': kind, 'conv': each.dialogue, 'n': each.turn, **more})}\n"
            for each in TURNS
            for kind, more in (
                ("user", {"text": "Hello."}),
                ("tracker", {"state": each.pred, "annotated_state": each.gold}),
                ("bot", {"text": "Hello!"}),
            )
        )
    },
    "test cases with names": {
        "run.json": json.dumps(
            {
                "testCases": [
                    {
                        "name": f"{each.dialogue}_turn_{each.turn}",
                        "actualOutput": json.dumps(each.pred),
                        "expectedOutput": json.dumps(each.gold),
                    }
                    for each in TURNS
                ]
            }
        )
    },
    "words of a model": {
        "run.jsonl": _lines(lambda each: {**_place(each), "target": _words(each.gold), "generated": _words(each.pred)})
    },
    "full-width marks": {
        "run.csv": _cells("会话,轮次,标签,预测", ",", "；", "{}={}")
    },
    "Windows-1252": {
        "run.csv": _cells("dialogue;tour;état_référence;état_prédit", ";", " | ", "{}: {}")
    },
    "slots with underscores": {
        "run.jsonl": _lines(
            lambda each: {
                **_place(each),
                "gold": each.gold,
                "pred": {slot.replace("-", "_").replace(" ", "_"): value for slot, value in each.pred.items()},
            }
        )
    },
    "slots of two files with points": {
        "run.jsonl": _lines(
            lambda each: {**_place(each), "state": {slot.replace("-", "."): value for slot, value in each.pred.items()}}
        ),
        **_GOLD,
    },
    "slot_values": {
        "run.jsonl": _lines(lambda each: {**_place(each), "slot_values": each.pred}),
        "gold.jsonl": _lines(lambda each: {**_place(each), "slot_values": each.gold}),
    },
    "states by dialogue and turn": {
        "run.json": json.dumps(
            {name: {str(place): by_domain(state) for place, state in enumerate(states)} for name, states in _by_dialogue(lambda each: each.pred).items()}
        ),
        "gold.json": json.dumps(
            {name: {str(place): by_domain(state) for place, state in enumerate(states)} for name, states in _by_dialogue(lambda each: each.gold).items()}
        ),
    },
    "two parts of a document": {
        "run.json": json.dumps(
            {side: [{**_place(each), "state": getattr(each, side)} for each in TURNS] for side in ("gold", "pred")}
        )
    },
    "sources beside values": {
        "run.jsonl": _lines(
            lambda each: {
                **_place(each),
                "gold": each.gold,
                "pred": {slot: {"value": value, "confidence": 0.8, "source": "user"} for slot, value in each.pred.items()},
            }
        )
    },
}  # fmt: skip
"""Files that are read with the figures ``RIGHT``: predictions first, then gold if it is apart."""
SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "columns of models": {
        "run.json": json.dumps(
            {
                "columns": ["dialogue_id", "turn", "target_state", "llama-3.3", "qwen3"],
                "data": [
                    [each.dialogue, each.turn, *map(json.dumps, (each.gold, each.pred, each.other))] for each in TURNS
                ],
            }
        )
    },
    "an object of models and gold": {
        "run.json": json.dumps(
            {
                "dialogues": [
                    {"id": name, "turns": turns}
                    for name, turns in _by_dialogue(
                        lambda each: {
                            "user": "Hi.",
                            "bs": {"gold": each.gold, "llama-3.3": each.pred, "qwen3": each.other},
                        }
                    ).items()
                ]
            }
        )
    },
}
"""Files of the systems llama-3.3, with the figures ``RIGHT``, and qwen3, with ``RIGHT_OF_OTHER``."""
ASKED: Mapping[str, tuple[str, str]] = {
    "no header": (
        "".join(f"{each.dialogue}\t{each.turn}\t{json.dumps(each.gold)}\t{json.dumps(each.pred)}\n" for each in TURNS),
        "a table needs the names of its columns in line 1",
    ),
    "no header, states in text": (
        "".join(
            f"{each.dialogue}\t{each.turn}\t" + ", ".join(f"{slot}={value}" for slot, value in each.gold.items()) + "\n"
            for each in TURNS
        ),
        "a table needs the names of its columns in line 1",
    ),
    "two annotators": (
        _lines(lambda each: {**_place(each), "annotator_1": each.gold, "annotator_2": each.other, "prediction": each.pred}),
        "which field is gold: annotator_1 or annotator_2?",
    ),
    "several samples": (
        _lines(lambda each: {**_place(each), "gold": each.gold, "outputs": [{"index": 0, "text": "{}"}, {"index": 1, "text": "{}"}]}),
        "outputs holds several hypotheses of a turn",
    ),
    "states of people and machines": (
        _lines(lambda each: {**_place(each), "human_state": each.gold, "llm_state": each.pred}),
        "which field is gold: human_state or llm_state? Answer with --columns gold=human_state",
    ),
    "two names of gold": (
        _lines(lambda each: {**_place(each), "gold": each.gold, "label": each.other, "pred": each.pred}),
        "which field is gold: gold or label?",
    ),
}  # fmt: skip
"""Files with the question that is asked."""
