"""``dialmeter user compare``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from ...core.account import in_documents
from ...core.comparison import Resampling
from ...errors import ConditionHolds, DialmeterError
from ...model import Notice
from ...users.compare import UserComparison, common_goals
from ...users.compare import compare as compared_with
from ...users.outcome import COMBINED
from ...users.result import UserResult
from ...views.tables import render
from ...views.tracker import shared_signature
from ...views.user import comparison_chart, comparison_table
from ..option_kinds import max_bytes_option
from ..options import chart_options, chosen_resampling, interval_options, quiet_option, style_options
from ..say import document, draw, print_json, warn
from ..work import work_options
from .scoring import chosen_how, dialogue_options, scored, scoring_options


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--name", "names", multiple=True, metavar="NAME", help="What to call a user; one for each file.")
@click.option("--domain", default=COMBINED, show_default=True, metavar="D", help="Compare in one domain.")
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 if a user is significantly worse than the first.")
@dialogue_options
@scoring_options
@work_options
@interval_options(resamples=10_000)
@chart_options
@style_options
@max_bytes_option
@quiet_option
def compare(**options: Any) -> None:
    """Compare users: FILES are their dialogues, the first of which is the baseline.

    Dialogues are matched by name, and only those with equal goals are compared. p values are two-sided, paired, and
    corrected by Holm over the whole table.
    """
    files = options["files"]
    if len(files) < 2:
        raise DialmeterError("compare needs two files or more, the first of which is the baseline")
    if "-" in files:
        raise DialmeterError("compare reads its files twice, which standard input does not allow")
    names = _names(files, options["names"])
    how, resampling = chosen_how(options), chosen_resampling(options) or Resampling()

    def scored_users(only: frozenset[str] | None) -> dict[str, UserResult]:
        return {name: scored(file, how, options, resampling, only=only).result for name, file in names.items()}

    results = whole = scored_users(None)
    common = common_goals(results)
    if any(result.account.asked > len(common.keys) for result in results.values()):
        results = scored_users(common.keys)
    known = {domain for result in results.values() for domain in (COMBINED, *result.domains)}
    if options["domain"] not in known:
        raise DialmeterError(f"no domain {options['domain']!r}; there are: {', '.join(sorted(known))}")
    found = compared_with(results, resampling, options["domain"])
    notices = [*common.notices, *found.notices, *_notices(whole, results)]
    warn(notices, options["quiet"])
    draw([comparison_chart(found, options["domain"])] if options["charts"] else [], options)
    if options["style"] == "json":
        scores = [{**each, "system": name} for name, result in results.items() for each in result.to_dicts()]
        how_drawn = {"method": "bootstrap", **to_builtins(resampling)}
        accounts = in_documents({name: result.account for name, result in results.items()})
        more = {**accounts, "versus": to_builtins(found.versus), "domain": options["domain"], "intervals": how_drawn}
        counts = {"dialogues": len(common.keys), "systems": len(results)}
        print_json(document("user", "user compare", scores, counts=counts, warnings=notices, **more))
    else:
        _print(found, len(common.keys), options)
    if options["fail_if_worse"]:
        _fail_if_worse(found, 1 - resampling.confidence)


def _notices(whole: Mapping[str, UserResult], results: Mapping[str, UserResult]) -> list[Notice]:
    """What there is to say of each user, with its name: dialogues of the whole file that cannot be scored, then the rest."""
    return [
        Notice(each.code, each.count, f"{name}: {each.message}", each.where)
        for name, result in results.items()
        for refused, notices in ((True, whole[name].notices), (False, result.notices))
        for each in notices
        if (each.code == "refused") is refused
    ]


def _print(found: UserComparison, dialogues: int, options: dict[str, Any]) -> None:
    style = options["style"]
    click.echo(render(comparison_table(found, options["domain"]), style))
    if style == "csv":
        return
    scores = [
        score
        for result in found.results.values()
        for score in result.scores
        if score.group["domain"] == options["domain"]
    ]
    if style == "text":
        click.echo(f"\n{dialogues} dialogues with the same goal for every user")
    line = shared_signature(scores)
    click.echo({"latex": f"% signature  {line}", "markdown": f"\nSignature: `{line}`"}.get(style, f"signature  {line}"))


def _names(files: tuple[str, ...], given: tuple[str, ...]) -> dict[str, str]:
    """User → file."""
    if given and len(given) != len(files):
        raise DialmeterError(f"give --name once for each of the {len(files)} files")
    stems = [Path(file).name.split(".")[0] or file for file in files]
    labels = list(given) or (stems if len(set(stems)) == len(stems) else list(files))
    if len(set(labels)) < len(labels):
        raise DialmeterError(f"two users are called {Counter(labels).most_common(1)[0][0]!r}; name them with --name")
    return dict(zip(labels, files, strict=True))


def _fail_if_worse(found: UserComparison, level: float) -> None:
    for each in found.versus:
        if each.p_holm is not None and each.p_holm < level and each.difference is not None and each.difference < 0:
            raise ConditionHolds(
                f"{each.system} is worse than {each.base}: {each.measure} {100 * each.difference:+.2f}, p (Holm) {each.p_holm:.4f}"
            )
