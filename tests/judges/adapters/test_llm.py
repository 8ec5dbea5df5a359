"""A language model as a judge, with a real local server."""

from __future__ import annotations

import math
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.judges.ask import score_cases
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move

from ...cli.invoke import Cli, files_in, set_place
from ..chat_server import Reply, Server, saying, serve
from ..made import case, cases, write_cases

pytest.importorskip("httpx")
from dialmeter.judges.adapters.llm import LanguageModel

ITEMS = [((Move("user", "hello {reply}"),), "hi there"), ((Move("user", "bye"),), "bye")]


def judge(server: Server, **more: Any) -> LanguageModel:
    return LanguageModel(server.url, "small", wait=0.001, **more)


def test_the_prompt_and_the_digit() -> None:
    with serve(lambda body, number: saying('{"reason": "fits", "score": 4}')) as server:
        one = judge(server)
        assert one.score(ITEMS) == [4.0, 4.0]
        one.close()
    [asked] = [each for each in server.asked if "hi there" in each.body["messages"][0]["content"]]
    prompt = asked.body["messages"][0]["content"]
    assert '{"user": "hello {reply}"}' in prompt
    assert "from 1 (very bad) to 5 (very good)" in prompt
    assert (asked.path, asked.body["model"], asked.body["temperature"]) == ("/v1/chat/completions", "small", 0.0)
    assert asked.key is None
    assert asked.body["response_format"] == {"type": "json_object"}


def test_next_batch_does_not_wait_for_the_slowest_answer() -> None:
    others = Event()

    def answer(body: dict[str, Any], number: int) -> Reply:
        if number == 0:
            arrived.append(others.wait(20))
        elif number == one.batch_size:
            others.set()
        return saying("4")

    arrived: list[bool] = []
    with serve(answer) as server:
        one = judge(server, concurrency=2)
        found = score_cases(cases(("repetition",), one.batch_size), {"llm": one})
        one.close()
    assert arrived == [True]
    assert len(server.asked) > one.batch_size
    assert not found.failures


def logprobs(*weights: tuple[str, float]) -> Reply:
    top = [{"token": token, "logprob": math.log(share)} for token, share in weights]
    start = {"token": "Score ", "top_logprobs": [{"token": "Score", "logprob": 0.0}]}
    place = {"token": weights[0][0], "top_logprobs": top}
    return 200, {"choices": [{"message": {"content": "x"}, "logprobs": {"content": [start, place]}}]}, {}


def test_the_mean_over_log_probabilities() -> None:
    with serve(lambda body, number: logprobs(("4", 0.5), (" 5", 0.25), ("9", 0.2), ("the", 0.05))) as server:
        one = judge(server, parse="logprobs")
        assert one.score(ITEMS) == pytest.approx([(4 * 0.5 + 5 * 0.25) / 0.75] * 2)
        one.close()
    assert server.asked[0].body["top_logprobs"] == 20


def test_repeats_are_averaged_and_their_spread_is_reported() -> None:
    with serve(lambda body, number: saying(str(1 + body["seed"]))) as server:
        one = judge(server, repeats=3)
        assert one.score(ITEMS) == [2.0, 2.0]
        told = one.stability()
        one.close()
    assert (told["repeats"], told["asked"], told["sd"], told["same"]) == (3, 2, 1.0, 0.0)
    assert told["alpha"] < 0
    assert {each.body["temperature"] for each in server.asked} == {1.0}


def test_answers_are_cached_and_the_key_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with serve(lambda body, number: saying("3")) as server:
        for _ in range(2):
            one = judge(server, cache=str(tmp_path / "cache"), key_variable="MY_KEY")
            assert one.score(ITEMS) == [3.0, 3.0]
            one.close()
    assert len(server.asked) == 2
    assert server.asked[0].key == "Bearer sk-very-secret"
    kept = files_in(tmp_path)
    assert list(kept) == ["cache/answers.jsonl"]
    assert b"secret" not in kept["cache/answers.jsonl"] + one.identity.encode()


