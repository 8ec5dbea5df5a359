"""The warnings of a result. Each has a code, a count, a reason, and a fix."""

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
    measures: Sequence[ResolvedMeasure], measure_columns: MeasureColumns, findings: Findings, rules: Rules
) -> list[Notice]:
    """Return all warnings of one pass."""
    notices = [
        *_measure_notices(measures, measure_columns),
        _unknown_lambda_domains(measures, findings),
        *_input_notices(findings, rules),
        *_patch_notices(findings, rules),
    ]
    return [notice for notice in notices if notice.count]


def _measure_notices(measures: Sequence[ResolvedMeasure], measure_columns: MeasureColumns) -> list[Notice]:
    notices: dict[str, Notice] = {}
    for each in measures:
        used = each.used
        if isinstance(used, RSA) and used.empty == "zero":
            count = _count_turns(measure_columns.main, lambda tally: not tally.union)
            message = f"{count} turns without any slot count 0 in RSA, as published; RSA(empty=skip) skips them"
            notices["rsa-empty"] = Notice("rsa-empty", count, message)
        if isinstance(used, FGA):
            count = _count_turns(measure_columns.tally_table_for(used), used.forgives_wholly)
            count = max(count, notices["fga-free"].count if "fga-free" in notices else 0)
            message = (
                f"{count} wrong turns count 1 in FGA: a slot was deleted, and no turn up to there has its own mistake"
            )
            notices["fga-free"] = Notice("fga-free", count, message)
        if isinstance(used, SA) and used.slots and used.capped:
            slots = used.slots
            count = _count_turns(measure_columns.main, lambda tally, most=slots: tally.errors > most)  # type: ignore[misc]
            message = (
                f"{count} turns have more wrong slots than the {slots} slots of SA; they count as {slots} wrong slots; "
                "check --schema"
            )
            notices["sa-capped"] = Notice("sa-capped", count, message)
    return list(notices.values())


def _unknown_lambda_domains(measures: Sequence[ResolvedMeasure], findings: Findings) -> Notice:
    """Report domains that are in ``lam`` of FGA and never in gold, such as a misspelt name."""
    named = {domain for each in measures if isinstance(each.used, FGA) for domain in each.used.domains}
    gold_domains = set(map(domain_of, findings.gold_slots))
    unknown = sorted(named - gold_domains - {OTHER_DOMAINS})
    hint = did_you_mean(unknown[0], gold_domains) if unknown else ""
    message = f"lam of FGA has domains that are not in gold: {', '.join(unknown)}; {hint}"
    return Notice("fga-domains", len(unknown), message)


def _count_turns(tally_table: TallyTable, fits: Callable[[Tally], bool]) -> int:
    return sum(
        count for tally, count in zip(tally_table.table, tally_table.times().tolist(), strict=True) if fits(tally)
    )


def is_turn_level(changes: int, losses: int) -> bool:
    """Do states look like updates? Cumulative states rarely lose a slot when they change."""
    return changes >= 3 and losses > changes / 2


def _input_notices(findings: Findings, rules: Rules) -> list[Notice]:
    missing, extra = findings.missing, findings.extra
    treated = "unscored" if rules.skips_missing else "scored as empty states"
    hedged = findings.hedged
    by_name = [name for name, reason in findings.unscored.items() if reason == BY_NAME]
    return [
        Notice(
            "missing", missing.turns, f"{missing.turns} turns without prediction are {treated}", tuple(missing.examples)
        ),
        Notice("extra", extra.turns, f"{extra.turns} turns have no gold and are not scored", tuple(extra.examples)),
        Notice(
            "several-values",
            len(hedged),
            f"{len(hedged)} predicted values hold several alternatives; in a list only the first counts, and a|b is one value",
            tuple(f"{place}: {value}" for value, place in list(hedged.items())[:10]),
        ),
        Notice(
            "clash",
            len(findings.clashes),
            f"{len(findings.clashes)} slots are duplicate in a state: two names become one slot, and their values differ; "
            "both names stay as written",
            tuple(f"{place}: {slot}" for slot, place in list(findings.clashes.items())[:10]),
        ),
        Notice(
            "left-out-by-name",
            len(by_name),
            f"{', '.join(by_name)} is unscored, because the original scorer skips it by name",
        ),
        Notice(
            "original-stops",
            len(findings.stops),
            f"{len(findings.stops)} values would stop the original scorer with an error; here they stay as written",
            tuple(sorted(findings.stops)[:10]),
        ),
        _fuzzy_matches(findings, rules),
        _same_numbers(findings),
    ]


def _patch_notices(findings: Findings, rules: Rules) -> list[Notice]:
    """Report the number of corrections of a patch that were applied."""
    patch = rules.gold_patch
    if patch is None:
        return []
    count = patch.applied(findings.digest.keys())
    message = f"gold is patched: {count} of {len(patch.corrections)} corrections apply to the scored dialogues"
    return [Notice("patched", max(count, 1), message)]


_NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{0,40})?([eE][+-]?\d{1,3})?", re.ASCII)


def _same_numbers(findings: Findings) -> Notice:
    """Report wrong predictions that are the number of gold in another spelling, such as 4.0 and 4."""
    mistakes = findings.mistakes
    same = {
        key: mistakes.turns[key]
        for key in mistakes.new
        if (numbers := _numbers(key[1])) and not numbers.isdisjoint(_numbers(key[2]))
    }
    count = sum(same.values())
    most = sorted(same, key=lambda key: (-same[key], str(key)))[:10]
    return Notice(
        "same-number",
        count,
        f"{count} predicted values count as wrong, but are the same number as gold in another spelling; "
        "write numbers the same way in both files, or use --values tidy",
        tuple(f"{slot}: gold {shown(gold)}, predicted {shown(pred)}" for slot, gold, pred in most),
    )


def _numbers(value: Value | None) -> set[Decimal]:
    """Return the numbers among the alternatives of a value."""
    texts = () if value is None else (value,) if isinstance(value, str) else value
    return {Decimal(match[0]) for text in texts if (match := _NUMBER.fullmatch(text.strip()))}


def _fuzzy_matches(findings: Findings, rules: Rules) -> Notice:
    """Report predicted values that are not equal to gold and pass because they are similar."""
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
        f"{sum(near.values())} predicted values are not equal to gold, but pass by {rules.match}",
        tuple(f"{slot}: {shown(gold)} for {shown(pred)}, {near[slot, gold, pred]} turns" for slot, gold, pred in most),
    )
