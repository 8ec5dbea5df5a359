"""The saved run of judges on cases: its identity and its rows, and one row as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict, replace

from ..core.record import run_identity
from ..errors import one_line
from ..model import Move
from .adapters.prompts import ModelExchange
from .cases import READING, Case, case_id
from .judge import AnyItem, Judge, identity_digest, is_pairwise
from .matrix import CaseVerdict, JudgeDescription, VerdictSettings
from .result import JudgeResult

_LONGEST = 10_000
"""The largest number of characters in a line."""
OUTCOMES = {True: "right", False: "failed", None: "unscored"}
"""What a judge did, in words, by whether it conforms."""


def case_exchanges(judge: Judge | None, case: Case) -> dict[str, ModelExchange]:
    """The prompts and answers of a language model for both replies of a case; empty for other judges.

    For a pairwise judge: with the human reply first, and with the adversarial reply first.
    """
    if judge is None or not hasattr(judge, "exchange"):
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


class CaseRow(Case, frozen=True, kw_only=True):
    """A row of a run: a case with the verdicts on all judges."""

    id: str
    scores: dict[str, CaseVerdict]


def row_lines(row: CaseRow) -> Iterator[str]:
    """The lines that show a row, without control characters and line breaks in the texts of files and models."""
    return (one_line(line, _LONGEST) for line in _row_lines(row))


def _row_lines(row: CaseRow) -> Iterator[str]:
    """The context, the replies, and for each judge its scores, its verdict, and its prompts and answers."""
    must = READING.get(row.expected, row.expected)
    yield f"{row.id}: {row.attack} ({row.variant}), {row.facet}; the score {must}"
    yield from (f"  {move.speaker}: {move.text}" for move in row.context)
    yield f"  human reply: {row.reply}"
    if row.adversarial_context:
        yield f"  last turn before the adversarial reply: {row.adversarial_context[-1].text}"
    yield f"  adversarial reply: {row.adversarial}"
    for judge, each in row.scores.items():
        why = f" ({each.failure})" if each.failure else ""
        values = f"human {_format_score(each.human)}, adversarial {_format_score(each.adversarial)}"
        yield f"{judge}: {values}, {OUTCOMES[each.conforms]}{why}"
        for reply, exchange in (each.exchanges or {}).items():
            for message in exchange.messages:
                yield f"  {reply} reply, {message['role']} prompt:"
                yield from (f"    {line}" for line in message["content"].splitlines())
            for answer in exchange.answers:
                tokens = f"{answer.prompt_tokens} + {answer.answer_tokens} tokens"
                score = "no score: " + answer.error if answer.score is None else f"score {_format_score(answer.score)}"
                yield f"  {reply} reply, answer ({tokens}; {score}):"
                yield from (f"    {line}" for line in answer.text.splitlines())
                if answer.reason:
                    yield f"    reason: {answer.reason}"


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


def rows(result: JudgeResult, judges: Mapping[str, Judge] | None = None) -> Iterator[CaseRow]:
    """One row per case, with everything that the viewer shows: context, both replies, their differences, and the verdict on each judge.

    Args:
        result: the scored cases.
        judges: judges that can report their prompts and answers, by name.
    """
    reasons = {(failure.judge, failure.case): failure.detail for failure in result.scored.failures}
    id_counts: Counter[str] = Counter()
    for number, case in enumerate(result.cases):
        name = case_id(case)
        id_counts[name] += 1
        scores = {
            judge: replace(
                verdicts[number],
                failure=reasons.get((judge, number), UNSET),
                exchanges=case_exchanges((judges or {}).get(judge), case) or UNSET,
            )
            for judge, verdicts in result.verdicts.items()
        }
        plain = {
            key: tuple(Move(move.speaker, move.text) for move in getattr(case, key))
            for key in ("context", "adversarial_context")
        }
        unique = name if id_counts[name] == 1 else f"{name}#{id_counts[name]}"
        yield CaseRow(**{**asdict(case), **plain}, id=unique, scores=scores)
