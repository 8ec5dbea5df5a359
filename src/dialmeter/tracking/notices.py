"""The warnings of a result: each with a code, a count, the reason, and the fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from ..core.account import BY_NAME
from ..errors import did_you_mean
from ..model import Notice, Value, domain_of
from .diagnosis.findings import Findings, shown
from .measures.fga import FGA
from .measures.slots import RSA, SA
from .resolve_measures import ResolvedMeasure
from .rule_sets.rules import Rules, parse_match
from .tally import OTHER_DOMAINS, Tally
from .vectors.measure_columns import MeasureColumns
from .vectors.tally_table import TallyTable


def notices_of(
    asked: Sequence[ResolvedMeasure], measure_columns: MeasureColumns, findings: Findings, rules: Rules
) -> list[Notice]:
    """All warnings of one pass."""
    found = [
        *_of_measures(asked, measure_columns),
        _of_domains(asked, findings),
        *_of_input(findings, rules),
        *_of_patch(findings, rules),
    ]
    return [notice for notice in found if notice.count]


def _of_measures(asked: Sequence[ResolvedMeasure], measure_columns: MeasureColumns) -> list[Notice]:
    notices: dict[str, Notice] = {}
    for each in asked:
        used = each.used
        if isinstance(used, RSA) and used.empty == "zero":
            count = _turns(measure_columns.main, lambda tally: not tally.union)
            message = f"{count} turns without any slot count 0 in RSA, as published; RSA(empty=skip) leaves them out"
            notices["rsa-empty"] = Notice("rsa-empty", count, message)
        if isinstance(used, FGA):
            count = _turns(measure_columns.tally_table_for(used), used.forgives_wholly)
            count = max(count, notices["fga-free"].count if "fga-free" in notices else 0)
            message = (
                f"{count} turns are wrong and weigh 1 in FGA: a slot was deleted, and no turn made a mistake of its own"
            )
            notices["fga-free"] = Notice("fga-free", count, message)
        if isinstance(used, SA) and used.slots and used.capped:
            slots = used.slots
            count = _turns(measure_columns.main, lambda tally, most=slots: tally.errors > most)  # type: ignore[misc]
            message = f"{count} turns have more wrong slots than the {slots} of SA and count as {slots}; check --schema"
            notices["sa-capped"] = Notice("sa-capped", count, message)
    return list(notices.values())


def _of_domains(asked: Sequence[ResolvedMeasure], findings: Findings) -> Notice:
    """Domains that ``lam`` of FGA names and gold never holds, such as a misspelt one."""
    named = {domain for each in asked if isinstance(each.used, FGA) for domain in each.used.domains}
    held = set(map(domain_of, findings.gold_slots))
    unknown = sorted(named - held - {OTHER_DOMAINS})
    nearest = did_you_mean(unknown[0], held) if unknown else ""
    message = f"lam of FGA names {', '.join(unknown)}, which gold never holds; {nearest}"
    return Notice("fga-domains", len(unknown), message)


def _turns(tally_table: TallyTable, fits: Callable[[Tally], bool]) -> int:
    return sum(
        count for tally, count in zip(tally_table.table, tally_table.times().tolist(), strict=True) if fits(tally)
    )


def is_turn_level(changes: int, losses: int) -> bool:
    """Do states look like updates? Cumulative states seldom lose a slot when they change."""
    return changes >= 3 and losses > changes / 2


def _of_input(findings: Findings, rules: Rules) -> list[Notice]:
    missing, extra = findings.missing, findings.extra
    treated = "unscored" if rules.skips_missing else "scored as empty states"
    hedged = findings.hedged
    by_name = [name for name, reason in findings.unscored.items() if reason == BY_NAME]
    changes, losses = findings.gold_changes, findings.gold_losses
    return [
        Notice(
            "turn-level",
            losses if is_turn_level(changes, losses) else 0,
            f"gold states lose a slot at {losses} of {changes} changes, as if each held only its own turn; "
            "then use --state update",
        ),
        Notice(
            "missing", missing.turns, f"{missing.turns} turns without prediction are {treated}", tuple(missing.examples)
        ),
        Notice("extra", extra.turns, f"{extra.turns} turns have no gold and are not scored", tuple(extra.examples)),
        Notice(
            "several-values",
            len(hedged),
            f"{len(hedged)} predicted values name several at once; of a list the first counts, and a|b is one value",
            tuple(f"{place}: {value}" for value, place in list(hedged.items())[:10]),
        ),
        Notice(
            "clash",
            len(findings.clashes),
            f"{len(findings.clashes)} slots stand twice in a state, under names that become one, with different values; "
            "both stay as written",
            tuple(f"{place}: {slot}" for slot, place in list(findings.clashes.items())[:10]),
        ),
        Notice(
            "left-out-by-name",
            len(by_name),
            f"{', '.join(by_name)} is unscored, as the original does by name",
        ),
        Notice(
            "original-stops",
            len(findings.stops),
            f"{len(findings.stops)} values would stop the original scorer; here they stay as they are written",
            tuple(sorted(findings.stops)[:10]),
        ),
        _fuzzy(findings, rules),
        _same_numbers(findings),
    ]


def _of_patch(findings: Findings, rules: Rules) -> list[Notice]:
    """How many corrections of a patch were applied."""
    patch = rules.gold_patch
    if patch is None:
        return []
    count = patch.applied(findings.digest.keys())
    message = (
        f"gold is patched: {count} of {len(patch.corrections)} corrections belong to the dialogues that were scored"
    )
    return [Notice("patched", max(count, 1), message)]


_NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{0,40})?([eE][+-]?\d{1,3})?", re.ASCII)


def _same_numbers(findings: Findings) -> Notice:
    """Predicted values that are wrong and are the number of gold in another spelling, as 4.0 is of 4."""
    mistakes = findings.mistakes
    same = {
        key: mistakes.turns[key]
        for key in mistakes.new
        if (wanted := _numbers(key[1])) and not wanted.isdisjoint(_numbers(key[2]))
    }
    count = sum(same.values())
    most = sorted(same, key=lambda key: (-same[key], str(key)))[:10]
    return Notice(
        "same-number",
        count,
        f"{count} predicted values count as wrong and are the same number as gold, written in another way; "
        "write numbers alike in both files, or use --values tidy",
        tuple(f"{slot}: gold {shown(gold)}, predicted {shown(pred)}" for slot, gold, pred in most),
    )


def _numbers(value: Value | None) -> set[Decimal]:
    """The numbers among the alternatives of a value."""
    texts = () if value is None else (value,) if isinstance(value, str) else value
    return {Decimal(found[0]) for text in texts if (found := _NUMBER.fullmatch(text.strip()))}


def _fuzzy(findings: Findings, rules: Rules) -> Notice:
    """How many values pass that are not equal, where similar ones do."""
    fuzzy = parse_match(rules.match)
    if fuzzy is None or fuzzy.threshold is None:
        return Notice("fuzzy", 0, "")
    mistakes = findings.mistakes
    near = {
        key: turns
        for key, turns in mistakes.turns.items()
        if key not in mistakes.new and key[1] != key[2] and None not in key[1:]
    }
    most = sorted(near, key=lambda key: (-near[key], str(key)))[:10]
    return Notice(
        "fuzzy",
        sum(near.values()),
        f"{sum(near.values())} predicted values pass by {rules.match} and are not equal to gold",
        tuple(f"{slot}: {shown(gold)} for {shown(pred)}, {near[slot, gold, pred]} turns" for slot, gold, pred in most),
    )
