"""Speed of playing dialogues.

Run with `python benchmarks/play_speed.py` (`--help` for options). Two processes play and write a thousand dialogues,
start-up of the processes included. The time has a limit. The ratio to the time of scoring these dialogues is also printed.
The fastest of several rounds counts, to reduce the influence of other work on the machine.
"""

import tempfile
import time
from pathlib import Path

from dialmeter.readers.conversations import open_conversations
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, sampled, write
from dialmeter.users.scorer import UserScorer
from rows import Row, at_most, print_ratios, untargeted

DIALOGUES = 1000
WORKERS = 2
SECONDS = 20.0
REPEATS = 3


def seconds_of_play(folder: Path, dialogues: int, workers: int) -> float:
    """Return the seconds to play dialogues with some noise into a file."""
    path = folder / f"talk-{workers}.jsonl"
    start = time.perf_counter()
    setting = Setting(choose("agenda", "user"), choose("rule", "system"), 0.1, 7)
    played = write(path, sampled(dialogues, 7), setting, workers=workers, force=True)
    assert played == dialogues
    return time.perf_counter() - start


def seconds_of_scoring(folder: Path, dialogues: int) -> float:
    """Return the seconds to read and score the played dialogues."""
    start = time.perf_counter()
    scorer = UserScorer(profile="town")
    for conversation in open_conversations(folder / "talk-1.jsonl"):
        scorer.add(conversation)
    assert scorer.result().dialogues == dialogues
    return time.perf_counter() - start


def ratios(dialogues: int = DIALOGUES, repeats: int = REPEATS) -> list[Row]:
    """Return all rows of this benchmark."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rounds = [
            (
                seconds_of_play(folder, dialogues, 1),
                seconds_of_play(folder, dialogues, WORKERS),
                seconds_of_scoring(folder, dialogues),
            )
            for _ in range(repeats)
        ]
        same = (folder / "talk-1.jsonl").read_bytes() == (folder / f"talk-{WORKERS}.jsonl").read_bytes()
    assert same, "the number of workers changed the dialogues"
    alone, spread, scoring = (min(column) for column in zip(*rounds, strict=True))
    limit = SECONDS * dialogues / DIALOGUES
    return [
        at_most(f"playing {dialogues:,} dialogues with {WORKERS} processes, s", spread, limit),
        untargeted(f"one process ÷ {WORKERS} processes", alone / spread),
        untargeted("playing ÷ scoring users, one process", alone / scoring),
    ]


if __name__ == "__main__":
    print_ratios(ratios, "Speed of playing dialogues.", DIALOGUES, REPEATS)
