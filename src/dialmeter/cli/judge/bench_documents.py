"""The JSON documents of the benchmark of judges."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ...core.document import Count, Interval, Number
from ...judges.bench import BenchHead
from .documents import JudgeDocument


class BenchError(Struct, kw_only=True):
    """The mean error rate of a judge over the attacks on a facet. The facet ``control`` has identical replies."""

    measure: Literal["error"]
    judge: str
    facet: str
    value: Number
    ci: Interval
    n: Count
    unscored: Count


class BenchAgreement(Struct, kw_only=True):
    """The agreement of a judge with people, from a document of ``judge human`` that ``--people`` names."""

    measure: Literal["Spearman"]
    judge: str
    people: str
    value: Number


class BenchCounts(Struct, kw_only=True):
    """Number of cases and submissions."""

    cases: Count
    submissions: Count


class JudgeBenchMakeDocument(JudgeDocument, kw_only=True):
    """The head of a new set of cases."""

    command: Literal["judge bench make"] = "judge bench make"
    counts: BenchCounts
    head: BenchHead


class JudgeBenchRunDocument(JudgeDocument, kw_only=True):
    """The error rates of judges on a set, and the files of their submissions."""

    command: Literal["judge bench run"] = "judge bench run"
    scores: list[BenchError]
    counts: BenchCounts
    files: list[str]


class JudgeBenchVerifyDocument(JudgeDocument, kw_only=True):
    """The error rates of verified submissions."""

    command: Literal["judge bench verify"] = "judge bench verify"
    scores: list[BenchError]
    counts: BenchCounts


class JudgeBenchPageDocument(JudgeDocument, kw_only=True):
    """The error rates of the submissions on a board, and their agreement with people."""

    command: Literal["judge bench page"] = "judge bench page"
    scores: list[BenchError]
    agreement: list[BenchAgreement]
    counts: BenchCounts
