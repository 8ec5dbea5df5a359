"""Frozen sets of cases. A file has JSON lines: the first line describes the set, and each other line has a case with its hash.

Two sets with the same digest hold the same cases. A file that was changed cannot be read.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from ...errors import DialmeterError, InputError
from ...model import Conversation
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ..cases import Case

LAYOUT = 1
"""The version of the file format."""
SHIPPED = {"town": "town-1.jsonl.gz"}
"""The sets that come with dialmeter. These files never change: a new version of a set is a new file."""


class BenchHead(Struct, frozen=True, kw_only=True):
    """The first line of a set.

    Attributes:
        bench: the name of the set.
        version: the version of the set; submissions to another version are rejected.
        layout: the version of the file format.
        cases: the number of cases.
        digest: the digest of all cases, independent of their order.
        attacks: the number of cases by attack.
        made: a description of how the set was made.
        resources: the pipelines and lexicons that attacks used.
    """

    bench: str
    version: str
    layout: int
    cases: int
    digest: str
    attacks: dict[str, int]
    made: str = ""
    resources: tuple[str, ...] = ()


class _Line(Struct, frozen=True):
    hash: str
    case: Case


class BenchSet(Struct, frozen=True):
    """A set of cases with its head."""

    head: BenchHead
    cases: tuple[Case, ...]

    @property
    def hashes(self) -> list[str]:
        """The hash of every case, in order."""
        return [case_hash(case) for case in self.cases]


def case_hash(case: Case) -> str:
    """The first sixteen hexadecimal digits of the SHA-256 of a case with all its fields.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> from dialmeter.model import Move
        >>> case = Case("speaker", "", (Move("user", "hello"),), "hi", "hello hi", "lower", "coherence", Place("d1", 1))
        >>> len(case_hash(case)), case_hash(case) == case_hash(msgspec.structs.replace(case, reply="ho"))
        (16, False)
    """
    return hashlib.sha256(msgspec.json.encode(case)).hexdigest()[:16]


def set_digest(hashes: Iterable[str]) -> str:
    """The digest of a set from the hashes of its cases.

    Example:
        >>> set_digest(["b", "a"]) == set_digest(["a", "b"])
        True
    """
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def make_set(cases: Sequence[Case], *, name: str, version: str, made: str = "") -> BenchSet:
    """Make a set from cases. Duplicate cases are removed.

    Raises:
        DialmeterError: there are no cases.
    """
    distinct = {case_hash(case): case for case in cases}
    if not distinct:
        raise DialmeterError("there are no cases to make a set from")
    head = BenchHead(
        bench=name,
        version=version,
        layout=LAYOUT,
        cases=len(distinct),
        digest=set_digest(distinct),
        attacks=dict(sorted(Counter(case.attack for case in distinct.values()).items())),
        made=made,
        resources=tuple(sorted({each for case in distinct.values() for each in case.resources})),
    )
    return BenchSet(head, tuple(distinct.values()))


def write_set(cases: BenchSet) -> bytes:
    """The bytes of the file of a set."""
    lines = [msgspec.json.encode(cases.head)]
    lines += [msgspec.json.encode(_Line(name, case)) for name, case in zip(cases.hashes, cases.cases, strict=True)]
    return b"\n".join(lines) + b"\n"


def read_set(path: str | Path) -> BenchSet:
    """Read a set, and verify every hash and the digest.

    Args:
        path: the file; or the name of a set that comes with dialmeter, if there is no file of that name.

    Raises:
        InputError: the file is not a set, or was changed.

    Example:
        >>> read_set("town").head.version
        '1'
    """
    if str(path) in SHIPPED and not Path(path).exists():
        path = Path(str(files(__package__).joinpath(SHIPPED[str(path)])))
    source = Source(path)
    lines = iter(source.lines())
    number, first = next(lines, (1, b""))
    head = parse_as(first, BenchHead, source.name, number, what="the head of a set of cases")
    if head.layout != LAYOUT:
        raise InputError(f"a set of layout {head.layout}; this version reads layout {LAYOUT}", file=source.name)
    cases = []
    for number, data in lines:
        line = parse_as(data, _Line, source.name, number, what="a case of a set")
        if case_hash(line.case) != line.hash:
            raise InputError("the case was changed: its hash differs", file=source.name, line=number)
        cases.append(line.case)
    bench_set = BenchSet(head, tuple(cases))
    if len(cases) != head.cases or set_digest(bench_set.hashes) != head.digest:
        raise InputError(
            f"does not match its first line: it has {len(cases)} of {head.cases} cases, or another digest",
            file=source.name,
        )
    return bench_set


def own_talk() -> list[Conversation]:
    """Small dialogues that were written for dialmeter and are distributed with it.

    Example:
        >>> len(own_talk()) > 2
        True
    """
    data = files(__package__).joinpath("talk.jsonl").read_bytes()
    return [msgspec.json.decode(line, type=Conversation) for line in data.splitlines()]
