"""Everything that opens a run folder gives a one-line error if the folder was edited or damaged."""

from __future__ import annotations

import json
import shutil
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from dialmeter.core.open_runs import open_run
from dialmeter.errors import InputError
from dialmeter.viewer.app import make_app
from dialmeter.viewer.folder import RunFolder

from ..cli.invoke import Cli, call_process
from .test_run_inputs import COMMANDS

WRONG = (None, True, 7, 2.5, "x", [], {}, [None], ["x"], [{}], {"x": None}, [[[]]])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for kind, (words, content) in COMMANDS.items():
        (folder / f"{kind}.jsonl").write_bytes(content)
        said = call_process(*words, folder / f"{kind}.jsonl", "-q", "--out", folder / kind)
        assert said.code == 0, said.err
    return {kind: folder / kind for kind in COMMANDS}


def retyped(thing: Any) -> Iterator[Any]:
    """Yield copies of a value. In each copy, one part is replaced by a value of another type."""
    for key in list(thing) if isinstance(thing, dict) else range(min(1, len(thing))):
        kept = thing[key]
        for wrong in WRONG:
            if type(wrong) is not type(kept) or wrong != kept:
                thing[key] = wrong
                yield thing
        thing[key] = kept
        if isinstance(kept, dict | list):
            for _ in retyped(kept):
                yield thing


@pytest.mark.parametrize("kind", COMMANDS)
def test_fields_of_another_type(kind: str, runs: dict[str, Path], cli: Cli, tmp_path: Path) -> None:
    run = shutil.copytree(runs[kind], tmp_path / "run")
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    manifest = {**manifest, "rules": {"name": "dialmeter"}, "profile": {"name": "town"}}
    refused = 0
    for changed in retyped(manifest):
        (run / "run.json").write_text(json.dumps(changed), "utf-8")
        said = cli("cite", run, code=None)
        assert said.code in (0, 2), (said.err, changed)
        if said.code == 2:
            refused += said.complaint.startswith(f"{run / 'run.json'}: damaged: ")
            continue
        said = cli("report", run, "-f", "markdown", "--out", "-", code=None)
        assert said.code in (0, 2), (said.err, changed)
    assert refused > 100


@pytest.mark.parametrize("cut", [1, 40])
def test_torn_rows(cut: int, runs: dict[str, Path], cli: Cli, tmp_path: Path) -> None:
    for kind, whole in runs.items():
        run = shutil.copytree(whole, tmp_path / kind)
        rows = (run / "rows.jsonl").read_bytes()
        (run / "rows.jsonl").write_bytes(rows[: -1 - cut])
        with pytest.raises(InputError, match=r"rows\.jsonl: line \d+: damaged: .*the file seems to be cut off"):
            list(open_run(run))
        with pytest.raises(InputError, match=r"rows\.jsonl: line \d+: damaged: "):
            open_run(run).row(-1)
    complaint = cli.refused("find", tmp_path / "user")
    assert complaint.startswith(f"{tmp_path / 'user' / 'rows.jsonl'}: line 1: damaged: ")


def test_retyped_rows(runs: dict[str, Path], cli: Cli, tmp_path: Path) -> None:
    run = shutil.copytree(runs["user"], tmp_path / "user")
    row = json.loads((run / "rows.jsonl").read_bytes())
    for changed in retyped(row):
        (run / "rows.jsonl").write_text(json.dumps(changed) + "\n", "utf-8")
        for words in ((), ("d",)):
            said = cli("find", run, *words, code=None)
            assert said.code in (0, 2), (said.err, changed)


