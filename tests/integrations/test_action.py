"""The commands of action.yml are run as GitHub runs them: by bash, with the inputs as variables."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from ..simulation.played import play_to_file
from .examples import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
INSTALL, *STEPS = ACTION["runs"]["steps"]


def inputs(**given: str) -> dict[str, str]:
    """The inputs with their defaults; a required one must be given."""
    assert set(given) <= set(ACTION["inputs"])
    return {name: given[name] if about.get("required") else given.get(name, about["default"])
            for name, about in ACTION["inputs"].items()}  # fmt: skip


def run_step(
    step: dict[str, Any], folder: Path, given: dict[str, str], **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs one step with the flags that GitHub gives to bash."""
    variables = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text)
                 for name, text in step.get("env", {}).items()}  # fmt: skip
    assert "${{" not in step["run"]
    assert not any("${{" in text for text in variables.values())
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    summary = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_ACTION_PATH": str(ROOT)}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=folder, env={**os.environ, "PATH": path, **summary, **variables, **more},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def run_action(folder: Path, **given: str) -> tuple[int, str, str]:
    """The exit code of the first step that fails, what was said on standard error, and the job summary."""
    said = ""
    code = 0
    for step in STEPS:
        done = run_step(step, folder, inputs(**given))
        code, said = done.returncode, said + done.stderr
        if code:
            break
    summary = folder / "summary.md"
    return code, said, summary.read_text("utf-8") if summary.exists() else ""


def test_composite_action() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert [step["shell"] for step in (INSTALL, *STEPS)] == ["bash"] * 4


def blocks_of(page: str) -> list[str]:
    """The blocks of the page with the action: of a tracker and of a judge."""
    return [each for each in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "OWNER/dialmeter" in each]


def test_worse_tracker_in_summary(folder: Path) -> None:
    """With the inputs of the example in docs/ci.md."""
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    block, _ = blocks_of(page)
    [step] = [each for each in yaml.safe_load(block)["jobs"]["compare"]["steps"] if "dialmeter" in each["uses"]]
    code, said, summary = run_action(folder, **step["with"])
    assert code == 1
    assert said.startswith("dialmeter: new is worse than base under GCA: -11.67, p (Holm) ")
    assert said.count("\n") == 1
    assert "| system | JGA | GCA |" in summary
    assert "- new against base: better under JGA (+16.92); worse under GCA (-11.67)" in summary


def test_conditions(folder: Path) -> None:
    code, said, _ = run_action(folder, base="base.jsonl", new="new.jsonl", measures="JGA", **{"fail-if": "JGA < 0.3"})
    assert (code, said) == (0, "")
    code, said, _ = run_action(
        folder, base="base.jsonl", new="new.jsonl", measures="JGA", **{"fail-if": "JGA < 0.3\nJGA < 0.9"}
    )
    assert (code, said) == (1, "dialmeter: JGA < 0.9: JGA is 0.5451\n")


def test_inputs_are_never_commands(folder: Path) -> None:
    for name in ("base", "new", "gold", "measures", "subject", "fail-if"):
        given = {"base": "base.jsonl", "new": "new.jsonl", "measures": "JGA", name: "$(touch broken); touch broken"}
        code, said, _ = run_action(folder, **given)
        assert code == 2, (name, said)
        assert not (folder / "broken").exists()
        assert "Traceback" not in said
    for name in ("certificate", "ratings", "judge", "settings"):
        certify(folder)
        given = {"certificate": "judge.json", "ratings": "labels.jsonl", name: "$(touch broken); touch broken"}
        code, said, _ = run_action(folder, **given)
        assert code == 2, (name, said)
        assert not (folder / "broken").exists()
        assert "Traceback" not in said
    code, said, _ = run_action(folder, base="-f json", new="new.jsonl")
    assert code == 2
    assert "-f json" in said


def certify(folder: Path, *more: str) -> None:
    """Certify an invented judge that is right in 50 of 60 items."""
    items = [
        {"id": str(n), "context": [f"question {n}"], "reply": "yes", "ratings": {"solved": {"ann": n % 2}}, "scores": {"own": (n + (n < 10)) % 2}}
        for n in range(60)
    ]  # fmt: skip
    (folder / "labels.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in items))
    words = ["judge", "certify", "labels.jsonl", "-j", "own", "-o", "judge.json", "--force", "-q", *more]
    subprocess.run([Path(sys.executable).parent / "dialmeter", *words], cwd=folder, check=True)


def test_certificate_of_a_judge(folder: Path) -> None:
    _, block = blocks_of((ROOT / "docs" / "ci.md").read_text("utf-8"))
    [step] = yaml.safe_load(block)
    given = step["with"]
    certify(folder, "--set", "gate=kappa >= 0.3")
    code, said, summary = run_action(folder, **given)
    assert (code, said) == (0, "")
    assert "VALID: the judge and the labels" in summary
    assert "judge own · κ .67" in summary
    certify(folder, "--set", "gate=kappa >= 0.99")
    code, said, summary = run_action(folder, **given)
    assert (code, said) == (1, "dialmeter: NOT MET: kappa >= 0.99.\n")
    certify(folder)
    labels = folder / "labels.jsonl"
    labels.write_text(labels.read_text().replace('"ann": 1', '"ann": 0', 1))
    code, said, summary = run_action(folder, **given)
    assert (code, said) == (2, "dialmeter: EXPIRED: labels of own changed since it was certified.\n")


def test_gold_in_another_file(folder: Path) -> None:
    (folder / "other.json").write_bytes((folder / "base.jsonl").read_bytes())
    code, said, summary = run_action(folder, base="base.jsonl", new="other.json", gold="gold.jsonl", measures="JGA")
    assert (code, said) == (0, "")
    assert "| other | 37.59 |" in summary


def test_users_are_compared_too(folder: Path) -> None:
    for name, user in (("one", "agenda"), ("two", "forgetful")):
        play_to_file(f"{name}.jsonl", user=user, goals=30, seed=1)
    code, said, summary = run_action(folder, base="one.jsonl", new="two.jsonl", subject="user")
    assert code == 1
    assert said.startswith("dialmeter: two is worse than one under I-GCDF1: -")
    assert "| one |" in summary


def test_installation_step(tmp_path: Path) -> None:
    """Installs dialmeter from the folder of the action, in an environment that has what it needs; without a compiler, to be quick."""
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv"], check=True)
    [site] = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "needed.pth").write_text(next(each for each in sys.path if each.endswith("site-packages")) + "\n")
    script = tmp_path / "venv" / "bin"
    more = {"PATH": f"{script}{os.pathsep}{os.environ['PATH']}", "PIP_NO_BUILD_ISOLATION": "0", "CC": "false"}
    step = {
        **INSTALL,
        "run": f"{INSTALL['run']}\ndialmeter list measures\npython -c 'import dialmeter; print(dialmeter.__file__)'",
    }
    done = run_step(step, tmp_path, inputs(base="", new=""), **more)
    assert done.returncode == 0, done.stderr
    assert "JGA" in done.stdout
    assert str(site) in done.stdout
