"""``dialmeter study rules``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...core.account import Account, account_fields, format_accounts
from ...core.document import Count, Document, ScoreRecord, Text
from ...errors import DialmeterError, InputError, one_line
from ...garbage import paused_garbage_collection
from ...model import Value, dialogue_key
from ...progress import track_reading
from ...readers.layouts.schema import read_schema
from ...readers.pairs.vocabulary import Vocabulary
from ...tracking.align import open_pair, read_pair, without_states
from ...tracking.rule_sets.explain_rules import Flip, UnderRules, explain
from ...tracking.rule_sets.rules import load, names
from ...views.summaries.studies import rules_summary
from ...views.tables import Table, highest, percent, records_table
from .. import options as shared
from ..frame import document_output
from ..printer import CSV, TEXT, Block, Output, signature_blocks, typed_command
from ..study import study_options
from . import inputs

_MOST = 3
"""Maximum number of rules, and of slots of a turn, in the output."""


class RulesScore(ScoreRecord, kw_only=True):
    """JGA under a rule set. If the rule set is not applicable, there is no value and no signature."""

    rules: Text
    signature: str


class RuleEffect(Struct, kw_only=True):
    """A rule that flips turns by itself, and the number of these turns. A turn counts once, even if several rule sets flip it."""

    rule: Text
    turns: Count


class TrackerRulesDocument(Document, kw_only=True):
    """The scores of one file under several rule sets. The first rule set is the base of the comparison.

    Attributes:
        causes: the rules that flip most turns are first.
        flips: for every other rule set, the turns that are right under one of the two and wrong under the other.
    """

    kind: str = "tracker"
    command: str = "study rules"
    scores: list[RulesScore]
    causes: list[RuleEffect]
    flips: dict[str, list[Flip]]


@shared.command()
@inputs.input_options
@shared.option("--rules NAME|FILE.toml* chosen", "Use only these rule sets. The first is the base. May be repeated.")
@shared.option(
    "--missing",
    "Treatment of a turn without prediction (default: that of each rule set).",
    choices=["error", "empty", "skip", "predicted-only"],
    optional=True,
)
@inputs.patch_option
@shared.option(
    "--limit flips",
    "Number of flipped turns to list per rule set; 0 does not search for the rules that flip them.",
    least=0,
    default=3,
)
@shared.latex_option
@study_options
def rules(**options: Any) -> Output:
    """Score one FILE under every rule set, and list the turns that flip and the rules that flip them.

    A turn flips when it is right under one rule set and wrong under the other. The first rule set is the base.
    """
    changes = {name: options[name] for name in ("missing", "patch") if options[name]}
    rule_sets = [replace(load(name), **changes) for name in (options["chosen"] or names())]
    only = inputs.dialogues_from_options(options)
    corpus, gold = open_pair(options["file"], options["gold"], options["format"], options["gold_format"])
    if corpus.correctness_only:
        raise DialmeterError(f"{corpus.name}: the file has no values, so rules make no difference")
    words = Vocabulary()
    with paused_garbage_collection():
        pairs = track_reading(read_pair(corpus, gold, words, rule_sets[0].gold_patch), corpus)
        dialogues = [without_states(each) for each in pairs if only is None or dialogue_key(each.id) in only]
    schema = read_schema(options["schema"]) if options["schema"] else (gold or corpus).schema
    try:
        results = explain(dialogues, words, rule_sets, schema, reasons=options["flips"] > 0, only=only)
    except InputError as error:
        raise error.at(file=corpus.name) from None
    return document_output(
        TrackerRulesDocument,
        summary=rules_summary(results, rules_by_effect(results), typed_command()),
        parts=_parts(results, options),
        scores=[
            {"measure": "JGA", "value": each.value, "ci": None, "n": each.turns, "unscored": 0, "rules": each.rules}
            | {"signature": each.signature, **({"reason": each.reason} if each.reason else {})}
            for each in results
        ],
        **account_fields(_accounts(results)),
        counts={"turns": results[0].turns, "rule_sets": len(results)},
        causes=[{"rule": cause, "turns": count} for cause, count in rules_by_effect(results)],
        flips={each.rules: each.flips for each in results[1:]},
    )


def _show_value(value: Value | None) -> str:
    text = "nothing" if value is None else " | ".join([value] if isinstance(value, str) else value)
    return text if value is None else repr(one_line(text, 60))


def _score_table(results: list[UnderRules]) -> Table:
    rows = tuple(
        (each.rules, percent(each.value), f"{each.right_turns} of {each.turns}", str(len(each.flips)), _causes(each))
        if not each.reason
        else (each.rules, "–", "–", "–", f"not applicable: {each.reason}")
        for each in results
    )
    headings = ("rules", "JGA", "right turns", "flips", "caused by")
    return Table(
        "",
        headings,
        rows,
        frozenset({1, 2, 3}),
        foot=tuple(format_accounts(_accounts(results))),
        caption=f"JGA in percent under {len(results)} rule sets; flips are turns with a different verdict than under {results[0].rules}.",
        best=highest(rows, [1]),
    )


def _score_rows(results: list[UnderRules]) -> Table:
    """Return one row per rule set with one number per cell, for CSV."""
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
            for each in results
        ]
    )


def _accounts(results: list[UnderRules]) -> dict[str, Account]:
    return {each.rules: each.account for each in results if each.account is not None}


def _causes(each: UnderRules) -> str:
    counted = Counter(cause for flip in each.flips for cause in flip.because)
    return ", ".join(f"{cause} ({count})" for cause, count in counted.most_common(4))


def rules_by_effect(results: list[UnderRules]) -> list[tuple[str, int]]:
    """Return the rules that flip turns by themselves, with the number of turns, most turns first.

    A turn counts once, even if several rule sets flip it.
    """
    flipped: dict[str, set[tuple[str, int]]] = {}
    for each in results[1:]:
        for flip in each.flips:
            for cause in flip.because:
                flipped.setdefault(cause, set()).add((flip.dialogue, flip.turn))
    return sorted(((cause, len(turns)) for cause, turns in flipped.items()), key=lambda each: (-each[1], each[0]))


def _parts(results: list[UnderRules], options: dict[str, Any]) -> Iterator[Block]:
    most = options["flips"]
    yield Block(_score_table(results))
    yield Block(_score_rows(results), CSV)
    if options["verbose"]:
        yield from signature_blocks(*(each.signature for each in results if not each.reason))
    if effects := rules_by_effect(results)[:_MOST]:
        listed = [f"  {cause} flips {count} turns" for cause, count in effects]
        yield Block("\n".join(["Rules with the largest effect:", *listed]), TEXT)
    flips = list(_flip_lines(results, most))
    yield Block("\n".join(flips), TEXT, gap=TEXT if flips else ())


def _flip_lines(results: list[UnderRules], most: int) -> Iterator[str]:
    base = results[0].rules
    for each in results[1:]:
        for flip in each.flips[:most]:
            verdict = "right" if flip.right else "wrong"
            place = f"dialogue {one_line(flip.dialogue)}, turn {flip.turn}"
            yield f"{each.rules}: {place} becomes {verdict} (it is not under {base})"
            if flip.because:
                yield f"  because of {'; '.join(flip.because)}"
            for slot in flip.slots[:_MOST]:
                yield f"  {one_line(slot.slot)}: gold {_show_value(slot.gold)}, predicted {_show_value(slot.pred)}"
            if len(flip.slots) > _MOST:
                yield f"  … and {len(flip.slots) - _MOST} more slots"
        if len(each.flips) > most > 0:
            yield f"  … and {len(each.flips) - most} more"
