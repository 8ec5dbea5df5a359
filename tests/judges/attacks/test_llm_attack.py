"""Attacks that a model writes: plumbing with a fake endpoint, and the rules that filter answers. Quality is not measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter import DialmeterError
from dialmeter.judges.adapters.llm_attack import KINDS, accept_reply
from dialmeter.judges.attacks import NoCase, Snippet, chosen, registry
from dialmeter.judges.case_files import read_cases
from dialmeter.judges.scorer import attack_replies
from dialmeter.model import Move

from ...cli.invoke import Cli
from ..chat_server import Reply, saying, serve
from .talk import VILLAGE

pytest.importorskip("httpx")

SNIPPET = Snippet(
    "d1",
    2,
    (Move("user", "Is the inn in Mill Lane open at 5?"), Move("user", "I like quiet rooms.")),
    Move("system", "Yes, the inn opens at 5 and has quiet rooms."),
    (),
)


def replied(body: dict[str, Any], number: int) -> Reply:
    """Contradicts the reply in the prompt."""
    prompt = body["messages"][0]["content"]
    return saying("No, that is wrong: not " + prompt.partition("Reply:\n")[2].partition("\n")[0].lower())


def test_cases_from_an_endpoint_have_their_own_names(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-1234")
    corpus, out = tmp_path / "village.jsonl", tmp_path / "cases.jsonl"
    roles = ("user", "assistant")
    rows = [
        {"id": talk.id, "messages": [{"role": roles[n % 2], "content": m.text} for n, m in enumerate(talk.moves)]}
        for talk in VILLAGE
    ]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with serve(replied) as server:
        attack = f"llm(endpoint={server.url}, model=tiny, cache={tmp_path / 'answers'}, key_variable=MY_KEY)"
        more = ["--attack", "repetition", "--limit", "4", "--set", "light", "--quiet"]
        words = ["judge", "attack", corpus, "--attack", attack, *more]
        document = cli.json(*words, "--workers", "2", "--out", out)
        asked = len(server.asked)
        assert server.asked[0].key == "Bearer secret-1234"
        again = cli(*words, "--out", tmp_path / "again.jsonl")
        assert len(server.asked) == asked
    assert [each["attack"] for each in document["yields"]] == ["llm-contradiction", "repetition"]
    cases = [each for each in read_cases(out) if each.attack == "llm-contradiction"]
    assert {(each.variant, each.expected, each.facet) for each in cases} == {("tiny", "lower", "coherence")}
    assert len(cases) == 4
    assert all(each.adversarial.startswith("No, that is wrong: not ") for each in cases)
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()
    assert (
        "secret-1234"
        not in out.read_text() + again.out + again.err + (tmp_path / "answers" / "answers.jsonl").read_text()
    )


def test_they_are_not_among_all_attacks() -> None:
    assert not [each.name for each in chosen(["all"]) if each.name.startswith("llm")]
    assert "llm" not in registry.names()


def test_answers_that_are_refused_are_counted_and_a_server_that_fails_stops_the_run() -> None:
    with serve(lambda body, number: saying("As an AI, I like all inns.")) as server:
        assert attack_replies(VILLAGE, [f"llm(endpoint={server.url}, model=m)"], cases=2, light=True) == []
    with (
        serve(lambda body, number: (401, {"error": {"message": "no key"}}, {})) as server,
        pytest.raises(DialmeterError),
    ):
        attack_replies(VILLAGE, [f"llm(endpoint={server.url}, model=m)"], cases=2, light=True)


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        ("contradiction", "", "gives no reply"),
        ("contradiction", "No.\nIt is closed.", "several lines"),
        ("contradiction", "Sure, here is a reply.", "speaks of itself"),
        ("contradiction", "System: the inn is closed.", "the name of a speaker"),
        ("contradiction", "The inn " * 40, "much longer"),
        ("dull", "i like quiet rooms.", "repeats a turn"),
        ("contradiction", "Bananas grow upward.", "shares no content word"),
        ("off-topic", "The inn has quiet rooms.", "shares content words"),
        ("dull", "Bananas grow upward in summer.", "says something new"),
        ("clumsy", "Him go.", "drops most content words"),
        ("paraphrase", "Yes, the inn opens at 6 and has quiet rooms.", "changes a number"),
        ("paraphrase", "The inn doesn't open at 5 and has quiet rooms.", "changes a negation"),
    ],
)
def test_rules_refuse(kind: str, text: str, why: str) -> None:
    with pytest.raises(NoCase, match=why):
        accept_reply(kind, SNIPPET, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("contradiction", "No, the inn is closed all day."),
        ("off-topic", "My cousin paints bananas."),
        ("dull", "I see."),
        ("clumsy", "Yes the inn opens at 5 and having quiet rooms."),
        ("paraphrase", "“Yes, it opens at 5, and the rooms there are quiet.”"),
    ],
)
def test_rules_accept(kind: str, text: str) -> None:
    assert accept_reply(kind, SNIPPET, text) == text.strip("“”")
    assert set(KINDS) == {"contradiction", "off-topic", "dull", "clumsy", "paraphrase"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("llm(model=m)", "attack llm needs a model: set DIALMETER_ENDPOINT and DIALMETER_MODEL, or write llm("),
        ("llm(endpoint=http://127.0.0.1:1/v1, model=m, kind=dul)", "did you mean dull?"),
        ("llm(endpoint=http://127.0.0.1:1/v1, model=m, kid=dull)", "did you mean kind?"),
        ("llm(endpoint=ftp://x, model=m)", "needs an endpoint URL"),
    ],
)
def test_bad_parameters(text: str, why: str) -> None:
    with pytest.raises(DialmeterError) as error:
        chosen([text])
    assert why in str(error.value)
