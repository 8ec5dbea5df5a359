"""What counts as equal: named, printable, changeable rule sets.

Every number that dialmeter prints is made under one of these. A rule set is a TOML file that states all eight
fields; ``rulesets/`` holds the named ones.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from .errors import DialmeterError, did_you_mean

ABSENT_WORDS = ("", "none", "null", "not mentioned")
DONTCARE = "dontcare"
DONTCARE_SPELLINGS = frozenset(
    {"dontcare", "don't care", "dont care", "do not care", "do n't care", "doesn't care", "does not care"}
)

Step = Literal["trim", "blanks", "no-blanks", "lower", "digits"]
FIELDS = ("values", "none", "dontcare", "extra", "alternatives", "match", "missing", "state")


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule set. The first eight fields are the rules proper; the rest says how measures are set under them."""

    values: tuple[Step, ...]
    none: tuple[str, ...]
    dontcare: Literal["keep", "drop", "merge"]
    extra: Literal["penalise", "ignore-slots", "ignore-domains"]
    alternatives: Literal["any-of", "literal", "set"]
    match: str
    missing: Literal["error", "empty", "skip"]
    state: Literal["cumulative", "update", "update-pred"]
    name: str = ""
    about: str = ""
    evidence: str = "definition only"
    hyphen_cut: bool = False
    measures: tuple[str, ...] = ()
    headline: str = "JGA"
    only: tuple[str, ...] = ()
    stand_ins: dict[str, str] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parse_match(self.match)

    def shown(self, name: str) -> str:
        """One field as it stands in a signature.

        Example:
            >>> named("dialmeter").shown("values"), named("fga-repo").shown("none")
            ('trim+blanks+lower', 'keep')
        """
        value = getattr(self, name)
        if name == "values":
            return "+".join(value) or "as-is"
        if name == "none":
            return "+".join(word.replace(" ", "-") or "blank" for word in value) or "keep"
        return str(value)


class FuzzyMatch(Struct, frozen=True):
    """A similarity of rapidfuzz and the score (0–100) that counts as equal."""

    scorer: str
    threshold: float
    inclusive: bool


_SCORERS = ("ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio", "WRatio")


def parse_match(text: str) -> FuzzyMatch | None:
    """``exact``, or a rapidfuzz scorer with a threshold.

    Example:
        >>> parse_match("exact") is None, parse_match("partial_ratio>95").threshold
        (True, 95.0)
    """
    if text == "exact":
        return None
    for sign in (">=", ">"):
        scorer, found, threshold = text.partition(sign)
        if found and scorer.strip() in _SCORERS:
            try:
                return FuzzyMatch(scorer.strip(), float(threshold), sign == ">=")
            except ValueError:
                break
    raise DialmeterError(
        f"match is 'exact' or one of {', '.join(_SCORERS)} with a threshold like ratio>=90, not {text!r}"
    )


@cache
def names() -> tuple[str, ...]:
    """The named rule sets, the default first.

    Example:
        >>> names()[0]
        'dialmeter'
    """
    found = sorted(Path(entry.name).stem for entry in files(__package__).joinpath("rulesets").iterdir())
    return ("dialmeter", *(name for name in found if name != "dialmeter"))


@cache
def named(name: str) -> Rules:
    """A rule set by name.

    Raises:
        DialmeterError: no such rule set.
    """
    if name not in names():
        hint = did_you_mean(name, names())
        raise DialmeterError(f"unknown rule set {name!r}; {hint} (a file of your own must end in .toml)")
    text = files(__package__).joinpath("rulesets", f"{name}.toml").read_text("utf-8")
    return _parse(text, name, f"{name}.toml")


def load(name_or_file: str) -> Rules:
    """A rule set by name, or from a TOML file that states all eight fields.

    Raises:
        DialmeterError: unknown name, unreadable or incomplete file.
    """
    if not name_or_file.endswith(".toml"):
        return named(name_or_file)
    try:
        text = Path(name_or_file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DialmeterError(f"{name_or_file}: cannot be read: {error}") from None
    return _parse(text, Path(name_or_file).stem, name_or_file)


def _parse(text: str, name: str, file: str) -> Rules:
    import tomllib

    try:
        return msgspec.convert({"name": name, **tomllib.loads(text)}, Rules)
    except tomllib.TOMLDecodeError as error:
        raise DialmeterError(f"{file}: not valid TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise DialmeterError(f"{file}: {error}; a rule set states {', '.join(FIELDS)}") from None


def change(rules: Rules, **fields: str | None) -> Rules:
    """A rule set with fields given as on the command line; ``None`` leaves a field alone.

    Example:
        >>> change(named("gca-repo"), none="keep").none
        ()
        >>> change(named("dialmeter"), extra="ignore")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: extra: Invalid enum value 'ignore'; known: ignore-domains, ignore-slots, penalise
    """
    given = {name: _from_text(name, text) for name, text in fields.items() if text is not None}
    unknown = [name for name in given if name not in FIELDS]
    if unknown:
        raise DialmeterError(f"a rule set has no field {unknown[0]!r}; {did_you_mean(unknown[0], FIELDS)}")
    current = msgspec.to_builtins(rules)
    for name, value in given.items():
        try:
            msgspec.convert({**current, name: value}, Rules)
        except msgspec.ValidationError as error:
            reason = str(error).split(" - at")[0]
            raise DialmeterError(f"{name}: {reason}{_choices(name)}") from None
    return msgspec.convert({**current, **given}, Rules)


_CHOICES = {
    "values": ("trim", "blanks", "no-blanks", "lower", "digits"),
    "dontcare": ("keep", "drop", "merge"),
    "extra": ("penalise", "ignore-slots", "ignore-domains"),
    "alternatives": ("any-of", "literal", "set"),
    "missing": ("error", "empty", "skip"),
    "state": ("cumulative", "update", "update-pred"),
}


def _choices(name: str) -> str:
    return f"; known: {', '.join(sorted(_CHOICES[name]))}" if name in _CHOICES else ""


def _from_text(name: str, text: str) -> str | tuple[str, ...]:
    if name == "values":
        return () if text == "as-is" else tuple(step.strip() for step in text.replace("+", ",").split(","))
    if name == "none":
        return {"keep": (), "drop": ABSENT_WORDS}.get(text, tuple(word.strip() for word in text.split(",")))
    return text
