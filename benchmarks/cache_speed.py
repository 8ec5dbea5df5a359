"""Speed of scoring a corpus again whose tallies are kept, as ratios to a bare JSON parse of the same file.

Run with `python benchmarks/cache_speed.py` (`--help` for options). A generated corpus is scored once with `cache=`; then
with another list of measures and other lambdas, from file to values, signatures and warnings, which must be those of a
scoring without a cache. Intervals cost what drawing dialogues costs, with a cache or without; that row has no target.
"""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import corpus
from dialmeter.resampling import Resampling
from dialmeter.tracking.cache import TallyCache
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import score_file
from rows import Row, at_most, print_ratios, untargeted
from tracking_speed import REPEATS, fastest, parsed

TARGET = 0.2
AGAIN = (
    "GCA(alpha=0.5)",
    "FGA(lam=0.1)",
    "FGA(lam=0.3)",
    "FGA(lam=2)",
    "IAGA",
    "JointF1",
    "SlotPrecision",
    "SlotRecall",
    "VP",
    "LocalAccuracy",
)


def again(
    path: Path,
    folder: Path | None,
    resampling: Resampling | None = None,
    measures: Sequence[str] | None = AGAIN,
) -> TrackerResult:
    """The file scored with ten other measures, or with those of the rule set."""
    cache = None if folder is None else TallyCache(folder)
    result = score_file(str(path), measures=measures, resampling=resampling, cache=cache)
    assert result.scores
    return result


def check_same(path: Path, folder: Path) -> None:
    """Raises where the tallies that are kept say something else than the file."""
    kept, read = again(path, folder), again(path, None)
    if (kept.scores, kept.counts, kept.notices) != (read.scores, read.counts, read.notices):
        raise SystemExit("what is kept is not what is read")


def ratios(dialogues: int = corpus.DIALOGUES, repeats: int = REPEATS) -> list[Row]:
    """All that is measured here."""
    with tempfile.TemporaryDirectory() as made:
        path, folder = Path(made) / "corpus.jsonl", Path(made) / "cache"
        corpus.write_corpus(path, dialogues)
        # A file that was written a moment ago is hashed each time, and people seldom score one.
        time.sleep(2.5)
        turns = score_file(str(path), cache=TallyCache(folder)).turns
        check_same(path, folder)
        works = [
            lambda: parsed(path),
            lambda: again(path, folder),
            lambda: again(path, folder, measures=None),
            lambda: again(path, folder, Resampling(0.95, 1000, 12345)),
        ]
        parse, second, usual, with_intervals = fastest(works, repeats)
    size = f"{dialogues:,} dialogues, {turns:,} turns"
    return [
        at_most(f"scoring again from kept tallies ÷ JSON parse, {size}", second / parse, TARGET),
        at_most("the same with the measures of the rule set", usual / parse, TARGET),
        untargeted("scoring again with intervals (drawing costs that)", with_intervals / parse),
    ]


if __name__ == "__main__":
    print_ratios(ratios, "Speed of scoring from kept tallies.", corpus.DIALOGUES, REPEATS)
