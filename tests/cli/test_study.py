"""``--out`` of commands that compare or study: reproducible bytes, shown by viewer, report and bundle, and never partial."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import dialmeter as dialmeter_package
from dialmeter.cli.config import PLACE
from dialmeter.cli.door import FLOWS, load_flow
from dialmeter.cli.study import INPUTS
from dialmeter.core.open_runs import open_run
from dialmeter.views.pages.opened_run import OpenedRun

from ..simulation.played import play_to_file
from ..studies.audit.made import made_gold, made_trackers, write_corpus
from ..viewer.asking import ask
from ..viewer.made import dialmeter, served
from .invoke import Cli

QUICK = ("--set", "resamples=100", "-q")
HOSTILE = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talk")
    for name, noise in (("a", 0.1), ("b", 0.3)):
        play_to_file(folder / f"{name}.jsonl", goals=6, seed=7, noise=noise)
    for name in ("ratio_0.05_seed_1_prediction", "ratio_0.1_seed_1_prediction"):
        (folder / "curve").mkdir(exist_ok=True)
        (folder / "curve" / f"{name}.jsonl").write_bytes((folder / "a.jsonl").read_bytes())
    (folder / "audit").mkdir()
    write_corpus(folder / "audit", made_gold(), made_trackers(made_gold(), 2))
    rated = [json.loads(line)["dialogue_id"] for line in (folder / "a.jsonl").read_text("utf-8").splitlines()]
    (folder / "ratings.csv").write_text("\n".join(["dialogue,ann", *(f"{name},{len(name) % 5}" for name in rated)]))
    lines = [
        {"task_id": str(task), "trial": 0, "reward": task % 2, "messages": [{"role": "user", "content": "Hello"}]}
        for task in range(4)
    ]
    for name in ("x", "y"):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder


def test_study_inputs() -> None:
    """Every parameter of a study that names a file is one of its inputs, or is a place or an output."""
    seen = 0
    for path in {path for flows in FLOWS.values() for path in flows.values()}:
        flow = load_flow(path)
        if any(parameter.name == "study" for parameter in flow.params):
            seen += 1
            for parameter in flow.params:
                named = str(parameter.name)
                if any(word in (parameter.metavar or "") for word in ("FILE", "DIR", "LIST", "LOG")):
                    # A patch of tasks is read when the command is parsed; its digest is in the signature.
                    assert named in {*INPUTS, *PLACE, "study", "sheet", "left_out"}, (path, named)
    assert seen >= 12


def test_rule_file_and_map_as_inputs(talk: Path, tmp_path: Path, cli: Cli) -> None:
    own, values = tmp_path / "own.toml", tmp_path / "values.json"
    shutil.copy(Path(dialmeter_package.__file__).parent / "tracking/rule_sets/rulesets/trade.toml", own)
    values.write_text('{"hotel": {"area": {"centre": ["center"]}}}')
    out = tmp_path / "run"
    words = ("compare", f"x={talk / 'a.jsonl'}", f"y={talk / 'a.jsonl'}", "--subject", "tracker", *QUICK)
    code, _, err = cli(*words, "--rules", own, "--set", f"map={values}", "--out", out)
    assert code == 0, err
    manifest = (out / "run.json").read_text("utf-8")
    roles = {each["name"]: each["role"] for each in json.loads(manifest)["inputs"]}
    assert roles == {"a.jsonl": "files", "own.toml": "rules_name", "values.json": "rule_map"}
    assert str(tmp_path) not in manifest


def commands(talk: Path) -> dict[str, tuple[object, ...]]:
    a, b = talk / "a.jsonl", talk / "b.jsonl"
    return {
        "compare trackers": ("compare", a, f"{a}#keyword", "--subject", "tracker", *QUICK),
        "compare users": ("compare", a, b, "--subject", "user", "--set", "profile=town", *QUICK),
        "compare systems": ("compare", talk / "x.jsonl", talk / "y.jsonl", *QUICK),
        "study bias": ("study", "bias", a, *QUICK),
        "study curve": ("study", "curve", talk / "curve", *QUICK),
        "study rules": ("study", "rules", a, "-q"),
        "study people": ("study", "people", a, "--sheet", talk / "ratings.csv", "-q"),
        "study audit": ("study", "audit", *(talk / "audit" / f"{name}.jsonl" for name in ("gold", "t00", "t01")), "-q"),
        "study distance": ("study", "distance", a, b, "--set", "profile=town", *QUICK),
    }


NAMES = list(commands(Path()))


def command_of(name: str) -> str:
    return name if name.startswith("study") else "compare"


@pytest.fixture(scope="module")
def studies(talk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    for name, words in commands(talk).items():
        dialmeter(*words, "--out", folder / name.replace(" ", "-"))
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_kept_equals_printed(name: str, talk: Path, studies: Path, cli: Cli) -> None:
    plain = cli(*commands(talk)[name], "-f", "json")
    folder = studies / name.replace(" ", "-")
    run = open_run(folder)
    command = command_of(name)
    assert (run.manifest["kind"], run.manifest["command"]) == ("study", command)
    assert run.manifest["words"][: len(command.split())] == command.split()
    assert str(talk) not in (folder / "run.json").read_text("utf-8")
    document, saved = json.loads(plain.out), json.loads((folder / "document.json").read_text("utf-8"))
    assert saved == document
    assert [each["value"] for each in run.scores] == [each["value"] for each in document["scores"]]
    assert run.manifest["study"]["tables"]


@pytest.mark.parametrize("name", NAMES)
def test_pages_show_it(name: str, studies: Path) -> None:
    key = name.replace(" ", "-")
    run = OpenedRun(studies / key)
    with served(studies) as site:
        listed, page = ask(site, "/"), ask(site, f"/run/{key}")
        assert ask(site, f"/rows/{key}").status == 200
    assert f"/run/{key}" in listed.text
    assert 'type="checkbox"' not in listed.text
    assert page.status == 200
    for table in (*run.kind.headlines(run), *run.kind.breakdowns(run)):
        assert table.headings[-1] in page.text
    assert page.text.count("<figure") == len(run.saved_charts)
    assert f"dialmeter {command_of(name)}" in page.text


def test_report_and_bundle(studies: Path, tmp_path: Path, cli: Cli) -> None:
    folders = sorted(studies.iterdir())
    cli("report", *folders, "--out", tmp_path / "all.html")
    text = (tmp_path / "all.html").read_text("utf-8")
    assert text.count("<figure") >= 5
    for style in ("markdown", "latex"):
        cli("report", *folders, "-f", style, "--out", "-")
    cli("cite", folders[0])
    cli("report", *folders, "--out", f"{tmp_path}/pages/")
    assert "study curve" in (tmp_path / "pages" / "index.html").read_text("utf-8")


def test_hostile_and_damaged_runs(studies: Path, tmp_path: Path) -> None:
    run = shutil.copytree(studies / "study-curve", tmp_path / "runs" / "evil")
    (run / "chart-measures.svg").write_text(HOSTILE, "utf-8")
    charts = json.loads((run / "charts.json").read_text("utf-8"))
    (run / "charts.json").write_text(json.dumps([{**each, "title": HOSTILE} for each in charts]), "utf-8")
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    manifest["study"]["lines"][0] = HOSTILE
    (run / "run.json").write_text(json.dumps(manifest), "utf-8")
    with served(tmp_path / "runs") as site:
        text = ask(site, "/run/evil").text
    assert "&lt;script&gt;alert" in text
    assert "<script>alert" not in text
    assert text.count("<figure") == len(charts)
    manifest["study"] = {"tables": 7}
    (run / "run.json").write_text(json.dumps(manifest), "utf-8")
    with served(tmp_path / "runs") as site:
        assert "damaged" in ask(site, "/").text
        assert ask(site, "/run/evil").status == 404
