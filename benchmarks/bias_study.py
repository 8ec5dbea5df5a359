"""Study whether GCA depends less than FGA(lam=0.5) on where mistakes are, on all published predictions.

Run with `python benchmarks/bias_study.py [--data DIR] [--write FILE]` (about a minute). DIR is the folder of published files, which is
not part of dialmeter (by default `data` in the folder that `DIALMETER_SHARED` names). Every row is one run of `dialmeter study bias`. The
table is printed as Markdown; with `--write FILE` it replaces the part of a page below the mark, as in `benchmarks/bias.md`.
"""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from dialmeter.cli.main import cli
from tracker_boards import page_options, print_or_write, table

MARK = "<!-- Below this line: made by benchmarks/bias_study.py -->\n"
RIVAL = "FGA(lam=0.5)"
TRAITS = {"TO": "late", "NU": "concentrated"}
FILTERS = {"none": "all", "published": "published filter", "mistakes": "with a mistake"}
WORDS = {"holds": "less", "fails": "**more**", "undecided": "not shown", "no value": "no value"}
_MULTIWOZ = ("--gold", "compat/mwzeval/mw21.gold.json.gz", "--set", "missing=empty")
_DSTC10 = ("--gold", "compat/dstc10/labels.json.gz")
STUDIES: dict[str, tuple[str, ...]] = {
    **{
        f"MultiWOZ 2.1: {name}{title}": (f"compat/mwzeval/{name.lower()}.pred.json.gz", *_MULTIWOZ, *words)
        for name in ("DAMD", "LABES", "UniConv")
        for title, words in (("", ()), (", map=multiwoz", ("--set", "map=multiwoz")))
    },
    "MultiWOZ 2.1: SOM-DST, 100 dialogues": ("tracking/som_dst_100.json",),
    "T5, zero-shot: attraction": ("tracking/nested/T5__T5_result_zeroshot_attraction.json",),
    "T5, zero-shot: restaurant": ("tracking/nested/T5__T5_result_zeroshot_rest.json",),
    "SGD, one file of predictions": ("compat/sgd/real/pred", "--gold", "compat/sgd/real/gold"),
    "DSTC10: team A00, entry 0": ("compat/dstc10/A00_0.json.gz", *_DSTC10),
    "DSTC10: team A01, entry 0": ("tracking/dstc10/A01_entry0.json.gz", *_DSTC10),
    "DSTC10: team A01, entry 3": ("compat/dstc10/A01_3.json.gz", *_DSTC10),
    "DSTC10: team A04, entry 0": ("compat/dstc10/A04_0.json.gz", *_DSTC10),
}
"""Title → the words of the command; paths are below the folder of published files."""


def studied(data: Path, words: tuple[str, ...]) -> dict[str, Any]:
    """Return the document of a study."""
    command = ["study", "bias", *(str(data / each) if "/" in each else each for each in words), "-f", "json", "--quiet"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        cli.main(command, standalone_mode=False)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def rows_of(title: str, document: dict[str, Any]) -> list[list[str]]:
    """Return one row per trait: the two correlations, and the verdict under each filter."""
    own = {(each["trait"], each["filter"]): each for each in document["verdicts"] if each["rival"] == RIVAL}
    counts = document["counts"]
    size = f"{counts['dialogues']} ({counts['dialogues_with_mistakes']})"
    rows = []
    for number, (trait, words) in enumerate(TRAITS.items()):
        verdicts = [own[trait, each] for each in FILTERS]
        mistaken = own[trait, "mistakes"]
        pair = " / ".join(
            "–" if mistaken[key] is None else f"{mistaken[key]:.2f}" for key in ("rival_r", "reference_r")
        )
        rows.append([*(("", "") if number else (title, size)), words, pair, *map(cell, verdicts)])
    return rows


def cell(verdict: dict[str, Any]) -> str:
    """Return the verdict with the interval of |r(FGA)| − |r(GCA)|, or why there is none."""
    if verdict["strength_ci"] is None:
        return f"no value: {verdict['reason']}"
    low, high = verdict["strength_ci"]
    return f"{WORDS[verdict['outcome']]} ({low:.2f} to {high:.2f})"


def main() -> None:
    given = page_options(__doc__).parse_args()
    rows = [row for title, words in STUDIES.items() for row in rows_of(title, studied(given.data, words))]
    headings = ["predictions", "dialogues (with a mistake)", "mistakes", "r of FGA / GCA", *FILTERS.values()]
    text = "\n".join(table(headings, rows)) + "\n"
    print_or_write(text, given.write, MARK)


if __name__ == "__main__":
    main()
