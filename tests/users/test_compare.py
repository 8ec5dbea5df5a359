"""Tests of the comparison of users on the same goals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dialmeter.core.comparison import Resampling
from dialmeter.core.ladder import Ladder
from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation
from dialmeter.readers.layouts.own import conversation_to_dict
from dialmeter.users.compare import common_goals, compare
from dialmeter.users.measures import key_of
from dialmeter.users.result import UserResult, UserSettings
from dialmeter.users.scorer import UserScorer

from ..cli.invoke import call
from .conversations import goal, make_conversation, system, user
from .scoring import score_user

HOW = Resampling(0.95, 500, 1)


def dialogue(name: str, *said: str, area: str = "east") -> Conversation:
    acts = " | ".join(f"Hotel-Inform {each}" for each in said)
    return make_conversation(goal(hotel={"info": {"area": area, "stars": "4"}}), user(acts), system(""), name=name)


def result(said: dict[str, tuple[str, ...]], rules: str = "dialmeter") -> UserResult:
    return score_user([dialogue(name, *each) for name, each in said.items()], rules, ci=0)


BOTH, ONE = ("area=east", "stars=4"), ("area=east",)
NAMES = [f"d{number}" for number in range(8)]


def test_user_equals_itself() -> None:
    same = {"a": result(dict.fromkeys(NAMES, ONE)), "b": result(dict.fromkeys(NAMES, ONE))}
    found = compare(same, HOW)
    for each in found.versus:
        if each.measure.startswith("I"):
            assert (each.difference, each.p, each.better, each.same, each.worse) == (0, 1, 0, 8, 0)
        else:
            assert each.difference is None


def test_differences_wins_and_losses() -> None:
    some = {name: BOTH if place < 6 else ONE for place, name in enumerate(NAMES)}
    results = {"a": result(dict.fromkeys(NAMES, ONE)), "b": result(some)}
    found = compare(results, HOW, key_of("all"))
    recall = next(each for each in found.versus if each.measure == "I-recall")
    assert recall.difference == pytest.approx(6 / 8 * 0.5)
    assert (recall.better, recall.same, recall.worse) == (6, 2, 0)
    assert recall.ci is not None
    assert recall.ci[0] <= recall.difference <= recall.ci[1]
    assert recall.p is not None
    assert recall.p_holm is not None
    assert recall.p <= recall.p_holm


def test_order_of_dialogues() -> None:
    some = {name: BOTH if place < 6 else ONE for place, name in enumerate(NAMES)}
    one = compare({"a": result(dict.fromkeys(NAMES, ONE)), "b": result(some)}, HOW)
    turned = dict(reversed(some.items()))
    other = compare({"a": result(dict.fromkeys(NAMES, ONE)), "b": result(turned)}, HOW)
    assert one.versus == other.versus


def test_names_ignore_case_and_ending() -> None:
    results = {"a": result({"MUL1.json": ONE}), "b": result({"mul1": ONE})}
    assert len(common_goals(results)[0]) == 1


def test_common_equal_goals() -> None:
    first = score_user([dialogue("x", *ONE), dialogue("y", *ONE), dialogue("z", *ONE)], ci=0)
    second = score_user([dialogue("x", *BOTH), dialogue("y", *BOTH, area="west"), dialogue("w", *ONE)], ci=0)
    common, notices = common_goals({"a": first, "b": second})
    assert common == {"x"}
    assert {each.code: each.where for each in notices} == {"alone": ("w", "z"), "other-goal": ("y",)}


def test_nothing_in_common() -> None:
    with pytest.raises(DialmeterError, match="a and b have no dialogue with the same name and the same goal"):
        common_goals({"a": result({"x": ONE}), "b": result({"y": ONE})})


def test_different_scoring_not_compared() -> None:
    with pytest.raises(DialmeterError, match=r"NOT COMPARABLE: a and b differ: rules"):
        compare({"a": result({"x": ONE}), "b": result({"x": ONE}, "gcdf1-repo")}, HOW)
    with pytest.raises(DialmeterError, match=r"NOT COMPARABLE: a and b differ: dialogues \(d\): 1 .* 2"):
        compare({"a": result({"x": ONE}), "b": result({"x": ONE, "y": ONE})}, HOW)


def test_few_dialogues_not_tested() -> None:
    found = compare({"a": result(dict.fromkeys(NAMES[:3], ONE)), "b": result(dict.fromkeys(NAMES[:3], BOTH))}, HOW)
    assert {each.p for each in found.versus} == {None}
    assert [each.code for each in found.notices] == ["few-dialogues"]


TIMES = ("17:15", "18:30", "19:45", "13:15", "17:15", "18:30", "19:45", "13:15")
SPELT = {"17:15": "5:15 pm", "18:30": "6:30 pm", "19:45": "7:45 pm", "13:15": "1:15 pm"}
TRAIN = "I need a train that leaves at {}."


def say(values: dict[str, str], text: str = "") -> list[Conversation]:
    """A user who says one value in each dialogue."""
    return [
        make_conversation(
            goal(train={"info": {"leaveAt": TIMES[place]}}),
            user(f"Train-Inform leaveAt={values[TIMES[place]]}", text.format(TIMES[place])),
            system(""),
            name=name,
        )
        for place, name in enumerate(NAMES)
    ]


def ladder(users: dict[str, list[Conversation]], **settings: Any) -> Ladder:
    results = {name: score_user(each, ci=0, **settings) for name, each in users.items()}

    def rescore(other: UserSettings) -> dict[str, UserResult]:
        scorers = {name: UserScorer.under(other) for name in users}
        return {name: _score_all(scorers[name], each) for name, each in users.items()}

    (found,) = compare(results, HOW, rescore=rescore).ladders
    return found


def _score_all(scorer: UserScorer, conversations: list[Conversation]) -> UserResult:
    for each in conversations:
        scorer.add(each)
    return scorer.result()


def test_verdict_turns_with_spelling() -> None:
    found = ladder({"a": say({each: each for each in SPELT}), "b": say(SPELT)})
    assert [(each.name, each.assumption, each.verdict) for each in found.rungs] == [
        ("as written", "as written", "worse"),
        ("map=multiwoz", "spelling", "cannot tell"),
    ]
    assert (found.rungs[0].difference, found.rungs[1].difference) == (-1.0, 0.0)
    assert found.verdict == "depends"
    assert found.sentence == "the verdict turns with spelling"


def test_spelling_rung() -> None:
    as_goals = {each: each for each in SPELT}
    assert len(ladder({"a": say(as_goals), "b": say(SPELT)}, value_map="multiwoz").rungs) == 1
    assert len(ladder({"a": say(as_goals), "b": say(as_goals)}).rungs) == 1


def test_acts_from_text() -> None:
    """User b has no acts of its constraints, but its text says all of them."""
    as_goals = {each: each for each in SPELT}
    silent = [replace(each, moves=(replace(each.moves[0], acts=()), each.moves[1])) for each in say(as_goals, TRAIN)]
    found = ladder({"a": say(as_goals, TRAIN), "b": silent})
    assert [(each.name, each.verdict) for each in found.rungs] == [
        ("as written", "worse"),
        ("acts read from text", "cannot tell"),
    ]
    assert found.verdict == "worse"
    assert "another question" in found.sentence


def test_no_text_no_rung() -> None:
    as_goals = {each: each for each in SPELT}
    assert len(ladder({"a": say(as_goals), "b": say(as_goals, TRAIN)}).rungs) == 1


def test_command_has_ladder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = []
    for name, conversations in (("a", say({each: each for each in SPELT})), ("b", say(SPELT))):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("\n".join(json.dumps(conversation_to_dict(each)) for each in conversations))
    (found,) = call(capsys, "compare", *files, "--set", f"resamples={200}", "-f", "json", "-q").json["ladder"]
    assert (found["verdict"], found["system"], found["base"]) == ("depends", "b", "a")
    assert [each["name"] for each in found["rungs"]] == ["as written", "map=multiwoz"]
