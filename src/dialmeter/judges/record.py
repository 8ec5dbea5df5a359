"""The run record of ``dialmeter judge score``: the identity of a run, and its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from ..core.account import account_fields
from ..core.record import finish_run, run_identity
from ..core.run_writer import RunWriter
from .cases import case_id
from .judge import Judge, identity_digest
from .matrix import JudgeDescription, VerdictSettings
from .result import JudgeResult
from .show import case_exchanges


def identity(
    inputs: Sequence[Mapping[str, str | None]], judges: Sequence[JudgeDescription], settings: VerdictSettings
) -> dict[str, Any]:
    """The identity of a run: inputs, judges and settings."""
    return run_identity(
        "judge",
        inputs,
        judges=[
            {
                "name": judge.name,
                "identity": identity_digest(judge.identity),
                "higher_is_better": judge.higher_is_better,
                "facets": sorted(judge.facets) if judge.facets is not None else None,
                "trivial": judge.trivial,
                **({"pairwise": True} if judge.pairwise else {}),
            }
            for judge in judges
        ],
        threshold=str(settings.threshold),
        verdict=settings.verdict,
        confidence=settings.confidence,
    )


def rows(result: JudgeResult, judges: Mapping[str, Judge] | None = None) -> Iterator[dict[str, Any]]:
    """One row per case, with everything that the viewer shows: context, both replies, their differences, and the scores of each judge.

    Args:
        result: the scored cases.
        judges: judges that can report their prompts and answers, by name.
    """
    scores: list[dict[str, dict[str, Any]]] = [{} for _ in result.cases]
    for cell in result.cells:
        for outcome in cell.outcomes:
            human, adversarial = result.scored.pairs[cell.judge][outcome.case]
            scores[outcome.case][cell.judge] = {
                "human": human,
                "adversarial": adversarial,
                "difference": outcome.difference,
                "relation": outcome.relation,
                "conforms": outcome.conforms if cell.value is not None else None,
                "threshold": cell.threshold,
            }
    reasons = {(failure.judge, failure.case): failure.why for failure in result.scored.failures}
    id_counts: Counter[str] = Counter()
    for number, case in enumerate(result.cases):
        name = case_id(case)
        id_counts[name] += 1
        for judge_name, score in scores[number].items():
            if (judge_name, number) in reasons:
                score["failure"] = reasons[judge_name, number]
        for judge_name, judge in (judges or {}).items():
            if exchanges := case_exchanges(judge, case):
                scores[number][judge_name]["exchanges"] = to_builtins(exchanges)
        fields = to_builtins(case)
        fields["context"] = [{"speaker": move.speaker, "text": move.text} for move in case.context]
        if case.adversarial_context:
            fields["adversarial_context"] = [
                {"speaker": move.speaker, "text": move.text} for move in case.adversarial_context
            ]
        yield {"id": name if id_counts[name] == 1 else f"{name}#{id_counts[name]}", **fields, "scores": scores[number]}


def finish(
    writer: RunWriter,
    result: JudgeResult,
    about: Mapping[str, Any],
    report: str,
    judges: Mapping[str, Judge] | None = None,
) -> None:
    """Write the rows that are not in the run yet, and close the run."""
    for row in rows(result, judges):
        if row["id"] not in writer.done:
            writer.add(row)
    columns: dict[str, list[float | None]] = {judge.name: [None] * len(result.cases) for judge in result.judges}
    for cell in result.cells:
        for outcome in cell.outcomes:
            if outcome.conforms is not None and cell.value is not None:
                columns[cell.judge][outcome.case] = float(not outcome.conforms)
    finish_run(
        writer,
        about,
        result,
        signature=result.cells[0].signature,
        columns=columns,
        report=report,
        accounts=account_fields(result.accounts),
        findings={
            "averages": result.averages,
            "comparisons": result.comparisons,
            **({"ladder": result.ladders} if result.ladders else {}),
            **({"position_bias": result.position_bias} if result.position_bias else {}),
        },
    )
