"""Every command that writes, to be disturbed at its file operations."""

from __future__ import annotations

from typing import NamedTuple


class Scenario(NamedTuple):
    """A command that writes.

    Attributes:
        name: for the log.
        words: the command, run in a separate folder; ``../input`` has what it reads.
        before: commands that are run before it.
        again: what is added to go on with it after a failure.
        kept: a run, file or folder that is there before, and must be there at every moment, the old one or the new one. What
            somebody else put into a folder (``notes.jsonl``) may be away until the command runs again.
        shards: cut the input into small shards.
        most: how many points are tried, drawn at random; all without it.
    """

    name: str
    words: str
    before: tuple[str, ...] = ()
    again: str = "--resume"
    kept: str = ""
    shards: bool = False
    most: int | None = None


_TRACKER = "tracker score ../input/talk.jsonl --ci 0 -q --out run"
_JUDGE = "judge score ../input/cases.jsonl --judge overlap --ci 0 -q --out run"
ATTACK = "judge attack ../input/talk.jsonl --light --no-cache --cases 3 --attack repetition --attack dullness -q --out"
_PLAY = "user play --goals 6 --workers 1 -q --out talk.jsonl"
_SYSTEM = "system score ../input/logs/tau.json --ci 0 -q --out run"
_PEOPLE = "judge human ../input/people/own.jsonl --judge overlap --ci 0 -q --out run"
BENCH = "judge bench make ../input/talk.jsonl --light --attack repetition --attack dullness --cases 3 -q"
_FEW = "--measure JGA --resamples 100 -q"
_TWO = f"../input/few.jsonl ../input/two.jsonl {_FEW}"
_USERS = "../input/few.jsonl ../input/two.jsonl --profile town --resamples 100 -q"
_LOGS = "../input/logs/tau.json ../input/logs/other.json --resamples 100 -q"
_NOTES = "convert ../input/few.jsonl -q"
_OLD_RUN = ("tracker score ../input/other.jsonl --ci 0 -q --out run", "report run --as markdown -q", "report run -q")

