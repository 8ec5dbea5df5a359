"""What tests share."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from .cli.invoke import Cli
from .plain import PlainProcess

ROOT = Path(__file__).parents[1]

# Machines are shared and noisy: no test fails because it took long.
settings.register_profile("dialmeter", deadline=None)
settings.load_profile("dialmeter")

# Processes that tests start keep the bytecode of dialmeter: to compile it is a third of the time of a short command.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# Whole folders and files that start many processes, a cluster or a browser, draw many charts and pages, or read all published files.
SLOW = (
    "browser/",
    "cli/test_all_commands.py",
    "cli/test_demo.py",
    "cli/test_judge_workers.py",
    "cli/test_study.py",
    "cli/tracker/test_bias.py",
    "cli/tracker/test_curve.py",
    "cli/tracker/test_human.py",
    "cli/tracker/test_workers.py",
    "core/test_cluster.py",
    "core/test_endpoint.py",
    "core/test_engine.py",
    "core/test_kills.py",
    "core/test_replacing.py",
    "core/test_several_writers.py",
    "core/test_streams.py",
    "docs/test_ci_page.py",
    "docs/test_pages.py",
    "docs/test_plugins.py",
    "fuzz/",
    "golden/",
    "judges/adapters/",
    "judges/attacks/",
    "judges/explanation/",
    "judges/train/",
    "laws/",
    "package/test_build.py",
    "package/test_pythons.py",
    "readers/states/test_same_everywhere.py",
    "readers/states/test_source.py",
    "readers/test_budget.py",
    "readers/test_damaged_runs.py",
    "readers/test_run_inputs.py",
    "reproduction/",
    "simulation/",
    "studies/audit/",
    "studies/test_bias.py",
    "studies/test_fit_lambda.py",
    "systems/test_published_figures.py",
    "tools/test_layers.py",
    "tools/test_locks.py",
    "tracking/test_credit.py",
    "tracking/test_result.py",
    "users/items/test_text_events.py",
    "users/text/test_accuracy.py",
    "users/text/test_rules.py",
    "viewer/",
    "views/",
)

# With several processes the tests of these long files begin first, so that none of them is alone at the end.
LONGEST = ("core/test_kills.py", "docs/test_pages.py", "fuzz/test_fuzz.py", "package/test_build.py")


MEMORY = Path("/dev/shm")
"""A folder in memory, on Linux."""
ENOUGH = 4 << 30


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Temporary files are in memory where there is room: tests write tens of thousands of small files, many of them flushed to disk.

    All processes of a run share one cache, which is not the cache of the person who runs the tests.
    """
    if not hasattr(config, "workerinput"):
        if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
            os.environ["TMPDIR"] = str(MEMORY)
            tempfile.tempdir = None
        folder = tempfile.TemporaryDirectory(prefix="dialmeter-cache-")
        os.environ["DIALMETER_CACHE"] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_addoption(parser: pytest.Parser) -> None:
    """No test may depend on the tests before it. ``make quick OPTIONS=--reversed`` shows one that does."""
    parser.addoption("--reversed", action="store_true", help="run the tests in reversed order")


def _among(path: Path, places: tuple[str, ...]) -> bool:
    tests = ROOT / "tests"
    return path.is_relative_to(tests) and path.relative_to(tests).as_posix().startswith(places)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """``make quick`` does not import slow files, which takes longer than many tests do."""
    return True if config.option.markexpr == "not slow" and _among(collection_path, SLOW) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the slow tests: whole files, those that try several hash seeds, and those with the mark. The longest go first."""
    for item in items:
        if _among(item.path, SLOW) or "hash_seed" in item.name:
            item.add_marker(pytest.mark.slow)
    if config.getoption("reversed", False):
        items.reverse()
    items.sort(key=lambda item: not _among(item.path, LONGEST))


def pytest_collection(session: pytest.Session) -> None:
    """Nothing that is imported or collected becomes garbage."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is there now stays to the end: collections of garbage need not look at it.

    Modules and models that tests load later stay, too, so collections are rare. They took 6 % of the CPU time.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published files and the figures that they must give; tests that need it skip without it."""
    folder = Path(os.environ.get("DIALMETER_SHARED", ROOT.parent / "shared"))
    if not (folder / "expected").is_dir():
        pytest.skip(f"published data is not here: {folder} (set DIALMETER_SHARED)")
    return folder


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Cli:
    """Runs commands in this process: all commands, or the one that the file of the test names as ``COMMAND``."""
    return Cli(capsys, getattr(request.module, "COMMAND", ""))


@pytest.fixture(scope="session")
def plain() -> Iterator[PlainProcess]:
    """Answers with plain code what the code of this process, compiled where it can be, answers too."""
    process = PlainProcess()
    yield process
    process.close()
