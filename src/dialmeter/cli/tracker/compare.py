"""``dialmeter tracker compare``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, get_args

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ...core.account import in_documents
from ...core.comparison import Resampling, Test
from ...core.result import score_dict
from ...errors import ConditionHolds, DialmeterError
from ...model import Dialogue, Notice, dialogue_key
from ...readers.pairs.vocabulary import PairDialogue
from ...rules import Rules
from ...tracking.align import GoldFile
from ...tracking.baselines import TRIVIAL, trivial
from ...tracking.compare import (
    Disagreement,
    TrackerComparison,
    TurnTest,
    asked_for,
    between_measures,
    between_systems,
    compare,
    turn_tests,
)
from ...tracking.compared import ComparedDialogue, dialogue_lines
from ...tracking.result import TrackerResult
from ...tracking.scoring import score_file
from ...views import compare as tables
from ...views.tables import render
from ...views.tracker import shared_signature, system_charts
from ..option_kinds import max_bytes_option
from ..options import (
    chart_options,
    chosen_resampling,
    chosen_rules,
    interval_options,
    measure_option,
    quiet_option,
    rule_options,
    style_options,
)
from ..say import document, draw, print_json, warn, watched

_GROUPS = ("domain", "slot", "turn", "without-domain")
_LISTED = 10


@click.command("compare")
@click.argument("files", nargs=-1, required=True)
@click.option("--gold", multiple=True, metavar="FILE", help="Gold states: one for all files, or one for each.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="What to call a system; one for each file.")
@click.option("--from", "form", metavar="FORMAT", help="The format of the files; found where it is not named.")
@click.option("--gold-from", "gold_form", metavar="FORMAT", help="The format of the gold files.")
@click.option("--schema", metavar="FILE", help="The slots that exist (SGD schema, ontology, or a list).")
@click.option(
    "--trivial",
    "yardsticks",
    multiple=True,
    type=click.Choice(list(TRIVIAL)),
    help="Also a tracker made from the gold of the first file; may be repeated.",
)
@click.option("--common", is_flag=True, help="Compare on the dialogues that all files have.")
@measure_option
@rule_options
@interval_options(resamples=10_000)
@click.option(
    "--test", type=click.Choice(get_args(Test)), default="randomisation", show_default=True, help="The paired test."
)
@click.option("--mcnemar", is_flag=True, help="Also McNemar's test on turns and on dialogues.")
@click.option("--by", multiple=True, type=click.Choice(_GROUPS), help="Also compare by group; may be repeated.")
@click.option(
    "--turns", type=click.Choice(["active", "all"]), default="active", show_default=True, help="Turns of a group."
)
@click.option(
    "--disagree",
    multiple=True,
    metavar="MEASURE|SYSTEM",
    help="Given twice: show dialogues on which they disagree most.",
)
@click.option("--most", type=click.IntRange(min=1), default=3, show_default=True, help="How many of these dialogues.")
@click.option(
    "--marks",
    type=click.Choice(["stars", "letters"]),
    default="stars",
    show_default=True,
    help="Marks in LaTeX and Markdown: stars against the first system, or letters of systems beaten.",
)
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 if a system is significantly worse than the first.")
@chart_options
@style_options
@max_bytes_option
@quiet_option
def compare_(**options: Any) -> None:
    """Compare trackers: FILES are prediction files, the first of which is the baseline.

    Dialogues are resampled, not turns. p values are two-sided, paired, and corrected by Holm over the whole table.
    """
    rules = chosen_rules(options)
    how = chosen_resampling(options) or Resampling()
    systems = _systems(options, rules)
    results = _scored(systems, options, rules, how)
    unequal: list[Notice] = []
    if options["common"]:
        keys = [result.gold_digest.keys() for result in results.values()]
        common, every = frozenset.intersection(*map(frozenset, keys)), set().union(*keys)
        if not common:
            raise DialmeterError("the files have no dialogue in common")
        if len(common) < len(every):
            apart_keys = sorted(every - common)
            message = f"{len(apart_keys)} dialogues are not in every file and are unscored; {len(common)} are"
            unequal = [Notice("unequal-dialogues", len(apart_keys), message, tuple(apart_keys[:_LISTED]))]
            results = _scored(systems, options, rules, how, common)
    compared = compare(results, how, options["test"], all_pairs=options["marks"] == "letters")
    compared = replace(compared, notices=[*unequal, *compared.notices])
    tests = turn_tests(results) if options["mcnemar"] else []
    apart = _disagreements(compared, options)
    draw(system_charts(results), options)
    warn(_notices(compared, bool(tests)), options["quiet"])
    _print(compared, tests, apart, options)
    if apart and options["style"] == "text":
        _show(apart, systems, options, rules)
    if options["fail_if_worse"]:
        _fail_if_worse(compared, 1 - how.confidence)


class System(NamedTuple):
    """Where a system's predictions come from."""

    file: str
    gold: str | None
    change: Callable[[Dialogue], Dialogue] | None = None


