"""Tests of the comparison of users on the same goals."""

from __future__ import annotations

import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation
from dialmeter.users.compare import common_goals, compare
from dialmeter.users.result import UserResult
from dialmeter.users.scorer import score_user

from .talks import goal, system, talk, user

HOW = Resampling(0.95, 500, 1)


def dialogue(name: str, *said: str, area: str = "east") -> Conversation:
    acts = " | ".join(f"Hotel-Inform {each}" for each in said)
    return talk(goal(hotel={"info": {"area": area, "stars": "4"}}), user(acts), system(""), name=name)


def result(said: dict[str, tuple[str, ...]], rules: str = "dialmeter") -> UserResult:
    return score_user([dialogue(name, *each) for name, each in said.items()], rules, ci=0)


BOTH, ONE = ("area=east", "stars=4"), ("area=east",)
NAMES = [f"d{number}" for number in range(8)]


def test_a_user_is_as_good_as_itself() -> None:
    same = {"a": result(dict.fromkeys(NAMES, ONE)), "b": result(dict.fromkeys(NAMES, ONE))}
    found = compare(same, HOW)
    for each in found.versus:
        if each.measure.startswith("I"):
            assert (each.difference, each.p, each.wins, each.ties, each.losses) == (0, 1, 0, 8, 0)
        else:
            assert each.difference is None


def test_differences_wins_and_losses() -> None:
    some = {name: BOTH if place < 6 else ONE for place, name in enumerate(NAMES)}
    found = compare({"a": result(dict.fromkeys(NAMES, ONE)), "b": result(some)}, HOW)
    recall = next(each for each in found.versus if each.measure == "I-recall")
    assert recall.difference == pytest.approx(6 / 8 * 0.5)
    assert (recall.wins, recall.ties, recall.losses) == (6, 2, 0)
    assert recall.ci is not None
    assert recall.ci[0] <= recall.difference <= recall.ci[1]
    assert recall.p is not None
    assert recall.p_holm is not None
    assert recall.p <= recall.p_holm


def test_the_order_of_dialogues_does_not_matter() -> None:
    some = {name: BOTH if place < 6 else ONE for place, name in enumerate(NAMES)}
    one = compare({"a": result(dict.fromkeys(NAMES, ONE)), "b": result(some)}, HOW)
    turned = dict(reversed(some.items()))
    other = compare({"a": result(dict.fromkeys(NAMES, ONE)), "b": result(turned)}, HOW)
    assert one.versus == other.versus


def test_names_are_matched_whatever_their_letter_case_and_ending() -> None:
    results = {"a": result({"MUL1.json": ONE}), "b": result({"mul1": ONE})}
    assert len(common_goals(results).keys) == 1


def test_only_equal_goals_are_common() -> None:
    first = score_user([dialogue("x", *ONE), dialogue("y", *ONE), dialogue("z", *ONE)], ci=0)
    second = score_user([dialogue("x", *BOTH), dialogue("y", *BOTH, area="west"), dialogue("w", *ONE)], ci=0)
    common = common_goals({"a": first, "b": second})
    assert common.keys == {"x"}
    assert {each.code: each.where for each in common.notices} == {"alone": ("w", "z"), "other-goal": ("y",)}


def test_nothing_in_common() -> None:
    with pytest.raises(DialmeterError, match="a and b have no dialogue with the same name and the same goal"):
        common_goals({"a": result({"x": ONE}), "b": result({"y": ONE})})


def test_what_was_scored_in_different_ways_is_not_compared() -> None:
    with pytest.raises(DialmeterError, match=r"a and b are not comparable: rules"):
        compare({"a": result({"x": ONE}), "b": result({"x": ONE}, "gcdf1-repo")}, HOW)
    with pytest.raises(DialmeterError, match=r"not comparable: dialogues \(d\): 1 .* 2"):
        compare({"a": result({"x": ONE}), "b": result({"x": ONE, "y": ONE})}, HOW)


def test_few_dialogues_are_not_tested() -> None:
    found = compare({"a": result(dict.fromkeys(NAMES[:3], ONE)), "b": result(dict.fromkeys(NAMES[:3], BOTH))}, HOW)
    assert {each.p for each in found.versus} == {None}
    assert [each.code for each in found.notices] == ["few-dialogues"]
