"""Rule sets for scoring users.

A rule set has the settings of the two measures. The named rule sets are in ``rulesets/``: ``dialmeter`` is the definition,
``gcdf1-repo`` is the published evaluator with its faults. The settings of behaviours, and their default values, come from
the declarations of the behaviours.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from ..core.rule_files import RuleFiles
from ..errors import DialmeterError, did_you_mean, one_line
from .behaviours import ALL
from .events import Family

Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Repetitions(_Part, frozen=True):
    """Repeated constraints of the goal: how many repetitions are credited, and which behaviours excuse them."""

    max: Count
    count_fp: bool
    warn_above: Count


class NotInGoal(_Part, frozen=True):
    """Constraints on slots that are not in the goal."""

    max: Count
    context: Count


class Requests(_Part, frozen=True):
    """Requests of the user."""

    max: Count
    count_fp: bool
    warn_above: Count
    validate_nlu: bool
    validate_policy: bool
    spurious_annotation: bool
    provision: bool
    provision_domains: tuple[str, ...]
    auto_ref: bool


def _with_settings(family: Family, base: type[_Part]) -> Any:
    """Return a table of a rule set that also has a setting for each behaviour of a family."""
    behaviours = (each for each in ALL if each.family == family and each.setting not in ("", *base.__struct_fields__))
    fields = [(each.setting, bool, each.on) for each in behaviours if each.setting == each.name]
    namespace = {"__doc__": base.__doc__}
    return msgspec.defstruct(base.__name__, fields, bases=(base,), namespace=namespace, module=__name__, frozen=True)


if not TYPE_CHECKING:
    Repetitions = _with_settings("repetition", Repetitions)
    NotInGoal = _with_settings("not_in_goal", NotInGoal)
    Requests = _with_settings("request", Requests)


class AutoMatch(_Part, frozen=True):
    """Constraints outside the goal that the profile always allows."""

    max: Count
    values: bool
    slots: bool
    pairs: bool


class Goals(_Part, frozen=True):
    """Which constraints of a goal are wanted: all, or a second choice only if the first choice fails."""

    alternatives: Literal["as_needed", "all"]


class EmptyResult(_Part, frozen=True):
    """What is removed from the goal if the search ends without an entity."""

    constraints: bool
    requests: bool


class Preemption(_Part, frozen=True):
    """Treatment of constraints that the system says before the user does."""

    compensate: bool


class Values(_Part, frozen=True):
    """How values are canonicalised."""

    nfkc: bool
    map: bool
    fuzzy: bool
    threshold: Share
    collisions: Literal["merge", "keep"]
    no_answer: tuple[str, ...]
    """Regular expressions for placeholders: the system names the slot and gives no value."""

    def __post_init__(self) -> None:
        for pattern in self.no_answer:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"values.no_answer: {pattern!r} is not a regular expression: {error}") from None


class Faults(_Part, frozen=True):
    """Faults of the published evaluator."""

    credit_wrong_values: bool
    general_is_a_domain: bool
    nooffer_misspelt: bool
    booking_is_every_domain: bool
    offers_by_substring: bool
    goal_slots_as_written: bool
    combined_ignores_domain: bool
    missing_nlu_is_failure: bool
    distribution_concatenates: bool


class UserRules(_Part, frozen=True, kw_only=True):
    """A rule set for users. ``base`` is the named rule set that it was derived from; empty for a named rule set."""

    name: str
    about: str = ""
    evidence: str = "definition only"
    base: str = ""
    goals: Goals
    repetitions: Repetitions
    not_in_goal: NotInGoal
    auto_match: AutoMatch
    requests: Requests
    empty_db_result: EmptyResult
    preemption: Preemption
    values: Values
    faults: Faults

    def changes(self) -> dict[str, str]:
        """Return the settings that differ from the named rule set that this one is derived from.

        Example:
            >>> changed(named("dialmeter"), "repetitions.max=4").changes()
            {'repetitions.max': '4'}
        """
        defaults = settings(named(self.base or self.name))
        return {name: _signed(value) for name, value in settings(self).items() if value != defaults[name]}


def _inherit(stated: dict[str, Any], name: str, text: str | None) -> dict[str, Any]:
    """Return all settings of a rule set. A user's file inherits the settings that it does not set from ``base`` (default: dialmeter)."""
    if text is None:
        return {"name": name, **stated}
    base = stated.pop("base", "dialmeter")
    texts = {key: stated.pop(key) for key in ("about", "evidence") if key in stated}
    whole = msgspec.to_builtins(named(str(base)))
    for part, given in stated.items():
        if not isinstance(given, dict):
            raise DialmeterError(f"{one_line(part)!r} must be a table of settings, as in [repetitions]")
        for setting, value in given.items():
            _set(whole, f"{part}.{setting}", value)
    return {**whole, **texts, "name": name, "base": base}


