"""Measures: a name with parameters, a short vector per unit, and a formula over the sum of the vectors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import NODEFAULT, Struct, field
from msgspec.structs import fields

from .errors import DialmeterError, did_you_mean
from .registry import Registry

Vector: TypeAlias = tuple[float, ...]
Average: TypeAlias = Literal["turn", "dialogue"]
Reads: TypeAlias = Literal["tally", "changes", "states", "texts", "frames"]
Gather: TypeAlias = Literal["sum", "last", "every"]


_READERS: dict[Reads, str] = {
    "tally": "from_tally",
    "states": "from_states",
    "texts": "from_texts",
    "frames": "from_frame",
}


class Measure(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """The base class of measures. Parameters are fields, and the repr is the identity.

    A measure has one of four methods that return the vector of a unit: ``from_tally(tally)`` (the tally of a turn),
    ``from_states(previous_gold, gold, previous_pred, pred)`` (the states of a turn under the rules), ``from_texts(gold, pred)``
    (the states of a turn as texts) or ``from_frame(frame)`` (one service at one turn). Its ``value`` is a formula over the sum
    of the vectors; it is None if the denominator is zero.
    """

    title: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    cite: ClassVar[tuple[str, ...]] = ()
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    higher_is_better: ClassVar[bool] = True
    unit: ClassVar[str] = "turn"
    gather: ClassVar[Gather] = "sum"
    reason_unscored: ClassVar[str] = "nothing to count"
    pooled: ClassVar[bool] = False
    """True if it is computed from the sums of a corpus, and not as a mean over units."""
    skips_empty: ClassVar[bool] = False
    """True if the mean skips units whose vector is all zeros. Such units are reported as unscored."""

    average: Average = "turn"
    """Over all turns of the corpus, or first within each dialogue and then over dialogues."""

    def reads(self) -> Reads:
        """Return the kind of input. A measure with several kinds of input chooses by its parameters."""
        return next(what for what, method in _READERS.items() if hasattr(self, method))

    def value(self, sums: Sequence[float]) -> float | None:
        """Return the measure over the sum of vectors: by default the first sum divided by the second."""
        return sums[0] / sums[1] if sums[1] else None

    def __repr__(self) -> str:
        shown = [
            f"{each.name}={_format_parameter(getattr(self, each.name))}"
            for each in parameters(type(self))
            if each.default is NODEFAULT or getattr(self, each.name) != each.default
        ]
        return f"{type(self).__name__}({', '.join(shown)})" if shown else type(self).__name__


def parameter_help(kind: type[Measure]) -> dict[str, str]:
    """Return the description of each parameter, from the docstring below it in the source.

    Example:
        >>> parameter_help(registry.load("FGA"))["lam"]
        'The speed at which a mistake is forgotten: 0 gives JGA, inf the share of local matches. Or a mapping with one lambda per domain: {train: 0, other: 0.5}.'
    """
    import ast
    import inspect
    import textwrap

    texts: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if not issubclass(each, Measure):
            continue
        [body] = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        assert isinstance(body, ast.ClassDef)
        for attribute, text in pairwise(body.body):
            if (
                isinstance(attribute, ast.AnnAssign)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                texts[ast.unparse(attribute.target)] = " ".join(str(text.value.value).split())
    return {each.name: texts.get(each.name, "") for each in parameters(kind)}


@cache
def parameters(kind: type[Measure]) -> list[Any]:
    """Return the fields of a measure, with ``average`` as the last."""
    return sorted(fields(kind), key=lambda each: each.name == "average")


def _format_parameter(value: object) -> str:
    """Format a parameter for the repr: with %g if that is exact, because the repr is the identity."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name}: {_format_parameter(each)}' for name, each in value.items())}}}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value and "e" not in short else repr(value)


_BUILTIN = (
    ("states", "JGA SA AGA IAGA RSA"),
    ("fga", "FGA"),
    ("gca", "GCA VP VR LP LR"),
    ("states", "SlotF1 SlotPrecision SlotRecall JointF1 FinalJGA DialogueAccuracy"),
    ("fga", "LocalAccuracy"),
    ("dstc10", "ValuePrecision ValueRecall ValueF1 NonePrecision NoneRecall NoneF1"),
    ("sgd", "JointGoalAccuracy JointCatAccuracy JointNoncatAccuracy"),
    ("sgd", "AverageGoalAccuracy AverageCatAccuracy AverageNoncatAccuracy"),
    ("sgd", "IntentAccuracy RequestedSlotF1 RequestedSlotPrecision RequestedSlotRecall"),
    ("states", "SequenceMatch"),
)
"""The modules of ``tracking.measures`` and their measures, in the order in which they are listed."""

registry = Registry(
    "measure",
    "dialmeter.measures",
    {name: f"dialmeter.tracking.measures.{module}:{name}" for module, names in _BUILTIN for name in names.split()},
)

_CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_PART = re.compile(r"(?:[^,{]|\{[^}]*\}?)+")
"""The text between two commas. Commas inside braces do not separate."""


def _split_parts(text: str) -> list[str]:
    return [part.strip() for part in _PART.findall(text) if part.strip()]


def given(text: str) -> list[str]:
    """Return the names of the parameters that the text of a measure gives.

    Example:
        >>> given("FGA(lam={train: 0, other: 1}, local=paper)"), given("JGA")
        (['lam', 'local'], [])
    """
    match = _CALL.fullmatch(text)
    return [part.partition("=")[0].strip() for part in _split_parts(match[2] or "")] if match else []


def parse(text: str) -> Measure:
    """Parse a measure from its repr.

    Example:
        >>> parse("FGA(lam=0.5)"), parse("JGA(average=turn)"), parse("GCA(alpha=10/11)")
        (FGA(lam=0.5), JGA, GCA)
        >>> parse("FGA(lam={train: 0, other: 1/2})")
        FGA(lam={train: 0, other: 0.5})
        >>> parse("FGA(lambda=0.5)")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: FGA has no parameter 'lambda'; did you mean lam?

    Raises:
        DialmeterError: the measure or a parameter is unknown, or a value is invalid.
    """
    match = _CALL.fullmatch(text)
    if not match:
        grouped = re.fullmatch(r"([\w-]+)(?:\s*(\(.*\)))?\s*\[.*\]", text.strip())
        advice = f"write {grouped[1]}{grouped[2] or ''} and --by domain" if grouped else "write it like FGA(lam=0.5)"
        raise DialmeterError(f"{text!r} is not a measure; {advice}")
    # Names are read without regard to case and underscores: ``jga`` and ``slot_f1`` work too.
    known = (known for known in registry.builtin() if known.lower() == match[1].lower().replace("_", ""))
    kind: type[Measure] = registry.load(next(known, match[1]))
    given: dict[str, Any] = {}
    for part in _split_parts(match[2] or ""):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise DialmeterError(f"{text}: write parameters like {parameters(kind)[0].name}=value")
        given[name] = _parse_value(value)
    return build(kind, given)


def build(kind: type[Measure], given: Mapping[str, Any]) -> Measure:
    """Return a measure of a kind with validated parameters."""
    known = {each.name: each for each in parameters(kind)}
    for name in given:
        if name not in known:
            raise DialmeterError(f"{kind.__name__} has no parameter {name!r}; {did_you_mean(name, known)}")
    missing = [name for name, each in known.items() if each.default is NODEFAULT and name not in given]
    if missing:
        raise DialmeterError(f"{kind.__name__} needs {missing[0]}, such as {kind.__name__}({missing[0]}=0.5)")
    try:
        return msgspec.convert(dict(given), kind, strict=False)
    except msgspec.ValidationError as error:
        raise DialmeterError(f"{kind.__name__}: {str(error).replace(' - at `$.', ' for `')}") from None


def with_settings(measure: Measure, settings: Mapping[str, Mapping[str, Any]], explicit: Sequence[str] = ()) -> Measure:
    """Return a measure with the settings of a rule set. Settings replace only parameters that have their default.

    Args:
        measure: the requested measure.
        settings: measure → parameter → value.
        explicit: parameters that the user gave. Settings do not replace them.

    Example:
        >>> with_settings(parse("FGA(lam=1)"), {"FGA": {"local": "code"}})
        FGA(lam=1, local=code)
    """
    replacements = {
        name: value
        for name, value in settings.get(type(measure).__name__, {}).items()
        if name not in explicit
        and any(each.name == name and getattr(measure, name) == each.default for each in parameters(type(measure)))
    }
    return build(type(measure), {**msgspec.structs.asdict(measure), **replacements}) if replacements else measure


def _parse_value(text: str) -> Any:
    if text.startswith("{") and text.endswith("}"):
        return _parse_mapping(text)
    above, slash, below = text.partition("/")
    try:
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        return text.strip("'\"")


def _parse_mapping(text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for part in _split_parts(text[1:-1]):
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        name = name.strip("'\"")
        if not colon or not name or not value:
            raise DialmeterError(f"{text}: write it like {{train: 0, hotel: 0.5}}")
        if name in values:
            raise DialmeterError(f"{text}: duplicate domain {name}")
        values[name] = _parse_value(value)
    return values


class Score(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The value of a measure, with the numbers of scored and unscored units and the signature of the computation."""

    measure: str
    value: float | None
    n: int
    unscored: int
    signature: str
    ci: tuple[float, float] | None = None
    ci_reason: str = ""
    """The reason why a value has no interval."""
    reason: str = ""
    group: dict[str, str | int] = field(default_factory=dict)
