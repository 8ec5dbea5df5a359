"""All benchmarks that have targets, in one table.

Run with `python benchmarks/run.py` (`--json` for JSON). A module takes part by a function `ratios()` that gives rows.
"""

import argparse
import json
import os
import platform
from importlib import import_module
from importlib.metadata import version
from typing import Any

from dialmeter.tracking.straight import COMPILED
from rows import Row, table

MODULES = (
    "tracking_speed",
    "cache_speed",
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
    """What the numbers depend on, without saying whose machine it is."""
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version(name) for name in PACKAGES},
        "kernels": "compiled" if COMPILED else "none",
    }


def measured() -> list[tuple[str, Row]]:
    """The rows of all modules, each with the module that it comes from."""
    return [(name, row) for name in MODULES for row in import_module(name).ratios()]


def main() -> None:
    """Run everything and print it."""
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
