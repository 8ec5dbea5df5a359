"""The examples of docs/integrations.md, and the files that they name."""

from __future__ import annotations

import re
from pathlib import Path

from ..two_trackers import written

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text("utf-8")


def example(heading: str, start: str = "") -> str:
    """The Python block below a heading of the page; of several the one that starts with a line."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    [found] = [block for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL) if block.startswith(start)]
    return str(found)


def run_example(heading: str, start: str = "") -> dict[str, object]:
    """Runs a block in the current folder, and gives the names that it defines."""
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(example(heading, start), f"docs/integrations.md: {heading}", "exec"), names)
    return names


def write_predictions(folder: Path) -> None:
    """Two trackers under the names of the page: the new one is better under JGA and worse under GCA."""
    written("steady", folder).rename(folder / "base.jsonl")
    written("hasty", folder).rename(folder / "new.jsonl")
    (folder / "gold.jsonl").write_bytes((folder / "new.jsonl").read_bytes())