def _systems(options: dict[str, Any], rules: Rules) -> dict[str, System]:
    """The systems by name: the files, then trivial trackers on the first."""
    files, golds, names, yardsticks = options["files"], options["gold"], options["names"], options["yardsticks"]
    if len(files) + len(yardsticks) < 2:
        raise DialmeterError(
            "compare needs two files or more, the first of which is the baseline; or one and --trivial"
        )
    if len(golds) not in (0, 1, len(files)):
        raise DialmeterError(f"give --gold once for all files, or once for each of the {len(files)}")
    if names and len(names) != len(files):
        raise DialmeterError(f"give --name once for each of the {len(files)} files")
    labels = [*(names or _labels(files)), *yardsticks]
    if len(set(labels)) < len(labels):
        raise DialmeterError(f"two systems are called {Counter(labels).most_common(1)[0][0]!r}; name them with --name")
    pairs = zip(files, golds * len(files) if len(golds) == 1 else golds or [None] * len(files), strict=True)
    systems = [System(*pair) for pair in pairs]
    systems += [systems[0]._replace(change=trivial(name, rules, options["seed"])) for name in yardsticks]
    return dict(zip(labels, systems, strict=True))


def _labels(files: tuple[str, ...]) -> list[str]:
    """File names without endings; with their folders where two are alike."""
    stems = [file.rpartition("#")[2] if "#" in file else Path(file).name.split(".")[0] or file for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)


def _scored(
    systems: dict[str, System],
    options: dict[str, Any],
    rules: Rules,
    how: Resampling,
    only: frozenset[str] | None = None,
) -> dict[str, TrackerResult]:
    # Gold that is the same for several systems is read once.
    shared = Counter(system.gold for system in systems.values() if system.gold is not None)
    golds = {path: GoldFile(path, options["gold_form"]) for path, count in shared.items() if count > 1}
    return {
        name: score_file(
            system.file,
            golds.get(system.gold or "", system.gold),
            change=system.change,
            form=options["form"],
            gold_form=options["gold_form"],
            schema=options["schema"],
            only=only,
            measures=options["measures"] or None,
            rules=rules,
            by=[group for group in options["by"] if group != "turn"],
            resampling=how,
            watch=lambda dialogues, corpus: watched(dialogues, corpus, options["quiet"]),
        )
        for name, system in systems.items()
    }


def _notices(compared: TrackerComparison, turns_tested: bool) -> list[Any]:
    dependent = Notice(
        "dependent-turns", 1, "turns of one dialogue are not independent: McNemar's p value on turns is too small"
    )
    seen = {notice.code: notice for result in compared.results.values() for notice in result.notices}
    return [*compared.notices, *seen.values(), *([dependent] if turns_tested else [])]


