"""Tests of systems on dialogues with acts: success by the tables of the simulated town, and elsewhere by the acts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.model import SYSTEM, USER, Act, Conversation, DomainGoal, Move
from dialmeter.simulation.bots import choose
from dialmeter.simulation.outcome import outcome
from dialmeter.simulation.play import Setting, play, sampled
from dialmeter.simulation.world import town
from dialmeter.studies.log_score import act_success, score_acts
from dialmeter.users.scorer import UserScorer

from ..cli.invoke import Cli
from ..shared_data import shared


def act(name: str, slot: str = "", value: str = "") -> Act:
    service = name.partition("-")[0].lower()
    return Act(name, service, slot, (value,) if value else ())


GOAL = {"hotel": DomainGoal(info={"area": "east", "stars": "4"}, book={"people": "2"}, requests=("phone",))}
OFFER = act("Hotel-Inform", "name", "the inn")
PHONE, CODE = act("Hotel-Inform", "phone", "01223"), act("Booking-Book", "ref", "ABC123")


def reached(*turns: list[Act], goal: Any = GOAL) -> tuple[tuple[int, int], ...]:
    moves = [move for acts in turns for move in (Move(USER, acts=()), Move(SYSTEM, acts=tuple(acts)))]
    found = act_success(UserScorer().prepare(Conversation("d", tuple(moves), goal)))
    return found.bookings, found.answers, found.matches


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([[OFFER, act("Hotel-Inform", "area", "east")], [PHONE], [CODE]], ((1, 1), (1, 1), (1, 1))),
        ([[OFFER, act("Hotel-Inform", "area", "west")], [PHONE]], ((0, 1), (1, 1), (0, 1))),
        ([[act("Hotel-Request", "stars")]], ((0, 1), (0, 1), (0, 1))),
        ([[OFFER], [act("Hotel-NoOffer", "area", "east")]], ((0, 1), (0, 1), (0, 1))),
        ([[act("Hotel-NoOffer", "stars", "5")], [OFFER]], ((0, 1), (0, 1), (1, 1))),
        (
            [[OFFER, act("Hotel-Inform", "area", "west")], [act("Hotel-Inform", "name", "the lodge")]],
            ((0, 1), (0, 1), (1, 1)),
        ),
    ],
    ids=["all", "another area", "nothing offered", "taken back", "first choice fails", "another offer"],
)
def test_what_acts_say(turns: list[list[Act]], expected: Any) -> None:
    assert reached(*turns) == expected


def test_times_are_limits() -> None:
    goal = {"train": DomainGoal(info={"leaveAt": "10:00", "day": "friday"})}
    for told, met in (("10:30", 1), ("09:30", 0)):
        offer = [act("Train-Inform", "trainid", "TR1"), act("Train-Inform", "leaveat", told)]
        assert reached(offer, goal=goal)[2] == (met, 1)


@pytest.mark.parametrize("user", ["agenda", "forgetful", "hasty"])
def test_acts_never_claim_less_than_the_tables_of_the_town(user: str) -> None:
    """Without a database, acts can only overestimate success: what is reached by the tables is reached by the acts, too."""
    scorer = UserScorer(profile="town")
    talks = list(play(sampled(40, seed=5), Setting(choose(user, "user"), choose("rule", "system"), 0.1, seed=5)))
    for talk in talks:
        by_acts, by_tables = act_success(scorer.prepare(talk)), outcome(talk, town())
        assert by_acts.complete >= by_tables.complete
        for name in ("bookings", "answers", "matches"):
            (one, wanted), (other, all_) = getattr(by_acts, name), getattr(by_tables, name)
            assert one >= other
            assert wanted == all_
    found = score_acts(talks, scorer)
    assert found["GoalCompletion"].value == pytest.approx(sum(outcome(each, town()).complete for each in talks) / 40)
    assert "success:town" in found.signature


def test_published_dialogues(cli: Cli) -> None:
    path = shared("data", "users", "fixture48_dialogues.json.gz")
    found = cli.json("score", path, "--subject", "system", "-q")
    assert [score["measure"] for score in found["scores"]] == [
        "GoalCompletion",
        "BookingRate",
        "InformRate",
        "MatchRate",
    ]
    assert found["counts"]["dialogues"] == 48
    assert all("success:acts(multiwoz)" in score["signature"] for score in found["scores"])


def test_run_report_and_comparison(tmp_path: Path, cli: Cli) -> None:
    for user in ("agenda", "hasty"):
        path = tmp_path / f"{user}.jsonl"
        cli("play", "--goals", "12", "--user", user, "--out", path, "-q")
    run = tmp_path / "run"
    options = ("--subject", "system", "--set", "profile=town", "-q", "--set", "resamples=100")
    cli("score", tmp_path / "hasty.jsonl", *options, "--out", run)
    assert open_run(run).manifest["success"] == "town"
    cli("report", run, "--out", tmp_path / "report.html", "-q")
    assert "-inform" in (tmp_path / "report.html").read_text()
    first = cli.json("compare", tmp_path / "agenda.jsonl", tmp_path / "hasty.jsonl", *options)["versus"][0]
    assert (first["measure"], first["better"]) == ("GoalCompletion", 0)
    refused = cli.refused("check", tmp_path / "hasty.jsonl", "--subject", "system", "-q")
    assert refused.endswith("dialogues with acts, not a log; check them with `dialmeter check --subject user`")


def test_dialogues_without_acts_or_goals_are_refused(tmp_path: Path, cli: Cli) -> None:
    talk = [{"speaker": "user", "text": "hi", "acts": []}, {"speaker": "system", "text": "hello"}]
    goal = {"hotel": {"info": {"area": "east"}}}
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d1", "goal": goal, "talk": talk}) + "\n")
    assert "dialogue d1: the system has no acts" in cli("score", path, "--subject", "system", "-q", code=2).err
    path.write_text(json.dumps({"dialogue_id": "d1", "talk": talk}) + "\n")
    assert "no goal" in cli("score", path, "--subject", "system", "-q", code=2).err


def test_cross_reports_systems_too(cli: Cli) -> None:
    words = ("play", "--user", "hasty", "--system", "rule", "--system", "eager", "--goals", "8", "-q")
    found = cli.json(*words, "--set", "resamples=100")
    assert [(each["user"], each["system"]) for each in found["systems"]] == [("hasty", "rule"), ("hasty", "eager")]
    cells = {(each["measure"], each["system"]): each["value"] for each in found["scores"]}
    for each in found["systems"]:
        values = {score["measure"]: score["value"] for score in each["scores"]}
        for measure in ("GoalCompletion", "BookingRate"):
            assert values[measure] == pytest.approx(cells[measure, each["system"]])
    assert {each["base"] for each in found["versus"]["hasty"]} == {"rule"}
    assert "systems with hasty, within goals" in cli(*words, "--set", "resamples=100", "-v").out
