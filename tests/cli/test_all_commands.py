"""What holds for every command that prints a table: every style, JSON like CSV, quiet, bad files, files that are there, same bytes."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dialmeter.views.tables import STYLES

from ..commands import leaf_commands
from ..golden import execution
from .invoke import CommandResult, checked, files_in, schema_of

OPTIONS = {name: {word for each in command.params for word in each.opts} for name, command in leaf_commands()}


def command_of(name: str) -> str:
    """Return the command of a row, whose name may say the subject, too."""
    return name.partition(" #")[0]


FEW = '--measure JGA --measure SA --measure "FGA(lam=0.5)"'
COMMANDS = {
    "check": "native.jsonl",
    "score": f"native.jsonl --set resamples=100 {FEW} --by domain --by slot",
    "compare": f"native.jsonl worse.jsonl --set resamples=100 {FEW} --by slot",
    "find": "native.jsonl slot=hotel-area",
    "study curve": f"few --set resamples=100 {FEW}",
    "study bias": f"native.jsonl --set resamples=100 {FEW}",
    "study people": f"native.jsonl --sheet ratings.csv {FEW}",
    "study sensitivity": "sgd/pred sgd/gold sgd/pred2 --gold sgd/gold --set resamples=100",
    "study audit": "native.jsonl worse.jsonl",
    "study rules": "native.jsonl",
    "study distance": "agenda.jsonl forgetful.jsonl --set profile=town",
    "play": "--goals 2 --set max-turns=3 --out play.jsonl --force",
    "check #user": "agenda.jsonl --set profile=town",
    "score #user": "agenda.jsonl --set profile=town",
    "compare #user": "agenda.jsonl forgetful.jsonl --set profile=town --set resamples=100",
    "study audit #user": "agenda.jsonl --set profile=town",
    "judge attack": "agenda.jsonl --set light --limit 1 --attack repetition --out attacked.jsonl --force",
    "check #judge": "judged.jsonl",
    "check #ratings": "ratings.jsonl",
    "compare #judge": "judged.jsonl --judge overlap --judge distinct",
    "compare #ratings": "ratings.jsonl --judge overlap --judge distinct --set resamples=100",
    "find #judge": "judged.jsonl",
    "score #judge": "judged.jsonl --judge overlap --judge distinct",
    "score #ratings": "ratings.jsonl --judge distinct --set resamples=100",
    "judge explain": "judged.jsonl --judge overlap --limit 1",
    "judge certify": "ratings.jsonl --judge distinct --set 'pass-if=overall >= 4' --set 'judge-pass-if=distinct >= 0.9' "
    "--out certificate.json --force",
    "check #system": "logs/tau.json",
    "score #system": "logs/tau.json --set resamples=100",
    "compare #system": "logs/tau.json logs/tau2.json --set resamples=100",
}
"""Command, with the subject if it has several → its words."""
ELSEWHERE = {
    "report": "tests/viewer",
    "list": "test_list_cite.py",
    "cite": "test_list_cite.py",
    "judge train": "tests/judges",
}
"""Commands that print in several formats and need more than a file → where they are tested."""
SCORES = ("score", "compare", "score #user", "score #system", "compare #system")
KEPT = [name for name in COMMANDS if "--out" not in COMMANDS[name] and "-o" in OPTIONS[command_of(name)]]
NUMBERS = ("value", "low", "high", "n", "difference", "difference_low", "difference_high", "p", "p_holm", "ratio")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-\d+)?")
Run = Callable[..., CommandResult]


@pytest.fixture(scope="module")
def run(town_files: Path) -> Run:
    """Runs a command on the town's files, once."""
    known: dict[str, CommandResult] = {}

    def result(words: str) -> CommandResult:
        if words not in known:
            with execution.stand_in(town_files):
                known[words] = CommandResult(*execution.call(shlex.split(words)))
        return known[words]

    return result


def words_of(name: str, style: str = "text") -> str:
    verbose = " -v" if style == "text" else ""
    return f"{command_of(name)} {COMMANDS[name]} --quiet -f {style}{verbose}"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_commands_in_table() -> None:
    assert {name for name, options in OPTIONS.items() if "-f" in options} == {*map(command_of, COMMANDS), *ELSEWHERE}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", COMMANDS)
def test_style(name: str, style: str, run: Run) -> None:
    result = run(words_of(name, style))
    assert (result.code, result.err) == (0, "")
    assert result.out
    assert "…|" not in result.out
    assert not re.search(r"\bnan\b", result.out, re.IGNORECASE)
    assert name == "play" or {"markdown": "| ", "latex": r"\toprule", "csv": ","}.get(style, "") in result.out
    if name in ("score", "compare", "study curve") and style != "json":
        assert re.search(r"SA[^| ]*\|rules:dialmeter\|", result.out)
        assert re.search(r"\|K(\(SA\))?:\d", result.out)


