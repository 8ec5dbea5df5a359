"""Tests of the accuracy of reading text: precision, recall, and the effect of errors on scores."""

from __future__ import annotations

import pytest

from dialmeter.model import Act, Move
from dialmeter.users.canonical import Matcher
from dialmeter.users.profile import named
from dialmeter.users.text.phrases import numbers, times
from dialmeter.users.text.reader import (
    TextReader,
    TextSchema,
    TextTurn,
    measure_reading,
    score_effect,
    without_acts,
)
from dialmeter.users.text.rules import RuleMaker

from ...shared_data import shared
from ..conversations import goal, make_conversation, system, user

GOAL = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]})
PROFILE = named("multiwoz")


class Silent:
    """Finds nothing."""

    name = "silent"

    def acts(self, turn: TextTurn, schema: TextSchema) -> tuple[Act, ...]:
        return ()


def test_found_against_acts() -> None:
    said = user(
        "Hotel-Inform area=east | Hotel-Inform stars=4 | Hotel-Request phone=?", "A hotel in the east with 3 stars."
    )
    found, pairs = measure_reading(
        [make_conversation(GOAL, said, system("general-bye", text="Bye."))],
        TextReader(RuleMaker(PROFILE, None), PROFILE),
        PROFILE,
        Matcher(None),
    )
    counts = {(each.kind, each.domain, each.slot): (each.right, each.found, each.given) for each in found.units}
    assert counts["inform", "", ""] == (1, 2, 2)
    assert counts["request", "", ""] == (0, 0, 1)
    assert counts["inform", "hotel", "stars"] == (0, 1, 1)
    assert found.summary == "informs P .50 R .50, requests P – R .00 (1 dialogues)"
    assert [move.read_by for move in pairs[0][1].moves] == ["rules", "rules"]


def test_reader_without_finds() -> None:
    each = make_conversation(GOAL, user("Hotel-Inform area=east", "East."), system("general-bye"))
    found, _ = measure_reading([each], TextReader(Silent(), PROFILE), PROFILE, Matcher(None))
    assert (found.maker, found.units[0].precision, found.units[0].recall) == ("silent", None, 0)


def test_words_without_acts_and_requests() -> None:
    each = without_acts(
        make_conversation(GOAL, user("Hotel-Inform area=east", "East."), system("general-bye", text="Bye."))
    )
    assert each.moves == (Move("user", "East."), Move("system", "Bye."))
    assert each.goal == GOAL


def test_effect_on_score() -> None:
    effect = score_effect("I-GCDF1", [(1.0, 0.5), (0.5, 0.0), (0.0, 0.0), (1.0, 1.0)])
    assert (effect.by_acts, effect.from_text, effect.bias) == (0.625, 0.375, -0.25)
    assert effect.correlation == pytest.approx(0.5625 / 0.6875)
    assert score_effect("I-GCDF1", [(1.0, 0.5)]).correlation is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("17:30", ["17:30"]),
        ("half past 11 in the morning", ["11:30"]),
        ("a quarter to nine", ["08:45"]),
        ("evening 6:15", ["18:15"]),
        ("one in the afternoon", ["13:00"]),
        ("12 am or 12 pm", ["00:00", "12:00"]),
        ("5 p.m.", ["17:00"]),
        ("2 nights", []),
        ("25:00", []),
        ("noon", ["12:00"]),
    ],
)
def test_times(text: str, found: list[str]) -> None:
    assert [value for *_, value in times(text)] == found


def test_numbers_not_times_or_sums() -> None:
    assert [value for *_, value in numbers("for two at 17:30, £5, 3 people, 4pm, one way, zero bags")] == [
        "2",
        "3",
        "0",
    ]


def test_rules_read_people_as_docs_report() -> None:
    """Return the half of the dialogues that was not used to design the rules, as in `benchmarks/text_reading.py`."""
    import sys

    shared("data", "tracking", "som_dst_100.json")
    sys.path.insert(0, "benchmarks")
    try:
        import text_reading
    finally:
        sys.path.remove("benchmarks")
    from dialmeter.values.maps import ValueMap

    values = ValueMap.read(shared("data", "users", "multiwoz21_canonical_map.json.gz"))
    found = text_reading.sgd(1, named("sgd"))
    units = [text_reading.multiwoz_informs(1, values), *found.units[:2]]
    assert [(each.right, each.found, each.given) for each in units] == [(297, 353, 359), (255, 269, 299), (40, 46, 76)]
