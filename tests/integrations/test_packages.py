"""What holds for all integrations: a missing package is one line, nothing else imports them, none of the packages is under the GPL."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from .examples import ROOT

FOLDER = ROOT / "src" / "dialmeter" / "integrations"
INTEGRATIONS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
PACKAGES = {"torchmetrics": "torchmetrics", "inspect_ai": "inspect_ai", "pytest_plugin": "pytest"}


@pytest.mark.parametrize(("integration", "package"), PACKAGES.items())
def test_missing_package(integration: str, package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import dialmeter.integrations.{integration}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    name = f"dialmeter.integrations.{integration}"
    message = f"dialmeter.errors.MissingExtra: {name} needs {package}: pip install {package}"
    assert done.stderr.splitlines()[-1] == message
    assert "During handling" not in done.stderr


def test_nothing_else_imports_them() -> None:
    sources = [path for path in (ROOT / "src" / "dialmeter").rglob("*.py") if path.parent != FOLDER]
    assert [
        str(path)
        for path in sources
        if re.search(r"import.*integrations|integrations.*import", path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize("integration", INTEGRATIONS)
def test_examples_in_sources(integration: str) -> None:
    module = importlib.import_module(f"dialmeter.integrations.{integration}")
    assert doctest.testmod(module).failed == 0


def test_no_gpl_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    licences = importlib.import_module("make_licences")
    found = {each.metadata["Name"]: licences.licence_of(each) for each in distributions()}
    assert {"torchmetrics", "inspect_ai", "duckdb"} <= set(found)
    assert {name: text for name, text in found.items() if licences.GPL.search(text) and licences.is_refused(text)} == {}


def test_versions_match_requirements() -> None:
    pins = dict(
        re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "requirements" / "integrations.txt").read_text("utf-8"), re.MULTILINE)
    )
    found = {re.sub(r"[-_.]+", "-", each.metadata["Name"]).lower(): each.version for each in distributions()}
    assert {name: found.get(name) for name in pins} == pins
    assert Path(sys.prefix) != Path(sys.base_prefix)