@pytest.mark.parametrize("name", COMMANDS)
def test_json_schema(name: str, run: Run) -> None:
    assert checked(run(words_of(name, "json")), schema_of(run(words_of(name, "json")).json))["command"].startswith(
        command_of(name)
    )


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if name not in ("play", "study audit", "study audit #user", "study distance")]
)
def test_csv_with_one_number_per_cell(name: str, run: Run) -> None:
    for part in run(words_of(name, "csv")).out.split("\n\n"):
        for row in rows_of(part):
            assert None not in row
            assert None not in row.values()
            for key in NUMBERS:
                assert not row.get(key) or NUMBER.fullmatch(row[key]), (key, row[key])
            if row.get("value") and "measure" in row and "signature" in row:
                assert 0 <= float(row["value"]) <= 1 or name == "compare #user"
                assert row["signature"].startswith(row["measure"])


@pytest.mark.parametrize("name", SCORES)
def test_csv_and_text_like_json(name: str, run: Run) -> None:
    rows, text = rows_of(run(words_of(name, "csv")).out), run(words_of(name)).out
    document = run(words_of(name, "json")).json
    scores = document["scores"]
    # A comparison shows the measures that it compares; its document has all.
    shown = {each["measure"] for each in document.get("versus", scores)}
    groups = [key for key in ("system", "measure", "domain", "slot", "judge", "attack", "signature") if key in rows[0]]
    assert [[row[key] for key in groups] for row in rows] == [[each.get(key, "") for key in groups] for each in scores]
    for row, each in zip(rows, scores, strict=True):
        numbers = [each["value"], *(each["ci"] or (None, None))]
        assert [row["value"], row["low"], row["high"]] == ["" if n is None else f"{n:.6f}" for n in numbers]
        assert (row["n"], row["unscored"]) == (str(each["n"]), str(each["unscored"]))
        if each["value"] is not None and each["measure"] in shown:
            assert f"{100 * each['value']:.2f}" in text


def test_differences_in_csv_like_json(run: Run) -> None:
    rows = rows_of(run(words_of("compare", "csv")).out)
    versus = run(words_of("compare", "json")).json["versus"]
    assert [(row["difference"], row["p_holm"], row["worse"]) for row in rows if row["base"]] == [
        (f"{each['difference']:.6f}", f"{each['p_holm']:.6f}", str(each["worse"])) for each in versus
    ]


@pytest.mark.parametrize("file", ["nowhere.json", "bad/empty.json", "bad/binary.json", "bad/native-cut.jsonl"])
@pytest.mark.parametrize("name", [name for name in COMMANDS if not COMMANDS[name].startswith("-")])
def test_bad_file(name: str, file: str, run: Run, town_files: Path) -> None:
    before = files_in(town_files)
    words = COMMANDS[name].split(maxsplit=1)
    result = run(f"{command_of(name)} {file} {' '.join(words[1:])} --quiet")
    assert result.code == 2
    assert f"{file}: " in result.err
    assert not result.out or name.startswith("check")
    assert files_in(town_files) == before


@pytest.mark.parametrize("name", KEPT)
def test_files_there(name: str, run: Run, town_files: Path) -> None:
    out = town_files / "out" / name
    words = f'{words_of(name)} --out "{out}"'
    assert run(words).out.startswith(run(words_of(name)).out.partition("\nnext  ")[0])
    before = files_in(out)
    again = run(f"{words} ")
    assert (again.code, again.complaint) == (2, f"{out}: holds a finished run; use --force to replace it")
    assert files_in(out) == before
    assert run(f"{words} --force").code == 0
    assert {**files_in(out), "log.json": b""} == {**before, "log.json": b""}
    assert run(f"{words_of(name)} --force").code == 2


ALL_IN_ONE = """
import contextlib, json, shlex, sys
from dialmeter.cli.main import run
for words in json.load(sys.stdin):
    with contextlib.suppress(SystemExit):
        run(shlex.split(words))
"""


def test_same_bytes_with_any_hash_seed(town_files: Path, tmp_path: Path) -> None:
    outputs = []
    for seed in ("0", "1"):
        folder = shutil.copytree(town_files, tmp_path / seed / "town")
        commands = [words_of(name, "json") for name in COMMANDS]
        commands += [f'{words_of(name)} --out "runs/{name}"' for name in KEPT]
        done = subprocess.run(
            [sys.executable, "-c", ALL_IN_ONE],
            input=json.dumps(commands).encode(),
            cwd=folder,
            env={**execution.VARIABLES, "PYTHONHASHSEED": seed, "DIALMETER_CACHE": str(tmp_path / "cache"), "PATH": ""},
            capture_output=True,
            check=True,
        )
        files = {name: data for name, data in files_in(folder).items() if not name.endswith("log.json")}
        outputs.append((done.stdout, done.stderr, files))
    assert outputs[0] == outputs[1]
    assert outputs[0][0].count(b'"command"') >= len(COMMANDS)