def _disagreements(compared: TrackerComparison, options: dict[str, Any]) -> list[Disagreement]:
    wanted = options["disagree"]
    if not wanted:
        return []
    if len(wanted) != 2:
        raise DialmeterError("give --disagree twice: two measures, or two systems")
    results = compared.results
    if all(name in results for name in wanted):
        first = results[wanted[0]]
        return between_systems(results, wanted[0], wanted[1], first.ranked_by, options["most"])
    return [
        each
        for name, result in results.items()
        for each in between_measures(
            name, result, asked_for(result, wanted[0]), asked_for(result, wanted[1]), options["most"]
        )
    ]


def _print(
    compared: TrackerComparison, tests: list[TurnTest], apart: list[Disagreement], options: dict[str, Any]
) -> None:
    style, groups = options["style"], {}
    for group in options["by"]:
        groups[group] = {name: result.by(group, options["turns"]) for name, result in compared.results.items()}
    if style == "json":
        _print_json(compared, tests, apart, groups)
        return
    main = (
        tables.long_table(compared)
        if style in ("text", "csv")
        else tables.wide_table(compared, options["marks"] == "letters")
    )
    click.echo(render(main, style))
    if style == "csv":
        return
    scores = [score for result in compared.results.values() for score in result.scores]
    click.echo({"latex": "% ", "markdown": "\n"}.get(style, "\n") + f"signature  {shared_signature(scores)}")
    more = [*(tables.grouped_table(found, group) for group, found in groups.items())]
    if style == "text":
        more += [tables.rank_table(compared), tables.tau_table(compared)]
    more += [tables.turn_table(tests)] if tests else []
    more += [tables.disagreement_table(apart)] if apart else []
    for table in more:
        if table.rows:
            click.echo("\n" + render(table, style))


def _print_json(
    compared: TrackerComparison, tests: list[TurnTest], apart: list[Disagreement], groups: dict[str, Any]
) -> None:
    scores = [
        {**score_dict(score), "system": name}
        for name, result in compared.results.items()
        for score in (*result.scores, *(each for found in groups.values() for each in found[name]))
    ]
    first = next(iter(compared.results.values()))
    counts = {"systems": len(compared.results), "dialogues": first.dialogues, "turns": first.turns}
    more = {
        **in_documents({name: result.account for name, result in compared.results.items()}),
        "versus": to_builtins(compared.versus),
        "ranks": compared.ranks.by_measure,
        "tau": [{"first": one, "second": other, "tau": tau} for one, other, tau in compared.ranks.tau],
        "mcnemar": to_builtins(tests),
        "disagreements": to_builtins(apart),
    }
    print_json(
        document("tracker", "tracker compare", scores, counts=counts, warnings=_notices(compared, bool(tests)), **more)
    )


def _show(apart: list[Disagreement], systems: dict[str, System], options: dict[str, Any], rules: Rules) -> None:
    """Prints the dialogues turn by turn, as the systems concerned have them."""
    for name, system in systems.items():
        keys = frozenset(each.dialogue for each in apart if name in (each.system, each.first, each.second))
        if not keys:
            continue

        def take(dialogue: PairDialogue, compared: ComparedDialogue, name: str = name) -> None:
            click.echo(f"\n{name}: " + "\n".join(dialogue_lines(dialogue, compared)))

        score_file(
            system.file,
            system.gold,
            change=system.change,
            form=options["form"],
            gold_form=options["gold_form"],
            only=frozenset(map(dialogue_key, keys)),
            rules=rules,
            sink=take,
        )


def _fail_if_worse(compared: TrackerComparison, level: float) -> None:
    for each in compared.versus:
        if each.p_holm is not None and each.p_holm < level and each.difference is not None and each.difference < 0:
            raise ConditionHolds(
                f"{each.system} is worse than {each.base} under {each.measure}: {100 * each.difference:+.2f}, p = {each.p_holm:.4f} (Holm)"
            )
