"""Speed and memory of scoring every format, as ratios.

Run with `python benchmarks/format_speed.py` (`--help` for options). Published states in every format (`formats.py`) are
scored from file to values under the default rules, without intervals. The time is compared with a bare JSON parse of the
same bytes with the garbage collector off: line by line for JSON lines, the whole bytes for documents, both files if
there are two. All times are CPU time. The two sides alternate, and the fastest of several rounds counts. A first round
is not measured, because it includes start-up and imports. Memory is the peak of a fresh process, minus the peak of a
process that scores a tiny file, minus the size of the files (of a folder, which is read file by file, the size of the
largest file).

`compare` and `--out` are measured as whole commands in this process.
"""

import argparse
import gc
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import plain_modules  # isort: skip  first: it decides what is imported
import orjson
from click.testing import CliRunner

import formats
import plain_port
from dialmeter.cli import main as command_line
from dialmeter.tracking.scoring import score_file
from formats import CorpusFiles, FileFormat
from rows import Row, at_least, at_most, markdown, table, untargeted

REPEATS = 3
SHORT = 1000
SHORT_REPEATS = 7
OWN_RULES_TARGET = 1.5
PORT_TARGET = 5
FIGURES_TARGET = 4
REASONS_TARGET = 10
COMPARE_TARGET = 2.2
OUT_TARGET = 2.5
BYTES_PER_TURN = 1000
NATIVE_BASE_MEGABYTES = 130
NATIVE_BYTES_PER_TURN = 100
LEAST_RESAMPLES = "100"


class Target(NamedTuple):
    """The targets of a format: the ratio to a JSON parse, and the rule set of its scorer, which is measured too.

    ``short`` is the target for a file of 1,000 dialogues, which costs more because more of its pairs are new.
    """

    file_format: FileFormat
    ratio: float
    own_rules: str | None = None
    short: float | None = None


TARGETS = (
    Target(formats.NATIVE, 3.5, short=5),
    Target(formats.TALK, 3.5),
    Target(formats.NESTED, 4, "gca-repo", 3),
    Target(formats.T5, 4, "gca-repo", 3),
    Target(formats.TRADE, 6, "trade", 5),
    Target(formats.SOM_DST, 6, short=5),
    Target(formats.TRIPPY, 6),
    Target(formats.MULTIWOZ, 6),
    Target(formats.MWZEVAL, 6, "mwzeval", 5),
    Target(formats.CONVLAB3, 6, "convlab3"),
    Target(formats.SGD, 6, "sgd"),
    Target(formats.SGD_REAL, 6, "sgd"),
    Target(formats.DSTC10, 8, "dstc10", 6),
    Target(formats.DSTC10_REAL, 8, "dstc10", 6),
    Target(formats.COMPLETIONS, 20, short=20),
)
GROUPED = (formats.NATIVE, formats.NESTED)
PORTED = (formats.NESTED, formats.T5)
WITHOUT_COMPILER = (formats.NATIVE, formats.NESTED, formats.TRADE, formats.MWZEVAL, formats.SGD)
MEASURED_MEMORY = (
    formats.NESTED,
    formats.T5,
    formats.TRADE,
    formats.SOM_DST,
    formats.TRIPPY,
    formats.MULTIWOZ,
    formats.MWZEVAL,
    formats.CONVLAB3,
    formats.SGD,
    formats.SGD_REAL,
)


def score(files: CorpusFiles, rules: str = "dialmeter", by: Sequence[Any] = ()) -> dict[str, float | None]:
    """Score a corpus end to end: the function that this benchmark measures."""
    gold = None if files.gold is None else str(files.gold)
    result = score_file(str(files.pred), gold, rules=rules, by=by, resampling=None)
    assert result.scores
    return {score.measure: score.value for score in result.scores}


def make_parse(files: CorpusFiles) -> Callable[[], None]:
    """Return a function that parses the bytes of the files in memory: the minimum work of any reader."""
    contents = [path.read_bytes() for path in files.parsed]
    texts = contents[0].splitlines() if files.by_line else contents

    def parse() -> None:
        gc.disable()
        try:
            for text in texts:
                orjson.loads(text)
        finally:
            gc.enable()

    return parse


