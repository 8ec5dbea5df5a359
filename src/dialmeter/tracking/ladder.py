"""The ladders of trackers: the same difference with spellings repaired, on the slots or turns that both predict, and under other
rule sets.

The dialogues that were scored are in memory (``score_file(keep=True)``) and are scored again; no file is read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..core.comparison import PairedDifference, Resampling, Test, correct_by_holm
from ..core.ladder import Assumption, Ladder, Rung, make_ladder, make_rung
from ..errors import DialmeterError
from ..garbage import paused_garbage_collection
from ..model import dialogue_key
from ..readers.pairs.slot_names import slot_namer
from ..readers.pairs.vocabulary import PairDialogue
from .align import KeptDialogues
from .diagnosis.fixes import Fix, combine, explained
from .diagnosis.suspicions import SPELLING, predicted_slots
from .differences import differences
from .pairs import NO_REPAIRS, Repairs
from .result import TrackerResult
from .rule_sets.rules import Rules, named, names
from .scorer import TrackerScorer


class ScoredAgain(Struct, frozen=True, kw_only=True):
    """One way to score two systems again.

    Attributes:
        name: the name of the rung.
        assumption: the kind of the rung.
        rules: the rule set.
        repairs: changes of slots and values besides the rules.
        left_out: turns that are not scored, by key of their dialogue.
    """

    name: str
    assumption: Assumption
    rules: Rules
    repairs: Repairs = NO_REPAIRS
    left_out: Mapping[str, frozenset[int]] = {}


def make_ladders(
    results: Mapping[str, TrackerResult],
    versus: Sequence[PairedDifference],
    resampling: Resampling,
    test: Test,
    *,
    all_rules: bool = False,
) -> list[Ladder]:
    """Return the ladder of each system against the first one, under the first measure.

    The p values of a rung are corrected over the same comparisons as those of the difference as written: every system is scored
    again in the same way, if that is possible.

    Args:
        results: the results by name; the first is the base. A result without kept dialogues has no other rung.
        versus: the differences as written.
        resampling: confidence, resamples and seed.
        test: the test for p values.
        all_rules: also add the other rule sets that can be applied.
    """
    first, *others = results
    level = 1 - resampling.confidence
    measure = results[first].measures[0].text
    written: dict[tuple[str, str], list[PairedDifference]] = {}
    for each in versus:
        written.setdefault((each.base, each.system), []).append(each)
    ladders = {
        name: [make_rung("as written", "as written", written[first, name][0], level, n=results[first].dialogues)]
        for name in others
    }
    for step in _steps(results, all_rules):
        scored = _rescored(results, step)
        found = {
            (first, name): differences({first: base, name: system}, resampling, test, all_pairs=False)[0]
            for name, (base, system) in scored.items()
        }
        family = correct_by_holm([each for pair, listed in written.items() for each in found.get(pair, listed)])
        for each in family:
            if each.measure == measure and each.base == first and each.system in scored:
                again, result = step[each.system], scored[each.system][0]
                fewer = results[first].turns - result.turns
                note = f"{result.turns} turns, {fewer} fewer" if fewer else ""
                rung = make_rung(again.name, again.assumption, each, level, n=result.dialogues, note=note)
                _add_rung(ladders[each.system], rung)
    return [make_ladder(measure, name, first, rungs) for name, rungs in ladders.items()]


def _add_rung(rungs: list[Rung], rung: Rung) -> None:
    """Add a rung. Rule sets with the same result share one rung."""
    for place, other in enumerate(rungs):
        if other.assumption == rung.assumption == "rules" and (other.difference, other.ci) == (
            rung.difference,
            rung.ci,
        ):
            rungs[place] = replace(other, name=f"{other.name}, {rung.name.removeprefix('rules=')}")
            return
    rungs.append(rung)


def _steps(results: Mapping[str, TrackerResult], all_rules: bool) -> Iterator[dict[str, ScoredAgain]]:
    """Yield for each assumption the variants to score, by the system that is compared with the first one."""
    first, *others = results
    base = results[first]
    rules = base.rules
    if not base.values_known or not all(isinstance(each.files, KeptDialogues) for each in results.values()):
        return
    spelling = combine(
        (
            explained(each.fix)
            for result in results.values()
            for each in result.diagnosed
            if each.finding.kind in SPELLING
        ),
        rules,
    )
    if spelling.option:
        repaired = ScoredAgain(
            name=spelling.option, assumption="spelling", rules=spelling.rules, repairs=spelling.repairs
        )
        yield dict.fromkeys(others, repaired)
    for fix in (Fix("", rules), spelling) if spelling.option else (Fix("", rules),):
        yield {
            name: ScoredAgain(
                name=f"{fix.option}{', ' * bool(fix.option)}slots that both predict",
                assumption="coverage",
                rules=fix.rules,
                repairs=replace(fix.repairs, dropped=dropped),
            )
            for name in others
            if (dropped := _uncovered(base, results[name], fix))
        }
    if rules.missing == "empty":
        skipping = replace(rules, missing="skip")
        yield {
            name: ScoredAgain(name="turns that both predict", assumption="coverage", rules=skipping, left_out=turns)
            for name in others
            if (turns := _lacking(base, results[name]))
        }
    for name in names() if all_rules else ():
        if name != rules.name:
            other = replace(named(name), missing=rules.missing, patch=rules.patch)
            yield dict.fromkeys(others, ScoredAgain(name=f"rules={name}", assumption="rules", rules=other))


def _uncovered(base: TrackerResult, system: TrackerResult, fix: Fix) -> frozenset[str]:
    """Return the gold slots that one of two systems never predicts, unless these are all slots."""
    name_of, renamed = slot_namer(fix.rules.names), fix.repairs.renamed
    gold, one, other = (
        {renamed.get(name_of(slot), name_of(slot)) for slot in slots}
        for slots in (base.findings.gold_slots, predicted_slots(base.findings), predicted_slots(system.findings))
    )
    dropped = gold - (one & other)
    return frozenset(dropped if dropped != gold else ())


def _lacking(*systems: TrackerResult) -> dict[str, frozenset[int]]:
    """Return the turns for which a system has no prediction, by key of the dialogue.

    If states are updates, the whole dialogue is left out, because the later states depend on every update.
    """
    lacking: dict[str, frozenset[int]] = {}
    for system in systems:
        for read in _kept(system).dialogues:
            turns = zip(read.numbers, read.gold, read.pred, strict=True)
            numbers = [number for number, gold, pred in turns if gold is not None and pred is None]
            if numbers:
                key = dialogue_key(read.id)
                left_out = numbers if system.rules.state == "cumulative" else read.numbers
                lacking[key] = lacking.get(key, frozenset()).union(left_out)
    return lacking


def _kept(result: TrackerResult) -> KeptDialogues:
    assert isinstance(result.files, KeptDialogues)
    return result.files


def _rescored(
    results: Mapping[str, TrackerResult], step: Mapping[str, ScoredAgain]
) -> dict[str, tuple[TrackerResult, TrackerResult]]:
    """Score the base and each system again, without the systems for which it is not possible."""
    first = next(iter(results))
    bases: dict[int, TrackerResult] = {}
    scored = {}
    for name, again in step.items():
        try:
            with paused_garbage_collection():
                if id(again) not in bases:
                    bases[id(again)] = _score(results[first], again)
                base, system = bases[id(again)], _score(results[name], again)
        except DialmeterError:
            continue
        if base.gold_digest.keys() == system.gold_digest.keys():
            scored[name] = base, system
    return scored


def _score(result: TrackerResult, variant: ScoredAgain) -> TrackerResult:
    kept = _kept(result)
    measures = [each.text for each in result.measures]
    scorer = TrackerScorer(measures, variant.rules, vocabulary=kept.vocabulary, repairs=variant.repairs)
    # Set after construction: the first pass has compared the slots of gold with the schema.
    scorer.schema = kept.schema
    for read in kept.dialogues:
        left_out = variant.left_out.get(dialogue_key(read.id))
        scorer.add_pairs(_without(read, left_out) if left_out else read)
    return scorer.result()


def _without(read: PairDialogue, left_out: frozenset[int]) -> PairDialogue:
    """Return a dialogue without the predictions of some turns, which are then skipped."""
    shown = PairDialogue(read.id, read.place)
    shown.numbers, shown.gold, shown.turns = read.numbers, read.gold, read.turns
    shown.pred = [None if number in left_out else pred for number, pred in zip(read.numbers, read.pred, strict=True)]
    return shown
