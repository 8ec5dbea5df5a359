"""How long the viewer takes to show the first pages of a run with 100,000 dialogues.

Run with `python benchmarks/viewer_speed.py`. A server is started as `dialmeter view` starts it; times are those of whole
requests over HTTP. The first page is the very first request, so that opening the run and reading its index count.
"""

import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from dialmeter.core.open_runs import open_run
from dialmeter.core.run_writer import RunWriter
from dialmeter.simulation.files import play_to_file
from rows import Row, at_most

DIALOGUES = 100_000
PATIENCE = 120


def write_large_run(folder: Path, dialogues: int = DIALOGUES) -> None:
    """The run of some dialogues of the town over and over, under new ids, with scores that differ."""
    small, talk = folder / "small", folder / "talk.jsonl"
    play_to_file(talk, goals=36, seed=7, noise=0.1)
    command = [sys.executable, "-m", "dialmeter", "tracker", "score", str(talk), "--out", str(small), "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    run = open_run(small)
    rows, index = list(run), run.index()
    names = [name for name in index if name != "offset"]
    columns: dict[str, list[float]] = {name: [] for name in names}
    writer = RunWriter(folder / "large", {"kind": "tracker"})
    for number in range(dialogues):
        at = number % len(rows)
        writer.add({**rows[at], "id": f"town-{number:06}"})
        for name in names:
            columns[name].append(float(index[name][at]) * (1 - number / dialogues / 10))
    kept = {name: run.manifest[name] for name in ("kind", "inputs", "rules", "measures", "signature", "scores")}
    writer.finish({**kept, "counts": {"dialogues": dialogues}, "warnings": []}, columns, {})


class Server:
    """The viewer in a process of its own."""

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
        """A page."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE)
        connection.request("GET", address)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        assert answer.status == 200, body
        return body

    def milliseconds(self, address: str) -> float:
        """How long a page takes."""
        start = time.perf_counter()
        self.text(address)
        return 1000 * (time.perf_counter() - start)

    def stop(self) -> None:
        """Ends the process."""
        self._process.terminate()
        self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()


def measured() -> dict[str, float]:
    """Milliseconds by page, and seconds until filters are there."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_large_run(folder)
        server = Server(folder)
        try:
            found = {"first page of the list": server.milliseconds("/rows/large")}
            start = time.perf_counter()
            while 'id="reading"' in server.text("/rows/large"):
                time.sleep(0.2)
            found["filters (s)"] = time.perf_counter() - start
            by = quote("GCA")
            found["page 1,000 by another score"] = server.milliseconds(f"/rows/large?by={by}&page=1000")
            found["one dialogue"] = server.milliseconds(f"/row/77777/large?by={by}")
            found["filtered"] = server.milliseconds("/rows/large?slot=ferry-from&class=wrong")
            found["search"] = server.milliseconds("/rows/large?q=town-012345")
            found["list of runs"] = server.milliseconds("/")
        finally:
            server.stop()
    return found


def ratios() -> list[Row]:
    """The rows with targets."""
    first = measured()["first page of the list"]
    return [at_most(f"viewer, first page of {DIALOGUES:,} dialogues, ms", first, 300)]


def main() -> None:
    """Print all times."""
    print(json.dumps({name: round(value, 1) for name, value in measured().items()}, indent=2))


if __name__ == "__main__":
    main()
