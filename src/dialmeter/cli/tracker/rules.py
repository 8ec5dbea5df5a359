"""``dialmeter tracker rules``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import Account, account_fields, format_accounts
from ...core.document import make_document
from ...errors import DialmeterError, InputError, one_line
from ...garbage import paused_garbage_collection
from ...model import Value, dialogue_key
from ...readers.pairs.vocabulary import Vocabulary
from ...readers.services.schema import read_schema
from ...tracking.align import open_pair, read_pair, without_states
from ...tracking.rule_sets.explain_rules import UnderRules, explain
from ...tracking.rule_sets.rules import load, names
from ...views.tables import Table, highest, percent, records_table
from ..options import (
    chosen_dialogues,
    command,
    input_options,
    number_option,
    paper_options,
    patch_option,
    signatures_option,
)
from ..printer import CSV, TEXT, Block, Output, signature
from ..progress import watched
from ..study import study_options
from .documents import TrackerRulesDocument

_MOST = 3
"""How many rules are named, and how many slots of a turn."""


@command()
@input_options
@click.option(
    "--rules",
    "chosen",
    multiple=True,
    metavar="NAME|FILE.toml",
    help="Only these rule sets, the first as the base; may be repeated.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "empty", "skip", "predicted-only"]),
    help="A turn without prediction; as each rule set has it where this is not given.",
)
@patch_option
@number_option("--flips", least=0, default=3, about="Flipped turns to list per rule set.")
@click.option(
    "--no-reasons", is_flag=True, help="Count the turns that flip, but do not look for the rules that flip them."
)
@signatures_option
@paper_options
@study_options
def rules(**options: Any) -> Output:
    """Score one FILE under every rule set, and list which turns flip and because of which rule.

    A turn flips when it is right under one rule set and wrong under the other. The first rule set is the base.
    """
    changed = {name: options[name] for name in ("missing", "patch") if options[name]}
    rule_sets = [replace(load(name), **changed) for name in (options["chosen"] or names())]
    only = chosen_dialogues(options)
    corpus, gold = open_pair(options["file"], options["gold"], options["format"], options["gold_format"])
    if corpus.correctness_only:
        raise DialmeterError(f"{corpus.name}: the file holds no values, so that rules make no difference")
    words = Vocabulary()
    with paused_garbage_collection():
        read = watched(read_pair(corpus, gold, words, rule_sets[0].gold_patch), corpus, options["quiet"])
        dialogues = [without_states(each) for each in read if only is None or dialogue_key(each.id) in only]
    schema = read_schema(options["schema"]) if options["schema"] else (gold or corpus).schema
    try:
        found = explain(dialogues, words, rule_sets, schema, reasons=not options["no_reasons"], only=only)
    except InputError as error:
        raise error.at(file=corpus.name) from None
    return Output(document=lambda _: _document(found), parts=_parts(found, options))


def _said(value: Value | None) -> str:
    text = "nothing" if value is None else " | ".join([value] if isinstance(value, str) else value)
    return text if value is None else repr(one_line(text, 60))


def _table(found: list[UnderRules]) -> Table:
    rows = tuple(
        (each.rules, percent(each.value), f"{each.right_turns} of {each.turns}", str(len(each.flips)), _causes(each))
        if not each.reason
        else (each.rules, "–", "–", "–", f"not applicable: {each.reason}")
        for each in found
    )
    headings = ("rules", "JGA", "right turns", "flips", "because of")
    return Table(
        "",
        headings,
        rows,
        frozenset({1, 2, 3}),
        foot=tuple(format_accounts(_accounts(found))),
        caption=f"JGA in percent under {len(found)} rule sets; flips are turns with another verdict than under {found[0].rules}.",
        best=highest(rows, [1]),
    )


def _rows(found: list[UnderRules]) -> Table:
    """One row per rule set with one number per cell, for other programs."""
    return records_table(
        [
            {
                "rules": each.rules,
                "measure": "JGA",
                "value": each.value,
                "right_turns": None if each.reason else each.right_turns,
                "n": None if each.reason else each.turns,
                "flips": None if each.reason else len(each.flips),
                "because": _causes(each),
                "reason": each.reason,
                "signature": each.signature,
            }
            for each in found
        ]
    )


def _accounts(found: list[UnderRules]) -> dict[str, Account]:
    return {each.rules: each.account for each in found if each.account is not None}


def _causes(each: UnderRules) -> str:
    counted = Counter(cause for flip in each.flips for cause in flip.because)
    return ", ".join(f"{cause} ({count})" for cause, count in counted.most_common(4))


def what_matters_most(found: list[UnderRules]) -> list[tuple[str, int]]:
    """The rules that flip most turns by themselves, each turn once however many rule sets flip it."""
    flipped: dict[str, set[tuple[str, int]]] = {}
    for each in found[1:]:
        for flip in each.flips:
            for cause in flip.because:
                flipped.setdefault(cause, set()).add((flip.dialogue, flip.turn))
    return sorted(((cause, len(turns)) for cause, turns in flipped.items()), key=lambda each: (-each[1], each[0]))


def _parts(found: list[UnderRules], options: dict[str, Any]) -> Iterator[Block]:
    most = options["flips"]
    yield Block(_table(found))
    yield Block(_rows(found), CSV)
    if options["signatures"]:
        yield from signature(*(each.signature for each in found if not each.reason))
    if effects := what_matters_most(found)[:_MOST]:
        listed = [f"  {cause} flips {count} turns" for cause, count in effects]
        yield Block("\n".join(["What matters most:", *listed]), TEXT)
    flips = list(_flip_lines(found, most))
    yield Block("\n".join(flips), TEXT, gap=TEXT if flips else ())


def _flip_lines(found: list[UnderRules], most: int) -> Iterator[str]:
    base = found[0].rules
    for each in found[1:]:
        for flip in each.flips[:most]:
            verdict = "right" if flip.right else "wrong"
            place = f"dialogue {one_line(flip.dialogue)}, turn {flip.turn}"
            yield f"{each.rules}: {place} becomes {verdict} (it is not under {base})"
            if flip.because:
                yield f"  because of {'; '.join(flip.because)}"
            for slot in flip.slots[:_MOST]:
                yield f"  {one_line(slot.slot)}: gold {_said(slot.gold)}, predicted {_said(slot.pred)}"
            if len(flip.slots) > _MOST:
                yield f"  … and {len(flip.slots) - _MOST} more slots"
        if len(each.flips) > most > 0:
            yield f"  … and {len(each.flips) - most} more"


def _document(found: list[UnderRules]) -> TrackerRulesDocument:
    return make_document(
        TrackerRulesDocument,
        scores=[
            {
                "measure": "JGA",
                "value": each.value,
                "ci": None,
                "n": each.turns,
                "unscored": 0,
                "rules": each.rules,
                **({"reason": each.reason} if each.reason else {}),
                "signature": each.signature,
            }
            for each in found
        ],
        **account_fields(_accounts(found)),
        counts={"turns": found[0].turns, "rule_sets": len(found)},
        causes=[{"rule": cause, "turns": count} for cause, count in what_matters_most(found)],
        flips={each.rules: each.flips for each in found[1:]},
    )
