"""Diagnosis: differences between two files that lower a score without a mistake of the tracker, and the option that fixes each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ...errors import InputError, one_line
from ...model import Value
from ...readers.pairs.slot_names import slot_namer
from ...values.steps import difference
from ..align import KeptDialogues, PairFiles
from ..pairs import Normaliser, PairRules, Repairs, alternatives
from ..rule_sets.rules import FIELDS, Rules, change
from ..walk import Walk
from .findings import Findings, Mistakes, shown

Kind: TypeAlias = Literal["news", "ids", "never-predicted", "slot-name", "slot", "pair", "spellings", "copied"]
"""States that hold only the updates of each turn; ids; slots that are never predicted; names of slots; slots that almost never
agree; pairs of values; all spellings together, if there are several findings about them; predictions that may be gold."""

SPELLING: frozenset[Kind] = frozenset({"slot-name", "slot", "pair"})
"""The kinds of findings about how names and values are written."""

_OF_STATES: frozenset[Kind] = frozenset({"news", "ids"})
WORTH = 5.0
"""A finding that is worth more points than this should be fixed before the score is published."""
_RESCORED = 5
_GAIN = 0.005
"""Fewer points than this are shown as 0.00."""
_TURNS = 30
_AGREED = 0.05
_SHARE = 0.2
_COPIED = 0.99
"""Predictions with this JGA on the slots that they have may be a copy of gold."""
_COPIED_TURNS = 100
_GAPS = re.compile(r"[\s_-]+")


class Finding(Struct, frozen=True, kw_only=True):
    """One finding of the diagnosis.

    Attributes:
        kind: the kind of the finding.
        message: one line: the finding, an example, the fix, and the points of JGA that depend on it.
        turns: number of turns that show it.
        slots: the slots that show it.
        slot: the slot of the example.
        gold: the gold value of the example, or the name of the slot in gold.
        pred: the predicted value of the example, or the name of the slot in predictions.
        option: the fix.
        points: points of JGA (0 to 100) that the fix is worth; None if the file was not scored again.
        value: JGA (0 to 100) with the fix; None if the file was not scored again.
        dialogue: the dialogue of the first turn that becomes right.
        turn: the number of that turn.
    """

    kind: Kind
    message: str
    turns: int
    slots: tuple[str, ...] = ()
    slot: str | None = None
    gold: str | None = None
    pred: str | None = None
    option: str
    points: float | None = None
    value: float | None = None
    dialogue: str | None = None
    turn: int | None = None

    @property
    def is_grave(self) -> bool:
        """Is it worth more than five points of JGA, are slots never predicted, or may the predictions be gold?"""
        return self.kind in ("never-predicted", "copied") or (self.points is not None and self.points > WORTH)


class Suspicion(Struct, kw_only=True):
    """A finding before the file is scored again with its fix; other fields are those of ``Finding``."""

    kind: Kind
    description: str
    turns: int
    fix: Fix
    slots: tuple[str, ...] = ()
    slot: str | None = None
    gold: str | None = None
    pred: str | None = None
    advice: str = "{} fixes it"


def diagnose(findings: Findings, rules: Rules, files: PairFiles | KeptDialogues | None = None) -> list[Finding]:
    """Return the findings of the diagnosis, sorted by their points. A spelling or a slot that gains nothing is no finding.

    Args:
        findings: the findings of scoring the dialogues.
        rules: the rule set of the score.
        files: the scored dialogues. They are scored again with the fixes of the first five findings.
    """
    suspected = suspicions(findings, rules)
    of_spelling = [each for each in suspected if each.kind in SPELLING]
    may_be_copied = _may_be_copied(findings, {slot for each in of_spelling for slot in each.slots})
    if not suspected and not may_be_copied:
        return []
    if not files or not files.can_be_read:
        return [_finding(each, "not scored again: the files cannot be read twice") for each in suspected]
    fixes = [each.fix for each in suspected]
    spelling = combine([explained(each.fix) for each in of_spelling], rules)
    more = [combine(fixes, rules), spelling, *([_on_predicted_slots(findings, spelling)] if may_be_copied else [])]
    base, *rescored = rescore(files, rules, [*fixes[:_RESCORED], *more])
    scores, (together, spelt, *copied) = rescored[: -len(more)], rescored[-len(more) :]
    clash = "not scored again, because a state would have two values of one slot"
    found = [_finding(each, clash, base, score) for each, score in zip(suspected, scores, strict=False)]
    rest = f"not scored again: only the first {_RESCORED} findings are"
    found += [_finding(each, rest) for each in suspected[_RESCORED:]]
    # States that are read in the wrong way can also raise JGA.
    gaining = [each for each in found if each.kind in _OF_STATES or each.points is None or each.points >= _GAIN]
    if base is not None and together is not None:
        alone = sum(max(each.points or 0, 0) for each in gaining if each.kind != "never-predicted")
        if 100 * (together.value - base.value) > alone + _GAIN:
            # One problem hides another: a fix that gains nothing alone is still needed.
            note = f"; together with the other fixes JGA is {100 * together.value:.2f}"
            hidden = [each for each in found if each not in gaining and each.kind != "never-predicted"]
            gaining += [replace(each, message=each.message + note) for each in hidden]
    gaining.sort(key=lambda each: -1000 if each.points is None else each.points, reverse=True)
    if base is not None and spelt is not None and len([each for each in gaining if each.kind in SPELLING]) > 1:
        gaining.insert(0, _all_spellings(of_spelling, spelling, base, spelt))
    found_copies = [each for each in copied if each is not None]
    return [*gaining, *(_copied(findings, spelling, each) for each in found_copies if each.looks_copied)]


def _all_spellings(suspected: Sequence[Suspicion], fix: Fix, base: Rescored, score: Rescored) -> Finding:
    points, option = 100 * (score.value - base.value), " ".join(f"--set {each}" for each in fix.option.split(", "))
    return Finding(
        kind="spellings",
        message=f"all spellings together: {fix.option} (JGA {100 * base.value:.2f} → {100 * score.value:.2f}, {points:+.2f} points)",
        turns=sum(each.turns for each in suspected),
        slots=tuple(dict.fromkeys(slot for each in suspected for slot in each.slots)),
        option=option if fix.repairs == Repairs() else fix.option,
        points=points,
        value=100 * score.value,
    )


def _may_be_copied(findings: Findings, except_slots: set[str]) -> bool:
    """Is it worth while to look whether the predictions are gold? It is not if many values of the predicted slots are wrong."""
    predicted, mistakes = predicted_slots(findings), findings.mistakes
    if not predicted:
        return False
    slots = predicted - except_slots
    held = sum(turns for (slot, _, _), turns in mistakes.turns.items() if slot in slots)
    wrong = sum(mistakes.turns[key] for key in mistakes.new if key[0] in slots)
    return wrong <= 2 * (1 - _COPIED) * held


def _on_predicted_slots(findings: Findings, fix: Fix) -> Fix:
    name_of, renamed = slot_namer(fix.rules.names), fix.repairs.renamed
    gold, predicted = (
        {renamed.get(name_of(slot), name_of(slot)) for slot in slots}
        for slots in (findings.gold_slots, predicted_slots(findings))
    )
    return replace(fix, repairs=replace(fix.repairs, dropped=frozenset(gold - predicted)))


def _copied(findings: Findings, fix: Fix, score: Rescored) -> Finding:
    dropped = _on_predicted_slots(findings, fix).repairs.dropped
    count, with_fix = len(findings.gold_slots) - len(dropped), f" with {fix.option}" if fix.option else ""
    where = f" on the {count} slots that are predicted" if dropped else ""
    return Finding(
        kind="copied",
        message=f"JGA is {100 * score.value:.2f}{where}{with_fix}; the predictions may be gold",
        turns=score.right,
        slots=tuple(sorted(dropped)),
        option=fix.option,
        value=100 * score.value,
    )


def _finding(suspicion: Suspicion, reason: str, base: Rescored | None = None, score: Rescored | None = None) -> Finding:
    points = None
    if base is not None and score is not None:
        points = 100 * (score.value - base.value)
        reason = f"JGA {100 * base.value:.2f} → {100 * score.value:.2f}, {points:+.2f} points"
        if abs(points) < _GAIN:
            reason = f"alone it does not change JGA, {100 * base.value:.2f}"
    option = suspicion.fix.option
    message = f"{suspicion.description}; {suspicion.advice.format(option)} ({reason})"
    if suspicion.kind == "never-predicted":
        others = f"; {suspicion.advice}: {100 * score.value:.2f}" if score is not None and suspicion.advice else ""
        message, points = suspicion.description + others, points if others else None
    dialogue, turn = score.flip if score is not None and score.flip is not None else (None, None)
    shared = {name: getattr(suspicion, name) for name in ("kind", "turns", "slots", "slot", "gold", "pred")}
    value = None if score is None or points is None else 100 * score.value
    return Finding(message=message, option=option, points=points, value=value, dialogue=dialogue, turn=turn, **shared)


def suspicions(findings: Findings, rules: Rules) -> list[Suspicion]:
    """Return everything that looks wrong, before anything is scored again. Suspicions with the same fix are merged."""
    of_states = [*_updates(findings, rules), *_ids(findings, rules)]
    names = list(_slot_names(findings, rules))
    if not any(each.kind == "ids" for each in of_states):
        of_states += _never_predicted(findings, rules, {each.gold for each in names})
    of_slots = [*names, *_values(findings.mistakes, rules)]
    by_option: dict[str, Suspicion] = {}
    for each in sorted(of_slots, key=lambda each: (-each.turns, each.slots)):
        first = by_option.setdefault(each.fix.option, each)
        if first is not each:
            first.turns += each.turns
            first.slots += each.slots
            first.fix = replace(first.fix, repairs=combine((each.fix, first.fix), rules).repairs)
    for each in by_option.values():
        if others := list(dict.fromkeys(slot for slot in each.slots if slot != each.slot)):
            listed = ", ".join(one_line(slot, 40) for slot in others[:8])
            each.description += f"; likewise {listed}{', …' if len(others) > 8 else ''}"
    return [*of_states, *sorted(by_option.values(), key=lambda each: (-each.turns, each.slots))]


def _is_turn_level(changes: int, losses: int) -> bool:
    """Do states look like updates? Cumulative states rarely lose a slot when they change."""
    return changes >= 3 and losses > changes / 2


def _updates(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    """Detect states that look like updates, under rules that treat them as cumulative."""
    counts = findings.changes
    changes, losses = counts["changes"], counts["losses"]
    of_gold = counts["gold changes"], counts["gold losses"]
    sides = ["gold"] if _is_turn_level(*of_gold) else []
    sides += ["predicted"] if _is_turn_level(changes, losses) and counts["repeated"] <= counts["held"] / 2 else []
    state: Literal["update", "update-pred"] = "update-pred" if sides == ["predicted"] else "update"
    if not sides or rules.state == state:
        return
    if sides == ["gold"]:
        changes, losses = of_gold
    yield Suspicion(
        kind="news",
        description=f"{' and '.join(sides)} states look like updates: {sides[-1]} states lose a slot at {losses} of {changes} "
        "changes",
        turns=losses,
        fix=Fix(f"--set state={state}", replace(rules, state=state)),
    )


def _ids(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    """Detect dialogue ids that differ between gold and predictions."""
    missing, extra = findings.missing, findings.extra
    if missing.dialogues and extra.dialogues:
        yield Suspicion(
            kind="ids",
            description=f"{'only some ids match' if findings.matched else 'no id matches'}: {missing.dialogues} gold dialogues have no prediction, such as "
            f"{_quote(missing.first_dialogue)}; {extra.dialogues} predicted dialogues have no gold, such as "
            f"{_quote(extra.first_dialogue)}",
            turns=missing.turns,
            fix=Fix("--set missing=skip", replace(rules, missing="skip")),
            advice="check the ids; {} does not score dialogues without prediction",
        )


def predicted_slots(findings: Findings) -> set[str]:
    """Return the slots that predictions hold at any turn."""
    return {slot for slot, _, pred in findings.mistakes.turns if pred is not None}


def _never_predicted(findings: Findings, rules: Rules, renamed: set[str | None]) -> Iterator[Suspicion]:
    """Detect slots that gold holds and predictions never hold, also not in another spelling."""
    slots, never = findings.gold_slots, findings.gold_slots - predicted_slots(findings) - renamed
    if not never:
        return
    listed = sorted(never)
    shown_slots = f"{', '.join(one_line(slot, 40) for slot in listed[:8])}{', …' if len(listed) > 8 else ''}"
    count = len(slots) - len(never)
    yield Suspicion(
        kind="never-predicted",
        description=f"{len(never)} of {len(slots)} slot{'s are' if len(slots) > 1 else ' is'} never predicted: {shown_slots}",
        turns=sum(
            turns for (slot, gold, _), turns in findings.mistakes.turns.items() if slot in never and gold is not None
        ),
        fix=Fix("predictions of these slots", rules, Repairs(dropped=frozenset(never))),
        slots=tuple(listed),
        # Without any slot, every turn would be right.
        advice=f"JGA on the other {f'{count} slots' if count > 1 else 'slot'}" if count else "",
    )


def _slot_names(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    """Detect predicted slots that gold has only in another spelling."""
    turns: dict[str, int] = defaultdict(int)
    for (slot, _, pred), count in findings.mistakes.turns.items():
        if pred is not None and slot not in findings.gold_slots:
            turns[slot] += count
    if not turns:
        return
    gold_spellings = {_GAPS.sub("", slot.lower()): slot for slot in sorted(findings.gold_slots)}
    name_of = slot_namer("multiwoz")
    for slot, count in turns.items():
        gold = gold_spellings.get(_GAPS.sub("", slot.lower()))
        # A duplicate slot keeps its name as written, and there is a warning for it already.
        if gold is None or slot_namer(rules.names)(slot) == gold:
            continue
        fix = (
            Fix("--set names=multiwoz", replace(rules, names="multiwoz"))
            if name_of(slot) == name_of(gold)
            else Fix("the slot names of gold in the predictions", rules, Repairs({slot: gold}))
        )
        yield Suspicion(
            kind="slot-name",
            description=f"gold slot {_quote(gold)} is named {_quote(slot)} in predictions ({count} turn{'s' * (count > 1)})",
            turns=count,
            fix=fix,
            slots=(slot,),
            slot=slot,
            gold=gold,
            pred=slot,
        )


class _SlotValues(Struct):
    """The values of one slot over a corpus.

    Attributes:
        agreed: number of turns at which both sides have a value and agree.
        wrong: number of turns for each gold and predicted value that do not agree.
        mistakes: number of turns at which the slot is missed, wrong or extra.
        predicted: the predicted values.
    """

    agreed: int = 0
    wrong: dict[tuple[Value, Value], int] = field(default_factory=dict)
    mistakes: int = 0
    predicted: set[str] = field(default_factory=set)


def _values(mistakes: Mistakes, rules: Rules) -> list[Suspicion]:
    slots: dict[str, _SlotValues] = defaultdict(_SlotValues)
    for key, count in mistakes.turns.items():
        name, gold, pred = key
        values = slots[name]
        if pred is not None:
            values.predicted |= alternatives(pred)
        if key in mistakes.new:
            values.mistakes += count
            if gold is not None and pred is not None:
                values.wrong[gold, pred] = count
        elif gold is not None and pred is not None:
            values.agreed += count
    found = []
    for name, values in slots.items():
        both = values.agreed + sum(values.wrong.values())
        if both >= _TURNS and values.agreed < _AGREED * both:
            found.append(_suspect_slot(name, values, both, rules))
        else:
            found += _suspect_pairs(name, values, rules)
    return found or _suspect_rare_pairs(slots, rules)


def _suspect_rare_pairs(slots: Mapping[str, _SlotValues], rules: Rules) -> list[Suspicion]:
    """Detect spellings that are too rare for a finding each, if one setting fixes half of them."""
    wrong = {
        (name, gold, pred): count
        for name, values in slots.items()
        for (gold, pred), count in values.wrong.items()
        if value_difference(gold, pred)
    }
    turns = sum(wrong.values())
    fix = _setting_for(wrong, rules) if turns >= _TURNS else None
    if fix is None:
        return []
    (slot, gold, pred), _ = max(wrong.items(), key=lambda each: (each[1], str(each[0])))
    description = f"values differ in spelling at {turns} turns, such as {one_line(slot)} {_quote(pred)} where gold is {_quote(gold)}"
    by_slot: dict[str, int] = defaultdict(int)
    for (name, _, _), count in wrong.items():
        by_slot[name] += count
    suspicion = _suspect_values("pair", description, slot, (gold, pred), fix=fix, turns=turns)
    others = sorted(by_slot.keys() - {slot}, key=lambda name: (-by_slot[name], name))
    return [replace(suspicion, slots=(slot, *others))]


def _suspect_values(
    kind: Kind, description: str, slot: str, values: tuple[Value, Value], *, fix: Fix, turns: int
) -> Suspicion:
    gold, pred = values
    return Suspicion(
        kind=kind,
        description=description,
        turns=turns,
        fix=fix,
        advice="{} fixes it" if value_difference(gold, pred) else "{} fixes it if they mean the same",
        slots=(slot,),
        slot=slot,
        gold=shown(gold),
        pred=shown(pred),
    )


def _suspect_slot(slot: str, values: _SlotValues, both: int, rules: Rules) -> Suspicion:
    (gold, pred), count = max(values.wrong.items(), key=lambda each: (each[1], str(each[0])))
    kind = value_difference(gold, pred)
    description = (
        f"{one_line(slot)} agrees with gold at {values.agreed} of {both} turns at which both have a value, such as "
        f"gold {_quote(gold)} and predicted {_quote(pred)} ({count} turns{f', differs by {kind}' if kind else ''})"
    )
    fix = fix_values(slot, values.wrong, rules)
    return _suspect_values("slot", description, slot, (gold, pred), fix=fix, turns=both - values.agreed)


def _suspect_pairs(slot: str, values: _SlotValues, rules: Rules) -> Iterator[Suspicion]:
    for (gold, pred), count in values.wrong.items():
        if count < _TURNS or count <= _SHARE * values.mistakes:
            continue
        kind = value_difference(gold, pred)
        is_never_predicted = values.predicted.isdisjoint(alternatives(gold))
        if not (kind or is_never_predicted):
            continue
        reasons = [f"differs by {kind}"] if kind else []
        reasons += [f"{_quote(gold)} is never predicted"] if is_never_predicted else []
        description = (
            f"{one_line(slot)} is {_quote(pred)} where gold is {_quote(gold)} at {count} turns, "
            f"{100 * count / values.mistakes:.0f} % of the slot's mistakes ({', '.join(reasons)})"
        )
        fix = fix_values(slot, {(gold, pred): count}, rules)
        yield _suspect_values("pair", description, slot, (gold, pred), fix=fix, turns=count)


def _quote(value: Value) -> str:
    return repr(one_line(str(shown(value)), 60))


_STEPS = ("trim", "blanks", "lower")


class Fix(Struct, frozen=True):
    """The fix for a finding.

    Attributes:
        option: the setting on the command line, or what to change in the files.
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
    setting = _setting_for({(slot, *pair): count for pair, count in wrong.items()}, rules)
    if setting is not None:
        return setting
    half = sum(wrong.values()) / 2
    ordered = sorted(wrong, key=lambda pair: (-wrong[pair], str(pair)))
    explained = [pair for pair in ordered if value_difference(*pair)]
    chosen = explained if sum(wrong[pair] for pair in explained) >= half else ordered
    values: dict[tuple[str, Value | None], Value] = {}
    for gold, pred in chosen:
        values.setdefault((slot, pred), _nearest(gold, pred))
    return Fix(_custom_map(slot, *chosen[0], len(chosen) > 1), rules, Repairs(equated=values))


