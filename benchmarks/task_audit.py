"""Precision of `study audit` of tasks against labels made by hand: ``python benchmarks/task_audit.py``.

For the first 10 and 20 tasks of the ranking, it counts how many of the labelled ones a reader found to be clearly wrong, or wrong or
doubtful. Beside it stand the labelled tasks that no run solves, and those that were drawn by chance. The files are read from
``DIALMETER_SHARED`` (default: ``../shared``). The weights of the ranking were set while its tasks were read, so these are figures in
the sample.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import dialmeter as dm

SHARED = Path(os.environ.get("DIALMETER_SHARED", Path(__file__).parents[1].parent / "shared"))
BENCHMARKS = {"retail": "retail*.gz", "airline": "gpt-4o-airline*.gz"}


def count(tasks: Iterable[str], verdicts: dict[str, str]) -> str:
    """Return how many of the labelled tasks are clearly wrong, and wrong or doubtful."""
    found = [verdicts[task] for task in tasks if task in verdicts]
    clear = found.count("clear")
    return f"{len(found):8}  {clear:5}  {clear + found.count('doubtful'):17}"


def main() -> None:
    """Print the counts."""
    labels = json.loads((SHARED / "expected" / "calls_labels.json").read_text())["labels"]
    print("benchmark  tasks               labelled  clear  clear or doubtful")
    for benchmark, pattern in BENCHMARKS.items():
        own = [each for each in labels if each["benchmark"] == f"tau-bench {benchmark}"]
        verdicts = {each["task"]: each["verdict"] for each in own}
        logs = {
            path.name.rpartition("_")[0] or path.name: str(path)
            for path in (SHARED / "data" / "trajectories").glob(pattern)
        }
        ranked = dm.study.audit(logs)
        unsolved = [each.task for each in ranked if any(signal.name == "unsolved" for signal in each.signals)]
        drawn = [each["task"] for each in own if each["drawn"] == "random"]
        for name, tasks in (
            ("first 10", [each.task for each in ranked[:10]]),
            ("first 20", [each.task for each in ranked[:20]]),
            ("nobody solves them", unsolved),
            ("drawn by chance", drawn),
        ):
            print(f"{benchmark:9}  {name:18}  {count(tasks, verdicts)}")


if __name__ == "__main__":
    main()
