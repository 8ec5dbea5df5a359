"""Tests of results: scores by domain, confidence intervals, signatures, events, worst dialogues, merged parts of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from dialmeter.errors import DialmeterError
from dialmeter.model import Conversation
from dialmeter.readers.layouts.own import conversation_to_dict
from dialmeter.users.events import Event
from dialmeter.users.measures import MEASURES

from .conversations import goal, make_conversation, system, user
from .scoring import score_user

BOTH = goal(hotel={"info": {"area": "east"}, "requests": ["phone"]}, train={"info": {"day": "monday"}})
SMALL = goal(hotel={"info": {"area": "east", "stars": "4"}})


def corpus() -> list[Conversation]:
    whole = user("Hotel-Inform area=east | Hotel-Request phone=? | Train-Inform day=monday")
    return [
        make_conversation(BOTH, whole, system("Hotel-Inform phone=1"), name="all"),
        make_conversation(BOTH, user("Hotel-Inform area=east"), system(""), name="half"),
        make_conversation(SMALL, user("Hotel-Inform area=east | Hotel-Inform stars=3"), system(""), name="small"),
        make_conversation(SMALL, user("Taxi-Inform leaveAt=10:00"), system(""), name="astray"),
    ]


RESULT = score_user(corpus())


def value(measure: str, domain: str = "combined") -> float | None:
    return next(s.value for s in RESULT.scores if (s.measure, s.group["domain"]) == (measure, domain))


def test_scores_are_means() -> None:
    assert value("I-recall") == (1 + 0.5 + 0.5 + 0) / 4
    assert value("I-precision") == (1 + 1 + 0.5 + 0) / 4
    assert value("I-recall", "train") == 0.5
    assert value("I-precision", "taxi") == 0
    assert value("R-GCDF1") == 0.5


def test_domains_and_measures() -> None:
    assert [(s.group["domain"], s.measure) for s in RESULT.scores] == [
        (domain, measure) for domain in ("combined", "hotel", "taxi", "train") for measure in MEASURES
    ]
    assert [s.group["domain"] for s in RESULT.by("domain")] == [d for d in ("hotel", "taxi", "train") for _ in MEASURES]
    with pytest.raises(DialmeterError, match="use 'domain'"):
        RESULT.by("slot")


def test_unscored_counted() -> None:
    counts = {(s.measure, s.group["domain"]): (s.n, s.unscored) for s in RESULT.scores}
    assert counts["I-GCDF1", "combined"] == (4, 0)
    assert counts["R-GCDF1", "combined"] == (2, 2)
    assert counts["R-GCDF1", "train"] == (0, 2)
    taxi = next(s for s in RESULT.scores if (s.measure, s.group["domain"]) == ("R-GCDF1", "train"))
    assert (taxi.value, bool(taxi.reason)) == (None, True)


def test_intervals_and_order() -> None:
    for score in RESULT.scores:
        if score.ci is not None:
            assert score.value is not None
            assert score.ci[0] <= score.value <= score.ci[1]
    assert RESULT["I-GCDF1"].ci is not None
    assert [s.ci for s in score_user(corpus()[::-1]).scores] == [s.ci for s in RESULT.scores]
    narrow, wide = score_user(corpus(), ci=0.5)["I-GCDF1"].ci, RESULT["I-GCDF1"].ci
    assert narrow is not None
    assert wide is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    assert score_user(corpus(), ci=0)["I-GCDF1"].ci is None
    assert score_user(corpus()[:1])["I-GCDF1"].ci is None


def test_signatures_name_goals(tmp_path: Path) -> None:
    fields = dict(part.split(":", 1) for part in RESULT.signature.split("|")[1:])
    assert fields["rules"] == "dialmeter"
    assert fields["domain"] == "combined"
    assert (fields["d"], fields["t"]) == ("4", "8")
    lines, published = tmp_path / "talk.jsonl", tmp_path / "talk.json"
    lines.write_bytes(b"\n".join(msgspec.json.encode(conversation_to_dict(each)) for each in corpus()[::-1]))
    published.write_text(json.dumps([as_published(each) for each in corpus()]))
    for path in (lines, published):
        result = score_user(path)
        assert result.data == RESULT.data
        assert result.to_dicts() == RESULT.to_dicts()
    other = [*corpus()[:3], make_conversation(BOTH, user("Taxi-Inform leaveAt=10:00"), system(""), name="astray")]
    assert score_user(other).data != RESULT.data


def as_published(each: Conversation) -> dict[str, object]:
    def frames(acts: object) -> list[dict[str, object]]:
        return [
            {"service": act.service, "actions": [{"act": act.name, "slot": act.slot, "values": list(act.values)}]}
            for act in acts or ()  # type: ignore[attr-defined]
        ]

    return {
        "dialogue_id": each.id,
        "goal": {
            name: {"info": dict(domain.info), "reqt": dict.fromkeys(domain.requests, "?")}
            for name, domain in (each.goal or {}).items()
        },
        "turns": [
            {
                "speaker": move.speaker.upper(),
                "utterance": move.text,
                "frames": frames(move.acts),
                **({"nlu": {"frames": frames(move.understood)}} if move.understood is not None else {}),
            }
            for move in each.moves
        ],
    }


def test_events_by_class_and_domain() -> None:
    assert RESULT.events["missed_constraints"] == {"hotel": 2, "train": 1}
    assert RESULT.events["informed_wrong_value"] == {"hotel": 1}
    assert RESULT.score_table.events["goal", "missed_constraints", "train", "day"] == 1
    assert RESULT.score_table.events.total() == RESULT.counts["events"]


def test_worst_first() -> None:
    assert [each.dialogue for each in RESULT.worst()] == ["astray", "small", "half"]
    assert [each.dialogue for each in RESULT.worst(1)] == ["astray"]


def test_outcomes_kept() -> None:
    assert score_user(corpus(), keep=False).outcomes == []
    assert [each.id for each in RESULT.outcomes] == ["all", "half", "small", "astray"]


def test_event_class_in_json() -> None:
    event = RESULT.outcomes[1].events[0]
    plain = msgspec.to_builtins(event)
    assert plain["class"] == event.name
    assert msgspec.convert(plain, Event) == event


def test_names_of_scores() -> None:
    assert RESULT.value == RESULT["I-GCDF1"].value
    with pytest.raises(DialmeterError, match="did you mean I-GCDF1"):
        RESULT["I-GCDF"]
    with pytest.raises(DialmeterError, match="there is no measure"):
        RESULT.distribution("JGA")
