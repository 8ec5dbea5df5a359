"""``tracker compare`` as a user types it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .. import invoke


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Write two trackers on 20 dialogues: one is right in two of three turns, the other in one of three."""
    paths = []
    for name, wrong in (("good_one", {2}), ("bad_one", {1, 2})):
        document = {
            f"d{i}": {
                str(turn): {
                    "gt": {"inn": {"area": f"v{turn}"}},
                    "pr": {"inn": {"area": "?" if turn in wrong else f"v{turn}"}},
                }
                for turn in range(3)
            }
            for i in range(20)
        }
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(document))
        paths.append(str(path))
    return paths


def call(capsys: pytest.CaptureFixture[str], *words: str) -> invoke.CommandResult:
    return invoke.call(capsys, "tracker", "compare", *words)


def test_the_table(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    code, out, _ = call(capsys, *files, "--quiet", "--measure", "JGA", "--resamples", "1000")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "WORSE: bad_one is worse than good_one by 33.33 JGA."
    assert lines[4].split()[:3] == ["JGA", "good_one", "66.67"]
    assert lines[5].split()[:4] == ["bad_one", "33.33", "none:", "all"]
    assert "-33.33 **" in lines[5]
    assert lines[5].endswith("0/0/20")
    assert lines[6] == "P values are corrected by Holm over 1 test (1 measure, 1 pair)."


def test_fail_if_worse(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    code, _, err = call(capsys, *files, "--quiet", "--fail-if-worse")
    assert code == 1
    assert "bad_one is worse than good_one under JGA" in err
    assert call(capsys, *reversed(files), "--quiet", "--fail-if-worse")[0] == 0


def test_a_verdict_that_depends_still_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As written the second file is worse, with times spelt alike it is better."""
    files = []
    for name in ("plain", "clock"):
        document = {}
        for number in range(40):
            times = [f"{10 + number % 9}:{minute}" for minute in (15, 30)]
            wrong = {0} if name == "plain" and number % 2 else set()
            written = [time if name == "plain" else time.replace(":", "") for time in times]
            document[f"d{number}"] = {
                str(turn): {
                    "gt": {"train": {"leaveat": time}},
                    "pr": {"train": {"leaveat": "?" if turn in wrong else written[turn]}},
                }
                for turn, time in enumerate(times)
            }
        files.append(str(tmp_path / f"{name}.json"))
        Path(files[-1]).write_text(json.dumps(document))
    words = [*files, "--measure", "JGA", "--resamples", "1000"]
    result = call(capsys, *words, "--fail-if-worse")
    assert result.code == 1
    assert "clock is worse than plain under JGA" in result.err
    assert "clock: train-leaveat agrees with gold at 0 of 80 turns" in result.err
    document = call(capsys, *words, "--json", "--quiet").json
    [ladder] = document["ladder"]
    assert (ladder["verdict"], ladder["system"], ladder["base"]) == ("depends", "clock", "plain")
    assert [(each["name"], each["verdict"]) for each in ladder["rungs"]] == [
        ("as written", "worse"),
        ("map=multiwoz", "better"),
    ]
    assert [each["code"] for each in document["warnings"]] == ["diagnosis"]
    assert call(capsys, *words, "--map", "multiwoz", "--fail-if-worse").code == 0
    rungs = call(capsys, *words, "--json", "--quiet", "-v").json["ladder"][0]["rungs"]
    assert any(each["assumption"] == "rules" for each in rungs)


@pytest.mark.parametrize(
    "words",
    [
        ["--mcnemar", "--by", "domain", "--by", "slot", "--by", "turn"],
        ["--by", "without-domain", "--marks", "letters", "--disagree", "good_one", "--disagree", "bad_one"],
        ["--test", "bootstrap", "--measure", "VP"],
        ["--power", "--measure", "JGA", "--measure", "GCA"],
    ],
)
def test_json_is_as_its_schema_says(capsys: pytest.CaptureFixture[str], files: list[str], words: list[str]) -> None:
    result = call(capsys, *files, "--json", "--quiet", "--resamples", "500", *words)
    assert invoke.checked(result, "tracker-compare")["command"] == "tracker compare"


def test_what_json_says(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    _, out, _ = call(capsys, *files, "--json", "--quiet", "--mcnemar")
    found = json.loads(out)
    assert found["counts"] == {"systems": 2, "dialogues": 20, "turns": 60}
    assert {score["system"] for score in found["scores"]} == {"good_one", "bad_one"}
    assert [each["unit"] for each in found["mcnemar"]] == ["turn", "dialogue"]
    assert found["mcnemar"][0]["only_base"] == 20
    assert any("not independent" in warning["message"] for warning in found["warnings"])


def test_latex_with_letters_and_stars(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    _, stars, _ = call(capsys, *files, "--as", "latex", "--quiet", "--measure", "JGA")
    assert r"bad\_one & 33.33\textsuperscript{***}" in stars
    _, letters, _ = call(capsys, *files, "--as", "latex", "--quiet", "--measure", "JGA", "--marks", "letters")
    assert r"(a) good\_one & 66.67\textsuperscript{b}" in letters


def _lacks_latex() -> bool:
    """Return True without pdflatex, or without its package for tables."""
    finder = shutil.which("kpsewhich")
    return not (
        shutil.which("pdflatex")
        and finder
        and subprocess.run([finder, "booktabs.sty"], capture_output=True, check=False).stdout
    )


@pytest.mark.skipif(_lacks_latex(), reason="no LaTeX with booktabs is installed")
def test_latex_compiles(capsys: pytest.CaptureFixture[str], files: list[str], tmp_path: Path) -> None:
    _, table, _ = call(capsys, *files, "--as", "latex", "--quiet")
    page = "\n".join([r"\documentclass{article}\usepackage{booktabs}\begin{document}", table, r"\end{document}"])
    (tmp_path / "page.tex").write_text(page, "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "page.tex"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_disagreeing_dialogues_are_shown_turn_by_turn(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    _, out, _ = call(capsys, *files, "--quiet", "--disagree", "good_one", "--disagree", "bad_one", "--limit", "1")
    assert "where they disagree most" in out
    assert "good_one: dialogue d0\n  turn by turn: 100 100 0\nturn 0" in out
    assert "bad_one: dialogue d0\n  turn by turn: 100 0 0\nturn 0" in out
    assert "≠ inn-area: v1 predicted as ?  (wrong)" in out


def test_one_gold_for_all(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    code, out, _ = call(capsys, *files, "--gold", files[0], "--quiet", "--measure", "JGA")
    assert code == 0
    assert "66.67" in out


def test_trivial_trackers(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    code, out, _ = call(capsys, files[0], "--trivial", "empty", "--quiet", "--measure", "JGA")
    assert code == 0
    assert "empty" in out


def test_common_dialogues(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    path = Path(files[1])
    document = json.loads(path.read_text())
    del document["d3"]
    path.write_text(json.dumps(document))
    code, _, err = call(capsys, *files, "--quiet")
    assert code == 2
    assert "1 only in good_one (d3)" in err
    code, out, _ = call(capsys, *files, "--common", "--quiet")
    assert code == 0
    assert "|d:19|" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--name", "x"], "--name once for each"),
        (["--name", "x", "--name", "x"], "two systems are called 'x'"),
        (["--disagree", "JGA"], "--disagree twice"),
        (["--disagree", "JGA", "--disagree", "VP"], "VP was not requested"),
        (["--disagree", "JGA", "--disagree", "JGA"], "--disagree names JGA twice"),
        (["--disagree", "JGA", "--disagree", "SA"], "good_one: JGA has no two different values over its dialogues"),
        (["--gold", "a", "--gold", "b", "--gold", "c"], "--gold once for all"),
        (["--ci", "95"], "--ci must be between 0 and 1"),
    ],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], files: list[str], words: list[str], message: str) -> None:
    code, _, err = call(capsys, *files, "--quiet", *words)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1


def test_one_file_alone(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    code, _, err = call(capsys, files[0])
    assert code == 2
    assert "two files or more" in err
    assert "two measures in --disagree" in err


@pytest.fixture
def uneven(tmp_path: Path) -> str:
    """A tracker with one mistake per dialogue, early or late, and with two mistakes in two dialogues."""
    document = {
        f"d{i}": {
            str(turn): {
                "gt": {"inn": {f"s{each}": "x" for each in range(turn + 1)}},
                "pr": {"inn": {f"s{each}": "?" if each == i % 4 or i > 7 else "x" for each in range(turn + 1)}},
            }
            for turn in range(5)
        }
        for i in range(10)
    }
    path = tmp_path / "uneven.json"
    path.write_text(json.dumps(document))
    return str(path)


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "csv"])
def test_measures_of_one_tracker_that_disagree(capsys: pytest.CaptureFixture[str], uneven: str, style: str) -> None:
    words = ("--disagree", "JGA", "--disagree", "GCA", "--measure", "JGA", "--measure", "GCA", "--resamples", "100")
    code, out, err = call(capsys, uneven, *words, "--as", style, "--limit", "2")
    assert (code, err) == (0, "")
    assert "win/tie/loss" not in out
    # A mistake at turn 0 spoils all turns for JGA, and is one of five changes for GCA.
    if style == "csv":
        assert "\nd0,uneven,JGA,GCA,0.000000,0.814815,-" in out
    else:
        assert "d0" in out
    if style == "text":
        assert "where they disagree most" in out
        assert (
            "uneven: dialogue d0\n  turn by turn under JGA: 0 0 0 0 0\n  turn by turn under GCA: 0 100 100 100 100"
            in out
        )
        assert "ranks" not in out


def test_one_tracker_in_json(capsys: pytest.CaptureFixture[str], uneven: str) -> None:
    words = ("--disagree", "JGA", "--disagree", "GCA", "--json", "--quiet", "--resamples", "100")
    found = invoke.checked(call(capsys, uneven, *words), "tracker-compare")
    assert found["counts"]["systems"] == 1
    assert (found["versus"], found["tau"]) == ([], [])
    first, *_ = found["disagreements"]
    assert (first["system"], first["first"], first["second"]) == ("uneven", "JGA", "GCA")
    assert (first["first_turns"], first["second_turns"]) == ([0] * 5, [0, 1, 1, 1, 1])


def test_a_tracker_of_several_that_is_the_same_everywhere(capsys: pytest.CaptureFixture[str], uneven: str) -> None:
    words = ("--disagree", "JGA", "--disagree", "GCA", "--measure", "JGA", "--measure", "GCA", "--resamples", "100")
    code, out, err = call(capsys, uneven, "--trivial", "empty", *words, "--as", "csv")
    assert code == 0
    assert "\nd0,uneven,JGA,GCA," in out
    assert err.splitlines()[-1].startswith("warning: empty: JGA has no two different values over its dialogues")


@pytest.mark.parametrize("option", ["--power", "--mcnemar", "--fail-if-worse"])
def test_one_tracker_has_nothing_to_be_tested_against(
    capsys: pytest.CaptureFixture[str], uneven: str, option: str
) -> None:
    result = call(capsys, uneven, "--disagree", "JGA", "--disagree", "GCA", option)
    assert result.code == 2
    assert result.complaint == f"{option} needs two files or more"


def test_power(capsys: pytest.CaptureFixture[str], files: list[str]) -> None:
    words = ("--power", "--measure", "JGA", "--measure", "DialogueAccuracy", "--resamples", "500", "--trivial", "empty")
    code, out, err = call(capsys, *files, *words)
    assert (code, err) == (0, "")
    assert "power: JGA distinguishes the most pairs of systems: 3 of 3 at level 0.05" in out
    rows = [line.split() for line in out.partition("distinguished pairs of systems at level 0.05")[2].splitlines()]
    assert ["JGA", "3", "3", "100.00", "3"] in rows
    assert ["DialogueAccuracy", "3", "0", "0.00", "0"] in rows
    found = invoke.checked(call(capsys, *files, *words, "--json"), "tracker-compare")["power"]
    assert [each["rank"] for each in found["measures"]] == [1, 2]
    assert len(found["pairs"]) == 6
    assert found["contradictions"] == []
    code, out, err = call(capsys, *files, *words, "--resamples", "100", "--ci", "0.99")
    assert "warning: 100 resamples are too few for --power" in err
    assert "power: no measure distinguishes any of the 3 pairs of systems at level 0.01" in out
    _, out, _ = call(capsys, *files, *words, "--as", "csv")
    assert "measure,pairs,apart,share,uncorrected,rank\nJGA,3,3,1.000000,3,1" in out


def test_the_same_bytes_for_any_hash_seed(files: list[str]) -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "dialmeter", "tracker", "compare", *files, "--json", "--quiet"],
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
