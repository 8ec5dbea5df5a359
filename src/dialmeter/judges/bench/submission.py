"""Submissions: the scores of one judge on a frozen set, with everything that is needed to verify them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..._version import __version__
from ...errors import InputError, one_line
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ..ask import JudgeScores, ScorePair
from ..judge import FACETS
from ..matrix import CONTROL, JudgeDescription, VerdictSettings
from ..result import JudgeResult
from ..verdict import parse_threshold
from .case_set import BenchSet

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
    cells = JudgeResult(cases.cases, [judge], scored, SETTINGS).cells
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
