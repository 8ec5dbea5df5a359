"""Value normalisation of MultiWOZ_Evaluation, including its bugs."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_TIME_SLOTS = frozenset({"arrive", "leave", "time"})


def normalise_value(slot: str, value: str) -> str:
    """Normalise a value as MultiWOZ_Evaluation does.

    Args:
        slot: the name of the slot in that scorer, without its domain: ``arrive`` and ``leave``, not ``arriveby`` and
            ``leaveat``.
        value: the value as written.

    Example:
        >>> normalise_value("name", "Nando's "), normalise_value("food", "brazilian"), normalise_value("parking", "free")
        ('nandos', 'portuguese', 'yes')
        >>> normalise_value("leave", "12:30 pm"), normalise_value("leave", "by17:15"), normalise_value("booktime", "5 pm")
        ('24:30', '07:15', '5 pm')
    """
    match slot:
        case "name" | "destination" | "departure":
            text = value.strip().lower().replace(" & ", " and ").replace("&", " and ").replace(" '", "'")
            return _tables()["name"].get(text, text)
        case "type":
            return _tables()["type"].get(value, value)
        case "food":
            text = value.strip().lower()
            return _tables()["food"].get(text, text)
        case "parking" | "internet":
            return "yes" if value == "free" else value
    return _time(value)[0] if slot in _TIME_SLOTS else value


def fails_in_original(slot: str, value: str) -> bool:
    """Return True if MultiWOZ_Evaluation raises an error for this value.

    The original gives no result for such a value; `normalise_value` skips the step that fails.

    Args:
        slot: the name of the slot, as for `normalise_value`.
        value: the value as written.

    Example:
        >>> fails_in_original("leave", "at 2:04 pm"), fails_in_original("leave", "2:04 pm")
        (True, False)
        >>> normalise_value("leave", "at 2:04 pm")
        'at2:04'
    """
    return slot in _TIME_SLOTS and _time(value)[1]


@cache
def _tables() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads(files(__package__).joinpath("mwzeval.toml").read_text("utf-8"))


def _time(value: str) -> tuple[str, bool]:
    """Return the normalised time, and True if the original raises an error."""
    tables = _tables()
    text = value.strip().lower()
    if text in tables["time"]:
        return tables["time"][text], False
    for prefix, time in tables["time_prefix"].items():
        if text.startswith(prefix):
            return time, False
    if text.startswith("by"):
        text = text[3:]  # the word and usually a blank
    for word in ("after", "afer"):
        if text.startswith(word):
            text = text[len(word) :].strip()
    fails = False
    is_afternoon = False
    for ending in ("am", "a.m.", "pm", "p.m."):
        if text.endswith(ending):
            text = text[: -len(ending)].strip()
            is_afternoon = is_afternoon or ending.startswith("p")
    if is_afternoon:
        hour, *rest = text.split(":")
        if len(rest) == 1 or (not rest and hour.isdigit()):
            try:
                return f"{int(hour) + 12}:{rest[0] if rest else '00'}", False
            except ValueError:
                fails = True
    if not text:
        return "00:00", fails
    if text[-1] in ".,?":
        text = text[:-1]
    if text.isdigit():
        return (f"{text[:2]}:{text[2:]}" if len(text) == 4 else f"{text.zfill(2)}:00"), fails
    if ":" in text:
        text = text.replace(" ", "")
    if len(text) == 4 and text[1] == ":":
        hour, minute = text.split(":")[:2]
        text = f"{hour.zfill(2)}:{minute}"
    return text, fails