def fastest(works: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Return the CPU seconds of each function: the best of several rounds through all of them, after one unmeasured round."""
    best = [math.inf] * len(works)
    for number in range(repeats + 1):
        for position, work in enumerate(works):
            gc.collect()
            start = time.process_time()
            work()
            if number:
                best[position] = min(best[position], time.process_time() - start)
    return best


@contextmanager
def written(file_format: FileFormat, megabytes: float, dialogues: int | None = None) -> Iterator[CorpusFiles]:
    """Write a corpus to disk, and delete it after the measurement."""
    with tempfile.TemporaryDirectory() as folder:
        yield formats.write_format(file_format, Path(folder), megabytes, dialogues)


def check_port(files: CorpusFiles) -> None:
    """Raise an error if the port's values are not dialmeter's under the rule set that the port follows."""
    ours = score(files, "gca-repo")
    for name, value in plain_port.scores(files.pred).items():
        if not math.isclose(value, ours[name] or 0, rel_tol=1e-9):
            raise SystemExit(f"{name}: the port says {value}, dialmeter {ours[name]}")


def measure_format(target: Target, megabytes: float, repeats: int) -> list[Row]:
    """Return the ratios of one format: to a JSON parse, of its scorer's rule set, of scores by group, and to the port."""
    file_format = target.file_format
    with written(file_format, megabytes) as files:
        works: dict[str, Callable[[], object]] = {"parse": make_parse(files), "score": lambda: score(files)}
        if target.own_rules is not None:
            own_rules = target.own_rules
            works["own rules"] = lambda: score(files, own_rules)
        if file_format in GROUPED:
            works["groups"] = lambda: score(files, by=("domain", "slot"))
        if file_format in PORTED:
            check_port(files)
            works["port"] = lambda: plain_port.scores(files.pred)
        times = dict(zip(works, fastest(list(works.values()), repeats), strict=True))
        size = f"{files.size / 1e6:.0f} MB, {files.turns:,} turns"
    rows = [
        at_most(f"{file_format.title}: scoring ÷ JSON parse, {size}", times["score"] / times["parse"], target.ratio)
    ]
    if "own rules" in times:
        name = f"{file_format.title}: rules {target.own_rules} ÷ default rules"
        rows.append(at_most(name, times["own rules"] / times["score"], OWN_RULES_TARGET))
    if "groups" in times:
        rows.append(
            untargeted(f"{file_format.title}: with domains and slots ÷ without", times["groups"] / times["score"])
        )
    if "port" in times:
        name = f"{file_format.title}: published algorithms ÷ scoring, gca-repo (same values)"
        rows.append(at_least(name, times["port"] / times["own rules"], PORT_TARGET))
    return rows


def measure_short(target: Target) -> list[Row]:
    """Return the ratio of scoring to a JSON parse for 1,000 dialogues."""
    with written(target.file_format, math.inf, SHORT) as files:
        parse, ours = fastest([make_parse(files), lambda: score(files)], SHORT_REPEATS)
    name = f"{target.file_format.title}: scoring ÷ JSON parse, {SHORT:,} dialogues, {files.turns:,} turns"
    return [untargeted(name, ours / parse) if target.short is None else at_most(name, ours / parse, target.short)]


def call_in_fresh_process(function: str, files: CorpusFiles, *more: float, **variables: str) -> float:
    """Run a function of this module in a new process, and return its output."""
    arguments = [str(files.pred), str(files.gold or ""), json.dumps([str(path) for path in files.parsed])]
    arguments += [str(int(files.by_line)), str(files.turns), *map(str, more)]
    script = f"import sys, {Path(__file__).stem} as me; me.{function}(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=Path(__file__).parent,
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def read_arguments(pred: str, gold: str, parsed: str, by_line: str, turns: str) -> CorpusFiles:
    """Parse the files from the arguments of a fresh process."""
    return CorpusFiles(
        Path(pred),
        Path(gold) if gold else None,
        [Path(path) for path in json.loads(parsed)],
        by_line == "1",
        int(turns),
    )


def print_peak(*arguments: str) -> None:
    """In a fresh process: print its peak memory after scoring, in bytes."""
    score(read_arguments(*arguments))
    print(peak_bytes())


def print_ratio(*arguments: str) -> None:
    """In a fresh process: print the ratio of scoring to a JSON parse."""
    files = read_arguments(*arguments[:-1])
    parse, ours = fastest([make_parse(files), lambda: score(files)], int(arguments[-1]))
    print(ours / parse)


def peak_bytes() -> int:
    """Return the peak resident memory of this process."""
    status = Path("/proc/self/status")
    if status.exists():
        # ru_maxrss also counts the parent's memory at the time of the fork; this does not.
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text("ascii"))
        if found:
            return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def measure_memory(file_format: FileFormat, megabytes: float) -> list[Row]:
    """Return the peak memory of documents in bytes per turn, minus the files and the peak of a process that scores a tiny file."""
    with written(file_format, 0.001) as tiny:
        base = call_in_fresh_process("print_peak", tiny)
    with written(file_format, megabytes) as files:
        peak = call_in_fresh_process("print_peak", files)
        per_turn = (peak - base - files.size_at_once) / files.turns
    return [at_most(f"{file_format.title}: peak memory over the file, bytes per turn", per_turn, BYTES_PER_TURN)]


