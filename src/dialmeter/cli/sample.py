"""``dialmeter sample``: files of the invented town for the commands in the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from ..core.output import new_folder, refuse_replacing
from ..judges.scorer import attack_replies
from ..simulation.sample_files import SHARES_FOLDER, play_users, sample_files
from ..views.tables import Table
from .options import command, force_option, quiet_option
from .printer import EVERY, Block, Output

ATTACKS = ("entailment", "speaker", "pronoun", "repetition", "natural-paraphrase", "dullness", "identical")
"""Attacks whose cases do not depend on the installed packages."""
CASES = 40
ABOUT = {
    "base.jsonl": "a keyword tracker: predicted and gold states of 200 dialogues",
    "new.jsonl": "a tracker that reads dialogue acts, on the same dialogues",
    "gold.jsonl": "only the gold states of these dialogues",
    "completions.jsonl": "the states of base.jsonl as a language model would write them",
    "frames.jsonl": "new.jsonl with intents and requested slots of each service",
    "schema.json": "the services and slots of the town",
    "tracker-ratings.csv": "invented ratings of dialogues of new.jsonl",
    f"{SHARES_FOLDER}/": "invented trackers, trained on growing shares of the data",
    "agenda.jsonl": "dialogues of a user that says everything in its goal",
    "forgetful.jsonl": "dialogues of a user that forgets, with the same goals",
    "goals.json": "only the goals of these dialogues",
    "map.json": "the value map of the town: values and their surface forms",
    "cases.jsonl": "replies of agenda.jsonl, each with a changed version",
    "ratings.jsonl": "replies with invented ratings",
    "satisfaction.txt": "dialogues with invented ratings of satisfaction",
    "desk-base.json": "the log of an agent: 15 tasks, 3 trials each",
    "desk-new.json": "the log of another agent on the same tasks",
}


@command(last=(quiet_option,))
@click.argument("folder", metavar="DIR")
@force_option
def sample(**options: Any) -> Output:
    """Write sample files to DIR: trackers, users, judged replies, ratings, a value map, logs of agents.

    All files are about the invented town and are the same for everybody. All pages of the documentation use these names.
    """
    folder = Path(options["folder"])

    def check(existing: set[str]) -> None:
        for name in ABOUT:
            if name.rstrip("/") in existing:
                refuse_replacing(folder / name, force=options["force"])

    with new_folder(folder, check) as new:
        for name, content in _sample_files():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_bytes(content)
    table = Table("", ("file", "content"), tuple(ABOUT.items()))
    return Output(
        parts=[Block(table, EVERY)], remarks=["Next: follow docs/tutorial.md, or any page of the documentation."]
    )


def _sample_files() -> Iterator[tuple[str, bytes]]:
    agenda = play_users("agenda")
    yield from sample_files(agenda)
    cases = attack_replies(agenda, ATTACKS, cases=CASES, corpus="agenda.jsonl", light=True)
    yield "cases.jsonl", b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
