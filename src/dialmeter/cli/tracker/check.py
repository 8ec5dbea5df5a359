"""``dialmeter tracker check``"""

from __future__ import annotations

from typing import Any

import click
from msgspec import to_builtins

from ...core.result import score_dict
from ...errors import one_line
from ...tracking.check import Checked, check_file
from ...views.tables import percent
from ..main import EXIT_INPUT
from ..option_kinds import max_bytes_option
from ..options import chosen_dialogues, chosen_rules, input_options, quiet_option, rule_options
from ..say import diagnose, document, print_json, warn, watched


@click.command()
@input_options
@rule_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@max_bytes_option
@quiet_option
def check(**options: Any) -> int:
    """Validate a prediction FILE before scoring it, and score gold against itself.

    Exit code 0 if `score` would take it, 2 if not.
    """
    rules = chosen_rules(options)
    found = check_file(
        options["file"],
        options["gold"],
        form=options["form"],
        gold_form=options["gold_form"],
        schema=options["schema"],
        only=chosen_dialogues(options),
        rules=rules,
        watch=lambda dialogues, corpus: watched(dialogues, corpus, options["quiet"]),
    )
    if options["as_json"]:
        scores = [score_dict(score) for score in found.self_scores]
        more = {"format": found.format, "fit": found.fit, "diagnosis": to_builtins(found.diagnosis)}
        problems = [
            {"code": each.code, "count": each.count, "message": each.message, "where": list(each.where)}
            for each in found.problems
        ]
        print_json(
            document(
                "tracker",
                "tracker check",
                scores,
                account=found.account.plain(),
                counts=found.counts,
                warnings=found.notices,
                problems=problems,
                **more,
            )
        )
        warn(found.problems, quiet=False)
    else:
        _print(found, options)
    return 0 if found.fit else EXIT_INPUT


def _print(found: Checked, options: dict[str, Any]) -> None:
    counts = found.counts
    gold = f", gold {found.gold_format}" if found.gold_format else ""
    click.echo(f"{one_line(options['file'], 200)}: format {found.format}{gold}")
    click.echo(
        f"{counts['dialogues']} dialogues, {counts['turns']} turns, {counts['turns'] / counts['dialogues']:.2f} turns per dialogue, "
        f"{counts['slots']} slots, {counts['values']} slot-value pairs"
    )
    scores = "  ".join(f"{score.measure} {percent(score.value)}" for score in found.self_scores)
    click.echo(f"gold against itself: {scores}")
    warn(found.notices, options["quiet"])
    diagnose(found.diagnosis, options["quiet"])
    for problem in found.problems:
        where = f": {'; '.join(problem.where)}" if problem.where else ""
        click.echo(f"dialmeter: {one_line(options['file'], 200)}: {one_line(problem.message + where, 1000)}", err=True)
    grave = [finding for finding in found.diagnosis if finding.is_grave]
    click.echo(f"account: {found.account.line}")
    if found.fit and grave:
        click.echo(f"can be scored, but settle the diagnosis first: {grave[0].points:+.2f} points of JGA hang on it")
    else:
        click.echo("ready to be scored" if found.fit else "not ready to be scored")
