"""The flows of ``convert --to goals``, ``items``, ``map`` and ``profile``: files about users, to check and edit"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from ...core.output import check_target, write_file
from ...errors import DialmeterError, InputError, one_line
from ...model import Goal, Notice
from ...progress import track_reading
from ...readers.conversations import Conversations, open_conversations, open_trajectories
from ...readers.corpus import open_corpus
from ...readers.csv_files import csv_text
from ...users import profile as profiles
from ...users.goals import derived_goal, written_goals
from ...users.items.goal_items import SHEET, goal_rows
from ...users.profile import classifier
from ...users.value_map_builder import CollectedValues, DoubtfulForm, read_ontology, value_map
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..options import PLAIN, combine_options, command, force_option, from_option, goals_option, option, profile_option
from ..printer import LISTED, Output, message_block, refusal_notices
from .inputs import cache_option, endpoint_options, place_from_options

_file_options = combine_options(
    click.argument("source", metavar="IN"),
    click.argument("target", metavar="OUT", default="-"),
    from_option("IN"),
    force_option,
)


def _open(options: dict[str, Any]) -> Conversations:
    """Open the dialogues of IN, after checking that OUT may be written."""
    if options["target"] != "-":
        check_target(Path(options["target"]), force=options["force"])
    return open_conversations(options["source"], options["format"], options.get("goals"))


def _written(options: dict[str, Any], text: str, remarks: Sequence[str], notices: Sequence[Notice]) -> Output:
    """Write a text to OUT, or print it if OUT is ``-``; the remarks say what was written."""
    if options["target"] == "-":
        return Output(parts=[message_block(text.removesuffix("\n"))], notices=notices)
    write_file(options["target"], text, force=options["force"])
    first, *others = remarks
    return Output(notices=notices, remarks=[f"{one_line(options['target'], 1000)}: {first}", *others])


def _as_json(document: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


@command(last=PLAIN)
@_file_options
@profile_option()
@option("--states FILE", "File with belief states, for dialogues without acts of the user.")
def goals(**options: Any) -> Output:
    """Derive goals for a corpus without goals, from what its users say and ask for.

    For each service, the last value of each slot is a constraint, and each requested slot is a request. If the users have no
    acts, the constraints come from the last states of another file. Score with `score IN --gold OUT`. Such a goal repeats what
    the user did: use it to score other users on the same goals.
    """
    corpus = _open(options)
    profile = profiles.load(options["profile"])
    final_states = {
        dialogue.id: {slot: value for slot, value in (dialogue.turns[-1].gold or {}).items() if isinstance(value, str)}
        for dialogue in (open_corpus(options["states"]) if options["states"] else ())
        if dialogue.turns
    }
    derived: dict[str, Goal] = {}
    without_goal: list[str] = []
    for conversation in track_reading(corpus):
        goal = derived_goal(conversation, profile, final_states.get(conversation.id))
        if goal:
            derived[conversation.id] = goal
        else:
            without_goal.append(conversation.id)
    if not derived:
        message = "no user says or asks for anything that is in the profile, so no goals can be derived"
        raise InputError(f"{message} (--set profile=NAME; without acts: --set states=FILE)", file=corpus.name)
    units = sum(len(part) for goal in derived.values() for wanted in goal.values() for part in wanted.parts.values())
    requests = sum(len(wanted.requests) for goal in derived.values() for wanted in goal.values())
    remarks = [f"goals of {len(derived)} dialogues, {units} constraints, {requests} requests"]
    if without_goal:
        remarks.append(f"{len(without_goal)} dialogues without a goal, such as {one_line(without_goal[0], 80)}")
    source, target = (one_line(options[name], 1000) for name in ("source", "target"))
    remarks.append(f"next  dialmeter score {source} --gold {target} --set profile={one_line(options['profile'], 200)}")
    return _written(
        options, _as_json(written_goals(derived)), remarks, [*corpus.notices, *refusal_notices(corpus.refused)]
    )


@command(last=PLAIN)
@_file_options
@option("--items SOURCE", "Who finds goal values: rule, or model (at DIALMETER_ENDPOINT).", choices=["rule", "model"])
@endpoint_options
@cache_option
@dry_run_option
@price_option
def items(**options: Any) -> Output:
    """Write a sheet (CSV) with the values of the goals in words of a system's log, to edit by hand.

    A row is a goal value: task, kind, value, condition (nothing, asked, fallback or secret), forms (other ways to say it, separated
    by |), and keys (the arguments that have this value). `score LOG --subject user --gold OUT` reads the sheet. The rule takes
    the values of expected calls that the instruction names; a language model proposes values that the instruction names.
    """
    if options["target"] != "-" and not options["dry_run"]:
        check_target(Path(options["target"]), force=options["force"])
    if options["dry_run"] and options["items"] == "rule":
        raise DialmeterError("--dry-run estimates calls of language models; it needs --set items=model")
    if options["items"] == "model" and not (options["endpoint"] and options["model"]):
        raise DialmeterError("items=model needs the environment variables DIALMETER_ENDPOINT and DIALMETER_MODEL")
    log = open_trajectories(options["source"], options["format"])
    trajectories = list(track_reading(log))
    notices, proposed = list(log.notices), ""
    if options["items"] == "model":
        from ...users.items.model_items import ModelItems

        model = ModelItems(place_from_options(options))
        if options["dry_run"]:
            counter = model.requests.count_requests()
            goal_rows(trajectories, model.items)
            return dry_run_output(
                "convert",
                {options["model"]: counter.estimate},
                {"dialogues": len(trajectories)},
                who="goals by",
                price=options["price"],
            )
        rows = goal_rows(trajectories, model.items)
        notices += model.notices
        proposed = f"; proposed by {one_line(options['model'], 80)}, quality not measured"
    else:
        rows = goal_rows(trajectories)
    if not rows:
        raise InputError("no dialogue has a goal in words", file=log.name)
    output = _written(options, csv_text(SHEET.columns, rows), [f"{len(rows)} rows{proposed}"], notices)
    return msgspec.structs.replace(output, errors=[one_line(str(error), 1000) for error in log.refused[:LISTED]])


@command(last=PLAIN)
@_file_options
@goals_option
@option("--schema FILE", "File with the values that exist: a MultiWOZ ontology or an SGD schema.")
@option("--similarity", "Minimum similarity of two forms of one value.", type=click.FloatRange(0, 1), default=0.9)
def value_map_file(**options: Any) -> Output:
    """Build a value map from the goals and acts of dialogues and an ontology. Check and edit the map before you use it.

    `score --set map=OUT` treats all forms of one value as equal.
    """
    corpus = _open(options)
    collected = CollectedValues(read_ontology(options["schema"]) if options["schema"] else None)
    for conversation in track_reading(corpus):
        # Acts with these words ask for values, or have none.
        collected.add(conversation, lambda act: not any(word in act.lower() for word in ("request", "general")))
    slots, doubts = value_map(collected, options["similarity"])
    if not slots:
        raise InputError("no goal and no act has a value, so no map can be built", file=corpus.name)
    source, target = (one_line(options[name], 1000) for name in ("source", "target"))
    remarks = [
        _summary(slots, doubts),
        *(
            f"check {one_line(each.slot)}: {one_line(each.form)!r} was assigned to {one_line(each.chosen)!r}, "
            f"but is also similar to {one_line(each.other)!r}"
            for each in doubts[:10]
        ),
        *([f"… and {len(doubts) - 10} more"] if len(doubts) > 10 else []),
        f"next  edit it, then run dialmeter score {source} --set map={target}",
    ]
    return _written(options, _as_json(slots), remarks, [*corpus.notices, *refusal_notices(corpus.refused)])


def _summary(slots: dict[str, Any], doubts: list[DoubtfulForm]) -> str:
    entries = [{value: forms for value, forms in entry.items() if value != "special_keys"} for entry in slots.values()]
    others = [
        each for entry in slots.values() for each in entry.get("special_keys", {}).get("not_in_goal", {}).values()
    ]
    values, forms = sum(map(len, entries)), sum(len(each) for entry in entries for each in entry.values())
    return (
        f"{len(slots)} slots, {values} values with {forms} forms, {sum(map(len, others))} values that are in no goal, "
        f"{len(doubts)} doubtful forms"
    )


@command(last=PLAIN)
@_file_options
@profile_option()
def profile(**options: Any) -> Output:
    """Write a profile to edit: the one of --set profile, with the acts and services of IN that it does not know as comments."""
    corpus = _open(options)
    base = profiles.load(options["profile"])
    types_of = classifier(base.acts)
    acts: Counter[str] = Counter()
    services: Counter[str] = Counter()
    for conversation in track_reading(corpus):
        for act in (act for move in conversation.moves for act in move.acts or ()):
            acts[act.name] += not types_of(act.name)
            services[act.service] += not base.knows(act.service)
    unknown = {"acts": +acts, "services": +services}
    heading = [
        f"# unknown {name}: {', '.join(f'{one_line(each, 80)} ({count})' for each, count in found.most_common())}"
        for name, found in unknown.items()
        if found
    ]
    remark = f"profile {base.name}; unknown: {len(+acts)} acts, {len(+services)} services"
    text = "".join(f"{line}\n" for line in [*heading, profiles.text_of(options["profile"]).rstrip()])
    return _written(options, text, [remark], [*corpus.notices, *refusal_notices(corpus.refused)])
