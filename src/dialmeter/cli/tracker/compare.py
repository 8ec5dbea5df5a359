"""``dialmeter tracker compare``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple, get_args

import click
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...core.comparison import Resampling, Test
from ...core.document import ComparedDocument, Count, Number
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
    between_measures,
    between_systems,
    compare,
    requested_measure,
    turn_tests,
)
from ...tracking.compared import ComparedDialogue, dialogue_lines
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
from ...tracking.scoring import score_file
from ...views import tracker as views
from ...views.compare import comparison_rows
from ...views.ladder import ladder_charts
from ...views.summaries.tracker import compare_summary
from ...views.tables import signature_of
from .. import options as shared
from ..frame import compared_output, named_notices, verdict_blocks
from ..printer import CSV, TEXT, Block, Output, result_blocks, signature_blocks, table_blocks, typed_command
from ..progress import expect_files, track_reading
from ..study import study_options
from . import inputs

_GROUPS = ("domain", "slot", "turn", "without-domain")
_LISTED = 10


class RankAgreement(Struct, kw_only=True):
    """Kendall's tau of the ranks of systems under two measures."""

    first: str
    second: str
    tau: Number


class TrackerCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of systems on the same dialogues.

    Attributes:
        ranks: measure → system → rank.
        mcnemar: with --mcnemar.
        disagreements: with --disagree.
        power: with --power.
    """

    kind: str = "tracker"
    command: str = "compare"
    ranks: dict[str, dict[str, Count]]
    tau: list[RankAgreement]
    mcnemar: list[TurnTest]
    disagreements: list[Disagreement]
    power: PowerStudy | UnsetType = UNSET


@shared.command("compare")
@click.argument("files", nargs=-1, required=True)
@shared.source_options("the files", several=True, names="Name of a system; give one for each file.")
@inputs.schema_option
@shared.option(
    "--trivial * yardsticks",
    "Also compare a trivial tracker, made from the gold of the first file; may be repeated.",
    choices=list(TRIVIAL),
)
@shared.option("--only FILE|common", "Use only these dialogues: a file of ids, or those that all files have.")
@shared.measure_option
@inputs.rule_options
@shared.interval_options(resamples=10_000)
@shared.option("--test", "Paired test.", choices=get_args(Test))
@shared.option("--mcnemar", "Also run McNemar's test on turns and on dialogues.")
@shared.by_option(_GROUPS)
@inputs.turns_option
@shared.option(
    "--disagree MEASURE|SYSTEM*",
    "Give it twice: show the dialogues on which two measures or systems disagree most. Two measures need only one file.",
)
@shared.option("--limit", "Maximum number of dialogues to print with --disagree.", least=1, default=3)
@shared.option("--power with_power", "Also test all pairs of systems, to find the measure that separates most pairs.")
@shared.fail_if_option("JGA < 0.5", verdicts=True)
@shared.latex_option
@study_options
def compare_(**options: Any) -> Output:
    """Compare trackers on the same dialogues. FILES are prediction files. The first file is the baseline. To compare two
    measures with --disagree, one file is enough.

    The result is printed first, then the table. Dialogues are resampled, not turns. p values are two-sided, paired, and corrected
    by Holm over all measures and pairs of the table. A line below the table gives the number of tests.
    """
    rules = inputs.rules_from_options(options)
    resampling = options["resampling"] or Resampling()
    systems = _systems(options, rules)
    results = _score_systems(systems, options, rules, resampling)
    unequal_notices: list[Notice] = []
    if options["only"] == "common":
        keys = [result.gold_digest.keys() for result in results.values()]
        common, all_keys = frozenset.intersection(*map(frozenset, keys)), set().union(*keys)
        if not common:
            raise DialmeterError("the files have no dialogue in common")
        if len(common) < len(all_keys):
            excluded = sorted(all_keys - common)
            message = (
                f"{len(excluded)} dialogues are not in every file and are unscored; {len(common)} are in every file"
            )
            unequal_notices = [Notice("unequal-dialogues", len(excluded), message, tuple(excluded[:_LISTED]))]
            results = _score_systems(systems, options, rules, resampling, common)
    letters = options["latex"].get("marks") == "letters"
    compared = compare(
        results, resampling, options["test"], all_pairs=letters or len(results) > 2, all_rules=options["verbose"]
    )
    compared = replace(compared, notices=[*unequal_notices, *compared.notices])
    level = 1 - resampling.confidence
    disagreements, disagreement_notices = _disagreements(compared, options)
    extra = ExtraResults(
        turn_tests(results) if options["mcnemar"] else [],
        disagreements,
        discriminative_power(results, resampling, options["test"], level) if options["with_power"] else None,
        {
            group: {name: result.by(group, options["turns"]) for name, result in results.items()}
            for group in options["by"]
        },
    )
    notices = [*_notices(compared, extra, resampling), *disagreement_notices]
    return compared_output(
        TrackerCompareDocument,
        compared,
        options,
        resampling=resampling,
        notices=notices,
        fields=_fields(compared, extra),
        summary=compare_summary(compared, typed_command(), level) if len(results) > 1 else None,
        parts=chain(_parts(compared, extra, options), _show_dialogues(extra.disagreements, systems, options, rules)),
        charts=lambda: [*ladder_charts(compared.ladders), *views.system_charts(results)],
    )


class ExtraResults(NamedTuple):
    """Results that options add to the comparison."""

    tests: list[TurnTest]
    disagreements: list[Disagreement]
    power: PowerStudy | None
    groups: dict[str, dict[str, list[Score]]]


class System(NamedTuple):
    """The files of a system, and a change of its dialogues for a trivial tracker."""

    file: str
    gold: str | None
    change: Callable[[Dialogue], Dialogue] | None = None


def _systems(options: dict[str, Any], rules: Rules) -> dict[str, System]:
    """Return the systems by name: the files, then the trivial trackers on the first file."""
    files, yardsticks = options["files"], options["yardsticks"]
    if len(files) + len(yardsticks) < 2:
        if not options["disagree"]:
            raise DialmeterError(
                "compare needs two files or more, the first as the baseline; or one file and --trivial; or one file and two "
                "measures in --disagree"
            )
        for option in ("mcnemar", "with_power", "fail_if"):
            if options[option]:
                raise DialmeterError(f"--{option.removeprefix('with_').replace('_', '-')} needs two files or more")
    systems = {name: System(*pair) for name, pair in inputs.named_files(options, "systems", yardsticks).items()}
    first = next(iter(systems.values()))
    return systems | {name: first._replace(change=trivial(name, rules, options["seed"])) for name in yardsticks}


def _score_systems(
    systems: dict[str, System],
    options: dict[str, Any],
    rules: Rules,
    resampling: Resampling,
    only: frozenset[str] | None = None,
) -> dict[str, TrackerResult]:
    # A gold file that several systems share is read only once.
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
            measures=inputs.measures_from_options(options, rules) or None,
            rules=rules,
            by=[group for group in options["by"] if group != "turn"],
            resampling=resampling,
            progress=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
            keep=True,
        )
        for name, system in systems.items()
    }


def _fields(compared: TrackerComparison, extra: ExtraResults) -> dict[str, Any]:
    """Return the fields of the document that other comparisons do not have."""
    first = next(iter(compared.results.values()))
    return {
        "scores": [
            {**score_dict(score), "system": name}
            for name, result in compared.results.items()
            for score in (*result.scores, *(each for scores in extra.groups.values() for each in scores[name]))
        ],
        "counts": {"systems": len(compared.results), "dialogues": first.dialogues, "turns": first.turns},
        "intervals": UNSET,
        "ranks": compared.ranks.by_measure,
        "tau": [{"first": one, "second": other, "tau": tau} for one, other, tau in compared.ranks.tau],
        "mcnemar": extra.tests,
        "disagreements": extra.disagreements,
        "power": UNSET if extra.power is None else extra.power,
    }


def _notices(compared: TrackerComparison, extra: ExtraResults, resampling: Resampling) -> list[Notice]:
    notices = [*compared.notices]
    own = [(name, notice) for name, result in compared.results.items() for notice in result.notices]
    for name, notice in own:
        # A warning that is the same for all systems is about gold or the rules.
        if sum(other == notice for _, other in own) < len(compared.results):
            notices += named_notices(name, [notice])
        elif notice not in notices:
            notices.append(notice)
    if extra.tests:
        message = "turns of one dialogue are not independent: McNemar's p value on turns is too small"
        notices.append(Notice("dependent-turns", 1, message))
    if extra.power and not can_tell_apart(extra.power, resampling):
        message = f"{resampling.resamples} resamples are too few for --power: no p value can be below the level after Holm's correction"
        notices.append(Notice("few-resamples", resampling.resamples, message))
    return notices


def _disagreements(compared: TrackerComparison, options: dict[str, Any]) -> tuple[list[Disagreement], list[Notice]]:
    """Return the dialogues on which two systems or two measures disagree, and a warning for each system without a result."""
    names = options["disagree"]
    if not names:
        return [], []
    if len(names) != 2:
        raise DialmeterError("give --disagree twice: two measures, or two systems")
    if names[0] == names[1]:
        raise DialmeterError(f"--disagree names {names[0]} twice; give two different measures or systems")
    results = compared.results
    if all(name in results for name in names):
        first = results[names[0]]
        return between_systems(results, names[0], names[1], first.ranked_by, options["limit"]), []
    disagreements: list[Disagreement] = []
    notices: list[Notice] = []
    for name, result in results.items():
        one, other = (requested_measure(result, measure) for measure in names)
        try:
            disagreements += between_measures(name, result, one, other, options["limit"])
        except NotApplicable as error:
            notices.append(Notice("same-everywhere", result.dialogues, str(error)))
    if len(notices) == len(results):
        raise DialmeterError(notices[0].message)
    return disagreements, notices


def _parts(compared: TrackerComparison, extra: ExtraResults, options: dict[str, Any]) -> Iterator[Block]:
    tests, disagreements, power, groups = extra
    listed = {
        name: [*result.scores, *chain.from_iterable(scores[name] for scores in groups.values())]
        for name, result in compared.results.items()
    }
    yield Block(comparison_rows(listed, compared.versus), CSV)
    level = 1 - (options["ci"] or Resampling().confidence)
    yield from table_blocks([views.disagreement_rows(disagreements)] if disagreements else [], CSV)
    yield from table_blocks(views.power_rows(power) if power else [], CSV)
    yield from verdict_blocks(compared, level=level)
    yield from result_blocks(views.power_lines(power) if power else [])
    yield Block(views.long_table(compared), TEXT)
    yield Block(views.wide_table(compared, options["latex"].get("marks") == "letters"), ("markdown", "latex"))
    scores = [score for result in compared.results.values() for score in result.scores]
    yield from signature_blocks(signature_of(scores, compared.versus), quoted=False, gap=("text", "markdown"))
    yield from table_blocks(views.grouped_table(scores, group) for group, scores in groups.items())
    if len(compared.results) > 1:
        yield from table_blocks([views.rank_table(compared), views.tau_table(compared)], TEXT)
    yield from table_blocks([views.power_table(power)] if power else [])
    yield from table_blocks([views.turn_table(tests)] if tests else [])
    yield from table_blocks([views.disagreement_table(disagreements)] if disagreements else [])


def _show_dialogues(
    disagreements: list[Disagreement], systems: dict[str, System], options: dict[str, Any], rules: Rules
) -> Iterator[Block]:
    """Yield the disagreements turn by turn, with the states of the systems concerned."""
    for name, system in systems.items() if options["style"] == "text" else ():
        keys = frozenset(each.dialogue for each in disagreements if name in (each.system, each.first, each.second))
        blocks: list[Block] = []

        def take(
            dialogue: PairDialogue, compared: ComparedDialogue, name: str = name, blocks: list[Block] = blocks
        ) -> None:
            first, *rest = dialogue_lines(dialogue, compared)
            key = dialogue_key(dialogue.id)
            turns = [line for each in disagreements if each.dialogue == key for line in views.turn_lines(each, name)]
            blocks.append(Block("\n".join([f"{name}: {first}", *turns, *rest]), TEXT))

        if keys:
            score_file(
                system.file,
                system.gold,
                change=system.change,
                format=options["format"],
                gold_format=options["gold_format"],
                only=keys,
                rules=rules,
                on_row=take,
            )
        yield from blocks
