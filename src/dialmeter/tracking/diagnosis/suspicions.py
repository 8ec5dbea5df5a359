"""Diagnosis: differences between two files that lower a score without a mistake of the tracker, and the option that fixes each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...errors import InputError, one_line
from ...model import Value
from ...readers.pairs.slot_names import slot_namer
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...values.steps import difference
from ..align import KeptDialogues, PairFiles
from ..pairs import Normaliser, PairRules, Repairs, alternatives
from ..rule_sets.rules import FIELDS, Rules, change
from ..walk import Walk
from .findings import Findings, Held, Mistakes, shown

Kind: TypeAlias = Literal[
    "news", "ids", "never-predicted", "never-in-gold", "slot-name", "slot", "pair", "spellings", "copied"
]
"""States that hold only the updates of each turn; ids; slots that are never predicted; names of slots; slots that almost never
agree; pairs of values; all spellings together, if there are several findings about them; predictions that may be gold."""

SPELLING: frozenset[Kind] = frozenset({"slot-name", "slot", "pair"})
"""The kinds of findings about how names and values are written."""

_OF_STATES: frozenset[Kind] = frozenset({"news", "ids"})
_OF_SLOTS: frozenset[Kind] = frozenset({"never-predicted", "never-in-gold"})
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


class Suspicion(Struct):
    """A finding before the file is scored again with its fix. Its message is only a description; the advice names the fix."""

    finding: Finding
    fix: Fix
    advice: str = "{} fixes it"


def _suspicion(fix: Fix, advice: str = "{} fixes it", **fields: Any) -> Suspicion:
    return Suspicion(Finding(option=fix.option, **fields), fix, advice)


def diagnose(
    findings: Findings,
    rules: Rules,
    files: PairFiles | KeptDialogues | None = None,
    exact: Iterator[tuple[int, set[int]]] | None = None,
) -> list[Finding]:
    """Return the findings of the diagnosis, sorted by their points. A spelling or a slot that gains nothing is no finding.

    Args:
        findings: the findings of scoring the dialogues.
        rules: the rule set of the score.
        files: the scored dialogues. They are scored again with the fixes of the first five findings.
        exact: for each dialogue the number of its turns, and its exact turns; without it the dialogues are scored again for them.
    """
    suspected = suspicions(findings, rules)
    of_spelling = [each for each in suspected if each.finding.kind in SPELLING]
    may_be_copied = _may_be_copied(findings, {slot for each in of_spelling for slot in each.finding.slots})
    if not suspected and not may_be_copied:
        return []
    if not files or not files.can_be_read:
        return [_finding(each, "not scored again: the files cannot be read twice") for each in suspected]
    fixes = [each.fix for each in suspected]
    spelling = combine([explained(each.fix) for each in of_spelling], rules)
    more = [combine(fixes, rules), spelling, *([_on_predicted_slots(findings, spelling)] if may_be_copied else [])]
    work = partial(rescore, tried=[Fix("", rules), *fixes[:_RESCORED], *more], exact=exact)
    base, *rescored = map(_sum_scores, zip(*files.map(work), strict=True))
    scores, (together, spelt, *copied) = rescored[: -len(more)], rescored[-len(more) :]
    clash = "not scored again, because a state would have two values of one slot"
    found = [_finding(each, clash, base, score) for each, score in zip(suspected, scores, strict=False)]
    rest = f"not scored again: only the first {_RESCORED} findings are"
    found += [_finding(each, rest) for each in suspected[_RESCORED:]]
    # States that are read in the wrong way can also raise JGA.
    gaining = [each for each in found if each.kind in _OF_STATES or each.points is None or each.points >= _GAIN]
    if base is not None and together is not None:
        alone = sum(max(each.points or 0, 0) for each in gaining if each.kind not in _OF_SLOTS)
        if 100 * (together.value - base.value) > alone + _GAIN:
            # One problem hides another: a fix that gains nothing alone is still needed.
            note = f"; together with the other fixes JGA is {100 * together.value:.2f}"
            hidden = [each for each in found if each not in gaining and each.kind not in _OF_SLOTS]
            gaining += [replace(each, message=each.message + note) for each in hidden]
    gaining.sort(key=lambda each: -1000 if each.points is None else each.points, reverse=True)
    if base is not None and spelt is not None and len([each for each in gaining if each.kind in SPELLING]) > 1:
        gaining.insert(0, _all_spellings(of_spelling, spelling, base, spelt))
    found_copies = [each for each in copied if each is not None]
    return [*gaining, *(_copied(findings, spelling, each) for each in found_copies if each.looks_copied)]


def _all_spellings(suspected: Sequence[Suspicion], fix: Fix, base: Rescored, score: Rescored) -> Finding:
    points, option = 100 * (score.value - base.value), " ".join(f"--set {each}" for each in fix.option.split(", "))
    found = [each.finding for each in suspected]
    return Finding(
        kind="spellings",
        message=f"all spellings together: {fix.option} (JGA {100 * base.value:.2f} → {100 * score.value:.2f}, {points:+.2f} points)",
        turns=sum(each.turns for each in found),
        slots=tuple(dict.fromkeys(slot for each in found for slot in each.slots)),
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


def names_under(fix: Fix, slots: Iterable[str]) -> set[str]:
    """Return the names of slots with a fix."""
    name_of, renamed = slot_namer(fix.rules.names), fix.repairs.renamed
    return {renamed.get(name_of(slot), name_of(slot)) for slot in slots}


def _on_predicted_slots(findings: Findings, fix: Fix) -> Fix:
    dropped = names_under(fix, findings.gold_slots) - names_under(fix, predicted_slots(findings))
    return replace(fix, repairs=replace(fix.repairs, dropped=frozenset(dropped)))


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
    finding, points = suspicion.finding, None
    if base is not None and score is not None:
        points = 100 * (score.value - base.value)
        reason = f"JGA {100 * base.value:.2f} → {100 * score.value:.2f}, {points:+.2f} points"
        if abs(points) < _GAIN:
            reason = f"alone it does not change JGA, {100 * base.value:.2f}"
    message = f"{finding.message}; {suspicion.advice.format(finding.option)} ({reason})"
    if finding.kind in _OF_SLOTS:
        others = f"; {suspicion.advice}: {100 * score.value:.2f}" if score is not None and suspicion.advice else ""
        message, points = finding.message + others, points if others else None
    dialogue, turn = score.flip if score is not None and score.flip is not None else (None, None)
    value = None if score is None or points is None else 100 * score.value
    return replace(finding, message=message, points=points, value=value, dialogue=dialogue, turn=turn)


def suspicions(findings: Findings, rules: Rules) -> list[Suspicion]:
    """Return everything that looks wrong, before anything is scored again. Suspicions with the same fix are merged."""
    of_states = [*_updates(findings, rules), *_ids(findings, rules)]
    names = list(_slot_names(findings, rules))
    if not any(each.finding.kind == "ids" for each in of_states):
        of_states += _never_predicted(findings, rules, {each.finding.gold for each in names})
        of_states += _never_in_gold(findings, rules, {each.finding.pred for each in names})

    def most_turns(suspicion: Suspicion) -> tuple[int, tuple[str, ...]]:
        return -suspicion.finding.turns, suspicion.finding.slots

    by_option: dict[str, Suspicion] = {}
    for each in sorted([*names, *_values(findings.mistakes, rules)], key=most_turns):
        first = by_option.setdefault(each.fix.option, each)
        if first is not each:
            one, other = first.finding, each.finding
            first.finding = replace(one, turns=one.turns + other.turns, slots=one.slots + other.slots)
            first.fix = replace(first.fix, repairs=combine((each.fix, first.fix), rules).repairs)
    for each in by_option.values():
        if others := list(dict.fromkeys(slot for slot in each.finding.slots if slot != each.finding.slot)):
            each.finding = replace(each.finding, message=f"{each.finding.message}; likewise {_listed(others)}")
    return [*of_states, *sorted(by_option.values(), key=most_turns)]


def _listed(slots: Sequence[str]) -> str:
    return ", ".join(one_line(slot, 40) for slot in slots[:8]) + (", …" if len(slots) > 8 else "")


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
    yield _suspicion(
        Fix(f"--set state={state}", replace(rules, state=state)),
        kind="news",
        message=f"{' and '.join(sides)} states look like updates: {sides[-1]} states lose a slot at {losses} of {changes} "
        "changes",
        turns=losses,
    )


def _ids(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    """Detect dialogue ids that differ between gold and predictions."""
    missing, extra = findings.missing, findings.extra
    if missing.dialogues and extra.dialogues:
        yield _suspicion(
            Fix("--set missing=skip", replace(rules, missing="skip")),
            "check the ids; {} does not score dialogues without prediction",
            kind="ids",
            message=f"{'only some ids match' if findings.matched else 'no id matches'}: {missing.dialogues} gold dialogues have no prediction, such as "
            f"{_quote(missing.first_dialogue)}; {extra.dialogues} predicted dialogues have no gold, such as "
            f"{_quote(extra.first_dialogue)}",
            turns=missing.turns,
        )


def predicted_slots(findings: Findings) -> set[str]:
    """Return the slots that predictions hold at any turn."""
    return {slot for slot, _, pred in findings.mistakes.turns if pred is not None}


def _never_predicted(findings: Findings, rules: Rules, renamed: set[str | None]) -> Iterator[Suspicion]:
    """Detect slots that gold holds and predictions never hold, also not in another spelling."""
    missed = {slot for slot, gold, _ in findings.mistakes.turns if gold is not None}
    slots, never = findings.gold_slots, missed - predicted_slots(findings) - renamed
    if not never:
        return
    listed, others = sorted(never), len(slots) - len(never)
    turns = (count for (slot, gold, _), count in findings.mistakes.turns.items() if slot in never and gold is not None)
    yield _suspicion(
        Fix("predictions of these slots", rules, Repairs(dropped=frozenset(never))),
        # Without any slot, every turn would be right.
        f"JGA on the other {f'{others} slots' if others > 1 else 'slot'}" if others else "",
        kind="never-predicted",
        message=f"{len(never)} of {len(slots)} slot{'s are' if len(slots) > 1 else ' is'} never predicted: {_listed(listed)}",
        turns=sum(turns),
        slots=tuple(listed),
    )


def _never_in_gold(findings: Findings, rules: Rules, renamed: set[str | None]) -> Iterator[Suspicion]:
    """Detect slots that most predictions hold and gold never holds: they may be no slots, such as the version of a model."""
    turns: Counter[str] = Counter()
    for (slot, gold, pred), count in findings.mistakes.turns.items():
        if gold is None and pred is not None and slot not in findings.gold_slots | renamed:
            turns[slot] += count
    slots = sorted(slot for slot, count in turns.items() if 2 * count > findings.turns)
    if slots:
        yield _suspicion(
            Fix("predictions without these slots", rules, Repairs(dropped=frozenset(slots))),
            "JGA without them",
            kind="never-in-gold",
            message=f"{len(slots)} predicted slot{'s are' if len(slots) > 1 else ' is'} never in gold: {_listed(slots)}",
            turns=max(turns[slot] for slot in slots),
            slots=tuple(slots),
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
        yield _suspicion(
            fix,
            kind="slot-name",
            message=f"gold slot {_quote(gold)} is named {_quote(slot)} in predictions ({count} turn{'s' * (count > 1)})",
            turns=count,
            slots=(slot,),
            slot=slot,
            gold=gold,
            pred=slot,
        )


Example: TypeAlias = tuple[str, Value, Value]
"""A slot, its gold value and its predicted value."""
Wrong: TypeAlias = Mapping[Example, int]
"""Values that do not agree, and the number of such turns."""


def _values(mistakes: Mistakes, rules: Rules) -> list[Suspicion]:
    """Detect values that are written otherwise in predictions than in gold."""
    keys_by_slot: dict[str, list[Held]] = defaultdict(list)
    for key in mistakes.turns:
        keys_by_slot[key[0]].append(key)
    found: list[Suspicion] = []
    wrong_by_slot = {}
    for slot, keys in keys_by_slot.items():
        held = [(gold, pred) for _, gold, pred in keys if gold is not None and pred is not None]
        both = {(slot, *pair): mistakes.turns[slot, *pair] for pair in held}
        wrong = {key: count for key, count in both.items() if key in mistakes.new}
        wrong_by_slot[slot] = wrong
        turns, agreed = sum(both.values()), sum(both.values()) - sum(wrong.values())
        if turns >= _TURNS and agreed < _AGREED * turns:
            found.append(_suspect_slot(slot, wrong, turns, rules))
        else:
            predicted = {text for _, _, pred in keys if pred is not None for text in alternatives(pred)}
            count = sum(mistakes.turns[key] for key in keys if key in mistakes.new)
            found += _suspect_pairs(wrong, count, predicted, rules)
    mistakes_of_all = sum(mistakes.turns[key] for key in mistakes.new)
    return found or _suspect_rare_pairs(wrong_by_slot, mistakes_of_all, rules)


def _suspect_values(kind: Kind, description: str, example: Example, fix: Fix, turns: int) -> Suspicion:
    slot, gold, pred = example
    return _suspicion(
        fix,
        "{} fixes it" if value_difference(gold, pred) else "{} fixes it if they mean the same",
        kind=kind,
        message=description,
        turns=turns,
        slots=(slot,),
        slot=slot,
        gold=shown(gold),
        pred=shown(pred),
    )


def _suspect_rare_pairs(wrong_by_slot: Mapping[str, Wrong], mistakes: int, rules: Rules) -> list[Suspicion]:
    """Detect spellings that are too rare for a finding each, if one setting fixes half of them.

    A setting shows that they are spellings, so a few are enough where they are a large part of the mistakes.
    """
    wrong = {
        key: count
        for of_slot in wrong_by_slot.values()
        for key, count in of_slot.items()
        if value_difference(key[1], key[2])
    }
    turns = sum(wrong.values())
    is_enough = turns >= _TURNS or (turns > 1 and turns > _SHARE * mistakes)
    fix = _setting_for(wrong, rules) if is_enough else None
    if fix is None:
        return []
    example, _ = max(wrong.items(), key=lambda each: (each[1], str(each[0])))
    slot, gold, pred = example
    by_slot: dict[str, int] = defaultdict(int)
    for (name, _, _), count in wrong.items():
        by_slot[name] += count
    others = sorted(by_slot.keys() - {slot}, key=lambda name: (-by_slot[name], name))
    description = f"values differ in spelling at {turns} turns, such as {one_line(slot)} {_quote(pred)} where gold is {_quote(gold)}"
    suspicion = _suspect_values("pair", description, example, fix, turns)
    suspicion.finding = replace(suspicion.finding, slots=(slot, *others))
    return [suspicion]


def _suspect_slot(slot: str, wrong: Wrong, both: int, rules: Rules) -> Suspicion:
    example, count = max(wrong.items(), key=lambda each: (each[1], str(each[0][1:])))
    _, gold, pred = example
    kind, turns = value_difference(gold, pred), sum(wrong.values())
    description = (
        f"{one_line(slot)} agrees with gold at {both - turns} of {both} turns at which both have a value, such as "
        f"gold {_quote(gold)} and predicted {_quote(pred)} ({count} turns{f', differs by {kind}' if kind else ''})"
    )
    return _suspect_values("slot", description, example, _fix_values(wrong, rules), turns)


def _suspect_pairs(wrong: Wrong, mistakes: int, predicted: set[str], rules: Rules) -> Iterator[Suspicion]:
    for example, count in wrong.items():
        if count < _TURNS or count <= _SHARE * mistakes:
            continue
        slot, gold, pred = example
        kind = value_difference(gold, pred)
        reasons = [f"differs by {kind}"] if kind else []
        reasons += [f"{_quote(gold)} is never predicted"] if predicted.isdisjoint(alternatives(gold)) else []
        if reasons:
            description = (
                f"{one_line(slot)} is {_quote(pred)} where gold is {_quote(gold)} at {count} turns, "
                f"{100 * count / mistakes:.0f} % of the slot's mistakes ({', '.join(reasons)})"
            )
            fix = _fix_values({example: count}, rules)
            yield _suspect_values("pair", description, example, fix, count)


def _quote(value: Value) -> str:
    return repr(one_line(str(shown(value)), 60))


def value_difference(gold: Value, pred: Value) -> str:
    """Return the kind of difference between two values, or between any two of their alternatives; "" if unknown."""
    kinds = (difference(one, other) for one in sorted(alternatives(gold)) for other in sorted(alternatives(pred)))
    return next(filter(None, kinds), "")


def _fix_values(wrong: Wrong, rules: Rules) -> Fix:
    """Return the first option that makes at least half of the turns of a slot agree, or else a custom value map."""
    setting = _setting_for(wrong, rules)
    if setting is not None:
        return setting
    ordered = sorted(wrong, key=lambda key: (-wrong[key], str(key[1:])))
    explained = [key for key in ordered if value_difference(key[1], key[2])]
    chosen = explained if sum(wrong[key] for key in explained) >= sum(wrong.values()) / 2 else ordered
    values: dict[tuple[str, Value | None], Value] = {}
    for slot, gold, pred in chosen:
        values.setdefault((slot, pred), _nearest(gold, pred))
    return Fix(_custom_map(*chosen[0], len(chosen) > 1), rules, Repairs(equated=values))


def _setting_for(wrong: Wrong, rules: Rules) -> Fix | None:
    """Return the first setting that unifies spellings with which the values agree at half of the turns or more."""
    for setting in ("values=trim,blanks,lower", "map=multiwoz", "values=digits", "values=no-blanks"):
        name, _, text = setting.partition("=")
        if name == "values":
            new = [step for step in text.split(",") if step not in rules.values]
            text = ",".join([*rules.values, *new]) if new else ""
        if not text or (name == "map" and rules.map):
            continue
        changed = change(rules, **{name: text})
        normaliser = Normaliser(changed)
        agreed = 0
        for (slot, gold, pred), count in wrong.items():
            expected, predicted = normaliser.gold_value(gold, slot), normaliser.pred_value(pred, slot)
            if expected is not None and predicted is not None:
                agreed += 0 if alternatives(expected).isdisjoint(alternatives(predicted)) else count
        if agreed >= sum(wrong.values()) / 2:
            return Fix(f"--set {name}={text}", changed)
    return None


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


def rescore(
    words: Vocabulary,
    dialogues: Iterable[PairDialogue],
    tried: Sequence[Fix],
    exact: Iterator[tuple[int, set[int]]] | None = None,
) -> list[Rescored | None]:
    """Return JGA under each fix. The first one changes nothing.

    Args:
        words: the vocabulary of the dialogues.
        dialogues: a part of the dialogues.
        tried: the fixes; equal ones are tried once.
        exact: as for ``diagnose``.

    Returns:
        The counts; None for a fix that gives a state two values of one slot, which the rules reject.

    Raises:
        InputError: a file cannot be read again.
    """
    distinct: list[Fix] = []
    places = []
    for fix in tried:
        same = (at for at, each in enumerate(distinct) if (each.rules, each.repairs) == (fix.rules, fix.repairs))
        places.append(next(same, len(distinct)))
        if places[-1] == len(distinct):
            distinct.append(fix)
    walks = [Walk(PairRules(each.rules, words, each.repairs)) for each in distinct]
    scores: list[Rescored | None] = [Rescored() for _ in distinct]
    for read in dialogues:
        right_before: set[int] = set()
        for index, (walk, score) in enumerate(zip(walks, scores, strict=True)):
            if score is None:
                continue
            try:
                turns, right = next(exact) if exact is not None and index == 0 else _exact_turns(walk, read)
            except InputError:
                scores[index] = None
                continue
            score.turns += turns
            score.right += len(right)
            if index == 0:
                right_before = right
            elif score.flip is None and (new := right - right_before):
                score.flip = read.id, min(new)
    return [scores[place] for place in places]


def _exact_turns(walk: Walk, read: PairDialogue) -> tuple[int, set[int]]:
    turns = walk.take(read)
    # A row begins with three counts: gold slots, predicted slots, and slots that match.
    rows = zip(walk.numbers, walk.rows(None, None), strict=True)
    return turns, {number for number, row in rows if row[0] == row[1] == row[2]}


def _sum_scores(parts: Sequence[Rescored | None]) -> Rescored | None:
    """Return the counts of all parts of the dialogues; None if a part has none."""
    scores = [each for each in parts if each is not None]
    if len(scores) < len(parts):
        return None
    flips = (each.flip for each in scores if each.flip is not None)
    return Rescored(sum(each.turns for each in scores), sum(each.right for each in scores), next(flips, None))
