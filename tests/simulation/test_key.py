"""No command prints or writes the key of an endpoint, for any answer of the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result

from dialmeter.cli.main import cli

from ..judges.chat_server import listening

KEY = 'sk-se/cr"et+w&rd 17.'
SPELLINGS = {
    "plain": KEY,
    "quoted": quote(KEY, safe=""),
    "partly-quoted": KEY.replace("/", "%2f").replace("+", "%2B"),
    "json": json.dumps(KEY)[1:-1],
    "partly-json": KEY.replace("k", "\\u006b").replace("/", "\\/"),
    "html": KEY.replace("&", "&amp;"),
}


@contextmanager
def echo(status: int, body: str) -> Iterator[str]:
    """A server that repeats the key in its body, its headers and its reason."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            assert "sk-se" in self.headers["Authorization"]
            data = body.encode()
            self.send_response(status, "no sk-se/cr")
            self.send_header("X-Key", quote(KEY))
            self.send_header("WWW-Authenticate", quote(KEY))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *words: object) -> None:
            pass

    with listening(Handler) as url:
        yield url


def play(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DIALMETER_ENDPOINT", url)
    monkeypatch.setenv("DIALMETER_MODEL", "m")
    words = ["play", "--user", "endpoint(retries=0)", "--goals", "1", "--set", "max-turns=2"]
    return CliRunner().invoke(cli, [*words, "--out", str(folder / "talk.jsonl")])


def judge(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    case = {
        "attack": "identical", "variant": "identical", "context": [{"speaker": "user", "text": "Hi."}], "reply": "Hello.",
        "adversarial": "Hi.", "expected": "lower", "facet": "coherence", "source": {"dialogue": "d", "turn": 1},
        "speaker": "system",
    }  # fmt: skip
    (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
    one = f'llm(endpoint="{url}", model=m, retries=0, cache="{folder / "cache"}")'
    return CliRunner().invoke(cli, ["score", str(folder / "cases.jsonl"), "--judge", one, "--out", str(folder / "run")])


def nothing_of_it(result: Result, folder: Path) -> None:
    said = f"{result.output}{result.exception}"
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()).decode("latin-1")
    for text in (said, written):
        assert "sk-se" not in text
        assert "s\\u006b-se" not in text
        assert "rd 17" not in text
        assert "rd%2017" not in text


@pytest.mark.parametrize("key", ["sk-secret-é", "sk-secret\n-1", "sk-secret\x7f"])
def test_a_key_that_no_header_can_carry(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "KEY", key)
    for command in (play, judge):
        result = command("http://127.0.0.1:9/v1", tmp_path, monkeypatch)
        assert "the key in OPENAI_API_KEY has characters that are not printable ASCII" in str(result.exception)
        assert "secret" not in f"{result.output}{result.exception}"


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("status", [401, 500])
def test_refusal_with_the_key(spelling: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with echo(status, f"wrong key {SPELLINGS[spelling]}, again {SPELLINGS[spelling]}") as url:
        played = play(url, tmp_path, monkeypatch)
        nothing_of_it(played, tmp_path)
        judged = judge(url, tmp_path, monkeypatch)
        nothing_of_it(judged, tmp_path)
    assert played.exit_code
    assert "(key)" in f"{judged.output}{judged.exception}"
    assert status == 500 or "wrong key (key), again (key)" in str(played.exception)


def test_an_answer_that_repeats_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = json.dumps({"choices": [{"message": {"content": f"4 out of 5. Your key is {KEY}. Goodbye."}}]})
    with echo(200, answer) as url:
        played = play(url, tmp_path, monkeypatch)
        judged = judge(url, tmp_path, monkeypatch)
    assert not played.exit_code, played.exception
    assert not judged.exit_code, judged.exception
    assert "Your key is (key)." in (tmp_path / "talk.jsonl").read_text("utf-8")
    nothing_of_it(played, tmp_path)
    nothing_of_it(judged, tmp_path)
