"""``dialmeter system compare``"""

from __future__ import annotations

from typing import Any

import click

from ...core.comparison import Resampling
from ...core.document import describe_intervals, make_document
from ...errors import DialmeterError
from ...systems.compare import compare_systems
from ...views.compare import task_test_lines
from ...views.ladder import ladder_charts
from ...views.system import system_charts, system_comparison_table
from ..options import (
    chart_options,
    command,
    fail_if_worse_option,
    interval_options,
    name_option,
    resampling_from_options,
)
from ..printer import Output
from ..progress import expect_files
from ..several import comparison_parts, fail_if_worse, name_files, named_notices, scores_and_accounts
from ..study import study_options
from .documents import SystemCompareDocument
from .scoring import log_options, score_log


@command()
@click.argument("logs", nargs=-1, required=True)
@name_option("Name of an agent; give one for each log.")
@fail_if_worse_option
@log_options
@interval_options(resamples=10_000)
@chart_options
@study_options
def compare(**options: Any) -> Output:
    """Compare agents on the same tasks. LOGS are their dialogues. The first log is the baseline.

    Tasks are matched by id, and only tasks that are in all logs are compared. Intervals of differences and p values are those of
    the t test over tasks, corrected by Holm over the whole table. If an infrastructure error ended some dialogues, the verdict is
    repeated without them.
    """
    logs = options["logs"]
    if len(logs) < 2:
        raise DialmeterError("compare needs two logs or more, the first as the baseline")
    names = dict(zip(name_files(logs, options["names"], "agents"), logs, strict=True))
    resampling = resampling_from_options(options) or Resampling(resamples=options["resamples"], seed=options["seed"])
    expect_files(len(names))
    results = {name: score_log(path, options)[1] for name, path in names.items()}
    comparison = compare_systems(results, resampling)
    tasks = len(next(iter(comparison.results.values())).by_task)
    log_notices = (each for name, result in results.items() for each in named_notices(name, result.notices))
    notices = [*comparison.notices, *log_notices]
    return Output(
        document=lambda _: make_document(
            SystemCompareDocument,
            **scores_and_accounts(comparison.results),
            counts={"tasks": tasks, "systems": len(comparison.results)},
            warnings=notices,
            versus=comparison.versus,
            ladder=comparison.ladders,
            intervals=describe_intervals(resampling),
        ),
        parts=comparison_parts(
            system_comparison_table(comparison),
            {name: result.scores for name, result in comparison.results.items()},
            comparison,
            f"{tasks} tasks are in every log; {task_test_lines(comparison.versus)}",
            unit="tasks",
        ),
        notices=notices,
        charts=lambda: [*ladder_charts(comparison.ladders), *system_charts(comparison.results)],
        check=lambda: fail_if_worse(options, comparison.versus, 1 - resampling.confidence),
    )