def measure_native_memory(megabytes: float) -> list[Row]:
    """Return the peak memory of native lines, which are streamed."""
    with written(formats.NATIVE, megabytes) as files:
        peak = call_in_fresh_process("print_peak", files) / 2**20
    most = NATIVE_BASE_MEGABYTES + NATIVE_BYTES_PER_TURN * files.turns / 2**20
    return [at_most(f"{formats.NATIVE.title}: peak memory of scoring, MB", peak, most)]


def measure_without_compiler(file_format: FileFormat, megabytes: float, repeats: int) -> list[Row]:
    """Return the ratio to a JSON parse without the compiled parts."""
    with written(file_format, megabytes) as files:
        ratio = call_in_fresh_process("print_ratio", files, repeats, **{plain_modules.VARIABLE: "1"})
    return [untargeted(f"{file_format.title}: scoring ÷ JSON parse, nothing compiled", ratio)]


def call_command(*words: str | Path) -> None:
    """Run a command in this process, and drop its output."""
    done = CliRunner().invoke(command_line.cli, [str(word) for word in words])
    if done.exit_code:
        raise SystemExit(f"dialmeter {' '.join(map(str, words))}: {done.output} {done.exception!r}")


def input_words(files: CorpusFiles) -> list[str | Path]:
    """Return the command-line arguments for the files and JSON output."""
    gold: list[str | Path] = [] if files.gold is None else ["--gold", files.gold]
    return [files.pred, *gold, "-f", "json", "--quiet"]


def score_words(files: CorpusFiles) -> list[str | Path]:
    """Return the command that scores a corpus in one process, because the time of other processes is not measured."""
    return ["score", *input_words(files), "--subject", "tracker", "--workers", "1"]


def call_rules(files: CorpusFiles, reasons: bool) -> None:
    """Score a file under all rule sets, with or without the reasons for flipped turns."""
    call_command("study", "rules", *input_words(files), *(() if reasons else ("-n", "0")))


def measure_rules(megabytes: float, repeats: int) -> list[Row]:
    """Compare the command for all rule sets with one call of `score_file`, which is the stricter baseline.

    A row without a target shows how much longer the command `score` takes than `score_file`.
    """
    with written(formats.NESTED, megabytes) as files:
        one, command, figures, reasons = fastest(
            [
                lambda: score(files),
                lambda: call_command(*score_words(files), "--set", "ci=0"),
                lambda: call_rules(files, reasons=False),
                lambda: call_rules(files, reasons=True),
            ],
            repeats,
        )
    title = formats.NESTED.title
    return [
        untargeted(f"{title}: command score ÷ score_file", command / one),
        at_most(f"{title}: figures of all rule sets ÷ one score", figures / one, FIGURES_TARGET),
        at_most(f"{title}: all rule sets with reasons for flipped turns ÷ one score", reasons / one, REASONS_TARGET),
    ]


