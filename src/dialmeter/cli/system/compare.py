"""``dialmeter system compare``"""

from __future__ import annotations

from typing import Any

import click

from ...core.comparison import Resampling
from ...core.document import describe_intervals, make_document
from ...errors import DialmeterError
from ...systems.compare import compare_systems
from ...views.system import system_charts, system_comparison_table
from ..options import chart_options, chosen_resampling, command, fail_if_worse_option, interval_options, name_option
from ..printer import Output
from ..progress import expect_files
from ..several import chosen_names, comparison_parts, fail_if_worse, named_notices, scores_and_accounts
from ..study import study_options
from .documents import SystemCompareDocument
from .scoring import log_options, scored_log


@command()
@click.argument("logs", nargs=-1, required=True)
@name_option("What to call an agent; one for each log.")
@fail_if_worse_option("an agent")
@log_options
@interval_options(resamples=10_000)
@chart_options
@study_options
def compare(**options: Any) -> Output:
    """Compare agents within tasks: LOGS are their dialogues, the first of which is the baseline.

    Tasks are matched by their ids, and only those that all logs have are compared. p values are those of the exact sign
    test over the tasks that differ, corrected by Holm over the whole table.
    """
    logs = options["logs"]
    if len(logs) < 2:
        raise DialmeterError("compare needs two logs or more, the first of which is the baseline")
    names = dict(zip(chosen_names(logs, options["names"], "agents"), logs, strict=True))
    resampling = chosen_resampling(options) or Resampling(resamples=options["resamples"], seed=options["seed"])
    expect_files(len(names))
    whole = {name: scored_log(path, options)[1] for name, path in names.items()}
    found = compare_systems(whole, resampling)
    tasks = len(next(iter(found.results.values())).by_task)
    named = (each for name, result in whole.items() for each in named_notices(name, result.notices))
    notices = [*found.notices, *named]
    return Output(
        document=lambda _: make_document(
            SystemCompareDocument,
            **scores_and_accounts(found.results),
            counts={"tasks": tasks, "systems": len(found.results)},
            warnings=notices,
            versus=found.versus,
            intervals=describe_intervals(resampling),
        ),
        parts=comparison_parts(
            system_comparison_table(found),
            {name: result.scores for name, result in found.results.items()},
            found.versus,
            f"{tasks} tasks that every log has; p: exact sign test over the tasks that differ",
        ),
        notices=notices,
        charts=lambda: system_charts(found.results),
        check=lambda: fail_if_worse(options, found.versus, 1 - resampling.confidence),
    )
