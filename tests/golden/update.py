"""Writes the goldens anew, from what the commands say now.

    python -m tests.golden.update                 all of them
    python -m tests.golden.update score errors    some groups of the town's cases
    python -m tests.golden.update shared          only the digests of the shared data (see tests/shared_data.py)
    python -m tests.golden.update outputs         only the whole outputs of tests/cli/outputs

Run it from the root of the project after a change that is meant to change an output, and read the difference
before it is committed: every line of it is a line that somebody will see.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from ..cli.outputs import KEPT, KeptOutput, kept_outputs, link_files, write_outputs
from .execution import Case, execute
from .goldens import NAMES, SHARED, TOWN, make_group, make_town, town_path
from .shared_cases import GROUPS, data_folder, make_digests


def update(names: list[str]) -> None:
    """Writes the goldens of these groups, or of all."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        town = make_town(folder / "town")
        TOWN.mkdir(exist_ok=True)
        for group in names or NAMES:
            if group in NAMES:
                town_path(group).write_text(make_group(group, town, folder / group), "utf-8")
        if (not names or "shared" in names) and data_folder().is_dir():
            found = {group: make_digests(group, folder / f"shared-{group}") for group in GROUPS}
            SHARED.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", "utf-8")
        if (not names or "outputs" in names) and data_folder().is_dir():
            update_outputs(folder / "outputs")


def update_outputs(folder: Path) -> None:
    """Writes the whole outputs anew, by subject."""
    folder.mkdir()
    link_files(folder)
    for path in KEPT.iterdir():
        outcomes = [(each, execute(Case("", f"{each.command} -q"), folder)) for each in kept_outputs(path.stem)]
        outputs = [KeptOutput(each.command, done.code, done.texts["stdout"].rstrip("\n")) for each, done in outcomes]
        write_outputs(path.stem, outputs)


if __name__ == "__main__":
    update(sys.argv[1:])
