"""``dialmeter play``: simulated users and systems talk. One pair writes a file of dialogues, several pairs give a table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ..core.account import account_fields, format_accounts
from ..core.comparability import joint_signature
from ..core.comparison import TaskDifference
from ..core.document import Count, Document, Interval, Number, SignedScore, Text
from ..errors import DialmeterError, one_line
from ..model import Conversation, Notice
from ..progress import track_count
from ..readers.conversations import open_conversations
from ..simulation.bots import ChosenBot, Role, choose
from ..simulation.goals import foreign_values, read_goals
from ..simulation.outcome import describe_silence, outcome, play_account
from ..simulation.play import MAX_TURNS, Setting, Task, play_all, sampled, tasks_from_goals, write
from ..simulation.world import TOWN, goals_file, load_world
from ..studies.cross import CrossCell, CrossScore, as_dicts, compare_by_user, row, scores
from ..studies.log_score import system_outcome
from ..systems.compare import LogComparison
from ..systems.measures import SystemOutcome
from ..users.profile import load as load_profile
from ..users.result import SHOWN, UserSettings
from ..users.rules import changed
from ..users.rules import load as load_rules
from ..users.scorer import UserScorer
from ..views import system as views
from ..views.summaries.play import play_summary
from ..views.tables import records_table
from . import options as shared
from .dry_run import dry_run_option, dry_run_output, price_option
from .frame import document_output
from .main import EXIT_INPUT
from .printer import CSV, PROSE, TYPED, Block, Output, signature_blocks, table_blocks, typed_command, warn
from .study import Study
from .user.inputs import endpoint_options
from .work import cluster_from_options, work_options

_GOALS = 200


class PlayScore(SignedScore, kw_only=True):
    """A measure of a user with a system.

    Attributes:
        value: a fraction; for Turns, turns of the user per dialogue.
        n: number of dialogues, or of bookings in goals, that the value is a mean over.
        difference: the value minus that of the first user with the same system; null for the first user.
        difference_ci_reason: the reason why the difference has no interval.
    """

    user: str
    difference: Number
    difference_ci: Interval
    difference_ci_reason: Text | UnsetType = UNSET


class PlayedSystem(Struct, kw_only=True):
    """The scores of a system with one user, as in ``score``, and the number of dialogues by ending and outcome."""

    user: Text
    system: Text
    scores: list[SignedScore]
    endings: dict[str, dict[str, Count]]


class PlayDocument(Document, kw_only=True):
    """Every user with every system on the same goals.

    Attributes:
        out: the file of the dialogues, or the folder of the tables; empty if nothing is saved.
        systems: the scores of every system with each user.
        versus: user → comparison of every system with the first one on the same goals; ci and p are those of the t test over goals.
    """

    command: str = "play"
    out: str
    noise: float
    seed: Count
    scores: list[PlayScore]
    systems: list[PlayedSystem]
    versus: dict[str, list[TaskDifference]]


@shared.command()
@shared.option("--user BOT* users", "Simulated user, who has the goal; may be repeated (default: agenda).")
@shared.option("--system BOT* systems", "System, which has the database; may be repeated (default: rule).")
@shared.option(
    "--goals N|FILE",
    "Number of goals to draw, or a file with goals (MultiWOZ format) or with dialogues "
    "(default: goals.json in the folder of the world, otherwise 200).",
)
@shared.option("--world DIR|NAME", "Folder with a table for each domain, or the demo data.", default=TOWN)
@shared.option(
    "--max-turns", "Maximum number of turns of the user; a longer dialogue is cut.", least=1, default=MAX_TURNS
)
@shared.option("--noise", "Share of acts that each side misunderstands.", type=click.FloatRange(0, 1), default=0.0)
@work_options
@endpoint_options
@dry_run_option
@price_option
@shared.map_option
@shared.profile_option(default=None)
@shared.rules_option("Rule set: dialmeter, or gcdf1-repo for the published evaluator.")
@shared.option("--set KEY=VALUE* changes", "Change one setting of the rule set, such as repetitions.max=4.")
@shared.interval_options(resamples=1000)
@shared.option("--out FILE|DIR", "One pair: file for the dialogues. Several pairs: folder for tables and charts.")
@shared.force_option
def play(**options: Any) -> Output:
    """Let simulated users and systems talk, and print what they reach.

    A bot is a name with dials, such as "agenda(patience=2)" (see `dialmeter list bots`), `endpoint` for a language model, or
    module:object with init_session and response. The same seed gives the same bytes for any number of workers.
    One pair writes its dialogues to a file, with text, acts, understood acts, goals and states, for the other commands. Several
    pairs play the same goals, and are compared: differences are relative to the first user with the same system, and their
    intervals come from paired resampling of goals. A star in the tables means that the interval excludes zero.
    """
    settings = _settings(options)
    user_settings = UserSettings(
        rules=changed(load_rules(options["rules_name"]), *options["changes"]),
        profile=load_profile(options["profile"] or (TOWN if options["world"] == TOWN else "multiwoz")),
        value_map=shared.value_map_from_options(options),
    )
    is_pair = len(settings) == 1
    if is_pair and not options["out"] and not options["dry_run"]:
        line = click.get_current_context().meta.get(TYPED, "dialmeter play")
        raise DialmeterError(
            f"play writes dialogues to a file; type: {line} -o played.jsonl (several users or systems are compared)"
        )
    tasks, notices = _tasks(options)
    if options["dry_run"]:
        return _dry_run(options, tasks, settings)
    study = Study(options, options["out"]) if options["out"] and not is_pair else None
    cells, text_only = _played(settings, tasks, user_settings, options)
    notices += _text_notices(text_only)
    accounts = {f"{cell.user} with {cell.system}": cell.account for cell in cells}
    for name, account in accounts.items():
        if not account.scored:
            error = f"{name}: none of {account.asked} dialogues was played: {account.reason}"
            return Output(notices=notices, errors=[error], exit_code=EXIT_INPUT)
    cross_scores, compared = scores(cells, options["resampling"]), compare_by_user(cells, options["resampling"])
    output = document_output(
        PlayDocument,
        summary=play_summary(
            cross_scores,
            compared,
            cells,
            command=typed_command(),
            out=options["out"] or "",
            foreign=next((each.message for each in notices if each.code == "value-not-in-demo-data"), ""),
        ),
        parts=_parts(cross_scores, tuple(format_accounts(accounts)), compared),
        notices=[each for each in notices if each.code != "value-not-in-demo-data"],
        charts=lambda: views.cross_charts(cross_scores),
        out=options["out"] or "",
        noise=options["noise"],
        seed=options["seed"],
        scores=as_dicts(cross_scores),
        **account_fields(accounts),
        counts={
            "users": len({cell.user for cell in cells}),
            "systems": len({cell.system for cell in cells}),
            "goals": len(tasks),
            "dialogues": sum(len(cell.rows) for cell in cells),
            "turns": sum(round(each[-2]) for cell in cells for each in cell.rows),
            "cut": sum(each.ending == "limit" for cell in cells for each in cell.outcomes),
            "completed": sum(bool(each.success) for cell in cells for each in cell.outcomes),
        },
        warnings=notices,
        systems=[
            {"user": user, "system": system, "scores": result.to_dicts(), "endings": result.endings}
            for user, each in compared.items()
            for system, result in each.results.items()
        ],
        versus={user: each.versus for user, each in compared.items()},
    )
    return output if study is None else study.finish_with(output)


def _settings(options: dict[str, Any]) -> list[Setting]:
    """Return every user with every system; the users of one system follow each other."""
    users = [_bot(each, "user", options) for each in options["users"] or ("agenda",)]
    systems = [_bot(each, "system", options) for each in options["systems"] or ("rule",)]
    for bots in (users, systems):
        name, count = Counter(each.text for each in bots).most_common(1)[0]
        if count > 1:
            raise DialmeterError(f"{name} is given twice; give each bot once")
    return [
        Setting(user, system, options["noise"], options["seed"], options["max_turns"], options["world"])
        for system in systems
        for user in users
    ]


def _bot(text: str, role: Role, options: dict[str, Any]) -> ChosenBot:
    """Return a bot. A language model gets its URL and name from the options."""
    if text.partition("(")[0].strip() not in ("endpoint", f"endpoint-{role}"):
        return choose(text, role)
    if not options["endpoint"] or not options["model"]:
        raise DialmeterError(f"{text} needs a language model: set DIALMETER_ENDPOINT=URL and DIALMETER_MODEL=NAME")
    return choose(text, role, {"url": options["endpoint"], "model": options["model"], "key": options["key_variable"]})


def _tasks(options: dict[str, Any]) -> tuple[list[Task], list[Notice]]:
    """Return the tasks to play: drawn goals, or the goals of a file. Values that the world does not have are reported at once."""
    world = load_world(options["world"])
    goals_option = options["goals"] or str(goals_file(options["world"]) or _GOALS)
    if goals_option.isdecimal():
        if int(goals_option) == 0:
            raise DialmeterError("--goals must be a number of goals, 1 or more, or a file")
        return sampled(int(goals_option), options["seed"], options["world"]), []
    if not Path(goals_option).exists():
        raise DialmeterError(f"--goals {one_line(goals_option, 200)}: not a number and not an existing file")
    goals, notices = read_goals(goals_option, world)
    foreign = foreign_values(goals, world)
    if foreign is not None:
        warn([foreign], options["quiet"])
        notices = [*notices, foreign]
    return tasks_from_goals(goals), notices


def _dry_run(options: dict[str, Any], tasks: Sequence[Task], settings: Sequence[Setting]) -> Output:
    """Estimate the calls of the bots that are language models. Nothing is sent."""
    from ..simulation.bots.endpoint import STAND_INS, rehearse

    estimates = rehearse(tasks, settings)
    if not estimates:
        raise DialmeterError("--dry-run estimates calls of language models, and no bot is `endpoint`")
    return dry_run_output(
        "play",
        estimates,
        {"dialogues": len(tasks) * len(settings)},
        who="bot",
        price=options["price"],
        notes=(f"assumes that dialogues are as long as those of {' with '.join(STAND_INS)} on the same goals",),
    )


def _played(
    settings: list[Setting], tasks: list[Task], user_settings: UserSettings, options: dict[str, Any]
) -> tuple[list[CrossCell], list[str]]:
    """Play all pairs, and return their cells, and the turns of bots that have only text. One pair is played into its file."""
    workers = options["workers"] or os.cpu_count() or 1
    cluster = cluster_from_options(options)
    conversations: Iterator[Conversation]
    if len(settings) == 1:
        write(
            options["out"],
            tasks,
            settings[0],
            workers=workers,
            cluster=cluster,
            force=options["force"],
        )
        conversations = iter(open_conversations(options["out"]))
    else:
        played = play_all(tasks, settings, workers, cluster)
        conversations = iter(track_count(played, len(settings) * len(tasks), "playing"))
    text_only: list[str] = []
    cells = [
        _cell(setting, len(tasks), islice(conversations, len(tasks)), user_settings, text_only) for setting in settings
    ]
    return cells, text_only


def _cell(
    setting: Setting,
    asked: int,
    conversations: Iterable[Conversation],
    user_settings: UserSettings,
    text_only: list[str],
) -> CrossCell:
    """Score the dialogues of one user with one system."""
    scorer = UserScorer(user_settings.rules, user_settings.profile, user_settings.value_map)
    rows: list[tuple[float, ...]] = []
    silent: list[tuple[str, str]] = []
    outcomes: list[SystemOutcome] = []
    for conversation in conversations:
        text_only += [
            f"{conversation.id} turn {place}" for place, move in enumerate(conversation.moves) if move.read_by
        ]
        goals = outcome(conversation, load_world(setting.world))
        rows.append(row(conversation, scorer.add(conversation), goals))
        outcomes.append(system_outcome(conversation, goals))
        if reason := describe_silence(conversation):
            silent.append((conversation.id, reason))
    return CrossCell(setting, rows, scorer.result(), play_account(asked, len(rows), silent), outcomes)


def _text_notices(text_only: Sequence[str]) -> list[Notice]:
    message = (
        f"{len(text_only)} turns of bots have only text; their acts are those that the reader of the demo data found "
        "(signatures show from:text(town)); its accuracy was not measured (see `dialmeter check FILE --set acts=town`)"
    )
    return [Notice("from-text", len(text_only), message, tuple(text_only[:SHOWN]))] if text_only else []


def _parts(
    cross_scores: list[CrossScore], foot: tuple[str, ...], compared: dict[str, LogComparison]
) -> Iterator[Block]:
    yield from map(Block, views.cross_matrices(cross_scores))
    yield Block(replace(views.cross_table(cross_scores), foot=foot))
    yield Block(replace(records_table(as_dicts(cross_scores)), foot=foot), CSV)
    if any(len(each.results) > 1 for each in compared.values()):
        yield from table_blocks(views.system_tables(compared), PROSE)
    yield from signature_blocks(
        joint_signature([each.signature for each in cross_scores]), quoted=False, gap=("text", "markdown")
    )
