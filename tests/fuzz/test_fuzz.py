"""Twenty thousand mutated inputs, the corpus of what was found, and the law that every way accepts the same files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from random import Random

import pytest

from dialmeter import read
from dialmeter.errors import DialmeterError

from ..commands import leaf_commands
from ..golden.execution import stand_in
from .attempt import attempt, execute
from .corpus import CORPUS, Found
from .mutator import VALUES, mutate
from .run import all_command_lines, run_all
from .samples import write_samples
from .targets import TRACKER_FILES, TRACKER_WAYS, Target

INPUTS = 20_000
LAW_INPUTS = 60
"""Mutated files of each format that are read in every way."""

ONLY_SCORED = re.compile(
    r": \d+ turns? ha(?:s|ve) gold and no prediction(?:, \d+ of them whole dialogues)?: "
    r"|: no turn with a gold state(?: and a prediction; if gold is in another file, give that file, too \(--gold\))?$"
)
"""Documented reasons to refuse a file that can be read, by all ways that score it: they need both sides."""
ONLY_RULES = re.compile(r": the file has no values, so rules make no difference$")
"""The one reason that only ``tracker rules`` has."""


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz").resolve() / "samples"
    folder.mkdir()
    write_samples(folder)
    return folder


@pytest.fixture
def town(samples: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(samples, tmp_path.resolve() / "town"))


def test_mutated_inputs(tmp_path: Path) -> None:
    found = run_all(INPUTS, 16, 1, tmp_path)
    troubles = [each for chunk in found for each in chunk["troubles"]]
    assert sum(sum(chunk["counts"].values()) for chunk in found) == INPUTS
    assert not troubles, "\n".join(f"{each['number']}: {each['command']}: {each['trouble']}" for each in troubles[:40])


@pytest.mark.parametrize("found", CORPUS, ids=lambda found: f"{found.path}-{found.was}"[:60])
def test_corpus(found: Found, town: Path) -> None:
    with stand_in(town):
        original = Path(found.path).read_bytes()
        assert found.old in original
        data = original.replace(found.old, found.new, 1) if found.old else found.new
        outcome = attempt(Target("corpus", found.path, ()), found.command, data, "", original)
    assert not outcome.trouble


def test_more_rows_than_index(town: Path) -> None:
    """Found in the viewer, which ended in an internal error where such a run was compared."""
    with stand_in(town):
        rows = Path("runs/tracker/rows.jsonl")
        rows.write_bytes(rows.read_bytes() + rows.read_bytes().splitlines(keepends=True)[-1])
        code, page, _ = execute("GET /compare?run=tracker&run=other", "")
    assert code == 2
    assert "damaged: 3 rows, but 2 in the index" in page


@pytest.mark.parametrize("name", TRACKER_FILES)
def test_every_way_accepts_same_files(name: str, town: Path) -> None:
    differences = []
    with stand_in(town):
        original = Path(name).read_bytes()
        for number in range(LAW_INPUTS):
            data, changes = mutate(original, Random(f"law {name} {number}"))
            Path(name).write_bytes(data)
            said = {way: _message(*execute(command, name)) for way, command in TRACKER_WAYS.items()}
            said["read"] = _read(name)
            reading = {said.pop("convert"), said.pop("read")}
            if ONLY_RULES.search(said["rules"]):
                del said["rules"]
            # Either no way says more than reading does, or every way that scores gives one of the allowed reasons.
            scoring = {"" if ONLY_SCORED.search(message) else message for message in said.values()}
            allowed = {bool(ONLY_SCORED.search(message)) for message in said.values()}
            if len(reading) > 1 or scoring != reading or len(allowed) > 1:
                differences.append(f"{number} {changes}: {reading} {said}")
    assert not differences, f"{len(differences)} of {LAW_INPUTS}\n" + "\n".join(differences[:5])


def _message(code: int, out: str, err: str) -> str:
    return err.removeprefix("dialmeter: ").strip() if code in (2, 4) else ""


def _read(name: str) -> str:
    from dialmeter.errors import one_line

    try:
        for _ in read(name):
            pass
    except DialmeterError as error:
        return one_line(str(error), 4000).strip()
    return ""


def test_samples_are_accepted(town: Path) -> None:
    """A mutation says something only where the file is fine without it."""
    codes: dict[str, set[int]] = {}
    with stand_in(town):
        for command, kinds in all_command_lines().items():
            code = execute(command, "")[0]
            for kind in kinds:
                codes.setdefault(kind, set()).add(code)
    # Nobody answers at the template's endpoint.
    assert {kind for kind, found in codes.items() if 4 in found or 0 not in found} == {"template"}
    assert codes["template"] == {2}


def test_deterministic_mutator() -> None:
    assert len(set(VALUES)) == len(VALUES)
    data = b'{"a": [1, {"b": "c"}], "d": "e"}\n'
    assert [mutate(data, Random(seed)) for seed in range(200)] == [mutate(data, Random(seed)) for seed in range(200)]
    assert len({mutate(data, Random(seed))[0] for seed in range(200)}) > 120


NOT_FUZZED = {"demo", "list", "view"}
"""They read no file of the user; the pages that ``view`` shows are asked for with ``GET``."""


def test_every_command_reads_mutated_files() -> None:
    lines = list(all_command_lines())
    names = [name for name, _ in leaf_commands()]
    assert {name for name in names if not any(line.startswith(f"{name} ") for line in lines)} == NOT_FUZZED
    assert any(line.startswith("GET ") for line in lines)
