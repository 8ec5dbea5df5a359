"""``dialmeter user compare`` on logs of agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ....core.account import account_fields
from ....core.comparison import Resampling
from ....core.document import describe_intervals, make_document
from ....core.result import score_dict
from ....errors import InputError
from ....model import Notice
from ....readers.conversations import open_trajectories
from ....users.events import COMBINED
from ....users.items.log_items import ItemComparison, LogItems, compare_items, read_items, score_of
from ....views.compare import task_test_lines
from ....views.pages.item_tables import item_comparison_table
from ...options import resampling_from_options
from ...printer import EVERY, TEXT, Block, Output, signature_blocks
from ...progress import expect_files, track_reading
from ...several import fail_if_worse, named_notices
from ..documents import UserCompareDocument
from .query import unread_notices


def compare_logs(names: Mapping[str, str], options: dict[str, Any]) -> Output:
    """Compare the users of several logs on the same tasks, each with the first user.

    Args:
        names: name → log.
        options: the options of the command.
    """
    resampling = resampling_from_options(options) or Resampling()
    expect_files(len(names))
    results: dict[str, LogItems] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        log = open_trajectories(path, options["format"])
        results[name] = read_items(
            track_reading(log, log, options["quiet"]), resampling=resampling_from_options(options)
        )
        if not results[name].dialogues:
            raise InputError("no goal in words has an item", file=log.name)
        notices += named_notices(name, [*log.notices, *results[name].notices, *unread_notices(log.refused)])
    comparison = compare_items(results, resampling)
    tasks = len({talk.task for result in comparison.results.values() for talk in result.all_dialogues})
    measures = list(dict.fromkeys(each.measure for each in comparison.versus))
    return Output(
        document=lambda _: make_document(
            UserCompareDocument,
            scores=[
                {**score_dict(replace(score_of(result, measure), group={"domain": COMBINED})), "system": name}
                for name, result in comparison.results.items()
                for measure in measures
            ],
            **account_fields({name: result.account for name, result in comparison.results.items()}),
            counts={
                "dialogues": sum(len(result.all_dialogues) for result in comparison.results.values()),
                "systems": len(names),
            },
            warnings=[*comparison.notices, *notices],
            versus=comparison.versus,
            ladder=comparison.ladders,
            domain=COMBINED,
            intervals=describe_intervals(resampling),
        ),
        parts=_parts(comparison, tasks),
        notices=[*comparison.notices, *notices],
        check=lambda: fail_if_worse(options, comparison.versus, 1 - resampling.confidence),
    )


def _parts(comparison: ItemComparison, tasks: int) -> Iterator[Block]:
    yield Block(item_comparison_table(comparison), EVERY)
    yield Block(f"{tasks} tasks are in every log; {task_test_lines(comparison.versus)}", TEXT)
    first = next(iter(comparison.results.values()))
    yield from signature_blocks("|".join(["…", *first.signature.split("|")[1:]]), gap=("markdown",))
