"""The same input gives the same bytes with any hash seed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from .invoke import call_process, files_in
from .samples import native_lines, written


def many(seed: int) -> bytes:
    """Dialogues with many slots, because the order of a set depends on the hash seed."""
    draw = random.Random(seed)
    slots = [f"{domain}-{name}" for domain in ("hotel", "pub", "taxi") for name in ("area", "name", "day", "to")]

    def state() -> dict[str, Any]:
        chosen = draw.sample(slots, draw.randint(0, 6))
        return {slot: draw.choice(["1", "2", "None", "a-b", "dont care"]) for slot in chosen}

    dialogues = {}
    for number in range(12):
        turns = []
        for _ in range(draw.randint(1, 5)):
            gold = state()
            turns.append({"gold": gold, "pred": gold if draw.random() < 0.4 else state(), "user": "hm"})
        dialogues[f"d{number}"] = turns
    return native_lines(dialogues)


def test_the_hash_seed_changes_no_byte(tmp_path: Path) -> None:
    result: dict[str, list[bytes]] = {}
    for seed in ("0", "1"):
        folder = tmp_path / seed
        written(folder / "p.jsonl", many(5))
        outputs = [
            call_process("tracker", "score", "p.jsonl", "--by", "domain", "--by", "slot", "--out", "run", "--json", cwd=folder, PYTHONHASHSEED=seed),
            call_process("tracker", "rules", "p.jsonl", "--json", cwd=folder, PYTHONHASHSEED=seed),
            call_process("tracker", "check", "p.jsonl", cwd=folder, PYTHONHASHSEED=seed),
            call_process("convert", "p.jsonl", "out.jsonl", cwd=folder, PYTHONHASHSEED=seed),
        ]  # fmt: skip
        assert [each.code for each in outputs] == [0, 0, 0, 0]
        result[seed] = [text.encode() for each in outputs for text in (each.out, each.err)]
    assert result["0"] == result["1"]
    one, other = files_in(tmp_path / "0"), files_in(tmp_path / "1")
    assert {
        "run/rows.jsonl",
        "run/run.json",
        "run/index.npz",
        "run/findings.npz",
        "run/report.md",
        "out.jsonl",
    } <= one.keys()
    assert {name: data for name, data in one.items() if name != "run/log.json"} == {
        name: data for name, data in other.items() if name != "run/log.json"
    }
