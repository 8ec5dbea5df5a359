"""What settles a finding of the diagnosis: an option, or values and slots that count as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct, field

from ...errors import InputError, one_line
from ...model import Value
from ...readers.pairs.vocabulary import Vocabulary
from ...values.steps import difference
from ..align import PairFiles
from ..pairs import PairRules, alternatives
from ..rule_sets.normalise import Normaliser
from ..rule_sets.rules import Rules, change
from ..walk import Walk
from .findings import shown

_STEPS = ("trim", "blanks", "lower")


class Settlement(Struct, frozen=True):
    """What settles a finding.

    Attributes:
        option: the option of the command line, or what to change in the files.
        rules: the rule set with that option.
        slots: slots that take another name.
        values: values of a slot that count as another value.
    """

    option: str
    rules: Rules
    slots: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, Value | None], Value] = field(default_factory=dict)


def value_difference(gold: Value, pred: Value) -> str:
    """The kind of difference between two values, or between any two of their alternatives."""
    kinds = (difference(one, other) for one in sorted(alternatives(gold)) for other in sorted(alternatives(pred)))
    return next(filter(None, kinds), "")


def settle_values(slot: str, wrong: dict[tuple[Value, Value], int], rules: Rules) -> Settlement:
    """The first option that makes at least half of the turns agree; else a value map of one's own."""
    half = sum(wrong.values()) / 2
    for option, changed in _options(rules):
        normaliser = Normaliser(changed)
        if sum(count for pair, count in wrong.items() if _meet(normaliser, slot, *pair)) >= half:
            return Settlement(option, changed)
    ordered = sorted(wrong, key=lambda pair: (-wrong[pair], str(pair)))
    known = [pair for pair in ordered if value_difference(*pair)]
    chosen = known if sum(wrong[pair] for pair in known) >= half else ordered
    values: dict[tuple[str, Value | None], Value] = {}
    for gold, pred in chosen:
        values.setdefault((slot, pred), _nearest(gold, pred))
    return Settlement(_own_map(slot, *chosen[0], len(chosen) > 1), rules, values=values)


def _options(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Options that bring spellings together, each with the rule set that it makes."""

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
    wanted, found = normaliser.gold_value(gold, slot), normaliser.pred_value(pred, slot)
    return wanted is not None and found is not None and not alternatives(wanted).isdisjoint(alternatives(found))


def _nearest(gold: Value, pred: Value) -> Value:
    """The alternative of gold that a prediction may be another spelling of."""
    if isinstance(gold, str):
        return gold
    return next((each for each in gold if value_difference(each, pred)), gold[0] if gold else gold)


def _own_map(slot: str, gold: Value, pred: Value, more: bool) -> str:
    """The option for a value map of one's own, with the map."""
    domain, hyphen, name = slot.partition("-")
    forms = {shown(_nearest(gold, pred)): [shown(pred)]}
    layout = {name: {domain: forms}} if hyphen else {slot: forms}
    text = msgspec.json.format(msgspec.json.encode(layout), indent=0).decode()
    return f"--map FILE with {one_line(text, 200)}{' and the like' if more else ''}"


class Rescored(Struct):
    """JGA under a settlement, as counts.

    Attributes:
        turns: how many were compared.
        right: how many of them are exact.
        flip: dialogue and number of the first turn that becomes right.
    """

    turns: int = 0
    right: int = 0
    flip: tuple[str, int] | None = None

    @property
    def value(self) -> float:
        """JGA."""
        return self.right / self.turns if self.turns else 0.0


def rescore(files: PairFiles, rules: Rules, settlements: Sequence[Settlement]) -> list[Rescored | None]:
    """Reads the files once and gives JGA under the rules as they are, then under each settlement.

    Returns:
        The counts; None for a settlement that gives a state two values of one slot, which the rules refuse.

    Raises:
        InputError: a file cannot be read any more.
    """
    words = Vocabulary()
    settled = [Settlement("", rules), *settlements]
    walks = [Walk(PairRules(each.rules, words, each.slots, each.values)) for each in settled]
    scores: list[Rescored | None] = [Rescored() for _ in settled]
    for read in files.read(words):
        right_before: set[int] = set()
        for place, (walk, score) in enumerate(zip(walks, scores, strict=True)):
            if score is None:
                continue
            try:
                score.turns += walk.take(read)
            except InputError:
                scores[place] = None
                continue
            # A row begins with the number of gold slots, of predicted slots, and of slots that match.
            rows = zip(walk.numbers, walk.rows(None, None), strict=True)
            right = {number for number, row in rows if row[0] == row[1] == row[2]}
            score.right += len(right)
            if place == 0:
                right_before = right
            elif score.flip is None and (new := right - right_before):
                score.flip = read.id, min(new)
    return scores
