"""The outputs of trackers on published predictions, whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..shared_data import shared
from .invoke import Cli

FILES = {"labes": "labes.pred", "uniconv": "uniconv.pred", "damd": "damd.pred", "mw21": "mw21.gold"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The published files under short names, in the current folder."""
    for name, file in FILES.items():
        shutil.copy(shared("data", "compat", "mwzeval", f"{file}.json.gz"), tmp_path / f"{name}.json.gz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TWO = "compare labes.json.gz uniconv.json.gz --gold mw21.json.gz --set missing=empty"
OUTPUTS = {
    "check labes.json.gz --gold mw21.json.gz": """\
NOT READY: 615 turns of 56 dialogues have gold and no prediction.
  spelling  map=multiwoz: JGA 43.26 to 44.75
read as tracker, mwzeval; 1000 dialogues, 7372 turns
next  dialmeter score labes.json.gz --gold mw21.json.gz --set missing=empty
""",
    "check uniconv.json.gz --gold mw21.json.gz": """\
READY, but see below.
  spelling  map=multiwoz: JGA 38.16 to 56.63
  never     7 of 30 slots are never predicted: hotel-day, hotel-people, …
  copied?   JGA 99.12 on the 23 slots it predicts: is this gold?
read as tracker, mwzeval; 1000 dialogues, 7372 turns
next  dialmeter score uniconv.json.gz --gold mw21.json.gz
""",
    "check mw21.json.gz --gold mw21.json.gz": """\
READY, but see below.
  copied?  JGA 100.00: is this gold?
read as tracker, mwzeval; 1000 dialogues, 7372 turns
next  dialmeter score mw21.json.gz --gold mw21.json.gz
""",
    "score uniconv.json.gz --gold mw21.json.gz": """\
JGA 38.16, but 18.48 points hang on spelling.
  spelling  4 slots never agree, '18:00' against '1800': JGA 56.63 if mapped
  never     7 of 30 slots are never predicted: hotel-day, hotel-people, …
  copied?   JGA 99.12 on the 23 slots it predicts: is this gold?
JGA           38.16  36.48 to 39.93
FGA(lam=0.5)  60.49  59.34 to 61.58
GCA           74.80  74.05 to 75.51
1000 of 1000 dialogues
signature  JGA+2|rules:dialmeter|d:1000|t:7372|gold:955bc34a5b|v:0.1.0
next  dialmeter score uniconv.json.gz --gold mw21.json.gz --set map=multiwoz
""",
    "score uniconv.json.gz --gold mw21.json.gz --set map=multiwoz": """\
JGA 56.63.
  never    7 of 30 slots are never predicted: hotel-day, hotel-people, …
  copied?  JGA 99.12 on the 23 slots it predicts: is this gold?
JGA           56.63  54.61 to 58.67
FGA(lam=0.5)  74.96  73.76 to 76.17
GCA           84.77  83.98 to 85.53
1000 of 1000 dialogues
signature  JGA+2|rules:dialmeter|map:multiwoz@3cdb76ae28|d:1000|t:7372|
           gold:955bc34a5b|v:0.1.0
next  dialmeter find uniconv.json.gz sng01936 --gold mw21.json.gz \\
      --set map=multiwoz
""",
    "score damd.json.gz --gold mw21.json.gz --set missing=skip": """\
JGA 27.64.
  spelling  435 turns, 'guesthouse' against 'guest house': JGA 29.48 if mapped
  missing   18 turns without a prediction are unscored
JGA           27.64  25.99 to 29.33
FGA(lam=0.5)  47.27  45.95 to 48.64
GCA           66.18  64.87 to 67.49
999 of 1000 dialogues; 1 without a prediction (mul0789)
signature  JGA+2|rules:dialmeter|missing:skip|scored:999/1000|unscored:1d/18t|
           d:999|t:7354|gold:a7c9122213|v:0.1.0
next  dialmeter score damd.json.gz --gold mw21.json.gz --set missing=skip \\
      --set map=multiwoz
""",
    "score trivial:copy-previous --gold mw21.json.gz": """\
JGA 18.96.
JGA           18.96  18.33 to 19.70
FGA(lam=0.5)  33.70  32.92 to 34.47
GCA           23.52  22.69 to 24.39
1000 of 1000 dialogues
signature  JGA+2|rules:dialmeter|d:1000|t:7372|gold:955bc34a5b|v:0.1.0
next  dialmeter find trivial:copy-previous mul2193 --gold mw21.json.gz
""",
    "compare labes.json.gz uniconv.json.gz --gold mw21.json.gz --set missing=empty": """\
DEPENDS on spelling: uniconv is worse than labes by 5.10 JGA as written, better
by 11.88 with map=multiwoz.
  as written                               -5.10   -7.97 to -2.26  worse
  map=multiwoz, slots that both predict † +50.61   48.18 to 53.01  better
  map=multiwoz                            +11.88    9.05 to 14.67  better
  slots that both predict †               +10.43    6.94 to 13.90  better
  turns that both predict †                -9.00  -11.80 to -6.12  worse
  † another question; it cannot turn the verdict
  copied?  uniconv
  missing  labes: 615 turns count as empty
              labes  uniconv  difference  p (Holm)  better/same/worse
JGA           43.26    38.16       -5.10     <.001        383/171/446
FGA(lam=0.5)  61.79    60.49       -1.30      .198         403/94/503
GCA           80.04    74.80       -5.24     <.001         297/60/643
1000 of 1000 dialogues
signature  JGA+2|rules:dialmeter|missing:empty|d:1000|t:7372|gold:955bc34a5b|
           v:0.1.0
next  dialmeter compare labes.json.gz uniconv.json.gz --gold mw21.json.gz \\
      --set missing=empty --set map=multiwoz
""",
    "compare labes.json.gz uniconv.json.gz --gold mw21.json.gz --set missing=empty --set map=multiwoz": """\
BETTER: uniconv is better than labes by 11.88 JGA.
  as written                +11.88   9.05 to 14.67  better
  slots that both predict † +50.61  48.18 to 53.01  better
  turns that both predict †  +8.41   5.64 to 11.26  better
  † another question; it cannot turn the verdict
  copied?  uniconv
  missing  labes: 615 turns count as empty
              labes  uniconv  difference  p (Holm)  better/same/worse
JGA           44.75    56.63      +11.88     <.001        503/212/285
FGA(lam=0.5)  62.91    74.96      +12.05     <.001        552/156/292
GCA           80.86    84.77       +3.91     <.001        459/134/407
1000 of 1000 dialogues
signature  JGA+2|rules:dialmeter|missing:empty|map:multiwoz@3cdb76ae28|d:1000|
           t:7372|gold:955bc34a5b|v:0.1.0
next  dialmeter find labes.json.gz uniconv.json.gz A.outcome=right \\
      B.outcome=failed --gold mw21.json.gz --set missing=empty \\
      --set map=multiwoz
""",
    "compare labes.json.gz damd.json.gz uniconv.json.gz trivial:copy-previous --gold mw21.json.gz --only common": """\
JGA: damd, trivial:copy-previous worse than labes; uniconv depends on spelling
against labes.
  spelling  uniconv: better (+8.41) with map=multiwoz
  copied?   uniconv
                         JGA  FGA(lam=0.5)    GCA  difference  p (Holm)  group
labes                  47.05         65.37  83.55                        a
uniconv                38.05         59.91  74.55       -9.00      .002  b
damd                   28.61         47.82  66.90      -18.44      .002  c
trivial:copy-previous  19.36         33.69  23.98      -27.69      .002  d
944 of 944 dialogues
signature  JGA+2|rules:dialmeter|only:448218bf53|d:944|t:6757|gold:fdcc1ea695|
           v:0.1.0
next  dialmeter compare labes.json.gz damd.json.gz uniconv.json.gz \\
      trivial:copy-previous --gold mw21.json.gz --only common \\
      --set map=multiwoz
""",
    "find a=labes.json.gz b=uniconv.json.gz slot=hotel-name a.outcome=right b.outcome=failed -n 3 --gold mw21.json.gz": """\
dialogue  first place
────────  ──────────────────────────────────────────────────────────────────────
sng0805   turn 4 hotel-name wrong: 'alpha-milton guest house' as 'alpha mi… (+1)
pmul2719  turn 2 hotel-name wrong: 'alpha-milton guest house' as 'alpha mi… (+5)
pmul2513  turn 3 hotel-name wrong: 'alpha-milton guest house' as 'alpha milton …
5 dialogues found, 3 shown
""",
}

CODES = {"check labes.json.gz --gold mw21.json.gz": 2}
"""Exit codes other than 0."""


@pytest.mark.parametrize("command", OUTPUTS)
def test_output(command: str, cli: Cli) -> None:
    found = cli(*command.split(), code=CODES.get(command, 0)).out
    assert found == OUTPUTS[command]
    lines = found.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_the_next_command_works(cli: Cli) -> None:
    """The verdict that depends on spelling turns, as it says."""
    printed = cli(*TWO.split()).out.partition("\nnext  dialmeter ")[2].replace("\\\n", " ")
    assert printed.split() == [*TWO.split(), "--set", "map=multiwoz"]
    assert cli(*printed.split()).out.startswith("BETTER: uniconv is better than labes by 11.88 JGA.\n")


def test_a_saved_run_is_printed_again(cli: Cli) -> None:
    words = ["score", "uniconv.json.gz", "--gold", "mw21.json.gz"]
    first = cli(*words, "-o", "run").out.splitlines()[:-2]
    again = cli("score", "run").out.splitlines()
    assert again[: len(first)] == first
    assert cli.json("score", "run")["scores"] == cli.json(*words)["scores"]
    assert "a saved run cannot be changed" in cli.refused("score", "run", "--set", "map=multiwoz")
    cli("score", "damd.json.gz", "--gold", "mw21.json.gz", "--set", "missing=empty", "-o", "damd")
    assert "NOT COMPARABLE: run and damd differ under JGA: missing: error ≠ empty" in cli.refused(
        "compare", "run", "damd"
    )


def test_two_files_and_swapped_files(cli: Cli) -> None:
    assert cli.refused("score", "mw21.json.gz", "labes.json.gz") == (
        "`dialmeter score` takes one file; if labes.json.gz is gold, type: "
        "dialmeter score mw21.json.gz --gold labes.json.gz; "
        "to compare them, type: dialmeter compare mw21.json.gz labes.json.gz"
    )
