"""``dialmeter tracker check``"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.document import make_document
from ...core.result import score_dict
from ...errors import one_line
from ...tracking.check import Checked, check_file
from ...views.tables import count_table, percent
from ..main import EXIT_INPUT
from ..options import command, dialogues_from_options, input_options, rule_options, rules_from_options
from ..printer import EVERY, TEXT, Block, Output
from ..progress import track_reading
from .documents import TrackerCheckDocument


@command()
@input_options
@rule_options
def check(**options: Any) -> Output:
    """Validate a prediction FILE before scoring it, and score gold against itself.

    The exit code is 0 if `score` would accept the file, and 2 otherwise.
    """
    rules = rules_from_options(options)
    checked = check_file(
        options["file"],
        options["gold"],
        format=options["format"],
        gold_format=options["gold_format"],
        schema=options["schema"],
        only=dialogues_from_options(options),
        rules=rules,
        watch=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
    )
    exit_code = 0 if checked.fit else EXIT_INPUT
    if options["style"] == "json":
        return Output(
            document=lambda _: make_document(
                TrackerCheckDocument, checked, scores=[score_dict(score) for score in checked.self_scores]
            ),
            notices=checked.problems,
            loud=True,
            exit_code=exit_code,
        )
    file = one_line(options["file"], 200)
    problems = [f"{each.message}: {'; '.join(each.where)}" if each.where else each.message for each in checked.problems]
    return Output(
        parts=_parts(checked, file),
        notices=checked.notices,
        diagnosis=checked.diagnosis,
        errors=[f"{file}: {one_line(problem, 1000)}" for problem in problems],
        exit_code=exit_code,
    )


def _parts(checked: Checked, file: str) -> Iterator[Block]:
    counts = checked.counts
    grave_findings = [finding for finding in checked.diagnosis if finding.is_grave]
    gold = f", gold {checked.gold_format}" if checked.gold_format else ""
    yield Block(f"{file}: format {checked.format}{gold}", TEXT)
    yield Block(
        f"{counts['dialogues']} dialogues, {counts['turns']} turns, {counts['turns'] / counts['dialogues']:.2f} turns per dialogue, "
        f"{counts['slots']} slots, {counts['values']} slot-value pairs",
        TEXT,
        gap=(),
    )
    scores = "  ".join(f"{score.measure} {percent(score.value)}" for score in checked.self_scores)
    yield Block(f"gold against itself: {scores}", gap=())
    yield Block(f"account: {checked.account.line}", gap=())
    if checked.fit and grave_findings:
        points = grave_findings[0].points
        reason = "slots are never predicted" if points is None else f"{points:+.2f} points of JGA depend on it"
        yield Block(f"can be scored, but check the diagnosis first: {reason}", gap=())
    else:
        yield Block("ready to be scored" if checked.fit else "not ready to be scored", gap=())
    yield Block(count_table("", ("content", "count"), counts), EVERY[1:])