def _setting_for(wrong: Mapping[tuple[str, Value, Value], int], rules: Rules) -> Fix | None:
    """Return the first setting with which the values agree at half of the turns or more."""
    half = sum(wrong.values()) / 2
    for option, changed in _options(rules):
        normaliser = Normaliser(changed)
        agreed = 0
        for (slot, gold, pred), count in wrong.items():
            expected, predicted = normaliser.gold_value(gold, slot), normaliser.pred_value(pred, slot)
            if expected is not None and predicted is not None:
                agreed += 0 if alternatives(expected).isdisjoint(alternatives(predicted)) else count
        if agreed >= half:
            return Fix(option, changed)
    return None


def _options(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Yield the options that unify spellings, each with the changed rule set."""

    def steps(*names: str) -> Iterator[tuple[str, Rules]]:
        new = [name for name in names if name not in rules.values]
        if new:
            text = ",".join([*rules.values, *new])
            yield f"--set values={text}", change(rules, values=text)

    yield from steps(*_STEPS)
    if not rules.map:
        yield "--set map=multiwoz", change(rules, map="multiwoz")
    yield from steps("digits")
    yield from steps("no-blanks")


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
    return f"--set map=FILE with {one_line(text, 200)}{' and similar entries' if more else ''}"


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

    @property
    def looks_copied(self) -> bool:
        """Are almost all of enough turns exact?"""
        return self.turns >= _COPIED_TURNS and self.value >= _COPIED


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
