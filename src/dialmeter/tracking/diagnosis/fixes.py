"""Fixes for findings of the diagnosis: an option, or values and slots that count as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...errors import InputError, one_line
from ...model import Value
from ...readers.pairs.slot_names import slot_namer
from ...values.steps import difference
from ..align import KeptDialogues, PairFiles
from ..pairs import PairRules, Repairs, alternatives
from ..rule_sets.normalise import Normaliser
from ..rule_sets.rules import FIELDS, Rules, change
from ..walk import Walk
from .findings import shown

_STEPS = ("trim", "blanks", "lower")


class Fix(Struct, frozen=True):
    """The fix for a finding.

    Attributes:
        option: the option of the command line, or what to change in the files.
        rules: the rule set with that option.
        repairs: changes of slots and values for which there is no option.
    """

    option: str
    rules: Rules
    repairs: Repairs = Repairs()


def value_difference(gold: Value, pred: Value) -> str:
    """Return the kind of difference between two values, or between any two of their alternatives; "" if unknown."""
    kinds = (difference(one, other) for one in sorted(alternatives(gold)) for other in sorted(alternatives(pred)))
    return next(filter(None, kinds), "")


def fix_values(slot: str, wrong: dict[tuple[Value, Value], int], rules: Rules) -> Fix:
    """Return the first option that makes at least half of the turns agree, or else a custom value map."""
    half = sum(wrong.values()) / 2
    for option, changed in _options(rules):
        normaliser = Normaliser(changed)
        if sum(count for pair, count in wrong.items() if _meet(normaliser, slot, *pair)) >= half:
            return Fix(option, changed)
    ordered = sorted(wrong, key=lambda pair: (-wrong[pair], str(pair)))
    explained = [pair for pair in ordered if value_difference(*pair)]
    chosen = explained if sum(wrong[pair] for pair in explained) >= half else ordered
    values: dict[tuple[str, Value | None], Value] = {}
    for gold, pred in chosen:
        values.setdefault((slot, pred), _nearest(gold, pred))
    return Fix(_custom_map(slot, *chosen[0], len(chosen) > 1), rules, Repairs(equated=values))


def _options(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Yield the options that unify spellings, each with the changed rule set."""

    def steps(*names: str) -> Iterator[tuple[str, Rules]]:
        new = [name for name in names if name not in rules.values]
        if new:
            text = ",".join([*rules.values, *new])
            yield f"--values {text}", change(rules, values=text)

    yield from steps(*_STEPS)
    if not rules.map:
        yield "--map multiwoz", change(rules, map="multiwoz")
    yield from steps("digits")
    yield from steps("no-blanks")


def _meet(normaliser: Normaliser, slot: str, gold: Value, pred: Value) -> bool:
    expected, predicted = normaliser.gold_value(gold, slot), normaliser.pred_value(pred, slot)
    if expected is None or predicted is None:
        return False
    return not alternatives(expected).isdisjoint(alternatives(predicted))


def _nearest(gold: Value, pred: Value) -> Value:
    """Return the gold alternative that the prediction may be another spelling of."""
    if isinstance(gold, str):
        return gold
    return next((each for each in gold if value_difference(each, pred)), gold[0] if gold else gold)


def _custom_map(slot: str, gold: Value, pred: Value, more: bool) -> str:
    """Return the option for a custom value map, with the content of the map."""
    domain, hyphen, name = slot.partition("-")
    forms = {shown(_nearest(gold, pred)): [shown(pred)]}
    layout = {name: {domain: forms}} if hyphen else {slot: forms}
    text = msgspec.json.format(msgspec.json.encode(layout), indent=0).decode()
    return f"--map FILE with {one_line(text, 200)}{' and similar entries' if more else ''}"


def combine(fixes: Iterable[Fix], rules: Rules) -> Fix:
    """Return several fixes of a rule set as one. Its option names what changes, as in ``map=multiwoz``; it is empty if nothing does."""
    listed = list(fixes)
    changed: dict[str, Any] = {}
    for name in FIELDS:
        for fix in listed:
            value = getattr(fix.rules, name)
            if value != getattr(rules, name):
                steps = (*changed.get(name, ()), *value) if name == "values" else ()
                changed[name] = tuple(dict.fromkeys(steps)) or value
    new = replace(rules, **changed)
    name_of, normaliser = slot_namer(new.names), Normaliser(new)
    renamed = {name_of(old): name_of(gold) for fix in listed for old, gold in fix.repairs.renamed.items()}
    equated: dict[tuple[str, Value | None], Value] = {}
    for (slot, pred), gold in (each for fix in listed for each in fix.repairs.equated.items()):
        name = renamed.get(name_of(slot), name_of(slot))
        written = None if pred is None else normaliser.pred_value(pred, name)
        equated[name, written] = normaliser.gold_value(gold, name) or gold
    settings = [f"{name}={value if isinstance(value, str) else ','.join(value)}" for name, value in changed.items()]
    settings += ["slot names of gold"] * bool(renamed) + ["spellings of gold"] * bool(equated)
    return Fix(", ".join(settings), new, Repairs(renamed, equated))


def explained(fix: Fix) -> Fix:
    """Return a fix without the values that are not known to be spellings of each other; they may be mistakes of the tracker."""
    kept = {
        key: gold for key, gold in fix.repairs.equated.items() if key[1] is not None and value_difference(gold, key[1])
    }
    return replace(fix, repairs=replace(fix.repairs, equated=kept))


class Rescored(Struct):
    """JGA under a fix, as counts.

    Attributes:
        turns: number of compared turns.
        right: number of exact turns.
        flip: dialogue and number of the first turn that becomes right.
    """

    turns: int = 0
    right: int = 0
    flip: tuple[str, int] | None = None

    @property
    def value(self) -> float:
        """JGA."""
        return self.right / self.turns if self.turns else 0.0


def rescore(files: PairFiles | KeptDialogues, rules: Rules, fixes: Sequence[Fix]) -> list[Rescored | None]:
    """Read the dialogues once, and return JGA under the rules without a fix, then under each fix.

    Returns:
        The counts; None for a fix that gives a state two values of one slot, which the rules reject.

    Raises:
        InputError: a file cannot be read again.
    """
    words, dialogues = files.open()
    tried = [Fix("", rules), *fixes]
    walks = [Walk(PairRules(each.rules, words, each.repairs)) for each in tried]
    scores: list[Rescored | None] = [Rescored() for _ in tried]
    for read in dialogues:
        right_before: set[int] = set()
        for index, (walk, score) in enumerate(zip(walks, scores, strict=True)):
            if score is None:
                continue
            try:
                score.turns += walk.take(read)
            except InputError:
                scores[index] = None
                continue
            # A row begins with three counts: gold slots, predicted slots, and slots that match.
            rows = zip(walk.numbers, walk.rows(None, None), strict=True)
            right = {number for number, row in rows if row[0] == row[1] == row[2]}
            score.right += len(right)
            if index == 0:
                right_before = right
            elif score.flip is None and (new := right - right_before):
                score.flip = read.id, min(new)
    return scores
