"""A language model that reads whole dialogues, against a server on this machine: plumbing, not quality."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter import DialmeterError, InputError, judge_human

from ..chat_server import saying, serve
from .test_people import dialogues

pytest.importorskip("httpx")


def test_one_request_per_dialogue() -> None:
    items = dialogues()
    with serve(lambda body, number: saying(str(1 + len(body["messages"][0]["content"]) % 5))) as server:
        found = judge_human(items, [f"mine=llm-dialogue(endpoint={server.url}, model=small)"], ci=0)
    column = next(each for each in found.columns if each.name == "mine")
    assert len(server.asked) == len({item.moves for item in items})
    assert all(score is not None and 1 <= score <= 5 for score in column.scores)
    prompt = server.asked[0].body["messages"][0]["content"]
    assert "system: a b c" in prompt
    assert "from 1 (very bad) to 5 (very good)" in prompt


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [("no field", InputError, "a rubric needs {context}"), ("{context} {reply}", DialmeterError, "has no {reply}")],
)
def test_bad_rubrics(tmp_path: Path, text: str, error: type[Exception], says: str) -> None:
    path = tmp_path / "rubric.txt"
    path.write_text(text)
    with pytest.raises(error, match=says):
        judge_human(dialogues(), [f"llm-dialogue(endpoint=http://127.0.0.1:9/v1, model=small, template={path})"])