_FILES = RuleFiles(UserRules, "rule set", Path(__file__).parent / "rulesets", "dialmeter", complete=_inherit)
names = _FILES.names
named = _FILES.named
load = _FILES.load


def changed(rules: UserRules, *changes: str) -> UserRules:
    """Return a rule set with changed settings, given as on the command line, such as ``repetitions.max=4``.

    Raises:
        DialmeterError: the setting does not exist, or the value is invalid.

    Example:
        >>> changed(named("dialmeter"), "repetitions.max=4", "values.fuzzy=false").repetitions.max
        4
        >>> changed(named("dialmeter"), "repetition.max=4")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: there is no setting 'repetition.max'; did you mean repetitions.max?
    """
    whole = msgspec.to_builtins(rules)
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise DialmeterError(f"a change must be KEY=VALUE, as in repetitions.max=4, not {one_line(change)!r}")
        _set(whole, name.strip(), _parse_value(text.strip()))
    return msgspec.convert({**whole, "base": rules.base or rules.name}, UserRules) if changes else rules


def settings(rules: UserRules) -> dict[str, Any]:
    """Return all settings by their dotted names.

    Example:
        >>> settings(named("dialmeter"))["requests.max"]
        3
    """
    return _flatten(msgspec.to_builtins(rules))


def shown(value: object) -> str:
    """Return the value of a setting as text, as in signatures and on the command line.

    Example:
        >>> shown(False), shown(["hotel", "taxi"]), shown(0.85)
        ('false', 'hotel+taxi', '0.85')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    return str(value)


def _signed(value: object) -> str:
    """Return the value of a setting for signatures. A list is a digest if its items have characters that separate fields or items.

    Example:
        >>> _signed(["hotel", "taxi"]), _signed(["a|b"]), _signed(["a", "b+"]) == _signed(["a+b", ""])
        ('hotel+taxi', '@6c2b14bbe6', False)
    """
    if isinstance(value, list | tuple) and any(not each or set("|+@") & set(each) for each in value):
        return f"@{hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:10]}"
    return shown(value)


def _flatten(whole: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{table}.{name}": value
        for table, values in whole.items()
        if isinstance(values, dict)
        for name, value in values.items()
    }


def _set(whole: dict[str, Any], name: str, value: Any) -> None:
    """Change one setting in a rule set of plain dictionaries."""
    known = _flatten(whole)
    if name not in known:
        same_name = [each for each in known if each.partition(".")[2] == name]
        suggestion = f"did you mean {' or '.join(same_name)}?" if same_name else did_you_mean(name, known)
        raise DialmeterError(f"there is no setting {one_line(name)!r}; {suggestion}")
    part, _, setting = name.partition(".")
    if isinstance(known[name], list | tuple) and not isinstance(value, list):
        value = [value]
    whole[part][setting] = value
    _FILES.check(whole, name)


def _parse_value(text: str) -> Any:
    """Parse a value as TOML. Other text is a string, or a list if it has commas or plus signs."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        parts = [part.strip() for part in text.replace("+", ",").split(",")]
        return parts if len(parts) > 1 else text
