"""A small folder with one file, or run, of every kind that a command reads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import dialmeter
from dialmeter import model
from dialmeter.readers.validation import dialogue

from ..golden import layouts
from ..golden.execution import call, stand_in
from ..golden.layouts import Corpus, Turn
from ..golden.logs import write_logs, write_ratings
from ..readers.states import layouts as states
from ..readers.talk.samples import LAYOUTS
from .sheets import fill_sheet
from .targets import QUICK

ROW_LAYOUTS = (
    "rows", "rows in csv", "rows of slots", "llm, tool calls", "ic-dst", "ldst", "simpletod", "mttod", "pptod",
)  # fmt: skip
"""Layouts of tables and of published trackers, which golden files do not have."""
CORPUS: Corpus = {
    "MUL1.json": [
        Turn({"hotel-area": "east"}, {"hotel-area": "east"}, "a hotel in the east", ""),
        Turn({"hotel-area": "east", "hotel-stars": "4"}, {"hotel-area": "west"}, "four stars", "ok"),
    ],
    "MUL2.json": [
        Turn({}, {}, "hello", ""),
        Turn({"train-day": "monday", "taxi-leaveat": "12:30"}, {"train-day": "monday"}, "a train", "when?"),
    ],
}


def write_samples(folder: Path) -> None:
    """Writes every file that a target names."""
    with stand_in(folder):
        for name, writer in layouts.WRITERS.items():
            writer(Path(name), CORPUS)
        for side in ("gold", "pred"):
            layouts.write_native(Path(f"{side}.jsonl"), CORPUS, side)
            layouts.write_dstc10(Path(f"dstc10_{side}.json"), CORPUS, side)
        Path("more").mkdir()
        dialogues = [
            dialogue(name, [model.Turn(place, each.gold, each.pred, each.user) for place, each in enumerate(turns)])
            for name, turns in CORPUS.items()
        ]
        for layout in ROW_LAYOUTS:
            states.LAYOUTS[layout](Path("more"), dialogues)
        _write_lists()
        Path("talk").mkdir()
        talks = [["Is the bakery open?", "In the morning.", "Thanks."], ["Good evening.", "How can I help?"]]
        for place, layout in enumerate(LAYOUTS.values()):
            Path(f"talk/{place}").write_text(layout.write(talks), "utf-8")
        _run("play --goals 2 --set max-turns=3 --set seed=7 --quiet --out agenda.jsonl")
        _write_user_files()
        _run(
            "judge attack agenda.jsonl --set light --limit 1 --attack repetition --attack identical --quiet --out cases.jsonl"
        )
        count = len(Path("cases.jsonl").read_text("utf-8").splitlines())
        Path("scores.csv").write_text(
            "case,human,adversarial\n" + "".join(f"{place},3,1\n" for place in range(1, count + 1))
        )
        Path("template.txt").write_text("Rate from {low} to {high}.\n{context}\n{reply}\n")
        write_logs()
        write_ratings()
        _write_people()
        _write_audit()
        _write_trained()
        _run(f"score native.jsonl {QUICK} --out runs/tracker")
        _run(f"score llm.jsonl {QUICK} --out runs/other")
        _run("score agenda.jsonl --subject user --set profile=town --set ci=0 --quiet --out runs/user")
        _run("score cases.jsonl --judge length --set ci=0 --quiet --out runs/judge")
        _run("score logs/tau.json --set ci=0 --quiet --out runs/system")
        _run("score people/own.jsonl --judge length --set resamples=100 --quiet --out runs/people")
        _run("score logs/tau.json --subject user --quiet --out runs/items")
        few = "--measure JGA --set resamples=100 --quiet --out runs"
        _run(f"compare native.jsonl nested.json {few}/compared")
        _run(f"study bias native.jsonl {few}/biased")
        _run(f"study curve manifest.csv {few}/curved")
        _run("study rules native.jsonl --rules dialmeter --rules trade --quiet --out runs/ruled")
        _run(
            "play --user agenda --user hasty --goals agenda.jsonl --set max-turns=2 --workers 1 --set ci=0 --quiet --out runs/crossed"
        )


def _write_people() -> None:
    """A sheet of cases that was read."""
    _run("study people cases.jsonl --quiet --make-sheet validity.csv")
    fill_sheet(Path("validity.csv"), "valid")


def _write_audit() -> None:
    """A filled sheet of an audit with its patch, a manifest of a board, and a second wording of a schema."""
    _run("study audit gold.jsonl pred.jsonl --quiet --make-sheet audited.csv")
    fill_sheet(Path("audited.csv"), "wrong")
    _run("study audit --sheet audited.csv --quiet --out patch.json")
    Path("board.toml").write_text(
        'title = "Two trackers"\ngold = "gold.jsonl"\n'
        '[[row]]\nsystem = "one"\nfile = "pred.jsonl"\nsource = "ours"\nlicence = "MIT"\ndate = "2026"\n'
        '[[row]]\nsystem = "two"\nfile = "native.jsonl"\n'
    )
    shutil.copy("audited.csv", "audited2.csv")
    for copy in ("sgd/pred2", "sgd/pred3"):
        shutil.copytree("sgd/pred", copy)


def _write_trained() -> None:
    """What training reads, a head that was trained, and the JSON of two commands that other commands read."""
    rated = "".join(
        f"USER\t{text}\t\t{score},3,3\nSYSTEM\tyes\t\t\n" for text, score in (("thanks", 4), ("no", 2), ("well", 3))
    )
    Path("satisfied.txt").write_text("\n".join([f"{rated}USER\tOVERALL\t\t3,3,3\n"] * 6))
    _run("play --goals 6 --set max-turns=3 --set seed=9 --quiet --out talk.jsonl")
    attacks = "--attack repetition --attack dullness --attack contradiction"
    _run(f"judge attack talk.jsonl --set light --limit 6 {attacks} --quiet --out many_cases.jsonl")
    _run("judge train robust many_cases.jsonl --quiet --out head")
    for words, name in (
        ("check agenda.jsonl --subject user --set profile=town --set acts=rules --quiet -f json", "accuracy.json"),
    ):
        Path(name).write_text(_run(words), "utf-8")
    _run("convert logs/tau.json items.csv --to items --quiet")


def _run(words: str) -> str:
    code, out, err = call(words.split())
    if code:
        raise RuntimeError(f"{words}: {err}")
    return out


def _write_lists() -> None:
    Path("ids.txt").write_text("MUL1.json\nmul2\n")
    Path("ontology.json").write_text(json.dumps({slot: ["east", "4"] for slot in layouts.slots_of(CORPUS)}))
    Path("slots.json").write_text(json.dumps(layouts.slots_of(CORPUS)))
    Path("own.toml").write_text(
        'about = "Ours."\nvalues = ["lower"]\nnone = []\ndontcare = "keep"\nextra = "ignore-slots"\nalternatives = "any-of"\n'
        'match = "exact"\nmissing = "skip"\nstate = "cumulative"\nmeasures = ["JGA", "SlotF1"]\n'
    )
    Path("ratings.csv").write_text("dialogue,ann,bob\nMUL1,3,4\nMUL2,5,\n")
    Path("long_ratings.csv").write_text("dialogue,rater,rating\nMUL1,ann,3\nMUL2,ann,5\nMUL1,bob,4\n")
    Path("manifest.csv").write_text("file,ratio,seed,domain\nnative.jsonl,0.1,1,\nnested.json,0.01,1,\n")
    _run("study people native.jsonl --quiet --make-sheet rated.csv")
    fill_sheet(Path("rated.csv"), "3", "rating")


def _write_user_files() -> None:
    lines = [json.loads(line) for line in Path("agenda.jsonl").read_text("utf-8").splitlines()]
    Path("goals.json").write_text(json.dumps({line["dialogue_id"]: line["goal"] for line in lines}))
    _run("convert agenda.jsonl map.json --to map --quiet")
    package = Path(dialmeter.__file__).parent / "users"
    shutil.copy(package / "profiles" / "town.toml", "profile.toml")
    shutil.copy(package / "rulesets" / "dialmeter.toml", "user.toml")
