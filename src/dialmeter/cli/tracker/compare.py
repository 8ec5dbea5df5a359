"""The flow of ``dialmeter compare`` for trackers: two systems, or many, or the rows of a leaderboard."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import click
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...core.comparison import Resampling, Test
from ...core.document import ComparedDocument, Count, Number
from ...core.result import score_dict
from ...errors import DialmeterError
from ...measure import Score
from ...model import Notice, dialogue_key
from ...studies.power import PowerStudy, can_tell_apart, discriminative_power
from ...tracking.compare import TrackerComparison, TurnTest, compare, groups_by_measure, turn_tests
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
from ...views import tracker as views
from ...views.compare import comparison_rows
from ...views.ladder import ladder_charts
from ...views.summaries.tracker import compare_summary
from ...views.tables import signature_of
from .. import options as shared
from ..frame import compared_output, named_notices, verdict_blocks
from ..printer import CSV, TEXT, Block, Output, result_blocks, signature_blocks, table_blocks, typed_command
from ..study import study_options
from . import inputs
from .systems import (
    SystemFiles,
    as_records,
    complete_dialogues,
    measures_of_systems,
    score_systems,
    shared_golds,
    systems_from_options,
)

_GROUPS = ("domain", "slot", "turn", "without-domain", "pair")
_LISTED = 10
_TESTS = ("randomisation", "bootstrap", "mcnemar")


class RankAgreement(Struct, kw_only=True):
    """Kendall's tau of the ranks of systems under two measures."""

    first: str
    second: str
    tau: Number


class ComparedSystem(Struct, kw_only=True):
    """A system of a comparison; ``source``, ``licence`` and ``date`` are those of a leaderboard."""

    system: str
    file: str
    source: str
    licence: str
    date: str


class TrackerCompareDocument(ComparedDocument, kw_only=True):
    """A comparison of systems on the same dialogues.

    Attributes:
        systems: the systems with their files, without folders.
        ranks: measure → system → rank.
        groups: measure → system → letters; systems that share a letter are not told apart. Empty if pairs were not tested.
        copied: the systems whose predictions may be gold.
        mcnemar: with --set test=mcnemar.
        power: with --by pair.
    """

    kind: str = "tracker"
    command: str = "compare"
    systems: list[ComparedSystem]
    ranks: dict[str, dict[str, Count]]
    groups: dict[str, dict[str, str]]
    copied: list[str]
    tau: list[RankAgreement]
    mcnemar: list[TurnTest]
    power: PowerStudy | UnsetType = UNSET


@shared.command("compare")
@click.argument("files", nargs=-1, required=True)
@shared.source_options("the files", several=True, names="Name of a system; give one for each file.")
@inputs.schema_option
@shared.option("--only FILE|common", "Use only these dialogues: a file of ids, or those that all files have.")
@shared.measure_option
@inputs.rule_options
@shared.interval_options(resamples=10_000)
@shared.option(
    "--test", "Paired test of dialogues; mcnemar also tests turns, and dialogues without a mistake.", choices=_TESTS
)
@shared.by_option(_GROUPS)
@inputs.turns_option
@shared.fail_if_option
@shared.latex_option
@study_options
def compare_(**options: Any) -> Output:
    """Compare trackers on the same dialogues. The first file is the baseline.

    FILES are prediction files, runs, trivial:NAME, or one leaderboard (BOARD.toml). One file with several trackers is enough. Dialogues are resampled, not turns. p values are
    two-sided, paired, and corrected by Holm over all measures and pairs.
    """
    rules = inputs.rules_from_options(options)
    resampling = options["resampling"] or Resampling()
    systems = systems_from_options(options)
    measures = measures_of_systems(systems, options, rules)
    golds = shared_golds(systems, asks=rules.state == "cumulative")
    score = partial(score_systems, systems, options, golds, measures, resampling)
    results, selection_notices = _score(score, rules, options)
    test: Test = "bootstrap" if options["test"] == "bootstrap" else "randomisation"
    in_groups = "letters" in options["latex"].get("marks", "") or len(results) > 2
    compared = compare(results, resampling, test, all_pairs=in_groups, all_rules=options["verbose"])
    compared = replace(compared, notices=[*selection_notices, *compared.notices])
    level = 1 - resampling.confidence
    extra = ExtraResults(
        turn_tests(results) if options["test"] == "mcnemar" else [],
        discriminative_power(results, resampling, test, level) if "pair" in options["by"] else None,
        {
            group: {name: result.by(group, options["turns"]) for name, result in results.items()}
            for group in options["by"]
            if group != "pair"
        },
    )
    return compared_output(
        TrackerCompareDocument,
        compared,
        options,
        resampling=resampling,
        notices=_notices(compared, extra, resampling),
        fields={"systems": as_records(systems), **_fields(compared, extra, level)},
        summary=compare_summary(compared, _command(systems, options), level),
        parts=_parts(compared, extra, options, level),
        charts=lambda: [*ladder_charts(compared.ladders), *views.system_charts(results)],
    )


