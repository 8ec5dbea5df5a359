"""``dialmeter user compare``"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ...core.comparison import Resampling
from ...core.document import describe_intervals, make_document
from ...errors import DialmeterError
from ...model import Notice
from ...readers.trajectories import is_log
from ...users.compare import common_goals
from ...users.compare import compare as compared_with
from ...users.outcome import COMBINED
from ...users.result import UserResult
from ...views.user import comparison_chart, comparison_table
from ..options import chart_options, chosen_resampling, command, fail_if_worse_option, interval_options, name_option
from ..printer import Output
from ..progress import expect_files
from ..several import chosen_names, comparison_parts, fail_if_worse, named_notices, scores_and_accounts
from ..study import study_options
from ..work import work_options
from .compare_distance import compare_distance
from .documents import UserCompareDocument
from .logs.compare import compare_logs
from .scoring import chosen_how, dialogue_options, scored, scoring_options


@command()
@click.argument("files", nargs=-1, required=True)
@name_option("What to call a user; one for each file.")
@click.option("--domain", default=COMBINED, show_default=True, metavar="D", help="Compare in one domain.")
@click.option("--distance", is_flag=True, help="How the second user differs from people, who are the first file.")
@fail_if_worse_option("a user")
@dialogue_options
@scoring_options
@work_options
@interval_options(resamples=10_000)
@chart_options
@study_options
def compare(**options: Any) -> Output:
    """Compare users: FILES are their dialogues, the first of which is the baseline.

    Dialogues are matched by name, and only those with equal goals are compared. p values are two-sided, paired, and
    corrected by Holm over the whole table.

    Where FILES are logs of agents, their users are compared on the same tasks: ItemRecall, and shares of dialogues without
    events, with the exact sign test over the tasks that differ.

    With --distance, two files: dialogues of people, then those of a simulated user. Turn lengths, acts per turn, vocabulary,
    diversity, repetitions, questions and the order of slots are compared; goals need not be the same. Where both files have the
    same dialogues, acts are compared turn by turn, too.
    """
    files, domain = options["files"], options["domain"]
    if len(files) < 2:
        raise DialmeterError("compare needs two files or more, the first of which is the baseline")
    if "-" in files:
        raise DialmeterError("compare reads its files twice, which standard input does not allow")
    names = dict(zip(chosen_names(files, options["names"], "users"), files, strict=True))
    if options["distance"]:
        return compare_distance(names, options)
    if is_log(files[0], options["format"], unknown=False):
        return compare_logs(names, options)
    how, resampling = chosen_how(options), chosen_resampling(options) or Resampling()
    expect_files(len(files))

    def scored_users(only: frozenset[str] | None) -> dict[str, UserResult]:
        return {name: scored(file, how, options, resampling, only=only).result for name, file in names.items()}

    results = whole = scored_users(None)
    common = common_goals(results)
    if any(result.account.asked > len(common.keys) for result in results.values()):
        results = scored_users(common.keys)
    known = {each for result in results.values() for each in (COMBINED, *result.domains)}
    if domain not in known:
        raise DialmeterError(f"no domain {domain!r}; there are: {', '.join(sorted(known))}")
    found = compared_with(results, resampling, domain)
    notices = [*common.notices, *found.notices, *_notices(whole, results)]
    return Output(
        document=lambda _: make_document(
            UserCompareDocument,
            **scores_and_accounts(results),
            counts={"dialogues": len(common.keys), "systems": len(results)},
            warnings=notices,
            versus=found.versus,
            domain=domain,
            intervals=describe_intervals(resampling),
        ),
        parts=comparison_parts(
            comparison_table(found, domain),
            {
                name: [score for score in result.scores if score.group["domain"] == domain]
                for name, result in results.items()
            },
            found.versus,
            f"{len(common.keys)} dialogues with the same goal for every user",
            "user",
        ),
        notices=notices,
        charts=lambda: [comparison_chart(found, domain)],
        check=lambda: fail_if_worse(options, found.versus, 1 - resampling.confidence),
    )


def _notices(whole: Mapping[str, UserResult], results: Mapping[str, UserResult]) -> list[Notice]:
    """The warnings about each user, with its name: dialogues of the whole file that cannot be scored, then the rest."""
    return [
        each
        for name, result in results.items()
        for refused, notices in ((True, whole[name].notices), (False, result.notices))
        for each in named_notices(name, notices)
        if (each.code == "refused") is refused
    ]
