"""From dialogues as read to steps as compared: rules applied, missing and extra turns told apart, gold digested."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from msgspec import DecodeError, Raw, Struct, structs

from ..errors import InputError
from ..formats.native import LightDialogue, StateDecoder
from ..model import Dialogue, State, Value, domain_of
from ..normalise import Normaliser, accumulated
from ..rules import FuzzyMatch, Rules, parse_match
from .digest import Change, GoldDigest, change
from .tally import Agree, Step

if TYPE_CHECKING:
    from .kernel import Tallied

_ENOUGH = 1000
_EXAMPLES = 10

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
        if len(self.examples) < _EXAMPLES:
            listed = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
            self.examples.append(dialogue_id if whole else f"{dialogue_id} turn {listed}")

    def merge(self, other: Unpaired) -> None:
        """Takes what another part of the corpus has; its examples stand behind ours."""
        self.turns += other.turns
        self.dialogues += other.dialogues
        self.examples = [*self.examples, *other.examples][:_EXAMPLES]


class Findings(Struct):
    """What was noticed of a part of the corpus while its dialogues were prepared."""

    digest: GoldDigest
    missing: Unpaired
    extra: Unpaired
    gold_slots: set[str]
    hedged: dict[str, str]
    gold_changes: int
    gold_losses: int


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
        self.normaliser = Normaliser(rules)
        self.decoder = StateDecoder()
        self._agree = agreement(rules)
        self._fuzzy = rules.match != "exact"
        self._any_of = rules.alternatives == "any-of"
        self._looks_at_states_alone = (
            rules.state == "cumulative" and rules.extra == "penalise" and not keep_none and known_slots is None
        )

    @property
    def findings(self) -> Findings:
        """What was noticed so far."""
        return Findings(
            self.digest,
            self.missing,
            self.extra,
            self.gold_slots,
            self.hedged,
            self.gold_changes,
            self.gold_losses,
        )

    def merge(self, other: Findings) -> None:
        """Takes what was noticed of another part of the corpus.

        Raises:
            InputError: a dialogue stands in both.
        """
        self.digest.merge(other.digest)
        self.missing.merge(other.missing)
        self.extra.merge(other.extra)
        self.gold_slots |= other.gold_slots
        self.hedged.update(other.hedged)
        if self.gold_changes < _ENOUGH:
            self._note_losses(other.gold_changes, other.gold_losses)

    def prepare(self, dialogue: AnyDialogue) -> Prepared:
        """One dialogue as steps; turns without gold, and without prediction where rules skip them, are left out.

        Raises:
            InputError: a state that is none, with dialogue, turn and slot.
        """
        fast = (
            self._prepare_light(dialogue)
            if self._looks_at_states_alone and isinstance(dialogue, LightDialogue)
            else None
        )
        return fast or self._prepare_any(dialogue)

    def _prepare_light(self, dialogue: LightDialogue) -> Prepared | None:
        """The way of the many: complete dialogues whose rules look at each state by itself. None for all others.

        A state is taken as it stands when its slots and values are known to be in order and no key stands twice, that is,
        when it has four quotation marks a pair; all else is looked at closely.
        """
        decode, normaliser, slots = self.decoder.fast, self.normaliser, self.gold_slots
        names, clean = self.decoder.named, self.normaliser.clean
        steps: list[Step] = []
        changes: dict[int, Change] = {}
        gold_raw = pred_raw = Raw(b"{}")
        gold: State = {}
        pred: State = {}
        read = gold
        alternatives = False
        number = 0
        try:
            for turn in dialogue.turns:
                number = turn.number
                if turn.gold != gold_raw:
                    gold_raw = turn.gold
                    state: State = decode(gold_raw)
                    if not names.issuperset(state) or bytes(gold_raw).count(b'"') != 4 * len(state):
                        state = self.decoder.decode_closely(gold_raw)
                    if state != read:
                        if found := change(read, state):
                            changes[number] = found
                        gold = read = state
                        if not clean.issuperset(state.values()):
                            gold = normaliser.gold(state)
                            alternatives = alternatives or (self._any_of and tuple in map(type, gold.values()))
                        slots.update(gold)
                if turn.pred != pred_raw:
                    pred_raw = turn.pred
                    # A prediction that is gold letter by letter, where gold stays as it is under the rules, is right.
                    if pred_raw == gold_raw and gold is read:
                        pred = gold
                    else:
                        state = decode(pred_raw)
                        if not names.issuperset(state) or bytes(pred_raw).count(b'"') != 4 * len(state):
                            state = self.decoder.decode_closely(pred_raw)
                        pred = state
                        if not clean.issuperset(state.values()):
                            pred = normaliser.pred(state)
                            self._note_hedged(dialogue.id, number, state)
                steps.append((number, gold, pred, gold, pred))
        except (DecodeError, UnicodeDecodeError):
            return None
        except InputError as error:
            raise error.at(dialogue=dialogue.id, turn=number) from None
        self._look_for_losses(steps)
        self.digest.add(dialogue.id, list(range(len(steps))), changes)
        return Prepared(dialogue.id, steps, self._agree if alternatives or self._fuzzy else None)

    def _prepare_any(self, dialogue: AnyDialogue) -> Prepared:
        rules, normaliser, decode = self.rules, self.normaliser, self.decoder.decode
        adds_gold, adds_pred = rules.state == "update", rules.state != "cumulative"
        steps: list[Step] = []
        numbers: list[int] = []
        changes: dict[int, Change] = {}
        lacking: list[int] = []
        surplus: list[int] = []
        alternatives = False
        old_gold: object = None
        old_pred: object = None
        gold_read: State = {}
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
                    if state != gold_read:
                        if found := change(gold_read, state):
                            changes[turn.number] = found
                        gold_read = state
                    gold = normaliser.gold(state)
                    self.gold_slots.update(gold)
                    if self._known_slots is not None and not gold.keys() <= self._known_slots:
                        raise InputError("not in the schema", slot=min(gold.keys() - self._known_slots))
                    if gold is not state and self._any_of and not alternatives:
                        alternatives = any(type(value) is tuple for value in gold.values())
                    gold_none = self._with_none(state, gold)
                numbers.append(turn.number)
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
        self._look_for_losses(steps)
        if numbers:
            self.digest.add(dialogue.id, numbers, changes)
        if lacking:
            self.missing.note(dialogue.id, lacking, whole=len(lacking) == len(numbers))
        if surplus:
            self.extra.note(dialogue.id, surplus, whole=not numbers)
        return Prepared(dialogue.id, steps, self._agree if alternatives or self._fuzzy else None)

    def _with_none(self, state: State, normal: State) -> State:
        if not self._keep_none or normal is state:
            return normal
        dropped = {
            slot: "none" for slot, value in state.items() if slot not in normal and self.normaliser.absent(value)
        }
        return {**normal, **dropped}

    def take(self, found: Tallied) -> None:
        """Takes what the kernel found in the gold of a dialogue."""
        self.digest.add_form(found.id, found.gold)
        if found.gold_slots:
            self.gold_slots.update(found.gold_slots)
        if self.gold_changes < _ENOUGH:
            self._note_losses(found.gold_changes, found.gold_losses)

    def _note_losses(self, changes: int, losses: int) -> None:
        """Counts how often gold loses a slot when it changes: the first thousand changes tell what states are."""
        self.gold_changes += changes
        self.gold_losses += losses

    def _look_for_losses(self, steps: list[Step]) -> None:
        if self.gold_changes < _ENOUGH:
            changed = [
                (before, now) for (_, before, *_), (_, now, *_) in pairwise(steps) if before and before is not now
            ]
            self._note_losses(len(changed), sum(not before.keys() <= now.keys() for before, now in changed))

    def _note_hedged(self, dialogue_id: str, number: int, state: State) -> None:
        """Remembers predictions of several values: they count as one, and the user should know."""
        if not self._any_of:
            return
        for slot, value in state.items():
            if "|" in value or type(value) is tuple:
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
