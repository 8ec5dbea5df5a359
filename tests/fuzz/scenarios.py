"""Every command that writes, to be disturbed at its file operations."""

from __future__ import annotations

from typing import NamedTuple


class Scenario(NamedTuple):
    """A command that writes.

    Attributes:
        name: for the log.
        words: the command, run in a separate folder; ``../input`` has what it reads.
        before: commands that are run before it.
        again: what is added to go on with it after a failure, if the same command does not.
        kept: a run, file or folder that is there before, and must be there at every moment, the old one or the new one. What
            somebody else put into a folder (``notes.jsonl``) may be away until the command runs again.
        shards: cut the input into small shards.
        most: how many points are tried, drawn at random; all without it.
    """

    name: str
    words: str
    before: tuple[str, ...] = ()
    again: str = ""
    kept: str = ""
    shards: bool = False
    most: int | None = None


_TRACKER = "score ../input/talk.jsonl --subject tracker --set ci=0 -q --out run"
_JUDGE = "score ../input/cases.jsonl --judge overlap --set ci=0 -q --out run"
ATTACK = "judge attack ../input/talk.jsonl --set light --limit 3 --attack repetition --attack dullness -q --out"
_PLAY = "play --goals 6 --workers 1 -q --out talk.jsonl"
_SYSTEM = "score ../input/logs/tau.json --set ci=0 -q --out run"
_PEOPLE = "score ../input/people/own.jsonl --judge overlap --set ci=0 -q --out run"
_FEW = "--measure JGA --set resamples=100 -q"
_TWO = f"../input/few.jsonl ../input/two.jsonl --subject tracker {_FEW}"
_USERS = "../input/few.jsonl ../input/two.jsonl --subject user --set profile=town --set resamples=100 -q"
_CERTIFY = "judge certify ../input/people/own.jsonl --judge length --set 'pass-if=overall >= 3' --set 'judge-pass-if=length >= 10' -q"
_LOGS = "../input/logs/tau.json ../input/logs/other.json --set resamples=100 -q"
_NOTES = "convert ../input/few.jsonl -q"
_OLD_RUN = (
    "score ../input/other.jsonl --subject tracker --set ci=0 -q --out run",
    "report run -f markdown -q",
    "report run -q",
)

