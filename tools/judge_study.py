"""Runs many judges on attacked dialogues of two corpora, and writes the matrix into docs/judges.md.

Run ``python tools/judge_study.py RATINGS.txt --satisfaction FOLDER``, where RATINGS.txt is a file in the layout
``satisfaction`` and FOLDER is what ``dialmeter judge train satisfaction RATINGS.txt --out FOLDER`` wrote. The dialogues of
the town are played. Everything is kept in ``--work``, so that a run that is interrupted goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dialmeter.cli.main import cli
from dialmeter.judges.case_files import read_cases
from dialmeter.judges.result import JudgeResult
from dialmeter.judges.scorer import score_judge
from dialmeter.views.judge import matrix_tables
from dialmeter.views.tables import render

PAGE = Path(__file__).parents[1] / "docs" / "judges.md"
BEGIN, END = "<!-- matrix -->", "<!-- end of matrix -->"
JUDGES = (
    "smollm2-coherence",
    "smollm2-fluency",
    "minilm-relevance",
    "overlap",
    "distinct",
    "ngram-coherence",
    "ngram-fluency",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ratings", type=Path)
    parser.add_argument("--satisfaction", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("judge-study"))
    parser.add_argument("--cases", type=int, default=20)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    town = options.work / "town.jsonl"
    if not town.exists():
        run("user", "play", "--goals", "300", "--seed", "7", "--out", str(town), "--quiet")
    cases = []
    for name, corpus in (("town", town), ("mwoz", options.ratings)):
        made = options.work / f"{name}-{options.cases}.jsonl"
        if not made.exists():
            attacks = ["--attack", "paper", "--attack", "identical", "--cases", str(options.cases)]
            run("judge", "attack", str(corpus), *attacks, "--out", str(made), "--quiet")
        cases += [replace(case, corpus=name) for case in read_cases(made)]
    lines = b"".join(msgspec.json.encode(case) + b"\n" for case in cases)
    (options.work / "cases.jsonl").write_bytes(lines)
    judges = [*JUDGES, f"satisfaction=satisfaction-gru(model={options.satisfaction})"]
    result = score_judge(cases, judges, store=options.work / "store", watch=lambda *told: print(*told, flush=True))
    text = PAGE.read_text("utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(before + page_part(result, options.cases) + after, "utf-8")


def run(*words: str) -> None:
    """Runs a command of dialmeter in this process."""
    print("dialmeter", *words, flush=True)
    cli.main(list(words), prog_name="dialmeter", standalone_mode=False)


def page_part(result: JudgeResult, count: int) -> str:
    """The tables between their marks."""
    head = f"{count} cases per attack and corpus, threshold {result.how.threshold}, verdict rules {result.how.verdict}."
    warnings = [f"- warning: {notice.message}" for notice in result.notices]
    parts = [BEGIN, head, *(render(table, "markdown") for table in matrix_tables(result)), *warnings, END]
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
