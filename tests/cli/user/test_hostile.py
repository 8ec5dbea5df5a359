"""Text from files is only text: control characters, markup and LaTeX have no effect, in every output format and in charts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.model import Act, Conversation, DomainGoal, Move

from ..invoke import Cli, checked, files_in
from ..user_samples import users

ESCAPE = "\x1b[31m\x07\r\n\u202e"
MARKUP = "a|b`*_<script>alert(1)</script>[x](http://y)"
LATEX = r"\input{/etc/passwd}%$#&~^{}"
NASTY = f"n{ESCAPE}{MARKUP}{LATEX}"


def hostile() -> Conversation:
    wanted = {NASTY: DomainGoal(info={NASTY: NASTY, "two": "2"}, requests=(NASTY, "more"))}
    again = Act("Hotel-Inform", NASTY, NASTY, (NASTY,))
    reply = Move("system", NASTY, (Act(NASTY, NASTY, NASTY, (NASTY,)),), (again,))
    result = Move("user", NASTY, (again, Act("Hotel-Inform", NASTY, f"{NASTY}2", (NASTY,))))
    return Conversation(NASTY, (result, reply, result, reply), wanted)


COMMANDS = [
    ["score", "--verbose"],
    ["score", "--by", "pattern", "--by", "domain"],
    ["check", "--verbose"],
    ["find"],
    ["find", "--show"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("style", ["text", "markdown", "latex", "csv", "json"])
def test_every_style(command: list[str], style: str, cli: Cli, tmp_path: Path) -> None:
    name, *options = command
    result = cli(name, users(tmp_path, [hostile()]), *options, "-f", style)
    harmless(result.err)
    if style == "json":
        checked(result, "find" if name == "find" else f"{name}-user")
        assert not set(result.out) & {"\x1b", "\x07", "\r"}
        return
    harmless(result.out)
    if style == "markdown":
        outside_code = [line for line in result.out.splitlines() if not line.startswith("Signature: `")]
        assert not [line for line in outside_code if "<script>" in line]
        assert not [line for line in result.out.splitlines() if line.startswith("|") and "a|b" in line]
    if style == "latex":
        plain = [line for line in result.out.splitlines() if not line.startswith("%")]
        assert not [line for line in plain if r"\input" in line]


def harmless(text: str) -> None:
    """Check for no control characters except line ends, and no change of writing direction."""
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\r" not in text
    assert "\u202e" not in text


def test_check_and_refusals(cli: Cli, tmp_path: Path) -> None:
    bad = Conversation(NASTY + "2", (Move(NASTY),), {"hotel": DomainGoal()})
    file = users(tmp_path, [hostile(), bad])
    for command, code in ((["check", file], 2), (["score", file], 2), (["score", file, "--set", "missing=skip"], 0)):
        result = cli(*command, code=code)
        harmless(result.out + result.err)


def test_compare(cli: Cli, tmp_path: Path) -> None:
    first, second = (users(tmp_path, [hostile()], name) for name in ("a.jsonl", "b.jsonl"))
    # A name with a slash would be a path.
    name = NASTY.replace("/", "")
    for style in ("text", "markdown", "latex", "csv"):
        result = cli("compare", f"{name}={first}", f"b={second}", "-m", f"I-GCDF1[{NASTY}]", "-f", style)
        harmless(result.out + result.err)


def test_charts_reports_and_value_maps(cli: Cli, tmp_path: Path) -> None:
    file, charts, run = users(tmp_path, [hostile()]), tmp_path / "charts", tmp_path / "run"
    cli("score", file, "--out", run)
    cli("report", run, "--charts", charts)
    for name, data in files_in(charts).items():
        assert b"<script" not in data or name.endswith(".csv")
        assert b"\x1b" not in data
    harmless(cli("report", run, "-o", "-", "-f", "markdown").out)
    result = cli("convert", file, tmp_path / "map.json", "--to", "map")
    harmless(result.out + result.err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["charts", "map.json", "run", "users.jsonl"]