def test_a_damaged_index(runs: dict[str, Path], tmp_path: Path) -> None:
    run = shutil.copytree(runs["tracker"], tmp_path / "run")
    whole = (run / "index.npz").read_bytes()
    for data in (b"", b"x", whole[:-30], whole[: len(whole) // 2], b"\x00" * len(whole)):
        (run / "index.npz").write_bytes(data)
        with pytest.raises(InputError, match=r"index\.npz: damaged"):
            open_run(run).index()
    (run / "index.npz").unlink()
    with pytest.raises(InputError, match=r"index\.npz: missing"):
        open_run(run).row(0)


def damaged_indexes(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield copies of an index with wrong types, shapes, lengths or offsets."""
    offsets = whole["offset"]
    name, column = next((name, column) for name, column in whole.items() if name != "offset")
    texts = np.array(["x"] * len(offsets))
    for wrong in (texts, offsets, offsets > 0, column + 1j, column[:, None], column[:-1], column[0]):
        yield {**whole, name: wrong}
    for wrong in (offsets.astype(float), offsets + 1, offsets - 1, offsets[:, None], np.append(offsets, 0), texts):
        yield {**whole, "offset": wrong}
    yield {name: column}


def test_an_index_of_other_types(runs: dict[str, Path], tmp_path: Path, cli: Cli) -> None:
    for kind, complete in runs.items():
        run = shutil.copytree(complete, tmp_path / kind)
        with np.load(run / "index.npz") as file:
            whole = dict(file)
        for changed in damaged_indexes(whole):
            np.savez(run / "index.npz", allow_pickle=False, **changed)
            for read in (open_run(run).index, lambda run=run: open_run(run).row(0)):
                with pytest.raises(InputError, match=r"index\.npz: damaged: "):
                    read()
            complaint = cli.refused("report", run, "-f", "html", "--out", "-")
            assert complaint.startswith(f"{run / 'index.npz'}: damaged: ")
            app = TestClient(make_app(RunFolder(tmp_path), None))
            for page in (f"/run/{kind}", f"/rows/{kind}", f"/row/0/{kind}"):
                answer = app.get(page)
                assert (answer.status_code, "damaged" in answer.text) == (404, True), (page, changed)
        np.savez(run / "index.npz", allow_pickle=False, **whole)
        assert TestClient(make_app(RunFolder(tmp_path), None)).get(f"/run/{kind}").status_code == 200


def test_an_index_that_is_one_array(runs: dict[str, Path], tmp_path: Path) -> None:
    run = shutil.copytree(runs["tracker"], tmp_path / "run")
    with open(run / "index.npz", "wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(InputError, match=r"index\.npz: damaged: "):
        open_run(run).index()


def test_an_index_that_unpacks_to_more_than_the_limit(runs: dict[str, Path], tmp_path: Path, cli: Cli) -> None:
    """The sizes in the archive are checked first, so no array of this file is ever in memory."""
    run = shutil.copytree(runs["tracker"], tmp_path / "run")
    with (
        zipfile.ZipFile(run / "index.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("offset.npy", "w", force_zip64=True) as member,
    ):
        header = {"descr": "<i8", "fortran_order": False, "shape": (300 * 1024**2 // 8,)}
        np.lib.format.write_array_header_1_0(member, header)
        for _ in range(300):
            member.write(bytes(1024**2))
    tracemalloc.start()
    complaint = cli.refused("report", run, "-f", "html", "--out", "-")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert complaint == (
        f"{run / 'index.npz'}: more than 256 MB and 100 times the size of the file after decompression; "
        "set DIALMETER_MAX_BYTES, such as DIALMETER_MAX_BYTES=64G, to raise the limit"
    )
    assert most < 100 * 1024**2


def test_a_key_twice_and_a_half_character(runs: dict[str, Path], tmp_path: Path) -> None:
    run = shutil.copytree(runs["tracker"], tmp_path / "run")
    text = (run / "run.json").read_text("utf-8").rstrip()
    for more, message in (
        (', "kind": "user"}', "damaged: duplicate key 'kind'"),
        (', "x": "\\ud800"}', r"damaged: \\ud800 is half of a character"),
        (', "x": 1e400}', "damaged: 1e400 is too large a number"),
    ):
        (run / "run.json").write_text(text[:-1] + more, "utf-8")
        with pytest.raises(InputError, match=message):
            open_run(run)
