"""``dialmeter demo``, on the demo data: sample files for the documentation, and a tour. Each step of the tour is a command of dialmeter."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

import click
import msgspec
from msgspec.structs import replace

from ..core.output import new_folder, refuse_replacing
from ..judges.scorer import attack_replies
from ..simulation.sample_files import SHARES_FOLDER, play_users, sample_files
from ..views.tables import Table
from .hints import HintedCommand
from .main import cli
from .options import force_option, option, quiet_option
from .printer import EVERY, Block, Output, print_output

ATTACKS = ("entailment", "speaker", "pronoun", "repetition", "natural-paraphrase", "dullness", "identical")
"""Attacks whose cases do not depend on the installed packages."""
CASES = 40
ABOUT = {
    "base.jsonl": "a keyword tracker: predicted and gold states of 200 dialogues",
    "new.jsonl": "a tracker that reads dialogue acts, on the same dialogues",
    "gold.jsonl": "only the gold states of these dialogues",
    "model-outputs.jsonl": "the states of base.jsonl as a language model would write them",
    "frames.jsonl": "new.jsonl with intents and requested slots of each service",
    "schema.json": "the services and slots of the demo data",
    "tracker-ratings.csv": "invented ratings of dialogues of new.jsonl",
    f"{SHARES_FOLDER}/": "invented trackers, trained on growing shares of the data",
    "agenda.jsonl": "dialogues of a user that says everything in its goal",
    "forgetful.jsonl": "dialogues of a user that forgets, with the same goals",
    "goals.json": "only the goals of these dialogues",
    "map.json": "the value map of the demo data: values and their surface forms",
    "cases.jsonl": "replies of agenda.jsonl, each with a changed version",
    "ratings.jsonl": "replies with invented ratings",
    "satisfaction.txt": "dialogues with invented ratings of satisfaction",
    "desk-base.json": "the log of a system: 15 tasks, 3 trials each",
    "desk-new.json": "the log of another system on the same tasks",
}


def write_sample(folder: Path, *, force: bool) -> Output:
    """Write the sample files, and return a table of them. They are the same for everybody, and all pages of the documentation use them."""

    def check(existing: set[str]) -> None:
        for name in ABOUT:
            if name.rstrip("/") in existing:
                refuse_replacing(folder / name, force=force)

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


_OUTPUTS = ("agenda.jsonl", "forgetful.jsonl", "cases.jsonl", "runs", "report.html")
_STEPS = """
# Two users with the same goals talk to a system that mishears one act in ten.
- play --user agenda --goals {goals} --set noise=0.1 --set seed=7 -o {out}/agenda.jsonl --workers {cores}
- play --user forgetful --goals {goals} --set noise=0.1 --set seed=7 -o {out}/forgetful.jsonl --workers {cores}
# Two trackers: the system's own state, and a keyword tracker.
- score {out}/agenda.jsonl --subject tracker -o {out}/runs/own
- score {out}/agenda.jsonl#keyword --subject tracker -o {out}/runs/keyword
+ compare own={out}/agenda.jsonl keyword={out}/agenda.jsonl#keyword --subject tracker -m JGA -m FGA(lam=0.5) -m GCA -o {out}/runs/trackers
# Two users: one says everything in its goal, the other forgets.
- score {out}/agenda.jsonl --set profile=town -o {out}/runs/agenda
- score {out}/forgetful.jsonl --set profile=town -o {out}/runs/forgetful
+ compare {out}/agenda.jsonl {out}/forgetful.jsonl --set profile=town -o {out}/runs/users
# Judges: do they notice that a good reply was changed to a bad one?
- judge attack {out}/agenda.jsonl --set light=true --limit 40 -o {out}/cases.jsonl
+ score {out}/cases.jsonl -j overlap -j ngram-coherence -j ngram-fluency -n 0 -o {out}/runs/judges
# A report about all runs.
- report {out}/runs/trackers {out}/runs/users {out}/runs/judges {out}/runs/own {out}/runs/keyword {out}/runs/agenda {out}/runs/forgetful -o {out}/report.html --title {title}
"""
"""The commands of the demo, with their purposes. The output of those with a plus is printed."""


GOALS = 200
"""Number of goals that are drawn."""


@click.command(cls=HintedCommand)
@click.argument("folder", metavar="[DIR]", default="demo-run")
@option("--files-only", "Write only the sample files that the documentation uses.")
@force_option
@quiet_option
def demo(folder: str, files_only: bool, force: bool, quiet: bool) -> None:
    """Make the demo data, measure two trackers, two users and some judges on it, and write a report.

    Each step is a command, which is printed before it runs. The demo takes less than a minute.
    """
    if files_only:
        made = write_sample(Path(folder), force=force)
        print_output(replace(made, parts=[]) if quiet else made, {"quiet": quiet})
        return
    out = Path(folder)
    for name in _OUTPUTS:
        refuse_replacing(out / name, force=force)
    title = "Trackers, users and judges on the demo data"
    values = {"out": str(out), "goals": GOALS, "cores": os.cpu_count() or 1, "title": title}
    for line in _STEPS.strip().split("\n"):
        if line.startswith("#"):
            click.secho(f"\n{line[2:]}", bold=True)
            continue
        shown, *words = [word.format(**values) for word in line.split()]
        click.echo(f"$ dialmeter {shlex.join(words)}")
        with nullcontext() if shown == "+" else redirect_stdout(io.StringIO()):
            more = ["--quiet"] * quiet + ["--force"] * (force and "-o" in words)
            cli.main([*words, *more], prog_name="dialmeter", standalone_mode=False)
    click.echo(f"\nreport: {out / 'report.html'}")
    click.echo(f"Explore every number: dialmeter view {shlex.quote(str(out / 'runs'))}")
