"""A language model that judges whole dialogues, with a local server: tests of the requests, not of the quality."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter import DialmeterError, InputError
from dialmeter.judges.people.study import judge_people

from ...cli.invoke import Cli, set_place
from ..adapters.test_pairwise import PairOracle
from ..chat_server import Reply, saying, serve
from .test_people import dialogues, rated, write

pytest.importorskip("httpx")


def test_one_request_per_dialogue() -> None:
    items = dialogues()
    with serve(lambda body, number: saying(str(1 + len(body["messages"][0]["content"]) % 5))) as server:
        found = judge_people(items, [f"mine=llm-dialogue(endpoint={server.url}, model=small)"], ci=0)
    column = next(each for each in found.columns if each.name == "mine")
    assert len(server.asked) == len({item.moves for item in items})
    assert all(score is not None and 1 <= score <= 5 for score in column.scores)
    prompt = server.asked[0].body["messages"][0]["content"]
    assert '{"system": "a b c' in prompt
    assert "from 1 (very bad) to 5 (very good)" in prompt


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("no field", InputError, "a rubric needs {context}"),
        ("{context} {reply}", DialmeterError, "must not have {reply}"),
    ],
)
def test_bad_rubrics(tmp_path: Path, text: str, error: type[Exception], says: str) -> None:
    path = tmp_path / "rubric.txt"
    path.write_text(text)
    with pytest.raises(error, match=says):
        judge_people(dialogues(), [f"llm-dialogue(endpoint=http://127.0.0.1:9/v1, model=small, template={path})"])


def test_a_budget_and_the_use_of_the_endpoint(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    file, run = write(rated(), tmp_path / "ratings.jsonl"), tmp_path / "run"
    usage = {"prompt_tokens": 100, "completion_tokens": 1}
    reply: Reply = (200, {"choices": [{"message": {"content": "4"}}], "usage": usage}, {})
    with serve(lambda body, number: reply) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", price="in=1,out=1", concurrency=1, max_cost=0.001)
        words = ["score", file, "-j", "small=llm", "--set", "ci=0", "--quiet", "--out", run]
        said = cli(*words, "-v", code=3)
        before = len(server.asked)
        set_place(monkeypatch, max_cost=1)
        found = cli.json(*words)
    assert "because the budget is spent; the run is unfinished; the same command continues it" in said.complaint
    assert f"small: {before} requests" in said.out
    assert 0 < before < len(server.asked)
    assert found["usage"][0]["requests"] == len(server.asked) - before


def test_people_rated_no_pairs() -> None:
    with pytest.raises(DialmeterError, match="judge pairs compares pairs of replies; it judges cases"):
        judge_people(rated(), {"pairs": PairOracle()})
