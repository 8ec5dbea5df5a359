"""Rule sets of trackers: they define which values are equal. Rule sets have names, and can be printed and changed.

Every score is computed under a rule set. A rule set is a TOML file with its fields; ``rulesets/`` holds the named rule sets.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct, field, structs

from ..._version import __version__
from ...core.rule_files import RuleFiles
from ...errors import DialmeterError, did_you_mean
from ...measure import Measure, parameters
from ...values.languages import AUTO, NEVER, parse_languages
from ...values.maps import load as load_map
from ..gold_patch import GoldPatch, load_patch

ABSENT_WORDS = ("", "none", "null", "not mentioned", "not_mentioned", "n/a", "unknown")
DONTCARE = "dontcare"
DONTCARE_SPELLINGS = frozenset(
    {
        "dontcare",
        "don't care",
        "don\u2019t care",
        "dont care",
        "dont_care",
        "do not care",
        "do n't care",
        "doesn't care",
        "does not care",
        "no preference",
    }
)

EMPTY = "<empty>"
"""An entry of the words that mean absent: the text "" as written, before any step."""

Step = Literal["nfkc", "tidy", "trim", "blanks", "no-blanks", "lower", "digits", "number-word", "mwzeval"]
Names = Literal["as-is", "multiwoz", "mwzeval"]
Dontcare = Literal["keep", "drop", "drop-exact", "merge"]
Side = Literal["gold", "pred"]
Cell: TypeAlias = tuple[str, str, str]
"""Domain, section and slot as written in a file."""


_MAIN_MEASURES = ("JGA", "FGA(lam=0.5)", "GCA")

T = TypeVar("T")


class BySide(Struct, Generic[T], frozen=True, forbid_unknown_fields=True):
    """A rule that differs between gold and predictions."""

    gold: T
    pred: T


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule set. The fields down to ``state`` are the rules; the other fields describe the rule set and its measures."""

    names: Names = "multiwoz"
    clash: Literal["keep", "last", "error"] = "keep"
    only: tuple[Cell, ...] = ()
    values: tuple[Step, ...]
    none: tuple[str, ...] | BySide[tuple[str, ...]]
    dontcare: Dontcare | BySide[Dontcare]
    languages: str = NEVER
    extra: Literal["penalise", "ignore-slots", "ignore-domains", "unlisted"]
    alternatives: Literal["any-of", "any-of-both", "listed", "first", "first-listed", "literal", "set"]
    map: str = ""
    match: str
    backend: Literal["levenshtein", "difflib"] = "levenshtein"
    missing: Literal["error", "empty", "skip", "predicted-only"]
    undefined: Literal["none", "zero"] = "none"
    state: Literal["cumulative", "update", "update-pred"]
    patch: str = ""
    """A file with corrections of gold."""
    name: str = ""
    about: str = ""
    evidence: str = "definition only"
    faults: tuple[str, ...] = ()
    """Behaviour of the original scorer that a user may not expect."""
    hyphen_cut: bool = False
    measures: Annotated[tuple[str, ...], Meta(min_length=1)] = ("JGA",)
    headline: str = "JGA"
    only_measures: tuple[str, ...] = ()
    stand_ins: dict[str, str] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out_of_vectors: tuple[str, ...] = ()
    """Dialogues that the original scorer skips by name, in files that say only which slots are right."""

    def __post_init__(self) -> None:
        parse_match(self.match)
        if self.map:
            load_map(self.map)
        if self.languages not in (AUTO, NEVER):
            parse_languages(self.languages)
        if self.patch and self.state == "update":
            raise DialmeterError("a patch corrects cumulative gold states; it cannot be used with state=update")
        if self.patch:
            load_patch(self.patch)

    @property
    def main_measures(self) -> tuple[str, ...]:
        """The measures of a score by default: at most three of all that the rule set has.

        Example:
            >>> named("dialmeter").main_measures, named("mwzeval").main_measures
            (('JGA', 'FGA(lam=0.5)', 'GCA'), ('JGA', 'SlotPrecision', 'SlotRecall'))
        """
        usual = [each for each in _MAIN_MEASURES if each in self.measures]
        others = [each for each in self.measures if each not in usual]
        chosen = {*usual, *others[: len(_MAIN_MEASURES) - len(usual)]}
        return tuple(each for each in self.measures if each in chosen)

    @property
    def gold_patch(self) -> GoldPatch | None:
        """The corrections of gold, if there are any."""
        return load_patch(self.patch) if self.patch else None

    def none_words(self, side: Side) -> tuple[str, ...]:
        """Return the words that mean absent in gold or in predictions."""
        return getattr(self.none, side) if isinstance(self.none, BySide) else self.none

    def dontcare_of(self, side: Side) -> Dontcare:
        """Return the treatment of dontcare in gold or in predictions."""
        return getattr(self.dontcare, side) if isinstance(self.dontcare, BySide) else self.dontcare

    @property
    def skips_missing(self) -> bool:
        """Are turns without prediction left out?"""
        return self.missing != "empty"

    def shown(self, name: str) -> str:
        """Format one field as in a signature.

        Example:
            >>> named("dialmeter").shown("values"), named("fga-repo").shown("none"), named("convlab3").shown("none")
            ('nfkc+tidy+trim+blanks+lower', 'keep', 'gold=empty;pred=blank')
        """
        value, show = getattr(self, name), FIELDS[name].show
        return f"gold={show(value.gold)};pred={show(value.pred)}" if isinstance(value, BySide) else show(value)


