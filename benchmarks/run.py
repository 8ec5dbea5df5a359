"""Run all benchmarks that have targets, and print one table.

Run with `python benchmarks/run.py` (`--json` for JSON). A module takes part if it has a function `ratios()` that returns rows.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dialmeter.tracking import walk
from rows import Row, table

MODULES = (
    "tracking_speed",
    "format_speed",
    "scale",
    "users_speed",
    "stats_speed",
    "viewer_speed",
    "attack_speed",
    "play_speed",
    "judge_speed",
)
PACKAGES = ("dialmeter", "msgspec", "numpy", "orjson")


def machine() -> dict[str, Any]:
    """Return the properties of the machine that numbers depend on, without identifying the machine."""
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version(name) for name in PACKAGES},
        "walk": "plain Python" if str(walk.__file__).endswith(".py") else "compiled",
    }


def measured() -> list[tuple[str, Row]]:
    """Return the rows of all modules, each with its module.

    Every module runs in its own process, so that the memory of earlier modules has no influence.
    """
    script = "import json, sys; import {0}; json.dump({0}.ratios(), open(sys.argv[1], 'w'))"
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        for name in MODULES:
            subprocess.run(
                [sys.executable, "-c", script.format(name), str(path)], cwd=Path(__file__).parent, check=True
            )
            found += [(name, Row(*row)) for row in json.loads(path.read_text("utf-8"))]
    return found


def main() -> None:
    """Run all benchmarks and print the rows."""
    parser = argparse.ArgumentParser(description="Run all benchmarks.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    as_json = parser.parse_args().json
    here, found = machine(), measured()
    if as_json:
        rows = [{"module": name, **row._asdict()} for name, row in found]
        print(json.dumps({"machine": here, "rows": rows}, indent=2, ensure_ascii=False))
        return
    print(", ".join(f"{name} {value}" for name, value in here.items()) + "\n")
    print(table([row for _, row in found]))


if __name__ == "__main__":
    main()