def measure_compare(megabytes: float, repeats: int) -> list[Row]:
    """Compare `compare` of two systems with one gold file to `score` of one; both with the fewest resamples allowed."""
    with tempfile.TemporaryDirectory() as folder:
        files, other = formats.write_two_systems(Path(folder), megabytes)
        resamples = ("--set", f"resamples={LEAST_RESAMPLES}")
        one, two = fastest(
            [
                lambda: call_command(*score_words(files), *resamples),
                lambda: call_command("compare", other, *input_words(files), "--subject", "tracker", *resamples),
            ],
            repeats,
        )
    name = f"mwzeval: compare two files ÷ score one, {LEAST_RESAMPLES} resamples each"
    return [at_most(name, two / one, COMPARE_TARGET)]


def measure_out(file_format: FileFormat, megabytes: float, repeats: int) -> list[Row]:
    """Compare scoring with a run folder to scoring without; both without intervals."""
    with written(file_format, megabytes) as files, tempfile.TemporaryDirectory() as folder:
        words = (*score_words(files), "--ci", "0")
        out = ("--out", Path(folder) / "run", "--force")
        plain, kept = fastest([lambda: call_command(*words), lambda: call_command(*words, *out)], repeats)
    return [at_most(f"{file_format.title}: score --out ÷ score", kept / plain, OUT_TARGET)]


class Section(NamedTuple):
    """A part of the benchmark that can be selected by its name."""

    name: str
    measure: Callable[[], list[Row]]


def list_sections(megabytes: float, repeats: int, plain: bool) -> Iterator[Section]:
    """Yield all sections that can be measured with the available data."""
    available = formats.available_formats()
    for target in TARGETS:
        if target.file_format in available:
            yield Section(
                f"parse: {target.file_format.title}",
                lambda each=target: measure_format(each, megabytes, repeats),  # type: ignore[misc]
            )
            yield Section(f"short: {target.file_format.title}", lambda each=target: measure_short(each))  # type: ignore[misc]
    yield Section("rules", lambda: measure_rules(megabytes, repeats))
    yield Section("compare", lambda: measure_compare(megabytes, repeats))
    for file_format in (formats.NESTED, formats.TALK):
        yield Section(f"out: {file_format.title}", lambda each=file_format: measure_out(each, megabytes, repeats))  # type: ignore[misc]
    yield Section(f"memory: {formats.NATIVE.title}", lambda: measure_native_memory(megabytes))
    for file_format in MEASURED_MEMORY:
        if file_format in available:
            yield Section(f"memory: {file_format.title}", lambda each=file_format: measure_memory(each, megabytes))  # type: ignore[misc]
    for file_format in WITHOUT_COMPILER if plain else ():
        yield Section(
            f"plain: {file_format.title}",
            lambda each=file_format: measure_without_compiler(each, megabytes, repeats),  # type: ignore[misc]
        )


def ratios(
    megabytes: float = formats.MEGABYTES, repeats: int = REPEATS, only: Sequence[str] = (), plain: bool = True
) -> list[Row]:
    """Return all rows, or those of the sections whose names contain one of the given words."""
    rows = []
    for section in list_sections(megabytes, repeats, plain):
        if not only or any(word.lower() in section.name.lower() for word in only):
            rows += section.measure()
    return rows


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Speed and memory of scoring every format.")
    parser.add_argument("--megabytes", type=float, default=formats.MEGABYTES)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="A part of a section's name, such as TRADE, memory or parse: nested; may be repeated.",
    )
    parser.add_argument("--no-plain", action="store_true", help="Do not measure without the compiled parts.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    parser.add_argument(
        "--markdown", action="store_true", help="Print a table in Markdown, for benchmarks/performance.md."
    )
    options = parser.parse_args()
    rows = ratios(options.megabytes, options.repeats, options.only, not options.no_plain)
    if options.json:
        print(json.dumps({"rows": [row._asdict() for row in rows]}, indent=2, ensure_ascii=False))
    elif rows:
        print(markdown(rows) if options.markdown else table(rows))


if __name__ == "__main__":
    main()
