"""``dialmeter tracker compare``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple, get_args

import click
from msgspec import UNSET
from msgspec.structs import replace

from ...core.account import account_fields
from ...core.comparison import Resampling, Test
from ...core.document import make_document
from ...core.result import score_dict
from ...errors import DialmeterError, NotApplicable
from ...measure import Score
from ...model import Dialogue, Notice, dialogue_key
from ...readers.pairs.vocabulary import PairDialogue
from ...studies.power import PowerStudy, can_tell_apart, discriminative_power
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
from ...tracking.rule_sets.rules import Rules
from ...tracking.scoring import score_file
from ...views import compare as views
from ...views.tracker import signature_of, system_charts
from .. import options as shared
from ..printer import CSV, TEXT, Block, Output, result_blocks, signature, tables
from ..progress import expect_files, watched
from ..several import chosen_golds, chosen_names, fail_if_worse
from ..study import study_options
from .documents import TrackerCompareDocument

_GROUPS = ("domain", "slot", "turn", "without-domain")
_LISTED = 10


@shared.command("compare")
@click.argument("files", nargs=-1, required=True)
@shared.source_options("the files", several=True, names="What to call a system; one for each file.")
@shared.schema_option
@click.option(
    "--trivial",
    "yardsticks",
    multiple=True,
    type=click.Choice(list(TRIVIAL)),
    help="Also a tracker made from the gold of the first file; may be repeated.",
)
@click.option("--common", is_flag=True, help="Compare on the dialogues that all files have.")
@shared.measure_option
@shared.rule_options
@shared.interval_options(resamples=10_000)
@shared.choice_option("--test", get_args(Test), "The paired test.")
@click.option("--mcnemar", is_flag=True, help="Also McNemar's test on turns and on dialogues.")
@shared.by_option(_GROUPS, "compare")
@shared.turns_option
@click.option(
    "--disagree",
    multiple=True,
    metavar="MEASURE|SYSTEM",
    help="Given twice: show dialogues on which they disagree most. Two measures need one file only.",
)
@shared.number_option("--most", least=1, default=3, about="How many of these dialogues.")
@click.option(
    "--power", "with_power", is_flag=True, help="Also test all pairs: which measure tells most systems apart?"
)
@shared.choice_option(
    "--marks",
    ["stars", "letters"],
    "Marks in LaTeX and Markdown: stars against the first system, or letters of systems beaten.",
)
@shared.fail_if_worse_option("a system")
@shared.paper_options
@shared.chart_options
@study_options
def compare_(**options: Any) -> Output:
    """Compare trackers: FILES are prediction files, the first of which is the baseline. One file is enough to compare two
    measures with --disagree.

    The result comes first, then the table. Dialogues are resampled, not turns. p values are two-sided, paired, and corrected by
    Holm over all measures and pairs of the table; a line below it says how many tests that are.
    """
    rules = shared.chosen_rules(options)
    how = shared.chosen_resampling(options) or Resampling()
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
    level = 1 - how.confidence
    apart, unlike = _disagreements(compared, options)
    further = Further(
        turn_tests(results) if options["mcnemar"] else [],
        apart,
        discriminative_power(results, how, options["test"], level) if options["with_power"] else None,
        {
            group: {name: result.by(group, options["turns"]) for name, result in results.items()}
            for group in options["by"]
        },
    )
    notices = [*_notices(compared, further, how), *unlike]
    worse = "{system} is worse than {base} under {measure}: {difference:+.2f}, p = {p_holm:.4f} (Holm)"
    return Output(
        document=lambda _: _document(compared, further, notices),
        parts=chain(_parts(compared, further, options), _shown(further.apart, systems, options, rules)),
        notices=notices,
        charts=lambda: system_charts(results),
        check=lambda: fail_if_worse(options, compared.versus, level, worse),
    )


class Further(NamedTuple):
    """What options add to the comparison."""

    tests: list[TurnTest]
    apart: list[Disagreement]
    power: PowerStudy | None
    groups: dict[str, dict[str, list[Score]]]


class System(NamedTuple):
    """Where a system's predictions come from."""

    file: str
    gold: str | None
    change: Callable[[Dialogue], Dialogue] | None = None


def _systems(options: dict[str, Any], rules: Rules) -> dict[str, System]:
    """The systems by name: the files, then trivial trackers on the first."""
    files, yardsticks = options["files"], options["yardsticks"]
    if len(files) + len(yardsticks) < 2:
        if not options["disagree"]:
            raise DialmeterError(
                "compare needs two files or more, the first of which is the baseline; or one and --trivial; or one and two "
                "measures in --disagree"
            )
        for option in ("mcnemar", "with_power", "fail_if_worse"):
            if options[option]:
                raise DialmeterError(f"--{option.removeprefix('with_').replace('_', '-')} needs two files or more")
    golds = chosen_golds(files, options["gold"])
    labels = chosen_names(files, options["names"], "systems", yardsticks)
    systems = [System(*pair) for pair in zip(files, golds, strict=True)]
    systems += [systems[0]._replace(change=trivial(name, rules, options["seed"])) for name in yardsticks]
    return dict(zip(labels, systems, strict=True))


