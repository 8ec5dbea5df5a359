"""Random designs: small legal corpora of every size from zero up, scored by dialmeter through every route and by plain Python here.

A mutated sample has the shape of the sample. A design is a new shape: so many dialogues, turns and slots; tasks and trials; cases and
judges; items, systems, contexts and raters; goals and what users say. The scorers in this file are written from the definitions in
the documentation and share no code with dialmeter. Each route (a file format, or Python objects) must give the same numbers, or every
route must refuse the design.

``python -m tests.fuzz.designs --designs 5000 --seed 1 --log benchmarks/designs.txt`` runs many; ``--only NUMBER`` runs one again.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from math import comb, exp, inf, isclose, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import msgspec

from dialmeter import Act, read
from dialmeter.cli.main import run as run_command
from dialmeter.errors import DialmeterError
from dialmeter.judges.ask import ScorePair
from dialmeter.judges.case_files import read_cases, read_scores
from dialmeter.judges.cases import Case, Place
from dialmeter.judges.people.study import judge_people
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Conversation, DomainGoal, Move, Trajectory
from dialmeter.readers.conversations import open_trajectories
from dialmeter.readers.layouts.own import WRITERS
from dialmeter.readers.ratings.rated_item import RatedItem
from dialmeter.systems.scorer import score_system
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scorer import TrackerScorer

from ..golden import layouts
from ..scoring import score_tracker
from ..users.scoring import score_user

Numbers = dict[str, float | None]
"""The numbers of a design by name; None if a number does not exist."""
Plain = dict[str, str]
REFUSED = "refused"
SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 8)


class Failed(NamedTuple):
    """A route whose numbers differ from those of the plain scorer, or which ended with an internal error."""

    route: str
    trouble: str


def differing(route: str, found: Numbers | str, wanted: Numbers | str) -> Iterator[Failed]:
    """Compare the numbers of a route with those of the plain scorer; a refusal is the text REFUSED."""
    if isinstance(found, str) or isinstance(wanted, str):
        if found != wanted:
            yield Failed(route, f"found {found}, wanted {wanted}")
        return
    for name, value in wanted.items():
        other = found.get(name)
        same = value is other if value is None or other is None else isclose(value, other, rel_tol=1e-9, abs_tol=1e-9)
        if not same:
            yield Failed(route, f"{name} is {other}, wanted {value}")


def through(routes: Mapping[str, Callable[[], Numbers]], wanted: Numbers | str) -> Iterator[Failed]:
    """Yield what is wrong with each route. Only an error that is meant for users is a refusal."""
    for route, enter in routes.items():
        try:
            found: Numbers | str = enter()
        except DialmeterError as error:
            found = REFUSED
            if "\n" in str(error):
                yield Failed(route, f"a refusal of several lines: {error}")
            if wanted != REFUSED:
                yield Failed(route, f"refused: {error}")
                continue
        except Exception:
            yield Failed(route, traceback.format_exc())
            continue
        yield from differing(route, found, wanted)


# --- trackers ---------------------------------------------------------------------------------------------------------------------


class TrackerTurn(NamedTuple):
    """One turn as written: its number, gold, and the prediction, if there is one."""

    number: int
    gold: Plain
    pred: Plain | None


Corpus = dict[str, list[TrackerTurn]]
IDS = ("d1", "MUL0003.json", "a b", "Straße", "x_1", "7", "PMUL-2", "e", *(f"n{number}" for number in range(20)))
SLOTS = tuple(f"{domain}-{slot}" for domain in ("hotel", "taxi", "museum") for slot in ("area", "name", "stars"))
GOLD_VALUES = (
    "east", "East ", "west", "a  b", "A b", "none", "", "dontcare", "don't care", "1", "10", "12:30", "x-y", "east|west",
)  # fmt: skip
PRED_VALUES = (*GOLD_VALUES[:-1], "not mentioned", "no preference", "east|west")
ABSENT = {"", "none", "null", "not mentioned", "not_mentioned", "n/a", "unknown"}
DONTCARE = {"dontcare", "don't care", "dont care", "do not care", "no preference"}
PER_TURN = ("JGA", "SA", "AGA", "IAGA", "RSA", "FGA(lam=0.5)", "FGA(lam=1)", "JointF1", "FinalJGA", "DialogueAccuracy")
MEASURES = (*PER_TURN, "GCA", "SlotPrecision", "SlotRecall", "SlotF1")


def make_corpus(draw: Random) -> Corpus:
    """Return dialogues whose gold and predictions mostly grow, and sometimes change, shrink or are missing."""
    slots = draw.sample(SLOTS, draw.choice((1, 2, 3, 5, 9)))
    careless = draw.choice((0.0, 0.1, 0.5))
    sizes = SIZES if draw.random() < 0.3 else SIZES[1:]
    missing = draw.choice((0.0, 0.0, 0.0, 0.2))
    corpus: Corpus = {}
    for name in draw.sample(IDS, draw.choice((*SIZES, *SIZES, 25))):
        gold: Plain = {}
        pred: Plain = {}
        number, turns = 0, []
        step = draw.choice((1, 1, 1, 3))
        for _ in range(draw.choice(sizes)):
            for slot in draw.sample(slots, draw.randint(0, len(slots)) if draw.random() < 0.7 else 0):
                gold = {**gold, slot: draw.choice(GOLD_VALUES)}
                pred = {
                    **pred,
                    slot: draw.choice(PRED_VALUES) if draw.random() < careless else gold[slot].partition("|")[0],
                }
            if draw.random() < 0.1:
                gold = dict(list(gold.items())[1:])
            if draw.random() < careless:
                pred = {slot: value for slot, value in pred.items() if draw.random() < 0.7}
            turns.append(TrackerTurn(number, gold, None if draw.random() < missing else pred))
            number += draw.randint(1, step)
        corpus[name] = turns
    return corpus


def plain_value(text: str) -> str:
    text = " ".join(text.lower().split())
    return "dontcare" if text in DONTCARE else text


def gold_state(state: Plain) -> dict[str, set[str]]:
    """Return the accepted values of each slot that has one."""
    sets = {slot: {plain_value(each) for each in value.split("|")} - ABSENT for slot, value in state.items()}
    return {slot: values for slot, values in sets.items() if values}


def pred_state(state: Plain) -> Plain:
    values = {slot: plain_value(value) for slot, value in state.items()}
    return {slot: value for slot, value in values.items() if value not in ABSENT}


def score_corpus(corpus: Corpus, *, empty: bool) -> Numbers | str:
    """Score a corpus by the definitions of the papers, turn by turn."""
    turns = [turn for each in corpus.values() for turn in each]
    if not turns or not all(corpus.values()) or (not empty and any(turn.pred is None for turn in turns)):
        return REFUSED
    known = {slot for turn in turns for slot in gold_state(turn.gold)}
    per_turn: dict[str, list[float]] = {name: [] for name in PER_TURN}
    changes: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for dialogue in corpus.values():
        states = [(turn.number, gold_state(turn.gold), pred_state(turn.pred or {})) for turn in dialogue]
        last_gold: dict[str, set[str]] = {}
        last_pred: Plain = {}
        last_mistake = -inf
        for place, (number, gold, pred) in enumerate(states):
            union = gold.keys() | pred.keys()
            right = {slot for slot in gold if pred.get(slot) in gold[slot]}
            errors = len(union) - len(right)
            new_gold = [slot for slot in gold if not gold[slot] & last_gold.get(slot, set())]
            new_pred = [slot for slot in pred if last_pred.get(slot) != pred[slot]]
            per_turn["JGA"].append(float(not errors))
            per_turn["RSA"].append(1 - errors / len(union) if union else 0.0)
            per_turn["JointF1"].append(2 * len(right) / (len(gold) + len(pred)) if union else 1.0)
            pairs += Counter(right=len(right), gold=len(gold), pred=len(pred))
            if union:
                per_turn["IAGA"].append(len(right) / (len(gold) + len(pred) - len(right)))
            if known:
                per_turn["SA"].append(1 - min(errors, len(known)) / len(known))
            if gold:
                per_turn["AGA"].append(len(right) / len(gold))
            locally_right = place > 0 and right.issuperset(new_gold) and right.issuperset(new_pred)
            if errors and not locally_right:
                last_mistake = number
            for lam in (0.5, 1.0):
                weight = 1 - exp(-lam * (number - last_mistake)) if locally_right else 0.0
                per_turn[f"FGA(lam={lam:g})"].append(weight if errors else 1.0)
            count_changes(changes, gold, pred, new_gold, new_pred)
            last_gold, last_pred = gold, pred
        exact = per_turn["JGA"][-len(states) :]
        per_turn["FinalJGA"].append(exact[-1])
        per_turn["DialogueAccuracy"].append(min(exact))
    numbers: Numbers = {name: fmean(values) if values else None for name, values in per_turn.items()}
    shares = {
        "SlotPrecision": pairs["pred"],
        "SlotRecall": pairs["gold"],
        "SlotF1": (pairs["pred"] + pairs["gold"]) / 2,
    }
    slots = {name: pairs["right"] / total if total else None for name, total in shares.items()}
    return {**numbers, **slots, "GCA": granular_change_accuracy(changes)}


def count_changes(
    changes: Counter[str], gold: dict[str, set[str]], pred: Plain, new_gold: Iterable[str], new_pred: Iterable[str]
) -> None:
    counted: dict[str, str] = {}
    for slot in new_gold:
        kind = "missed" if slot not in pred else "correct" if pred[slot] in gold[slot] else "wrong"
        changes[kind] += 1
        counted[slot] = kind
    for slot in new_pred:
        kind = "extra" if slot not in gold else "correct" if pred[slot] in gold[slot] else "wrong"
        changes[kind] += counted.get(slot) != kind


def granular_change_accuracy(changes: Counter[str], alpha: float = 10 / 11) -> float | None:
    correct, wrong = changes["correct"], changes["wrong"]
    p, g = correct + wrong + changes["extra"], correct + wrong + changes["missed"]
    if p + g == 0:
        return None
    return (p + g) / ((p * p + g * g) * (alpha / correct + (1 - alpha) / (correct + wrong))) if correct else 0.0


def nested(state: Plain) -> dict[str, Plain]:
    domains: dict[str, Plain] = {}
    for slot, value in state.items():
        domain, _, name = slot.partition("-")
        domains.setdefault(domain, {})[name] = value
    return domains


def present(state: Plain | None) -> Plain:
    """Return a state without absent values, for formats that cannot write them."""
    return {slot: value for slot, value in (state or {}).items() if plain_value(value) not in ABSENT}


def split(state: Plain) -> layouts.State:
    """Return a state whose alternatives are lists, without absent values."""
    return {slot: value.split("|") if "|" in value else value for slot, value in present(state).items()}


def glued(state: Plain | None) -> list[str]:
    return [f"{slot}-{value}" for slot, value in present(state).items()]


def native_lines(corpus: Corpus, sides: Sequence[str] = ("gold", "pred")) -> str:
    lines = []
    for name, turns in corpus.items():
        written = [
            {"turn": turn.number, **{side: state for side in sides if (state := getattr(turn, side)) is not None}}
            for turn in turns
        ]
        lines.append(json.dumps({"dialogue_id": name, "turns": written}) + "\n")
    return "".join(lines)


def other_values(lines: str) -> str:
    """Write gold values with several alternatives as lists, and digits as numbers."""

    def written(value: str, side: str) -> Any:
        alternatives = value.split("|")
        return alternatives if side == "gold" and len(alternatives) > 1 else int(value) if value.isdecimal() else value

    dialogues = [json.loads(line) for line in lines.splitlines()]
    for turn in (turn for dialogue in dialogues for turn in dialogue["turns"]):
        for side in ("gold", "pred"):
            if side in turn:
                turn[side] = {slot: written(value, side) for slot, value in turn[side].items()}
    return "".join(json.dumps(dialogue) + "\n" for dialogue in dialogues)


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV."""
    listed = list(rows)
    file = io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in listed for name in row)), restval="")
    writer.writeheader()
    writer.writerows(listed)
    return file.getvalue()


