"""Tests of run records: the rows of scored dialogues, and the identity of a run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.core.open_runs import open_run
from dialmeter.core.record import finish_run
from dialmeter.core.run_writer import RunWriter
from dialmeter.errors import InputError
from dialmeter.model import Conversation
from dialmeter.users.analysis.patterns import Pattern
from dialmeter.users.blame.verdict import blame
from dialmeter.users.profile import named as profile_named
from dialmeter.users.result import UserRow, UserSettings, identity, row_of
from dialmeter.users.rules import changed, named
from dialmeter.users.scorer import UserScorer
from dialmeter.users.text.rules import RuleMaker
from dialmeter.values.maps import ValueMap

from .conversations import goal, make_conversation, system, user

WANTED = goal(hotel={"info": {"area": "east", "stars": "4"}, "requests": ["phone"]}, taxi={"info": {"leaveat": "9"}})
TALK = make_conversation(
    WANTED, user("Hotel-Inform area=east | Hotel-Inform stars=4"), system("Hotel-Inform phone=1"), name="one"
)
HOW = UserSettings(named("dialmeter"), profile_named("multiwoz"))


def row(dialogue: Conversation = TALK) -> UserRow:
    scorer = UserScorer()
    outcome = scorer.outcome(dialogue)
    return row_of(dialogue, outcome, blame(scorer.prepare(dialogue), outcome))


def test_row_survives_disk() -> None:
    kept = row()
    again = msgspec.convert(msgspec.json.decode(msgspec.json.encode(msgspec.to_builtins(kept))), UserRow)
    assert again == kept
    assert kept.verdict is not None


def test_row_contents() -> None:
    kept = row()
    assert kept.talk == TALK.moves
    assert kept.patterns == (
        Pattern("search", "hotel", "no_miss_one", "info"),
        Pattern("missed", "taxi", "missed_domain"),
    )
    inform, taxi = kept.score("I"), kept.score("I", "taxi")
    assert inform is not None
    assert taxi is not None
    assert (inform.recall, taxi.recall) == (2 / 3, 0)
    assert kept.score("R", "spa") is None


def written(folder: Path, *refused: InputError) -> None:
    scorer = UserScorer(HOW.rules, HOW.profile)
    about = identity([{"role": "dialogues", "name": "u.jsonl", "sha256": "0"}], HOW, blamed=False)
    writer = RunWriter(folder, about)
    writer.add(msgspec.to_builtins(row_of(TALK, scorer.add(TALK))))
    for error in refused:
        scorer.score_table.refused.append(error)
    result = scorer.result(resampling=Resampling(0.9, 100, 1))
    finish_run(writer, about, result, more=1)


def test_finished_run(tmp_path: Path) -> None:
    written(tmp_path / "run", InputError("no goal", file="/somewhere/u.jsonl", dialogue="two"))
    run = open_run(tmp_path / "run")
    assert [each.id for each in run.rows_as(UserRow)] == ["one"]
    manifest = run.manifest
    assert (manifest["kind"], manifest["more"], manifest["seed"]) == ("user", 1, 1)
    assert manifest["unscored_dialogues"] == ["dialogue two: no goal"]
    assert manifest["warnings"][0]["where"] == ["dialogue two: no goal"]
    assert manifest["signature"].startswith("I-GCDF1|rules:dialmeter|")
    assert run.index()["R-recall"].tolist() == [1.0]
    assert "/somewhere" not in (tmp_path / "run" / "run.json").read_text()


@pytest.mark.parametrize(
    "how",
    [
        UserSettings(changed(named("dialmeter"), "requests.max=1"), HOW.profile),
        UserSettings(named("gcdf1-repo"), HOW.profile),
        UserSettings(HOW.rules, profile_named("town")),
        UserSettings(HOW.rules, HOW.profile, ValueMap({"area": {"east": ["east"]}})),
        UserSettings(HOW.rules, HOW.profile, from_text=RuleMaker(HOW.profile, None)),
    ],
)
def test_score_changes_make_other_run(how: UserSettings) -> None:
    usual = identity([], HOW, blamed=False)
    assert identity([], how, blamed=False) != usual
    assert identity([], HOW, blamed=True) != usual
    assert identity([{"role": "map", "name": "m", "sha256": "1"}], HOW, blamed=False) != usual
