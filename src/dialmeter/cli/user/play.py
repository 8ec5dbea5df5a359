"""``dialmeter user play``"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from ...core.account import Account
from ...core.document import make_document
from ...errors import DialmeterError, one_line
from ...model import Conversation, Notice
from ...readers.conversations import open_conversations
from ...simulation.agents import choose
from ...simulation.agents.agent import ChosenAgent, Role
from ...simulation.files import sampled, tasks_from_goals, write
from ...simulation.outcome import describe_silence, outcome, play_account
from ...simulation.play import MAX_TURNS, Setting, Task
from ...simulation.world import town
from ...simulation.world.goals import read_goals
from ...users.result import SHOWN
from ...views.tables import percent
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..options import command, force_option, number_option, resume_option, seed_option, stacked
from ..printer import Output, message, warn
from ..progress import counted
from ..work import chosen_cluster, work_options
from .documents import UserPlayDocument
from .reading import endpoint_options

talk_options = stacked(
    click.option(
        "--goals",
        default="200",
        show_default=True,
        metavar="N|FILE",
        help="How many goals to draw, or a file with goals: MultiWOZ's format, or dialogues.",
    ),
    number_option(
        "--max-turns", least=1, default=MAX_TURNS, about="After so many turns of the user a dialogue is cut."
    ),
    click.option(
        "--noise",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="The share of acts that are misunderstood, on both sides.",
    ),
    work_options,
    endpoint_options("the agent `endpoint`"),
    dry_run_option,
    price_option,
)


@command()
@click.option("--user", default="agenda", show_default=True, metavar="AGENT", help="Who has the goal.")
@click.option("--system", default="rule", show_default=True, metavar="AGENT", help="Who knows the town.")
@talk_options
@seed_option(12345)
@click.option("--out", required=True, metavar="FILE", help="The file of dialogues, JSON lines.")
@resume_option("an unfinished file")
@force_option("a file that is there")
def play(**options: Any) -> Output:
    """Let a simulated user and a system talk, and keep the dialogues.

    An agent is a name with dials, as in "agenda(patience=2)" (see `dialmeter list agents`), `endpoint` for a language model, or
    module:object with init_session and response. The same seed gives the same bytes, whatever the number of workers.
    The file holds text, acts, what was understood, goals and states: tracker, user and judge commands read it.
    """
    tasks, notices = chosen_tasks(options)
    setting = Setting(
        chosen_agent(options["user"], "user", options),
        chosen_agent(options["system"], "system", options),
        options["noise"],
        options["seed"],
        options["max_turns"],
    )
    if options["dry_run"]:
        return talk_dry_run("user play", options, tasks, [setting])
    warn(notices, options["quiet"])
    write(
        options["out"],
        tasks,
        setting,
        workers=options["workers"] or cores(),
        cluster=chosen_cluster(options),
        progress=lambda talks, total: counted(talks, total, "playing", options["quiet"]),
        resume=options["resume"],
        force=options["force"],
    )
    counts, account, in_words = _counts(open_conversations(options["out"]), len(tasks))
    if not account.scored:
        raise DialmeterError(
            f"{one_line(options['out'], 200)}: none of {len(tasks)} dialogues was played: {account.why}"
        )
    warn(in_words, options["quiet"])
    user, system = setting.user.text, setting.system.text
    share = percent(counts["completed"] / counts["dialogues"])
    lines = [
        f"{counts['dialogues']} dialogues of {user} with {system}, {counts['turns']} turns of the user, "
        f"{counts['cut']} cut; {share} % of the goals were reached",
        account.line,
        f"{options['out']}: score it with `dialmeter user score --profile town` or `dialmeter tracker score`",
    ]
    return Output(
        document=lambda _: make_document(
            UserPlayDocument,
            account=account,
            counts=counts,
            warnings=[*notices, *in_words],
            out=options["out"],
            user=user,
            system=system,
            noise=setting.noise,
            seed=setting.seed,
        ),
        parts=[message("\n".join(lines))],
    )


def talk_dry_run(
    command_name: str, options: dict[str, Any], tasks: Sequence[Task], settings: Sequence[Setting]
) -> Output:
    """What the language models among the agents would be asked; nothing is sent.

    Raises:
        DialmeterError: no agent is a language model.
    """
    from ...simulation.rehearsal import STAND_INS, rehearse

    found = rehearse(tasks, settings)
    if not found:
        raise DialmeterError("--dry-run is about language models; name the agent endpoint, with --endpoint and --model")
    return dry_run_output(
        command_name,
        found,
        {"dialogues": len(tasks) * len(settings)},
        who="agent",
        price=options["price"],
        notes=(f"dialogues are taken to be as long as those of {' with '.join(STAND_INS)} on the same goals",),
    )


def chosen_tasks(options: dict[str, Any]) -> tuple[list[Task], list[Notice]]:
    """What is to be played: drawn goals, or those of a file."""
    asked = options["goals"]
    if asked.isdecimal():
        if int(asked) == 0:
            raise DialmeterError("--goals is the number of goals to draw, 1 or more, or a file")
        return sampled(int(asked), options["seed"]), []
    if not Path(asked).exists():
        raise DialmeterError(f"--goals {asked}: neither a number nor a file")
    goals, notices = read_goals(asked)
    return tasks_from_goals(goals), notices


def chosen_agent(text: str, role: Role, options: dict[str, Any]) -> ChosenAgent:
    """An agent; a language model gets its address from the options."""
    if text.partition("(")[0].strip() not in ("endpoint", f"endpoint-{role}"):
        return choose(text, role)
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError(f"{text} needs --endpoint URL and --model NAME")
    return choose(text, role, {"url": options["endpoint"], "model": options["model"], "key": options["key_variable"]})


def cores() -> int:
    """How many processes can run at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _counts(talks: Iterable[Conversation], asked: int) -> tuple[dict[str, int], Account, list[Notice]]:
    counts = {"dialogues": 0, "turns": 0, "cut": 0, "completed": 0}
    silent: list[tuple[str, str]] = []
    in_words: list[str] = []
    for talk in talks:
        in_words += [f"{talk.id} turn {number}" for number, move in enumerate(talk.moves) if move.read_by]
        if talk.goal is not None:
            counts["dialogues"] += 1
            counts["turns"] += len(talk.moves) // 2
            counts["cut"] += talk.cut
            counts["completed"] += outcome(talk, town()).complete
            if found := describe_silence(talk):
                silent.append((talk.id, found))
    message = f"{len(in_words)} turns of agents that speak in words only; their acts are those that the town found in the text"
    message += " (scores say from:text(town)); how well was not measured (see `dialmeter user understand`)"
    notices = [Notice("from-text", len(in_words), message, tuple(in_words[:SHOWN]))] if in_words else []
    return counts, play_account(asked, counts["dialogues"], silent), notices
