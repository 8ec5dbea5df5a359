"""The commands that make files to edit: ``dialmeter user goals`` and ``user values``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from ...core.output import check_target, write_file
from ...errors import DialmeterError, InputError, one_line
from ...model import Goal
from ...readers.conversations import open_conversations, open_trajectories
from ...readers.corpus import open_corpus
from ...readers.csv_files import csv_text
from ...users.goals import derived_goal, written_goals
from ...users.items.goal_items import SHEET, goal_rows
from ...users.profile import load as load_profile
from ...users.value_map_builder import CollectedValues, DoubtfulForm, read_ontology, value_map
from ...views.tables import Table, grid_of
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..main import EXIT_INPUT
from ..options import PLAIN, command, force_option, from_option, goals_option, option, profile_option
from ..printer import LISTED, Block, Output, refusal_notices
from ..progress import track_reading
from .score import cache_option, endpoint_options


@command(last=PLAIN)
@click.argument("dialogues")
@from_option("the file")
@profile_option()
@option("--states FILE", "File with belief states, for dialogues without acts of the user.")
@option(
    "--make-sheet FILE sheet",
    "DIALOGUES is a log of an agent: write a sheet with the items of its tasks to this file (CSV).",
)
@endpoint_options("proposals of items with --make-sheets")
@cache_option
@dry_run_option
@price_option
@option("--out FILE", "Write the goals to this file (default: print them).")
@force_option
def goals(**options: Any) -> Output:
    """Derive goals for a corpus without goals, from what the users of DIALOGUES say and ask for.

    For each service, the last value of each slot is a constraint, and each requested slot is a request. If the users have no
    acts, the constraints come from --states. Score with `user score DIALOGUES --goals FILE`. Such a goal repeats what the
    user did: use it to score other users on the same goals.

    With --make-sheets, the goals in words of an agent's log become a sheet to edit by hand. A row is an item: task, kind,
    value, condition (nothing, asked, fallback or secret), forms (other ways to say it, separated by |), and keys (the
    arguments that have this value). `dialmeter user items LOG --goals FILE.csv` reads the sheet. Items are values of expected
    calls that the instruction names. With --endpoint and --model, they are values that a language model proposes and that the
    instruction names.
    """
    if options["dry_run"] and not (options["sheet"] and options["endpoint"]):
        raise DialmeterError(
            "--dry-run estimates calls of language models; it needs --make-sheets, --endpoint and --model"
        )
    if options["sheet"]:
        return _make_sheet(options)
    if options["endpoint"] or options["model"]:
        raise DialmeterError("--endpoint and --model need --make-sheets")
    out = Path(options["out"]) if options["out"] else None
    if out is not None:
        check_target(out, force=options["force"])
    profile = load_profile(options["profile"])
    states = _final_states(options["states"]) if options["states"] else {}
    corpus = open_conversations(options["dialogues"], options["format"])
    derived: dict[str, Goal] = {}
    without_goal: list[str] = []
    for conversation in track_reading(corpus, corpus, options["quiet"]):
        goal = derived_goal(conversation, profile, states.get(conversation.id))
        if goal:
            derived[conversation.id] = goal
        else:
            without_goal.append(conversation.id)
    if not derived:
        message = "no user says or asks for anything that is in the profile, so no goals can be derived"
        raise InputError(f"{message} (give another --profile, or --states if there are no acts)", file=corpus.name)
    notices = [*corpus.notices, *refusal_notices(corpus.refused)]
    text = msgspec.json.format(msgspec.json.encode(written_goals(derived)), indent=1).decode()
    if out is None:
        return Output(parts=[Block(text)], notices=notices)
    write_file(out, text + "\n", force=options["force"])
    units = sum(len(part) for goal in derived.values() for wanted in goal.values() for part in wanted.parts.values())
    requests = sum(len(wanted.requests) for goal in derived.values() for wanted in goal.values())
    lines = [f"{out}: goals of {len(derived)} dialogues, {units} constraints, {requests} requests"]
    if without_goal:
        lines.append(f"{len(without_goal)} dialogues without a goal, such as {one_line(without_goal[0], 80)}")
    where = one_line(options["dialogues"], 200)
    lines.append(f"Next: dialmeter user score {where} --goals {out} --profile {one_line(options['profile'], 200)}")
    return Output(parts=[Block("\n".join(lines))], notices=notices)


def _make_sheet(options: dict[str, Any]) -> Output:
    """Write the items of all tasks of a log to a sheet."""
    if options["out"]:
        raise DialmeterError("--out cannot be combined with --make-sheets, which names the sheet")
    if bool(options["endpoint"]) != bool(options["model"]):
        raise DialmeterError("items by a language model need --endpoint URL and --model NAME")
    if not options["dry_run"]:
        check_target(Path(options["sheet"]), force=options["force"])
    log = open_trajectories(options["dialogues"], options["format"])
    trajectories = list(track_reading(log, log, options["quiet"]))
    notices, source = list(log.notices), ""
    if options["endpoint"]:
        from ...users.items.model_items import ModelItems

        model = ModelItems(options["endpoint"], options["model"], options["key_variable"], options["cache"])
        if options["dry_run"]:
            counter = model.count_requests()
            goal_rows(trajectories, model.items)
            return dry_run_output(
                "user goals",
                {options["model"]: counter.estimate},
                {"dialogues": len(trajectories)},
                who="goals by",
                price=options["price"],
            )
        rows = goal_rows(trajectories, model.items)
        notices += model.notices
        source = f"; items proposed by {one_line(options['model'], 80)}, quality not measured"
    else:
        rows = goal_rows(trajectories)
    if not rows:
        raise InputError("no dialogue has a goal in words", file=log.name)
    write_file(options["sheet"], csv_text(SHEET.columns, rows), force=options["force"])
    return Output(
        parts=[Block(f"{len(rows)} rows written to {one_line(options['sheet'])}{source}")],
        notices=notices,
        errors=[one_line(str(error), 1000) for error in log.refused[:LISTED]],
    )


def _final_states(file: str) -> dict[str, dict[str, str]]:
    """Return the last belief state of each dialogue."""
    return {
        dialogue.id: {slot: value for slot, value in (dialogue.turns[-1].gold or {}).items() if isinstance(value, str)}
        for dialogue in open_corpus(file)
        if dialogue.turns
    }


@command(last=PLAIN)
@click.argument("dialogues")
@option("--ontology FILE", "File with the values that exist: a MultiWOZ ontology or an SGD schema.")
@goals_option
@from_option("the file")
@option("--similarity", "Minimum similarity of two forms of one value.", type=click.FloatRange(0, 1), default=0.9)
@option("--out FILE", "Write the map to this file (default: print it).")
@force_option
def values(**options: Any) -> Output:
    """Build a value map from the goals and acts of DIALOGUES and an ontology. Check and edit the map before you use it.

    `user score --map FILE` treats all forms of one value as equal.
    """
    out = Path(options["out"]) if options["out"] else None
    if out is not None:
        check_target(out, force=options["force"])
    collected = CollectedValues(read_ontology(options["ontology"]) if options["ontology"] else None)
    corpus = open_conversations(options["dialogues"], options["format"], options["goals"])
    for conversation in track_reading(corpus, corpus, options["quiet"]):
        collected.add(conversation, _states_values)
    notices = [*corpus.notices, *refusal_notices(corpus.refused)]
    slots, doubts = value_map(collected, options["similarity"])
    if not slots:
        error = InputError("no goal and no act has a value, so no map can be built", file=corpus.name)
        return Output(notices=notices, errors=[one_line(str(error), 1000)], exit_code=EXIT_INPUT)
    text = msgspec.json.format(msgspec.json.encode(slots), indent=1).decode()
    if out is None:
        return Output(parts=[Block(text)], notices=notices)
    write_file(out, text + "\n", force=options["force"])
    lines = [
        f"check {one_line(doubt.slot)}: {one_line(doubt.form)!r} was assigned to {one_line(doubt.chosen)!r}, "
        f"but is also similar to {one_line(doubt.other)!r}"
        for doubt in doubts[:10]
    ]
    lines += [f"… and {len(doubts) - 10} more"] if len(doubts) > 10 else []
    next_line = f"Next: edit it, then run dialmeter user score {one_line(options['dialogues'], 200)} --map {out}"
    parts = [Block(_summary(slots, doubts)), *(Block(line, gap=()) for line in lines)]
    return Output(parts=[*parts, Block(f"map: {out}\n{next_line}")], notices=notices)


def _states_values(act: str) -> bool:
    """Return True if an act with this name states values, and False if it asks for them."""
    return not any(word in act.lower() for word in ("request", "general"))


def _summary(slots: dict[str, Any], doubts: list[DoubtfulForm]) -> Table:
    rows = {}
    for slot, entry in slots.items():
        goal_values = {value: forms for value, forms in entry.items() if value != "special_keys"}
        others = entry.get("special_keys", {}).get("not_in_goal", {}).values()
        rows[slot] = {
            "values": len(goal_values),
            "forms": sum(map(len, goal_values.values())),
            "values in no goal": sum(map(len, others)),
            "doubtful": sum(doubt.slot == slot for doubt in doubts),
        }
    return grid_of("", rows, "slot", ("values", "forms", "values in no goal", "doubtful"))
