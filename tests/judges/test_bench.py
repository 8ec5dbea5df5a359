"""The benchmark: a set that is the same when it is made again, submissions that cannot be changed, and a board."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from dialmeter.judges.attacks import registry
from dialmeter.judges.bench import Submission, read_set, signed

from ..cli.invoke import Cli
from .attacks.talk import VILLAGE

ATTACKS = [
    "--attack",
    "repetition",
    "--attack",
    "speaker",
    "--attack",
    "identical",
    "--limit",
    "6",
    "--set",
    "light",
    "--quiet",
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "village.jsonl"
    turns = [
        {
            "id": each.id,
            "messages": [
                {"role": ("user", "assistant")[place % 2], "content": move.text}
                for place, move in enumerate(each.moves)
            ],
        }
        for each in VILLAGE
    ]
    path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in turns))
    return path


@pytest.fixture
def made(corpus: Path, cli: Cli) -> Path:
    path = corpus.parent / "set.jsonl"
    assert cli.json("judge", "bench", "make", corpus, *ATTACKS, "--out", path)["head"]["cases"] > 10
    return path


def test_made_twice_it_has_the_same_digest(made: Path, corpus: Path, cli: Cli) -> None:
    again = made.with_name("again.jsonl")
    cli("judge", "bench", "make", corpus, *ATTACKS, "--out", again)
    assert again.read_bytes() == made.read_bytes()
    cli("judge", "bench", "make", corpus, *ATTACKS, "--set", "seed=8", "--out", again, "--force")
    digests = [json.loads(path.read_text("utf-8").splitlines()[0])["digest"] for path in (made, again)]
    assert digests[0] != digests[1]


@pytest.fixture
def submitted(made: Path, cli: Cli) -> Path:
    out = made.with_name("submissions")
    document = cli.json("judge", "bench", "run", made, "--judge", "overlap", "--out", out, "--quiet")
    assert document["files"] == ["overlap.json", "constant.json", "random.json", "length.json"]
    return out / "overlap.json"


def test_a_right_submission(made: Path, submitted: Path, cli: Cli) -> None:
    found = cli.json("judge", "bench", "verify", made, *sorted(submitted.parent.iterdir()))
    assert found["counts"]["submissions"] == 4
    control = {each["judge"]: each["value"] for each in found["scores"] if each["facet"] == "control"}
    assert control["length"] == 0


def test_the_shipped_set_is_frozen_and_has_every_attack(cli: Cli, tmp_path: Path) -> None:
    found = read_set("town")
    assert (found.head.version, found.head.cases, len(found.cases)) == ("1", 2494, 2494)
    assert found.head.digest == "9c0a49180de244bb498c48610acb2058ad2cabcd27045b323526da7fd8baaff7"
    own = {name for name in registry.builtin() if name != "llm"}
    assert set(found.head.attacks) == own
    assert (
        cli.json("judge", "bench", "run", "--judge", "length", "--out", tmp_path / "s", "--quiet")["counts"]["cases"]
        == 2494
    )


FORGERIES: dict[str, tuple[Callable[[Submission], dict[str, Any]], str]] = {
    "not signed": (lambda found: {"judge": "mine"}, "was changed after it was signed"),
    "a case is missing": (
        lambda found: {"scores": dict([*found.scores.items()][1:])},
        "1 of {cases} cases are missing, and 0 are not in the set",
    ),
    "another version": (lambda found: {"version": "2"}, "is for town 2, but the set is town 1"),
    "error rates that are made up": (
        lambda found: {"errors": [replace(found.errors[0], value=0.123), *found.errors[1:]]},
        "the error rate of coherence does not match the scores",
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_changed_submission(forgery: str, made: Path, submitted: Path, cli: Cli) -> None:
    """A forger changes something, and mostly signs again what was changed."""
    change, message = FORGERIES[forgery]
    found = msgspec.json.decode(submitted.read_bytes(), type=Submission)
    changed = replace(found, **change(found))
    submitted.write_bytes(msgspec.json.encode(changed if forgery == "not signed" else signed(changed)))
    complaint = cli.refused("judge", "bench", "verify", made, submitted)
    assert complaint.partition("overlap.json: ")[2] == message.format(cases=len(found.scores))


def test_a_changed_set(made: Path, submitted: Path, cli: Cli) -> None:
    lines = made.read_text("utf-8").splitlines(keepends=True)
    made.write_text("".join([lines[0], lines[1].replace('"reply":"', '"reply":"x'), *lines[2:]]))
    complaint = cli.refused("judge", "bench", "verify", made, submitted)
    assert complaint.endswith("line 2: the case was changed: its hash differs")
    made.write_text("".join(lines[:-1]))
    assert "does not match its first line" in cli.refused("judge", "bench", "verify", made, submitted)


def test_the_board(made: Path, submitted: Path, cli: Cli) -> None:
    page = made.with_name("board.html")
    people = made.with_name("people.json")
    score = {"measure": "Spearman", "judge": "overlap", "dimension": "o", "level": "reply", "value": 0.25}
    people.write_text(json.dumps({"scores": [score], "main_dimension": "o"}))
    files = sorted(submitted.parent.iterdir())
    words = ("judge", "bench", "page", made, *files, "--people", f"TC={people}", "--out", page)
    rows = list(csv.DictReader(io.StringIO(cli(*words, "-f", "csv").out)))
    agreement = {row["judge"]: row["value"] for row in rows if (row["measure"], row["people"]) == ("Spearman", "TC")}
    assert agreement == {"overlap": "0.250000", "constant": "", "random": "", "length": ""}
    document = cli.json(*words, "--force")
    errors = [row for row in rows if row["measure"] == "error"]
    values = [each["value"] for each in document["scores"]]
    assert [row["value"] for row in errors] == ["" if value is None else f"{value:.6f}" for value in values]
    values = {each["judge"]: each["value"] for each in document["agreement"] if each["people"] == "TC"}
    assert values == {"overlap": 0.25, "constant": None, "random": None, "length": None}
    text = page.read_text("utf-8")
    assert "Judges on town" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")
