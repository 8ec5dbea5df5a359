"""The flow of ``compare`` for users"""

from __future__ import annotations

from typing import Any

import click

from ...core.comparison import Resampling
from ...core.document import ComparedDocument
from ...core.result import score_dict
from ...errors import DialmeterError
from ...readers.conversations import is_log
from ...users.compare import SHOWN_MEASURES, compare_users
from ...users.result import UserResult, UserSettings
from ...views.ladder import ladder_charts
from ...views.summaries.user import compare_summary
from ...views.user import comparison_chart, comparison_table
from ..frame import (
    check_count,
    compared_output,
    comparison_parts,
    name_files,
    named_notices,
)
from ..options import (
    command,
    fail_if_option,
    interval_options,
    latex_option,
    measure_option,
    option,
)
from ..printer import Output, typed_command
from ..progress import expect_files
from ..study import study_options
from ..work import work_options
from .inputs import (
    measures_from_options,
    only_from_options,
    only_option,
    score_dialogues,
    scoring_options,
    settings_from_options,
)
from .logs import compare_logs


class UserCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of users on the dialogues with the same goals, each with the first user."""

    kind: str = "user"
    command: str = "compare"


@command()
@click.argument("files", nargs=-1, required=True)
@option("--name NAME* names", "Name of a user; give one for each file.")
@only_option
@measure_option
@scoring_options
@work_options
@interval_options(resamples=10_000)
@latex_option
@fail_if_option("I-GCDF1 < 0.8", verdicts=True)
@study_options
def compare(**options: Any) -> Output:
    """Compare users on the same goals. FILES are their dialogues. The first file is the baseline.

    Dialogues are matched by id, and only dialogues with equal goals are compared. p values are two-sided, paired, and
    corrected by Holm over the whole table.

    If FILES are logs of systems, their users are compared on the same tasks: GoalRecall, and the shares of dialogues without
    events, with the t test over tasks.
    """
    files = options["files"]
    check_count(files, "files")
    if "-" in files:
        raise DialmeterError("compare reads its files twice; standard input can be read only once")
    names = dict(zip(name_files(files, options["names"], "users"), files, strict=True))
    if is_log(files[0], options["format"], unknown=False):
        return compare_logs(UserCompareDocument, names, options)
    settings, resampling = settings_from_options(options), options["resampling"] or Resampling()
    keys = measures_from_options(options) or SHOWN_MEASURES
    expect_files(len(files))

    def score_all(only: frozenset[str] | None, other: UserSettings | None) -> dict[str, UserResult]:
        # Scores with other settings need no intervals, because only their differences are shown.
        drawn = resampling if other is None else None
        scored = (score_dialogues(file, other or settings, options, drawn, only=only) for file in names.values())
        return {name: result for name, (_, result) in zip(names, scored, strict=True)}

    chosen = None if options["only"] == COMMON else only_from_options(options)
    comparison, uncommon, whole_results = compare_users(score_all, chosen, resampling, keys)
    results = comparison.results
    dialogues = next(iter(results.values())).account.asked
    # Warnings about unscored dialogues come from the whole file, all others from the compared dialogues.
    own = [
        named
        for name, result in results.items()
        for refused, notices in ((True, whole_results[name].notices), (False, result.notices))
        for named in named_notices(name, notices)
        if (named.code == "unscored") is refused
    ]
    scores = {name: [result.score(key) for key in keys] for name, result in results.items()}
    return compared_output(
        UserCompareDocument,
        comparison,
        options,
        resampling=resampling,
        notices=[*uncommon, *comparison.notices, *own],
        fields={
            "counts": {"dialogues": dialogues, "systems": len(results)},
            "scores": [{**score_dict(each), "system": name} for name, listed in scores.items() for each in listed],
        },
        summary=compare_summary(comparison, typed_command(), keys, uncommon),
        parts=comparison_parts(
            comparison_table(comparison, keys),
            scores,
            comparison,
            f"{dialogues} dialogues with the same goal for every user",
            who="user",
        ),
        charts=lambda: [*ladder_charts(comparison.ladders), comparison_chart(comparison, keys)],
    )


COMMON = "common"
"""The value of --only for the dialogues that all files have. Users are always compared on the goals that all have."""
