"""``dialmeter user score`` as a user types it: output, saved run, exit code."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.users.score_table import MEASURES
from dialmeter.users.scorer import score_user

from ..invoke import call, call_process, checked, files_in
from ..user_samples import TALKS, lines, published, users


def values(document: dict[str, Any], domain: str = "combined") -> dict[str, float | None]:
    return {each["measure"]: each["value"] for each in document["scores"] if each["domain"] == domain}


OPTIONS = [
    [],
    ["--ci", "0"],
    ["--ci", "0.9", "--resamples", "100", "--seed", "7"],
    ["--blame"],
    ["--rules", "gcdf1-repo"],
    ["--set", "repetitions.max=1", "--set", "values.fuzzy=false"],
    ["--profile", "town"],
    ["--from-text"],
    ["--logs", "--signatures", "--quiet"],
    ["--from", "native"],
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_json_is_as_its_schema_says(options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = call(capsys, "user", "score", users(tmp_path), "--json", *options)
    found = checked(said, "user-score")
    assert {each["measure"] for each in found["scores"]} == set(MEASURES)
    assert ("verdicts" in found) == ("--blame" in options)
    assert found["counts"]["dialogues"] == len(TALKS)


def test_json_equals_the_result_of_the_library(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = call(capsys, "user", "score", users(tmp_path), "--json").json
    result = score_user(TALKS)
    assert found["scores"] == json.loads(json.dumps(result.to_dicts()))
    assert found["events"] == result.events
    assert found["counts"]["events"] == sum(sum(each.values()) for each in found["events"].values())
    assert values(found)["I-recall"] == pytest.approx((1 + 0.5 + 5 / 6 + 2 / 3) / 4)


def test_text_names_scores_events_and_the_next_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = users(tmp_path)
    said = call(capsys, "user", "score", file, "--blame")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{file}"[:40])
    for words in (
        "I-GCDF1  combined",
        "events",
        "missed_constraints",
        "lost points by party",
        "worst dialogues",
    ):
        assert words in said.out
    assert "repeated_inform" not in said.out
    assert said.out.splitlines()[-1] == f"Next: dialmeter user query {file} --dialogue hasty"


def test_the_next_step_scores_in_the_same_way(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = users(tmp_path)
    options = ["--rules", "gcdf1-repo", "--set", "requests.max=1", "--profile", "town", "--from", "native"]
    last = call(capsys, "user", "score", file, *options).out.splitlines()[-1]
    assert last.endswith("--from native --profile town --rules gcdf1-repo --set requests.max=1")
    kept = call(capsys, "user", "score", file, *options, "--out", tmp_path / "run").out.splitlines()[-1]
    assert kept == f"Next: dialmeter user query {tmp_path / 'run'} --dialogue hasty"


def test_notes_are_shown_when_they_are_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "repeated_inform" in call(capsys, "user", "score", users(tmp_path), "--logs").out


def test_a_user_without_losses_is_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = call(capsys, "user", "score", users(tmp_path, TALKS[:1]))
    assert said.out.endswith("\nNo dialogue lost a point.\n")


def test_markdown_latex_and_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = users(tmp_path)
    markdown = call(capsys, "user", "score", file, "--as", "markdown").out
    assert markdown.startswith("| measure | domain |")
    assert "\nSignature: `I-GCDF1,I-precision," in markdown
    assert r"| missed\_constraints |" in markdown
    latex = call(capsys, "user", "score", file, "--as", "latex").out
    assert latex.startswith("% needs \\usepackage{booktabs}\n\\begin{table")
    assert latex.count("\\begin{table") == latex.count("\\end{table") == 2
    assert "% signature  I-GCDF1,I-precision," in latex
    rows = list(csv.DictReader(io.StringIO(call(capsys, "user", "score", file, "--as", "csv").out)))
    combined = [row for row in rows if row["domain"] == "combined"]
    assert [row["measure"] for row in combined][:2] == ["I-GCDF1", "I-precision"]
    assert combined[0]["n"] == "4"
    assert all(row["signature"].startswith(f"{row['measure']}|rules:dialmeter|") for row in rows)


def test_standard_input(tmp_path: Path) -> None:
    said = call_process("user", "score", "-", "--json", stdin=lines(TALKS).encode(), cwd=tmp_path)
    assert values(checked(said, "user-score"))["I-GCDF1"] == score_user(TALKS, ci=0).value


def test_layouts_give_the_same_scores(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "published.json"
    file.write_text(json.dumps([published(each) for each in TALKS]))
    found = call(capsys, "user", "score", file, "--json").json
    assert found["format"] == "gcdf1"
    assert found["scores"] == call(capsys, "user", "score", users(tmp_path), "--json").json["scores"]


def test_goals_in_a_file_of_their_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    goals = tmp_path / "goals.json"
    goals.write_text(json.dumps({each.id: published(each)["goal"] for each in TALKS}))
    bare = [
        {key: value for key, value in json.loads(line).items() if key != "goal"} for line in lines(TALKS).splitlines()
    ]
    file = tmp_path / "bare.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in bare))
    assert call(capsys, "user", "score", file).code == 2
    found = checked(call(capsys, "user", "score", file, "--goals", goals, "--json"), "user-score")
    assert values(found) == values(call(capsys, "user", "score", users(tmp_path), "--json").json)


def test_a_run_holds_what_was_wanted_counted_and_what_happened(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    said = call(capsys, "user", "score", users(tmp_path), "--blame", "--out", folder, "--json")
    run = open_run(folder)
    assert run.manifest["scores"] == said.json["scores"]
    assert run.manifest["events"] == said.json["events"]
    assert run.manifest["verdicts"] == said.json["verdicts"]
    assert str(tmp_path) not in (folder / "run.json").read_text()
    hasty = next(row for row in run if row["id"] == "hasty")
    assert hasty["inform"]["hotel"]["wanted"] == ["area=east", "stars=4"]
    assert hasty["inform"]["hotel"]["counted"] == ["area=east"]
    assert hasty["request"]["hotel"]["counted"] == ["hotel-phone", "hotel-phone"]
    assert {"class": "missed_constraints", "family": "goal", "domain": "hotel", "about": "stars=4"} in hasty["events"]
    assert hasty["verdict"]["recall"]["why"] == "file_ends"
    assert [round(value, 6) for value in run.index()["I-recall"]] == [1.0, 0.5, round(5 / 6, 6), round(2 / 3, 6)]
    assert (folder / "report.md").read_text().startswith("# users.jsonl\n")


def test_a_run_is_not_replaced_by_accident(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder, file = tmp_path / "run", users(tmp_path)
    assert call(capsys, "user", "score", file, "--out", folder).code == 0
    before = files_in(folder)
    again = call(capsys, "user", "score", file, "--out", folder)
    assert (again.code, again.complaint) == (2, f"{folder}: holds a finished run; use --force to replace it")
    assert call(capsys, "user", "score", file, "--out", folder, "--resume").code == 2
    assert files_in(folder) == before
    assert call(capsys, "user", "score", file, "--out", folder, "--force").code == 0
    assert open_run(folder).manifest["scores"]
    lonely = call(capsys, "user", "score", file, "--resume")
    assert (lonely.code, lonely.complaint) == (2, "--resume, --force and --rows need --out")
    piped = call(capsys, "user", "score", "-", "--out", folder, "--resume")
    assert (piped.code, piped.complaint[:29]) == (2, "a run from standard input or ")


def test_an_unfinished_run_goes_on_and_ends_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, whole, broken = users(tmp_path), tmp_path / "whole", tmp_path / "broken"
    options = ["--blame", "--seed", "3"]
    assert call(capsys, "user", "score", file, "--out", whole, *options).code == 0
    assert call(capsys, "user", "score", file, "--out", broken, *options).code == 0
    unfinish(broken, kept=2)
    assert call(capsys, "user", "query", broken).complaint == f"{broken}: an unfinished run; continue with --resume"
    assert "continue with --resume" in call(capsys, "user", "score", file, "--out", broken, *options).complaint
    other = call(capsys, "user", "score", file, "--out", broken, "--resume", "--blame", "--set", "requests.max=1")
    assert "other input, rules or measures" in other.complaint
    assert call(capsys, "user", "score", file, "--out", broken, "--resume", *options).code == 0
    same = [{name: data for name, data in files_in(each).items() if name != "log.json"} for each in (whole, broken)]
    assert same[0] == same[1]


def unfinish(folder: Path, kept: int) -> None:
    """Turn a finished run into an interrupted one: some rows, and an incomplete line at the end."""
    from dialmeter.core.run_writer import RunWriter

    manifest = json.loads((folder / "run.json").read_text())
    rows = (folder / "rows.jsonl").read_bytes().splitlines(keepends=True)
    about = {
        key: manifest[key] for key in ("kind", "inputs", "rules", "profile", "map", "from_text", "measures", "blame")
    }
    writer = RunWriter(folder, about, force=True)
    parts = writer.begin()
    (parts / "rows-000000.jsonl").write_bytes(b"".join(rows[:kept]) + rows[kept][:10])
    writer.close()
    (folder / "run.json").unlink()


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("I-GCDF1 < 0.99", 1),
        ("I-GCDF1 < 0.1", 0),
        ("I-recall[hotel] < 0.84", 1),
        ("R-precision[hotel] > 0.99", 0),
    ],
)
def test_conditions(condition: str, code: int, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = call(capsys, "user", "score", users(tmp_path), "--fail-if", condition, "--json")
    assert said.code == code
    assert said.json["command"] == "user score"
    if code:
        assert said.complaint.startswith(f"{condition}: ")


@pytest.mark.parametrize("condition", ["JGA < 0.5", "I-GCDF1[spa] < 0.5", "I-GCDF1 below 1", "R-GCDF1[taxi] < 0.5"])
def test_conditions_that_cannot_be_checked(condition: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = call(capsys, "user", "score", users(tmp_path), "--fail-if", condition, "--quiet")
    assert (said.code, said.complaint[:9]) == (2, "--fail-if")
