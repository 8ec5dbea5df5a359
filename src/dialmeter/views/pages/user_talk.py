"""A user's dialogue for its page: what the goal wanted and got, and every turn with acts, understanding and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...users.behaviours import ALL
from .user import CREDIT, MEASURED


class Heard(NamedTuple):
    """An act that was said, with what the other side made of it: correct, missed, wrong or over; empty if unknown."""

    act: str
    kind: str
    instead: str = ""


class Unit(NamedTuple):
    """A constraint or request: correct where it counts as wanted, missed or over."""

    text: str
    kind: str
    times: int


class Shown(NamedTuple):
    """An event with its meaning."""

    name: str
    domain: str
    about: str
    said: str
    turns: str
    credited: bool
    meaning: str
    marked: bool


def talk(row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """What the page of a dialogue shows."""
    meaning = {each.name: each.about for each in ALL}
    at_turn: dict[int, list[Shown]] = {}
    moves = row["talk"]
    for event in row["events"]:
        turns = event.get("turns") or ()
        place = turns[-1] if turns and 0 <= turns[-1] < len(moves) else -1
        at_turn.setdefault(place, []).append(_shown(event, meaning, wanted))
    shown = []
    for place, move in enumerate(moves):
        after = moves[place + 1] if place + 1 < len(moves) else {}
        shown.append(
            {
                "turn": place,
                "speaker": move["speaker"],
                "text": move.get("text", ""),
                "acts": _heard(move.get("acts"), after.get("understood")),
                "listener": after.get("speaker", ""),
                "events": at_turn.get(place, []),
            }
        )
    verdict = row.get("verdict")
    return {
        "id": row["id"],
        "goal": [_domain(name, row) for name in dict.fromkeys([*row["inform"], *row["request"], *row["goal"]])],
        "moves": shown,
        "elsewhere": at_turn.get(-1, []),
        "verdict": f"{verdict['party']} ({verdict['because']}, turn {verdict['turn']})" if verdict else "",
        "cut": bool(row.get("cut")),
    }


def _shown(event: Mapping[str, Any], meaning: Mapping[str, str], wanted: Mapping[str, str]) -> Shown:
    about = event.get("about", "")
    slot = about.partition("-")[2] or about if event["family"] == "request" else about.partition("=")[0]
    credited = bool(event.get("credited"))
    facts = {
        "domain": event["domain"],
        "event": event["class"],
        "family": event["family"],
        "slot": slot,
        "credit": CREDIT[credited],
        "party": "",
    }
    turns = event.get("turns") or ()
    return Shown(
        event["class"].replace("_", " "),
        event["domain"],
        about,
        event.get("said", ""),
        ", ".join(map(str, turns)) if len(turns) > 1 else "",
        credited,
        meaning.get(event["class"], ""),
        bool(wanted) and all(facts[name] == text for name, text in wanted.items()),
    )


def _domain(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    measured = []
    for letter, group in (("I", row["inform"]), ("R", row["request"])):
        found = group.get(name)
        if found is not None:
            parts = found.get("score")
            measured.append((MEASURED[letter], parts, units(found["wanted"], found["counted"])))
    return {"name": name, "in_goal": name in row["goal"], "measured": measured}


def units(wanted: Sequence[str], counted: Sequence[str]) -> list[Unit]:
    """What both multisets have, then what only one has.

    Example:
        >>> [tuple(unit) for unit in units(["area=east", "stars=4"], ["area=east", "area=east"])]
        [('area=east', 'correct', 1), ('stars=4', 'missed', 1), ('area=east', 'over', 1)]
    """
    ours, theirs = Counter(wanted), Counter(counted)
    kinds = (("correct", ours & theirs), ("missed", ours - theirs), ("over", theirs - ours))
    return [Unit(text, kind, times) for kind, found in kinds for text, times in sorted(found.items())]


def _heard(said: Sequence[Mapping[str, Any]] | None, understood: Sequence[Mapping[str, Any]] | None) -> list[Heard]:
    """What was said beside what was understood: by act and slot, then by value."""
    if said is None:
        return []
    if understood is None:
        return [Heard(_words(act), "") for act in said]
    left = [dict(act) for act in understood]
    found: list[Heard] = []
    open_: list[Mapping[str, Any]] = []
    for act in said:
        same = next((other for other in left if _key(other) == _key(act) and _values(other) == _values(act)), None)
        if same is not None:
            left.remove(same)
            found.append(Heard(_words(act), "correct"))
        else:
            open_.append(act)
    for act in open_:
        near = next((other for other in left if _key(other) == _key(act)), None)
        if near is not None:
            left.remove(near)
            found.append(Heard(_words(act), "wrong", _values(near) or "nothing"))
        else:
            found.append(Heard(_words(act), "missed"))
    return [*found, *(Heard(_words(act), "over") for act in left)]


def _key(act: Mapping[str, Any]) -> tuple[str, str]:
    return str(act["name"]).lower(), str(act.get("slot", "")).lower()


def _values(act: Mapping[str, Any]) -> str:
    return "|".join(str(value).strip().lower() for value in act.get("values") or () if value != "?")


def _words(act: Mapping[str, Any]) -> str:
    value = "|".join(str(value) for value in act.get("values") or () if value != "?")
    slot = str(act.get("slot", ""))
    return " ".join(part for part in (str(act["name"]).lower(), f"{slot}={value}" if value else slot) if part)
