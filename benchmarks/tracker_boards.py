"""Make the leaderboards of published predictions.

Run with `python benchmarks/tracker_boards.py FOLDER [--data DIR]`. DIR is the folder of published files, which is not part of dialmeter
(by default `data` in the folder that `DIALMETER_SHARED` names). The manifests of `benchmarks/boards` are copied into FOLDER, and
`dialmeter compare FOLDER/NAME.toml --only common` compares their systems, also under the other rule sets. The tables are printed as
Markdown. With `--write FILE` they replace the part of a page below the mark, as in `benchmarks/tracker_boards.md`.
"""

import argparse
import contextlib
import io
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dialmeter.cli.main import cli
from dialmeter.errors import DialmeterError
from dialmeter.tracking.rule_sets.rules import named, names

MANIFESTS = Path(__file__).parent / "boards"
MARK = "<!-- Below this line: made by benchmarks/tracker_boards.py -->\n"
MEASURES = ("JGA", "FGA(lam=0.5)", "GCA", "SlotF1")


def make(folder: Path, data: Path, pattern: str = "*") -> str:
    """Return the boards whose names match a pattern, as Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "data"
    if not link.exists():
        link.symlink_to(data.resolve(), target_is_directory=True)
    return "\n".join(board(Path(shutil.copy(path, folder))) for path in sorted(MANIFESTS.glob(f"{pattern}.toml")))


def board(manifest: Path) -> str:
    """Return a board: its systems, the best first, with letters of groups, and JGA under every rule set."""
    found = compared(manifest, *(word for each in MEASURES for word in ("-m", each)))
    title = next(line.split('"')[1] for line in manifest.read_text("utf-8").splitlines() if line.startswith("title"))
    counts, order = found["counts"], sorted(found["ranks"]["JGA"], key=found["ranks"]["JGA"].__getitem__)
    scores = {(each["system"], each["measure"]): each for each in found["scores"]}
    lines = [
        f"## {title}\n",
        f"{counts['systems']} systems, {counts['dialogues']} dialogues, {counts['turns']} turns.\n",
        *table(["system", *MEASURES], [[name, *(cell(found, scores, name, each) for each in MEASURES)] for name in order]),
        "",
        "Intervals of 95 %. Systems that share a letter are not told apart (paired randomisation test, p < .05 after Holm's correction).",
        *(f"\nThe predictions of {name} may be gold." for name in found["copied"]),
        "\n**rank and JGA under every rule set**\n",
        *under_rules(manifest, order),
        "\n**files**\n",
        *table(["system", "date", "source", "licence", "file"], [
            [each[key] for key in ("system", "date", "source", "licence", "file")] for each in found["systems"]
        ]),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def cell(found: dict[str, Any], scores: dict[tuple[str, str], dict[str, Any]], name: str, measure: str) -> str:
    """Return value, interval and letters of a system."""
    score, letters = scores[name, measure], found["groups"].get(measure, {}).get(name, "")
    low, high = score["ci"]
    return f"{100 * score['value']:.2f} ({100 * low:.2f} to {100 * high:.2f}) {letters}".rstrip()


def under_rules(manifest: Path, order: Sequence[str]) -> list[str]:
    """Return the rank and the value of the first measure of every rule set that can be applied, one row per rule set."""
    rows = []
    for rules in names():
        measure = named(rules).headline
        try:
            found = compared(manifest, "--rules", rules, "-m", measure, "--set", "resamples=100")
        except DialmeterError:
            continue
        values = {each["system"]: each["value"] for each in found["scores"]}
        ranks = found["ranks"][measure]
        rows.append([f"{rules} ({measure})", *(f"{ranks[name]} ({100 * values[name]:.2f})" for name in order)])
    return table(["rules", *order], rows)


def compared(manifest: Path, *words: str) -> dict[str, Any]:
    """Return the document of a comparison of the dialogues that all files predict."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        command = ["compare", str(manifest), "--only", "common", *words, "-f", "json", "--quiet"]
        cli.main(command, standalone_mode=False)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    return [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *rows)]


def page_options(about: str | None) -> argparse.ArgumentParser:
    """Return the options of a benchmark that makes a part of a page from published files."""
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("DIALMETER_SHARED", "../shared")) / "data")
    options.add_argument("--write", type=Path, metavar="FILE")
    return options


def print_or_write(text: str, page: Path | None, mark: str) -> None:
    """Print a part of a page, or replace what is below the mark of the page."""
    if page is None:
        print(text)
    else:
        page.write_text(f"{page.read_text('utf-8').partition(mark)[0]}{mark}\n{text}", "utf-8")


def main() -> None:
    options = page_options(__doc__)
    options.add_argument("folder", type=Path)
    chosen = options.parse_args()
    print_or_write(make(chosen.folder, chosen.data), chosen.write, MARK)


if __name__ == "__main__":
    main()
