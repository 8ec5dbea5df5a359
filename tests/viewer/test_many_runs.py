"""Twenty runs while sixteen stay open: what a page lists is what the run on disk holds, whoever asked for what before."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
import pytest

from .asking import Answer, ask
from .made import dialmeter, served

RUNS, REQUESTS, THREADS = 20, 500, 8
SLOTS = ("ferry-to", "ferry-day", "inn-area", "inn-price")
MISTAKES = ("missed", "wrong", "extra")
LISTED = re.compile(r'href="/row/(\d+)/')


class Asked(NamedTuple):
    """An address, and the positions of the rows that it lists first to last."""

    address: str
    rows: list[int]


def write_tracker(file: Path, name: str, rng: Random) -> None:
    """Dialogues that no other run has, with mistakes at random."""
    lines = []
    for number in range(rng.randrange(3, 40)):
        turns = []
        for turn in range(rng.randrange(1, 5)):
            gold = {slot: rng.choice("abc") for slot in SLOTS[: turn + 1]}
            pred = {slot: rng.choice("abc") for slot in SLOTS if rng.random() < 0.6}
            turns.append({"turn": turn, "gold": gold, "pred": pred, "user": f"{name} {number}", "system": ""})
        lines.append(json.dumps({"dialogue_id": f"{name}-{number}", "turns": turns}) + "\n")
    file.write_text("".join(lines), "utf-8")


def make_run(folder: Path, name: str, rng: Random) -> Path:
    write_tracker(folder / f"{name}.jsonl", name, rng)
    out = folder / "runs" / name
    dialmeter("score", folder / f"{name}.jsonl", "--out", out, "-q", "--set", "ci=0")
    return out


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(RUNS):
        make_run(folder, f"run{number:02}", Random(number))
    return folder / "runs"


def filtered(run: Path, slot: str, kind: str, by: str) -> list[int]:
    """The rows in which a slot is of a kind, worst first under a measure, then most mistakes first: from the files alone."""
    rows = [json.loads(line) for line in (run / "rows.jsonl").read_text("utf-8").splitlines()]
    with np.load(run / "index.npz") as index:
        values = index[f"score:{by}"].tolist()
    cells = [[cell for turn in row["turns"] for cell in turn["slots"].items()] for row in rows]
    found = [at for at, each in enumerate(cells) if any(name == slot and of["class"] == kind for name, of in each)]
    assert not np.isnan([values[at] for at in found]).any()
    mistakes = [sum(of["class"] in MISTAKES for _, of in each) for each in cells]
    return sorted(found, key=lambda at: (values[at], -mistakes[at], at))


def requests(runs: Path, rng: Random) -> Iterator[Asked]:
    names = sorted(each.name for each in runs.iterdir())
    for number in range(REQUESTS):
        run = runs / rng.choice(names)
        # Mostly one filter for a while: so a list stays in the cache longer than its run stays open.
        slot = SLOTS[number // 125 % 2] if rng.random() < 0.9 else rng.choice(SLOTS)
        wanted = {"slot": slot, "class": "wrong", "by": "JGA"}
        rows = filtered(run, *wanted.values())
        yield Asked(f"/rows/{run.name}?{urlencode(wanted)}", rows)


def listed(answer: Answer) -> list[int]:
    assert answer.status == 200, answer.text
    return list(map(int, LISTED.findall(answer.text)))


def test_lists_of_requested_run(many: Path) -> None:
    asked = list(requests(many, Random(16)))
    with served(many) as site, ThreadPoolExecutor(THREADS) as threads:
        answers = list(threads.map(lambda each: ask(site, each.address), asked))
    for each, answer in zip(asked, answers, strict=True):
        run = each.address[len("/rows/") :].partition("?")[0]
        assert listed(answer) == each.rows, each.address
        assert set(re.findall(r"run\d\d(?=-\d)", answer.text)) <= {run}


def test_lists_without_memory_addresses(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is closed leaves its place to the next one; here all runs have the same place."""
    names = sorted(each.name for each in many.iterdir())
    with served(many) as site:
        assert ask(site, f"/rows/{names[0]}").status == 200
        for name, module in list(sys.modules.items()):
            if name.startswith("dialmeter."):
                monkeypatch.setattr(module, "id", lambda _: 7, raising=False)
        for name in names[:10]:
            found = listed(ask(site, f"/rows/{name}?slot=ferry-to&class=wrong&by=JGA"))
            assert sorted(found) == sorted(filtered(many / name, "ferry-to", "wrong", "JGA")), name


def test_replaced_run_seen(many: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(many / "run00", runs / "same")
    address = "/rows/same?slot=ferry-to&class=wrong&by=JGA"
    with served(runs) as site:
        for source in ("run00", "run01", "run02", "run00"):
            before = (runs / "same" / "run.json").stat()
            for file in (many / source).iterdir():
                shutil.copyfile(file, runs / "same" / file.name)
            # The clock is no witness: a copy may keep the time of the file before it.
            os.utime(runs / "same" / "run.json", ns=(before.st_atime_ns, before.st_mtime_ns))
            assert listed(ask(site, address)) == filtered(many / source, "ferry-to", "wrong", "JGA")
