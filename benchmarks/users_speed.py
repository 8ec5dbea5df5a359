"""Speed of scoring users, as ratios.

Run with `python benchmarks/users_speed.py` (`--help` for options). A corpus of 1,350 dialogues in the format of the published
evaluator is scored from file to scores. The time is compared with a bare JSON parse of the same bytes, with the garbage collector
off, so that the parse is as fast as possible. The two sides alternate. The commands `check` and `score` are compared with
each other as processes, start-up included. The corpus is made from the published dialogues if they are available
(DIALMETER_SHARED), with other ids and some other values. Otherwise a generator makes dialogues of the same size. Time is
CPU time, the best of several rounds. For two workers it is wall time, and the median of several ratios.
"""

import gc
import gzip
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import cycle, islice
from multiprocessing.pool import Pool
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from dialmeter.readers.conversations import open_conversations
from dialmeter.users.result import ScoreTable, UserResult
from dialmeter.users.scorer import ScoringJob, UserScorer, score_conversations
from dialmeter.values.maps import ValueMap
from rows import Row, at_least, at_most, print_ratios

DIALOGUES = 1350
SECONDS = 2.0
PARSE_TARGET = 6
CHECK_TARGET = 1
TWO_TARGET = 1.7
REPEATS = 7
PARTS = 32
SHARED = Path(os.environ.get("DIALMETER_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data" / "users"

JsonObject = dict[str, Any]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def dialogues(count: int) -> Iterator[JsonObject]:
    """Yield the dialogues of the corpus: published dialogues with changes, or generated ones."""
    published = SHARED / "fixture48_dialogues.json.gz"
    if not published.exists():
        yield from (generated(number) for number in range(count))
        return
    for number, text in enumerate(
        islice(cycle(map(json.dumps, json.loads(gzip.decompress(published.read_bytes())))), count)
    ):
        yield changed(text, number)


def changed(text: str, number: int) -> JsonObject:
    """Return a copy of a dialogue with a new id, other days, and sometimes names that are in no map."""
    turn = {day: _DAYS[(place + number) % 7] for place, day in enumerate(_DAYS)}
    entry: JsonObject = json.loads(text, object_hook=lambda inside: _with(inside, turn, number))
    return {**entry, "dialogue_id": f"{number:05}-{entry['dialogue_id']}"}


def _with(inside: JsonObject, turn: dict[str, str], number: int) -> JsonObject:
    for key, value in inside.items():
        if key == "day":
            inside[key] = turn.get(value, value)
        elif key == "values" and inside.get("slot") == "day":
            inside[key] = [turn.get(each, each) for each in value]
        elif key == "values" and inside.get("slot") == "name" and number % 10 == 0:
            inside[key] = [f"{each} {number // 100}" for each in value]
    return inside


def generated(number: int) -> JsonObject:
    """Generate a dialogue of the usual size: a hotel and a train, with repetitions and requests."""
    draw = random.Random(number)
    goal = {
        "hotel": {
            "info": {"area": draw.choice(["east", "west", "north"]), "stars": str(draw.randint(2, 5)), "type": "hotel"},
            "book": {"people": str(draw.randint(1, 8)), "day": draw.choice(_DAYS), "stay": str(draw.randint(1, 5))},
            "reqt": {"phone": "?", "address": "?"},
        },
        "train": {"info": {"day": draw.choice(_DAYS), "departure": "ely", "destination": "cambridge"}},
    }
    wants = [
        (domain, pair)
        for domain, parts in goal.items()
        for name in ("info", "book")
        for pair in parts.get(name, {}).items()
    ]
    turns: list[JsonObject] = []
    for place in range(2 * draw.randint(7, 12)):
        said = draw.sample(wants, 4)
        if place % 2:
            turns.append(_turn(place, "SYSTEM", said, draw.choice(["Inform", "Request", "NoOffer", "Recommend"]), draw))
        else:
            turns.append(_turn(place, "USER", said, "Inform", draw))
    return {"dialogue_id": f"made-{number:05}", "goal": goal, "turns": turns}


def _turn(
    place: int, speaker: str, said: list[tuple[str, tuple[str, str]]], act: str, draw: random.Random
) -> JsonObject:
    frames: dict[str, JsonObject] = {}
    for domain, (slot, value) in said:
        frame = frames.setdefault(domain, {"service": domain, "actions": []})
        frame["actions"].append({"act": f"{domain.title()}-{act}", "slot": slot, "values": [value]})
        if speaker == "USER":
            frame["state"] = {"requested_slots": [f"{domain}-phone"] if draw.random() < 0.1 else []}
    text = " ".join(f"The {slot} of the {domain} should be {value}." for domain, (slot, value) in said)
    return {
        "turn_id": str(place),
        "speaker": speaker,
        "utterance": text,
        "frames": list(frames.values()),
        "nlu": {"frames": list(frames.values())},
    }


def value_map() -> ValueMap:
    """Return the published map if it is available, otherwise a small one."""
    published = SHARED / "multiwoz21_canonical_map.json.gz"
    if published.exists():
        return ValueMap.read(published)
    areas = {
        name: [name, f"{name} side", f"the {name} of town"] for name in ("east", "west", "north", "south", "centre")
    }
    return ValueMap({"area": areas, "day": {day: [day, f"on {day}"] for day in _DAYS}})


def scored(path: Path, values: ValueMap) -> None:
    """Score a file end to end, from a matcher with an empty cache to scores with signatures."""
    settings = UserScorer(value_map=values).settings
    assert UserResult(settings, score_conversations(open_conversations(path, "gcdf1"), ScoringJob(settings))).scores


def parsed(path: Path) -> None:
    """Parse the file: the minimum work of any reader."""
    gc.disable()
    orjson.loads(path.read_bytes())
    gc.enable()


def processor_seconds(works: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the best CPU time of each function over several alternating rounds, child processes included."""
    best = dict.fromkeys(works, math.inf)
    for _ in range(repeats):
        for name, work in works.items():
            gc.collect()
            start = sum(os.times()[:4])
            work()
            best[name] = min(best[name], sum(os.times()[:4]) - start)
    return best


def ran(command: str, path: Path) -> None:
    """Run a command of dialmeter on the corpus, without a map, in a new process."""
    line = [sys.executable, "-m", "dialmeter", command, str(path), "--subject", "user", "--quiet"]
    subprocess.run([*line, *(["--workers", "1"] if command == "score" else [])], check=True, stdout=subprocess.DEVNULL)


_state: dict[str, ValueMap] = {}


def _prepare() -> None:
    _state["values"] = value_map()


def shard(path: Path) -> ScoreTable:
    """Score one part of the corpus in a worker process."""
    from dialmeter.readers.conversations import open_conversations

    scorer = UserScorer(value_map=_state["values"])
    for conversation in open_conversations(path, "gcdf1"):
        scorer.add(conversation)
    return scorer.score_table


def two_processes(paths: list[Path], repeats: int) -> float:
    """Return the speed-up of two processes over one, on the same parts; start-up of the processes is excluded.

    Both alternate, and the median of the rounds' ratios counts: the fastest round of two processes needs two cores that
    are idle at the same time, and that of one process needs only one.
    """
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, _prepare) as one, context.Pool(2, _prepare) as two:

        def seconds(pool: Pool) -> float:
            start = time.perf_counter()
            whole = ScoreTable()
            for book in pool.imap_unordered(shard, paths, chunksize=1):
                whole.merge(book)
            return time.perf_counter() - start

        seconds(one), seconds(two)
        return median(seconds(one) / seconds(two) for _ in range(repeats))


def ratios(count: int = DIALOGUES, repeats: int = REPEATS) -> list[Row]:
    """Return all rows of this benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = list(dialogues(count))
        path = Path(folder) / "corpus.json"
        path.write_bytes(orjson.dumps(corpus))
        parts = [Path(folder) / f"part{place}.json" for place in range(PARTS)]
        for place, part in enumerate(parts):
            part.write_bytes(orjson.dumps(corpus[place::PARTS]))
        turns = sum(len(each["turns"]) for each in corpus)
        del corpus
        values = value_map()
        best = processor_seconds({"score": lambda: scored(path, values), "parse": lambda: parsed(path)}, repeats)
        commands = {name: partial(ran, name, path) for name in ("check", "score")}
        as_commands = processor_seconds(commands, repeats)
        faster = two_processes(parts, 2 * repeats + 1)
    size = f"{count:,} dialogues, {turns:,} turns"
    return [
        at_most(f"scoring users, seconds, {size}", best["score"], SECONDS),
        at_most("scoring users ÷ JSON parse", best["score"] / best["parse"], PARSE_TARGET),
        at_most("`check` ÷ `score`, as commands", as_commands["check"] / as_commands["score"], CHECK_TARGET),
        at_least("scoring users, one process ÷ two", faster, TWO_TARGET),
    ]


if __name__ == "__main__":
    print_ratios(ratios, "Speed of scoring users.", DIALOGUES, REPEATS)
