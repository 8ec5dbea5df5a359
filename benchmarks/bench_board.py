"""Make the board of judges: run judges on the shipped set, and compare them with people if ratings are given.

Run with `python benchmarks/bench_board.py FOLDER [--ratings NAME=FILE ...] [--judge J ...]`. The submissions, the agreement with people
and the page are written to FOLDER. The table is printed as Markdown, as in `benchmarks/judge_bench.md`. `trained` and `trained-minilm` are heads of
`judge train robust`, made in FOLDER from attacks on other dialogues of the town than those of the set. The judges on SmolLM2 take about
half an hour of one core each; to skip them, name the others with `--judge`.
"""

import argparse
import contextlib
import io
from pathlib import Path

from dialmeter.cli.main import cli

JUDGES = {
    "overlap": "overlap",
    "distinct": "distinct",
    "ngram-coherence": "ngram-coherence",
    "ngram-fluency": "ngram-fluency",
    "panel": 'panel=panel(judges="ngram-coherence+ngram-fluency+distinct")',
    "trained": "trained=robust(folder={folder}/head-ngram)",
    "minilm-relevance": "minilm-relevance",
    "panel-minilm": 'panel-minilm=panel(judges="minilm-relevance+ngram-fluency+distinct")',
    "trained-minilm": "trained-minilm=robust(folder={folder}/head-minilm)",
    "smollm2-fluency": "smollm2-fluency",
    "smollm2-coherence": "smollm2-coherence",
}
"""The rows of the board; trained heads are in the folder of the board."""
HEADS = {"trained": "ngram", "trained-minilm": "minilm"}
TALK_SEED = 41
"""Seed of the dialogues that the trained judge learns from; the set has another seed."""


def said(*words: object) -> str:
    """Run a command and return its output; exit if it fails."""
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
    cases = "town"
    names = chosen.judge or JUDGES
    heads = [HEADS[name] for name in names if name in HEADS]
    if heads:
        talk, attacked = folder / "talk.jsonl", folder / "cases.jsonl"
        said("user", "play", "--goals", 120, "--seed", TALK_SEED, "--quiet", "--force", "--out", talk)
        said("judge", "attack", talk, "--cases", 120, "--quiet", "--force", "--out", attacked)
    for features in heads:
        out = folder / f"head-{features}"
        said("judge", "train", "robust", attacked, "--features", features, "--quiet", "--force", "--out", out)
    judges = [word for name in names for word in ("--judge", JUDGES.get(name, name).replace("{folder}", str(folder)))]
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
