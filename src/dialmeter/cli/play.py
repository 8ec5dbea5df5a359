"""``dialmeter user play``"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from ..core.account import Account
from ..core.document import Count, Document
from ..errors import DialmeterError, one_line
from ..model import Conversation, Notice
from ..readers.conversations import open_conversations
from ..simulation.agents import choose
from ..simulation.agents.agent import ChosenAgent, Role
from ..simulation.goals import foreign_values, read_goals
from ..simulation.outcome import describe_silence, outcome, play_account
from ..simulation.play import MAX_TURNS, Setting, Task, sampled, tasks_from_goals, write
from ..simulation.world import town
from ..users.result import SHOWN
from ..views.tables import percent
from .dry_run import dry_run_option, dry_run_output, price_option
from .frame import document_output
from .main import EXIT_INPUT
from .options import combine_options, command, force_option, option, seed_option
from .printer import Output, message_block, warn
from .progress import track_count
from .user.score import endpoint_options
from .work import cluster_from_options, work_options

play_options = combine_options(
    option(
        "--goals N|FILE",
        "Number of goals to draw, or a file with goals (MultiWOZ format) or with dialogues.",
        default="200",
    ),
    option("--max-turns", "Maximum number of turns of the user; a longer dialogue is cut.", least=1, default=MAX_TURNS),
    option("--noise", "Share of acts that each side misunderstands.", type=click.FloatRange(0, 1), default=0.0),
    work_options,
    endpoint_options("the agent `endpoint`"),
    dry_run_option,
    price_option,
)


class UserPlayDocument(Document, kw_only=True):
    """The dialogues of a simulated user with a system, and the number of cut dialogues and of those that reached their goals.

    Attributes:
        out: the file of the dialogues.
    """

    kind: str = "user"
    command: str = "play"
    out: str
    user: str
    system: str
    noise: float
    seed: Count


@command()
@option("--user AGENT", "Simulated user, who has the goal.", default="agenda")
@option("--system AGENT", "System, which has the database of the town.", default="rule")
@play_options
@seed_option(12345)
@option("--out FILE", "Output file for the dialogues (JSON lines).", required=True)
@force_option
def play(**options: Any) -> Output:
    """Let a simulated user and a system talk, and save the dialogues.

    An agent is a name with dials, such as "agenda(patience=2)" (see `dialmeter list agents`), `endpoint` for a language model, or
    module:object with init_session and response. The same seed gives the same bytes for any number of workers.
    The file has text, acts, understood acts, goals and states. Commands on trackers, users and judges can read it.
    """
    tasks, notices = tasks_from_options(options)
    setting = Setting(
        agent_from_options(options["user"], "user", options),
        agent_from_options(options["system"], "system", options),
        options["noise"],
        options["seed"],
        options["max_turns"],
    )
    if options["dry_run"]:
        return play_dry_run("user play", options, tasks, [setting])
    write(
        options["out"],
        tasks,
        setting,
        workers=options["workers"] or cores(),
        cluster=cluster_from_options(options),
        progress=lambda conversations, total: track_count(conversations, total, "playing", options["quiet"]),
        resume=not options["force"],
        force=options["force"],
    )
    counts, account, text_only_notices = _counts(open_conversations(options["out"]), len(tasks))
    notices = [*notices, *text_only_notices]
    if not account.scored:
        error = f"{one_line(options['out'], 200)}: none of {len(tasks)} dialogues was played: {account.why}"
        return Output(notices=notices, errors=[error], exit_code=EXIT_INPUT)
    user, system = setting.user.text, setting.system.text
    share = percent(counts["completed"] / counts["dialogues"])
    lines = [
        f"{counts['dialogues']} dialogues of {user} with {system}, {counts['turns']} turns of the user, "
        f"{counts['cut']} cut; {share} % of the goals were reached",
        account.line,
        *(each.message for each in notices if each.code == "value-not-in-town"),
        f"{options['out']}: score it with `dialmeter user score --profile town` or `dialmeter tracker score`",
    ]
    return document_output(
        UserPlayDocument,
        parts=[message_block("\n".join(lines))],
        notices=[each for each in notices if each.code != "value-not-in-town"],
        account=account,
        counts=counts,
        warnings=notices,
        out=options["out"],
        user=user,
        system=system,
        noise=setting.noise,
        seed=setting.seed,
    )


def play_dry_run(
    command_name: str, options: dict[str, Any], tasks: Sequence[Task], settings: Sequence[Setting]
) -> Output:
    """Estimate the calls of the agents that are language models. Nothing is sent."""
    from ...simulation.agents.endpoint import STAND_INS, rehearse

    estimates = rehearse(tasks, settings)
    if not estimates:
        raise DialmeterError(
            "--dry-run estimates calls of language models; give the agent endpoint, --endpoint and --model"
        )
    return dry_run_output(
        command_name,
        estimates,
        {"dialogues": len(tasks) * len(settings)},
        who="agent",
        price=options["price"],
        notes=(f"assumes that dialogues are as long as those of {' with '.join(STAND_INS)} on the same goals",),
    )


def tasks_from_options(options: dict[str, Any]) -> tuple[list[Task], list[Notice]]:
    """Return the tasks to play: drawn goals, or the goals of a file. Values that the town does not have are reported at once."""
    goals_option = options["goals"]
    if goals_option.isdecimal():
        if int(goals_option) == 0:
            raise DialmeterError("--goals must be a number of goals, 1 or more, or a file")
        return sampled(int(goals_option), options["seed"]), []
    if not Path(goals_option).exists():
        raise DialmeterError(f"--goals {goals_option}: not a number and not an existing file")
    goals, notices = read_goals(goals_option)
    foreign = foreign_values(goals)
    if foreign is not None:
        warn([foreign], options["quiet"])
        notices = [*notices, foreign]
    return tasks_from_goals(goals), notices


def agent_from_options(text: str, role: Role, options: dict[str, Any]) -> ChosenAgent:
    """Return an agent. A language model gets its URL and name from the options."""
    if text.partition("(")[0].strip() not in ("endpoint", f"endpoint-{role}"):
        return choose(text, role)
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError(f"{text} needs --endpoint URL and --model NAME")
    return choose(text, role, {"url": options["endpoint"], "model": options["model"], "key": options["key_variable"]})


def cores() -> int:
    """Return the number of available cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _counts(conversations: Iterable[Conversation], total: int) -> tuple[dict[str, int], Account, list[Notice]]:
    counts = {"dialogues": 0, "turns": 0, "cut": 0, "completed": 0}
    silent: list[tuple[str, str]] = []
    text_only: list[str] = []
    for conversation in conversations:
        text_only += [
            f"{conversation.id} turn {number}" for number, move in enumerate(conversation.moves) if move.read_by
        ]
        if conversation.goal is not None:
            counts["dialogues"] += 1
            counts["turns"] += len(conversation.moves) // 2
            counts["cut"] += conversation.cut
            counts["completed"] += outcome(conversation, town()).complete
            if reason := describe_silence(conversation):
                silent.append((conversation.id, reason))
    message = f"{len(text_only)} turns of agents have only text; their acts are those that the town's reader found"
    message += " (signatures show from:text(town)); its accuracy was not measured (see `dialmeter user understand`)"
    notices = [Notice("from-text", len(text_only), message, tuple(text_only[:SHOWN]))] if text_only else []
    return counts, play_account(total, counts["dialogues"], silent), notices
