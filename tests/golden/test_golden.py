"""Every command says today what it said when the goldens were written; ``update`` writes them anew."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

from .goldens import NAMES, SHARED, TOWN, make_group, make_town, read_shared, town_path
from .shared_cases import GROUPS, data_folder, make_digests

SHOWN = 200
"""So many lines of a difference are shown."""


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_town(tmp_path_factory.mktemp("golden").resolve() / "town")


@pytest.mark.parametrize("group", NAMES)
def test_town(group: str, town: Path, tmp_path: Path) -> None:
    kept = town_path(group).read_text("utf-8").splitlines()
    found = make_group(group, town, tmp_path.resolve() / "town").splitlines()
    difference = list(unified_diff(kept, found, "kept", "found", n=4, lineterm=""))
    if difference:
        more = f"\n… and {len(difference) - SHOWN} more lines" if len(difference) > SHOWN else ""
        pytest.fail(f"{town_path(group).name} differs:\n" + "\n".join(difference[:SHOWN]) + more, pytrace=False)


@pytest.mark.parametrize("group", GROUPS)
def test_shared_data(group: str, tmp_path: Path) -> None:
    if not data_folder().is_dir():
        pytest.skip("published data is not here; set DIALMETER_SHARED")
    kept, found = read_shared()[group], make_digests(group, tmp_path.resolve() / "shared")
    changed = [
        f"{name}: kept {kept.get(name)}, found {found.get(name)}"
        for name in sorted(kept.keys() | found.keys())
        if kept.get(name) != found.get(name)
    ]
    if changed:
        pytest.fail(f"{len(changed)} of {len(found)} cases differ:\n" + "\n".join(changed), pytrace=False)


def test_group_files() -> None:
    files = [*TOWN.iterdir(), SHARED]
    assert {path.stem for path in TOWN.iterdir()} == set(NAMES)
    assert sum(path.stat().st_size for path in files) < 2_000_000