def tracker_rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [
        {"dialogue_id": name, "turn": turn.number, "gold": turn.gold, "pred": turn.pred}
        for name, turns in corpus.items()
        for turn in turns
    ]


def slot_columns(corpus: Corpus) -> str:
    """Return one column per slot and side. A row must have a value on each side, or the side would be absent."""
    return table(
        {
            "dialogue_id": name,
            "turn": turn.number,
            **{f"gold.{slot}": value for slot, value in turn.gold.items()},
            **{f"pred.{slot}": value for slot, value in (turn.pred or {}).items()},
        }
        for name, turns in corpus.items()
        for turn in turns
    )


def tracker_documents(corpus: Corpus, draw: Random) -> dict[str, Any]:
    """Return the corpus as one JSON document per format. Turns are written in any order where they have numbers."""

    def by_turn(content: Callable[[TrackerTurn], Any]) -> dict[str, Any]:
        mixed = {name: draw.sample(turns, len(turns)) for name, turns in corpus.items()}
        return {name: {str(turn.number): content(turn) for turn in turns} for name, turns in mixed.items()}

    def sides(gold: str, pred: str, state: Callable[[Plain], Any]) -> Callable[[TrackerTurn], Any]:
        return lambda turn: {gold: state(turn.gold), **({} if turn.pred is None else {pred: state(turn.pred)})}

    documents = {
        "nested": by_turn(sides("gt", "pr", nested)),
        "trade": by_turn(sides("turn_belief", "pred_bs_ptr", glued)),
        "convlab3": [
            {
                "dialogue_id": name,
                "utt_idx": 2 * turn.number,
                "state": nested(turn.gold),
                **({} if turn.pred is None else {"predictions": {"state": nested(turn.pred)}}),
            }
            for name, turns in corpus.items()
            for turn in turns
        ],
    }
    if all(turn.pred is not None for turns in corpus.values() for turn in turns):
        documents["som-dst"] = {
            f"{name}_{turn.number}": [glued(turn.pred), glued(turn.gold)]
            for name, turns in corpus.items()
            for turn in turns
        }
    return documents