def _scored(
    systems: dict[str, System],
    options: dict[str, Any],
    rules: Rules,
    how: Resampling,
    only: frozenset[str] | None = None,
) -> dict[str, TrackerResult]:
    # Gold that is the same for several systems is read once.
    shared = Counter(system.gold for system in systems.values() if system.gold is not None)
    golds = {path: GoldFile(path, options["gold_format"]) for path, count in shared.items() if count > 1}
    expect_files(len(systems))
    return {
        name: score_file(
            system.file,
            golds.get(system.gold or "", system.gold),
            change=system.change,
            format=options["format"],
            gold_format=options["gold_format"],
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


def _notices(compared: TrackerComparison, further: Further, how: Resampling) -> list[Notice]:
    seen = {notice.code: notice for result in compared.results.values() for notice in result.notices}
    found = [*compared.notices, *seen.values()]
    if further.tests:
        message = "turns of one dialogue are not independent: McNemar's p value on turns is too small"
        found.append(Notice("dependent-turns", 1, message))
    if further.power and not can_tell_apart(further.power, how):
        message = f"{how.resamples} resamples are too few for --power: no p value can be below the level after Holm's correction"
        found.append(Notice("few-resamples", how.resamples, message))
    return found


def _disagreements(compared: TrackerComparison, options: dict[str, Any]) -> tuple[list[Disagreement], list[Notice]]:
    """Where two systems or two measures disagree, and a warning for each system of several that cannot be looked at."""
    wanted = options["disagree"]
    if not wanted:
        return [], []
    if len(wanted) != 2:
        raise DialmeterError("give --disagree twice: two measures, or two systems")
    if wanted[0] == wanted[1]:
        raise DialmeterError(f"--disagree names {wanted[0]} twice, which never disagrees with itself")
    results = compared.results
    if all(name in results for name in wanted):
        first = results[wanted[0]]
        return between_systems(results, wanted[0], wanted[1], first.ranked_by, options["most"]), []
    found: list[Disagreement] = []
    notices: list[Notice] = []
    for name, result in results.items():
        one, other = (asked_for(result, measure) for measure in wanted)
        try:
            found += between_measures(name, result, one, other, options["most"])
        except NotApplicable as error:
            notices.append(Notice("same-everywhere", result.dialogues, str(error)))
    if len(notices) == len(results):
        raise DialmeterError(notices[0].message)
    return found, notices


def _document(compared: TrackerComparison, further: Further, notices: list[Notice]) -> TrackerCompareDocument:
    results = compared.results
    first = next(iter(results.values()))
    return make_document(
        TrackerCompareDocument,
        scores=[
            {**score_dict(score), "system": name}
            for name, result in results.items()
            for score in (*result.scores, *(each for found in further.groups.values() for each in found[name]))
        ],
        **account_fields({name: result.account for name, result in results.items()}),
        counts={"systems": len(results), "dialogues": first.dialogues, "turns": first.turns},
        warnings=notices,
        versus=compared.versus,
        ranks=compared.ranks.by_measure,
        tau=[{"first": one, "second": other, "tau": tau} for one, other, tau in compared.ranks.tau],
        mcnemar=further.tests,
        disagreements=further.apart,
        power=UNSET if further.power is None else further.power,
    )


def _parts(compared: TrackerComparison, further: Further, options: dict[str, Any]) -> Iterator[Block]:
    tests, apart, power, groups = further
    listed = {
        name: [*result.scores, *chain.from_iterable(found[name] for found in groups.values())]
        for name, result in compared.results.items()
    }
    yield Block(views.comparison_rows(listed, compared.versus), CSV)
    level = 1 - (shared.chosen_confidence(options) or Resampling().confidence)
    yield from tables([views.disagreement_rows(apart)] if apart else [], CSV)
    yield from tables(views.power_rows(power) if power else [], CSV)
    yield from result_blocks(
        [*views.result_lines(compared.versus, level), *(views.power_lines(power) if power else [])]
    )
    yield Block(views.long_table(compared), TEXT)
    yield Block(views.wide_table(compared, options["marks"] == "letters"), ("markdown", "latex"))
    scores = [score for result in compared.results.values() for score in result.scores]
    yield from signature(signature_of(scores), quoted=False, gap=("text", "markdown"))
    yield from tables(views.grouped_table(found, group) for group, found in groups.items())
    if len(compared.results) > 1:
        yield from tables([views.rank_table(compared), views.tau_table(compared)], TEXT)
    yield from tables([views.power_table(power)] if power else [])
    yield from tables([views.turn_table(tests)] if tests else [])
    yield from tables([views.disagreement_table(apart)] if apart else [])


def _shown(
    apart: list[Disagreement], systems: dict[str, System], options: dict[str, Any], rules: Rules
) -> Iterator[Block]:
    """The dialogues turn by turn, as the systems concerned have them."""
    for name, system in systems.items() if options["style"] == "text" else ():
        keys = frozenset(each.dialogue for each in apart if name in (each.system, each.first, each.second))
        found: list[Block] = []

        def take(
            dialogue: PairDialogue, compared: ComparedDialogue, name: str = name, found: list[Block] = found
        ) -> None:
            first, *rest = dialogue_lines(dialogue, compared)
            key = dialogue_key(dialogue.id)
            turns = [line for each in apart if each.dialogue == key for line in views.turn_lines(each, name)]
            found.append(Block("\n".join([f"{name}: {first}", *turns, *rest]), TEXT))

        if keys:
            score_file(
                system.file,
                system.gold,
                change=system.change,
                format=options["format"],
                gold_format=options["gold_format"],
                only=frozenset(map(dialogue_key, keys)),
                rules=rules,
                sink=take,
            )
        yield from found
