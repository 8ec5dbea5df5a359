"""The report: one file, small, the same content in three forms."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dialmeter.cli.main import cli
from dialmeter.errors import DialmeterError
from dialmeter.views.html import LARGEST, html_report
from dialmeter.views.pages.opened_run import OpenedRun, unique_names

SAID = "I would like " + "a very long stay, " * 40


def lines(dialogues: int, turns: int, wrong: int = 3) -> str:
    """Dialogues with many slots; in every third turn one value is wrong."""
    found = []
    for number in range(dialogues):
        told = []
        gold: dict[str, str] = {}
        for turn in range(turns):
            gold = {**gold, f"inn-slot{turn}": f"value{turn}"}
            pred = {**gold, **({f"inn-slot{turn}": "other"} if (turn + number) % wrong == 0 else {})}
            told.append({"turn": turn, "gold": gold, "pred": pred, "user": SAID, "system": SAID})
        found.append(json.dumps({"dialogue_id": f"d{number:04}", "turns": told}))
    return "\n".join(found) + "\n"


Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Scores dialogues into a run."""

    def make(name: str, **size: int) -> Path:
        file = tmp_path / f"{name}.jsonl"
        file.write_text(lines(**size), "utf-8")
        words = ["score", str(file), "--out", str(tmp_path / "runs" / name), "-q", "--set", "resamples=100"]
        cli.main(words, standalone_mode=False)
        return tmp_path / "runs" / name

    return make


def test_long_dialogues_in_report(made: Made) -> None:
    text = html_report([OpenedRun(made("long", dialogues=230, turns=12))])
    assert len(text.encode()) <= LARGEST
    shown = text.count('<details class="card dialogue"')
    assert 0 < shown <= 200
    assert f"The {shown} worst of 230 dialogues" in text


def test_small_runs_worst_first(made: Made) -> None:
    run = OpenedRun(made("small", dialogues=5, turns=3))
    text = html_report([run])
    assert "All 5 dialogues" in text
    values = [float(value) for value in re.findall(r'<span class="faint">FGA\(lam=0.5\) ([\d.]+)</span>', text)]
    assert len(values) == 5
    assert values == sorted(values)


def test_policy_script_hash(made: Made) -> None:
    text = html_report([OpenedRun(made("one", dialogues=2, turns=2))])
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src &#39;none&#39;; script-src &#39;sha256-{digest}&#39;; style-src &#39;self&#39; &#39;unsafe-inline&#39;; "
        "img-src &#39;self&#39; data:; base-uri &#39;none&#39;; form-action &#39;self&#39;"
    )
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)


def test_three_forms_same_tables(made: Made, tmp_path: Path) -> None:
    runs = [str(made("base", dialogues=12, turns=4, wrong=2)), str(made("new", dialogues=12, turns=4, wrong=4))]
    texts = {}
    for ending in ("html", "md", "tex"):
        target = tmp_path / f"report.{ending}"
        cli.main(["report", *runs, "--out", str(target), "-q"], standalone_mode=False)
        texts[ending] = target.read_text("utf-8")
    for run in runs:
        for score in OpenedRun(Path(run)).scores:
            value = f"{100 * score['value']:.2f}"
            assert all(value in text for text in texts.values())
    assert r"\toprule" in texts["tex"]
    for word in ("by domain", "by slot", "by turn", "reproduce", "worst dialogues"):
        assert all(word in text.lower() for text in texts.values())


def test_report_is_self_contained(made: Made) -> None:
    run = made("same", dialogues=3, turns=3)
    assert html_report([OpenedRun(run)]) == html_report([OpenedRun(run)])


def test_report_not_replaced(made: Made, tmp_path: Path) -> None:
    run = made("kept", dialogues=2, turns=2)
    target = tmp_path / "mine.html"
    target.write_text("mine")
    with pytest.raises(DialmeterError, match="--force"):
        cli.main(["report", str(run), "--out", str(target)], standalone_mode=False)
    assert target.read_text() == "mine"


def test_report_into_new_folder(made: Made, tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "page.html"
    run = made("whole", dialogues=2, turns=2)
    cli.main(["report", str(run), "--out", str(target), "--quiet"], standalone_mode=False)
    assert target.is_file()


def test_runs_have_unique_names(tmp_path: Path) -> None:
    assert unique_names(["a/run", "b/run", "c"]) == ["a/run", "b/run", f"{Path().resolve().name}/c"]
    with pytest.raises(DialmeterError, match="duplicate run"):
        unique_names(["a", "./a"])
