"""Draw the ladders of three published comparisons for the documentation: ``python benchmarks/ladders.py``.

Two trackers whose verdict turns with spelling, two whose verdict holds, and two agents whose verdict turns with connection
errors. The files are read from ``DIALMETER_SHARED`` (default: ``../shared``).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("DIALMETER_SHARED", ROOT.parent / "shared")) / "data"
TRACKERS = SHARED / "compat" / "mwzeval"
AGENTS = SHARED / "trajectories"


def _trackers(first: str, second: str) -> list[object]:
    files = [f"{name}={TRACKERS / name}.pred.json.gz" for name in (first, second)]
    return [*files, "--gold", TRACKERS / "mw21.gold.json.gz", "--measure", "JGA", "--set", "missing=empty"]


LADDERS: dict[str, list[object]] = {
    "ladder-spelling": _trackers("labes", "uniconv"),
    "ladder-holds": _trackers("labes", "damd"),
    "ladder-infrastructure": [
        f"gpt-4.1-mini={AGENTS}/retail_tool-calling-gpt-4.1-mini_0610135038.json.gz",
        f"gemini-2.0-flash={AGENTS}/retail_tool-calling-gemini-2.0-flash_0605191952.json.gz",
    ],
}


def main() -> None:
    for name, words in LADDERS.items():
        with tempfile.TemporaryDirectory() as folder:
            run, charts = Path(folder, "run"), Path(folder, "charts")
            for command in (["compare", *words, "--out", run], ["report", run, "--charts", charts]):
                line = [sys.executable, "-m", "dialmeter", *map(str, command), "--quiet"]
                print(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
            (ROOT / "docs" / "images" / f"{name}.svg").write_bytes((charts / "ladder.svg").read_bytes())


if __name__ == "__main__":
    main()
