"""Speed and memory of scoring trackers, as ratios.

Run with `python benchmarks/tracking_speed.py` (`--help` for options). A generated corpus in the native format is scored
from file to values and signatures. The time is compared with a bare JSON parse of the same bytes, and with a plain port
of the published algorithms, whose values must be the same. Repetitions alternate and the fastest of each counts, to
reduce the influence of other work. Start-up is excluded. Memory is the peak of a fresh process that scores the file.

Whole commands, with start-up, are measured on 1,000 published dialogues as native lines: CPU time of new processes,
with Python's byte code cached. `--commands` prints only these rows.
"""

import compileall
import importlib.util
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

import corpus
import dialmeter
import plain_port
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scoring import score_file
from real_states import SEED, SYSTEMS, Conversation, read_conversations, shorten
from rows import Row, at_least, at_most, print_ratios, table, untargeted
from written_formats import ConversationStates, encode_native, encode_nested

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


def write_systems(folder: Path, count: int) -> list[Path]:
    """Write the predictions of systems for the same dialogues as native lines: the published ones, then mixtures of them."""
    published = [{each.stem: each for each in read_conversations([system])} for system in SYSTEMS]
    names = [name for name in published[0] if all(name in each for each in published)]
    paths = []
    for number in range(count):
        rng = random.Random(number)
        own = published[number % len(published)]
        sources = [own if number < len(published) or rng.random() < 0.9 else rng.choice(published) for _ in names]
        paths.append(folder / f"system{number:02}.jsonl")
        lines = (encode_native(states_of(each[name]), False)[0][0] for name, each in zip(names, sources, strict=True))
        paths[-1].write_bytes(b"".join(line + b"\n" for line in lines))
    nested = [encode_nested(states_of(published[0][name]))[0][0] for name in names]
    (folder / "nested.json").write_bytes(b"{" + b", ".join(nested) + b"}")
    (folder / "one.jsonl").write_bytes(paths[0].read_bytes().partition(b"\n")[0] + b"\n")
    return paths


def states_of(each: Conversation) -> ConversationStates:
    """Return the states of a published conversation, ready to be written."""
    gold, pred = ([shorten(state) for state in side] for side in (each.gold, each.pred))
    return ConversationStates(each.stem, gold, pred, random.Random(SEED))


def cpu_seconds(words: Sequence[str | Path]) -> float:
    """Run Python in a new process, and return its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *map(str, words)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def diagnosis_share(path: Path, repeats: int) -> float:
    """Return the CPU time of the diagnosis divided by that of reading and scoring; the fastest of each counts."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        result = score_file(str(path))
        scored_at = time.process_time()
        assert result.diagnosis
        times.append((scored_at - start, time.process_time() - scored_at))
    return min(diagnosing for _, diagnosing in times[1:]) / min(scoring for scoring, _ in times[1:])


def command_ratios(repeats: int = REPEATS) -> list[Row]:
    """Return the rows of whole commands."""
    package = Path(str(dialmeter.__file__)).parent
    compileall.compile_dir(package, quiet=2)
    is_cached = Path(importlib.util.cache_from_source(str(package / "cli" / "main.py"))).exists()
    print(f"byte code cached: {'yes' if is_cached else 'no'}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_systems(folder, 20)
        score = ("-m", "dialmeter", "score")
        compare = ("-m", "dialmeter", "compare", "--quiet")
        same = ("--rules", "gca-repo", "--set", "ci=0")
        commands: dict[str, Sequence[str | Path]] = {
            "numpy": ("-c", "import numpy"),
            "one": (*score, folder / "one.jsonl"),
            "score": (*score, paths[0]),
            "nested": (*score, folder / "nested.json"),
            "same": (*score, folder / "nested.json", *same),
            "port": (Path(__file__).parent / "plain_port.py", folder / "nested.json"),
            "two": (*compare, *paths[:2]),
            "twenty": (*compare, *paths),
        }
        rounds = [{each: cpu_seconds(words) for each, words in commands.items()} for _ in range(repeats)]
        least = {each: min(times[each] for times in rounds) for each in commands}
        share = diagnosis_share(paths[0], repeats)
        attack = ["judge", "attack", str(folder / "talk.jsonl"), "--set", "light", "-o", str(folder / "cases.jsonl")]
        (folder / "talk.jsonl").write_bytes(b"".join(talk_lines()))
        script = f"import sys; from dialmeter.cli.main import cli; cli.main({attack!r}, standalone_mode=False); print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        large = {"torch", "spacy"} & {*done.stdout.split()}
    count = f"{len(read_conversations(SYSTEMS[:1])):,} dialogues"
    return [
        at_most(f"score, {count} ÷ import numpy", least["score"] / least["numpy"], 3.5),
        at_most("score, one dialogue ÷ import numpy", least["one"] / least["numpy"], 1.5),
        at_least("published algorithms ÷ score, nested", least["port"] / least["nested"], 1),
        untargeted("published algorithms ÷ score, nested, same values", least["port"] / least["same"]),
        at_most("diagnosis with a finding ÷ reading and scoring", share, 0.3),
        at_most("compare of 2 ÷ score", least["two"] / least["score"], 2.2),
        at_most("compare of 20 ÷ compare of 2", least["twenty"] / least["two"], 9),
        at_most("torch and spaCy in sys.modules of a light attack", len(large), 0),
    ]


def talk_lines() -> list[bytes]:
    """Return a few dialogues with utterances as native lines."""
    found = read_conversations(SYSTEMS[:1])[:50]
    return [encode_native(states_of(each), True)[0][0] + b"\n" for each in found]


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
        *command_ratios(repeats),
    ]


if __name__ == "__main__":
    if "--commands" in sys.argv:
        print(table(command_ratios()))
        raise SystemExit
    print_ratios(ratios, "Speed and memory of scoring trackers.", corpus.DIALOGUES, REPEATS)