SCENARIOS = (
    Scenario("score", _TRACKER),
    Scenario("score, shards", _TRACKER, shards=True),
    Scenario("score --force", f"{_TRACKER} --force", _OLD_RUN, kept="run"),
    Scenario("score --force, shards", f"{_TRACKER} --force", _OLD_RUN, kept="run", shards=True),
    Scenario(
        "user score",
        "score ../input/talk.jsonl --subject user --set profile=town --set ci=0 -q --out run",
    ),
    Scenario("judge score", _JUDGE),
    Scenario("judge score --force", f"{_JUDGE} --force", (f"{_JUDGE} --judge ngram-fluency",), kept="run"),
    Scenario("play", _PLAY),
    Scenario("play --force", f"{_PLAY} --force", (f"{_PLAY} --set seed=3",), kept="talk.jsonl"),
    Scenario("judge attack", f"{ATTACK} cases.jsonl"),
    Scenario(
        "judge attack --force",
        f"{ATTACK} cases.jsonl --force",
        (f"{ATTACK} cases.jsonl --set seed=3",),
        kept="cases.jsonl",
    ),
    Scenario("convert --to pairs", "convert ../input/cases.jsonl pairs.jsonl --to pairs -q"),
    Scenario("convert --to published", "convert ../input/cases.jsonl cases --to published -q"),
    Scenario(
        "convert --to published --force",
        "convert ../input/cases.jsonl cases --to published -q --force",
        ("convert ../input/cases.jsonl cases --to published -q", f"{_NOTES} cases/notes.jsonl"),
        again="--force",
        kept="cases",
    ),
    Scenario("convert", "convert ../input/talk.jsonl out.jsonl -q"),
    Scenario("convert to .gz", "convert ../input/talk.jsonl out.jsonl.gz -q"),
    Scenario("convert to .zst", "convert ../input/talk.jsonl out.jsonl.zst -q"),
    Scenario(
        "convert --force",
        "convert ../input/talk.jsonl out.jsonl -q --force",
        ("convert ../input/other.jsonl out.jsonl -q",),
        again="--force",
        kept="out.jsonl",
    ),
    Scenario("report", "report ../input/run -q --out page.html"),
    Scenario("report into its run", "report run -q", _OLD_RUN, kept="run"),
    Scenario(
        "report --force",
        "report ../input/run -q --out page.md --force",
        ("report ../input/run -q --out page.md --title old",),
        again="--force",
        kept="page.md",
    ),
    Scenario("study people --make-sheet", "study people ../input/few.jsonl --make-sheet sheet.csv -q"),
    Scenario(
        "study people --out",
        "study people ../input/few.jsonl --sheet ../input/rated.csv --measure JGA -q --out run",
        most=12,
    ),
    Scenario("convert --to map", "convert ../input/talk.jsonl map.json --to map -q"),
    Scenario("study rules --out", "study rules ../input/few.jsonl -q --out run"),
    # Studies write their folder in one way: every point of `study rules --out`, which draws no chart, and some of the others.
    Scenario("compare --out", f"compare {_TWO} --out run", most=12),
    Scenario(
        "compare --out --force",
        f"compare {_TWO} --out run --force",
        (f"compare {_TWO} --set seed=3 --out run",),
        kept="run",
        most=30,
    ),
    Scenario("study bias --out", f"study bias ../input/few.jsonl {_FEW} --out run", most=12),
    Scenario(
        "study curve --out",
        f"study curve ../input/ratios.csv {_FEW} --out run",
        most=12,
    ),
    Scenario(
        "study audit --make-sheet",
        "study audit ../input/few.jsonl ../input/two.jsonl -q --make-sheet sheet.html",
    ),
    Scenario("study audit --out", "study audit --sheet ../input/audited.csv -q --out patch.json"),
    Scenario(
        "play --out, several pairs",
        "play --user agenda --user hasty --goals 2 --set max-turns=2 --workers 1 --set ci=0 -q --out run",
        most=12,
    ),
    Scenario("compare --out, users", f"compare {_USERS} --out run", most=12),
    Scenario("convert --to goals", "convert ../input/few.jsonl goals.json --to goals --set profile=town -q"),
    Scenario("convert --to items", "convert ../input/logs/tau.json items.csv --to items -q"),
    Scenario("convert --to parquet", "convert ../input/run rows.parquet --to parquet -q"),
    Scenario("score of the user of a log", "score ../input/logs/tau.json --subject user --set ci=0 -q --out run"),
    Scenario("compare --out, systems", f"compare {_LOGS} --out run", most=12),
    Scenario("judge certify", f"{_CERTIFY} --out c.json"),
    Scenario("judge train robust", "judge train robust ../input/cases.jsonl -q --out head"),
    Scenario("demo --files-only", "demo town --files-only -q", again="--force", most=10),
    Scenario("report into a folder", "report ../input/run -o pages/ -q"),
    Scenario(
        "report into a folder --force",
        "report ../input/run -o pages/ -q --force",
        (
            "score ../input/other.jsonl --subject tracker --set ci=0 -q --out old",
            "report old -o pages/ -q",
            f"{_NOTES} pages/notes.jsonl",
        ),
        again="--force",
        kept="pages",
    ),
    Scenario("system score", _SYSTEM),
    Scenario("system score --force", f"{_SYSTEM} --force", (f"{_SYSTEM} --set infrastructure=skipped",), kept="run"),
    Scenario("people score", _PEOPLE),
    Scenario("people score --force", f"{_PEOPLE} --force", (f"{_PEOPLE} --judge distinct",), kept="run"),
    Scenario("study people CASES --make-sheet", "study people ../input/cases.jsonl --make-sheet sheet.csv"),
    Scenario(
        "study people CASES --out",
        "study people ../input/cases.jsonl --sheet ../input/verdicts.csv -q --out run",
        most=12,
    ),
    Scenario(
        "judge train",
        "judge train gru ../input/ratings.txt --set held-out=4 --set epochs=1 -q --out j",
    ),
    Scenario(
        "judge train --force",
        "judge train gru ../input/ratings.txt --set held-out=4 --set epochs=1 -q --out j --force",
        (
            "judge train gru ../input/ratings.txt --set held-out=5 --set epochs=1 -q --out j",
            f"{_NOTES} j/notes.jsonl",
        ),
        again="--force",
        kept="j",
    ),
    # Its steps are commands that have scenarios above; each point plays a whole demo twice.
    Scenario("demo, a sample", "demo town -q", again="--force", most=10),
    Scenario(
        "study distance --out",
        "study distance ../input/few.jsonl ../input/two.jsonl -q --out run",
        most=12,
    ),
    Scenario(
        "judge explain --out",
        "judge explain ../input/cases.jsonl --judge length --limit 1 -q --out run",
        most=12,
    ),
)
