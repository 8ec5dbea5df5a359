"""All benchmarks that have targets, in one table.

Run with `python benchmarks/run.py` (`--json` for JSON). A module takes part by a function `ratios()` that gives rows of
name, value, target as text, and whether it is met.
"""

import argparse
import json
import os
import platform
from importlib import import_module
from importlib.metadata import version
from typing import Any

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
    }


def rows() -> list[dict[str, Any]]:
    """The rows of all modules that have any."""
    found = []
    for name in MODULES:
        ratios = getattr(import_module(name), "ratios", None)
        for what, value, target, met in ratios() if ratios else ():
            found.append({"module": name, "name": what, "value": value, "target": target, "met": bool(met)})
    return found


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description="Run all benchmarks.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    as_json = parser.parse_args().json
    here, measured = machine(), rows()
    if as_json:
        print(json.dumps({"machine": here, "rows": measured}, indent=2, ensure_ascii=False))
        return
    print(", ".join(f"{name} {value}" for name, value in here.items()) + "\n")
    width = max(len(row["name"]) for row in measured)
    print(f"{'':{width}}     value  target")
    for row in measured:
        verdict = "met" if row["met"] else "missed"
        print(f"{row['name']:{width}}  {row['value']:8.2f}  {row['target']:8}  {verdict}")


if __name__ == "__main__":
    main()
