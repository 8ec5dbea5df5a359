"""A language model that is asked in batches: requests in a file, and answers of a small program."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ...cli.invoke import Cli, files_in, set_place
from ..chat_server import Reply, serve
from ..made import case, cases, write_cases

pytest.importorskip("httpx")


def body_of_answer(body: dict[str, Any]) -> dict[str, Any]:
    """An answer that depends on the request only."""
    digest = hashlib.sha256(json.dumps([body["model"], body["messages"], body["seed"]]).encode()).digest()
    content = json.dumps({"reason": "made", "score": digest[0] % 5 + 1})
    return {"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}


def answered(line: str, **more: Any) -> str:
    """A line of an answers file."""
    request = json.loads(line)
    response = {"status_code": 200, "request_id": "r", "body": body_of_answer(request["body"])}
    return json.dumps({"id": "a", "custom_id": request["custom_id"], "response": response, "error": None} | more)


def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines()


def answer_all(folder: Path, name: str = "answers.jsonl") -> None:
    """Answer the newest file of requests, in reverse order."""
    newest = max(folder.glob("requests*.jsonl"), key=lambda path: (len(path.name), path.name))
    (folder / name).write_text("".join(f"{answered(line)}\n" for line in reversed(lines_of(newest))))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    control = [case("identical", number, reply=f"yes {number}", adversarial=f"yes {number}") for number in range(6)]
    write_cases(tmp_path / "cases.jsonl", [*cases(("speaker", "dullness"), 6), *control])
    rows = [
        {"id": str(n), "context": [f"question {n // 3}"], "reply": f"answer {n}", "ratings": {"ok": [n % 2, n % 2, 1]}}
        for n in range(90)
    ]
    (tmp_path / "ratings.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    set_place(monkeypatch, model="small")
    monkeypatch.delenv("DIALMETER_CACHE", raising=False)
    return tmp_path


PANEL = "panel(judges='llm(rubric=coherence{})+llm(rubric=interest{})+random')"
JUDGES = {
    "cases": ["cases.jsonl", "-j", "llm(repeats=2{})"],
    "ratings": ["ratings.jsonl", "-j", "llm(rubric=coherence{})"],
    "several": ["cases.jsonl", "-j", "llm(rubric=coherence{})", "-j", "two=llm(parse=last{})", "-j", "length"],
    "panel": ["cases.jsonl", "-j", PANEL],
}


@pytest.mark.parametrize("words", JUDGES.values(), ids=JUDGES)
def test_a_batch_gives_the_run_of_an_endpoint(
    words: list[str], file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(body: dict[str, Any], number: int) -> Reply:
        return 200, body_of_answer(body), {}

    with serve(answer) as server:
        set_place(monkeypatch, endpoint=server.url)
        cli("score", *(word.format("", "") for word in words), "-o", "asked", "-q")
        filed = [word.format(*[", batch=b"] * 2) for word in words]
        count = len(server.asked)
        stopped = cli("score", *filed, "-o", "filed", "-q", code=3)
        assert len(server.asked) == count
        assert stopped.out == ""
        start = f"send b/requests.jsonl as a batch, and put its answers into b ({count} requests wait, 0 are answered);"
        assert stopped.complaint.startswith(f"{start} then the same command continues: dialmeter score ")
        assert stopped.complaint.endswith("-o filed -q")
        answer_all(file / "b")
        cli("score", *filed, "-o", "filed", "-q")
        assert len(server.asked) == count
    one, two = files_in(file / "asked"), files_in(file / "filed")
    assert {name for name in one.keys() | two if one.get(name) != two.get(name)} <= {"log.json"}
    assert len(set(lines_of(file / "b" / "requests.jsonl"))) == count


def test_requests_have_the_form_of_openai(file: Path, cli: Cli) -> None:
    cli("score", "ratings.jsonl", "-j", "llm(batch=b)", "-q", code=3)
    request = json.loads(lines_of(file / "b" / "requests.jsonl")[0])
    assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
    body = json.dumps(request["body"], separators=(",", ":"), ensure_ascii=False)
    assert request["custom_id"] == hashlib.sha256(body.encode()).hexdigest()
    assert (request["body"]["model"], request["body"]["seed"]) == ("small", 0)


def test_explanations_need_one_batch(file: Path, cli: Cli) -> None:
    words = ["judge", "explain", "cases.jsonl", "-j", "llm(batch=b)", "-n", "1", "-q"]
    cli(*words, code=3)
    answer_all(file / "b")
    assert "llm" in cli(*words).out


def put(file: Path, *more: str, first: int = 0) -> None:
    """Answer the requests from one on, with more lines."""
    lines = [answered(line) for line in lines_of(file / "b" / "requests.jsonl")[first:]]
    (file / "b" / "answers.jsonl").write_text("\n".join([*lines, *more, ""]))


def test_what_is_missing_is_sent_again(file: Path, cli: Cli) -> None:
    words = ["score", "ratings.jsonl", "-j", "llm(batch=b)", "-q"]
    cli(*words, code=3)
    requests = lines_of(file / "b" / "requests.jsonl")
    body = {"error": {"message": "overloaded"}}
    error = answered(requests[0], response={"status_code": 500, "body": body})
    expired = answered(requests[1], response=None, error={"code": "batch_expired"})
    other = answered(requests[5], custom_id="x" * 64)
    put(file, error, expired, other, answered(requests[5]), '{"custom_id": "cut', requests[7], first=3)
    for _ in range(2):
        complaint = cli(*words, code=3).complaint
        assert complaint.startswith(
            "send b/requests-2.jsonl as a batch, and put its answers into b (3 requests wait, 87 are answered; "
            'errors in b: 2, such as answers.jsonl, line 88: {"error": {"message": "overloaded"}}; '
            "lines that are not answers in b: 2, such as answers.jsonl, line 92: "
        )
        assert (
            "second answers to a request in b: 1, such as answers.jsonl, line 91; "
            "answers to other requests in b: 1, such as answers.jsonl, line 90); then the same command continues: "
        ) in complaint
    assert lines_of(file / "b" / "requests-2.jsonl") == requests[:3]
    answer_all(file / "b", "more.jsonl")
    done = cli("score", "ratings.jsonl", "-j", "llm(batch=b)", "-f", "json")
    assert done.json["account"]["scored"] == 90
    assert "answers to other requests in b: 1" in done.err
    assert "lines that are not answers in b: 2" in done.err


def test_a_certificate_of_a_batch(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["judge", "certify", "ratings.jsonl", "--set", "judge-pass-if=llm(model=small) >= 3", "-j"]
    with serve(lambda body, number: (200, body_of_answer(body), {})) as server:
        set_place(monkeypatch, endpoint=server.url)
        cli(*words, "llm", "-o", "asked.json")
    cli(*words, "llm(batch=b)", "-o", "filed.json", code=3)
    answer_all(file / "b")
    cli(*words, "llm(batch=b)", "-o", "filed.json")
    assert (file / "filed.json").read_bytes() == (file / "asked.json").read_bytes()


def test_two_different_answers_are_refused(file: Path, cli: Cli) -> None:
    words = ["score", "ratings.jsonl", "-j", "llm(batch=b)", "-q"]
    cli(*words, code=3)
    request = lines_of(file / "b" / "requests.jsonl")[0]
    body = {"choices": [{"message": {"content": "another"}}]}
    put(file, answered(request, response={"status_code": 200, "body": body}))
    complaint = cli.refused(*words)
    assert complaint == (
        "b: answers.jsonl, line 1 and answers.jsonl, line 91 are different answers to the same request; remove one of them"
    )


def test_a_refused_temperature_is_left_out_of_the_next_batch(file: Path, cli: Cli) -> None:
    words = ["score", "ratings.jsonl", "-j", "llm(batch=b)", "-q"]
    cli(*words, code=3)
    refusal = {"status_code": 400, "body": {"error": {"message": "temperature is not supported"}}}
    requests = lines_of(file / "b" / "requests.jsonl")
    assert '"temperature":0.0' in requests[0]
    (file / "b" / "errors.jsonl").write_text("".join(f"{answered(line, response=refusal)}\n" for line in requests))
    cli(*words, code=3)
    again = lines_of(file / "b" / "requests-2.jsonl")
    assert len(again) == len(requests)
    assert '"temperature"' not in "".join(again)
    answer_all(file / "b")
    assert "refuses temperature" in cli("score", "ratings.jsonl", "-j", "llm(batch=b)").err


def test_prices_and_budgets_of_batches(file: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    set_place(monkeypatch, price="in=1,out=2")
    words = ["score", "ratings.jsonl", "-j", "llm(batch=b)"]
    [whole] = cli.json(*words, "--dry-run")["estimates"].values()
    assert (whole["calls"], whole["cached"]) == (90, 0)
    assert not (file / "b").exists()
    cli(*words, code=3)
    put(file, first=30)
    [rest] = cli.json(*words, "--dry-run")["estimates"].values()
    assert (rest["calls"], rest["cached"], rest["answer_tokens"]) == (30, 60, 90)
    set_place(monkeypatch, max_cost=whole["prompt_tokens"] / 2e6)
    cli("score", "ratings.jsonl", "-j", "llm(batch=c)", "-q", code=3)
    assert 40 < len(lines_of(file / "c" / "requests.jsonl")) < 50


REFUSED = {
    "two models": (["-j", "llm(batch=b)", "-j", "llm(model=other, batch=b)"], "give each judge another folder"),
    "a file": (["-j", "llm(batch=ratings.jsonl)"], "ratings.jsonl: batch= names a folder, and this is a file"),
}


@pytest.mark.parametrize(("words", "expected"), REFUSED.values(), ids=REFUSED)
def test_refused_batches(words: list[str], expected: str, file: Path, cli: Cli) -> None:
    assert expected in cli.refused("score", "ratings.jsonl", *words)
