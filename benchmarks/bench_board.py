"""The board of judges, from one command: makes the set, runs judges, compares them with people where ratings are at hand.

Run with `python benchmarks/bench_board.py FOLDER [--ratings NAME=FILE ...] [--judge J ...]`. The set, the submissions, the agreement with
people and the page are in FOLDER; the table is printed as Markdown, as in `docs/bench.md`. A set that is in FOLDER already is used again.
"""

import argparse
import contextlib
import io
from pathlib import Path

from dialmeter.cli.main import cli

JUDGES = (
    "overlap",
    "distinct",
    "ngram-coherence",
    "ngram-fluency",
    "minilm-relevance",
    "smollm2-coherence",
    "smollm2-fluency",
)


def said(*words: object) -> str:
    """What a command prints; stops where it fails."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = cli.main([str(word) for word in words], prog_name="dialmeter", standalone_mode=False)
    if code:
        raise SystemExit(f"dialmeter {' '.join(map(str, words))}: exit code {code}")
    return out.getvalue()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--ratings", action="append", default=[], metavar="NAME=FILE")
    options.add_argument("--judge", action="append", metavar="J")
    chosen = options.parse_args()
    folder: Path = chosen.folder
    folder.mkdir(parents=True, exist_ok=True)
    cases = folder / "set.jsonl"
    judges = [word for judge in chosen.judge or JUDGES for word in ("--judge", judge)]
    if not cases.exists():
        print(said("judge", "bench", "make", "--out", cases, "--quiet"))
    said("judge", "bench", "run", cases, *judges, "--out", folder / "submissions", "--force", "--quiet")
    people: list[str] = []
    for text in chosen.ratings:
        name, _, file = text.partition("=")
        found = folder / f"people-{len(people) // 2}.json"
        found.write_text(
            said("judge", "human", file, *judges, "--ci", "0", "--carried", "-", "--quiet", "--json"), "utf-8"
        )
        people += ["--people", f"{name}={found}"]
    files = sorted((folder / "submissions").glob("*.json"))
    page = folder / "board.html"
    print(said("judge", "bench", "page", cases, *files, *people, "--out", page, "--force", "--as", "markdown"))


if __name__ == "__main__":
    main()
