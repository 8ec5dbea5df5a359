"""Run many judges on attacked dialogues of two corpora, and print the table of error rates in Markdown.

Run ``python benchmarks/judge_study.py RATINGS.txt > table.md``, where RATINGS.txt is a file in the format ``satisfaction``. The dialogues of
the town are played. ``--satisfaction FOLDER`` adds the judge from ``dialmeter judge train gru RATINGS.txt -o FOLDER``.
All intermediate files are stored in ``--work``, so an interrupted run can continue.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from dialmeter.cli.main import cli
from dialmeter.cli.progress import showing_progress
from dialmeter.core.endpoint import BudgetSpent
from dialmeter.errors import DialmeterError
from dialmeter.judges.ask import ScorePair
from dialmeter.judges.attacks import PAPER
from dialmeter.judges.case_files import read_cases
from dialmeter.judges.cases import Case, case_id, item_hash, row_of
from dialmeter.judges.judge import Item, Judge, identity_of, load_judge
from dialmeter.judges.result import JudgeResult
from dialmeter.judges.scorer import offered_by_cases, score_judge
from dialmeter.views.judge import matrix_tables
from dialmeter.views.tables import render

JUDGES = ("overlap", "distinct", "ngram-coherence", "ngram-fluency", "minilm-relevance")
SLOW = ("smollm2-coherence", "smollm2-fluency")
"""Judges that score only the first cases of each row."""
PARTS = (
    ("pronoun", ("pronoun",), 4, 700),
    ("others", (*(name for name in PAPER if name not in ("pronoun", "co-reference")), "identical"), 1, 700),
    ("co-reference", ("co-reference",), 1, 1000),
)
"""Groups of attacks: name, attacks, factor for the number of cases (cases of *pronoun* are spread over two rows), and number of
dialogues of the town (few replies are suitable for *co-reference*)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ratings", type=Path)
    parser.add_argument("--satisfaction", type=Path)
    parser.add_argument("--work", type=Path, default=Path("judge-study"))
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument(
        "--slow-cases", type=int, default=100, help="number of cases of each row, for the judges with SmolLM2"
    )
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    cases = []
    for name in ("town", "mwoz"):
        for part, attacks, count, goals in PARTS:
            corpus = options.ratings if name == "mwoz" else options.work / f"town-{goals}.jsonl"
            if not corpus.exists():
                run("play", "--goals", str(goals), "--set", "seed=7", "--out", str(corpus), "--quiet")
            made = options.work / f"{name}-{part}-{options.cases}.jsonl"
            if not made.exists():
                words = [word for attack in attacks for word in ("--attack", attack)]
                words += ["--limit", str(count * options.cases)]
                run("judge", "attack", str(corpus), *words, "--out", str(made), "--quiet")
            cases += [replace(case, corpus=name) for case in first_of_rows(read_cases(made), options.cases)]
    lines = b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
    (options.work / "cases.jsonl").write_bytes(lines)
    offered = offered_by_cases(cases)
    judges: dict[str, Any] = dict(load_judge(name, offered) for name in JUDGES)
    if options.satisfaction:
        judges["satisfaction"] = load_judge(f"satisfaction-gru(model={options.satisfaction})")[1]
    few = first_of_rows(cases, options.slow_cases)
    judges |= {name: FirstCases(load_judge(name)[1], few) for name in SLOW}
    with showing_progress(quiet=False):
        result = score_judge(cases, judges, store=options.work / "store")
    own = {case_id(case) for case in few}
    for name in SLOW:
        # The store may have scores of an earlier run with more cases. Remove them.
        pairs = result.scored.pairs[name]
        result.scored.pairs[name] = [
            pair if case_id(case) in own else ScorePair(None, None) for case, pair in zip(cases, pairs, strict=True)
        ]
    print(study_tables(result, options.cases))


def first_of_rows(cases: Sequence[Case], count: int) -> list[Case]:
    """Return the first cases of each row of the table, for each corpus."""
    counts: Counter[tuple[str, str]] = Counter()
    first_cases = []
    for case in cases:
        row = case.corpus, row_of(case)
        counts[row] += 1
        if counts[row] <= count:
            first_cases.append(case)
    return first_cases


class FirstCases:
    """A judge that scores only the replies of some cases."""

    def __init__(self, judge: Judge, cases: Sequence[Case]) -> None:
        self._judge = judge
        self.name, self.identity = judge.name, identity_of(judge)
        self.higher_is_better, self.scale, self.facets = judge.higher_is_better, judge.scale, judge.facets
        self.neural, self.batch_size = True, 16
        self._own = {item_hash(case.context, case.reply) for case in cases}
        self._own |= {item_hash(case.attacked_context, case.adversarial) for case in cases}

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return self._judge.score(items)

    def ask_batches(self, batches: Iterable[Sequence[Item]]) -> Iterator[list[float | DialmeterError]]:
        """Yield one score per item of these cases, and BudgetSpent for all other items."""
        for items in batches:
            own_items = [item for item in items if item_hash(*item) in self._own]
            scores = iter(self._judge.score(own_items) if own_items else ())
            yield [next(scores) if item_hash(*item) in self._own else BudgetSpent("not asked about") for item in items]


def run(*words: str) -> None:
    """Run a command of dialmeter in this process."""
    print("dialmeter", *words, file=sys.stderr, flush=True)
    cli.main(list(words), prog_name="dialmeter", standalone_mode=False)


def study_tables(result: JudgeResult, count: int) -> str:
    """Return the tables with the Wilson intervals of all error rates."""
    head = (
        f"{count} cases per attack and corpus, threshold {result.settings.threshold}, verdict rules {result.settings.verdict}. In square brackets: "
        "95 % intervals. In round brackets: the judge's own number of cases, where it scored fewer."
    )
    tables = [replace(table, foot=()) for table in matrix_tables(result, intervals=True)]
    warnings = [f"- warning: {notice.message}" for notice in result.notices if notice.code != "judge-failed"]
    parts = [head, *(render(table, "markdown") for table in tables), *warnings]
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
