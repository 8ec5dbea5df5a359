"""``dialmeter sample``: files of the invented town to follow the documentation with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from ..core.output import new_folder, refuse_replacing
from ..judges.scorer import attack_replies
from ..simulation.sample.sample_files import SHARES_FOLDER, play_users, sample_files
from ..views.tables import Table
from .options import command, force_option, quiet_option
from .printer import EVERY, Block, Output

ATTACKS = ("entailment", "speaker", "pronoun", "repetition", "natural-paraphrase", "dullness", "identical")
"""Attacks whose cases do not depend on what is installed."""
CASES = 40
ABOUT = {
    "base.jsonl": "a tracker that looks for keywords: predicted and gold states of 200 dialogues",
    "new.jsonl": "a tracker that reads dialogue acts, on the same dialogues",
    "gold.jsonl": "the gold states of these dialogues alone",
    "completions.jsonl": "the states of base.jsonl as a language model would write them",
    "frames.jsonl": "new.jsonl with intents and requested slots of each service",
    "schema.json": "the services and slots of the town",
    "tracker-ratings.csv": "invented ratings of dialogues of new.jsonl",
    f"{SHARES_FOLDER}/": "invented trackers that were trained on growing shares of data",
    "agenda.jsonl": "dialogues of a user who says all that its goal asks for",
    "forgetful.jsonl": "dialogues of a user who forgets, with the same goals",
    "goals.json": "the goals of these dialogues alone",
    "map.json": "the value map of the town: values and how they are said",
    "cases.jsonl": "replies of agenda.jsonl, each with a changed version",
    "ratings.jsonl": "replies with invented ratings",
    "satisfaction.txt": "dialogues with invented ratings of satisfaction",
    "desk-base.json": "the log of an agent: 15 tasks, 3 trials each",
    "desk-new.json": "the log of another agent on the same tasks",
}


@command(last=(quiet_option,))
@click.argument("folder", metavar="DIR")
@force_option("files of the same names")
def sample(**options: Any) -> Output:
    """Write files to DIR to try the commands on: trackers, users, judged replies, ratings, a value map, logs of agents.

    All files are of the invented town, and the same for everybody. The documentation uses these names on all pages.
    """
    folder = Path(options["folder"])

    def check(there: set[str]) -> None:
        for name in ABOUT:
            if name.rstrip("/") in there:
                refuse_replacing(folder / name, force=options["force"])

    with new_folder(folder, check) as new:
        for name, content in _contents():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_bytes(content)
    table = Table("", ("file", "what it holds"), tuple(ABOUT.items()))
    return Output(
        parts=[Block(table, EVERY)], remarks=["Next: follow docs/tutorial.md, or any page of the documentation."]
    )


def _contents() -> Iterator[tuple[str, bytes]]:
    agenda = play_users("agenda")
    yield from sample_files(agenda)
    cases = attack_replies(agenda, ATTACKS, cases=CASES, corpus="agenda.jsonl", light=True)
    yield "cases.jsonl", b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