def _command(systems: Mapping[str, SystemFiles], options: dict[str, Any]) -> str:
    """Return the command as it was typed, with each tracker of one file named."""
    file, named = options["files"][0], [each.file for each in systems.values()]
    is_one_file = all(each.startswith(f"{file}#") for each in named)
    return typed_command().replace(shlex.quote(file), shlex.join(named), 1) if is_one_file else typed_command()


def _score(
    score: Callable[..., dict[str, TrackerResult]], rules: Rules, options: dict[str, Any]
) -> tuple[dict[str, TrackerResult], list[Notice]]:
    """Score the systems; with --only common, on the dialogues that all of them have and predict."""
    if options["only"] != "common":
        return score(rules, inputs.dialogues_from_options(options)), []
    strict = rules.missing == "error"
    results = score(replace(rules, missing="skip") if strict else rules)
    all_keys = frozenset(
        chain.from_iterable(
            (*each.gold_digest.keys(), *map(dialogue_key, each.findings.unscored)) for each in results.values()
        )
    )
    complete = (complete_dialogues(each) if strict else each.gold_digest.keys() for each in results.values())
    common = frozenset.intersection(*map(frozenset, complete))
    if not common:
        raise DialmeterError("the files have no dialogue in common")
    if common == all_keys:
        return score(rules) if strict else results, []
    excluded = sorted(all_keys - common)
    message = f"{len(excluded)} dialogues are not complete in every file and are unscored; {len(common)} are scored"
    return score(rules, common), [Notice("unequal-dialogues", len(excluded), message, tuple(excluded[:_LISTED]))]


class ExtraResults(NamedTuple):
    """Results that options add to the comparison."""

    tests: list[TurnTest]
    power: PowerStudy | None
    groups: dict[str, dict[str, list[Score]]]


def _fields(compared: TrackerComparison, extra: ExtraResults, level: float) -> dict[str, Any]:
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
        "groups": groups_by_measure(compared, level),
        "copied": [
            name for name, each in compared.results.items() if any(one.kind == "copied" for one in each.diagnosis)
        ],
        "tau": [{"first": one, "second": other, "tau": tau} for one, other, tau in compared.ranks.tau],
        "mcnemar": extra.tests,
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
        message = f"{resampling.resamples} resamples are too few for --by pair: no p value can be below the level after Holm's correction"
        notices.append(Notice("few-resamples", resampling.resamples, message))
    return [*notices, *inputs.empty_groups({group: [*chain(*found.values())] for group, found in extra.groups.items()})]


def _parts(compared: TrackerComparison, extra: ExtraResults, options: dict[str, Any], level: float) -> Iterator[Block]:
    tests, power, groups = extra
    listed = {
        name: [*result.scores, *chain.from_iterable(scores[name] for scores in groups.values())]
        for name, result in compared.results.items()
    }
    yield Block(comparison_rows(listed, compared.versus), CSV)
    yield from table_blocks(views.power_rows(power) if power else [], CSV)
    yield from verdict_blocks(compared, level=level)
    yield from result_blocks(views.power_lines(power) if power else [])
    yield Block(views.long_table(compared), TEXT)
    letters = groups_by_measure(compared, level) if options["latex"].get("marks") == "letters" else None
    yield Block(views.wide_table(compared, letters), ("markdown", "latex"))
    scores = [score for result in compared.results.values() for score in result.scores]
    yield from signature_blocks(signature_of(scores, compared.versus), quoted=False, gap=("text", "markdown"))
    yield from table_blocks((views.grouped_table(scores, group) for group, scores in groups.items()), asked=True)
    yield from table_blocks([views.rank_table(compared), views.tau_table(compared)], TEXT)
    yield from table_blocks([views.power_table(power)] if power else [], asked=True)
    yield from table_blocks([views.turn_table(tests)] if tests else [], asked=True)
