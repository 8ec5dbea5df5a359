"""The results of all subjects have the same interface."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from dialmeter import Act, DialmeterError
from dialmeter.core.result import Result
from dialmeter.judges.people.study import judge_people
from dialmeter.judges.scorer import attack_replies, score_judge
from dialmeter.model import Conversation, DomainGoal, Move, Trajectory
from dialmeter.readers.ratings.rated_item import RatedItem
from dialmeter.systems.scorer import score_system

from ..scoring import score_tracker
from ..users.scoring import score_user

SAID = Move("user", "A hotel in the east.", acts=(Act("Hotel-Inform", "hotel", "area", ("east",)),))
HEARD = Move("system", "The inn is in Mill Lane.", acts=(), understood=())
GOAL = {"hotel": DomainGoal(info={"area": "east", "stars": "4"})}
EASY = {"hotel": DomainGoal(info={"area": "east"})}
TALKS = [Conversation(f"d{n}", (SAID, HEARD), goal) for n, goal in enumerate([GOAL, GOAL, EASY])]


def tracker() -> Result:
    """Two dialogues, one of them wrong."""
    gold = {"d1": [{"hotel-area": "east"}], "d2": [{"taxi-to": "x"}]}
    return score_tracker(gold, {**gold, "d2": [{"taxi-to": "y"}]}, ["JGA", "SA"])


def user() -> Result:
    """Users who do not mention all constraints."""
    return score_user(TALKS)


def judge() -> Result:
    """The length of replies as a judge."""
    return score_judge(attack_replies(TALKS, ["repetition:word", "identical"], light=True), ["length"])


def people() -> Result:
    """The length of replies, compared with ratings of people."""
    replies = ["yes", "yes it is", "yes it is open", "no", "it opens at nine"]
    items = [
        RatedItem(f"i{n}", "reply", (Move("user", f"is shop {n} open?"),), reply, ratings={"overall": (float(n % 3),)})
        for n, reply in enumerate(replies)
    ]
    return judge_people(items, ["length"])


def system() -> Result:
    """Three tasks with two trials each."""
    rewards = {"a": (1, 1), "b": (1, 0), "c": (0, 0)}
    return score_system(
        Trajectory(id=f"{task}:{trial}", task=task, trial=trial, rewards={"reward": reward})
        for task, both in rewards.items()
        for trial, reward in enumerate(both)
    )


SUBJECTS = pytest.mark.parametrize(
    ("make", "name", "group"),
    [
        (tracker, "JGA", "domain"),
        (user, "I-GCDF1", "domain"),
        (judge, ("length", "repetition"), "judge"),
        (people, ("Pearson", "length", "overall"), "judge"),
        (system, "Success", "task"),
    ],
)


@SUBJECTS
def test_result_as_mapping(make: Callable[[], Result], name: Any, group: str) -> None:
    result = make()
    assert name in result
    assert "no such thing" not in result
    assert result.get("no such thing") is None
    assert result.get(name) == result[name]
    assert len(result) == len(list(result))
    assert all(result[each] in result.scores for each in result)
    with pytest.raises(DialmeterError, match="no such thing"):
        result["no such thing"]


@SUBJECTS
def test_first_score_is_value(make: Callable[[], Result], name: Any, group: str) -> None:
    result = make()
    first = result.scores[0]
    assert (result.value, result.ci, result.signature) == (first.value, first.ci, first.signature)
    assert result.ci is not None
    assert result[name].value == first.value


@SUBJECTS
def test_groups_and_worst(make: Callable[[], Result], name: Any, group: str) -> None:
    result = make()
    assert all(group in score.group and score.signature for score in result.by(group))
    with pytest.raises(DialmeterError, match="colour"):
        result.by("colour")
    assert len(result.worst(1)) == 1


@pytest.mark.parametrize(
    ("make", "name", "says"),
    [
        (tracker, "JGB", "'JGB' was not requested; did you mean JGA?"),
        (user, "I-GCDF", "there is no measure 'I-GCDF'; did you mean I-GCDF1?"),
        (system, "Pass(k=9)", "there is no measure 'Pass(k=9)'; did you mean Pass(k=2)?"),
        (judge, ("lenght", "repetition"), "there is no judge 'lenght'; did you mean length?"),
        (judge, "??", "there is no judge '??'; known: constant, length, random"),
        (judge, ("length", "repetitoin"), "there is no attack 'repetitoin'; did you mean repetition?"),
        (
            judge,
            "length",
            "'length' names no score; give (judge, attack, corpus), for example ('length', 'repetition', '')",
        ),
        (people, ("Pearson", "length", "overal"), "there is no facet 'overal'; did you mean overall?"),
        (people, ("Pearsn", "length", "overall"), "there is no measure 'Pearsn'; did you mean Pearson?"),
    ],
)
def test_wrong_name_is_explained(make: Callable[[], Result], name: Any, says: str) -> None:
    with pytest.raises(DialmeterError, match=f"^{re.escape(says)}$"):
        make()[name]


class TestJudges:
    """Attributes that only results of judges have."""

    def test_groups_of_judges(self) -> None:
        result = judge()
        assert result.by("attack") == result.scores
        facets = {(each.group["judge"], each.group["facet"]): each.value for each in result.by("facet")}
        assert facets == {
            (each.judge, each.facet): each.value
            for each in result.averages  # type: ignore[attr-defined]
            if each.facet == "naturalness"
        }
        assert next(each.group for each in result.by("corpus")) == {"judge": "length", "corpus": ""}
        signature = result.by("judge")[0].signature
        assert signature.startswith("error|judge:length@")
        assert "|attacks:1|n:3|data:" in signature

    def test_worst_cases(self) -> None:
        found = judge().worst()
        assert [each.judge for each in found] == ["length"] * 3
        assert all(each.difference < 0 for each in found)

    def test_no_or_wrong_confidence(self) -> None:
        cases = attack_replies(TALKS, ["repetition:word"], light=True)
        assert score_judge(cases, ["length"], ci=0).ci is None
        with pytest.raises(DialmeterError, match="ci must be between 0 and 1"):
            score_judge(cases, ["length"], ci=95)
