"""Blame against labels made by hand: of the shared dialogues, which check the definition, and of played ones, which check its quality."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.world import town
from dialmeter.users.blame.verdict import BlameVerdict, blame
from dialmeter.users.rules import changed, named
from dialmeter.users.scorer import UserScorer
from dialmeter.values.maps import ValueMap

from ..shared_data import shared

PLAYED = Path(__file__).parents[1] / "users" / "data"


def party_of(label: dict[str, Any]) -> str:
    """Return the party of a label, which says whose words were not understood."""
    return {"user": "system misheard user", "system": "user misheard system"}.get(label["of"], label["party"])


def test_shared_labels() -> None:
    """All 160 units and all 40 verdicts; 44 of the units are matters of taste."""
    labels = json.loads(shared("expected", "blame_labels.json").read_bytes())["dialogues"]
    values = ValueMap.read(shared("data", "users", "multiwoz21_canonical_map.json.gz"))
    rules = changed(named("dialmeter"), "goals.alternatives=all", "values.no_answer=[]")
    scorer = UserScorer(rules, value_map=values)
    talks = list(open_conversations(shared("data", "users", "fixture48_dialogues.json.gz")))
    limit = max(len(talk.moves) for talk in talks)
    met: Counter[str] = Counter()
    for talk in talks:
        verdict = blame(scorer.prepare(talk), scorer.outcome(talk), limit=limit)
        if talk.id not in labels:
            continue
        found = (
            {(loss.side, loss.measured, loss.domain, loss.about): loss for loss in verdict.losses} if verdict else {}
        )
        wanted = labels[talk.id]
        for each in wanted["losses"]:
            loss = found[each["side"], each["measured"], each["domain"], each["about"]]
            same = (loss.lost_by, loss.turn, loss.weight) == (party_of(each), each["turn"], each["weight"])
            met[f"{'taste' if each['taste'] else 'plain'} {same}"] += 1
        recall = verdict.recall if verdict else None
        label = wanted["verdict"]
        # The labels of verdicts do not say who misheard whom.
        found_party = recall and ("understanding" if "misheard" in recall.lost_by else recall.lost_by, recall.turn)
        met[f"verdict {found_party == (label and (label['party'], label['turn']))}"] += 1
    assert met == {"plain True": 116, "taste True": 44, "verdict True": 40}


def played() -> dict[str, tuple[BlameVerdict, list[dict[str, Any]]]]:
    labels = json.loads((PLAYED / "blame_played_labels.json").read_bytes())["dialogues"]
    scorer = UserScorer(profile="town")
    found = {}
    for talk in open_conversations(PLAYED / "blame_played.jsonl.gz"):
        verdict = blame(scorer.prepare(talk), scorer.outcome(talk), town().matches)
        assert verdict is not None
        found[talk.id] = (verdict, labels[talk.id])
    assert found.keys() == labels.keys()
    return found


def test_played_labels() -> None:
    """The agreement that docs/who-lost-it.md reports."""
    agreed: Counter[str] = Counter()
    for verdict, labels in played().values():
        for loss in verdict.losses:
            if not loss.weight:
                continue
            (label,) = (
                each
                for each in labels
                if (each["side"], each["measured"], each["domain"]) == (loss.side, loss.measured, loss.domain)
                and each.get("about", loss.about) == loss.about
            )
            party = loss.lost_by == party_of(label)
            agreed["units"] += 1
            agreed["party"] += party
            agreed["turn"] += party and loss.turn == label["turn"]
    assert agreed == {"units": 79, "party": 75, "turn": 47}
