"""Show one case as lines of text: context, replies, the scores of all judges, and the prompts and answers of language models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import DialmeterError, did_you_mean, one_line
from .adapters.prompts import ModelExchange
from .cases import Case, case_id
from .judge import AnyItem, Judge, is_pairwise
from .result import JudgeResult
from .verdict import READING, expected_of

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


def find_case(result: JudgeResult, name: str) -> int:
    """The index of a case. Its name is its id, or its line number in the file, from 1.

    Raises:
        DialmeterError: there is no such case.
    """
    if name.isdecimal() and 1 <= int(name) <= len(result.cases):
        return int(name) - 1
    places = {case_id(case): number for number, case in enumerate(result.cases)}
    if name not in places:
        raise DialmeterError(f"no case {name!r}; {did_you_mean(name, places)}")
    return places[name]


def case_lines(result: JudgeResult, number: int, judges: Mapping[str, Judge]) -> Iterator[str]:
    """The lines that show a case.

    Args:
        result: the scored cases.
        number: the index of the case.
        judges: judges that can report their prompts and answers, by name.
    """
    case = result.cases[number]
    must = READING[expected_of(case, result.settings.verdict)]
    yield f"{_safe(case_id(case))}: {_safe(case.attack)} ({_safe(case.variant)}), {case.facet}; the score {must}"
    yield from (f"  {_safe(move.speaker)}: {_safe(move.text)}" for move in case.context)
    yield f"  human reply: {_safe(case.reply)}"
    if case.adversarial_context:
        yield f"  last turn before the adversarial reply: {_safe(case.adversarial_context[-1].text)}"
    yield f"  adversarial reply: {_safe(case.adversarial)}"
    outcomes = {
        cell.judge: (outcome, cell) for cell in result.cells for outcome in cell.outcomes if outcome.case == number
    }
    reasons = {each.judge: each.why for each in result.scored.failures if each.case == number}
    for judge in result.judges:
        outcome, cell = outcomes[judge.name]
        human, adversarial = result.scored.pairs[judge.name][number]
        is_counted = cell.value is not None and outcome.conforms is not None
        verdict = ("right" if outcome.conforms else "error") if is_counted else "not counted"
        why = f" ({reasons[judge.name]})" if judge.name in reasons else ""
        yield f"{_safe(judge.name)}: human {_format_score(human)}, adversarial {_format_score(adversarial)}, {verdict}{why}"
        if judge.name in judges:
            for reply, exchange in case_exchanges(judges[judge.name], case).items():
                yield from _exchange_lines(reply, exchange)


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
