"""A language model as a judge for a company: rubrics, parameters, cost, budgets, prompts and answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the extra llm is not installed")
from dialmeter.core.open_runs import open_run
from dialmeter.errors import DialmeterError, InputError
from dialmeter.judges.adapters.llm import LanguageModel
from dialmeter.judges.adapters.prompts import read_rubric
from dialmeter.judges.judge import FACETS, load_judge
from dialmeter.judges.record import row_lines, rows
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move

from ...cli.invoke import Cli, set_place
from ..chat_server import Reply, Server, saying, serve
from ..made import case, cases, write_cases

ITEMS = [((Move("user", "hello"), Move("system", "good day")), "bye"), ((Move("user", "bye"),), "bye")]


def counted(text: str, prompt: int = 1000, answer: int = 500) -> Reply:
    usage = {"prompt_tokens": prompt, "completion_tokens": answer}
    return 200, {"choices": [{"message": {"content": text}}], "usage": usage}, {}


def prompts(server: Server) -> list[str]:
    return [each.body["messages"][-1]["content"] for each in server.asked]


def test_every_facet_has_a_rubric() -> None:
    texts = {facet: read_rubric(facet) for facet in FACETS}
    assert all(rubric.facets == {facet} and len(rubric.text) > 200 for facet, rubric in texts.items())
    assert len({rubric.text for rubric in texts.values()}) == len(FACETS)


def test_a_system_prompt_a_rubric_and_a_template(tmp_path: Path) -> None:
    (tmp_path / "system_prompt.txt").write_text("You are a judge. {rubric}")
    (tmp_path / "politeness.txt").write_text("How polite is it?\n")
    (tmp_path / "template.txt").write_text("{context} | {last_turn} | {reply}")
    files = {name: str(tmp_path / f"{name}.txt") for name in ("system_prompt", "template")}
    with serve(lambda body, number: saying("4")) as server:
        one = LanguageModel(server.url, "small", rubric=str(tmp_path / "politeness.txt"), **files)
        assert one.score(ITEMS[:1]) == [4.0]
        one.close()
    assert server.asked[0].body["messages"] == [
        {"role": "system", "content": "You are a judge. How polite is it?"},
        {"role": "user", "content": '{"user": "hello"}\n{"system": "good day"} | "good day" | "bye"'},
    ]
    assert (one.name, one.facets) == ("llm(model=small, rubric=politeness)", None)


def test_a_rubric_that_would_not_be_sent(tmp_path: Path) -> None:
    (tmp_path / "template.txt").write_text("{context} | {reply}")
    with pytest.raises(DialmeterError, match=r"the template has no \{rubric\}"):
        LanguageModel("http://127.0.0.1:1", "small", rubric="coherence", template=str(tmp_path / "template.txt"))
    with pytest.raises(InputError, match="no such file"):
        LanguageModel("http://127.0.0.1:1", "small", rubric="coherance")


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ("", {"temperature": 0.0}),
        (", temperature=none", {}),
        (", temperature=0.3", {"temperature": 0.3}),
        (""", parameter='{"temperature": null, "max_tokens": 9}'""", {"max_tokens": 9}),
        (', parameter="temperature=none; max_tokens=9"', {"max_tokens": 9}),
    ],
)
def test_parameters_that_are_sent(more: str, sent: dict[str, Any]) -> None:
    with serve(lambda body, number: saying("4")) as server:
        _, one = load_judge(f'llm(endpoint="{server.url}", model=small{more})')
        one.score(ITEMS[:1])
    body = server.asked[0].body
    assert {name: body[name] for name in body if name not in ("model", "messages", "response_format", "seed")} == sent


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"temperature": "warm"}, "temperature must be a number from 0, or none, not 'warm'"),
        ({"temperature": "-2"}, "temperature must be a number from 0, or none"),
        ({"parameter": "[1]"}, "write NAME=VALUE"),
        ({"parameter": '{"a":' * 5000}, "parameter is not a JSON object"),
        ({"max_cost": 1.0}, "a maximum cost needs a price"),
        ({"price": "1"}, "write the price per million tokens"),
    ],
)
def test_settings_that_do_not_fit(more: dict[str, Any], message: str) -> None:
    with pytest.raises(DialmeterError, match=message):
        LanguageModel("http://127.0.0.1:1", "small", **more)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker", "repetition"), count=6))
    return tmp_path / "cases.jsonl"


def test_a_rubric_per_facet_is_a_judge_that_is_asked_about_its_facet(
    file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(lambda body, number: counted('{"reason": "fits", "score": 4}')) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", price="in=1,out=2")
        words = ["-j", "coherence=llm(rubric=coherence)", "-j", "naturalness=llm(rubric=naturalness)", "-q"]
        found = cli.json("score", file, *words)
    cells = {(each["judge"], each["attack"]): each for each in found["scores"]}
    assert cells["coherence", "speaker"]["n"] == 6
    assert cells["coherence", "repetition"]["reason"] == "outside what the judge claims to judge"
    assert cells["naturalness", "repetition"]["n"] == 6
    # Twelve replies each: six human ones and six adversarial ones of the own facet.
    assert sum("How coherent" in prompt for prompt in prompts(server)) == 12
    assert sum("How natural" in prompt for prompt in prompts(server)) == 12
    [used] = found["usage"]
    assert used["judges"] == ["coherence", "naturalness"]
    assert (used["requests"], used["prompt_tokens"], used["answer_tokens"]) == (24, 24_000, 12_000)
    assert used["cost"] == pytest.approx(0.048)


def test_parameters_of_the_command_are_sent(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "[" * 5000
    given = {"max_tokens": "200", "temperature": "none", "stop": '["\\n"]', "user": "me", "note": deep}
    with serve(lambda body, number: saying("4")) as server:
        set_place(monkeypatch, endpoint=server.url, model="small")
        parameter = "; ".join(f"{name}={value}" for name, value in given.items())
        cli("score", file, "-j", f"llm(parameter='{parameter}')", "--quiet")
    body = server.asked[0].body
    assert {name: body.get(name) for name in given} == {
        "max_tokens": 200,
        "temperature": None,
        "stop": ["\n"],
        "user": "me",
        "note": deep,
    }


def test_a_dry_run_sends_nothing(file: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(lambda body, number: counted("4", answer=10)) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", price="in=1,out=2", cache=tmp_path / "cache")
        words = ["score", file, "-j", "small=llm(repeats=2)", "--quiet"]
        found = cli.json(*words, "--dry-run")
        assert server.asked == []
        told = found["estimates"]["small"]
        assert (told["replies"], told["calls"], told["cached"]) == (18, 36, 0)
        assert told["answer_tokens"] == 36 * 60
        assert told["cost"] == found["cost"] == pytest.approx((told["prompt_tokens"] + 2 * told["answer_tokens"]) / 1e6)
        cli(*words)
        assert len(server.asked) == 36
        told = cli.json(*words, "--dry-run")["estimates"]["small"]
        assert (told["calls"], told["cached"], told["cost"]) == (0, 36, 0.0)
        text = cli(*words, "--dry-run").out
    assert "nothing was sent" in text
    cli("score", file, "--judge", "length", "--dry-run", code=2)


def test_the_estimate_of_tokens_is_that_of_the_prompts(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(lambda body, number: saying("4")) as server:
        set_place(monkeypatch, endpoint=server.url, model="small")
        words = ["score", file, "-j", "small=llm", "--quiet"]
        told = cli.json(*words, "--dry-run")["estimates"]["small"]
        [used] = cli.json(*words)["usage"]
    assert told["prompt_tokens"] == used["prompt_tokens"]
    assert (used["estimated"], used["cost"], told["cost"]) == (18, None, None)


def test_a_budget_ends_the_run_and_a_larger_budget_resumes_it(
    file: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    with serve(lambda body, number: counted("4", prompt=200, answer=1)) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", concurrency=1, price="in=1,out=2", max_cost=0.0015)
        words = ["score", file, "-j", "small=llm", "--out", run, "--quiet", "-v"]
        said = cli(*words, code=3)
        asked = len(server.asked)
        assert 0 < asked < 18
        assert "because the budget is spent; the run is unfinished; the same command continues it" in said.complaint
        assert "cost 0.00" in said.out
        assert not (run / "run.json").exists()
        set_place(monkeypatch, max_cost=1)
        cli(*words)
        assert len(server.asked) == 18
    assert open_run(run).manifest["account"]["scored"] == 12
    # Answers from before the interruption are in the run, too.
    rows = [json.loads(line) for line in (run / "rows.jsonl").read_text().splitlines()]
    assert all(set(row["scores"]["small"]["exchanges"]) == {"human", "adversarial"} for row in rows)
    monkeypatch.delenv("DIALMETER_PRICE")
    assert "a maximum cost needs a price" in cli.refused(*words, "--force")


def test_where_prompts_and_answers_are(file: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "runs" / "one"
    reply = counted('{"reason": "It <b>fits</b>.", "score": 4}', prompt=123, answer=45)
    with serve(lambda body, number: reply) as server:
        set_place(monkeypatch, endpoint=server.url, model="small")
        cli("score", file, "-j", "small=llm", "--quiet", "--out", run)
    assert not (run / "parts").exists()
    row = json.loads((run / "rows.jsonl").read_text().splitlines()[0])
    human = row["scores"]["small"]["exchanges"]["human"]
    assert human["messages"][0]["content"].startswith("Below is a conversation")
    said = cli("find", run, row["id"])
    [answer] = human["answers"]
    assert (answer["score"], answer["reason"]) == (4.0, "It <b>fits</b>.")
    assert (answer["prompt_tokens"], answer["answer_tokens"]) == (123, 45)
    for text in ("human reply, user prompt:", "answer (123 + 45 tokens; score 4):", "reason: It <b>fits</b>."):
        assert text in said.out
    cli("report", run, "-o", f"{tmp_path / 'pages'}/")
    pages = [path.read_text() for path in (tmp_path / "pages").rglob("*.html")]
    [page] = [page for page in pages if "Prompts and answers of small" in page and f">{row['id']}<" in page]
    assert "It &lt;b&gt;fits&lt;/b&gt;." in page
    assert "<b>fits</b>" not in page
    assert "123 prompt tokens, 45 answer tokens" in page


def test_a_case_that_is_not_there(file: Path, cli: Cli) -> None:
    assert "no dialogue 'd0:2:speaker:abc'" in cli.refused("find", file, "d0:2:speaker:abc")


def test_a_shown_case_has_no_terminal_control_sequences(tmp_path: Path) -> None:
    given = [case("speaker", number, reply="for 1 \x1b[31mred\nsecond line") for number in range(2)]
    lines = list(row_lines(next(rows(score_judge(given, ["overlap"])))))
    assert not any("\x1b" in line or "\n" in line for line in lines)
    assert any(line.startswith("  human reply: for 1 ") and line.endswith("red second line") for line in lines)
