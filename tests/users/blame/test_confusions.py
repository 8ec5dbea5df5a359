"""Tests of lost points by confusion: what was said, what was heard, and the gain if it were mended."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from dialmeter.readers.conversations import open_conversations
from dialmeter.users.blame.verdict import BlameVerdict, blame, confusion_table
from dialmeter.users.events import DialogueOutcome
from dialmeter.users.scorer import UserScorer
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.user import KIND

from ...cli.invoke import call
from ...shared_data import shared
from ..conversations import goal, make_conversation, system, user
from .verdicts import BOOK, OFFER, blamed, hears, moves


@cache
def blame_shared() -> tuple[list[DialogueOutcome], list[BlameVerdict]]:
    """The outcomes and verdicts of the shared dialogues."""
    scorer = UserScorer(value_map=shared("data", "users", "multiwoz21_canonical_map.json.gz"))
    conversations = list(open_conversations(shared("data", "users", "fixture48_dialogues.json.gz")))
    limit = max(len(each.moves) for each in conversations)
    outcomes = [scorer.outcome(each) for each in conversations]
    found = [
        blame(scorer.prepare(each), outcome, limit=limit) for each, outcome in zip(conversations, outcomes, strict=True)
    ]
    return outcomes, [each for each in found if each is not None]


def test_main_confusion_of_shared_dialogues() -> None:
    _, verdicts = blame_shared()
    first, second, *_ = confusion_table(verdicts, {"I-GCDF1": 48, "R-GCDF1": 45})
    assert (first.lost_by, first.said, first.heard) == ("user misheard system", "Booking-Book", "Train-OfferBooked")
    assert (first.points, first.dialogues) == (293, 6)
    assert sum(loss.weight for verdict in verdicts for loss in verdict.losses) == 492
    assert (second.said, second.heard, second.points) == ("nothing", "Hotel-Inform type", 80)


def test_gain_without_lost_points() -> None:
    """The gain, counted again with F1 = 2 TP / (wanted + counted)."""
    outcomes, verdicts = blame_shared()
    first = confusion_table(verdicts, {"I-GCDF1": 48, "R-GCDF1": 45})[0]
    by_dialogue = {verdict.dialogue: verdict for verdict in verdicts}
    for measured, name in (("I", "I-GCDF1"), ("R", "R-GCDF1")):
        gains = []
        for outcome in outcomes:
            domains = outcome.inform if measured == "I" else outcome.request
            wanted = Counter((domain, unit) for domain, each in domains.items() for unit in each.wanted)
            counted = Counter((domain, unit) for domain, each in domains.items() for unit in each.counted)
            if not wanted and not counted:
                continue
            matched, size = (wanted & counted).total(), wanted.total() + counted.total()
            before = 2 * matched / size
            for loss in by_dialogue[outcome.id].losses if outcome.id in by_dialogue else ():
                if (loss.said, loss.heard, loss.measured) == (first.said, first.heard, measured):
                    matched += loss.weight if loss.side == "recall" else 0
                    size += loss.weight if loss.side == "recall" else -loss.weight
            gains.append(2 * matched / size - before)
        assert first.gains[name] == pytest.approx(sum(gains) / len(gains))
    assert first.gains == pytest.approx({"I-GCDF1": 0.090946, "R-GCDF1": 0.074074}, abs=1e-6)


@pytest.mark.parametrize(
    ("said", "heard", "expected"),
    [
        ("Booking-Book ref=7", "Train-OfferBooked ref=7", ("Booking-Book", "Train-OfferBooked")),
        ("Booking-Book ref=7 | general-reqmore", "general-bye", ("Booking-Book", "nothing")),
    ],
)
def test_courtesies_are_no_confusion(said: str, heard: str, expected: tuple[str, str]) -> None:
    again = "Hotel-Inform area=east | Hotel-Inform day=monday | Hotel-Inform people=2"
    (found,) = blamed(
        make_conversation(
            BOOK, user(again), system(said), hears(again, heard), OFFER, hears(again, "Hotel-Recommend name=inn"), OFFER
        )
    ).confusions
    assert (found.lost_by, found.said, found.heard) == ("user misheard system", *expected)


def test_mended_dialogue_without_units() -> None:
    wanted = goal(hotel={"requests": ["phone"]})
    asked = make_conversation(
        wanted,
        user("Hotel-Request phone=?"),
        system("Hotel-Inform phone=1"),
        hears("Hotel-Inform choice=1", "Hotel-Inform choice=2"),
        OFFER,
    )
    (found,) = blamed(asked).confusions
    assert (found.said, found.heard, found.points) == ("Hotel-Inform phone", "Hotel-Inform choice", 1)
    assert found.gains == {"I-GCDF1": 1.0, "R-GCDF1": 0.0}


def test_no_mishearing_no_confusion() -> None:
    assert blamed(moves(user("Hotel-Inform area=east"), OFFER)).confusions == ()
    assert confusion_table([], {"I-GCDF1": 1}) == []


def test_every_output_names_confusion(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = shared("data", "users", "fixture48_dialogues.json.gz")
    options = (
        "--set",
        f"map={shared('data', 'users', 'multiwoz21_canonical_map.json.gz')}",
        "--set",
        "ci=0",
    )
    sentence = (
        "Booking-Book heard as Train-OfferBooked (user misheard system): 293 of 492 lost points, in 6 of 48 dialogues; "
        "if it were mended: I-GCDF1 80.76 → 89.86, R-GCDF1 69.36 → 76.77"
    )
    text = call(capsys, "score", file, *options, "--out", tmp_path / "run", "-v").out
    assert sentence in text.splitlines()
    assert "understanding of" not in text
    document = call(capsys, "score", file, *options, "-f", "json").json["verdicts"]
    assert document["first"] == sentence
    assert document["confusions"][0]["points"] == 293
    assert document["points"]["precision"]["I"]["user misheard system"] == 284
    rows = call(capsys, "score", file, *options, "-f", "csv").out.split("\n\n")[1].splitlines()
    assert rows[0] == "lost_by,said,heard,points,dialogues,I-GCDF1,R-GCDF1,example"
    assert rows[1].startswith("user misheard system,Booking-Book,Train-OfferBooked,293,6,0.090946,0.074074,")
    run = OpenedRun(tmp_path / "run")
    headline = list(KIND.headlines(run))[1]
    assert headline.rows == (
        ("user misheard system", "Booking-Book", "Train-OfferBooked", "293", "6", "+9.09", "+7.41", "MUL1202.json"),
    )
    assert list(KIND.breakdowns(run))[-1].rows[0] == headline.rows[0]
    manifest = json.loads((tmp_path / "run" / "run.json").read_bytes())
    assert manifest["verdicts"]["first"] == sentence
