"""Board: systems on the same gold, with intervals, groups of systems that do not differ, ranks under every rule set, and sources.

A manifest is a TOML file with one table per system, to which others can add rows. A system is a prediction file or a run.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ..core.comparability import compare_scores, in_one_line, joint_signature, not_comparable
from ..core.comparison import PairedDifference, Resampling
from ..core.open_runs import Run
from ..core.record import RunInput, RunInputs
from ..core.rule_files import parse_toml
from ..errors import DialmeterError, InputError, NotApplicable, one_line
from ..garbage import paused_garbage_collection
from ..measure import Score
from ..model import Notice, Schema, dialogue_key
from ..readers.corpus import split_tracker
from ..readers.layouts.schema import read_schema
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.raw_file import is_stream
from ..readers.source import Source
from ..stats import letter_display
from ..tracking.align import open_pair, read_pair, without_states
from ..tracking.compare import TrackerComparison, check_comparable, compare
from ..tracking.diagnosis.suspicions import Finding
from ..tracking.gold_patch import GoldPatch
from ..tracking.result import TrackerResult
from ..tracking.rule_sets.explain_rules import UnderRules, explain
from ..tracking.rule_sets.rules import Rules, load, named, names
from ..tracking.scorer import RowCallback, TrackerScorer
from ..tracking.scoring import TrackerSettings, check_tracker, run_dialogues, score_file
from ..values import maps
from .audit.trackers import GoldStateCheck

Text = Annotated[str, Meta(min_length=1, max_length=300)]
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


class BoardEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the manifest.

    Attributes:
        system: name of the system.
        file: the prediction file or the folder of a run, relative to the folder of the manifest.
        gold: the file with gold states, if ``file`` has only predictions (default: that of the manifest).
        format: format of the file (default: auto-detect).
        gold_format: format of gold (default: auto-detect).
        source: origin of the file, such as a repository or a paper.
        licence: licence of the file.
        date: publication date of the file: year, month or day.
    """

    system: Text
    file: Text
    gold: str = ""
    format: str = ""
    gold_format: str = ""
    source: str = ""
    licence: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        if self.date and not _DATE.fullmatch(self.date):
            raise ValueError(f"date must be a year, month or day, such as 2026-03-15, not {one_line(self.date)!r}")


class BoardManifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a manifest: gold states, and the systems that are scored on them.

    Attributes:
        title: title of the board (default: name of the file).
        gold: the file with gold states for all rows without one.
        schema: a schema file for all rows.
    """

    title: str = ""
    gold: str = ""
    gold_format: str = ""
    schema: str = ""
    row: list[BoardEntry]


def read_manifest(path: str) -> BoardManifest:
    """Read a manifest. Its paths become relative to the working directory.

    Raises:
        InputError: not TOML, a field that is missing, unknown or of another type, or two rows with the same name.
    """
    source = Source(path)
    content = parse_toml(source.text, source.name)
    try:
        manifest = msgspec.convert(_dates_as_text(content), BoardManifest)
    except msgspec.ValidationError as error:
        message = f"{str(error).replace('`', '')}; a board has [[row]] tables with system, file, source, licence, date"
        raise InputError(message, file=source.name) from None
    try:
        check_names([entry.system for entry in manifest.row])
    except DialmeterError as error:
        raise InputError(str(error), file=source.name) from None
    folder = Path(path).parent

    def resolve(name: str) -> str:
        if "\0" in name:
            raise InputError("a file name contains a NUL character", file=source.name)
        return str(folder / name) if name else ""

    rows = [
        replace(
            entry,
            file=resolve(entry.file),
            gold=resolve(entry.gold or manifest.gold),
            gold_format=entry.gold_format or manifest.gold_format,
        )
        for entry in manifest.row
    ]
    title = manifest.title or Path(path).stem
    return replace(manifest, title=title, gold=resolve(manifest.gold), schema=resolve(manifest.schema), row=rows)


def check_names(names: Sequence[str]) -> None:
    """Raise DialmeterError if there are no systems, or if two systems have the same name.

    Example:
        >>> check_names(["a", "b", "a"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: two systems are called 'a'
    """
    if not names:
        raise DialmeterError("a board needs at least one row")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DialmeterError(f"two systems are called {one_line(name)!r}")


def _dates_as_text(content: Any) -> Any:
    """Return parsed TOML with dates as text."""
    if isinstance(content, dict):
        return {key: _dates_as_text(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_dates_as_text(value) for value in content]
    return content.isoformat() if isinstance(content, datetime.date) else content


_EQUAL = 1e-9
"""Two values are equal if they differ by less. The rows of a run are summed in another order than its input."""


class BoardSystem(Struct):
    """A system of a board with its dialogues.

    Attributes:
        name: name of its file, without folders.
        schema: schema that is included in the files.
    """

    entry: BoardEntry
    name: str
    sha256: str
    format: str
    dialogues: list[PairDialogue]
    vocabulary: Vocabulary
    schema: Schema | None

    @property
    def complete_dialogues(self) -> frozenset[str]:
        """The keys of the dialogues that have gold, and a prediction at every turn with gold."""
        return frozenset(
            dialogue_key(each.id)
            for each in self.dialogues
            if any(gold is not None for gold in each.gold)
            and all(gold is None or pred is not None for gold, pred in zip(each.gold, each.pred, strict=True))
        )

    def score(self, settings: TrackerSettings, resampling: Resampling, on_row: RowCallback) -> TrackerResult:
        """Score the system. ``on_row`` gets every scored dialogue."""
        entry = self.entry
        return score_file(
            entry.file,
            entry.gold or None,
            format=entry.format or None,
            gold_format=entry.gold_format or None,
            schema=settings.schema,
            only=settings.only,
            measures=settings.measures,
            rules=settings.rules,
            resampling=resampling,
            on_row=on_row,
        )


def read_system(entry: BoardEntry, schema: str | None = None, patch: GoldPatch | None = None) -> BoardSystem:
    """Read a prediction file with its gold, which the patch corrects."""
    path, tracker = split_tracker(entry.file)
    if any(is_stream(each) for each in (path, entry.gold) if each):
        raise DialmeterError("a board reads its files more than once; write standard input or a pipe to a file first")
    inputs = RunInputs([RunInput("predictions", path, tracker)])
    corpus, gold = open_pair(entry.file, entry.gold or None, entry.format or None, entry.gold_format or None)
    if corpus.correctness_only:
        corpus.close()
        raise InputError("the file has no values, but a board needs them", file=corpus.name)
    vocabulary = Vocabulary()
    with paused_garbage_collection():
        dialogues = [without_states(each) for each in read_pair(corpus, gold, vocabulary, patch)]
    (described,) = inputs.after_reading()
    return BoardSystem(
        entry=entry,
        name=f"{described['name']}{f'#{tracker}' if tracker else ''}",
        sha256=str(described["sha256"] or ""),
        format=corpus.format,
        dialogues=dialogues,
        vocabulary=vocabulary,
        schema=read_schema(schema) if schema else (gold or corpus).schema,
    )


def check_distinct(systems: Sequence[BoardSystem]) -> None:
    """Raise DialmeterError if two systems have the same file."""
    for one, other in combinations(systems, 2):
        if one.sha256 and (one.sha256, one.name.partition("#")[2]) == (other.sha256, other.name.partition("#")[2]):
            raise DialmeterError(
                f"{one_line(one.entry.system)} and {one_line(other.entry.system)} have the same predictions: {one_line(one.name)} "
                f"and {one_line(other.name)} are the same file (SHA-256 {one.sha256[:12]}…)"
            )


class _RunIntervals(Struct):
    confidence: float | None = None


class _TrackerManifest(Struct):
    """The fields of a tracker's ``run.json`` that a board needs."""

    rules: Rules
    scores: list[Score]
    diagnosis: list[Finding] = []
    intervals: _RunIntervals | None = None


class RunSystem(BoardSystem):
    """A finished run of ``tracker score``.

    Its rows contain states after its rules were applied. So it can be compared with runs under the same rules, but not be
    scored under others. Its scores are those of ``run.json``; the vectors for paired tests are computed from the rows.
    """

    manifest: _TrackerManifest

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every score, by measure."""
        return {score.measure: score.signature for score in self.manifest.scores}

    def score(self, settings: TrackerSettings, resampling: Resampling, on_row: RowCallback) -> TrackerResult:
        """Return the scores of the run, with vectors from its rows.

        Raises:
            InputError: the rows do not reproduce the scores of ``run.json``.
        """
        recorded_level = self.manifest.intervals.confidence if self.manifest.intervals else None
        level = resampling.confidence
        if recorded_level is not None and recorded_level != level:
            message = (
                f"the run has {100 * recorded_level:g} % intervals, the board {100 * level:g} %; "
                f"use --set ci={recorded_level:g}"
            )
            raise InputError(message, file=self.entry.file)
        # The rules have already been applied to the names and values in the rows, but values are still to be matched.
        plain = {"names": "as-is", "clash": "keep", "only": (), "values": (), "none": (), "dontcare": "keep", "map": ""}
        applied = replace(self.manifest.rules, **plain, state="cumulative")
        recorded = {score.measure: score for score in self.manifest.scores}
        scorer = TrackerScorer(settings.measures, applied, self.schema, vocabulary=self.vocabulary)
        try:
            for each in self.dialogues:
                if scorer.add_pairs(each):
                    on_row(each, scorer.compared())
            result = scorer.result()
        except NotApplicable as error:
            raise InputError(
                f"{error} (the rows of a run do not contain it; use the prediction file)", file=self.entry.file
            ) from None
        scores = []
        for score in result.scores:
            expected = recorded.get(score.measure)
            if expected is None:
                raise InputError(f"the run has no {score.measure}", file=self.entry.file)
            value = expected.value
            if (score.value is None) is not (value is None) or abs((score.value or 0.0) - (value or 0.0)) > _EQUAL:
                message = (
                    f"{score.measure} is {score.value} from the rows, but {value} in run.json; "
                    "use the prediction file, or --schema"
                )
                raise InputError(message, file=self.entry.file)
            scores.append(expected)
        result.scores = scores
        return result


def read_run(entry: BoardEntry, schema: str | None = None) -> RunSystem:
    """Read a finished run.

    Raises:
        DialmeterError: the folder holds no finished run, or a run of another kind.
    """
    run = Run(entry.file)
    check_tracker(run)
    inputs = {each.get("role"): each for each in run.manifest.get("inputs") or ()}
    predictions = inputs.get("predictions", {})
    vocabulary = Vocabulary()
    try:
        # The rows already contain the patched gold, and the patch file may no longer exist.
        rules = {**(run.manifest.get("rules") or {}), "patch": ""}
        manifest = msgspec.convert({**run.manifest, "rules": rules}, _TrackerManifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=str(run.path("run.json"))) from None
    return RunSystem(
        entry=entry,
        name=str(predictions.get("name") or Path(entry.file).name),
        sha256=str(predictions.get("sha256") or ""),
        format="run",
        dialogues=list(run_dialogues(run, vocabulary)),
        vocabulary=vocabulary,
        schema=read_schema(schema) if schema else None,
        manifest=manifest,
    )


def check_runs(systems: Sequence[RunSystem], measures: Sequence[str] | None) -> None:
    """Raise DialmeterError if the signatures of runs differ under some measures; by default under all that the runs share."""
    for one, other in combinations(systems, 2):
        first = {name: line for name, line in one.signatures.items() if not measures or name in measures}
        differs = in_one_line(compare_scores("tracker", first, other.signatures))
        if differs:
            raise DialmeterError(
                f"{one_line(one.entry.system)} and {one_line(other.entry.system)} are not comparable: {differs}"
            )


class RuleRanks(Struct, frozen=True, kw_only=True):
    """Values and ranks of the systems under one measure, rule set and value map.

    Attributes:
        measure: measure by which they are ranked.
        rules: name of the rule set.
        map: name of the value map; empty for none.
        values: value of each system; None if it has none.
        ranks: rank of each system; 1 is best, and equal values share the better rank. None for a system that is not ranked.
        reason: why there are no ranks.
    """

    measure: str
    rules: str
    map: str
    values: dict[str, float | None]
    ranks: dict[str, int | None]
    reason: str = ""


def rank(values: Mapping[str, float | None], unranked: frozenset[str] = frozenset()) -> dict[str, int | None]:
    """Return the rank of each value: 1 is best, equal values share the better rank, and None has no rank.

    Unranked systems get no rank and do not affect the ranks of others.

    Example:
        >>> rank({"a": 0.5, "b": 0.7, "c": 0.5, "d": None, "e": 0.9}, frozenset("e"))
        {'a': 2, 'b': 1, 'c': 2, 'd': None, 'e': None}
    """
    ranked = {name: value for name, value in values.items() if value is not None and name not in unranked}
    return {
        name: 1 + sum(other > ranked[name] for other in ranked.values()) if name in ranked else None for name in values
    }


def variants(base: Rules) -> list[Rules]:
    """Return the rule sets for ranking: the base, every shipped one, and all of them with every shipped map, without duplicates."""
    plain = [base, *(replace(named(name), missing=base.missing, patch=base.patch) for name in names())]
    mapped = [replace(rules, map=name) for name in maps.names() for rules in plain]
    unique: dict[bytes, Rules] = {}
    for rules in (*plain, *mapped):
        unique.setdefault(msgspec.json.encode(replace(rules, name="", about="", evidence="")), rules)
    return list(unique.values())


def rule_ranks(
    systems: Sequence[BoardSystem], base: Rules, only: frozenset[str] | None, unranked: frozenset[str]
) -> list[RuleRanks]:
    """Rank comparable systems by the headline measure of every rule set, with every shipped value map."""
    rule_sets = variants(base)
    by_system: dict[str, list[UnderRules]] = {}
    for system in systems:
        dialogues = [each for each in system.dialogues if only is None or dialogue_key(each.id) in only]
        under = explain(dialogues, system.vocabulary, rule_sets, system.schema, reasons=False, only=only)
        by_system[system.entry.system] = under
    rankings = []
    for index, rules in enumerate(rule_sets):
        scores = {name: under[index] for name, under in by_system.items()}
        values = {name: each.value for name, each in scores.items()}
        rankings.append(_ranking(rules.headline, rules, values, unranked, _why_unranked(scores)))
    return rankings


def _ranking(
    measure: str, rules: Rules, values: dict[str, float | None], unranked: frozenset[str], reason: str = ""
) -> RuleRanks:
    ranks = dict.fromkeys(values) if reason else rank(values, unranked)
    return RuleRanks(measure=measure, rules=rules.name, map=rules.map, values=values, ranks=ranks, reason=reason)


def _why_unranked(scores: Mapping[str, UnderRules]) -> str:
    """Return why the values of systems under one rule set cannot be ranked; empty if they can."""
    reasons = dict.fromkeys(each.reason for each in scores.values() if each.reason)
    if reasons:
        return "; ".join(reasons)
    (first, one), *others = scores.items()
    for name, other in others:
        differs = not_comparable("tracker", one.signature, other.signature)
        if differs:
            return f"{first} and {name} are not comparable: {differs}"
    return ""


MEASURES = ("JGA", "FGA(lam=0.5)", "GCA", "SlotF1")
"""The default measures of a board. It is sorted by the first one."""
_LISTED = 10


class BoardSettings(Struct, frozen=True, kw_only=True):
    """Settings for scoring a board.

    Attributes:
        measures: measures of the board (default: JGA, FGA(lam=0.5), GCA and SlotF1).
        resampling: confidence level, number of resamples and seed of intervals and tests.
        common: score only the dialogues that all systems share.
    """

    measures: tuple[str, ...] = ()
    rules: Rules
    resampling: Resampling
    common: bool = False


class BoardRow(Struct, frozen=True, kw_only=True):
    """A system on a board.

    Attributes:
        letters: letters by measure; systems that share a letter do not differ significantly.
        best_rank: best rank under all measures, rule sets and maps; None for a system that is not ranked.
        worst_rank: worst rank under the same; None for a system that is not ranked.
        diagnosis: possible problems of the files rather than of the tracker.
        given_gold: set if the system was apparently given gold states: the share of turns at which its states equal gold
            outside slots that it never predicts. Such a system is neither ranked nor tested. None for the others.
    """

    system: str
    file: str
    sha256: str
    format: str
    source: str
    licence: str
    date: str
    scores: list[Score]
    letters: dict[str, str]
    best_rank: int | None
    worst_rank: int | None
    diagnosis: list[Finding]
    given_gold: float | None = None


class Board(Struct, frozen=True, kw_only=True):
    """Systems on the same gold states.

    Attributes:
        rows: the systems, sorted by the first measure, the best first; systems that are not ranked come last.
        ranks: ranks under every measure of the board, then under every rule set and map.
        versus: the paired tests from which the letters are derived.
        signature: joint signature of all scores.
        gold: digest of gold, the same in every format.
        confidence: confidence level of intervals; one minus the significance level of the tests.
    """

    title: str
    rows: list[BoardRow]
    measures: list[str]
    ranks: list[RuleRanks]
    versus: list[PairedDifference]
    signature: str
    dialogues: int
    turns: int
    gold: str
    confidence: float
    notices: list[Notice]


def make_board(
    manifest: BoardManifest,
    settings: BoardSettings,
    progress: Callable[[Sequence[BoardSystem]], Iterable[BoardSystem]] = lambda systems: systems,
) -> Board:
    """Score the systems of a manifest and build the board.

    Args:
        progress: wraps the systems while they are scored, for a progress bar.

    Raises:
        DialmeterError: a file cannot be used, a system is a duplicate, or systems are not comparable (the message has the fields
            that differ).
    """
    check_names([entry.system for entry in manifest.row])
    schema = manifest.schema or None
    systems = [
        read_run(entry, schema)
        if any(Path(entry.file, name).exists() for name in ("run.json", "parts"))
        else read_system(entry, schema, settings.rules.gold_patch)
        for entry in manifest.row
    ]
    check_distinct(systems)
    runs = [system for system in systems if isinstance(system, RunSystem)]
    if runs and len(runs) < len(systems):
        raise DialmeterError(
            "a board has either prediction files or runs, not both; use the prediction file of each run"
        )
    notices: list[Notice] = []
    only: frozenset[str] | None = None
    rules, measures = settings.rules, list(settings.measures or MEASURES)
    if runs:
        rules, measures = _shared_settings(runs, settings)
    elif settings.common:
        only, notices = _common_dialogues(systems)
    elif rules.missing == "error":
        _check_complete(systems)
    resampling = settings.resampling
    scoring = TrackerSettings(rules, tuple(measures), schema, only)
    checks = {system.entry.system: GoldStateCheck() for system in systems}
    results = {
        system.entry.system: system.score(scoring, resampling, checks[system.entry.system].take)
        for system in progress(systems)
    }
    check_comparable(results)
    given = {name: check.share for name, check in checks.items() if check.share is not None and check.was_given_gold}
    ranked = {name: result for name, result in results.items() if name not in given}
    comparison = compare(ranked, resampling, all_pairs=True) if len(ranked) > 1 else None
    first = next(iter(results.values()))
    ranks = [
        _ranking(
            measure.text, rules, {name: each.scores[index].value for name, each in results.items()}, frozenset(given)
        )
        for index, measure in enumerate(first.measures)
    ]
    if not runs:
        ranks += rule_ranks(systems, rules, only, frozenset(given))
    return Board(
        title=manifest.title,
        rows=_rows(systems, results, comparison, ranks=ranks, given=given, level=1 - resampling.confidence),
        measures=[each.text for each in first.measures],
        ranks=ranks,
        versus=comparison.versus if comparison else [],
        signature=joint_signature([score.signature for result in results.values() for score in result.scores]),
        dialogues=first.dialogues,
        turns=first.turns,
        gold=next(part[5:] for part in first.scores[0].signature.split("|") if part.startswith("gold:")),
        confidence=resampling.confidence,
        notices=[*notices, *_notices(results, comparison, resampling)],
    )


def _shared_settings(runs: Sequence[RunSystem], settings: BoardSettings) -> tuple[Rules, list[str]]:
    """Return the rule set and the measures that all runs share."""
    if settings.common or settings.rules != load("dialmeter"):
        raise DialmeterError(
            "the rules and dialogues of a run cannot be changed; use --common and rule options only with prediction files"
        )
    shared = [name for name in runs[0].signatures if all(name in run.signatures for run in runs)]
    measures = list(settings.measures) or [name for name in MEASURES if name in shared] or shared
    check_runs(runs, measures)
    return runs[0].manifest.rules, measures


def _check_complete(systems: Sequence[BoardSystem]) -> None:
    """Raise an error if the systems do not have predictions for the same dialogues."""
    complete = {one_line(system.entry.system): system.complete_dialogues for system in systems}
    common = frozenset.intersection(*complete.values())
    others = [
        f"{len(keys - common)} in {name} ({', '.join(sorted(keys - common)[:3])}{', …' if len(keys - common) > 3 else ''})"
        for name, keys in complete.items()
        if keys - common
    ]
    if others:
        raise DialmeterError(
            f"the systems do not have the same dialogues: {len(common)} are complete in all files, others only in some: "
            f"{'; '.join(others)}; use --common to score the {len(common)} common ones"
        )


def _common_dialogues(systems: Sequence[BoardSystem]) -> tuple[frozenset[str] | None, list[Notice]]:
    """Return the dialogues in which every system has a prediction at every turn, and a warning about the others.

    The dialogues are None if there are no others.
    """
    common = frozenset.intersection(*(system.complete_dialogues for system in systems))
    if not common:
        raise DialmeterError("the systems have no complete dialogue in common")
    others = sorted({dialogue_key(each.id) for system in systems for each in system.dialogues} - common)
    if not others:
        return None, []
    message = (
        f"{len(others)} dialogues are unscored because they are not complete in every file; {len(common)} are scored"
    )
    return common, [Notice("unequal-dialogues", len(others), message, tuple(others[:_LISTED]))]


def _rows(
    systems: Sequence[BoardSystem],
    results: Mapping[str, TrackerResult],
    comparison: TrackerComparison | None,
    *,
    ranks: Sequence[RuleRanks],
    given: Mapping[str, float],
    level: float,
) -> list[BoardRow]:
    def sort_key(system: BoardSystem) -> tuple[bool, float, str]:
        name = system.entry.system
        value = results[name].scores[0].value
        return name in given, float("inf") if value is None else -value, name

    letters = _letters(comparison, level) if comparison else {}
    rows = []
    for system in sorted(systems, key=sort_key):
        entry, name, result = system.entry, system.entry.system, results[system.entry.system]
        own_ranks = [own for each in ranks if (own := each.ranks[name]) is not None]
        rows.append(
            BoardRow(
                system=name,
                file=system.name,
                sha256=system.sha256,
                format=system.format,
                source=entry.source,
                licence=entry.licence,
                date=entry.date,
                scores=result.scores,
                letters={measure: own[name] for measure, own in letters.items() if name in own},
                best_rank=min(own_ranks, default=None),
                worst_rank=max(own_ranks, default=None),
                diagnosis=system.manifest.diagnosis if isinstance(system, RunSystem) else result.diagnosis,
                given_gold=given.get(name),
            )
        )
    return rows


def _letters(comparison: TrackerComparison, level: float) -> dict[str, dict[str, str]]:
    """Return the letters of systems by measure. A measure without any test has none."""
    letters = {}
    for measure, ranks in comparison.ranks.by_measure.items():
        tested = [(each, p) for each in comparison.versus if each.measure == measure and (p := each.p_holm) is not None]
        if tested:
            differing = [(each.base, each.system) for each, p in tested if p < level and each.difference]
            letters[measure] = letter_display(sorted(ranks, key=lambda name: (ranks[name], name)), differing)
    return letters


def _notices(
    results: Mapping[str, TrackerResult], comparison: TrackerComparison | None, resampling: Resampling
) -> list[Notice]:
    """Return the warnings of all systems, merged by kind, and those of the tests."""
    kinds: dict[tuple[str, str], dict[str, Notice]] = {}
    for name, result in results.items():
        for notice in result.notices:
            words = notice.message.removeprefix(f"{notice.count} ")
            kinds.setdefault((notice.code, words), {})[name] = notice
    notices = []
    for (code, words), by_name in kinds.items():
        counts = ", ".join(f"{one_line(name)} {notice.count}" for name, notice in by_name.items())
        notices.append(
            Notice(code, sum(notice.count for notice in by_name.values()), f"{words} (count by system: {counts})")
        )
    if comparison is None:
        return notices
    tests = sum(each.p is not None for each in comparison.versus)
    needed = int(tests / (1 - resampling.confidence))
    if tests and resampling.resamples <= needed:
        message = (
            f"no difference can be significant with {tests} tests and {resampling.resamples} resamples; "
            f"use --resamples {2 * needed}"
        )
        notices.append(Notice("few-resamples", tests, message))
    return [*comparison.notices, *notices]
