"""A folder with runs of all kinds, made by the commands that users type, and a server over it."""

from __future__ import annotations

import json
import random
import shutil
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn

from dialmeter.cli.main import cli
from dialmeter.viewer.app import LOCAL, make_app
from dialmeter.viewer.folder import RunFolder

from ..judges.people.test_people import rated, write

HOSTILE = {
    "script": "<script>document.title='owned'</script>",
    "image": "<img src=x onerror=\"document.title='owned'\">",
    "svg": "<svg onload=document.title='owned'><a href='javascript:alert(1)'>x</a></svg>",
    "quotes": "\"'><b>bold</b> & &amp; {{ 7 * 7 }} {% raw %}",
    "link": "javascript:alert(1)",
    "bidi": "abc \u202edcba\u202c \u2066x\u2069 \u200bend",
    "close": "</script></style></template>]]><!--",
}


def dialmeter(*words: str | Path) -> None:
    """Runs a command in this process."""
    assert not cli.main([str(word) for word in words], prog_name="dialmeter", standalone_mode=False)


def hostile_tracker_lines() -> str:
    """A dialogue whose id, slots, values and utterances are all out to be taken for something else."""
    script = HOSTILE["script"]
    turns = []
    gold: dict[str, str] = {}
    pred: dict[str, str] = {}
    for number, (name, text) in enumerate(HOSTILE.items()):
        gold = {**gold, f"inn-{name}{text}": text}
        pred = {**pred, f"inn-{name}{text}": text if number % 2 else f"other {text}"}
        turns.append({"turn": number, "gold": gold, "pred": pred, "user": text, "system": f"You said {text}"})
    return json.dumps({"dialogue_id": f"evil {script} {HOSTILE['quotes']}", "turns": turns}) + "\n"


