"""The index of findings: the same as reading all rows, never used where it does not fit, and a list of runs that is read once."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from random import Random
from zipfile import ZipFile

import numpy as np
import pytest

from dialmeter.core import open_runs
from dialmeter.viewer import folder as folder_module
from dialmeter.viewer.folder import RunFolder
from dialmeter.views.pages import findings
from dialmeter.views.pages.findings import FILE, RowFindings, read_findings, scan_rows
from dialmeter.views.pages.opened_run import OpenedRun

from .asking import ask
from .made import served
from .test_many_runs import make_run

KINDS = ("trackers/keyword", "noisy", "jury", "agent")


def plain(found: RowFindings) -> tuple[object, ...]:
    """All that an index holds, as texts."""
    pairs = [(one, two) for one in found.fields for two in found.fields]
    counts = [list(found.counts(*pair).items()) for pair in pairs]
    return found.fields, list(found.ids), found.sums, counts, [found.of_row(at) for at in range(len(found.ids))]


@pytest.mark.parametrize("name", KINDS)
def test_index_against_rows(runs: Path, name: str) -> None:
    run = OpenedRun(runs / name)
    index = read_findings(run.run, run.kind)
    assert index is not None
    assert plain(index) == plain(scan_rows(run.run, run.kind))


@pytest.mark.parametrize("name", KINDS)
def test_search_against_rows(runs: Path, tmp_path: Path, name: str) -> None:
    run = OpenedRun(runs / name)
    earlier = OpenedRun(shutil.copytree(run.run.folder, tmp_path / "earlier"))
    with ZipFile(runs / name / FILE) as whole, ZipFile(tmp_path / "earlier" / FILE, "w") as without:
        for each in set(whole.namelist()) - {"texts"}:
            without.writestr(each, whole.read(each))
    assert earlier.findings.ids
    texts = [[each.lower() for each in (row.id, *run.kind.texts(row))] for row in map(run.row, range(len(run)))]
    draw = Random(name)
    searched = ["", "\n", "\\", '"', "é", ".*"]
    for _ in range(60):
        text = draw.choice(draw.choice(texts))
        start = draw.randrange(len(text) + 1)
        searched.append(text[start : start + draw.randint(1, 9)])
    for text in searched:
        expected = [at for at, own in enumerate(texts) if any(text in each for each in own)]
        assert run.search(text.upper()) == earlier.search(text) == expected, text


def test_filters_and_search_read_no_rows(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("rows were read")

    monkeypatch.setattr(findings, "_read_rows", refuse)
    run = OpenedRun(runs / "trackers" / "keyword")
    assert run.findings.rows({"class": "wrong"}).size
    assert run.search("hotel-area")


def test_search_in_damaged_index(runs: Path, tmp_path: Path) -> None:
    whole = OpenedRun(runs / "trackers" / "keyword")
    expected = whole.search("hotel-area")
    data = (runs / "trackers" / "keyword" / FILE).read_bytes()
    run = shutil.copytree(runs / "trackers" / "keyword", tmp_path / "damaged")
    (run / FILE).write_bytes(data.replace(b"hotel-area", b"hotel-oven", 1))
    damaged = OpenedRun(run)
    assert read_findings(damaged.run, damaged.kind)
    assert damaged.search("hotel-area") == expected
    assert damaged.search("hotel-oven") == []


def test_lists_without_index(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "trackers" / "keyword", tmp_path / "without")
    (tmp_path / "without" / FILE).unlink()
    shutil.copytree(runs / "trackers" / "keyword", tmp_path / "new")
    with served(tmp_path) as site:
        old, new = (ask(site, f"/rows/{name}?class=wrong&slot=hotel-area").text for name in ("without", "new"))
    assert old.replace("without", "new") == new


def test_stale_index_unused(runs: Path, tmp_path: Path) -> None:
    whole = runs / "trackers" / "keyword"
    expected = plain(OpenedRun(whole).findings)
    data = (whole / FILE).read_bytes()
    with np.load(whole / FILE) as file:
        arrays = {name: file[name] for name in file.files}
    heading = json.loads(arrays["heading"].tobytes())

    def changed(**changes: object) -> dict[str, np.ndarray]:
        return {**arrays, "heading": np.frombuffer(json.dumps({**heading, **changes}).encode(), dtype=np.uint8)}

    wrong: list[bytes | dict[str, np.ndarray]] = [b"", b"x", data[:-40], data[: len(data) // 2], b"\0" * len(data)]
    wrong += [changed(version=0), changed(run="0"), changed(size=7), changed(ids=heading["ids"][1:]), changed(texts=[])]
    wrong += [changed(fields=["slot"]), changed(sums=[["x"]]), {**arrays, "codes": arrays["codes"] + 60_000}]
    wrong += [{**arrays, "codes": arrays["codes"][1:]}, {**arrays, "sizes": arrays["sizes"][:, None]}]
    wrong += [{**arrays, "per_row": arrays["per_row"].astype(float)}, {**arrays, "key:slot": arrays["key:slot"] + 200}]
    wrong += [{name: array for name, array in arrays.items() if name != "sizes"}]
    for number, each in enumerate(wrong):
        run = shutil.copytree(whole, tmp_path / str(number))
        if isinstance(each, bytes):
            (run / FILE).write_bytes(each)
        else:
            np.savez(run / FILE, **each)
        found = OpenedRun(run)
        assert read_findings(found.run, found.kind) is None, number
        assert plain(found.findings) == expected


def test_cut_rows_noticed(runs: Path, tmp_path: Path) -> None:
    run = shutil.copytree(runs / "trackers" / "keyword", tmp_path / "cut")
    rows = (run / "rows.jsonl").read_bytes()
    (run / "rows.jsonl").write_bytes(rows[: len(rows) // 2])
    with served(tmp_path) as site:
        assert "damaged" in ask(site, "/rows/cut").text


class Counted:
    """Counts how often runs are opened for the list."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        monkeypatch.setattr(folder_module, "open_run", self)

    def __call__(self, folder: Path) -> open_runs.Run:
        self.times += 1
        return open_runs.open_run(folder)


