"""``dialmeter user goals``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from ...core.output import check_target, write_file
from ...errors import DialmeterError, InputError, one_line
from ...model import Goal
from ...readers.conversations import open_conversations
from ...readers.corpus import open_corpus
from ...readers.trajectories import open_trajectories
from ...users.derived_goals import derived_goal, written_goals
from ...users.items.sheet import goal_rows, goal_sheet
from ...users.profile import load as load_profile
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..options import PLAIN, command, force_option, from_option
from ..printer import LISTED, Block, Output, refusal_notices
from ..progress import track_reading
from .reading import cache_option, endpoint_options
from .scoring import profile_option


@command(last=PLAIN)
@click.argument("dialogues")
@from_option("the file")
@profile_option()
@click.option("--states", metavar="FILE", help="Belief states by dialogue, for dialogues without acts of the user.")
@click.option(
    "--make-sheet", is_flag=True, help="DIALOGUES is a log of an agent: write the items of its tasks to --out, as CSV."
)
@endpoint_options("items that it proposes, with --make-sheet")
@cache_option
@dry_run_option
@price_option
@click.option("--out", metavar="FILE", help="Write the goals or the sheet here; without it goals are printed.")
@force_option("a file in --out")
def goals(**options: Any) -> Output:
    """Derive goals from what the users of DIALOGUES say and ask for, where the corpus has none.

    By service, the last value of each slot is a constraint, and each slot asked for is a request. Where the users have no
    acts, --states gives the constraints. `user score DIALOGUES --goals FILE` then scores. Such a goal is what the
    user did: use it to score other users on the same goals.

    With --make-sheet, the goals in words of an agent's log become a sheet to be edited by hand. A row is an item: task, kind,
    value, condition (nothing, asked, fallback or secret), forms (other ways to say it, with | between them), and keys (the
    arguments that it is a value of). `dialmeter user items LOG --goals FILE.csv` reads the sheet. Items are values of expected
    calls that the instruction names, or with --endpoint and --model those that a language model proposes, where the
    instruction names them.
    """
    if options["dry_run"] and not (options["make_sheet"] and options["endpoint"]):
        raise DialmeterError("--dry-run is about language models; it goes with --make-sheet, --endpoint and --model")
    if options["make_sheet"]:
        return _sheet(options)
    if options["endpoint"] or options["model"]:
        raise DialmeterError("--endpoint and --model go with --make-sheet")
    out = Path(options["out"]) if options["out"] else None
    if out is not None:
        check_target(out, force=options["force"])
    profile = load_profile(options["profile"])
    states = _final_states(options["states"]) if options["states"] else {}
    corpus = open_conversations(options["dialogues"], options["format"])
    found: dict[str, Goal] = {}
    empty: list[str] = []
    for talk in track_reading(corpus, corpus, options["quiet"]):
        goal = derived_goal(talk, profile, states.get(talk.id))
        if goal:
            found[talk.id] = goal
        else:
            empty.append(talk.id)
    if not found:
        message = "no user says or asks for anything that the profile knows, so there are no goals to derive"
        raise InputError(f"{message} (--profile, or --states where there are no acts)", file=corpus.name)
    notices = [*corpus.notices, *refusal_notices(corpus.refused)]
    text = msgspec.json.format(msgspec.json.encode(written_goals(found)), indent=1).decode()
    if out is None:
        return Output(parts=[Block(text)], notices=notices)
    write_file(out, text + "\n", force=options["force"])
    units = sum(len(part) for goal in found.values() for wanted in goal.values() for part in wanted.parts.values())
    requests = sum(len(wanted.requests) for goal in found.values() for wanted in goal.values())
    lines = [f"{out}: goals of {len(found)} dialogues, {units} constraints, {requests} requests"]
    if empty:
        lines.append(f"{len(empty)} dialogues without a goal, such as {one_line(empty[0], 80)}")
    where = one_line(options["dialogues"], 200)
    lines.append(f"Next: dialmeter user score {where} --goals {out} --profile {one_line(options['profile'], 200)}")
    return Output(parts=[Block("\n".join(lines))], notices=notices)


def _sheet(options: dict[str, Any]) -> Output:
    """Writes the items of all tasks of a log."""
    if not options["out"]:
        raise DialmeterError("--make-sheet needs --out FILE.csv")
    if bool(options["endpoint"]) != bool(options["model"]):
        raise DialmeterError("items by a language model need --endpoint URL and --model NAME")
    if not options["dry_run"]:
        check_target(Path(options["out"]), force=options["force"])
    log = open_trajectories(options["dialogues"], options["format"])
    found = list(track_reading(log, log, options["quiet"]))
    notices, source = list(log.notices), ""
    if options["endpoint"]:
        from ...users.items.model_items import ModelItems

        model = ModelItems(options["endpoint"], options["model"], options["key_variable"], options["cache"])
        if options["dry_run"]:
            counter = model.count_requests()
            goal_rows(found, model.items)
            return dry_run_output(
                "user goals",
                {options["model"]: counter.estimate},
                {"dialogues": len(found)},
                who="goals by",
                price=options["price"],
            )
        rows = goal_rows(found, model.items)
        notices += model.notices
        source = f"; items proposed by {one_line(options['model'], 80)}, quality not measured"
    else:
        rows = goal_rows(found)
    if not rows:
        raise InputError("no dialogue has a goal in words", file=log.name)
    write_file(options["out"], goal_sheet(rows), force=options["force"])
    return Output(
        parts=[Block(f"{len(rows)} rows written to {one_line(options['out'])}{source}")],
        notices=notices,
        errors=[one_line(str(error), 1000) for error in log.refused[:LISTED]],
    )


def _final_states(file: str) -> dict[str, dict[str, str]]:
    """The last belief state of each dialogue."""
    return {
        dialogue.id: {slot: value for slot, value in (dialogue.turns[-1].gold or {}).items() if isinstance(value, str)}
        for dialogue in open_corpus(file)
        if dialogue.turns
    }
