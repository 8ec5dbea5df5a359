"""Speed and memory of scoring trackers, as ratios.

Run with `python benchmarks/tracking_speed.py` (`--help` for options). A generated corpus in the native format is scored
from file to values and signatures. The time is compared with a bare JSON parse of the same bytes, and with a plain port
of the published algorithms, whose values must be the same. Repetitions alternate and the fastest of each counts, to
reduce the influence of other work. Start-up is excluded. Memory is the peak of a fresh process that scores the file.
"""

import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

import corpus
import plain_port
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scoring import score_file
from rows import Row, at_most, print_ratios, untargeted

BASE_MEGABYTES = 130
BYTES_PER_TURN = 100
REPEATS = 5


def scored(path: Path, rules: str = "dialmeter") -> TrackerResult:
    """Score a file end to end: the function that this benchmark measures."""
    result = score_file(str(path), rules=rules)
    assert result.scores
    return result


def parsed(path: Path) -> None:
    """Parse the lines of a file: the minimum work of any reader."""
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def fastest(works: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Return the seconds of each function: the best of several rounds through all of them."""
    best = [math.inf] * len(works)
    for _ in range(repeats):
        for position, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[position] = min(best[position], time.perf_counter() - start)
    return best


def check_port(path: Path) -> None:
    """Raise an error if the port's values are not dialmeter's under the rule set that the port follows."""
    ours = {score.measure: score.value for score in scored(path, "gca-repo").scores}
    for name, value in plain_port.scores(path).items():
        if not math.isclose(value, ours[name] or 0, rel_tol=1e-9):
            raise SystemExit(f"{name}: the port says {value}, dialmeter {ours[name]}")


def peak_megabytes(path: Path) -> float:
    """Return the peak resident memory of a fresh process that scores the file."""
    script = f"import {Path(__file__).stem} as me; me.print_peak({str(path)!r})"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parent, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def print_peak(path: str) -> None:
    """In a fresh process: score the file and print the peak memory."""
    scored(Path(path))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak / 2**20 if sys.platform == "darwin" else peak / 2**10)


def ratios(dialogues: int = corpus.DIALOGUES, repeats: int = REPEATS) -> list[Row]:
    """Return all rows of this benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        corpus.write_corpus(path, dialogues)
        # The reader profits from slots that are added at the end of a state, but many trackers write slots in a fixed order.
        ordered = Path(folder) / "ordered.jsonl"
        corpus.write_corpus(ordered, dialogues, slot_order=True)
        # First, because a process inherits the peak of its parent, and the port needs much memory.
        peak = peak_megabytes(path)
        turns = scored(path).turns
        check_port(path)
        works = [
            lambda: parsed(path),
            lambda: scored(path),
            lambda: scored(path, "gca-repo"),
            lambda: plain_port.scores(path),
            lambda: parsed(ordered),
            lambda: scored(ordered),
        ]
        parse, ours, as_published, port, ordered_parse, in_order = fastest(works, repeats)
    most = BASE_MEGABYTES + BYTES_PER_TURN * turns / 2**20
    size = f"{dialogues:,} dialogues, {turns:,} turns"
    return [
        # The targets for speed are in `format_speed.py`, on published states.
        untargeted(f"scoring ÷ JSON parse, {size}", ours / parse),
        untargeted("scoring ÷ JSON parse, slots in a fixed order", in_order / ordered_parse),
        untargeted("published algorithms ÷ scoring, default rules", port / ours),
        untargeted("published algorithms ÷ scoring, gca-repo (same values)", port / as_published),
        at_most("peak memory of scoring, MB", peak, most),
    ]


if __name__ == "__main__":
    print_ratios(ratios, "Speed and memory of scoring trackers.", corpus.DIALOGUES, REPEATS)
