"""Layouts made at random, with figures that are known by construction. None may be read with another figure.

Run with ``python -m tests.fuzz.layouts --layouts 5000``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from dialmeter.errors import DialmeterError, InputError
from dialmeter.tracking.scoring import score_file

State: TypeAlias = dict[str, str]
Row: TypeAlias = dict[str, Any]


class WrittenTurn(NamedTuple):
    dialogue: str
    turn: int
    gold: State
    pred: State


NAMES = {
    "dialogue": ("dialogue_id", "conversation", "sessionId", "dial_id", "conv_id", "Dialogue", "dlg", "chat", "id"),
    "turn": ("turn", "turnIndex", "step", "turn_id", "utt_idx", "Turn No", "turn_num", "t"),
    "gold": (
        "gold",
        "expected",
        "ground_truth",
        "goldState",
        "reference",
        "y_true",
        "target_state",
        "labels",
        "Gold",
        "state",
    ),
    "pred": (
        "pred",
        "prediction",
        "hypothesis",
        "predicted_state",
        "y_pred",
        "modelOutput",
        "hyp",
        "generated",
        "output",
    ),
    "one side": ("state", "belief_state", "slots", "bs", "states", "dialogue_state"),
}
DISTRACTORS: dict[str, Callable[[Random, WrittenTurn], Any]] = {
    "utterance": lambda random, turn: random.choice(["I want a hotel in the east.", "for 4 people, please", "yes"]),
    "user_id": lambda random, turn: f"u{hash_of(turn.dialogue) % 3}",
    "model": lambda random, turn: "t5-large",
    "timestamp": lambda random, turn: f"2026-03-0{1 + turn.turn}T10:00:00",
    "goal": lambda random, turn: {"hotel": {"area": "east", "stars": "4"}},
    "domains": lambda random, turn: ["hotel", "train"],
    "confidence": lambda random, turn: round(random.random(), 2),
    "intent": lambda random, turn: random.choice(["inform", "request"]),
    "prev_pred": lambda random, turn: {},
    "latency_ms": lambda random, turn: random.randint(100, 900),
    "comment": lambda random, turn: random.choice(["", "ok", "see turn 3: wrong area"]),
    "row": lambda random, turn: random.randint(0, 10**6),
    "metadata": lambda random, turn: {"seed": 1, "split": "test"},
    "history": lambda random, turn: ["hello", "which area?", "east"][: turn.turn],
}


def hash_of(text: str) -> int:
    return sum(map(ord, text))


def by_domain(state: State) -> dict[str, State]:
    nested: dict[str, State] = {}
    for slot, value in state.items():
        domain, _, name = slot.partition("-")
        nested.setdefault(domain, {})[name] = value
    return nested


WRITERS: tuple[Callable[[State], Any], ...] = (
    lambda state: state,
    by_domain,
    lambda state: {"slots": state},
    lambda state: {"slot_values": by_domain(state)},
    lambda state: [f"{slot}-{value}" for slot, value in state.items()],
    lambda state: [[*slot.split("-"), value] for slot, value in state.items()],
    lambda state: [[slot, value] for slot, value in state.items()],
    lambda state: [{"slot": slot, "value": value} for slot, value in state.items()],
    lambda state: [{"domain": slot.split("-")[0], "slot": slot.split("-")[1], "value": value} for slot, value in state.items()],
    lambda state: {slot: {"value": value, "confidence": 0.9} for slot, value in state.items()},
    lambda state: {slot.replace("-", "."): value for slot, value in state.items()},
    lambda state: {**dict.fromkeys(("hotel-name", "train-id")), **state},
    json.dumps,
    str,
    lambda state: json.dumps(by_domain(state)),
    lambda state: str([(*slot.split("-"), value) for slot, value in state.items()]),
    lambda state: f"```json\n{json.dumps(state)}\n```",
    lambda state: f"<think>The user wants more.</think> {json.dumps(by_domain(state))}",
    lambda state: "; ".join(f"{slot} = {value}" for slot, value in state.items()),
    lambda state: ", ".join(f"{slot}={value}" for slot, value in state.items()),
    lambda state: " | ".join(f"{slot}: {value}" for slot, value in state.items()),
    lambda state: "\n".join(f"{slot}: {value}" for slot, value in state.items()),
    lambda state: {"tool_calls": [{"function": {"name": "set_state", "arguments": json.dumps(state)}}]},
    lambda state: {"role": "assistant", "content": json.dumps(state)},
)  # fmt: skip


def states_of(random: Random) -> list[WrittenTurn]:
    slots = ("hotel-area", "hotel-stars", "train-day", "taxi-destination", "hotel-book people", "train-leaveat")
    found = []
    ids = random.choice(["d{}", "PMUL{}.json", "sng-00{}", "{}"])
    for dialogue in range(random.randint(2, 5)):
        gold: State = {}
        for turn in range(random.randint(2, 5)):
            if random.random() < 0.85:
                gold = {**gold, random.choice(slots): random.choice(["east", "4", "monday", "old mill", "10:15"])}
            pred = dict(gold) if random.random() < 0.5 else {**gold, random.choice(slots): "wrong"}
            pred = {} if random.random() < 0.1 else pred
            found.append(WrittenTurn(ids.format(dialogue), turn, gold, pred))
    return found


def updates_of(turns: Sequence[WrittenTurn]) -> tuple[list[WrittenTurn], list[WrittenTurn]]:
    """Returns turns with what each changes in gold, and the states that these updates lead to."""
    updates: list[WrittenTurn] = []
    whole: list[WrittenTurn] = []
    before = WrittenTurn("", 0, {}, {})
    for turn in turns:
        before = before if before.dialogue == turn.dialogue else WrittenTurn(turn.dialogue, 0, {}, {})
        new = [{slot: value for slot, value in each.items() if before.gold.get(slot) != value} for each in turn[2:]]
        updates.append(turn._replace(gold=new[0], pred=new[1]))
        before = turn._replace(gold={**before.gold, **new[0]}, pred={**before.pred, **new[1]})
        whole.append(before)
    return updates, whole


ADD_UP = "(states=gold:update,pred:update)"
"""The answer to the question about updates."""


class Layout:
    """A layout made at random.

    Args:
        random: the source of all choices.
        sides: the sides that the file holds.
    """

    def __init__(self, random: Random, sides: Sequence[str] = ("gold", "pred")) -> None:
        self._random = random
        self.names = {role: random.choice(choices) for role, choices in NAMES.items()}
        if len(sides) == 1 and random.random() < 0.7:
            self.names[sides[0]] = self.names["one side"]
        self._writers = {side: random.choice(WRITERS) for side in sides}
        if random.random() < 0.7:
            self._writers = dict.fromkeys(sides, random.choice(WRITERS))
        self._more = random.sample(sorted(DISTRACTORS), random.randint(0, 4))
        self._first = random.choice((0, 0, 1))
        self._sides = sides

    def write(self, turns: Sequence[WrittenTurn], folder: Path, name: str = "file") -> Path:
        """Writes turns, and returns the file or folder."""
        rows = [self._row(turn) for turn in turns]
        kind = self._random.choice(
            ["lines", "list", "wrapped", "table", "table", "turns", "by id", "columns", "by turn", "parallel", "both speakers",
             "pandas", "lists of turns", "database", "folder", "payload", "one slot a row", "one slot a column", "records by key"]
        )  # fmt: skip
        path = (
            folder
            / f"{name}.{ {'lines': 'jsonl', 'table': 'csv', 'payload': 'jsonl', 'one slot a row': 'csv', 'one slot a column': 'csv', 'database': 'db'}.get(kind, 'json') }"
        )
        if kind == "database":
            return self._database(rows, path)
        if kind == "folder":
            (folder / name).mkdir()
            for place, part in enumerate((rows[::2], rows[1::2])):
                (folder / name / f"part-{place}.jsonl").write_text("\n".join(map(json.dumps, part)))
            return folder / name
        text = self._text(kind, turns, rows)
        if self._random.random() < 0.1:
            path = path.with_name(f"{path.name}.gz")
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
        else:
            path.write_text(("\ufeff" if path.suffix == ".csv" and self._random.random() < 0.2 else "") + text)
        return path

    def _row(self, turn: WrittenTurn) -> Row:
        more = {name: DISTRACTORS[name](self._random, turn) for name in self._more}
        place = {self.names["dialogue"]: turn.dialogue, self.names["turn"]: turn.turn + self._first}
        return {**place, **more, **self._states(turn)}

    def _states(self, turn: WrittenTurn) -> Row:
        sides = {"gold": turn.gold, "pred": turn.pred}
        return {self.names[side]: self._writers[side](sides[side]) for side in self._sides}

    def _text(self, kind: str, turns: Sequence[WrittenTurn], rows: Sequence[Row]) -> str:
        names = self.names
        inner: dict[str, list[Row]] = {}
        for row in rows:
            inner.setdefault(row[names["dialogue"]], []).append(
                {key: value for key, value in row.items() if key != names["dialogue"]}
            )
        bare = {
            name: [{key: value for key, value in row.items() if key != names["turn"]} for row in listed]
            for name, listed in inner.items()
        }
        if kind in ("lines", "payload"):
            if kind == "payload":
                rows = [
                    each
                    for turn, row in zip(turns, rows, strict=True)
                    for each in (
                        {names["dialogue"]: turn.dialogue, "event": "asr", "payload": {"text": "hello"}},
                        {names["dialogue"]: turn.dialogue, "event": "dst", "payload": {names["turn"]: row[names["turn"]], **self._states(turn)}},
                    )
                ]  # fmt: skip
            return "\n".join(map(json.dumps, rows))
        if kind == "table":
            return self._table(rows, self._random.choice([",", ";", "\t", "|"]))
        if kind == "one slot a row":
            return self._table(self._slot_rows(turns), ",")
        if kind == "one slot a column":
            slots = sorted({slot for turn in turns for slot in (*turn.gold, *turn.pred)})
            columns = [
                {names["dialogue"]: turn.dialogue, names["turn"]: turn.turn}
                | {f"{side}_{slot}": getattr(turn, side).get(slot, "") for side in self._sides for slot in slots}
                for turn in turns
            ]
            return self._table(columns, ",")
        document: Any = {"wrapped": {"results": rows}, "by id": bare, "lists of turns": list(bare.values())}.get(
            kind, rows
        )
        if kind == "turns":
            document = [{names["dialogue"]: name, "turns": listed} for name, listed in inner.items()]
        elif kind == "by turn":
            document = {name: {str(place): row for place, row in enumerate(listed)} for name, listed in bare.items()}
        elif kind == "columns":
            document = {"columns": list(rows[0]), "data": [list(row.values()) for row in rows]}
        elif kind == "pandas":
            document = {name: {str(place): row[name] for place, row in enumerate(rows)} for name in rows[0]}
        elif kind == "parallel":
            document = [
                {names["dialogue"]: name}
                | {key: [row[key] for row in listed] for key in (names[side] for side in self._sides)}
                for name, listed in bare.items()
            ]
        elif kind == "records by key":
            document = {
                f"{row[names['dialogue']]}_{turn.turn}": self._states(turn)
                for turn, row in zip(turns, rows, strict=True)
            }
        elif kind == "both speakers":
            document = [
                {names["dialogue"]: name, "turns": [each for row in listed for each in ({"speaker": "user", "text": "I want", **row}, {"speaker": "system", "text": "ok"})]}
                for name, listed in bare.items()
            ]  # fmt: skip
        return json.dumps(document)

    def _slot_rows(self, turns: Sequence[WrittenTurn]) -> list[Row]:
        names = self.names
        return [
            {names["dialogue"]: turn.dialogue, names["turn"]: turn.turn, "slot": slot}
            | {names[side]: getattr(turn, side).get(slot, "none") for side in self._sides}
            for turn in turns
            for slot in sorted({*turn.gold, *turn.pred, "train-id"})
        ]

    def _table(self, rows: Sequence[Row], delimiter: str) -> str:
        written = io.StringIO()
        table = csv.DictWriter(written, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(map(_as_cells, rows))
        return written.getvalue()

    def _database(self, rows: Sequence[Row], path: Path) -> Path:
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        names = ", ".join(f'"{name}"' for name in rows[0])
        connection.execute(f"create table turns ({names})")
        connection.executemany(
            f"insert into turns values ({', '.join('?' * len(rows[0]))})",
            [tuple(_as_cells(row).values()) for row in rows],
        )
        connection.commit()
        connection.close()
        return path


def _as_cells(row: Mapping[str, Any]) -> Row:
    return {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in row.items()}


def outcome(seed: int, folder: Path) -> str:
    """Writes and reads a layout, in one file or two: ``read``, ``refused``, or what is wrong."""
    random = Random(seed)
    turns = read_as = states_of(random)
    is_update = Random(f"updates {seed}").random() < 0.05
    if is_update:
        turns, read_as = updates_of(turns)
    inner = folder / str(seed)
    inner.mkdir()
    try:
        if random.random() < 0.7:
            files = [Layout(random).write(turns, inner)]
        else:
            files = [
                Layout(random, ["pred"]).write(turns, inner, "pred"),
                Layout(random, ["gold"]).write(turns, inner, "gold"),
            ]
        try:
            try:
                result, read_as = score_file(*map(str, files), measures=["JGA"]), turns
            except InputError as error:
                if not (is_update and "look like updates" in str(error)):
                    raise
                gold_format = ADD_UP if len(files) > 1 else None
                result = score_file(*map(str, files), measures=["JGA"], format=ADD_UP, gold_format=gold_format)
        except DialmeterError as error:
            return f"refused {' '.join(each.name for each in files)}: {error}" if VERBOSE else "refused"
        right = sum(each.gold == each.pred for each in read_as)
        found = round((result["JGA"].value or 0) * len(turns), 9), result.counts["turns"]
        names = " ".join(each.name for each in files)
        return (
            "read" if found == (right, len(turns)) else f"wrong: seed {seed}, {names}, {found}, not {right, len(turns)}"
        )
    finally:
        if not VERBOSE:
            shutil.rmtree(inner)


VERBOSE = False


def main() -> int:
    """Prints the outcomes; the exit code is 1 if a layout is read with another figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layouts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        outcomes = Counter(outcome(given.seed + number, Path(folder)) for number in range(given.layouts))
    for name, count in outcomes.most_common(20):
        sys.stdout.write(f"{count} {name}\n")
    return int(not {*outcomes} <= {"read", "refused"})


if __name__ == "__main__":
    sys.exit(main())
