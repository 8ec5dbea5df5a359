"""The document that a command prints with `--format json`, as a typed struct. The JSON and its schema are both generated from it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from .._version import __version__
from .account import Reason
from .comparison import PairedDifference, Resampling
from .ladder import Ladder

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Number: TypeAlias = float | None
Interval: TypeAlias = tuple[float, float] | None
Text: TypeAlias = Annotated[str, Meta(min_length=1)]


class AccountRecord(Struct, kw_only=True):
    """Number of requested and scored units. The counts of the reasons add up to unscored.

    Attributes:
        unit: the unit that is counted.
        asked: number of requested units: those of --only, or all.
        found: number of requested units that the input contains.
        unscored: asked minus scored.
    """

    unit: Literal["dialogue", "case", "item"]
    asked: Count
    found: Count
    scored: Count
    unscored: Count
    reasons: list[Reason]


class NoticeRecord(Struct, kw_only=True):
    """A warning.

    Attributes:
        where: places in the input, at most ten or twenty.
    """

    code: Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
    count: Count
    message: Text
    where: list[str]


class ScoreRecord(Struct, kw_only=True):
    """A score.

    Attributes:
        measure: the measure as requested, such as FGA(lam=0.5).
        value: a fraction; null if there was nothing to score. Most values are between 0 and 1. ValuePrecision and
            similar measures may exceed 1 under dstc10; SA may be below 0 under trade and fga-repo.
        ci: the limits of the confidence interval, or null if there is none.
        n: number of scored units.
        unscored: number of units that are not in the mean.
        ci_reason: why the value has no interval.
        reason: why there is no value.
    """

    measure: Text
    value: Number
    ci: Interval
    n: Count
    unscored: Count
    ci_reason: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET


class SignedScore(ScoreRecord, kw_only=True):
    """A score with its signature. One of several systems has its name, and the score of a group the keys of the group.

    Attributes:
        signature: how the number was computed; numbers whose signatures differ in more than v are not comparable.
        domain: a domain; for users also combined.
        variant: the name of a wording of the schema.
    """

    signature: Text
    system: Text | UnsetType = UNSET
    domain: str | UnsetType = UNSET
    slot: str | UnsetType = UNSET
    without_domain: str | UnsetType = field(default=UNSET, name="without-domain")
    service: str | UnsetType = UNSET
    seen: str | UnsetType = UNSET
    turn: Count | UnsetType = UNSET
    variant: str | UnsetType = UNSET


class IntervalMethod(Struct, kw_only=True):
    """The method and the settings of confidence intervals."""

    method: Literal["bootstrap"]
    confidence: float
    resamples: Count
    seed: Count


class Document(Struct, kw_only=True):
    """The document that every command prints with `--format json`.

    Attributes:
        schema: the version of the document format; it is raised when a key is removed or renamed.
        dialmeter: the version of dialmeter that wrote the document.
        kind: the subject, such as tracker; the first word of a command that has no subject.
        account: number of requested and scored units; the sum over accounts if there are several.
        accounts: the same by system, user, judge, rule set or file.
        counts: number of units of each kind.
    """

    schema: Literal[1] = 1
    dialmeter: Text = __version__
    kind: str = ""
    command: str
    scores: list[Any]
    account: AccountRecord | UnsetType = UNSET
    accounts: dict[str, AccountRecord] | UnsetType = UNSET
    counts: dict[str, Count]
    warnings: list[NoticeRecord]

    def __post_init__(self) -> None:
        self.kind = self.kind or self.command.partition(" ")[0]


class ScoredDocument(Document, kw_only=True):
    """The document of a command that scores. Values are fractions.

    Attributes:
        format: the format of the input.
        intervals: the method of the intervals, or null with --ci 0.
        unscored_dialogues: every dialogue that cannot be read, with the reason.
    """

    scores: list[SignedScore]
    format: Text
    intervals: IntervalMethod | None
    unscored_dialogues: list[Text] | UnsetType = UNSET


class ComparedDocument(Document, kw_only=True):
    """The document of a command that compares: every system with the first one. Values are fractions.

    Attributes:
        versus: the paired differences: the system's value minus the base's.
        ladder: for each system after the first, its verdict under the first measure and what the verdict depends on.
        intervals: the method of intervals and tests, or null with --ci 0.
    """

    scores: list[SignedScore]
    versus: list[PairedDifference]
    ladder: list[Ladder]
    intervals: IntervalMethod | UnsetType | None = UNSET


class CheckedDocument(Document, kw_only=True):
    """The document of a command that validates a file.

    Attributes:
        format: the format of the file.
        valid: true if there are no problems; the exit code is then 0.
        problems: one for each unit that cannot be used.
    """

    scores: list[SignedScore]
    format: Text
    valid: bool
    problems: list[NoticeRecord]


DocumentType = TypeVar("DocumentType", bound=Document)
_HEAD = ("schema", "dialmeter", "kind", "command", "scores", "warnings")
"""Fields that are never copied from attributes of a result."""


def make_document(kind: type[DocumentType], result: object = None, /, **fields: Any) -> DocumentType:
    """Build a document from a result and from plain data. A field that is UNSET is absent.

    Args:
        kind: the type of the document.
        result: its attributes become the fields of the same names, its ``to_dicts()`` the scores, its ``notices`` the warnings.
        fields: all other fields, and those that the result has in another form: plain data, or structs with attributes of
            the same names.

    Example:
        >>> from types import SimpleNamespace
        >>> from dialmeter.model import Notice
        >>> result = SimpleNamespace(counts={"turns": 3}, notices=[Notice("few", 1, "Too few dialogues.")])
        >>> document = make_document(Document, result, command="score", kind="user")
        >>> document.kind, document.counts, document.warnings
        ('user', {'turns': 3}, [NoticeRecord(code='few', count=1, message='Too few dialogues.', where=[])])
    """
    missing = [name for name in kind.__struct_fields__ if name not in fields and name not in _HEAD]
    values = {
        "scores": getattr(result, "to_dicts", list)(),
        "counts": {},
        "warnings": getattr(result, "notices", []),
        **{name: getattr(result, name) for name in missing if hasattr(result, name)},
        **fields,
    }
    return msgspec.convert(
        {name: each for name, each in values.items() if each is not UNSET}, kind, from_attributes=True
    )


def describe_intervals(resampling: Resampling | None) -> dict[str, Any] | None:
    """Return the settings of intervals for a document, or None if there are no intervals.

    Example:
        >>> describe_intervals(Resampling(seed=7))
        {'method': 'bootstrap', 'confidence': 0.95, 'resamples': 1000, 'seed': 7}
    """
    return None if resampling is None else {"method": "bootstrap", **msgspec.to_builtins(resampling)}


def to_json(document: Document) -> str:
    r"""Return the document as indented JSON. Characters that could control a terminal are escaped as \u and their code.

    Example:
        >>> "a\\u001bb" in to_json(make_document(Document, kind="a\x1bb", command="c"))
        True
    """
    text = msgspec.json.format(msgspec.json.encode(document), indent=1).decode()
    # Most lines have no such character.
    return "\n".join(
        line if line.isprintable() else "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
        for line in text.split("\n")
    )
