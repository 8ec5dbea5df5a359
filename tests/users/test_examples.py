"""Tests of the files that the page on maps and profiles shows: they can be read unchanged."""

from __future__ import annotations

import re
from pathlib import Path

from dialmeter.users.profile import load as load_profile
from dialmeter.values.maps import ValueMap, load_shipped

PAGE = Path(__file__).parents[2] / "docs" / "maps-and-profiles.md"


def example(start: str, path: Path) -> Path:
    """Write the first block that starts with these words to a file."""
    [text, *_] = re.findall(rf"```{start}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    path.write_text(text, "utf-8")
    return path


def test_profile(tmp_path: Path) -> None:
    found = load_profile(str(example('toml title="bikes.toml"', tmp_path / "bikes.toml")))
    assert found.knows("helmets")
    assert found.traits("bikes").entity_slots == {"model"}


def test_value_map(tmp_path: Path) -> None:
    found = ValueMap.read(example("json", tmp_path / "map.json"))
    assert found.slots == ("area", "leaveat")
    assert found.is_split("leaveat")
    assert f"`map:{load_shipped('multiwoz').label}`" in PAGE.read_text("utf-8")
