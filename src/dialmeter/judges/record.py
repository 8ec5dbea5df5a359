"""The saved run of judges on cases: its identity and its rows, and one row as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import convert, to_builtins

from ..core.account import account_fields
from ..core.record import finish_run, run_identity
from ..core.run_writer import RunWriter
from ..errors import one_line
from .adapters.prompts import ModelExchange
from .cases import READING, Case, case_id
from .judge import AnyItem, Judge, identity_digest, is_pairwise
from .matrix import JudgeDescription, VerdictSettings
from .result import JudgeResult

_LONGEST = 10_000
"""The largest number of characters in a line."""


def case_exchanges(judge: Judge, case: Case) -> dict[str, ModelExchange]:
    """The prompts and answers of a language model for both replies of a case; empty for other judges.

    For a pairwise judge: with the human reply first, and with the adversarial reply first.
    """
    if not hasattr(judge, "exchange"):
        return {}
    human: AnyItem = (case.context, case.reply)
    adversarial: AnyItem = (case.attacked_context, case.adversarial)
    if is_pairwise(judge):
        human, adversarial = (*human, case.adversarial), (*adversarial, case.reply)
    exchanges = {
        "human": judge.exchange(human),
        "adversarial": judge.exchange(adversarial, again=human == adversarial),
    }
    return {reply: exchange for reply, exchange in exchanges.items() if exchange.answers}


def row_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """The lines that show a row: context, replies, and for each judge its scores, its verdict, and its prompts and answers."""
    must = READING.get(row["expected"], row["expected"])
    yield f"{_safe(row['id'])}: {_safe(row['attack'])} ({_safe(row['variant'])}), {_safe(row['facet'])}; the score {_safe(must)}"
    yield from (f"  {_safe(move['speaker'])}: {_safe(move['text'])}" for move in row["context"])
    yield f"  human reply: {_safe(row['reply'])}"
    if row.get("adversarial_context"):
        yield f"  last turn before the adversarial reply: {_safe(row['adversarial_context'][-1]['text'])}"
    yield f"  adversarial reply: {_safe(row['adversarial'])}"
    for judge, score in row["scores"].items():
        verdict = {True: "right", False: "failed", None: "unscored"}[score["conforms"]]
        why = f" ({_safe(score['failure'])})" if "failure" in score else ""
        values = f"human {_format_score(score['human'])}, adversarial {_format_score(score['adversarial'])}"
        yield f"{_safe(judge)}: {values}, {verdict}{why}"
        for reply, exchange in score.get("exchanges", {}).items():
            yield from _exchange_lines(reply, convert(exchange, ModelExchange))


def _exchange_lines(reply: str, exchange: ModelExchange) -> Iterator[str]:
    for message in exchange.messages:
        yield f"  {reply} reply, {message['role']} prompt:"
        yield from (f"    {_safe(line)}" for line in message["content"].splitlines())
    for answer in exchange.answers:
        tokens = f"{answer.prompt_tokens} + {answer.answer_tokens} tokens"
        score = f"score {_format_score(answer.score)}" if answer.score is not None else f"no score: {answer.error}"
        yield f"  {reply} reply, answer ({tokens}; {score}):"
        yield from (f"    {_safe(line)}" for line in answer.text.splitlines())
        if answer.reason:
            yield f"    reason: {_safe(answer.reason)}"


def _safe(text: str) -> str:
    """Remove terminal control sequences and line breaks from the text of a file or a model."""
    return one_line(text, _LONGEST)


def _format_score(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


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
    for cell in result.scores:
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
    reasons = {(failure.judge, failure.case): failure.detail for failure in result.scored.failures}
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
    for cell in result.scores:
        for outcome in cell.outcomes:
            if outcome.conforms is not None and cell.value is not None:
                columns[cell.judge][outcome.case] = float(not outcome.conforms)
    finish_run(
        writer,
        about,
        result,
        signature=result.scores[0].signature,
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
