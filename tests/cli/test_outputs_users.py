"""The text output of commands on users, exactly, on shared data."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ..shared_data import shared
from .invoke import Cli
from .user_samples import users

SCORED = """\
I-GCDF1 80.76, R-GCDF1 69.36; 12 of 492 lost points are the user's own.
  fix first  293 points: user misheard system (booking_unheard, MUL1202)
  lost by    mishearing 427, system 47, user 12, labels 6
I-GCDF1  80.76  71.58 to 87.31
R-GCDF1  69.36  56.69 to 79.81  3 dialogues unscored
48 of 48 dialogues
signature  I-GCDF1+1|rules:dialmeter|map:multiwoz@3cdb76ae28|d:48|t:924|
           data:c03ffbeed0|v:0.1.0
next  dialmeter find fixture48.json.gz reason=booking_unheard \\
      --set map=multiwoz
"""

FOUND = """\
dialogue       first place
─────────────  ─────────────────────────────────────────────────────────
MUL1202.json   user misheard system, booking_unheard: day=wednesday (+8)
PMUL3160.json  user misheard system, booking_unheard: day=thursday (+5)
MUL0803.json   user misheard system, booking_unheard: area=south (+8)
6 dialogues found, 3 shown
"""

CHECKED = """\
READY to be scored.
I-GCDF1  100.00  if the user says exactly its goal
R-GCDF1  100.00  if the user says exactly its goal
read as user, gcdf1; 48 dialogues, 924 turns, 326 constraints, 154 requests
next  dialmeter score fixture48.json.gz
"""

READ = """\
The reader rules finds informs P .99 R .97, requests P .96 R .89 (48 dialogues).
  I-GCDF1  80.76 from acts, 74.72 from text: -6.04
  R-GCDF1  69.36 from acts, 60.94 from text: -8.42
48 of 48 dialogues
next  dialmeter score fixture48.json.gz --set acts=rules
"""

HOTEL = """\
I-GCDF1[hotel] 83.60; 12 of 492 lost points are the user's own.
  fix first  293 points: user misheard system (booking_unheard, MUL1202)
  lost by    mishearing 427, system 47, user 12, labels 6
I-GCDF1[hotel]  83.60  68.58 to 92.32
48 of 48 dialogues
signature  I-GCDF1|rules:dialmeter|domain:hotel|d:48|t:924|data:c03ffbeed0|
           v:0.1.0
next  dialmeter find fixture48.json.gz reason=booking_unheard
"""

LOG = """\
GoalRecall 95.83; 16 of 460 goal values are missed, 125 events of the user.
  events     invented 78, missed 16, wrong 15, early_stop 11, leak 5
  user       any of missed, wrong, early_stop: associated with failure, +9.62,
             +1.92 to +19.23
  failed by  unknown 95, user 21
GoalRecall  95.83  92.18 to 98.81  76 goal values unscored
160 of 200 dialogues; 40 without goal values
signature  GoalRecall|values:named-in-instruction|tasks:40|d:160|
           data:88cadff754|v:0.1.0
next  dialmeter find airline.json.gz event=invented --subject user
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with links to shared files, so that outputs have short paths."""
    (tmp_path / "fixture48.json.gz").symlink_to(shared("data", "users", "fixture48_dialogues.json.gz"))
    (tmp_path / "airline.json.gz").symlink_to(shared("data", "trajectories", "gpt-4o-airline.json.gz"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("score fixture48.json.gz --set map=multiwoz", SCORED),
        ("score fixture48.json.gz -m I-GCDF1[hotel]", HOTEL),
        ("find fixture48.json.gz reason=booking_unheard --set map=multiwoz -n 3", FOUND),
        ("check fixture48.json.gz", CHECKED),
        ("check fixture48.json.gz --set acts=rules", READ),
        ("score airline.json.gz --subject user", LOG),
    ],
    ids=lambda each: each if each.startswith(("score", "find", "check")) else "",
)
def test_exact_text(command: str, text: str, cli: Cli) -> None:
    said = cli(*command.split(), "-q")
    assert said.out == text
    assert said.err == ""
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.usefixtures("folder")
def test_next_commands_work(cli: Cli) -> None:
    """Every summary ends with a command that can be pasted."""

    for command in ("score fixture48.json.gz --set map=multiwoz", "check fixture48.json.gz"):
        last = cli(*command.split(), "-q").out.replace(" \\\n     ", "").splitlines()[-1]
        assert cli(*shlex.split(last.removeprefix("next  dialmeter ")), "-q").out


def test_compared_users(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    users(tmp_path, name="old.jsonl")
    users(tmp_path, name="new.jsonl")
    assert (
        cli("compare", "old.jsonl", "new.jsonl", "-q").out
        == """\
CANNOT TELL: new and old have the same I-GCDF1.
  as written            +0.00    cannot tell
  acts read from text † +0.00    cannot tell
  † another question; it cannot turn the verdict
           old    new  difference  p (Holm)  better/same/worse
I-GCDF1  77.56  77.56       +0.00         –              0/4/0
R-GCDF1  88.89  88.89       +0.00         –              0/4/0
4 of 4 dialogues with the same goal
signature  I-GCDF1+1|rules:dialmeter|d:4|t:24|data:87bdba3abc|v:0.1.0
next  dialmeter find new.jsonl 'I-GCDF1<1'
"""
    )
