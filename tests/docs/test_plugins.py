"""The examples of docs/plugins.md, installed as a package and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")


def install(folder: Path) -> None:
    """Puts the page's files where Python finds them, with the page's entry points as metadata."""
    for name, text in re.findall(r"```python\n# (my_package/\w+\.py)\n(.*?)```", PAGE, re.DOTALL):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "my_package" / "__init__.py").touch()
    toml = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert toml
    points = re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", toml[1]).replace('"', "")
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dialmeter", *words],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{folder}{os.pathsep}{ROOT / 'src'}", "PATH": "", "DIALMETER_NO_CACHE": "1"},
        check=False,
    )


def test_measure_and_format_of_page(tmp_path: Path) -> None:
    install(tmp_path)
    file = tmp_path / "file.json"
    file.write_text(json.dumps({"pairs": [[{"a-b": "1"}, {"a-b": "2"}], [{"a-b": "1"}, {"a-b": "1", "a-c": "3"}]]}))
    done = run(
        tmp_path,
        "score",
        str(file),
        "--from",
        "pairs",
        "--measure",
        "NoFalseAlarm",
        "--measure",
        "JGA",
        "-f",
        "json",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["format"] == "pairs"
    assert {score["measure"]: score["value"] for score in found["scores"]} == {"NoFalseAlarm": 0.5, "JGA": 0.0}


def test_conversation_and_log_formats(tmp_path: Path) -> None:
    install(tmp_path)
    said = [["customer", "my phone is broken"], ["agent", "please switch it off and on again"]]
    lines = [{"call": f"c{number}", "problem": "p1", "said": said, "solved": bool(number)} for number in range(2)]
    calls, cases = tmp_path / "calls.jsonl", tmp_path / "cases.jsonl"
    refused = {"call": "c2", "problem": "p1", "said": "nothing"}
    calls.write_text("".join(f"{json.dumps(each)}\n" for each in [*lines, refused]))
    words = ("--attack", "repetition:word", "--set", "light", "--out", str(cases))
    done = run(tmp_path, "judge", "attack", str(calls), "--from", "calls", *words)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in cases.read_text("utf-8").splitlines()]
    assert {case["source"]["dialogue"] for case in found} == {"c0", "c1"}
    done = run(tmp_path, "score", str(calls), "--from", "calls", "--set", "missing=skip", "-f", "json")
    assert done.returncode == 0, done.stderr
    scored = json.loads(done.stdout)
    assert {score["measure"]: score["value"] for score in scored["scores"]} == {
        "Success": 0.5,
        "Pass(k=2)": 0.0,
        "AnyPass(k=2)": 1.0,
    }
    assert scored["counts"]["unscored"] == 1
    for name in ("dialogues", "logs"):
        assert "whether the problem was solved" in run(tmp_path, "list", name).stdout


def test_agent_of_page(tmp_path: Path) -> None:
    install(tmp_path)
    words = (
        "--user",
        "silent(moves=2)",
        "--goals",
        "3",
        "--workers",
        "1",
        "--out",
        str(tmp_path / "t.jsonl"),
        "-f",
        "json",
        "-q",
    )
    done = run(tmp_path, "play", *words)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]
    assert {"dialogues": 3, "turns": 6, "cut": 0, "completed": 0}.items() <= counts.items()
    assert "says next to nothing" in run(tmp_path, "list", "bots").stdout


def test_broken_one_line(tmp_path: Path) -> None:
    install(tmp_path)
    (tmp_path / "my_package" / "measures.py").write_text("raise RuntimeError('broken on purpose')")
    file = tmp_path / "file.json"
    file.write_text(json.dumps({"d": {"0": {"gt": {}, "pr": {}}}}))
    fine = run(tmp_path, "score", str(file), "--measure", "JGA", "--quiet")
    assert (fine.returncode, fine.stderr) == (0, "")
    listed = run(tmp_path, "list", "measures")
    assert listed.returncode == 0
    assert "broken on purpose" in listed.stderr
    assert "NoFalseAlarm" not in listed.stdout
    done = run(tmp_path, "score", str(file), "--measure", "NoFalseAlarm")
    assert done.returncode == 2
    assert "broken on purpose" in done.stderr
    assert "Traceback" not in done.stderr
