"""Diagnosis: why a score may say more about two files than about a tracker, and which option settles it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ...errors import one_line
from ...model import Value
from ...readers.pairs.slot_names import slot_namer
from ..align import PairFiles
from ..notices import is_turn_level
from ..pairs import alternatives
from ..rule_sets.rules import Rules
from .findings import Findings, Mistakes, shown
from .settlement import Rescored, Settlement, rescore, settle_values, value_difference

Kind: TypeAlias = Literal["news", "ids", "slot-name", "slot", "pair"]
"""States that hold each turn's news; ids; names of slots; slots that hardly ever agree; pairs of values."""

WORTH = 5.0
"""A finding that is worth more points than this should be settled before one publishes the score."""
_RESCORED = 5
_TURNS = 30
_AGREED = 0.05
_SHARE = 0.2
_GAPS = re.compile(r"[\s_-]+")


class Finding(Struct, frozen=True, kw_only=True):
    """One finding.

    Attributes:
        kind: what was found.
        message: one line: what, an example, the points that hang on it, and what settles it.
        turns: how many turns show it.
        slots: the slots that show it.
        slot: the slot of the example.
        gold: its gold value, or the name that gold has for the slot.
        pred: its predicted value, or the name that predictions have for the slot.
        option: what settles it.
        points: points of JGA (0 to 100) that this is worth; None where it was not scored again.
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
    dialogue: str | None = None
    turn: int | None = None

    @property
    def is_grave(self) -> bool:
        """Is it worth more than five points of JGA?"""
        return self.points is not None and self.points > WORTH


class Suspicion(Struct, kw_only=True):
    """A finding before it is scored again; the fields are those of ``Finding``."""

    kind: Kind
    what: str
    turns: int
    settlement: Settlement
    slots: tuple[str, ...] = ()
    slot: str | None = None
    gold: str | None = None
    pred: str | None = None
    advice: str = "{} settles it"


def diagnose(findings: Findings, rules: Rules, files: PairFiles | None = None) -> list[Finding]:
    """The findings, those that are worth most points first.

    Args:
        findings: what was noticed while the dialogues were scored.
        rules: the rule set that they were scored under.
        files: what was scored, to be scored again where there are findings; at most five are.
    """
    found = suspicions(findings, rules)
    if not found:
        return []
    scores = (
        rescore(files, rules, [each.settlement for each in found[:_RESCORED]]) if files and files.can_be_read else None
    )
    if scores is None:
        return [_finding(each, "not scored again, which takes files that can be read twice") for each in found]
    base, *settled = scores
    clash = "not scored again, because a state would have two values of one slot"
    again = [_finding(each, clash, base, score) for each, score in zip(found, settled, strict=False)]
    again.sort(key=lambda each: -1000 if each.points is None else each.points, reverse=True)
    rest = f"not scored again; the first {_RESCORED} findings are"
    return [*again, *(_finding(each, rest) for each in found[_RESCORED:])]


def _finding(suspicion: Suspicion, reason: str, base: Rescored | None = None, score: Rescored | None = None) -> Finding:
    points = None
    if base is not None and score is not None:
        points = 100 * (score.value - base.value)
        reason = f"JGA {100 * base.value:.2f} → {100 * score.value:.2f}, {points:+.2f} points"
    dialogue, turn = score.flip if score is not None and score.flip is not None else (None, None)
    option = suspicion.settlement.option
    return Finding(
        kind=suspicion.kind,
        message=f"{suspicion.what}; {suspicion.advice.format(option)} ({reason})",
        turns=suspicion.turns,
        slots=suspicion.slots,
        slot=suspicion.slot,
        gold=suspicion.gold,
        pred=suspicion.pred,
        option=option,
        points=points,
        dialogue=dialogue,
        turn=turn,
    )


def suspicions(findings: Findings, rules: Rules) -> list[Suspicion]:
    """All that looks wrong, before anything is scored again."""
    whole = [*_news(findings, rules), *_ids(findings, rules)]
    slots = [*_slot_names(findings, rules), *_values(findings.mistakes, rules)]
    by_option: dict[str, Suspicion] = {}
    for each in sorted(slots, key=lambda each: (-each.turns, each.slots)):
        first = by_option.setdefault(each.settlement.option, each)
        if first is not each:
            first.turns += each.turns
            first.slots += each.slots
            first.settlement = replace(
                first.settlement,
                slots={**each.settlement.slots, **first.settlement.slots},
                values={**each.settlement.values, **first.settlement.values},
            )
    for each in by_option.values():
        if others := list(dict.fromkeys(slot for slot in each.slots if slot != each.slot)):
            listed = ", ".join(one_line(slot, 40) for slot in others[:8])
            each.what += f"; likewise {listed}{', …' if len(others) > 8 else ''}"
    return [*whole, *sorted(by_option.values(), key=lambda each: (-each.turns, each.slots))]


def _news(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    """States that look like updates, under rules that do not take them as updates."""
    changes, losses = findings.pred_changes, findings.pred_losses
    repeats = findings.pred_repeated > findings.pred_held / 2
    sides = ["gold"] if is_turn_level(findings.gold_changes, findings.gold_losses) else []
    sides += ["predicted"] if is_turn_level(changes, losses) and not repeats else []
    state: Literal["update", "update-pred"] = "update-pred" if sides == ["predicted"] else "update"
    if not sides or rules.state == state:
        return
    if sides == ["gold"]:
        changes, losses = findings.gold_changes, findings.gold_losses
    yield Suspicion(
        kind="news",
        what=f"{' and '.join(sides)} states look like each turn's news: {sides[-1]} states lose a slot at {losses} of "
        f"{changes} changes",
        turns=losses,
        settlement=Settlement(f"--state {state}", replace(rules, state=state)),
    )


def _ids(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    missing, extra = findings.missing, findings.extra
    if missing.dialogues and extra.dialogues:
        yield Suspicion(
            kind="ids",
            what=f"ids meet only in part: gold dialogues without prediction {missing.dialogues}, such as "
            f"{_said(missing.first_dialogue)}; predicted dialogues without gold {extra.dialogues}, such as "
            f"{_said(extra.first_dialogue)}",
            turns=missing.turns,
            settlement=Settlement("--missing skip", replace(rules, missing="skip")),
            advice="check the ids; {} skips what has no prediction",
        )


def _slot_names(findings: Findings, rules: Rules) -> Iterator[Suspicion]:
    """Predicted slots that gold never has, and has in another spelling."""
    turns: dict[str, int] = defaultdict(int)
    for (slot, _, pred), count in findings.mistakes.turns.items():
        if pred is not None and slot not in findings.gold_slots:
            turns[slot] += count
    if not turns:
        return
    spelt = {_GAPS.sub("", slot.lower()): slot for slot in sorted(findings.gold_slots)}
    name_of = slot_namer("multiwoz")
    for slot, count in turns.items():
        gold = spelt.get(_GAPS.sub("", slot.lower()))
        # A duplicate slot keeps its name as written; there is a warning for it already.
        if gold is None or slot_namer(rules.names)(slot) == gold:
            continue
        settlement = (
            Settlement("--names multiwoz", replace(rules, names="multiwoz"))
            if name_of(slot) == name_of(gold)
            else Settlement("the slot names of gold in the predictions", rules, slots={slot: gold})
        )
        yield Suspicion(
            kind="slot-name",
            what=f"slot {_said(gold)} of gold stands as {_said(slot)} in predictions ({count} turn{'s' * (count > 1)})",
            turns=count,
            settlement=settlement,
            slots=(slot,),
            slot=slot,
            gold=gold,
            pred=slot,
        )


class _SlotValues(Struct):
    """What a slot held.

    Attributes:
        agreed: turns at which both sides held a value and agreed.
        wrong: turns by gold and predicted value that do not agree.
        mistakes: turns at which the slot is wrong in any way.
        written: values that predictions write.
    """

    agreed: int = 0
    wrong: dict[tuple[Value, Value], int] = field(default_factory=dict)
    mistakes: int = 0
    written: set[str] = field(default_factory=set)


def _values(mistakes: Mistakes, rules: Rules) -> Iterator[Suspicion]:
    slots: dict[str, _SlotValues] = defaultdict(_SlotValues)
    for key, count in mistakes.turns.items():
        name, gold, pred = key
        held = slots[name]
        if pred is not None:
            held.written |= alternatives(pred)
        if key in mistakes.new:
            held.mistakes += count
            if gold is not None and pred is not None:
                held.wrong[gold, pred] = count
        elif gold is not None and pred is not None:
            held.agreed += count
    for name, held in slots.items():
        both = held.agreed + sum(held.wrong.values())
        if both >= _TURNS and held.agreed < _AGREED * both:
            yield _of_slot(name, held, both, rules)
        else:
            yield from _of_pairs(name, held, rules)


def _of_slot(slot: str, held: _SlotValues, both: int, rules: Rules) -> Suspicion:
    (gold, pred), count = max(held.wrong.items(), key=lambda each: (each[1], str(each[0])))
    kind = value_difference(gold, pred)
    return Suspicion(
        kind="slot",
        what=f"{one_line(slot)} agrees with gold at {held.agreed} of {both} turns at which both hold a value, such as gold "
        f"{_said(gold)} and predicted {_said(pred)} ({count} turns{f', differs by {kind}' if kind else ''})",
        turns=both - held.agreed,
        settlement=settle_values(slot, held.wrong, rules),
        advice="{} settles it" if kind else "{} settles it if they mean the same",
        slots=(slot,),
        slot=slot,
        gold=shown(gold),
        pred=shown(pred),
    )


def _of_pairs(slot: str, held: _SlotValues, rules: Rules) -> Iterator[Suspicion]:
    for (gold, pred), count in held.wrong.items():
        if count < _TURNS or count <= _SHARE * held.mistakes:
            continue
        kind = value_difference(gold, pred)
        never = held.written.isdisjoint(alternatives(gold))
        if not (kind or never):
            continue
        why = [f"differs by {kind}"] if kind else []
        why += [f"predictions never hold {_said(gold)}"] if never else []
        yield Suspicion(
            kind="pair",
            what=f"{one_line(slot)} is {_said(pred)} where gold is {_said(gold)} at {count} turns, "
            f"{100 * count / held.mistakes:.0f} % of the slot's mistakes ({', '.join(why)})",
            turns=count,
            settlement=settle_values(slot, {(gold, pred): count}, rules),
            advice="{} settles it" if kind else "{} settles it if they mean the same",
            slots=(slot,),
            slot=slot,
            gold=shown(gold),
            pred=shown(pred),
        )


def _said(value: Value) -> str:
    return repr(one_line(str(shown(value)), 60))
