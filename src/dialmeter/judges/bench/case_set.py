"""A frozen set of cases: JSON lines, the first of which says what the set is; every case has a hash, and the set a digest.

Two sets with the same digest hold the same cases. A file that was changed is refused when it is read.
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
"""The version of the file layout."""
SHIPPED = {"town": "town-1.jsonl.gz"}
"""The sets that come with dialmeter. A file here never changes: other cases are another version, in another file."""


class BenchHead(Struct, frozen=True, kw_only=True):
    """The first line of a set.

    Attributes:
        bench: the name of the set.
        version: of the set; submissions to another version are refused.
        layout: of the file.
        cases: how many there are.
        digest: of all cases, whatever their order.
        attacks: how many cases each attack has.
        made: how the set was made, in words.
        resources: pipelines and lexicons that attacks used.
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
    """Sixteen hexadecimal digits of the SHA-256 of a case: all that it holds.

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
    """A set from cases; a case that occurs twice is kept once.

    Raises:
        DialmeterError: there is no case.
    """
    distinct = {case_hash(case): case for case in cases}
    if not distinct:
        raise DialmeterError("there are no cases to make a set of")
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


def write_set(found: BenchSet) -> bytes:
    """The set as the bytes of a file."""
    lines = [msgspec.json.encode(found.head)]
    lines += [msgspec.json.encode(_Line(name, case)) for name, case in zip(found.hashes, found.cases, strict=True)]
    return b"\n".join(lines) + b"\n"


def read_set(path: str | Path) -> BenchSet:
    """A set from a file, with every hash and the digest checked.

    Args:
        path: the file, or the name of a set that comes with dialmeter, where there is no file of that name.

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
            raise InputError("the case was changed: its hash is another", file=source.name, line=number)
        cases.append(line.case)
    found = BenchSet(head, tuple(cases))
    if len(cases) != head.cases or set_digest(found.hashes) != head.digest:
        raise InputError(
            f"not the set that its first line names: {len(cases)} of {head.cases} cases, or another digest",
            file=source.name,
        )
    return found


def own_talk() -> list[Conversation]:
    """Small dialogues that were written for dialmeter and may be shipped.

    Example:
        >>> len(own_talk()) > 2
        True
    """
    data = files(__package__).joinpath("talk.jsonl").read_bytes()
    return [msgspec.json.decode(line, type=Conversation) for line in data.splitlines()]
