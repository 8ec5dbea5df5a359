"""Let every writing command fail at every file operation, resume it, compare the bytes, and print a log.

Run with `python benchmarks/crash_points.py [--sample N] [--only play]`. The exit code is 1 if a result differs.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fuzz.crash_points import memory_folder, points_of, write_inputs
from tests.fuzz.scenarios import SCENARIOS


def main() -> None:
    """Fail, resume, compare, and print the results."""
    parser = argparse.ArgumentParser(description="Let commands fail at file operations and resume them.")
    parser.add_argument("--sample", type=int, help="Number of points of each command (default: all).")
    parser.add_argument("--only", action="append", metavar="COMMAND", help="Only this command; may be repeated.")
    options = parser.parse_args()
    total = wrong = 0
    for scenario in SCENARIOS:
        if options.only and scenario.name not in options.only:
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
            write_inputs(Path(folder, "input"))
            found = list(points_of(scenario, Path(folder), options.sample))
        troubles = [point for point in found if point.trouble]
        kills = sum(point.how == "kill" for point in found)
        total, wrong = total + len(found), wrong + len(troubles)
        print(
            f"{scenario.name:42} {kills:4} kills, {len(found) - kills:4} full disks, {len(troubles):3} troubles",
            flush=True,
        )
        for point in troubles:
            print(f"    {point.how} at operation {point.number} ({point.operation}): {point.trouble}", flush=True)
        print(f"  {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    print(f"{total} points, {wrong} troubles")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
