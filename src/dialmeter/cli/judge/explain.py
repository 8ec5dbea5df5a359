"""``dialmeter judge explain``"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal

import click
from msgspec.structs import replace

from ...core.account import Account, count_reasons
from ...core.document import Document
from ...errors import DialmeterError, UnreadableAnswer
from ...judges.ask import FAILED, UNREADABLE, send_batches
from ...judges.case_files import read_cases
from ...judges.cases import Case, case_id, item_hash
from ...judges.explanation import CaseExplained, Importance, explain_case, importance
from ...judges.judge import Item, Judge, batches_of, load_weights
from ...judges.judged_items import JudgedItem
from ...judges.requests import check_single, make_judges, parse_requests
from ...judges.scorer import offered_by_cases
from ...model import Notice
from ...progress import track_count
from ...views.judge import explain_charts, first_by_attack, importance_table, words_table
from ...views.summaries.judge import explain_summary
from ..dry_run import dry_run_option
from ..frame import document_output
from ..options import command, option, seed_option
from ..printer import EVERY, Block, Output
from ..study import study_options
from .options import dry_run, judge_options, place_of_models, refuse_ratings

_LISTED = 20


class JudgeExplainDocument(Document, kw_only=True):
    """Shapley values of the words of both replies of each case, and for each attack the weight of the words of adversarial
    replies relative to human replies."""

    command: str = "judge explain"
    scores: list[Importance]
    base: Literal["masked", "zero"]
    cases: list[CaseExplained]


@command()
@click.argument("cases_file", metavar="CASES")
@judge_options
@option("--attack A* attacks", "Only cases of this attack; may be repeated.")
@option("--limit N most", "Number of cases of each attack (default: all).", least=1)
@option(
    "--base",
    "Base of the values: the score of the masked reply, or zero as in the paper on attacks.",
    choices=["masked", "zero"],
)
@option("--budget", "Number of calls of the judge for a reply of more than 12 tokens.", least=16, default=512)
@seed_option(0)
@dry_run_option
@study_options
def explain(**options: Any) -> Output:
    """Show which words of a reply change a judge's score: Shapley values for both replies of CASES.

    The values are exact for up to 12 tokens of the judge. For longer replies, --budget is the number of scored coalitions.
    """
    refuse_ratings(options["cases_file"], "cases, which `dialmeter judge attack` makes")
    cases = _select_cases(read_cases(options["cases_file"]), options)
    requests = parse_requests(options["judges"])
    if len(options["judges"]) != 1 or not requests.calls:
        raise DialmeterError("give exactly one judge to explain, as in -j overlap")
    judges = make_judges(requests.calls, {**offered_by_cases(cases), **place_of_models(options)}).judges
    check_single(judges)
    [(name, judge)] = judges.items()
    if options["dry_run"]:
        recorder = _ItemRecorder(judge)
        _explain_cases(name, recorder, cases, options)
        units = [JudgedItem((key,), item) for key, item in recorder.items.items()]
        return dry_run("judge explain", {name: units}, judges, {"cases": len(cases)})
    load_weights(judge)
    if batches_of([judge]):  # one batch has the requests about all masked replies
        recorder = _ItemRecorder(judge)
        _explain_cases(name, recorder, cases, options)
        with suppress(DialmeterError):
            judge.score(list(recorder.items.values()))
        send_batches(judges)
    explained, account, notices = _explain_cases(name, judge, cases, options)
    ratios = importance(name, explained)
    return document_output(
        JudgeExplainDocument,
        summary=explain_summary(name, ratios, account),
        parts=[
            Block(replace(importance_table(name, ratios), foot=(account.line,)), EVERY),
            *(Block(words_table(each)) for each in first_by_attack(explained)),
        ],
        notices=notices,
        charts=lambda: explain_charts(name, explained, ratios),
        scores=ratios,
        account=account,
        counts={"cases": len(cases), "explained": len(explained)},
        base=options["base"],
        cases=explained,
    )


class _ItemRecorder:
    """Records the items that a judge would score, for --dry-run. All scores are 0, because the hidden words do not depend on
    scores."""

    facets: frozenset[str] | None = None
    scale: tuple[float, float] | None = None

    def __init__(self, judge: Judge) -> None:
        self.name, self.higher_is_better = judge.name, judge.higher_is_better
        self.items: dict[str, Item] = {}

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        self.items |= {item_hash(*item): item for item in items}
        return [0.0] * len(items)


def _select_cases(cases: list[Case], options: dict[str, Any]) -> list[Case]:
    attacks = list(dict.fromkeys(case.attack for case in cases))
    unknown = [attack for attack in options["attacks"] if attack not in attacks]
    if unknown:
        raise DialmeterError(f"no case of attack {unknown[0]!r}; known: {', '.join(attacks)}")
    selected: list[Case] = []
    for attack in options["attacks"] or attacks:
        selected += [case for case in cases if case.attack == attack][: options["most"]]
    return selected


def _explain_cases(
    name: str, judge: Judge, cases: list[Case], options: dict[str, Any]
) -> tuple[list[CaseExplained], Account, list[Notice]]:
    explained: list[CaseExplained] = []
    failed: list[tuple[str, str]] = []
    first_error = ""
    for case in track_count(cases, len(cases), "explaining", "cases"):
        try:
            explained.append(
                explain_case(case, judge, base=options["base"], budget=options["budget"], seed=options["seed"])
            )
        except DialmeterError as error:
            failed.append((case_id(case), UNREADABLE if isinstance(error, UnreadableAnswer) else FAILED))
            first_error = first_error or str(error)
    account = Account("case", len(cases), len(cases), len(explained), count_reasons(failed), "explained")
    if not explained:
        raise DialmeterError(f"no case could be explained: {account.reason}; {first_error}")
    if not failed:
        return explained, account, []
    message = f"{len(failed)} of {len(cases)} cases could not be explained: {first_error}"
    notice = Notice("judge-failed", len(failed), message, tuple(case for case, _ in failed)[:_LISTED])
    return explained, account, [notice]
