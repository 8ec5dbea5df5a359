"""``dialmeter demo``: the whole story on the embedded town, as commands that one can type oneself."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import click

from ..errors import DialmeterError
from .main import cli
from .options import force_option, number_option

_MADE = ("agenda.jsonl", "forgetful.jsonl", "cases.jsonl", "runs", "report.html")
_TRACKERS = {"own": "agenda.jsonl", "keyword": "agenda.jsonl#keyword"}
_USERS = ("agenda", "forgetful")


class DemoStep(NamedTuple):
    """A command, what it is for, and whether its output is shown."""

    words: tuple[str, ...]
    about: str = ""
    shown: bool = False


@click.command()
@click.option("--out", default="demo-run", show_default=True, metavar="DIR", help="Where everything goes.")
@number_option("--goals", least=20, default=200, about="Dialogues per user.")
@force_option("an older demo")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def demo(out: str, goals: int, force: bool, quiet: bool) -> None:
    """Play dialogues in an invented town; measure two trackers, two users and some judges on them; write a report.

    Every step is a command, printed before it is run. It takes less than a minute.
    """
    folder = Path(out)
    there = [folder / name for name in _MADE if (folder / name).exists()]
    if there and not force:
        raise DialmeterError(f"{there[0]}: already exists; use --force to replace it")
    for step in _steps(folder, goals):
        if step.about:
            click.secho(f"\n{step.about}", bold=True)
        click.echo(f"$ dialmeter {shlex.join(step.words)}")
        hidden = nullcontext() if step.shown else redirect_stdout(io.StringIO())
        with hidden:
            more = ["--quiet"] * quiet + ["--force"] * (force and "--out" in step.words)
            cli.main([*step.words, *more], prog_name="dialmeter", standalone_mode=False)
    click.echo(f"\nreport: {folder / 'report.html'}")
    click.echo(f"Look behind every number: dialmeter view {shlex.quote(str(folder / 'runs'))}")


def _steps(folder: Path, goals: int) -> Iterator[DemoStep]:
    def at(name: str) -> str:
        return str(folder / name)

    def run(name: str) -> str:
        return at(f"runs/{name}")

    for user in _USERS:
        played = ("--user", user, "--goals", str(goals), "--noise", "0.1", "--seed", "7", "--out", at(f"{user}.jsonl"))
        about = (
            "Two users with the same goals talk to a system that mishears one act in ten." if user == _USERS[0] else ""
        )
        yield DemoStep(("user", "play", *played, "--workers", str(os.cpu_count() or 1)), about, shown=True)

    about = "Two trackers: the system's own state, and one that looks for keywords in the text."
    for name, file in _TRACKERS.items():
        yield DemoStep(("tracker", "score", at(file), "--out", run(name)), about)
        about = ""
    measures = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--measure", "GCA")
    names = [word for name in _TRACKERS for word in ("--name", name)]
    yield DemoStep(("tracker", "compare", *map(at, _TRACKERS.values()), *names, *measures), shown=True)

    about = "Two users: one says all that its goal asks for, the other forgets."
    for user in _USERS:
        scored = ("--profile", "town", "--blame", "--out", run(user))
        yield DemoStep(("user", "score", at(f"{user}.jsonl"), *scored), about)
        about = ""
    yield DemoStep(("user", "compare", *(at(f"{user}.jsonl") for user in _USERS), "--profile", "town"), shown=True)

    about = "Judges: do they notice when a good reply is made a bad one?"
    attacked = ("--light", "--no-cache", "--cases", "40", "--out", at("cases.jsonl"))
    yield DemoStep(("judge", "attack", at("agenda.jsonl"), *attacked), about)
    judges = ("--judge", "overlap", "--judge", "ngram-coherence", "--judge", "ngram-fluency")
    yield DemoStep(("judge", "score", at("cases.jsonl"), *judges, "--failing", "0", "--out", run("judges")), shown=True)

    runs = [run(name) for name in (*_TRACKERS, *_USERS, "judges")]
    title = "Trackers, users and judges in an invented town"
    yield DemoStep(("report", *runs, "--out", at("report.html"), "--title", title), "One page about all of it.")