SCENARIOS = (
    Scenario("tracker score", _TRACKER),
    Scenario("tracker score, shards", _TRACKER, shards=True),
    Scenario("tracker score --force", f"{_TRACKER} --force", _OLD_RUN, kept="run"),
    Scenario("tracker score --force, shards", f"{_TRACKER} --force", _OLD_RUN, kept="run", shards=True),
    Scenario("tracker score --rows parquet", f"{_TRACKER} --rows parquet"),
    Scenario("tracker score --charts", "tracker score ../input/right.jsonl --ci 0 -q --charts charts", again=""),
    Scenario("user score", "user score ../input/talk.jsonl --profile town --blame --ci 0 -q --out run"),
    Scenario("judge score", _JUDGE),
    Scenario("judge score --force", f"{_JUDGE} --force", (f"{_JUDGE} --judge ngram-fluency",), kept="run"),
    Scenario("judge score --store", f"{_JUDGE} --store store"),
    Scenario("user play", _PLAY),
    Scenario("user play --force", f"{_PLAY} --force", (f"{_PLAY} --seed 3",), kept="talk.jsonl"),
    Scenario("judge attack", f"{ATTACK} cases.jsonl"),
    Scenario("judge attack --pairs", f"{ATTACK} cases.jsonl --pairs"),
    Scenario(
        "judge attack --force",
        f"{ATTACK} cases.jsonl --force",
        (f"{ATTACK} cases.jsonl --seed 3",),
        kept="cases.jsonl",
    ),
    Scenario("judge attack --layout published", f"{ATTACK} cases --layout published"),
    Scenario(
        "judge attack --layout published --force",
        f"{ATTACK} cases --layout published --force",
        (f"{ATTACK} cases --layout published --seed 3 --attack vocabulary", f"{_NOTES} cases/notes.jsonl"),
        again="--force",
        kept="cases",
    ),
    Scenario("convert", "convert ../input/talk.jsonl out.jsonl -q", again=""),
    Scenario("convert to .gz", "convert ../input/talk.jsonl out.jsonl.gz -q", again=""),
    Scenario("convert to .zst", "convert ../input/talk.jsonl out.jsonl.zst -q", again=""),
    Scenario(
        "convert --force",
        "convert ../input/talk.jsonl out.jsonl -q --force",
        ("convert ../input/other.jsonl out.jsonl -q",),
        again="--force",
        kept="out.jsonl",
    ),
    Scenario("report", "report ../input/run -q --out page.html", again=""),
    Scenario("report into its run", "report run -q", _OLD_RUN, again="", kept="run"),
    Scenario(
        "report --force",
        "report ../input/run -q --out page.md --force",
        ("report ../input/run -q --out page.md --title old",),
        again="--force",
        kept="page.md",
    ),
    Scenario("tracker human --make-sheets", "tracker human ../input/few.jsonl --make-sheets sheets -q", again=""),
    Scenario("tracker human --read-sheets", "tracker human --read-sheets ../input/sheets --out r.csv -q", again=""),
    Scenario("user values", "user values ../input/talk.jsonl -q --out map.json", again=""),
    Scenario("tracker rules --out", "tracker rules ../input/few.jsonl -q --out run", again="--force"),
    # Studies write their folder in one way: every point of `tracker rules --out`, which draws no chart, and some of the others.
    Scenario("tracker compare --out", f"tracker compare {_TWO} --out run", again="--force", most=12),
    Scenario(
        "tracker compare --out --force",
        f"tracker compare {_TWO} --out run --force",
        (f"tracker compare {_TWO} --seed 3 --out run",),
        again="--force",
        kept="run",
        most=30,
    ),
    Scenario("tracker bias --out", f"tracker bias ../input/few.jsonl {_FEW} --out run", again="--force", most=12),
    Scenario(
        "tracker curve --out",
        f"tracker curve ../input --manifest ../input/ratios.csv {_FEW} --out run",
        again="--force",
        most=12,
    ),
    Scenario("tracker board", f"tracker board {_TWO} --out board", again="--force"),
    Scenario(
        "tracker board --force",
        f"tracker board {_TWO} --out board --force",
        (f"tracker board {_TWO} --seed 3 --out board", f"{_NOTES} board/notes.jsonl"),
        again="--force",
        kept="board",
    ),
    Scenario(
        "tracker audit --make-sheets",
        "tracker audit ../input/few.jsonl ../input/two.jsonl -q --make-sheets sheet.html",
        again="",
    ),
    Scenario("tracker audit --out", "tracker audit --read-sheets ../input/audited.csv -q --out patch.json", again=""),
    Scenario(
        "user cross --out",
        "user cross --goals 2 --max-turns 2 --workers 1 --ci 0 -q --out run",
        again="--force",
        most=12,
    ),
    Scenario("user compare --out", f"user compare {_USERS} --out run", again="--force", most=12),
    Scenario("user goals", "user goals ../input/few.jsonl --profile town -q --out goals.json", again=""),
    Scenario("user goals --make-sheets", "user goals ../input/logs/tau.json -q --make-sheets items.csv", again=""),
    Scenario("user items", "user items ../input/logs/tau.json -q --out run"),
    Scenario("system compare --out", f"system compare {_LOGS} --out run", again="--force", most=12),
    Scenario(
        "judge explain --charts",
        "judge explain ../input/cases.jsonl --judge length --cases 1 -q --charts charts",
        again="",
        most=12,
    ),
    Scenario(
        "judge human --charts",
        "judge human ../input/people/own.jsonl --judge length --ci 0 -q --charts charts",
        again="",
        most=12,
    ),
    Scenario("judge train robust", "judge train robust ../input/cases.jsonl -q --out head", again=""),
    Scenario("sample", "sample town -q", again="--force", most=10),
    Scenario("view --bundle", "view ../input/run --bundle pages", again=""),
    Scenario(
        "view --bundle --force",
        "view ../input/run --bundle pages --force",
        (
            "tracker score ../input/other.jsonl --ci 0 -q --out old",
            "view old --bundle pages",
            f"{_NOTES} pages/notes.jsonl",
        ),
        again="--force",
        kept="pages",
    ),
    Scenario("system score", _SYSTEM),
    Scenario("system score --force", f"{_SYSTEM} --force", (f"{_SYSTEM} --infrastructure skipped",), kept="run"),
    Scenario("judge human", _PEOPLE),
    Scenario("judge human --force", f"{_PEOPLE} --force", (f"{_PEOPLE} --judge distinct",), kept="run"),
    Scenario("judge bench make", f"{BENCH} --out set.jsonl", again=""),
    Scenario(
        "judge bench run --force",
        "judge bench run ../input/bench.jsonl --judge overlap -q --out submissions --force",
        ("judge bench run ../input/bench.jsonl --judge overlap -q --out submissions",),
        again="--force",
    ),
    Scenario(
        "judge bench page",
        "judge bench page ../input/bench.jsonl ../input/submitted/overlap.json --out page.html",
        again="",
    ),
    Scenario("judge validity --make-sheets", "judge validity ../input/cases.jsonl --make-sheets sheet.csv", again=""),
    Scenario(
        "judge validity --out",
        "judge validity ../input/cases.jsonl --read-sheets ../input/verdicts.csv -q --out read.csv",
        again="",
    ),
    Scenario(
        "judge train",
        "judge train satisfaction ../input/ratings.txt --held-out 4 --epochs 1 --threads 1 -q --out j",
        again="",
    ),
    Scenario(
        "judge train --force",
        "judge train satisfaction ../input/ratings.txt --held-out 4 --epochs 1 --threads 1 -q --out j --force",
        (
            "judge train satisfaction ../input/ratings.txt --held-out 5 --epochs 1 --threads 1 -q --out j",
            f"{_NOTES} j/notes.jsonl",
        ),
        again="--force",
        kept="j",
    ),
    # Its steps are commands that have scenarios above; each point plays a whole demo twice.
    Scenario("demo, a sample", "demo --goals 20 -q --out town", again="--force", most=10),
)