def _format_words(words: tuple[str, ...]) -> str:
    special = {"": "blank", EMPTY: "empty"}
    text = "+".join(special.get(word, word.replace(" ", "-")) for word in words) or "keep"
    # A digest tells words apart that would have the same text, such as "not mentioned" and "not-mentioned".
    unclear = any(
        word in ("blank", "empty", "keep") or not _PLAIN_WORD.fullmatch(word) for word in words if word not in special
    )
    return f"{_PLAIN_TEXT.sub('_', text)}@{_digest(words)}" if unclear else text


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:6]


_PLAIN_WORD = re.compile(r"[\w/.' ]+", re.ASCII)
_PLAIN_TEXT = re.compile(r"[^\w/.'+-]", re.ASCII)


def _parse_words(text: str) -> tuple[str, ...]:
    special = {"blank": "", "empty": EMPTY}
    words = tuple(special.get(word.strip(), word.strip()) for word in text.split(","))
    return {"keep": (), "drop": ABSENT_WORDS}.get(text, words)


def _parse_cells(text: str) -> tuple[tuple[str, ...], ...]:
    cells = () if text == "all" else tuple(tuple(cell.strip().split("/")) for cell in text.split(","))
    for cell in cells:
        if len(cell) != 3:
            raise DialmeterError(
                f"only: {'/'.join(cell)!r} is not domain/section/slot (write hotel//area for a slot without a section)"
            )
    return cells


_NEVER = "never"


class RuleField(NamedTuple):
    """How a field of a rule set is read from the command line and shown in a signature."""

    parse: Callable[[str], Any] = str
    show: Callable[[Any], str] = str
    usual: Any = None
    """The value that signatures do not show; None if they always show the field."""
    by_side: bool = False
    """May the field differ between gold and predictions?"""


FIELDS = {
    "names": RuleField(usual="multiwoz"),
    "clash": RuleField(usual="keep"),
    # A list of cells may be too long for a line.
    "only": RuleField(_parse_cells, lambda cells: f"{len(cells)}@{_digest(sorted(cells))}" if cells else "all", ()),
    "values": RuleField(
        lambda text: () if text == "as-is" else tuple(step.strip() for step in text.replace("+", ",").split(",")),
        lambda steps: "+".join(steps) or "as-is",
    ),
    "none": RuleField(_parse_words, _format_words, by_side=True),
    "dontcare": RuleField(by_side=True),
    # The signature has the languages that were decided from gold.
    "languages": RuleField(lambda text: "+".join(sorted(text.replace(",", "+").split("+"))), usual=_NEVER),
    "extra": RuleField(),
    "alternatives": RuleField(usual="any-of"),
    "map": RuleField(
        lambda text: "" if text == "none" else text, lambda value: load_map(value).label if value else "none", ""
    ),
    "match": RuleField(usual="exact"),
    "backend": RuleField(usual=_NEVER),
    "missing": RuleField(),
    "undefined": RuleField(usual="none"),
    "state": RuleField(),
}
"""The fields that are rules, in their order."""


class FuzzyMatch(Struct, frozen=True):
    """A similarity and the threshold (0–100) that counts as equal; without a threshold, values get partial credit."""

    scorer: str
    threshold: float | None
    inclusive: bool


_SCORERS = (
    "ratio",
    "partial_ratio",
    "token_sort_ratio",
    "token_set_ratio",
    "WRatio",
    "fuzzywuzzy-partial",
    "fuzzywuzzy-token-sort",
)
"""Similarities of rapidfuzz, by their names in rapidfuzz, and two different functions of fuzzywuzzy."""


def parse_match(text: str) -> FuzzyMatch | None:
    """Parse ``exact``, or a similarity with a threshold; ``fuzzywuzzy-token-sort`` needs no threshold.

    Example:
        >>> parse_match("exact") is None, parse_match("partial_ratio>95").threshold
        (True, 95.0)
    """
    if text == "exact":
        return None
    if text == "fuzzywuzzy-token-sort":
        return FuzzyMatch(text, None, False)
    for sign in (">=", ">"):
        scorer, separator, threshold = text.partition(sign)
        if separator and scorer.strip() in _SCORERS:
            try:
                return FuzzyMatch(scorer.strip(), float(threshold), sign == ">=")
            except ValueError:
                break
    raise DialmeterError(
        f"invalid match {text!r}; use 'exact', or one of {', '.join(_SCORERS)} with a threshold, such as ratio>=90"
    )


