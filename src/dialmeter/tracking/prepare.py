"""From dialogues as read to steps as compared: rules applied, missing and extra turns told apart, gold digested."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Raw, structs

from ..errors import InputError
from ..formats.native import LightDialogue, StateDecoder
from ..model import Dialogue, State, Value, domain_of
from ..normalise import Normaliser, accumulated
from ..rules import FuzzyMatch, Rules, parse_match
from .digest import GoldDigest, canonical
from .tally import Agree, Step

AnyDialogue: TypeAlias = Dialogue | LightDialogue


class Prepared:
    """One dialogue under the rules."""

    __slots__ = ("agree", "id", "steps")

    def __init__(self, dialogue_id: str, steps: list[Step], agree: Agree | None) -> None:
        self.id = dialogue_id
        self.steps = steps
        self.agree = agree


class Unpaired:
    """Turns that are on one side only: how many, and the first ten."""

    def __init__(self) -> None:
        self.turns = 0
        self.dialogues = 0
        self.examples: list[str] = []

    def note(self, dialogue_id: str, numbers: list[int], whole: bool) -> None:
        """Counts the turns of one dialogue."""
        self.turns += len(numbers)
        self.dialogues += whole
        if len(self.examples) < 10:
            listed = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
            self.examples.append(dialogue_id if whole else f"{dialogue_id} turn {listed}")


class Preparer:
    """Applies one rule set to dialogue after dialogue.

    Args:
        rules: the rule set.
        keep_none: also keep states in which explicit absent words stand as "none".
        known_slots: the slots of a schema; another slot in gold is an error.
    """

    def __init__(self, rules: Rules, keep_none: bool = False, known_slots: frozenset[str] | None = None) -> None:
        self.rules = rules
        self.digest = GoldDigest()
        self.missing = Unpaired()
        self.extra = Unpaired()
        self.gold_slots: set[str] = set()
        self.hedged: dict[str, str] = {}
        self.gold_changes = 0
        self.gold_losses = 0
        self._known_slots = known_slots
        self._keep_none = keep_none
        self._normaliser = Normaliser(rules)
        self._decode = StateDecoder().decode
        self._agree = agreement(rules)
        self._fuzzy = rules.match != "exact"

    def prepare(self, dialogue: AnyDialogue) -> Prepared:
        """One dialogue as steps; turns without gold, and without prediction where rules skip them, are left out.

        Raises:
            InputError: a state that is none, with dialogue, turn and slot.
        """
        rules, normaliser, decode = self.rules, self._normaliser, self._decode
        any_of = rules.alternatives == "any-of"
        adds_gold, adds_pred = rules.state == "update", rules.state != "cumulative"
        steps: list[Step] = []
        gold_turns: list[tuple[int, bytes]] = []
        lacking: list[int] = []
        surplus: list[int] = []
        alternatives = False
        old_gold: object = None
        old_pred: object = None
        gold_form = b""
        gold: State = {}
        pred: State = {}
        gold_none: State = gold
        pred_none: State = pred
        whole_gold: State = {}
        whole_pred: State = {}
        narrow: State = pred
        stale = False
        for turn in dialogue.turns:
            try:
                if turn.gold != old_gold or old_gold is None:
                    state = decode(turn.gold) if isinstance(turn.gold, Raw) else turn.gold
                    if state is None:
                        surplus.append(turn.number)
                        if adds_pred:
                            # What is new at a turn without gold still holds at the turns after it.
                            update = decode(turn.pred) if isinstance(turn.pred, Raw) else turn.pred
                            whole_pred = accumulated(whole_pred, update or {}, normaliser.absent)
                            old_pred = None
                        continue
                    old_gold, stale = turn.gold, True
                    if adds_gold:
                        state = whole_gold = accumulated(whole_gold, state, normaliser.absent)
                    gold_form = canonical(state)
                    before, gold = gold, normaliser.gold(state)
                    self.gold_slots.update(gold)
                    if self._known_slots is not None and not gold.keys() <= self._known_slots:
                        raise InputError("not in the schema", slot=min(gold.keys() - self._known_slots))
                    if before:
                        self.gold_changes += 1
                        self.gold_losses += not before.keys() <= gold.keys()
                    if gold is not state and any_of and not alternatives:
                        alternatives = any(type(value) is tuple for value in gold.values())
                    gold_none = self._with_none(state, gold)
                gold_turns.append((turn.number, gold_form))
                if turn.pred != old_pred or old_pred is None:
                    state = decode(turn.pred) if isinstance(turn.pred, Raw) else turn.pred
                    if state is None:
                        lacking.append(turn.number)
                        if rules.missing == "skip":
                            continue
                        state = {}
                    old_pred = turn.pred if state else None
                    stale = True
                    if adds_pred:
                        state = whole_pred = accumulated(whole_pred, state, normaliser.absent)
                    pred = normaliser.pred(state)
                    if pred is not state:
                        self._note_hedged(dialogue.id, turn.number, state)
                    pred_none = self._with_none(state, pred)
                    narrow = pred
                if stale and rules.extra != "penalise":
                    narrow = _narrowed(pred, gold, rules.extra)
                stale = False
                steps.append((turn.number, gold, narrow, gold_none, pred_none))
            except InputError as error:
                raise error.at(dialogue=dialogue.id, turn=turn.number) from None
        if gold_turns:
            self.digest.add(dialogue.id, gold_turns)
        if lacking:
            self.missing.note(dialogue.id, lacking, whole=len(lacking) == len(gold_turns))
        if surplus:
            self.extra.note(dialogue.id, surplus, whole=not gold_turns)
        return Prepared(dialogue.id, steps, self._agree if alternatives or self._fuzzy else None)

    def _with_none(self, state: State, normal: State) -> State:
        if not self._keep_none or normal is state:
            return normal
        dropped = {
            slot: "none" for slot, value in state.items() if slot not in normal and self._normaliser.absent(value)
        }
        return {**normal, **dropped}

    def _note_hedged(self, dialogue_id: str, number: int, state: State) -> None:
        """Remembers predictions of several values: they count as one, and the user should know."""
        if self.rules.alternatives != "any-of":
            return
        for slot, value in state.items():
            if type(value) is tuple or "|" in value:
                self.hedged.setdefault(
                    f"{slot}={value if type(value) is str else '|'.join(value)}", f"{dialogue_id} turn {number}"
                )


def _narrowed(pred: State, gold: State, extra: str) -> State:
    if extra == "ignore-slots":
        return {slot: value for slot, value in pred.items() if slot in gold}
    domains = {domain_of(slot) for slot in gold}
    return {slot: value for slot, value in pred.items() if domain_of(slot) in domains}


def agreement(rules: Rules) -> Agree:
    """Does a predicted value meet a gold value, where that is more than plain equality?

    Example:
        >>> from dialmeter.rules import named
        >>> agreement(named("dialmeter"))(("6 pm", "18:00"), "18:00"), agreement(named("mwzeval"))("11:15", "1")
        (True, True)
    """
    fuzzy = parse_match(rules.match)
    if fuzzy is None:
        return _any_of
    return _similar(fuzzy)


def _any_of(gold: Value, pred: Value) -> bool:
    return pred in gold if type(gold) is tuple else gold == pred


def _similar(fuzzy: FuzzyMatch) -> Agree:
    from rapidfuzz import fuzz

    score = getattr(fuzz, fuzzy.scorer)

    def agree(gold: Value, pred: Value) -> bool:
        wanted = gold if isinstance(gold, tuple) else (gold,)
        found = pred if isinstance(pred, str) else "|".join(pred)
        best = max(score(each, found) for each in wanted)
        return bool(best >= fuzzy.threshold if fuzzy.inclusive else best > fuzzy.threshold)

    return agree


def gold_against_itself(dialogue: Dialogue, normaliser: Normaliser) -> Dialogue:
    """The same dialogue with gold in the place of the prediction, as a tracker would have to say it.

    Example:
        >>> from dialmeter.model import Turn
        >>> from dialmeter.rules import named
        >>> gold = Dialogue("d", (Turn(0, gold={"hotel-area": ("east", "west"), "hotel-name": "none|a|b"}),))
        >>> gold_against_itself(gold, Normaliser(named("dialmeter"))).turns[0].pred
        {'hotel-area': 'east', 'hotel-name': 'a'}
    """
    turns = tuple(
        structs.replace(turn, pred={slot: normaliser.spoken(value) for slot, value in turn.gold.items()})
        for turn in dialogue.turns
        if turn.gold is not None
    )
    return Dialogue(dialogue.id, turns)
