"""``dialmeter judge explain``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ...core.account import Account, count_reasons
from ...core.document import make_document
from ...errors import DialmeterError, UnreadableAnswer
from ...judges.ask import FAILED, UNREADABLE
from ...judges.case_files import read_cases
from ...judges.cases import Case, case_id, item_hash
from ...judges.explanation.explain import CaseExplained, Importance, explain_case, importance
from ...judges.judge import Item, Judge, load_weights
from ...judges.judged_items import JudgedItem
from ...model import Notice
from ...views.judge import explain_charts, importance_table, words_table
from ...views.tables import Table
from ..dry_run import dry_run_option
from ..options import chart_options, choice_option, command, number_option, seed_option
from ..printer import EVERY, Block, Output
from ..progress import watching
from .documents import JudgeExplainDocument
from .endpoints import dry_run
from .options import chosen_judges, judge_options

_LISTED = 20


@command()
@click.argument("cases_file", metavar="CASES")
@judge_options
@click.option("--attack", "attacks", multiple=True, metavar="A", help="Only cases of this attack; may be repeated.")
@click.option(
    "--cases", "most", type=click.IntRange(min=1), metavar="N", help="The first N cases of each attack; all without it."
)
@choice_option("--base", ["masked", "zero"], "What values are counted from; zero as in the paper on attacks.")
@number_option(
    "--budget", least=16, default=512, about="How often a judge is asked about a reply of more than 12 tokens."
)
@seed_option(0)
@number_option("--show", "shown", least=0, default=1, about="Cases to print or draw per attack.")
@dry_run_option
@chart_options
def explain(**options: Any) -> Output:
    """Which words of a reply move a judge's score? Shapley values for both replies of CASES.

    Up to 12 tokens of the judge, the values are exact; above, as many coalitions as --budget says are scored.
    """
    cases = _chosen(read_cases(options["cases_file"]), options)
    judges = chosen_judges(options, cases).judges
    if len(judges) != 1:
        raise DialmeterError("name exactly one judge to explain")
    [(name, judge)] = judges.items()
    if options["dry_run"]:
        asked = _AskedItems(judge)
        _explained(name, asked, cases, {**options, "quiet": True})
        units = [JudgedItem((key,), item) for key, item in asked.items.items()]
        return dry_run("judge explain", {name: units}, judges, {"cases": len(cases)})
    load_weights(judge)
    found, account, notices = _explained(name, judge, cases, options)
    ratios = importance(found)
    return Output(
        document=lambda _: make_document(
            JudgeExplainDocument,
            scores=[_score(name, each) for each in ratios],
            account=account,
            counts={"cases": len(cases), "explained": len(found)},
            warnings=notices,
            base=options["base"],
            cases=[{**to_builtins(each), "case": case_id(cases[each.case])} for each in found],
        ),
        parts=_parts(replace(importance_table(name, ratios), foot=(account.line,)), cases, found, options["shown"]),
        notices=notices,
        charts=lambda: explain_charts(name, cases, found, ratios, options["shown"]),
    )


class _AskedItems:
    """Keeps what a judge would be asked about; all scores are 0. Which words are hidden does not depend on scores."""

    facets: frozenset[str] | None = None
    scale: tuple[float, float] | None = None

    def __init__(self, judge: Judge) -> None:
        self.name, self.higher_is_better = judge.name, judge.higher_is_better
        self.items: dict[str, Item] = {}

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        self.items |= {item_hash(*item): item for item in items}
        return [0.0] * len(items)


def _score(judge: str, found: Importance) -> dict[str, Any]:
    rest = {key: value for key, value in to_builtins(found).items() if key not in ("ratio", "cases")}
    return {"measure": "importance", "judge": judge, "value": found.ratio, "n": found.cases, **rest}


def _parts(table: Table, cases: list[Case], found: list[CaseExplained], shown: int) -> Iterator[Block]:
    yield Block(table, EVERY)
    for attack in dict.fromkeys(each.attack for each in found):
        own = [each for each in found if each.attack == attack][:shown]
        yield from (Block(words_table(cases[each.case], each)) for each in own)


def _chosen(cases: list[Case], options: dict[str, Any]) -> list[Case]:
    known = list(dict.fromkeys(case.attack for case in cases))
    strange = [attack for attack in options["attacks"] if attack not in known]
    if strange:
        raise DialmeterError(f"no case of attack {strange[0]!r}; there are: {', '.join(known)}")
    found: list[Case] = []
    for attack in options["attacks"] or known:
        found += [case for case in cases if case.attack == attack][: options["most"]]
    return found


def _explained(
    name: str, judge: Judge, cases: list[Case], options: dict[str, Any]
) -> tuple[list[CaseExplained], Account, list[Notice]]:
    watch = watching("explaining", options["quiet"])
    found: list[CaseExplained] = []
    failed: list[tuple[str, str]] = []
    first = ""
    for number, case in enumerate(cases):
        try:
            found.append(
                explain_case(case, number, judge, base=options["base"], budget=options["budget"], seed=options["seed"])
            )
        except DialmeterError as error:
            failed.append((case_id(case), UNREADABLE if isinstance(error, UnreadableAnswer) else FAILED))
            first = first or str(error)
        if watch:
            watch(name, number + 1, len(cases))
    account = Account("case", len(cases), len(cases), len(found), count_reasons(failed), "explained")
    if not found:
        raise DialmeterError(f"no case could be explained: {account.why}; {first}")
    if not failed:
        return found, account, []
    message = f"{len(failed)} of {len(cases)} cases could not be explained: {first}"
    notice = Notice("judge-failed", len(failed), message, tuple(case for case, _ in failed)[:_LISTED])
    return found, account, [notice]
