"""A measure's repr is its identity. Names and parameters are validated, and every built-in measure has a description."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dialmeter import citations
from dialmeter.errors import DialmeterError
from dialmeter.measure import Measure, build, parameter_help, parse, registry, with_settings
from dialmeter.model import Frame
from dialmeter.tracking.measures.fga import FGA, lam_for
from dialmeter.tracking.measures.gca import GCA
from dialmeter.tracking.measures.sgd import IntentAccuracy
from dialmeter.tracking.measures.states import JGA, SA, SequenceMatch
from dialmeter.tracking.rule_sets.rules import named
from dialmeter.tracking.tally import Tally
from dialmeter.tracking.vectors.frames import FramePair

NAMES = registry.builtin()


def plain(name: str) -> Measure:
    """Return a measure with its required parameters."""
    return parse("FGA(lam=0.5)" if name == "FGA" else name)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("JGA", "JGA"),
        ("JGA()", "JGA"),
        (" jga ( ) ", "JGA"),
        ("JGA(average=turn)", "JGA"),
        ("JGA(average=dialogue)", "JGA(average=dialogue)"),
        ("JGA(average='dialogue')", "JGA(average=dialogue)"),
        ("FGA(lam=.5)", "FGA(lam=0.5)"),
        ("FGA(lam=1.0)", "FGA(lam=1)"),
        ("FGA(lam=1/4)", "FGA(lam=0.25)"),
        ("FGA(lam=5e-1)", "FGA(lam=0.5)"),
        ("FGA(lam=inf)", "FGA(lam=inf)"),
        ("FGA(lam={train:0,'hotel': 1/2})", "FGA(lam={hotel: 0.5, train: 0})"),
        ('FGA(local=code, lam={other: inf, "bus line": .1})', "FGA(lam={bus line: 0.1, other: inf}, local=code)"),
        ("FGA( local = code , lam = 0 )", "FGA(lam=0, local=code)"),
        ("FGA(average=dialogue, lam=1)", "FGA(lam=1, average=dialogue)"),
        ("SA(slots=30)", "SA(slots=30)"),
        ("SA(slots=0)", "SA"),
        ("GCA(alpha=10/11)", "GCA"),
        ("GCA(alpha=0.9)", "GCA(alpha=0.9)"),
        ("GCA(deletions=count)", "GCA(deletions=count)"),
        ("RSA(empty=skip)", "RSA(empty=skip)"),
        ("JointGoalAccuracy(exact=True)", "JointGoalAccuracy(exact=True)"),
        ("jointgoalaccuracy(exact=true)", "JointGoalAccuracy(exact=True)"),
        ("JointCatAccuracy(case=exact, across_turn=true)", "JointCatAccuracy(case=exact, across_turn=True)"),
        ("AverageGoalAccuracy(case=lower)", "AverageGoalAccuracy"),
        ("IntentAccuracy(case=exact)", "IntentAccuracy(case=exact)"),
        ("SA(capped=false, slots=30)", "SA(slots=30, capped=False)"),
        ("SA(capped=true)", "SA"),
        ("sequencematch", "SequenceMatch"),
    ],
)
def test_parsed_and_shown(text: str, shown: str) -> None:
    measure = parse(text)
    assert repr(measure) == shown
    assert parse(shown) == measure
    assert hash(parse(shown)) == hash(measure)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("JGB", "unknown measure 'JGB'; did you mean JGA?"),
        ("", "is not a measure"),
        ("JGA(", "is not a measure"),
        ("FGA(lam=1) extra", "is not a measure"),
        ("FGA", r"FGA needs lam, such as FGA\(lam=0.5\)"),
        ("FGA(lam)", "write parameters like lam=value"),
        ("FGA(lambda=1)", "FGA has no parameter 'lambda'; did you mean lam?"),
        ("FGA(lam=-0.1)", "lam must be at least 0"),
        ("FGA(lam=nan)", "lam must be at least 0"),
        ("FGA(lam=x)", "lam"),
        ("FGA(lam={})", "lam has no domain"),
        ("FGA(lam={train})", r"write it like \{train: 0, hotel: 0.5\}"),
        ("FGA(lam={train: 0, train: 1})", "duplicate domain train"),
        ("FGA(lam={train: 0, hotel: -1})", "lam must be at least 0"),
        ("FGA(lam={train: nan})", "lam must be at least 0"),
        ("FGA(lam={train: x})", "Expected `float`, got `str`"),
        ("FGA(lam={tr|ain: 0})", "cannot be a domain"),
        ("FGA(lam={train: 0)", "lam"),
        ("GCA(alpha={train: 0})", "alpha"),
        ("FGA(lam=1, local=vektor)", "vektor"),
        ("JGA(average=mean)", "mean"),
        ("GCA(alpha=1.1)", "alpha must be between 0 and 1"),
        ("GCA(credit=fuzzy, deletions=code)", "credit is not defined with deletions=code"),
        ("SA(slots=2.5)", "slots"),
        ("SA(capped=3)", "capped"),
        ("AverageGoalAccuracy(across_turn=true)", "AverageGoalAccuracy has no parameter 'across_turn'"),
        ("IntentAccuracy(case=upper)", "upper"),
        ("RSA(empty=none)", "none"),
    ],
)
def test_refused(text: str, says: str) -> None:
    with pytest.raises(DialmeterError, match=says):
        parse(text)


@pytest.mark.parametrize("name", NAMES)
def test_measure_descriptions(name: str) -> None:
    measure = plain(name)
    kind = type(measure)
    assert kind.__name__ == name
    assert kind.title
    assert kind.formula
    assert kind.__doc__
    assert kind.reason_unscored
    assert kind.low < kind.high
    assert kind.unit in ("turn", "dialogue", "frame")
    assert measure.reads() in ("tally", "states", "texts", "frames")
    assert all(parameter_help(kind).values())
    assert set(kind.cite) <= citations.entries().keys()


@pytest.mark.parametrize("name", NAMES)
def test_measures_round_trip_frozen(name: str) -> None:
    measure = plain(name)
    assert parse(repr(measure)) == measure
    with pytest.raises(AttributeError):
        measure.average = "dialogue"  # type: ignore[misc]


@pytest.mark.parametrize("name", NAMES)
def test_no_sums(name: str) -> None:
    assert plain(name).value((0, 0, 0, 0)) is None


def test_slot_accuracy_below_zero() -> None:
    tally = Tally(gold=3, pred=3, match=0, both=0, since=0, missed=0, wrong=0, extra=0, correct=0)
    assert tally.errors == 6
    assert SA(slots=4).from_tally(tally) == (0, 1)
    assert SA(slots=4, capped=False).from_tally(tally) == (-0.5, 1)


def test_sequence_blanks() -> None:
    measure = SequenceMatch()
    assert measure.from_texts(" [a]([b][c])", "[a]([b][c]) \n") == (True, 1)
    assert measure.from_texts("[a]([b][c],[d][e])", "[a]([d][e],[b][c])") == (False, 1)
    assert measure.from_texts("[a]([b][c])", "[a]([b][C])") == (False, 1)
    assert measure.value((1, 2)) == 0.5


@pytest.mark.parametrize(
    ("gold", "pred", "precision", "recall", "f1"),
    [
        ((), (), 1, 1, 1),
        (("a",), (), 1, 0, 0),
        ((), ("a",), 0, 1, 0),
        (("a", "b"), ("b", "c", "d"), 1 / 3, 1 / 2, 2 / 5),
        (("a",), ("a", "a"), 1 / 2, 1, 2 / 3),
        (("a", "a"), ("a", "a"), 1, 1, 1),
    ],
)
def test_requested_slots(
    gold: tuple[str, ...], pred: tuple[str, ...], precision: float, recall: float, f1: float
) -> None:
    for name, wanted in (("Precision", precision), ("Recall", recall), ("F1", f1)):
        measure: Any = parse(f"RequestedSlot{name}")
        assert measure.from_frame(framed(gold_requested=gold, pred_requested=pred)) == (pytest.approx(wanted), 1)
        assert measure.from_frame(framed(gold_requested=gold)) == (0, 0)


def test_intents_in_lower_case_or_exactly() -> None:
    for pred, lower, exact in (("Find", 1, 1), ("FIND", 1, 0), ("Book", 0, 0)):
        frame = framed(gold_intent="Find", pred_intent=pred)
        assert IntentAccuracy().from_frame(frame) == (lower, 1)
        assert IntentAccuracy(case="exact").from_frame(frame) == (exact, 1)


def framed(**said: Any) -> FramePair:
    """Return a frame of a service without slots."""
    return FramePair({}, {}, {}, Frame(**said), named("sgd"))


def test_equal_measures_are_one() -> None:
    assert len({FGA(lam=0.5), FGA(lam=0.5), FGA(lam=1), JGA(), JGA(average="dialogue")}) == 4
    assert repr(JGA()) == "JGA"


def test_settings_stand_in_for_defaults_only() -> None:
    settings = {"FGA": {"local": "code"}, "GCA": {"deletions": "code", "unchanged": "zero"}}
    assert with_settings(FGA(lam=1), settings) == FGA(lam=1, local="code")
    assert with_settings(FGA(lam=1, local="vector"), settings) == FGA(lam=1, local="vector")
    assert with_settings(GCA(deletions="count"), settings) == GCA(deletions="count", unchanged="zero")
    assert with_settings(JGA(), settings) == JGA()


def test_built_from_parameters() -> None:
    assert build(FGA, {"lam": 0.5}) == FGA(lam=0.5)
    with pytest.raises(DialmeterError, match="FGA needs lam"):
        build(FGA, {})


def test_lambda_from_forgetting() -> None:
    assert lam_for(0.95, 6) == pytest.approx(0.4993, abs=1e-4)
    assert 1 - math.exp(-lam_for(0.3, 2) * 2) == pytest.approx(0.3)
    for share, turns in ((0, 1), (1, 1), (0.5, 0), (2, 3)):
        with pytest.raises(ValueError, match="forgotten must be between"):
            lam_for(share, turns)
