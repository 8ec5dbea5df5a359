"""Repeat the experiment of the paper on GCDF1 with bots of dialmeter: 500 goals of MultiWOZ, by domain, with who lost the points.

Run with `python benchmarks/multiwoz_users.py [--data DIR] [--write FILE]` (about half a minute). DIR is the folder of published files,
which is not part of dialmeter (by default `data` in the folder that `DIALMETER_SHARED` names). Every row is a file that
`dialmeter play` writes and `dialmeter score` reads. The tables are printed as Markdown; with `--write FILE` they replace the part of
a page below the mark, as in `benchmarks/multiwoz_users.md`, and the figures of one pair are written to the folder beside it.
"""

import contextlib
import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dialmeter.cli.main import cli
from tracker_boards import page_options, print_or_write, table

MARK = "<!-- Below this line: made by benchmarks/multiwoz_users.py -->\n"
DOMAINS = ("combined", "attraction", "hotel", "restaurant", "taxi", "train")
PUBLISHED = {
    "I-GCDF1": ("62.3", "78.6", "50.5", "46.7", "48.2", "70.6"),
    "R-GCDF1": ("69.2", "71.9", "77.0", "87.3", "48.2", "65.8"),
}
"""Tables 1 and 2 of Coca, Tseng and Byrne (2021): ConvLab-2's user, which reads and writes text with neural models."""
DRAWN = ("agenda", "rule", 0.1)
"""The pair whose figures are drawn."""
FIGURES = {
    "1a-domains": "Figure 1: number of dialogues with a goal in each domain",
    "1b-combinations": "Figure 1: combinations of domains",
    "2-repetitions": "Figure 2: behaviours that lead to repeated constraints",
    "3-not-in-goal": "Figure 3: constraints that are not in the goal",
    "4a-search": "Figure 4: how search constraints are expressed",
    "4b-booking": "Figure 4: how booking constraints are expressed",
    "5-missed-domains": "Figure 5: domains of the goal that are not discussed",
    "6a-requests": "Figure 6: how requests are expressed",
    "6b-provision": "Figure 6: what the system tells before it is asked",
    "7-requests-again": "Figure 7: why requests are repeated",
}
"""Chart of `dialmeter report RUN --charts DIR` → what it shows."""
PAIRS = [("agenda", system, noise) for system in ("rule", "eager") for noise in (0, 0.05, 0.1, 0.2)]


def document(*words: str) -> dict[str, Any]:
    """Run a command, and return its document."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        cli.main([*words, "-f", "json", "--quiet"], standalone_mode=False)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def played(world: Path, folder: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the title, and the documents of play and score, of each pair of bots."""
    for user, system, noise in PAIRS:
        file = str(folder / f"{user}-{system}-{noise}.jsonl")
        bots = ("--user", user, "--system", system)
        reached = document("play", *bots, "--set", f"world={world}", "--set", f"noise={noise}", "-o", file)
        scored = document("score", file, "--subject", "user", "--set", "profile=multiwoz")
        yield f"{user}, {system}, {100 * noise:g} % misunderstood", reached, scored


def cell(score: dict[str, Any]) -> str:
    """Return a score with its interval."""
    limits = "" if score["ci"] is None else " ({:.1f} to {:.1f})".format(*(100 * each for each in score["ci"]))
    return f"{100 * score['value']:.1f}{limits}"


def row(title: str, scored: dict[str, Any], measure: str) -> list[str]:
    """Return the values of a measure by domain."""
    found = {each["domain"]: each for each in scored["scores"] if each["measure"] == measure}
    return [title, *(cell(found[domain]) for domain in DOMAINS)]


def blame(title: str, reached: dict[str, Any], scored: dict[str, Any]) -> list[str]:
    """Return the goals reached, and who lost the points."""
    completion = next(each for each in reached["scores"] if each["measure"] == "GoalCompletion")
    points = scored["verdicts"]["points"]
    lost: dict[str, int] = {}
    for each in (points[side][kind] for side in ("recall", "precision") for kind in "IR"):
        for party, count in each.items():
            lost[party] = lost.get(party, 0) + count
    ranked = sorted(((count, party) for party, count in lost.items() if count), reverse=True)
    return [title, cell(completion), ", ".join(f"{party} {count}" for count, party in ranked) or "nobody"]


def report(world: Path) -> str:
    """Return the tables."""
    with tempfile.TemporaryDirectory() as folder:
        results = list(played(world, Path(folder)))
    parts = []
    for measure, published in PUBLISHED.items():
        rows = [["ConvLab-2 (published)", *published], *(row(title, scored, measure) for title, _, scored in results)]
        parts.append("\n".join([f"## {measure}, in percent\n", *table([measure, *DOMAINS], rows)]))
    rows = [blame(*each) for each in results]
    parts.append("\n".join(["## Who lost the points\n", *table(["bots", "goals reached", "points lost by"], rows)]))
    return "\n\n".join(parts) + "\n"


def draw(world: Path, figures: Path) -> str:
    """Write the figures of one pair into a folder, and return the part of the page that shows them."""
    user, system, noise = DRAWN
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bots = ("--user", user, "--system", system, "--set", f"noise={noise}", "--set", f"world={world}")
        document("play", *bots, "-o", str(folder / "x.jsonl"))
        document(
            "score",
            str(folder / "x.jsonl"),
            "--subject",
            "user",
            "--set",
            "profile=multiwoz",
            "-o",
            str(folder / "run"),
        )
        with contextlib.redirect_stdout(io.StringIO()):
            words = ["report", str(folder / "run"), "--charts", str(folder / "charts"), "--chart", "chart-format=svg"]
            cli.main([*words, "--quiet"], standalone_mode=False)
        figures.mkdir(exist_ok=True)
        for each in FIGURES:
            shutil.copyfile(folder / "charts" / f"{each}.svg", figures / f"{each}.svg")
    shown = (f"![{about}]({figures.name}/{each}.svg)" for each, about in FIGURES.items())
    return "\n\n".join([f"## Figures 1 to 7: {user}, {system}, {100 * noise:g} % misunderstood", *shown]) + "\n"


def main() -> None:
    given = page_options(__doc__).parse_args()
    text = report(given.data / "world" / "multiwoz")
    if given.write:
        text += f"\n{draw(given.data / 'world' / 'multiwoz', given.write.with_suffix(''))}"
    print_or_write(text, given.write, MARK)


if __name__ == "__main__":
    main()
