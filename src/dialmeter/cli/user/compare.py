"""``dialmeter compare`` of users"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ...core.comparison import Resampling
from ...errors import DialmeterError
from ...model import Notice
from ...readers.conversations import is_log
from ...users.compare import common_goals
from ...users.compare import compare as compare_users
from ...users.events import COMBINED
from ...users.result import UserResult, UserSettings
from ...views.ladder import ladder_charts
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
    option,
)
from ..printer import Output
from ..progress import expect_files
from ..study import study_options
from ..work import work_options
from .logs import compare_logs
from .score import UserCompareDocument, dialogue_options, score_dialogues, scoring_options, user_settings_from_options


@command()
@click.argument("files", nargs=-1, required=True)
@option("--name NAME* names", "Name of a user; give one for each file.")
@option("--domain D", "Compare scores of this domain.", default=COMBINED)
@dialogue_options
@scoring_options
@work_options
@interval_options(resamples=10_000)
@fail_if_option("I-GCDF1 < 0.8", verdicts=True)
@study_options
def compare(**options: Any) -> Output:
    """Compare users on the same goals. FILES are their dialogues. The first file is the baseline.

    Dialogues are matched by id, and only dialogues with equal goals are compared. p values are two-sided, paired, and
    corrected by Holm over the whole table.

    If FILES are logs of agents, their users are compared on the same tasks: ItemRecall, and the shares of dialogues without
    events, with the t test over tasks.
    """
    files, domain = options["files"], options["domain"]
    check_count(files, "files")
    if "-" in files:
        raise DialmeterError("compare reads its files twice; standard input can be read only once")
    names = dict(zip(name_files(files, options["names"], "users"), files, strict=True))
    if is_log(files[0], options["format"], unknown=False):
        return compare_logs(names, options)
    settings, resampling = user_settings_from_options(options), options["resampling"] or Resampling()
    expect_files(len(files))

    def score_users(only: frozenset[str] | None, other: UserSettings | None = None) -> dict[str, UserResult]:
        # Scores with other settings need no intervals, because only their differences are shown.
        drawn = resampling if other is None else None
        return {
            name: score_dialogues(file, other or settings, options, drawn, only=only).result
            for name, file in names.items()
        }

    results = whole_results = score_users(None)
    common = common_goals(results)
    if any(result.account.asked > len(common.keys) for result in results.values()):
        results = score_users(common.keys)
    domains = {each for result in results.values() for each in (COMBINED, *result.domains)}
    if domain not in domains:
        raise DialmeterError(f"no domain {domain!r}; known: {', '.join(sorted(domains))}")
    only = common.keys if results is not whole_results else None
    comparison = compare_users(results, resampling, domain, lambda other: score_users(only, other))
    notices = [*common.notices, *comparison.notices, *_notices(whole_results, results)]
    return compared_output(
        UserCompareDocument,
        comparison,
        options,
        resampling=resampling,
        notices=notices,
        fields={"counts": {"dialogues": len(common.keys), "systems": len(results)}, "domain": domain},
        parts=comparison_parts(
            comparison_table(comparison, domain),
            {
                name: [score for score in result.scores if score.group["domain"] == domain]
                for name, result in results.items()
            },
            comparison,
            f"{len(common.keys)} dialogues with the same goal for every user",
            who="user",
        ),
        charts=lambda: [*ladder_charts(comparison.ladders), comparison_chart(comparison, domain)],
    )


def _notices(whole_results: Mapping[str, UserResult], results: Mapping[str, UserResult]) -> list[Notice]:
    """Return the warnings about each user, with its name.

    Warnings about unscored dialogues come from the whole file, all others from the compared dialogues.
    """
    return [
        each
        for name, result in results.items()
        for refused, notices in ((True, whole_results[name].notices), (False, result.notices))
        for each in named_notices(name, notices)
        if (each.code == "refused") is refused
    ]
