"""Tests of the files that the how-to guides show: they can be read unchanged."""

from __future__ import annotations

import re
from pathlib import Path

from dialmeter.users.profile import load as load_profile
from dialmeter.users.rules import load as load_rules
from dialmeter.values.maps import ValueMap, load_shipped

HOW_TOS = Path(__file__).parents[2] / "docs" / "howto"


def example(page: str, kind: str, path: Path) -> Path:
    """Write the only block of a kind on a page to a file."""
    [text] = re.findall(rf"```{kind}(?: title=\S+)?\n(.*?)```", (HOW_TOS / page).read_text("utf-8"), re.DOTALL)
    path.write_text(text, "utf-8")
    return path


def test_rules(tmp_path: Path) -> None:
    found = load_rules(str(example("score-a-user.md", "toml", tmp_path / "strict.toml")))
    assert found.changes() == {"repetitions.max": "0", "requests.max": "0"}


def test_profile(tmp_path: Path) -> None:
    found = load_profile(str(example("own-profile.md", "toml", tmp_path / "bikes.toml")))
    assert found.knows("helmets")
    assert found.traits("bikes").entity_slots == {"model"}


def test_value_map(tmp_path: Path) -> None:
    found = ValueMap.read(example("value-maps.md", "json", tmp_path / "map.json"))
    assert found.slots == ("area", "leaveat")
    assert found.is_split("leaveat")
    assert f"`map:{load_shipped('multiwoz').label}`" in (HOW_TOS / "value-maps.md").read_text("utf-8")