def test_list_reads_manifest_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        make_run(tmp_path, name, Random(name))
    monkeypatch.setattr(folder_module, "_FRESH", 0.0)
    time.sleep(0.05)
    counted, listed = Counted(monkeypatch), RunFolder(tmp_path / "runs")
    first = listed.entries()
    for _ in range(5):
        assert listed.entries() == first
        listed.open("b")
    assert counted.times == 3
    shutil.rmtree(tmp_path / "runs" / "a")
    os.utime(tmp_path / "runs" / "b" / "run.json")
    assert [each.key for each in listed.entries()] == ["b", "c"]
    assert counted.times == 4


def test_changed_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path, "a", Random(1))
    counted, listed = Counted(monkeypatch), RunFolder(tmp_path / "runs")
    listed.entries()
    listed.entries()
    assert counted.times == 2


def test_run_dates_in_list(tmp_path: Path) -> None:
    dates = {"a": "2026-03-01T23:30:00+0000", "b": "2026-03-02T01:00:00+0900", "c": "<b>2026</b>"}
    for name, date in dates.items():
        run = make_run(tmp_path, name, Random(name))
        (run / "log.json").write_text(json.dumps({"finished": date}), "utf-8")
    make_run(tmp_path, "d", Random(4))
    (tmp_path / "runs" / "d" / "log.json").unlink()
    entries = {each.key: each for each in RunFolder(tmp_path / "runs").entries()}
    assert [entries[name].date for name in "abcd"] == ["2026-03-01 23:30", "2026-03-02 01:00", "", ""]
    with served(tmp_path / "runs") as site:
        text = ask(site, "/?sort=date&order=down").text
        assert ask(site, "/?q=2026-03-02").text.count("data-row") == 1
    # Nine hours east, the later date is the earlier moment.
    places = [text.index(f"/run/{name}") for name in "ab"]
    assert places == sorted(places)
    assert "2026-03-01 23:30" in text


def test_row_counts_in_list(runs: Path) -> None:
    finished = [each for each in RunFolder(runs).entries() if each.comparable]
    assert {each.kind for each in finished} >= {"tracker", "user", "judge", "people", "system", "items"}
    lines = {each.key: len((each.folder / "rows.jsonl").read_bytes().splitlines()) for each in finished}
    assert {each.key: each.size for each in finished} == lines
