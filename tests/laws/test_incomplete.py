"""Turns that are missing on one side, and states given as updates, score like the same corpus written in full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dialmeter.model import Dialogue, State, Turn
from dialmeter.tracking.rule_sets.rules import change, named

from .corpora import corpora, law, scored, values

MEASURES = ("JGA", "SA(slots=30)", "AGA", "RSA", "FGA(lam=0.5)", "GCA", "GCA(deletions=count)", "SlotF1", "FinalJGA")
holes = st.lists(st.sampled_from((False, False, True)), min_size=24, max_size=24)


def with_holes(corpus: list[Dialogue], marks: list[bool], side: str) -> tuple[list[Dialogue], list[Dialogue]]:
    """The corpus without one side's state at marked turns, and the corpus without those turns."""
    marked = iter(marks)
    lacking, shorter = [], []
    for each in corpus:
        turns = [(turn, next(marked)) for turn in each.turns]
        lacking.append(
            Dialogue(each.id, tuple(structs.replace(turn, **{side: None}) if hole else turn for turn, hole in turns))
        )
        shorter.append(Dialogue(each.id, tuple(turn for turn, hole in turns if not hole)))
    return lacking, [each for each in shorter if each.turns]


@pytest.mark.parametrize("extra", ["penalise", "ignore-slots", "ignore-domains"])
@given(corpus=corpora(), marks=holes)
@law
def test_skipped_turns(extra: str, corpus: list[Dialogue], marks: list[bool]) -> None:
    lacking, shorter = with_holes(corpus, marks, "pred")
    if shorter:
        skipping = change(named("dialmeter"), missing="skip", extra=extra)
        assert values(scored(lacking, MEASURES, skipping)) == values(scored(shorter, MEASURES, skipping))


def test_ignored_extra_after_skipped_turn() -> None:
    first, both = {"hotel-area": "1"}, {"hotel-area": "1", "taxi-to": "2"}
    turns = (Turn(0, gold=first, pred=both), Turn(1, gold=both), Turn(2, gold=both, pred=both))
    for extra in ("ignore-slots", "ignore-domains"):
        skipping = change(named("dialmeter"), missing="skip", extra=extra)
        assert scored([Dialogue("d", turns)], ["JGA"], skipping).value == 1


@given(corpus=corpora(), marks=holes)
@law
def test_missing_predictions_as_empty(corpus: list[Dialogue], marks: list[bool]) -> None:
    lacking, _ = with_holes(corpus, marks, "pred")
    filled = [
        Dialogue(
            each.id, tuple(turn if turn.pred is not None else structs.replace(turn, pred={}) for turn in each.turns)
        )
        for each in lacking
    ]
    counting = change(named("dialmeter"), missing="empty")
    assert values(scored(lacking, MEASURES, counting)) == values(scored(filled, MEASURES))


@given(corpus=corpora(), marks=holes)
@law
def test_turns_without_gold(corpus: list[Dialogue], marks: list[bool]) -> None:
    lacking, shorter = with_holes(corpus, marks, "gold")
    if shorter:
        assert values(scored(lacking, MEASURES)) == values(scored(shorter, MEASURES))


def as_updates(corpus: list[Dialogue], sides: tuple[str, ...]) -> list[Dialogue]:
    """The same dialogues where each turn holds only what is new; a slot that leaves becomes none."""
    written = []
    for each in corpus:
        before: dict[str, State] = {side: {} for side in sides}
        turns = []
        for turn in each.turns:
            new = {}
            for side in sides:
                now: State = getattr(turn, side)
                left = dict.fromkeys(before[side].keys() - now.keys(), "none")
                new[side] = {**dict(now.items() - before[side].items()), **left}
                before[side] = now
            turns.append(structs.replace(turn, **new))
        written.append(Dialogue(each.id, tuple(turns)))
    return written


@pytest.mark.parametrize(("state", "sides"), [("update", ("gold", "pred")), ("update-pred", ("pred",))])
@given(corpus=corpora())
@law
def test_updates_add_up_to_states(state: str, sides: tuple[str, ...], corpus: list[Dialogue]) -> None:
    adding = change(named("dialmeter"), state=state)
    assert values(scored(as_updates(corpus, sides), MEASURES, adding)) == values(scored(corpus, MEASURES))


@given(corpus=corpora(), marks=holes)
@law
def test_update_without_gold(corpus: list[Dialogue], marks: list[bool]) -> None:
    lacking, shorter = with_holes(as_updates(corpus, ("pred",)), marks, "gold")
    whole, _ = with_holes(corpus, marks, "gold")
    if shorter:
        adding = change(named("dialmeter"), state="update-pred")
        assert values(scored(lacking, MEASURES, adding)) == values(scored(whole, MEASURES))