_FILES = RuleFiles(
    Rules,
    "rule set",
    Path(__file__).parent / "rulesets",
    "dialmeter",
    hint=f"; a rule set needs the fields {', '.join(each.name for each in structs.fields(Rules) if each.required)}",
    marks=True,
)
names = _FILES.names
named = _FILES.named
load = _FILES.load


def change(rules: Rules, **fields: str | None) -> Rules:
    """Change fields of a rule set, with values as on the command line; ``None`` keeps a field.

    Example:
        >>> change(named("gca-repo"), none="keep").none
        ()
        >>> change(named("dialmeter"), extra="ignore")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: extra: Invalid enum value 'ignore'; known: ignore-domains, ignore-slots, penalise, unlisted
    """
    current = msgspec.to_builtins(rules)
    for name, text in fields.items():
        if text is None:
            continue
        if name not in FIELDS:
            raise DialmeterError(f"a rule set has no field {name!r}; {did_you_mean(name, FIELDS)}")
        parse, before = FIELDS[name].parse, current[name]
        if FIELDS[name].by_side and text.startswith(("gold=", "pred=")):
            given = dict(part.partition("=")[::2] for part in text.split(";"))
            # A side that is not given keeps its value.
            sides = before if isinstance(before, dict) else {"gold": before, "pred": before}
            current[name] = {**sides, **{side: parse(each) for side, each in given.items()}}
        else:
            current[name] = parse(text)
        rules = _FILES.check(current, name)
    return rules


# Parameters that have another name in signatures; ``alternatives`` is also a field of the rule set.
_NAMES = {"slots": "K", "alternatives": "changes"}


def signature(
    requested: str,
    used: Measure,
    rules: Rules,
    *,
    dialogues: int,
    turns: int,
    data: str,
    gold: str,
    unscored: str = "",
    account: Sequence[str] = (),
    also: Mapping[str, str | int] | None = None,
) -> str:
    """Return the signature of one score over a number of scored dialogues and turns.

    Args:
        requested: the measure as requested.
        used: the measure with the parameters from the rule set and the data.
        rules: the rule set with all changes.
        data: the digest of what the measure sees of gold under the rule set.
        gold: the digest of the canonical gold, which is the same in every format and under every rule set.
        unscored: number of dialogues and turns without prediction that the rules skip.
        account: fields for the requested dialogues and the number of scored ones, if not all were scored.
        also: other fields that the score depends on.

    Example:
        >>> from dialmeter.measure import parse
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> signature("SA", parse("SA(slots=30)"), named("fga-repo"), dialogues=9, turns=70, data="3f9a1c07be", gold="77")
        ... # doctest: +ELLIPSIS
        'SA|rules:fga-repo|values:as-is|none:keep|dontcare:keep|extra:penalise|missing:error|state:cumulative|avg:turn|names:as-is|alternatives:literal|cut:hyphen|K:30|d:9|t:70|gold:77|data:3f9a1c07be|v:...'
    """
    parts = [requested, f"rules:{rules.name}"]
    parts += [f"{name}:{rules.shown(name)}" for name, each in FIELDS.items() if each.usual is None]
    parts.append(f"avg:{used.average}")
    parts += [
        # In signatures, ``only`` is the requested dialogues.
        f"{'only-slots' if name == 'only' else name}:{rules.shown(name)}"
        for name, each in FIELDS.items()
        if each.usual not in (None, _NEVER, getattr(rules, name))
    ]
    if rules.gold_patch is not None:
        parts.append(f"patch:{rules.gold_patch.digest}")
    if rules.languages not in (AUTO, NEVER):
        parts.append(f"languages:{rules.languages}")
    if rules.hyphen_cut:
        parts.append("cut:hyphen")
    if type(used).__name__ in rules.stand_ins.values() and not requested.startswith(type(used).__name__):
        parts.append(f"measure:{type(used).__name__}")
    if rules.match.startswith("fuzzywuzzy") or (rules.match != "exact" and used.reads() == "frames"):
        parts.append(f"backend:{rules.backend}")
    parts += [f"{_NAMES.get(name, name)}:{value}" for name, value in _hidden_parameters(requested, used).items()]
    parts += [f"{name}:{value}" for name, value in (also or {}).items()]
    parts += account
    if unscored:
        parts.append(f"unscored:{unscored}")
    parts += [f"d:{dialogues}", f"t:{turns}", f"gold:{gold}", f"data:{data}", f"v:{__version__}"]
    return "|".join(parts)


def _hidden_parameters(requested: str, used: Measure) -> dict[str, object]:
    """Return the parameters that differ from their default and are not in the text of the requested measure."""
    if requested == repr(used):
        return {"slots": slots} if (slots := getattr(used, "slots", 0)) else {}
    return {
        each.name: getattr(used, each.name)
        for each in parameters(type(used))
        if each.name != "average"
        and getattr(used, each.name) != each.default
        and (each.name == "slots" or f"{each.name}=" not in requested)
    }
