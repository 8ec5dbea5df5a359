"""The losses of a dialogue with their causes, the verdicts for recall and precision, and the confusions behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum
from typing import Literal, TypeAlias

from msgspec import Struct

from ...model import Act
from ..events import DialogueOutcome, DomainOutcome, Measured
from ..goals import requested_slot
from ..prepared_dialogue import PreparedDialogue
from .causes import (
    REASONS,
    Cause,
    Party,
    blocker,
    causes_of_missing_constraint,
    causes_of_missing_request,
    causes_of_outside_constraint,
    causes_of_outside_request,
    most_frequent,
    repeat_cause,
)
from .exchange import Database, Exchange, ExchangeItem

Side: TypeAlias = Literal["recall", "precision"]
_SECONDARY = ("not needed", "label")
"""Parties that decide a dialogue only if there is no other party."""
_MISHEARD = ("user misheard system", "system misheard user")


class Loss(Struct, frozen=True, omit_defaults=True):
    """A unit that cost a point.

    Attributes:
        side: recall for a unit of the goal that is not counted; precision for a counted unit that is not wanted.
        measured: constraints (I) or requests (R); empty if a dialogue was cut and nothing else is missing.
        domain: the domain of the unit.
        about: the constraint or the request.
        weight: number of points; 0 for a unit that was removed from the goal.
        lost_by: the party to blame.
        turn: the turn of the evidence; None if there is none.
        reason: why it was lost, one of ``REASONS``.
        evidence: a sentence that says what was said and what was heard.
        said: the acts that were misheard; empty if nobody misheard.
        heard: the acts that were heard instead.
    """

    side: Side
    measured: Measured | Literal[""]
    domain: str
    about: str
    weight: int
    lost_by: Party
    turn: int | None
    reason: str
    evidence: str
    said: str = ""
    heard: str = ""


class Confusion(Struct, frozen=True):
    """The points that were lost because certain acts were heard as other acts.

    Attributes:
        lost_by: who misheard whom.
        said: the acts that were misheard.
        heard: the acts that were heard instead.
        dialogues: number of dialogues that lost points by it.
        points: number of lost points.
        gains: increase of I-GCDF1 and R-GCDF1, over all domains together, if these points had not been lost.
        example: a dialogue.
    """

    lost_by: Party
    said: str
    heard: str
    dialogues: int
    points: int
    gains: dict[str, float]
    example: str


class SideVerdict(Struct, frozen=True):
    """The party to blame for most losses of one side, and the first turn that shows it."""

    lost_by: Party
    turn: int | None
    reason: str

    @property
    def text(self) -> str:
        """The verdict as one line of text.

        Example:
            >>> SideVerdict("system misheard user", 3, "value_misheard").text
            'system misheard user, turn 3: the system searches with a value that it heard but nobody said'
        """
        turn = "" if self.turn is None else f", turn {self.turn}"
        return f"{self.lost_by}{turn}: {REASONS[self.reason][1]}"


class BlameVerdict(Struct, frozen=True):
    """The losses of a dialogue, and the parties to blame for recall and precision.

    Attributes:
        dialogue: the id of the dialogue.
        losses: all units that cost a point, and units that were removed from the goal.
        recall: the verdict on missing units; None if there are none.
        precision: the verdict on unwanted units; None if there are none.
        failed: True if a wanted unit is missing, or the dialogue was cut.
        confusions: the points that were lost because somebody misheard, by what was said and heard.
    """

    dialogue: str
    losses: tuple[Loss, ...]
    recall: SideVerdict | None
    precision: SideVerdict | None
    failed: bool
    confusions: tuple[Confusion, ...] = ()

    @property
    def main(self) -> SideVerdict | None:
        """The verdict on missing units, else on unwanted units."""
        return self.recall or self.precision


def blame(
    dialogue: PreparedDialogue, outcome: DialogueOutcome, database: Database | None = None, limit: int | None = None
) -> BlameVerdict | None:
    """Find the causes of lost points. Return None if the dialogue lost nothing and was not cut.

    Args:
        dialogue: the dialogue, prepared for scoring.
        outcome: its scores.
        database: checks if a search could succeed. Without one, the goal is compared with the values that the system lists.
        limit: maximum number of turns of a dialogue. Without it, only dialogues that are marked as cut count as cut.
    """
    conversation, units = dialogue.conversation, list(_lost_units(outcome))
    if not units and not conversation.cut:
        return None
    exchange = Exchange(dialogue, database, limit)
    losses = [_loss(exchange, unit, _cause(exchange, outcome, unit)) for unit in units]
    if not any(loss.side == "recall" and loss.weight for loss in losses) and conversation.cut:
        losses.append(_loss(exchange, ("recall", "", "", "", 1), blocker(exchange)))
    missing = [loss for loss in losses if loss.side == "recall" and loss.weight and loss.lost_by != "not needed"]
    recall, precision = (_decide([loss for loss in losses if loss.side == side]) for side in ("recall", "precision"))
    confusions = tuple(_confusions(losses, outcome))
    return BlameVerdict(conversation.id, tuple(losses), recall, precision, bool(missing), confusions)


_Unit: TypeAlias = tuple[Side, Measured | Literal[""], str, str, int]
"""Side, measure, domain, text and weight of a unit that cost a point, as in ``Loss``."""


def _lost_units(outcome: DialogueOutcome) -> Iterator[_Unit]:
    sides: tuple[tuple[Measured, Mapping[str, DomainOutcome]], ...] = (("I", outcome.inform), ("R", outcome.request))
    for measured, domains in sides:
        for domain, each in domains.items():
            wanted, counted = Counter(each.wanted), Counter(each.counted)
            for about, weight in sorted((wanted - counted).items()):
                yield "recall", measured, domain, about, weight
            for about, weight in sorted((counted - wanted).items()):
                yield "precision", measured, domain, about, weight
    for domain, dropped in outcome.dropped.items():
        for about in dropped:
            yield "recall", "I" if "=" in about else "R", domain, about, 0


def _cause(exchange: Exchange, outcome: DialogueOutcome, unit: _Unit) -> Cause:
    """Return the cause of a unit that is missing, not in the goal, or repeated."""
    side, measured, domain, about, _ = unit
    is_constraint = measured == "I"
    if is_constraint:
        slot, _, value = about.partition("=")
    else:
        prefix, value = f"{domain.lower()}-", ""
        slot = about.removeprefix(prefix) if about.startswith(prefix) else requested_slot(about)
    if side == "recall" and is_constraint:
        return next(causes_of_missing_constraint(exchange, domain, slot, value))
    if side == "recall":
        return next(causes_of_missing_request(exchange, domain, slot))
    turns = (outcome.said if is_constraint else outcome.asked)[domain][about]
    item = ExchangeItem("tell" if is_constraint else "ask", domain, slot, value, value)
    units = exchange.dialogue.goal_units.get(domain)
    in_goal = units is not None and about in (units.constraints if is_constraint else units.requests)
    family = "repetition" if is_constraint else "request"
    credited = {
        event.turns
        for event in outcome.events
        if event.credited and (event.family, event.domain, event.about) == (family, domain, about)
    }
    pairs = [pair for pair in pairwise(turns) if pair not in credited]
    if in_goal and pairs:
        return most_frequent([repeat_cause(exchange, item, *pair) for pair in pairs])
    said = [each for each in exchange.said[turns[0]] if each.key == item.key and each.value == value]
    causes = causes_of_outside_constraint if is_constraint else causes_of_outside_request
    return next(causes(exchange, [*said, item][0], turns[0]))


def _loss(exchange: Exchange, unit: _Unit, cause: Cause) -> Loss:
    """Return a loss with its evidence: what was said, and in case of a misunderstanding also what was heard."""
    moves, turn, party = exchange.conversation.moves, cause.turn, cause.lost_by
    said = heard = ""
    evidence = REASONS[cause.reason][1] + (f" ({cause.detail})" if cause.detail else "")
    if turn and party in _MISHEARD:
        general, before, move = exchange.setup.profile.general, moves[turn - 1], moves[turn]
        acts = (before.acts or (), move.understood or ())
        said, heard = confusion(*([act for act in each if act.service not in general] for each in acts))
        evidence = (
            f"turn {turn}: {evidence}; the {before.speaker} said {acts_in_words(before.acts)}, the {move.speaker} "
            f"heard {acts_in_words(move.understood)}"
        )
    elif turn is not None:
        evidence = f"turn {turn}: {evidence}; the {moves[turn].speaker} said {acts_in_words(moves[turn].acts)}"
    return Loss(*unit, party, turn, cause.reason, evidence, said, heard)


def confusion(said: Iterable[Act], heard: Iterable[Act]) -> tuple[str, str]:
    """Return what was said and not heard, and what was heard instead.

    Names of acts are compared first. If they are equal, their slots are compared, and then their values, which are not named: a
    confusion of values is the same confusion for every value.

    Example:
        >>> said, heard = Act("Booking-Book", "booking", "ref", ("7",)), Act("Train-OfferBooked", "train", "ref", ("7",))
        >>> confusion([said], [heard])
        ('Booking-Book', 'Train-OfferBooked')
        >>> stars, area = (Act("Hotel-Inform", "hotel", slot, ("4",)) for slot in ("stars", "area"))
        >>> confusion([stars], [stars, area]), confusion([stars], [Act("Hotel-Inform", "hotel", "stars", ("3",))])
        (('nothing', 'Hotel-Inform area'), ('Hotel-Inform stars', 'another value'))
    """
    told, understood = ({_act_parts(each) for each in acts} for acts in (said, heard))
    for size in (1, 2):
        before, after = ({" ".join(each[:size]).strip() for each in acts} for acts in (told, understood))
        if before != after:
            return ", ".join(sorted(before - after)) or "nothing", ", ".join(sorted(after - before)) or "nothing"
    return ", ".join(sorted({" ".join(each[:2]).strip() for each in told - understood})) or "nothing", "another value"


def _act_parts(act: Act) -> tuple[str, str, str]:
    """Return the name of an act with its service, its slot and its values."""
    is_named = act.service.lower() in act.name.lower()
    return act.name if is_named else f"{act.service}-{act.name}", act.slot, "|".join(act.values)


def acts_in_words(acts: Sequence[Act] | None) -> str:
    """Return acts as one line of text.

    Example:
        >>> acts_in_words([Act("Hotel-Inform", "hotel", "area", ("east",)), Act("general-bye", "general")])
        'Hotel-Inform area=east, general-bye'
    """
    if acts is None:
        return "unknown"
    texts = [
        f"{each.name} {each.slot}{'=' if each.values else ''}{'|'.join(each.values)}" if each.slot else each.name
        for each in acts
    ]
    return ", ".join(texts) or "nothing"


def _confusions(losses: Iterable[Loss], outcome: DialogueOutcome) -> Iterator[Confusion]:
    grouped: dict[tuple[Party, str, str], list[Loss]] = {}
    for loss in losses:
        if loss.weight and loss.said:
            grouped.setdefault((loss.lost_by, loss.said, loss.heard), []).append(loss)
    for key, group in grouped.items():
        gains = {"I-GCDF1": _gain(outcome, "I", group), "R-GCDF1": _gain(outcome, "R", group)}
        yield Confusion(*key, 1, sum(loss.weight for loss in group), gains, outcome.id)


def _gain(outcome: DialogueOutcome, measured: Measured, losses: Iterable[Loss]) -> float:
    """Return how much F1 of a dialogue would rise without these losses: missing units are said, and unwanted units are not."""
    score = outcome.combined[measured]
    if score is None:
        return 0.0
    domains = outcome.inform if measured == "I" else outcome.request
    points = Counter({"recall": 0, "precision": 0})
    for loss in losses:
        points[loss.side] += loss.weight if loss.measured == measured else 0
    # F1 is twice the number of equal units, divided by the number of all units.
    size = sum(len(each.wanted) + len(each.counted) for each in domains.values())
    mended = size + points["recall"] - points["precision"]
    return (min(1.0, (score.f1 * size + 2 * points["recall"]) / mended) if mended else 1.0) - score.f1


def _decide(losses: Iterable[Loss]) -> SideVerdict | None:
    """Return the party with the most votes. On a tie, the earlier turn decides.

    Units of recall vote with their weight, units of precision with one vote each.
    """
    voting = [loss for loss in losses if loss.weight]
    voting = [loss for loss in voting if loss.lost_by not in _SECONDARY] or voting
    if not voting:
        return None
    votes: Counter[str] = Counter()
    for loss in voting:
        votes[_voter(loss)] += loss.weight if loss.side == "recall" else 1

    def rank(loss: Loss) -> tuple[int, int]:
        return -votes[_voter(loss)], -1 if loss.turn is None else loss.turn

    best = min(voting, key=rank)
    return SideVerdict(best.lost_by, best.turn, best.reason)


def _voter(loss: Loss) -> str:
    """Return the party that a loss votes for. The two directions of mishearing vote together."""
    return "mishearing" if loss.lost_by in _MISHEARD else loss.lost_by


def confusion_table(verdicts: Iterable[BlameVerdict], dialogues: Mapping[str, int]) -> list[Confusion]:
    """Return the confusions of all dialogues, those with the most lost points first.

    Args:
        verdicts: the verdicts on the dialogues.
        dialogues: number of dialogues in which a measure has a value. Gains are means over them.

    Example:
        >>> heard = Confusion("user misheard system", "Booking-Book", "Train-OfferBooked", 1, 3, {"I-GCDF1": 0.5}, "d1")
        >>> verdict = BlameVerdict("d1", (), None, None, True, (heard,))
        >>> [(each.points, each.gains) for each in confusion_table([verdict], {"I-GCDF1": 10})]
        [(3, {'I-GCDF1': 0.05})]
    """
    grouped: dict[tuple[Party, str, str], list[Confusion]] = {}
    for verdict in verdicts:
        for each in verdict.confusions:
            grouped.setdefault((each.lost_by, each.said, each.heard), []).append(each)
    table = []
    for key, group in sorted(grouped.items()):
        gains = {name: fsum(each.gains[name] for each in group) / n for name, n in dialogues.items() if n}
        table.append(Confusion(*key, len(group), sum(each.points for each in group), gains, group[0].example))
    return sorted(table, key=lambda each: -each.points)
