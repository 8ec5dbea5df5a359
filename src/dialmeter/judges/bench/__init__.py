"""Benches: frozen sets of cases, and submissions with the scores of one judge on a set and all that is needed to verify them.

A file of a set has JSON lines: the first line describes the set, and each other line has a case with its hash. Two sets with the
same digest hold the same cases. A file that was changed cannot be read.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..._version import __version__
from ...errors import DialmeterError, InputError, one_line
from ...model import Conversation
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ..ask import JudgeScores, ScorePair
from ..cases import Case, parse_threshold
from ..judge import FACETS
from ..matrix import CONTROL, JudgeDescription, VerdictSettings
from ..result import JudgeResult

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


SETTINGS = VerdictSettings(parse_threshold("sd"), "paper", 0.95)
"""The threshold does not depend on the number of cases, so attacks with different numbers of cases are comparable."""


class FacetError(Struct, frozen=True):
    """The mean error rate over the attacks on a facet, with an interval from resampled dialogues. ``control`` is for identical replies."""

    facet: str
    value: float | None
    ci: tuple[float, float] | None
    attacks: int
    n: int


class Submission(Struct, frozen=True, kw_only=True):
    """The scores of one judge.

    Attributes:
        bench, version, digest: the name, version and digest of the set.
        judge: the judge's name in tables.
        identity: a digest of everything that the scores depend on.
        higher_is_better: True if a higher score is a better reply, as the judge declares.
        facets: the facets that the judge claims to judge; null for all facets.
        scores: by hash of the case, the scores of the human and of the adversarial reply; null for an unscored reply.
        errors: error rates that are computed from the scores.
        signature: SHA-256 of all of the above.
        seconds: the duration of scoring; not signed.
    """

    bench: str
    version: str
    digest: str
    dialmeter: str
    judge: str
    identity: str
    higher_is_better: bool
    facets: list[str] | None
    scores: dict[str, tuple[float | None, float | None]]
    errors: list[FacetError]
    signature: str = ""
    seconds: float | None = None


def signed(unsigned: Submission) -> Submission:
    """The submission with a new signature."""
    content = msgspec.json.encode(replace(unsigned, signature="", seconds=None), order="sorted")
    return replace(unsigned, signature=hashlib.sha256(content).hexdigest())


def submission(
    cases: BenchSet, judge: JudgeDescription, pairs: Sequence[ScorePair], seconds: float | None = None
) -> Submission:
    """Create a signed submission from the scores of a judge."""
    unsigned = Submission(
        bench=cases.head.bench,
        version=cases.head.version,
        digest=cases.head.digest,
        dialmeter=__version__,
        judge=judge.name,
        identity=hashlib.sha256(judge.identity.encode()).hexdigest()[:16],
        higher_is_better=judge.higher_is_better,
        facets=sorted(judge.facets) if judge.facets is not None else None,
        scores={name: (pair.human, pair.adversarial) for name, pair in zip(cases.hashes, pairs, strict=True)},
        errors=facet_errors(cases, judge, pairs),
    )
    return replace(signed(unsigned), seconds=seconds)


def read_submission(path: str | Path, cases: BenchSet) -> Submission:
    """Read a submission, and verify its signature, set, completeness and error rates.

    Raises:
        InputError: it was changed, is for another set or version, has missing cases, or its error rates do not match its scores.
    """
    source = Source(path)
    submitted = parse_as(source.read_all(), Submission, source.name, what="a submission")
    head = cases.head

    def error(message: str) -> InputError:
        return InputError(message, file=source.name)

    if signed(submitted).signature != submitted.signature:
        raise error("was changed after it was signed")
    if (submitted.bench, submitted.version) != (head.bench, head.version):
        given, expected = (
            f"{one_line(name)} {one_line(version)}"
            for name, version in ((submitted.bench, submitted.version), (head.bench, head.version))
        )
        raise error(f"is for {given}, but the set is {expected}")
    if submitted.digest != head.digest:
        raise error("is for a set with other cases: the digests differ")
    missing = [name for name in cases.hashes if name not in submitted.scores]
    if missing or len(submitted.scores) != head.cases:
        more = len(submitted.scores) - (head.cases - len(missing))
        raise error(f"{len(missing)} of {head.cases} cases are missing, and {more} are not in the set")
    errors = facet_errors(
        cases, _describe_judge(submitted), [ScorePair(*submitted.scores[name]) for name in cases.hashes]
    )
    for ours, theirs in zip(errors, submitted.errors, strict=False):
        if (ours.facet, ours.n) != (theirs.facet, theirs.n) or abs((ours.value or 0) - (theirs.value or 0)) > 1e-9:
            raise error(f"the error rate of {theirs.facet} does not match the scores")
    if len(errors) != len(submitted.errors):
        raise error("the error rates do not match the scores")
    return submitted


def unscored(submitted: Submission) -> int:
    """Number of unscored cases."""
    return sum(None in pair for pair in submitted.scores.values())


def _describe_judge(submitted: Submission) -> JudgeDescription:
    facets = frozenset(submitted.facets) if submitted.facets is not None else None
    return JudgeDescription(submitted.judge, submitted.identity, submitted.higher_is_better, facets)


def facet_errors(cases: BenchSet, judge: JudgeDescription, pairs: Sequence[ScorePair]) -> list[FacetError]:
    """Mean error rates by facet and overall, with equal weights for all attacks, and the error rate on identical replies."""
    scored = JudgeScores({judge.name: list(pairs)}, [])
    cells = JudgeResult(cases.cases, [judge], scored, SETTINGS).scores
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for cell in cells:
        for outcome in cell.outcomes if cell.value is not None else ():
            if outcome.conforms is not None:
                case = cases.cases[outcome.case]
                row = counts.setdefault(f"{case.corpus}/{case.source.dialogue}", {})
                wrong, n = row.get(cell.attack, (0, 0))
                row[cell.attack] = wrong + (not outcome.conforms), n + 1
    facets = {cell.attack: cell.facet for cell in cells}
    groups = {facet: [name for name, own in facets.items() if own == facet and name != CONTROL] for facet in FACETS}
    groups["overall"] = [name for names in groups.values() for name in names]
    groups["control"] = [CONTROL] if CONTROL in facets else []
    return [_mean_error(facet, attacks, counts) for facet, attacks in groups.items()]


def _mean_error(facet: str, attacks: Sequence[str], counts: Mapping[str, Mapping[str, tuple[int, int]]]) -> FacetError:
    import numpy as np

    from ...stats import Formula, bootstrap

    scored = [name for name in attacks if any(name in row for row in counts.values())]
    n = sum(row[name][1] for row in counts.values() for name in scored if name in row)
    if not scored or len(counts) < 2:
        return FacetError(facet, None, None, len(scored), n)
    table = np.array(
        [[number for name in scored for number in counts[row].get(name, (0, 0))] for row in sorted(counts)],
        dtype=np.float64,
    )
    mean = Formula(lambda sums: (sums[..., 0::2] / sums[..., 1::2]).mean(axis=-1))
    interval = bootstrap(table, {"error": mean}, resamples=1000, seed=12345)["error"]
    return FacetError(facet, interval.value, interval.ci, len(scored), n)