def test_an_unreadable_answer_is_cached_and_requested_again(tmp_path: Path) -> None:
    answers = ["no idea", "4", "never asked for"]
    with serve(lambda body, number: saying(answers[number])) as server:
        for asked, known in ((1, "no idea"), (2, "4"), (2, "4")):
            one = judge(server, cache=str(tmp_path))
            found = next(one.ask_batches([ITEMS[:1]]))
            one.close()
            assert len(server.asked) == asked
            assert (found == [4.0]) == (known == "4")
            [answer] = one.exchange(ITEMS[0]).answers
            assert (answer.text, bool(answer.error)) == (known, known != "4")
    kept = (tmp_path / "answers.jsonl").read_text()
    assert "no idea" in kept
    assert kept.count("\n") == 2


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((500, "broken sk-1", {}), r"status 500: broken \(key\) \(3 tries\)"),
        (saying("excellent"), "no number from 1 to 5 with a label, or alone, in the answer 'excellent'"),
        (saying("10 out of 10"), "a number on another scale than 1 to 5"),
        (saying("The 3 hotels fit, so I say 5"), "no number from 1 to 5 with a label"),
    ],
)
def test_wrong_answers_of_servers(reply: Reply, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    with serve(lambda body, number: reply) as server:
        one = judge(server, retries=2)
        with pytest.raises(DialmeterError, match=message):
            one.score(ITEMS[:1])
        one.close()


def test_no_server_at_all() -> None:
    with serve(lambda body, number: saying("1")) as server:
        url = server.url
    one = LanguageModel(url, "small", retries=1, wait=0.001)
    with pytest.raises(DialmeterError, match=r"no connection: .*\(2 tries\)"):
        one.score(ITEMS[:1])
    one.close()


def test_the_control_is_really_asked_twice() -> None:
    control = [case("identical", number, reply="yes", adversarial="yes") for number in range(4)]
    with serve(lambda body, number: saying(str(1 + body["seed"]))) as server:
        one = judge(server)
        result = score_judge(control, [one])
        one.close()
    assert [tuple(pair) for pair in result.scored.pairs[one.name]] == [(1.0, 2.0)] * 4


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"parse": "word"}, "parse must be json, labelled, last, letters or logprobs"),
        ({"parse": "logprobs", "scale": "0-100"}, "logprobs reads scales up to 9.*use parse=json"),
        ({"scale": "5"}, "write it like 1-5"),
        ({"scale": "5-1"}, "write it like 1-5"),
        ({"repeats": 0}, "repeats must be at least 1"),
    ],
)
def test_settings_that_do_not_fit(more: dict[str, Any], message: str) -> None:
    with pytest.raises(DialmeterError, match=message):
        LanguageModel("http://127.0.0.1:1", "small", **more)


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("Rate {reply} after {context}: {low}..{high} {other}")
    with serve(lambda body, number: saying("90")) as server:
        one = judge(server, template=str(tmp_path / "t.txt"), scale="0-100")
        assert one.score(ITEMS[1:]) == [90.0]
        one.close()
    assert server.asked[0].body["messages"][0]["content"] == 'Rate "bye" after {"user": "bye"}: 0..100 {other}'
    (tmp_path / "t.txt").write_text("Rate {reply}")
    with pytest.raises(InputError, match=r"a template needs \{context\}"):
        LanguageModel("http://127.0.0.1:1", "small", template=str(tmp_path / "t.txt"))
    with pytest.raises(InputError, match="no such file"):
        LanguageModel("http://127.0.0.1:1", "small", template=str(tmp_path / "none.txt"))


def expected_difference(values: list[float]) -> float:
    """The mean squared difference of all pairs of different answers."""
    pairs = [(one - two) ** 2 for place, one in enumerate(values) for two in values[:place]]
    return sum(pairs) / len(pairs)


def test_from_the_command_line(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",), 6))

    def answer(body: dict[str, Any], number: int) -> Reply:
        return saying("1" if "[speaker]" in body["messages"][0]["content"] else str(4 + body["seed"] % 2))

    with serve(answer) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", cache=tmp_path / "cache")
        words = ["-j", "small=llm(repeats=2)"]
        found = cli.json("score", tmp_path / "cases.jsonl", *words, "--quiet")
        again = cli("score", tmp_path / "cases.jsonl", *words, "--quiet", "-v")
    assert found["scores"][0]["judge"] == "small"
    assert found["scores"][0]["value"] == 0.0
    told = found["stability"]["small"]
    assert (told["repeats"], told["asked"], told["sd"], told["same"]) == (2, 12, pytest.approx(0.5**0.5 / 2), 0.5)
    # Pairs (4, 5) and (1, 1), six each: 1 - observed over expected disagreement.
    assert told["alpha"] == pytest.approx(1 - 0.5 / expected_difference([1.0] * 12 + [4.0] * 6 + [5.0] * 6))
    assert len(server.asked) == 24
    assert "12 replies scored 2 times, equal answers on 50.00 % [25.38 to 74.62], standard deviation 0.354" in again.out