def without_slot(file: Path, slot: str) -> str:
    """The same dialogues with a tracker that never predicts a slot."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for turn in (turn for line in lines for turn in line["turns"]):
        turn["pred"].pop(slot, None)
        turn.pop("pred:keyword", None)
    return "".join(json.dumps(line) + "\n" for line in lines)


def silent_lines() -> str:
    """Dialogues without utterances, with long ids and values; all scores are the same, and the second has most mistakes."""
    long = "a-very-long-name-of-a-place-without-any-blank-" * 5
    lines = []
    for number, wrong in enumerate((1, 3, 2)):
        slots = [f"inn-slot{at}" for at in range(4)]
        gold = dict.fromkeys(slots, long)
        pred = {**gold, **dict.fromkeys(slots[:wrong], f"not {long}")}
        turns = [{"turn": turn, "gold": gold, "pred": pred, "user": "", "system": ""} for turn in range(2)]
        lines.append(json.dumps({"dialogue_id": f"{long}{number}", "turns": turns}) + "\n")
    return "".join(lines)


def case_lines() -> str:
    """Cases of three attacks, one of them hostile."""
    context = [
        {"speaker": "user", "text": "I need a bed in Saltmere, and it should be cheap."},
        {"speaker": "system", "text": "The Salt-And-Tide Inn is cheap. Shall I book it?"},
    ]
    reply = "Yes, please book it for two nights."
    attacks = {
        "repetition": ("Yes, yes, please please book it for two nights.", "naturalness", "lower"),
        "dullness": ("I do not know.", "interest", "lower"),
        "natural-paraphrase": ("Please book it for two nights, yes.", "naturalness", "similar"),
    }
    lines: list[dict[str, Any]] = []
    for number in range(8):
        for attack, (adversarial, facet, expected) in attacks.items():
            lines.append(
                {
                    "attack": attack,
                    "variant": "made",
                    "context": context[: 1 + number % 2],
                    "reply": f"{reply} Room {number}.",
                    "adversarial": f"{adversarial} Room {number}.",
                    "expected": expected,
                    "facet": facet,
                    "source": {"dialogue": f"d{number}", "turn": 2},
                    "speaker": "user",
                    "spans": [[0, len(adversarial)]],
                    "corpus": "saltmere",
                    "seed": 7,
                }
            )
    evil = " ".join(HOSTILE.values())
    lines.append(
        {
            **lines[0],
            "context": [{"speaker": HOSTILE["script"], "text": evil}],
            "adversarial": evil,
            "reply": f"a {evil}",
        }
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


def log_lines() -> str:
    """The log of an agent with calls of tools, in which all that can be text is hostile."""
    evil = " ".join(HOSTILE.values())
    call = {"id": "1", "name": HOSTILE["script"], "arguments": {HOSTILE["quotes"]: evil}}
    messages = [
        {"role": "user", "content": f"My code is ZX81. {evil}"},
        {"role": "assistant", "content": evil, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": f"Error: {evil}"},
        {"role": "assistant", "content": "Your code is ZX81?"},
        {"role": "user", "content": f"Yes. {evil} ###STOP###"},
    ]
    lines = [
        {
            "task_id": f"{task} {HOSTILE['script']}",
            "trial": trial,
            "reward": (task + trial) % 2,
            "instruction": evil,
            "messages": messages,
        }
        for task in range(3)
        for trial in range(2)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def tau_text() -> str:
    """Results of tau-bench with a goal in words, in which all that can be text is hostile."""
    evil = " ".join(HOSTILE.values())
    task = {
        "instruction": f"You are mia_li_3668. {evil}",
        "actions": [{"name": "book", "kwargs": {"id": "mia_li_3668"}}],
    }
    messages = [
        {"role": "user", "content": f"A room! {evil}"},
        {"role": "assistant", "content": f"Your id, please? {evil}"},
        {"role": "user", "content": f"mia_li_9999 {evil} ###STOP###"},
    ]
    return json.dumps(
        [
            {"task_id": f"{task_id} {HOSTILE['script']}", "reward": 0.0, "info": {"task": task}, "traj": messages}
            for task_id in range(3)
        ]
    )


def label_lines() -> str:
    """Replies that three people pass or fail; a judge with verdicts, and one with probabilities."""
    draw = random.Random(3)
    lines = []
    for number in range(60):
        is_good = draw.random() < 0.6
        given = {name: "pass" if (draw.random() < 0.8) == is_good else "fail" for name in ("ann", "bob", "cem")}
        p = min(1.0, max(0.0, 0.3 + 0.4 * is_good + draw.gauss(0, 0.2)))
        scores = {"strict": int((draw.random() < 0.75) == is_good), "p": p}
        row = {"id": f"q{number}", "context": [f"question {number}"], "reply": f"answer {number}", "scores": scores}
        lines.append(json.dumps({**row, "ratings": {"solved": given}}))
    return "\n".join(lines)


def make_runs(folder: Path) -> Path:
    """Three trackers, two users and two juries; a system, a user of a log and ratings, each twice; trackers with hostile texts
    and without utterances; a broken run and an unfinished one.
    """
    runs = folder / "runs"
    talk = folder / "talk.jsonl"
    dialmeter("play", "--goals", 36, "--set", "noise=0.15", "--workers", 1, "--out", talk, "-q")
    for name, source in (("own", talk), ("keyword", f"{talk}#keyword")):
        dialmeter(
            "score", source, "--subject", "tracker", "--out", runs / "trackers" / name, "-q", "--set", "resamples=200"
        )
    compared = ("compare", f"first={talk}", f"second={talk}#keyword", "--subject", "tracker")
    dialmeter(*compared, "--measure", "JGA", "--set", "resamples=100", "-q", "--out", runs / "study")
    (folder / "nameless.jsonl").write_text(without_slot(talk, "hotel-name"), "utf-8")
    dialmeter(
        "score", folder / "nameless.jsonl", "--subject", "tracker", "--out", runs / "nameless", "-q", "--set", "ci=0"
    )
    (folder / "silent.jsonl").write_text(silent_lines(), "utf-8")
    dialmeter("score", folder / "silent.jsonl", "--out", runs / "silent", "-q", "--set", "ci=0")
    (folder / "hostile.jsonl").write_text(hostile_tracker_lines(), "utf-8")
    dialmeter("score", folder / "hostile.jsonl", "--out", runs / "hostile", "-q", "--set", "ci=0")
    for name, noise in (("quiet", "0.05"), ("noisy", "0.3")):
        talk = folder / f"{name}.jsonl"
        dialmeter("play", "--goals", 12, "--set", f"noise={noise}", "--workers", 1, "--out", talk, "-q")
        how = ("--set", "profile=town", "--set", "missing=skip", "-q", "--set", "resamples=200")
        dialmeter("score", talk, "--out", runs / name, *how)
    dialmeter(
        "score",
        folder / "noisy.jsonl",
        "--subject",
        "system",
        "--set",
        "profile=town",
        "--out",
        runs / "acts",
        "-q",
        "--set",
        "ci=0",
    )
    (folder / "log.jsonl").write_text(log_lines(), "utf-8")
    dialmeter("score", folder / "log.jsonl", "--out", runs / "agent", "-q", "--set", "resamples=200")
    (folder / "tau.json").write_text(tau_text(), "utf-8")
    dialmeter(
        "score", folder / "tau.json", "--subject", "user", "--out", runs / "words", "-q", "--set", "resamples=200"
    )
    people = write(rated(), folder / "ratings.jsonl")
    dialmeter("score", people, "--set", "resamples=100", "--out", runs / "people", "-q")
    (folder / "labels.jsonl").write_text(label_lines(), "utf-8")
    dialmeter("score", folder / "labels.jsonl", "--set", "probability=p", "--out", runs / "labels", "-q")
    for name in ("agent", "words", "people"):
        shutil.copytree(runs / name, runs / f"{name}2")
    (folder / "cases.jsonl").write_text(case_lines(), "utf-8")
    dialmeter("score", folder / "cases.jsonl", "--judge", "overlap", "--out", runs / "jury", "-q")
    dialmeter("score", folder / "cases.jsonl", "--judge", "distinct", "--out", runs / "jury2", "-q")
    (runs / "broken").mkdir()
    (runs / "broken" / "run.json").write_text("{")
    (runs / "half" / "parts").mkdir(parents=True)
    torn = runs / "torn"
    shutil.copytree(runs / "hostile", torn)
    (torn / "rows.jsonl").write_bytes(b'{"id": 1}\n')
    return runs


def wrong_slot(runs: Path) -> str:
    """The slot of trackers/keyword at which most values are wrong."""
    rows = map(json.loads, (runs / "trackers" / "keyword" / "rows.jsonl").read_text("utf-8").splitlines())
    cells = [cell for row in rows for turn in row["turns"] for cell in turn["slots"].items()]
    return Counter(slot for slot, cell in cells if cell["class"] == "wrong").most_common(1)[0][0]


@contextmanager
def served(folder: Path, token: str = "", hosts: tuple[str, ...] | None = LOCAL) -> Iterator[str]:
    """The viewer over a folder; gives its address."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    app = make_app(RunFolder(folder), hosts, token)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", lifespan="off"))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
