"""A dialogue act in a few words, for pages of dialogues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model import full_name


def act_words(act: Mapping[str, Any]) -> str:
    """Return the words of an act that is stored in a row of a run.

    Example:
        >>> act_words({"name": "Hotel-Inform", "slot": "area", "values": ["east"]})
        'hotel-inform area=east'
    """
    value = "|".join(str(value) for value in act.get("values") or () if value != "?")
    slot = str(act.get("slot", ""))
    return " ".join(
        part
        for part in (full_name(str(act["name"]), str(act.get("service", ""))), f"{slot}={value}" if value else slot)
        if part
    )
