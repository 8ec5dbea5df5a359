"""Response times of the viewer for runs with 1,000, 10,000 and 100,000 dialogues, and for a list of 300 runs.

Run with `python benchmarks/viewer_speed.py [DIALOGUES ...]`. A server is started as `dialmeter view` starts it. Times are those of
whole requests over HTTP. The first page, the first filter, the first search and the comparison are each the first request of a
server, so they include opening the run and reading its index. The first filter and a search are also measured on the same run
without its index, as in runs of earlier versions: then all rows are read.
"""

import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from dialmeter.core.open_runs import open_run
from dialmeter.core.run_writer import RunWriter
from dialmeter.simulation.bots import choose
from dialmeter.simulation.play import Setting, sampled, write
from dialmeter.views.pages.findings import FILE, write_findings
from rows import Row, at_most

DIALOGUES = 100_000
RUNS = 300
PATIENCE = 600
FILTER = "slot=hotel-area&class=wrong"


def write_large_run(folder: Path, dialogues: int = DIALOGUES) -> dict[str, float]:
    """Write a run that repeats some dialogues of the town under new ids, with different scores. Return what its files cost."""
    small, talk = folder / "small", folder / "talk.jsonl"
    write(talk, sampled(36, 7), Setting(choose("agenda", "user"), choose("rule", "system"), 0.1, 7))
    words = ["score", str(talk), "--subject", "tracker", "--out", str(small), "--quiet"]
    command = [sys.executable, "-m", "dialmeter", *words]
    subprocess.run(command, check=True, capture_output=True)
    run = open_run(small)
    rows, index = list(run), run.index()
    names = [name for name in index if name != "offset"]
    columns: dict[str, list[float]] = {name: [] for name in names}
    writer = RunWriter(folder / "large", {"kind": "tracker"}, index=write_findings)
    for number in range(dialogues):
        at = number % len(rows)
        writer.add({**rows[at], "id": f"town-{number:06}"})
        for name in names:
            columns[name].append(float(index[name][at]) * (1 - number / dialogues / 10))
    start = time.perf_counter()
    kept = {name: run.manifest[name] for name in ("kind", "inputs", "rules", "measures", "signature", "scores")}
    writer.finish({**kept, "counts": {"dialogues": dialogues}, "warnings": []}, columns)
    return {
        "rows, MB": (folder / "large" / "rows.jsonl").stat().st_size / 1e6,
        "index of findings and texts, MB": (folder / "large" / FILE).stat().st_size / 1e6,
        "finishing the run": 1000 * (time.perf_counter() - start),
    }


def lower_scores(run: Path) -> None:
    """Give a run other scores of its rows."""
    with np.load(run / "index.npz") as file:
        columns = {name: file[name] if name == "offset" else 0.9 * file[name] for name in file.files}
    (run / "index.npz").unlink()
    np.savez(run / "index.npz", **columns)


class Server:
    """The viewer in a separate process."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "dialmeter", "view", str(folder), "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout
        found = re.search(r"http://([\d.]+):(\d+)", self._process.stdout.readline())
        assert found
        self._host, self._port = found[1], int(found[2])
        while True:
            try:
                self.milliseconds("/assets/viewer.css")
                return
            except ConnectionRefusedError:
                time.sleep(0.05)

    def text(self, address: str) -> str:
        """Return a page."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE)
        connection.request("GET", address)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        assert answer.status == 200, body
        return body

    def milliseconds(self, address: str) -> float:
        """Return the milliseconds that a page takes."""
        start = time.perf_counter()
        self.text(address)
        return 1000 * (time.perf_counter() - start)

    def stop(self) -> None:
        """Stop the process."""
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()


def first(folder: Path, address: str) -> float:
    """Return the milliseconds of a page that is the first request of a server."""
    with served(folder) as server:
        return server.milliseconds(address)


def measured(dialogues: int = DIALOGUES) -> dict[str, float]:
    """Return the milliseconds by page, and the megabytes of the rows and of the index."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = write_large_run(folder, dialogues)
        for name in ("earlier", "other"):
            shutil.copytree(folder / "large", folder / name, copy_function=os.link)
        (folder / "earlier" / FILE).unlink()
        lower_scores(folder / "other")
        found |= {
            "first page of the list": first(folder, "/rows/large"),
            "first page of the run": first(folder, "/run/large"),
            "first filter": first(folder, f"/rows/large?{FILTER}"),
            "first search": first(folder, "/rows/large?q=hotel-parking"),
            "first comparison": first(folder, "/compare?run=large&run=other"),
        }
        with served(folder) as server:
            found["first filter, without the index"] = server.milliseconds(f"/rows/earlier?{FILTER}")
            found["search, without the index"] = server.milliseconds("/rows/earlier?q=hotel-parking")
        with served(folder) as server:
            assert 'id="reading"' not in server.text("/rows/large"), "filters must be there at once"
            by = quote("GCA")
            found["page 1,000 by another score"] = server.milliseconds(f"/rows/large?by={by}&page=1000")
            found["one dialogue"] = server.milliseconds(f"/row/{dialogues * 7 // 9}/large?by={by}")
            found["next filter"] = server.milliseconds("/rows/large?slot=hotel-area&class=missed")
            found["search for an id"] = server.milliseconds("/rows/large?q=town-012345")
            found["search for a slot"] = server.milliseconds("/rows/large?q=hotel-parking")
            found["search for one letter"] = server.milliseconds("/rows/large?q=e")
        for number in range(RUNS):
            shutil.copytree(folder / "small", folder / "runs" / f"run{number:03}", copy_function=os.link)
        with served(folder / "runs") as server:
            found["list of 300 runs, first"] = server.milliseconds("/")
            time.sleep(3)
            server.text("/")
            found["list of 300 runs, again"] = min(server.milliseconds("/") for _ in range(5))
    return found


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """Run a viewer over a folder, and stop it at the end."""
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()


def ratios() -> list[Row]:
    """Return the rows with targets."""
    found = measured()
    ratio = found["first filter"] / found["first filter, without the index"]
    return [
        at_most(f"viewer, first page of {DIALOGUES:,} dialogues, ms", found["first page of the list"], 300),
        at_most(f"viewer, first search of {DIALOGUES:,} dialogues, ms", found["first search"], 500),
        at_most(f"viewer, first filter of {DIALOGUES:,} dialogues ÷ without the index", ratio, 0.1),
    ]


def main() -> None:
    """Print all times."""
    sizes = [int(each) for each in sys.argv[1:]] or [1000, 10_000, DIALOGUES]
    columns = [measured(size) for size in sizes]
    print(f"{'milliseconds, if not said otherwise':40}", *(f"{size:>10,}" for size in sizes))
    for name in columns[0]:
        print(f"{name:40}", *(f"{column[name]:10,.1f}" for column in columns))


if __name__ == "__main__":
    main()
