"""What the fuzzer has found: files that once ended in an internal error, took too long, or were read in two ways.

Each entry is what is replaced in a sample (see ``samples``), by what, the command, and what was wrong. An empty text that is replaced
stands for the whole file.
"""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """A change to a sample file, and the command that could not bear it."""

    path: str
    old: bytes
    new: bytes
    command: str
    was: str


QUERY = "find runs/user -f json --quiet"
REPORT = "report runs/{} -f markdown --out -"
ACCURACY = "score agenda.jsonl --set profile=town --set ci=0 --quiet --set acts=rules(accuracy={})"
BOARD = "compare runs/tracker runs/other --measure JGA --set resamples=100 --quiet"

CORPUS: tuple[Found, ...] = (
    Found("runs/user/rows.jsonl", b"", b'{"dialogue_id": "x"', QUERY, "internal error: torn row"),
    Found("runs/user/rows.jsonl", b'"speaker":"user"', b'"speaker":"us\xff"', QUERY, "internal error: not UTF-8"),
    Found("runs/user/rows.jsonl", b'"talk":[', b'"talk":[[],', QUERY, "internal error: retyped field"),
    Found("runs/user/run.json", b'"kind"', b'"k\xffind"', "cite runs/user", "internal error: not UTF-8"),
    Found("runs/tracker/run.json", b'"scores": [', b'"scores": ["x", ', REPORT.format("tracker"), "internal error: retyped field"),
    Found("runs/tracker/run.json", b"", b"[" * 3000, REPORT.format("tracker"), "internal error: recursion"),
    Found("runs/judge/run.json", b'"counts"', b'"counts": 3, "x"', REPORT.format("judge"), "internal error: retyped field"),
    Found("runs/judge/rows.jsonl", b"{", b"{\xd7", REPORT.format("judge"), "internal error: not UTF-8"),
    Found("runs/tracker/run.json", b'"signature"', b'"x"', "cite runs/tracker", "internal error: no signature"),
    Found("runs/judge/rows.jsonl", b'"adversarial":"', b'"x":"', REPORT.format("judge"), "internal error: missing field"),
    Found("runs/user/rows.jsonl", b'"talk":', b'"x":', REPORT.format("user"), "internal error: missing field"),
    Found("runs/tracker/run.json", b'"value"', b'"x"', "report runs/tracker -f latex --out -", "internal error: missing field"),
    Found("runs/tracker/index.npz", b"PK\x03\x04", b"PK\x03\x05", "GET /run/tracker", "internal error: damaged index, in the viewer"),
    Found("own.toml", b'"keep"', b"9" * 5000, "study rules native.jsonl --quiet --rules {} --rules trade", "internal error: digits"),
    Found("profile.toml", b"", b"x = " + b"[" * 3000, "check agenda.jsonl --quiet --set profile={}", "internal error: recursion"),
    Found("own.toml", b"", b"x = " + b"[" * 3000, "score native.jsonl --quiet --rules {}", "internal error: recursion"),
    Found("user.toml", b"", b"x = " + b"[" * 3000, "score agenda.jsonl --set ci=0 --quiet --rules {}", "internal error: recursion"),
    Found("manifest.csv", b"native.jsonl", b"[" * 3000, "study curve {} --set ci=0 --measure JGA --quiet", "internal error: file name too long"),
    Found("native.jsonl", b'"gold"', b'"go\\u006cd": {}, "gold"', "score {} --quiet --out made/run --force", "score and --out disagree"),
    Found("native.jsonl", b'"a hotel in the east"', b'"\xed\xa0\x80"', "convert {} - --quiet", "internal error: half character"),
    Found("fga.txt", b"'leaveAt'", b"'\\udc00x'", "convert {} - --quiet", "internal error: half character"),
    Found("goals.json", b'"', b'"\xed\xa0\x80', "check agenda.jsonl --quiet --goals {}", "internal error: half character"),
    Found("map.json", b'"', b'"\xed\xa0\x80', "check agenda.jsonl --quiet --set map={}", "internal error: half character"),
    Found("cases.jsonl", b'"reply":', b'"x": ' + b"[" * 3000 + b"]" * 3000 + b', "reply":', "score {} --judge length --quiet", "internal error: recursion"),
    Found("llm.jsonl", b'"completion": "', b'"completion": "SELECT * FROM hotel WHERE area = east' + b" " * 100_000 + b"\\u0000", "score {} --quiet --set ci=0", "quadratic time"),
    Found("cases.jsonl", b'"reply":"', b'"reply":"' + b"." * 30_000 + b"a", "judge explain {} --judge length --limit 1 --quiet", "quadratic time"),
    Found("accuracy.json", b"", b"[" * 3000, ACCURACY, "internal error: recursion"),
    Found("accuracy.json", b'"reader"', b'"r\xffeader"', ACCURACY, "internal error: not UTF-8"),
    Found("runs/tracker/run.json", b'"backend": ', b'"backend": {}, "x": ', BOARD, "internal error: retyped field"),
    Found("runs/compared/run.json", b'"headings": [', b'"headings": ["x", ', "report runs/compared -f latex --out -", "internal error: rows of another width"),
    Found("runs/tracker/rows.jsonl", b'"turn":0', b'"turn":"0"', "study audit runs/tracker --quiet", "internal error: retyped field"),
    Found("runs/judge/rows.jsonl", b'"variant":"word"', b'"variant":"\\u0000"', "report runs/judge -f html --out -", "control character in a page"),
    Found("board.toml", b'"pred.jsonl"', b'"pred\\u0000.jsonl"', "compare {} --quiet", "internal error: NUL in a path"),
    Found("logs/chat.jsonl", b'"reward": 1.0', b'"reward": 1' + b"0" * 400, "check {} --quiet", "internal error: overflow"),
    Found("runs/user/run.json", b'"unit": "dialogue"', b'"unit": "a-b-c"', QUERY, "internal error: unknown unit"),
    Found("runs/judge/run.json", b'"sha256"', b'"x"', "GET /run/judge", "internal error: missing field"),
    Found("runs/ruled/run.json", b'"inputs"', b'"x"', "GET /run/ruled", "internal error: missing field, in the viewer"),
    Found("runs/judge/rows.jsonl", b'"length":{', b'"\xc2\x9b31m":{', "GET /row/0/judge", "control character in a page"),
)  # fmt: skip
