"""Tests of a language model as a reader, with a fake endpoint. They test the integration, not the quality."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from dialmeter.errors import UnreadableAnswer
from dialmeter.model import Act
from dialmeter.users.profile import named
from dialmeter.users.text.reader import TextSchema, TextTurn

from ...simulation.chat_server import chat_server, saying

pytest.importorskip("httpx", reason="the extra llm is not installed")

SCHEMA = TextSchema({"hotel": frozenset(["area", "stars", "parking", "phone"])}, {})
TURN = TextTurn("user", "East, 4 stars, parking. What is the phone?")
ANSWER = {
    "informs": [
        {"domain": "hotel", "slot": "area", "value": "east"},
        {"domain": "hotel", "slot": "stars", "value": 4},
        {"domain": "hotel", "slot": "parking", "value": True},
        {"domain": "hotel", "slot": "colour", "value": "red"},
        {"domain": "spa", "slot": "area", "value": "east"},
    ],
    "requests": [{"domain": "hotel", "slot": "phone"}, {"domain": "hotel", "slot": "ghost"}],
}


def test_acts_by_schema_cached_and_pickled(tmp_path: Path) -> None:
    from dialmeter.users.text.model_maker import ModelMaker

    with chat_server(lambda *_: saying(json.dumps(ANSWER))) as (url, asked):
        maker = ModelMaker(named("multiwoz"), {"endpoint": url, "model": "tiny", "cache": str(tmp_path)})
        found = maker.acts(TURN, SCHEMA)
        again = pickle.loads(pickle.dumps(maker)).acts(TURN, SCHEMA)
    assert found == again
    assert found == (
        Act("Inform", "hotel", "area", ("east",)),
        Act("Inform", "hotel", "stars", ("4",)),
        Act("Inform", "hotel", "parking", ("yes",)),
        Act("Request", "hotel", "phone", ("?",)),
    )
    assert maker.name == "tiny"
    assert len(asked) == 1
    told = json.loads(asked[0].body["messages"][1]["content"])
    assert told["turn"] == TURN.text
    assert told["domains"] == {"hotel": ["area", "parking", "phone", "stars"]}


@pytest.mark.parametrize("text", ["no idea", "[]", '{"informs": [{"slot": "area"}]}'])
def test_other_answers_are_refused(text: str) -> None:
    from dialmeter.users.text.model_maker import ModelMaker

    with chat_server(lambda *_: saying(text)) as (url, _), pytest.raises(UnreadableAnswer) as refused:
        ModelMaker(named("multiwoz"), {"endpoint": url, "model": "tiny"}).acts(TURN, SCHEMA)
    assert "no JSON with informs and requests" in str(refused.value)
