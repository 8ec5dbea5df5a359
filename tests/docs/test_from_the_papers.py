"""Every command of the page "From the papers" is run, on the published files where they are here."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from dialmeter.cli.demo import write_sample

from .pages import ROOT, call, reader

PAGE = ROOT / "docs" / "from-the-papers.md"
PUBLISHED = {
    "paper1.json": "tracking/nested/poc__paper1.json",
    "paper2.json": "tracking/nested/poc__paper2.json",
    "sample_1.json": "tracking/nested/paper_sample_dials__sample_1.json",
    "sample_2.json": "tracking/nested/paper_sample_dials__sample_2.json",
    "p1.json": "tracking/nested/paper_sample_dials__hypothetical_p1.json",
    "p2.json": "tracking/nested/paper_sample_dials__hypothetical_p2.json",
    "zeroshot/T5_result_zeroshot_attraction.json": "tracking/nested/T5__T5_result_zeroshot_attraction.json",
    "zeroshot/T5_result_zeroshot_rest.json": "tracking/nested/T5__T5_result_zeroshot_rest.json",
    "som.json": "tracking/som_dst_100.json",
    "sheet.txt": "tracking/fga_text_MUL0144.txt",
    "trippy.json": "tracking/trippy_vectors.json.gz",
    "gold.json": "compat/mwzeval/mw21.gold.json.gz",
    "labes.json": "compat/mwzeval/labes.pred.json.gz",
    "uniconv.json": "compat/mwzeval/uniconv.pred.json.gz",
    "damd.json": "compat/mwzeval/damd.pred.json.gz",
    "mwoz.txt": "judges/satisfaction_mwoz.txt.gz",
    "coffee.json": "judges/taskmaster_coffee.json.gz",
    "users.json": "users/fixture48_dialogues.json.gz",
    "map.json": "users/multiwoz21_canonical_map.json.gz",
}
"""File of the page → published file."""
DIALOGUES = 60
"""Dialogues of the largest conversation file; the page needs only a few cases of each attack."""


SECTIONS = {part.splitlines()[0]: part for part in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]}
"""Paper → its part of the page."""


class Row(NamedTuple):
    """A command of the page, and the figures of the paper that its row names; none where the paper's files are missing."""

    command: str
    figures: tuple[str, ...]


def rows_of(section: str) -> list[Row]:
    """Return the rows with a command of all tables of a section."""
    found = []
    for line in section.splitlines():
        if commands := re.findall(r"`(dialmeter [^`]+)`", line):
            told = line.split(" | ")
            figures = re.findall(r"\b\d+\.\d\d\b", told[0]) if len(told) == 2 else []
            found.append(Row(commands[-1], tuple(figures)))
    return found


COMMANDS = {title: rows_of(part) for title, part in SECTIONS.items()}


def write_files(folder: Path, shared: Path) -> None:
    """Write the files that the page names."""
    write_sample(folder, force=True)
    for name, published in PUBLISHED.items():
        content = (shared / "data" / published).read_bytes()
        content = gzip.decompress(content) if published.endswith(".gz") else content
        if name == "mwoz.txt":
            content = b"\n\n".join(content.split(b"\n\n")[:DIALOGUES])
        folder.joinpath(name).parent.mkdir(exist_ok=True)
        folder.joinpath(name).write_bytes(content)
    folder.joinpath("example.txt").write_text("PMUL2563.json\n", "utf-8")
    table = "system,simulated,people\nrule,0.9,4.2\neager,0.8,3.9\nhasty,0.7,3.1\nnoisy,0.6,3.4\nsilent,0.1,1.2\n"
    folder.joinpath("systems.csv").write_text(table, "utf-8")
    folder.joinpath("made").mkdir()


@pytest.mark.parametrize("paper", COMMANDS)
def test_commands_of_paper(paper: str, shared: Path, tmp_path: Path) -> None:
    write_files(tmp_path, shared)
    failed = []
    with reader(tmp_path):
        for command, figures in COMMANDS[paper]:
            code, out, error = call(shlex.split(command)[1:])
            if code or not (out or "-o " in command or " --to " in command):
                failed.append(f"{command}\n  exit code {code}: {error.strip().splitlines()[-1:]}")
            failed += [f"{command}\n  does not print {each}" for each in figures if each not in out]
    assert not failed, "\n".join([f"{len(failed)} of {len(COMMANDS[paper])} commands fail:", *failed])


@pytest.mark.parametrize(
    ("paper", "kind", "last"),
    [
        ("GCA", "figure", 8),
        ("FGA", "figure", 2),
        ("FGA", "table", 2),
        ("Attacks", "figure", 2),
        ("Attacks", "table", 6),
        ("GCDF1", "figure", 7),
        ("GCDF1", "table", 2),
    ],
)
def test_figures_and_tables_are_listed(paper: str, kind: str, last: int) -> None:
    """No figure or table of a paper is forgotten."""
    section = next(part for title, part in SECTIONS.items() if title.startswith(paper))
    rows = [row for row in section.splitlines() if row.startswith("| ") and "`dialmeter " in row]
    named = " ".join(found for row in rows for found in re.findall(rf"{kind}s? ([\da-c, and]+)", row))
    assert {int(each) for each in re.findall(r"\d+", named)} >= set(range(1, last + 1))
