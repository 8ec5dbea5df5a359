"""``dialmeter user values``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from ...core.output import check_target, write_file
from ...errors import InputError, one_line
from ...readers.conversations import open_conversations
from ...users.value_map_builder import CollectedValues, DoubtfulForm, read_ontology, value_map
from ...views.tables import Table
from ..main import EXIT_INPUT
from ..options import PLAIN, command, force_option, from_option
from ..printer import Block, Output, refusal_notices
from ..progress import track_reading
from .scoring import goals_option


@command(last=PLAIN)
@click.argument("dialogues")
@click.option(
    "--ontology", metavar="FILE", help="File with the values that exist: a MultiWOZ ontology or an SGD schema."
)
@goals_option
@from_option("the file")
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Minimum similarity of two forms of one value.",
)
@click.option("--out", metavar="FILE", help="Write the map to this file (default: print it).")
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
    for talk in track_reading(corpus, corpus, options["quiet"]):
        collected.add(talk, _states_values)
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
    rows = []
    for slot, entry in slots.items():
        goal_values = {value: forms for value, forms in entry.items() if value != "special_keys"}
        other_values = [
            forms
            for groups in entry.get("special_keys", {}).get("not_in_goal", {}).values()
            for forms in groups.values()
        ]
        doubtful = sum(doubt.slot == slot for doubt in doubts)
        counts = (len(goal_values), sum(map(len, goal_values.values())), len(other_values), doubtful)
        rows.append((slot, *map(str, counts)))
    return Table("", ("slot", "values", "forms", "values in no goal", "doubtful"), tuple(rows), frozenset({1, 2, 3, 4}))
