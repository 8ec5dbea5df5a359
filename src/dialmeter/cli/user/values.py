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
from ..options import PLAIN, command, force_option, from_option
from ..printer import Block, Output, refusal_notices, warn
from ..progress import track_reading
from .scoring import goals_option


@command(last=PLAIN)
@click.argument("dialogues")
@click.option("--ontology", metavar="FILE", help="The values that exist (MultiWOZ ontology, SGD schema).")
@goals_option
@from_option("the file")
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="From which likeness on two forms are one value.",
)
@click.option("--out", metavar="FILE", help="Write the map here; without it the map is printed.")
@force_option("a file in --out")
def values(**options: Any) -> Output:
    """Build a value map from the goals, acts and ontology of DIALOGUES, as a file to look at and edit.

    `user score --map FILE` then takes forms of one value as equal.
    """
    out = Path(options["out"]) if options["out"] else None
    if out is not None:
        check_target(out, force=options["force"])
    collected = CollectedValues.empty(read_ontology(options["ontology"]) if options["ontology"] else None)
    corpus = open_conversations(options["dialogues"], options["format"], options["goals"])
    for talk in track_reading(corpus, corpus, options["quiet"]):
        collected.add(talk, _states_values)
    notices = [*corpus.notices, *refusal_notices(corpus.refused)]
    found, doubts = value_map(collected, options["similarity"])
    if not found:
        warn(notices, options["quiet"])
        raise InputError("no goal and no act with a value, so there is nothing to build a map from", file=corpus.name)
    text = msgspec.json.format(msgspec.json.encode(found), indent=1).decode()
    if out is None:
        return Output(parts=[Block(text)], notices=notices)
    write_file(out, text + "\n", force=options["force"])
    lines = [
        f"look at {one_line(doubt.slot)}: {one_line(doubt.form)!r} went to {one_line(doubt.chosen)!r}, "
        f"and is like {one_line(doubt.other)!r} too"
        for doubt in doubts[:10]
    ]
    lines += [f"… and {len(doubts) - 10} more"] if len(doubts) > 10 else []
    next_line = f"Next: edit it, then dialmeter user score {one_line(options['dialogues'], 200)} --map {out}"
    parts = [Block(_summary(found, doubts)), *(Block(line, gap=()) for line in lines)]
    return Output(parts=[*parts, Block(f"map: {out}\n{next_line}")], notices=notices)


def _states_values(act: str) -> bool:
    """Does an act of this name state values, rather than ask for them?"""
    return not any(word in act.lower() for word in ("request", "general"))


def _summary(found: dict[str, Any], doubts: list[DoubtfulForm]) -> Table:
    rows = []
    for slot, entry in found.items():
        wanted = {value: forms for value, forms in entry.items() if value != "special_keys"}
        elsewhere = [
            forms
            for groups in entry.get("special_keys", {}).get("not_in_goal", {}).values()
            for forms in groups.values()
        ]
        unsure = sum(doubt.slot == slot for doubt in doubts)
        counts = (len(wanted), sum(map(len, wanted.values())), len(elsewhere), unsure)
        rows.append((slot, *map(str, counts)))
    return Table("", ("slot", "values", "forms", "values in no goal", "doubts"), tuple(rows), frozenset({1, 2, 3, 4}))
