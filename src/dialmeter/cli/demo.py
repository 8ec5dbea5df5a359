"""``dialmeter demo``: all kinds of measurement on the embedded town. Each step is a command of dialmeter."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import click

from ..core.output import refuse_replacing
from .main import cli
from .options import force_option, number_option, quiet_option

_OUTPUTS = ("agenda.jsonl", "forgetful.jsonl", "cases.jsonl", "runs", "report.html")
_TRACKERS = {"own": "agenda.jsonl", "keyword": "agenda.jsonl#keyword"}
_USERS = ("agenda", "forgetful")


class DemoStep(NamedTuple):
    """One command of the demo, with its purpose. Its output is printed if ``shown`` is true."""

    words: tuple[str, ...]
    about: str = ""
    shown: bool = False


@click.command()
@click.option("--out", default="demo-run", show_default=True, metavar="DIR", help="Output folder.")
@number_option("--goals", least=20, default=200, about="Number of goals to draw.")
@force_option
@quiet_option
def demo(out: str, goals: int, force: bool, quiet: bool) -> None:
    """Play dialogues in an invented town, measure two trackers, two users and some judges on them, and write a report.

    Each step is a command, which is printed before it runs. The demo takes less than a minute.
    """
    folder = Path(out)
    for name in _OUTPUTS:
        refuse_replacing(folder / name, force=force)
    for step in _steps(folder, goals):
        if step.about:
            click.secho(f"\n{step.about}", bold=True)
        click.echo(f"$ dialmeter {shlex.join(step.words)}")
        with nullcontext() if step.shown else redirect_stdout(io.StringIO()):
            more = ["--quiet"] * quiet + ["--force"] * (force and "--out" in step.words)
            cli.main([*step.words, *more], prog_name="dialmeter", standalone_mode=False)
    click.echo(f"\nreport: {folder / 'report.html'}")
    click.echo(f"Explore every number: dialmeter view {shlex.quote(str(folder / 'runs'))}")


def _steps(folder: Path, goals: int) -> Iterator[DemoStep]:
    def path(name: str) -> str:
        return str(folder / name)

    def run_folder(name: str) -> str:
        return path(f"runs/{name}")

    for user in _USERS:
        play = ("--user", user, "--goals", str(goals), "--noise", "0.1", "--seed", "7", "--out", path(f"{user}.jsonl"))
        about = (
            "Two users with the same goals talk to a system that mishears one act in ten." if user == _USERS[0] else ""
        )
        yield DemoStep(("user", "play", *play, "--workers", str(os.cpu_count() or 1)), about, shown=True)

    about = "Two trackers: the system's own state, and a keyword tracker."
    for name, file in _TRACKERS.items():
        yield DemoStep(("tracker", "score", path(file), "--out", run_folder(name)), about)
        about = ""
    measures = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--measure", "GCA")
    names = [word for name in _TRACKERS for word in ("--name", name)]
    yield DemoStep(("tracker", "compare", *map(path, _TRACKERS.values()), *names, *measures), shown=True)

    about = "Two users: one says everything in its goal, the other forgets."
    for user in _USERS:
        options = ("--profile", "town", "--blame", "--out", run_folder(user))
        yield DemoStep(("user", "score", path(f"{user}.jsonl"), *options), about)
        about = ""
    yield DemoStep(("user", "compare", *(path(f"{user}.jsonl") for user in _USERS), "--profile", "town"), shown=True)

    about = "Judges: do they notice that a good reply was changed to a bad one?"
    attack_options = ("--light", "--no-cache", "--cases", "40", "--out", path("cases.jsonl"))
    yield DemoStep(("judge", "attack", path("agenda.jsonl"), *attack_options), about)
    judges = ("--judge", "overlap", "--judge", "ngram-coherence", "--judge", "ngram-fluency")
    yield DemoStep(
        ("judge", "score", path("cases.jsonl"), *judges, "--failing", "0", "--out", run_folder("judges")), shown=True
    )

    runs = [run_folder(name) for name in (*_TRACKERS, *_USERS, "judges")]
    title = "Trackers, users and judges in an invented town"
    yield DemoStep(("report", *runs, "--out", path("report.html"), "--title", title), "A report about all runs.")
