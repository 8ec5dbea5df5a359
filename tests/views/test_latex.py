"""Tables in LaTeX: text, widths, parts, footnotes; compiled where there is a LaTeX."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

import pytest

from dialmeter.views.latex import COLUMN, PAGE, Paper, breakable, latex_text, paper_table, typeset
from dialmeter.views.tables import Table, highest, render

from ..cli.invoke import Cli
from ..golden.goldens import make_town
from .latex_page import compiled

TABULAR = re.compile(r"\\begin\{tabular\}.*?\\end\{tabular\}", re.DOTALL)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_town(tmp_path_factory.mktemp("town") / "files")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("FGA(lam=0.5)", r"FGA$_{\lambda=0.5}$"),
        ("FGA(lam=inf)", r"FGA$_{\lambda=\infty}$"),
        ("r FGA(lam=1, local=code)!", r"r FGA$_{\lambda=1}$ (local=code)!"),
        ("GCA(credit=fuzzy)", "GCA(credit=fuzzy)"),
        ("a--b – c", "a-{}-b -- c"),
        ("x_y & 5 % \\ {z} ~^#$", r"x\_y \& 5 \% \textbackslash{} \{z\} \textasciitilde{}\textasciicircum{}\#\$"),
    ],
)
def test_text(text: str, source: str) -> None:
    assert typeset(text).source == source


def test_numbers_have_minus_sign() -> None:
    assert typeset("-1.50 (-0.2 to 0.3)", number=True).source == "$-$1.50 ($-$0.2 to 0.3)"
    assert typeset("book-2 a-1", number=True).source == "book-2 a-1"
    assert latex_text("-1.5") == "-1.5"


def test_text_width(tmp_path: Path) -> None:
    draw = random.Random(5)
    letters = string.ascii_letters + string.digits + string.punctuation + " éüñ–−λ"
    words = ["".join(draw.choices(letters, k=draw.randint(1, 30))) for _ in range(200)]
    words += ["FGA(lam=0.25)", "FGA(lam=inf)", "FGA(lam=0.5, local=code)", "0.427 (-0.250 to 0.575)", "20 of 42"]
    cells = [typeset(word, mark=draw.choice(["", "***", "abc", "1,12"]), bold=draw.random() < 0.5) for word in words]
    text = "\n".join(
        rf"\begin{{tabular}}{{@{{}}l@{{}}}}\fontsize{{9}}{{11}}\selectfont {cell.source}\end{{tabular}}\par"
        for cell in cells
    )
    found = compiled(text, tmp_path)
    assert not [fault for fault in found.faults if fault.startswith("!")]
    assert len(found.widths) == len(cells)
    for word, cell, width in zip(words, cells, found.widths, strict=True):
        assert width <= 1.03 * cell.width + 1, word


TOWN = {
    "compare": "compare native.jsonl worse.jsonl worst.jsonl --set resamples=200 --by domain --set test=mcnemar",
    "letters": "compare native.jsonl worse.jsonl worst.jsonl --set resamples=200 --latex marks=letters",
    "curve": "study curve few --set resamples=100",
    "zero": "study curve zero --set resamples=100",
    "rules": "study rules native.jsonl",
    "bias": "study bias native.jsonl worse.jsonl --set resamples=100 --verbose",
    "score": "score native.jsonl --by slot --by domain",
}


@pytest.mark.parametrize("columns", ["1", "2"])
@pytest.mark.parametrize("name", TOWN)
def test_tables_of_town_fit(
    name: str,
    columns: str,
    town: Path,
    tmp_path: Path,
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(town)
    check_fit(TOWN[name].split(), columns, tmp_path, cli)


def check_fit(words: list[str], columns: str, folder: Path, cli: Cli) -> None:
    style = ("-f", "latex", "--quiet", "--latex", "bold", "--latex", f"columns={columns}")
    if words[0] == "study":
        cli(*words, "--quiet", "--out", folder / "run")
        words, style = ["report", str(folder / "run")], (*style, "--out", "-")
    said = cli(*words, *style)
    found = compiled(said.out, folder / "tex")
    assert not found.faults
    assert len(found.widths) == len(TABULAR.findall(said.out)) > 0
    assert max(found.widths) <= (COLUMN if columns == "1" else PAGE) + 1


def test_hard_tables_fit(tmp_path: Path) -> None:
    path = "runs/2026-11-17/som_dst-large_with_a_very_long_name.of.a.run/predictions-of-the-last-epoch.json"
    word = "a" * 90
    rows = ((path, "47.62"), (word, "1.00"), ("two words and more of them, which need some lines", "-2.00"), ("", ""))
    tables = [
        Table("names & paths", ("system", "JGA"), rows, frozenset({1}), {(0, 1): "***"}),
        Table("", ("a", "b", *(f"FGA(lam={n})" for n in range(1, 9))), tuple((path, word, *"12345678") for _ in range(60)), frozenset(range(2, 10)), caption="high"),
        Table("texts", ("system", "value", "note", "more"), ((path, "1", path * 3, "x " * 90),) * 3, frozenset({1})),
        Table("one text", ("s", "value", "note"), (("x", "1", "a note of many words " * 9),), frozenset({1}), notes=(path, word)),
        Table("no rows", ("system", "JGA"), ()),
    ]  # fmt: skip
    for columns, limit in ((1, COLUMN), (2, PAGE)):
        text = "\n".join(paper_table(table, Paper(columns, label="tab:x")) for table in tables)
        found = compiled(text, tmp_path / str(columns))
        assert not found.faults
        assert max(found.widths) <= limit + 1


def test_part_columns_and_width() -> None:
    headings = ("system", *(f"measure{place}" for place in range(12)))
    table = Table("t", headings, (("x", *(f"{place}.00" for place in range(12))),), frozenset(range(1, 13)))
    parts = TABULAR.findall(paper_table(table, Paper(1)))
    shown = [part.splitlines()[2].removesuffix(r" \\").split(" & ") for part in parts]
    assert [names[0] for names in shown] == ["system"] * len(parts)
    assert tuple(name for names in shown for name in names[1:]) == headings[1:]
    assert max(map(len, shown)) - min(map(len, shown)) <= 1


def test_texts_without_room_become_paragraphs() -> None:
    texts = ("a reason " * 20, "", "a reason " * 20, "another one " * 20)
    rows = tuple((name, "123456789", "123456789", text) for name, text in zip("abcd", texts, strict=True))
    table = Table("t", ("rules", "JGA", "turns", "because"), rows, frozenset({1, 2}), {(3, 3): "*"})
    for columns, count in ((1, 2), (2, 1)):
        parts = TABULAR.findall(paper_table(table, Paper(columns)))
        assert len(parts) == count
        body = [line.removesuffix(r" \\").split(" & ") for line in parts[-1].splitlines() if line.endswith(r" \\")]
        assert [line[0] for line in body] == ["rules", *"abcd"]
        assert [line[-1].startswith(r"\parbox[t]") for line in body] == [False, True, False, True, True]
        assert body[-1][-1].endswith(r"another one \textsuperscript{*}\strut}")


def test_rows_inside_group() -> None:
    rows = tuple((f"group{row}" if row % 40 == 0 else "", "slot", str(row)) for row in range(90))
    parts = TABULAR.findall(paper_table(Table("t", ("group", "slot", "JGA"), rows, frozenset({2})), Paper(1)))
    assert [part.splitlines()[4].partition(" & ")[0] for part in parts] == ["group0", "group0", "group40"]


def test_caption_label_and_bold(town: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(town)
    words = ("compare", "native.jsonl", "worse.jsonl", "--set", "resamples=200", "--measure", "JGA", "--quiet")
    said = cli(*words, "-f", "latex", "--by", "domain").out
    assert said.startswith("% WORSE: worse is worse than native by 35.71 JGA.\n% as written: -35.71 (")
    assert "\n\n% needs \\usepackage{booktabs}\n\\begin{table}\n" in said
    assert r"\caption{2 trackers on 8 dialogues, in percent.}" in said
    assert r"\caption{By domain}" in said
    assert re.findall(r"\\label\{.*\}", said) == [r"\label{tab:compare}", r"\label{tab:compare-2}"]
    assert r"\textbf" not in said
    said = cli(
        *words, "-f", "latex", "--latex", "bold", "--latex", "caption=Ours & theirs", "--latex", "label=tab:a b}"
    ).out
    assert r"\caption{Ours \& theirs}" in said
    assert r"\label{tab:a-b-}" in said
    assert r"native & \textbf{47.62} \\" in said
    assert "worse & 11.90" in said
    assert "| native | **47.62** |" in cli(*words, "-f", "markdown", "--latex", "bold").out


def test_highest_as_printed() -> None:
    rows = [("a", "1.00", "3", "x"), ("b", "2.00", "3", "5"), ("c", "2.00", "3", "4")]
    assert highest(rows, [1, 2, 3]) == {(1, 1), (2, 1), (1, 3)}
    assert highest([("a", "1", "2", "2")], [1, 2, 3], across=True) == {(0, 2), (0, 3)}
    assert highest([], [1]) == frozenset()


def test_long_words_broken() -> None:
    assert breakable("plain words", 50) == "plain words"
    assert breakable("a" * 20, 50) == r"\allowbreak{}".join("a" * 20)
    assert breakable(f"x/{'a' * 12}", 60) == rf"x/\allowbreak{{}}{'a' * 12}"


def test_every_style_shows_notes_but_csv() -> None:
    table = Table("", ("a",), (("b",),), notes=("how to read it",))
    shown = {style: "how to read it" in render(table, style) for style in ("text", "markdown", "latex", "csv")}
    assert shown == {"text": True, "markdown": True, "latex": True, "csv": False}


def test_report_is_compiled(town: Path, tmp_path: Path, cli: Cli) -> None:
    runs = [tmp_path / "runs" / name for name in ("a", "b")]
    for run, file in zip(runs, ("native.jsonl", "worse.jsonl"), strict=True):
        cli("score", town / file, "--out", run, "--quiet", "--set", "resamples=100")
    said = cli("report", *runs, "-f", "latex", "--out", "-", "--quiet")
    found = compiled(said.out, tmp_path / "tex")
    assert not found.faults
    assert max(found.widths) <= PAGE + 1