BY_TURN = ("rows", "csv", "columns", "convlab3", "som-dst", "llm")
"""Formats with one entry per turn."""


TABLES = ("converted to rows", "converted to csv")
"""Routes that write a table. With ``rows`` and ``csv``, they are files of people, which are often a part of a corpus."""


def scored_of_table(corpus: Corpus, *, empty: bool) -> Corpus:
    """Leave out whole dialogues without a prediction, if at least half of the turns have one and no other is missing."""
    turns = {name: each for name, each in corpus.items() if each}
    kept = {name: each for name, each in turns.items() if any(turn.pred is not None for turn in each)}
    lost = sum(map(len, turns.values())) - sum(map(len, kept.values()))
    is_subset = not empty and lost <= sum(map(len, kept.values()))
    return kept if is_subset else turns


def simpletod_document(corpus: Corpus) -> dict[str, Any]:
    def texts(state: Plain | None) -> list[str]:
        return [f"{slot.replace('-', ' ')} {value}" for slot, value in present(state).items()]

    return {
        name: {
            "target_turn_belief": [texts(turn.gold) for turn in turns],
            "generated_turn_belief": [texts(turn.pred) for turn in turns],
        }
        for name, turns in corpus.items()
    }


def check_tracker(draw: Random, folder: Path) -> Iterator[Failed]:
    """Score a corpus through all routes for trackers."""
    corpus = make_corpus(draw)
    empty = draw.random() < 0.5
    rules = change(named("dialmeter"), missing="empty" if empty else "error")
    wanted = score_corpus(corpus, empty=empty)
    complete = all(turn.pred is not None for turns in corpus.values() for turn in turns)
    counted = all(turn.number == place for turns in corpus.values() for place, turn in enumerate(turns))

    def score(path: Path, pred: Path | None = None, format: str | None = None, gold: str | None = None) -> Numbers:
        result = score_tracker(path, pred, MEASURES, rules=rules, ci=0, format=format, gold_format=gold)
        return {each.measure: each.value for each in result.scores}

    def by_file(name: str, text: str | bytes, format: str | None = None) -> Callable[[], Numbers]:
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return lambda: score(path, format=format)

    # The format of a file whose first dialogue is empty cannot be detected.
    detectable = bool(corpus) and bool(next(iter(corpus.values())))
    lines = native_lines(corpus)
    rows = tracker_rows(corpus)
    cells = [
        {**row, **{side: "" if row[side] is None else json.dumps(row[side]) for side in ("gold", "pred")}}
        for row in rows
    ]
    routes = {
        "native": by_file("native.jsonl", lines, "native" if not detectable else None),
        "lists and numbers": by_file("other.jsonl", other_values(lines), "native"),
        "gzip": by_file("native.jsonl.gz", gzip.compress(lines.encode()), "native"),
        "rows": by_file("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows), "rows"),
        "csv": by_file("rows.csv", table(cells), "rows"),
    }
    for format, document in tracker_documents(corpus, draw).items():
        routes[format] = by_file(f"{format}.json", json.dumps(document), None if detectable else format)
    routes["two files"] = lambda: score(*split_files(corpus, folder), "native", "native")
    for format in WRITERS:
        routes[f"converted to {format}"] = converted(corpus, folder, format, score)
    if complete and counted:
        routes["scorer"] = lambda: by_scorer(corpus, rules, draw)
        routes["shards"] = lambda: by_scorer(corpus, rules, draw, shards=2)
        states = {
            side: {name: [getattr(turn, side) for turn in turns] for name, turns in corpus.items()}
            for side in ("gold", "pred")
        }
        routes["python"] = lambda: {
            each.measure: each.value
            for each in score_tracker(states["gold"], states["pred"], MEASURES, rules=rules, ci=0).scores
        }
        written = {
            name: [layouts.Turn(split(turn.gold), turn.pred or {}, "hello", "Yes?") for turn in turns]
            for name, turns in corpus.items()
        }
        for name in ("mwzeval.json", "sgd", "data.json", "fga.txt"):
            layouts.WRITERS[name](folder / name, written)
        for side in ("gold", "pred"):
            (folder / "sgd" / side / "schema.json").unlink()
        gold, pred = split_files(corpus, folder)
        routes["mwzeval"] = lambda: score(gold, folder / "mwzeval.json", "mwzeval", "native")
        routes["multiwoz"] = lambda: score(folder / "data.json", pred, "native", "multiwoz")
        if layouts.slots_of(written):  # else no turn has a frame
            routes["sgd"] = lambda: score(folder / "sgd" / "gold", folder / "sgd" / "pred", "sgd", "sgd")
        routes["fga-text"] = lambda: score(folder / "fga.txt", format="fga-text")
        routes["simpletod"] = by_file("simpletod.json", json.dumps(simpletod_document(corpus)), "simpletod")
        routes["llm"] = by_file(
            "llm.jsonl",
            "".join(
                json.dumps({**row, "completion": json.dumps(row.pop("pred"))}) + "\n" for row in tracker_rows(corpus)
            ),
            "llm",
        )
    if all(turn.gold and turn.pred for turns in corpus.values() for turn in turns) and all(
        any(turn.gold.values()) and any((turn.pred or {}).values()) for turns in corpus.values() for turn in turns
    ):
        routes["columns"] = by_file("columns.csv", slot_columns(corpus), "rows")
    # A dialogue without turns is refused, but a file with one entry per turn cannot hold one.
    by_turns = {name: routes.pop(name) for name in BY_TURN if name in routes}
    tables = {name: routes.pop(name) for name in TABLES if name in routes}
    tables |= {name: by_turns.pop(name) for name in ("rows", "csv") if name in by_turns}
    yield from through(routes, wanted)
    as_table = score_corpus(scored_of_table(corpus, empty=empty), empty=empty)
    yield from through({name: tables.pop(name) for name in BY_TURN if name in tables}, as_table)
    yield from through(tables, as_table if all(corpus.values()) else REFUSED)
    yield from through(by_turns, score_corpus({name: turns for name, turns in corpus.items() if turns}, empty=empty))


def split_files(corpus: Corpus, folder: Path) -> tuple[Path, Path]:
    gold, pred = folder / "gold.jsonl", folder / "pred.jsonl"
    gold.write_text(native_lines(corpus, ["gold"]), "utf-8")
    kept = {name: [turn for turn in turns if turn.pred is not None] for name, turns in corpus.items()}
    kept = {name: turns for name, turns in kept.items() if turns or not corpus[name]}
    pred.write_text(native_lines(dict(reversed(kept.items())), ["pred"]), "utf-8")
    return gold, pred


def converted(corpus: Corpus, folder: Path, format: str, score: Callable[..., Numbers]) -> Callable[[], Numbers]:
    def enter() -> Numbers:
        source, target = folder / "source.jsonl", folder / f"converted.{'csv' if format == 'csv' else 'json'}"
        source.write_text(native_lines(corpus), "utf-8")
        target.write_bytes(b"".join(WRITERS[format].write(read(source, format="native"))))
        return score(target, format="rows" if format == "csv" else format)

    return enter


def by_scorer(corpus: Corpus, rules: Any, draw: Random, shards: int = 1) -> Numbers:
    """Add dialogues to one scorer or in several that are merged."""
    scorers = [TrackerScorer(MEASURES, rules) for _ in range(shards)]
    for name, turns in corpus.items():
        scorer = draw.choice(scorers)
        scorer.add(name, [turn.gold for turn in turns], [turn.pred or {} for turn in turns])
    first, *rest = scorers
    for each in rest:
        first.merge_part(each.part)
    return {each.measure: each.value for each in first.result(resampling=None).scores}


# --- systems ----------------------------------------------------------------------------------------------------------------------


def check_system(draw: Random, folder: Path) -> Iterator[Failed]:
    """Score the trials of tasks, of which every task has its own number, through all formats of logs."""
    rewards = (0.0, 1.0, 1.0, 0.5, None) if draw.random() < 0.3 else (0.0, 1.0)
    tasks = {str(task): [draw.choice(rewards) for _ in range(draw.choice(SIZES))] for task in range(draw.choice(SIZES))}
    trials = [(task, trial, reward) for task, each in tasks.items() for trial, reward in enumerate(each)]
    draw.shuffle(trials)
    talk = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Yes?"}]
    names = ["Success", "Pass(k=1)", "Pass(k=2)", "Pass(k=4)"]

    def score(log: Any, format: str | None = None) -> Numbers:
        trajectories = log if isinstance(log, list) else open_trajectories(log, format)
        return {each.measure: each.value for each in score_system(trajectories, names, resampling=None).scores}

    def by_file(name: str, document: Any, format: str) -> Callable[[], Numbers]:
        path = folder / name
        path.write_text(json.dumps(document), "utf-8")
        return lambda: score(path, None if trials else format)

    entries = [{"task_id": int(task), "trial": trial, "reward": reward} for task, trial, reward in trials]
    samples = [
        {
            "id": task,
            "epoch": trial + 1,
            "messages": talk,
            "scores": None if reward is None else {"exact": {"value": reward}},
        }
        for task, trial, reward in trials
    ]
    runs = [
        {
            "task_id": task,
            "trial": trial,
            "messages": talk,
            "termination_reason": "user_stop",
            "reward_info": None if reward is None else {"reward": reward},
        }
        for task, trial, reward in trials
    ]
    routes = {
        "tau-bench": by_file(
            "tau.json",
            [{**each, "info": {"task": {"instruction": "x"}}, "traj": talk} for each in entries],
            "tau-bench",
        ),
        "tau2-bench": by_file(
            "tau2.json", {"info": {"agent_info": {}}, "tasks": [], "simulations": runs}, "tau2-bench"
        ),
        "inspect": by_file("log.json", {"version": 2, "status": "success", "eval": {}, "samples": samples}, "inspect"),
        "chat": by_file("chat.json", [{**each, "messages": talk} for each in entries], "chat"),
        "python": lambda: score(
            [
                Trajectory(
                    id=f"{task}:{trial}", task=task, trial=trial, rewards={} if reward is None else {"reward": reward}
                )
                for task, trial, reward in trials
            ]
        ),
    }
    yield from through(routes, score_trials(tasks, names))


def score_trials(tasks: Mapping[str, Sequence[float | None]], names: Sequence[str]) -> Numbers | str:
    """Return the mean over tasks of C(c, k) / C(n, k); dialogues without a reward and tasks with fewer than k trials do not count."""
    scored = [[reward == 1 for reward in each if reward is not None] for each in tasks.values()]
    if not any(scored):
        return REFUSED
    numbers: Numbers = {}
    for name in names:
        k = int(name[-2]) if name.startswith("Pass") else 1
        values = [comb(sum(each), k) / comb(len(each), k) for each in scored if len(each) >= k]
        numbers[name] = fmean(values) if values else None
    return numbers


# --- judges -----------------------------------------------------------------------------------------------------------------------

Pair = tuple[float | None, float | None]


def check_judge(draw: Random, folder: Path) -> Iterator[Failed]:
    """Compute error rates of judges over cases, from Python objects and from files."""
    attacks = {
        name: draw.choice(("lower", "similar", "at-most"))
        for name in draw.sample(("speaker", "dullness", "repetition"), draw.choice((1, 2, 3)))
    }
    cases = [
        Case(
            attack,
            "",
            (Move("user", f"question {number}"),),
            f"reply {number}",
            f"{attack} {number}",
            expected,
            "coherence",
            Place(f"d{number % 4}", 1),
        )
        for number in range(draw.choice((*SIZES, 12)))
        for attack, expected in [draw.choice(list(attacks.items()))]
    ]
    steps = draw.choice((1, 3, 9))
    gaps = draw.choice((0.0, 0.0, 0.2))

    def one_score() -> float | None:
        return None if draw.random() < gaps else draw.randint(0, steps) / 8

    scores: dict[str, list[Pair]] = {
        f"judge {number}": [(one_score(), one_score()) for _ in cases] for number in range(draw.choice((1, 1, 2, 3)))
    }
    threshold = draw.choice(("paper", "sd=0.5", "fixed=0.3", "fixed=0"))
    turned = [name for name in scores if draw.random() < 0.3]

    def rates(cases: Any, pairs: Mapping[str, Sequence[ScorePair]]) -> Numbers:
        result = score_judge(
            cases, {}, threshold=threshold, ci=draw.choice((0, 0.95)), scores=pairs, lower_is_better=turned
        )
        return {f"{cell.judge} {cell.attack}": cell.value for cell in result.scores if cell.judge in scores}

    def by_files() -> Numbers:
        path = folder / "cases.jsonl"
        path.write_bytes(b"".join(msgspec.json.encode(case) + b"\n" for case in cases))
        pairs = {}
        for number, (name, each) in enumerate(scores.items()):
            rows = (
                {"case": place, "human": human, "adversarial": other} for place, (human, other) in enumerate(each, 1)
            )
            (folder / f"scores{number}.csv").write_text(table(rows) if each else "case,human,adversarial\n", "utf-8")
            pairs[name] = read_scores(folder / f"scores{number}.csv", read_cases(path))
        return rates(path, pairs)

    by_objects = {name: [ScorePair(*pair) for pair in each] for name, each in scores.items()}
    wanted = score_verdicts(cases, scores, threshold, turned)
    yield from through({"python": lambda: rates(cases, by_objects), "files": by_files}, wanted)


def score_verdicts(
    cases: Sequence[Case], scores: Mapping[str, Sequence[Pair]], threshold: str, turned: Sequence[str]
) -> Numbers | str:
    """Return the share of cases of each attack in which a judge does not do what an ideal judge would do."""
    if not cases:
        return REFUSED
    numbers: Numbers = {}
    for name, pairs in scores.items():
        for attack in {case.attack for case in cases}:
            chosen = [
                (case.expected, human, other)
                for case, (human, other) in zip(cases, pairs, strict=True)
                if case.attack == attack and human is not None and other is not None
            ]
            limit = least_difference(threshold, [human for _, human, _ in chosen])
            wrong = 0
            for expected, human, other in chosen if limit is not None else ():
                gain = (other - human if name in turned else human - other) or 0.0
                seen = "same" if abs(gain) <= limit else "human" if gain > 0 else "other"  # type: ignore[operator]
                wrong += seen not in {"lower": ("human",), "similar": ("same",), "at-most": ("human", "same")}[expected]
            numbers[f"{name} {attack}"] = wrong / len(chosen) if chosen and limit is not None else None
    return numbers


def least_difference(threshold: str, human: Sequence[float]) -> float | None:
    from scipy.stats import t

    mode, _, amount = threshold.partition("=")
    if mode == "fixed":
        return float(amount)
    if len(human) < 2:
        return None
    spread = pstdev(human) if len(set(human)) > 1 else 0.0
    return float(amount) * spread if mode == "sd" else float(t.ppf(0.975, len(human) - 1)) * spread / sqrt(len(human))


# --- people -----------------------------------------------------------------------------------------------------------------------


class Item(NamedTuple):
    """A rated reply."""

    id: str
    context: str
    system: str
    ratings: tuple[float, ...]
    score: float | None


def check_people(draw: Random, folder: Path) -> Iterator[Failed]:
    """Correlate the scores of a judge with ratings, over items, over systems and within contexts."""
    contexts, systems, raters = draw.choice(SIZES), draw.choice(SIZES), draw.choice(SIZES)
    steps, gaps = draw.choice((1, 2, 5, 100)), draw.choice((0.0, 0.0, 0.2))
    crossed = draw.random() < 0.6
    places = (
        [(c, s) for c in range(contexts) for s in range(systems)]
        if crossed
        else [(n, n) for n in range(draw.choice(SIZES) * 2)]
    )
    items = [
        Item(
            f"i{number}",
            f"question {context}",
            f"s{system}" if systems else "",
            tuple(float(draw.randint(1, steps)) for _ in range(raters if draw.random() >= gaps else 0)),
            None if draw.random() < gaps else draw.randint(0, steps) / 4,
        )
        for number, (context, system) in enumerate(places)
    ]
    ci, resample = draw.choice((0, 0.9)), draw.choice(("contexts", "items"))

    def correlate(ratings: Any) -> Numbers:
        result = judge_people(ratings, ci=ci, resamples=20, resample=resample)  # type: ignore[arg-type]
        return {f"{each.level} {each.measure}": each.value for each in result.scores if each.judge == "m"}

    def score_of(item: Item) -> dict[str, float]:
        return {} if item.score is None else {"m": item.score}

    def by_file(name: str, text: str) -> Callable[[], Numbers]:
        path = folder / name
        path.write_text(text, "utf-8")
        return lambda: correlate(path)

    lines = [
        {
            "id": item.id,
            "context": [item.context],
            "reply": f"reply {item.id}",
            "system": item.system,
            "ratings": {"overall": item.ratings},
            "scores": score_of(item),
        }
        for item in items
    ]
    cells = [
        {
            "id": item.id,
            "context": item.context,
            "reply": f"reply {item.id}",
            "system": item.system,
            "rating:overall": " ".join(map(str, item.ratings)),
            "score:m": "" if item.score is None else item.score,
        }
        for item in items
    ]
    objects = [
        RatedItem(
            item.id,
            "reply",
            (Move("user", item.context),),
            f"reply {item.id}",
            item.system,
            "",
            {"overall": item.ratings},
            {},
            score_of(item),
        )
        for item in items
    ]
    routes = {
        "python": lambda: correlate(objects),
        "lines": by_file("items.jsonl", "".join(json.dumps(line) + "\n" for line in lines)),
        "csv": by_file("items.csv", table(cells)),
    }
    yield from through(routes, score_items(items))


def score_items(items: Sequence[Item]) -> Numbers | str:
    if not any(item.ratings for item in items) or all(item.score is None for item in items):
        return REFUSED if not any(item.ratings for item in items) else {}
    pairs = [
        (item, Fraction(item.score), exact_mean(map(Fraction, item.ratings)))
        for item in items
        if item.ratings and item.score is not None
    ]
    numbers = correlations("reply", [(x, y) for _, x, y in pairs])
    if len({item.system for item in items} - {""}) > 1:
        groups = [
            [(x, y) for item, x, y in pairs if item.system == name]
            for name in sorted({item.system for item, _, _ in pairs})
        ]
        numbers |= correlations(
            "system", [(exact_mean(x for x, _ in each), exact_mean(y for _, y in each)) for each in groups]
        )
    contexts = Counter(item.context for item in items)
    if any(count >= 3 for count in contexts.values()):
        groups = [[(x, y) for item, x, y in pairs if item.context == name] for name in contexts]
        tables = [correlations("within-context", each) for each in groups if len(each) >= 3]
        for name in ("Pearson", "Spearman", "Kendall"):
            values = [value for each in tables if (value := each[f"within-context {name}"]) is not None]
            numbers[f"within-context {name}"] = fmean(values) if values else None
    return numbers


def exact_mean(values: Iterable[Fraction]) -> Fraction:
    """Return the mean without rounding, so that equal means are equal."""
    listed = list(values)
    return sum(listed, Fraction()) / len(listed)


def correlations(level: str, pairs: Sequence[tuple[Fraction, Fraction]]) -> Numbers:
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    signs = [((a > b) - (a < b), (c > d) - (c < d)) for a, c in pairs for b, d in pairs]
    return {
        f"{level} Pearson": product_moment(xs, ys),
        f"{level} Spearman": product_moment(ranks(xs), ranks(ys)),
        f"{level} Kendall": product_moment([x for x, _ in signs], [y for _, y in signs]) if len(pairs) > 2 else None,
    }


def ranks(values: Sequence[Fraction]) -> list[float]:
    """Return mean ranks, so that equal values have equal ranks."""
    return [sum(other < value for other in values) + sum(other == value for other in values) / 2 for value in values]


def product_moment(xs: Sequence[float | Fraction], ys: Sequence[float | Fraction]) -> float | None:
    if len(xs) < 3 or max(xs) == min(xs) or max(ys) == min(ys):
        return None
    x_mean, y_mean = fmean(xs), fmean(ys)
    cross = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return cross / sqrt(sum((x - x_mean) ** 2 for x in xs) * sum((y - y_mean) ** 2 for y in ys))


# --- users ------------------------------------------------------------------------------------------------------------------------


class Talk(NamedTuple):
    """A goal, and what the user says and asks at each of its turns, as (domain, slot, value) and (domain, slot). Nothing is repeated."""

    id: str
    goal: dict[str, dict[str, Any]]
    said: list[list[tuple[str, str, str]]]
    asked: list[list[tuple[str, str]]]


DOMAINS = ("hotel", "restaurant", "attraction")
CONSTRAINTS = ("area", "stars", "type", "day")


def check_user(draw: Random, folder: Path) -> Iterator[Failed]:
    """Score users who say each constraint at most once to a system that only listens. Then no behaviour of the system counts."""
    talks = [make_talk(f"d{number}", draw) for number in range(draw.choice(SIZES))]
    names = ("I-GCDF1", "I-precision", "I-recall", "R-GCDF1", "R-precision", "R-recall")

    def score(dialogues: Any, format: str | None = None) -> Numbers:
        result = score_user(dialogues, ci=0, format=format)
        return {name: result[name].value for name in names}

    def moves(talk: Talk, act: Callable[[str, str, str, list[str]], Any]) -> Iterator[list[Any]]:
        for said, asked in zip(talk.said, talk.asked, strict=True):
            informs = [act("Inform", domain, slot, [value]) for domain, slot, value in said]
            yield [*informs, *(act("Request", domain, slot, []) for domain, slot in asked)]

    def name_of(kind: str, domain: str) -> str:
        return f"{domain.capitalize()}-{kind}"

    native = folder / "talks.jsonl"
    lines = []
    for talk in talks:
        turns = moves(
            talk,
            lambda kind, domain, slot, values: {
                "name": name_of(kind, domain),
                "service": domain,
                "slot": slot,
                "values": values,
            },
        )
        spoken = [
            each
            for acts in turns
            for each in ({"speaker": "user", "text": "x", "acts": acts}, {"speaker": "system", "text": "y", "acts": []})
        ]
        lines.append(json.dumps({"dialogue_id": talk.id, "goal": talk.goal, "talk": spoken}) + "\n")
    native.write_text("".join(lines), "utf-8")

    def frames(acts: Iterable[tuple[str, str, str, list[str]]]) -> list[dict[str, Any]]:
        listed = list(acts)
        return [
            {
                "service": domain,
                "actions": [
                    {"act": name_of(kind, each), "slot": slot, "values": values}
                    for kind, each, slot, values in listed
                    if each == domain
                ],
                "state": {
                    "requested_slots": [
                        f"{domain}-{slot}" for kind, each, slot, _ in listed if each == domain and kind == "Request"
                    ]
                },
            }
            for domain in dict.fromkeys(each for _, each, _, _ in listed)
        ]

    published = folder / "gcdf1.json"
    documents = [
        {
            "dialogue_id": talk.id,
            "goal": {
                domain: {
                    **{part: slots for part, slots in parts.items() if part != "requests"},
                    "reqt": parts["requests"],
                }
                for domain, parts in talk.goal.items()
            },
            "turns": [
                each
                for acts in moves(talk, lambda *act: act)
                for each in (
                    {"speaker": "USER", "utterance": "x", "frames": frames(acts)},
                    {"speaker": "SYSTEM", "utterance": "y", "frames": []},
                )
            ],
        }
        for talk in talks
    ]
    published.write_text(json.dumps(documents), "utf-8")
    objects = [
        Conversation(
            talk.id,
            tuple(
                each
                for acts in moves(
                    talk, lambda kind, domain, slot, values: Act(name_of(kind, domain), domain, slot, tuple(values))
                )
                for each in (Move("user", "x", acts=tuple(acts)), Move("system", "y", acts=()))
            ),
            {
                domain: DomainGoal(**{**parts, "requests": tuple(parts["requests"])})
                for domain, parts in talk.goal.items()
            },
        )
        for talk in talks
    ]
    routes = {
        "native talk": lambda: score(native, "native"),
        "gcdf1": lambda: score(published, "gcdf1"),
        "python talk": lambda: score(objects),
    }
    yield from through(routes, score_talks(talks))


def make_talk(name: str, draw: Random) -> Talk:
    goal: dict[str, dict[str, Any]] = {
        domain: {
            "info": {slot: draw.choice(("east", "west")) for slot in draw.sample(CONSTRAINTS[:3], draw.randint(0, 3))},
            "book": {slot: draw.choice(("1", "2")) for slot in draw.sample(("day", "people"), draw.randint(0, 2))},
            "requests": draw.sample(("phone", "address", "postcode"), draw.randint(0, 3)),
        }
        for domain in draw.sample(DOMAINS, draw.randint(1, 3))
    }
    wanted = [
        (domain, slot, value)
        for domain, parts in goal.items()
        for part in ("info", "book")
        for slot, value in parts[part].items()
    ]
    others = [(domain, slot, value) for domain in DOMAINS for slot in CONSTRAINTS for value in ("east", "north", "2")]
    said = list(
        dict.fromkeys(
            [*draw.sample(wanted, draw.randint(0, len(wanted))), *draw.sample(others, draw.choice((0, 0, 1, 3)))]
        )
    )
    requests = [(domain, slot) for domain in DOMAINS for slot in ("phone", "address", "postcode")]
    asked = draw.sample(requests, draw.choice((0, 1, 2, 5)))
    turns = draw.choice((1, 2, 4))
    return Talk(
        name, goal, [said[place::turns] for place in range(turns)], [asked[place::turns] for place in range(turns)]
    )


def score_talks(talks: Sequence[Talk]) -> Numbers | str:
    """Return means over dialogues of precision, recall and F1: of constraints that were said, and of slots that were asked for."""
    if not talks:
        return REFUSED
    numbers: Numbers = {}
    for letter in "IR":
        rows = []
        for talk in talks:
            if letter == "I":
                wanted = {
                    (domain, slot, value)
                    for domain, parts in talk.goal.items()
                    for part in ("info", "book")
                    for slot, value in parts[part].items()
                }
                counted: set[Any] = {each for turn in talk.said for each in turn}
            else:
                wanted = {(domain, slot) for domain, parts in talk.goal.items() for slot in parts["requests"]}  # type: ignore[misc]
                counted = {each for turn in talk.asked for each in turn}
            if wanted or counted:
                both = len(wanted & counted)
                p, r = both / len(counted) if counted else 1.0, both / len(wanted) if wanted else 1.0
                rows.append((2 * p * r / (p + r) if p + r else 0.0, p, r))
        for name, place in ((f"{letter}-GCDF1", 0), (f"{letter}-precision", 1), (f"{letter}-recall", 2)):
            numbers[name] = fmean(row[place] for row in rows) if rows else None
    return numbers


# --- commands ---------------------------------------------------------------------------------------------------------------------


def check_command(draw: Random, folder: Path) -> Iterator[Failed]:
    """Compare and score files with commands. Each must end with a result, or with one line that says what is wrong."""
    subject = draw.choice(("tracker", "system", "judge", "people"))
    yield from SUBJECTS[subject](draw, folder)
    yield from run_commands(subject, draw, folder)


def run_commands(subject: str, draw: Random, folder: Path) -> Iterator[Failed]:
    """Run commands on the files that the routes of a subject have written."""
    style = draw.choice(("text", "json", "markdown", "latex", "csv"))
    more = ["-f", style, "--set", "resamples=100", "--quiet"]
    if subject == "tracker":
        empty = folder / "empty.jsonl"
        gold = [json.loads(line) for line in (folder / "native.jsonl").read_text("utf-8").splitlines()]
        for turn in (turn for each in gold for turn in each["turns"]):
            turn["pred"] = {} if draw.random() < 0.5 else turn["gold"]
        empty.write_text("".join(json.dumps(each) + "\n" for each in gold), "utf-8")
        words = draw.choice(
            [
                ["compare", "native.jsonl", "empty.jsonl"],
                ["score", "native.jsonl", "--by", "domain", "--by", "turn"],
                ["bias", "empty.jsonl"],
            ]
        )
    elif subject == "system":
        words = draw.choice([["compare", "tau.json", "log.json"], ["score", "tau2.json"]])
    elif subject == "judge":
        subject, words = "judge", ["score", "cases.jsonl", "--set", "scores=a=scores0.csv"]
        more = more[:2] + more[4:]
    else:
        subject, words = "judge", ["human", "items.jsonl"]
    command = [
        subject,
        words[0],
        *(str(folder / word) if (folder / word).is_file() else word for word in words[1:]),
        *more,
    ]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            run_command([word.replace("a=scores", f"a={folder}/scores") for word in command])
            code: Any = "no exit"
        except SystemExit as stop:
            code = stop.code
        except Exception:
            code = traceback.format_exc()
    last = err.getvalue().splitlines()[-1:]
    if code not in (0, 2) or (code == 2 and not (last and last[0].startswith("dialmeter: "))):
        yield Failed(" ".join(words[:1]), f"{subject}: exit {code}: {err.getvalue()[-300:]}")
    if code == 0 and not out.getvalue().strip():
        yield Failed(words[0], f"{subject}: no output")


# --- many designs -----------------------------------------------------------------------------------------------------------------

SUBJECTS = {
    "tracker": check_tracker,
    "system": check_system,
    "judge": check_judge,
    "people": check_people,
    "user": check_user,
    "command": check_command,
}
_ORDER = ("tracker", "system", "tracker", "judge", "tracker", "people", "user", "command")


def subject_of(number: int) -> str:
    return _ORDER[number % len(_ORDER)]


def check_design(number: int, seed: int, folder: Path) -> list[Failed]:
    """Make one design, and return what is wrong with dialmeter's numbers for it. The design depends on seed and number only."""
    return list(SUBJECTS[subject_of(number)](Random(f"{seed} {number}"), folder))


def run(numbers: Iterable[int], seed: int) -> dict[int, list[Failed]]:
    """Check designs in a folder of their own; return those with troubles."""
    with tempfile.TemporaryDirectory(prefix="dialmeter-designs-") as place:
        found = {number: check_design(number, seed, Path(place)) for number in numbers}
    return {number: failed for number, failed in found.items() if failed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=5000)
    parser.add_argument("--set seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="check this design again")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    numbers = range(options.designs) if options.only is None else [options.only]
    start = time.process_time()
    troubles = run(numbers, options.seed)
    counts = Counter(map(subject_of, numbers))
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    lines = [
        f"{len(numbers)} designs with seed {options.seed} ({listed}): {len(troubles)} with troubles, {time.process_time() - start:.0f} s of CPU"
    ]
    lines += [
        f"{number} {subject_of(number)} {each.route}: {each.trouble}"
        for number, failed in troubles.items()
        for each in failed
    ]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.log:
        options.log.write_text(text, "utf-8")
    sys.exit(bool(troubles))


if __name__ == "__main__":
    main()
