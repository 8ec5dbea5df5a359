"""The ladders of trackers: the same difference with spellings repaired, on the slots or turns that both predict, and under other
rule sets. The dialogues are scored again from memory (``score_file(keep=True)``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..core.comparison import PairedDifference, correct_by_holm
from ..core.ladder import Assumption, Ladder, Rung, make_ladder, make_rung
from ..errors import DialmeterError
from ..model import dialogue_key
from ..readers.pairs.vocabulary import PairDialogue
from .align import KeptDialogues, without_predictions
from .diagnosis.suspicions import SPELLING, Fix, combine, explained, names_under, predicted_slots, suspicions
from .result import TrackerResult
from .rule_sets.rules import named, names
from .scoring import score_again

Results = Mapping[str, TrackerResult]


class ScoredAgain(Struct, frozen=True):
    """One way to score two systems again: the fix names it, and ``unscored`` has the turns to leave out of each dialogue."""

    assumption: Assumption
    fix: Fix
    unscored: Mapping[str, frozenset[int]] = {}


def make_ladders(
    results: Results,
    versus: Sequence[PairedDifference],
    subtract: Callable[[Results], Sequence[PairedDifference]],
    level: float,
    all_rules: bool = False,
) -> list[Ladder]:
    """Return the ladder of each system against the first one, under the first measure.

    The p values of a rung are corrected over the same comparisons as those as written, and all systems are scored again in the
    same way if that is possible.

    Args:
        results: the results by name; the first is the base. If dialogues were not kept, there are no other rungs.
        versus: the differences as written.
        subtract: returns the differences of two results.
        level: p values below it are significant.
        all_rules: also add the other rule sets that can be applied.
    """
    first, *others = results
    measure = results[first].measures[0].text
    written: dict[tuple[str, str], Sequence[PairedDifference]] = {
        pair: [each for each in versus if (each.base, each.system) == pair]
        for pair in dict.fromkeys((each.base, each.system) for each in versus)
    }
    rungs = {
        name: [make_rung("as written", "as written", written[first, name][0], level, n=results[first].dialogues)]
        for name in others
    }
    for steps in _steps(results, all_rules):
        scored = _score_again(results, steps)
        found = {(first, name): subtract({first: base, name: system}) for name, (base, system) in scored.items()}
        for each in correct_by_holm([each for pair in written for each in found.get(pair, written[pair])]):
            if each.measure == measure and (each.base, each.system) in found:
                step, base = steps[each.system], scored[each.system][0]
                fewer = results[first].turns - base.turns
                note = f"{fewer} turns are unscored" if fewer else ""
                rung = make_rung(step.fix.option, step.assumption, each, level, n=base.dialogues, note=note)
                _add_rung(rungs[each.system], rung)
    return [make_ladder(measure, name, first, rungs[name]) for name in others]


def _add_rung(rungs: list[Rung], rung: Rung) -> None:
    """Add a rung. Rule sets with the same difference share one."""
    for place, other in enumerate(rungs):
        if rung.assumption == "rules" and replace(other, name=rung.name) == rung:
            rungs[place] = replace(other, name=f"{other.name}, {rung.name.removeprefix('rules=')}")
            return
    rungs.append(rung)


def _steps(results: Results, all_rules: bool) -> Iterator[dict[str, ScoredAgain]]:
    """Yield for each assumption how to score the systems again that it applies to, together with the first system."""
    base = next(iter(results.values()))
    others = {name: result for name, result in results.items() if result is not base}
    rules = base.rules
    if not base.values_known or not all(isinstance(each.files, KeptDialogues) for each in results.values()):
        return
    found = [each for result in results.values() for each in suspicions(result.findings, rules)]
    spelling = combine([explained(each.fix) for each in found if each.finding.kind in SPELLING], rules)
    if spelling.option:
        yield dict.fromkeys(others, ScoredAgain("spelling", spelling))
    for fix in (Fix("", rules), spelling) if spelling.option else (Fix("", rules),):
        option = ", ".join(filter(None, (fix.option, "slots that both predict")))
        yield {
            name: ScoredAgain("coverage", Fix(option, fix.rules, replace(fix.repairs, dropped=dropped)))
            for name, other in others.items()
            if (dropped := _uncovered(base, other, fix))
        }
    if rules.missing == "empty":
        skipping = Fix("turns that both predict", replace(rules, missing="skip"))
        yield {
            name: ScoredAgain("coverage", skipping, unscored)
            for name, other in others.items()
            if (unscored := _lacking(base, other))
        }
    for other_rules in map(named, names() if all_rules else ()):
        # Stand-ins of measures need turns, which are kept only if a measure needs them.
        if other_rules.name != rules.name and (_kept(base).with_turns or not other_rules.stand_ins):
            fix = Fix(f"rules={other_rules.name}", replace(other_rules, missing=rules.missing, patch=rules.patch))
            yield dict.fromkeys(others, ScoredAgain("rules", fix))


def _uncovered(base: TrackerResult, system: TrackerResult, fix: Fix) -> frozenset[str]:
    """Return the gold slots that one of two systems never predicts, unless these are all slots."""
    gold = names_under(fix, base.findings.gold_slots)
    one, other = (names_under(fix, predicted_slots(each.findings)) for each in (base, system))
    dropped = gold - (one & other)
    return frozenset(dropped if dropped != gold else ())


def _lacking(*systems: TrackerResult) -> dict[str, frozenset[int]]:
    """Return the turns for which one of the systems has no prediction, by key of the dialogue.

    If states are updates, it is the whole dialogue, because a state depends on all updates before it.
    """
    lacking: dict[str, frozenset[int]] = {}
    for system in systems:
        for read in _kept(system).dialogues:
            turns = zip(read.numbers, read.gold, read.pred, strict=True)
            missing = [number for number, gold, pred in turns if gold is not None and pred is None]
            if missing:
                key, whole = dialogue_key(read.id), system.rules.state != "cumulative"
                lacking[key] = lacking.get(key, frozenset()).union(read.numbers if whole else missing)
    return lacking


def _kept(result: TrackerResult) -> KeptDialogues:
    assert isinstance(result.files, KeptDialogues)
    return result.files


def _score_again(results: Results, steps: Mapping[str, ScoredAgain]) -> dict[str, tuple[TrackerResult, TrackerResult]]:
    """Score the base and each system again, except those for which it is not possible."""
    first = next(iter(results))
    bases: dict[int, TrackerResult] = {}
    scored = {}
    for name, step in steps.items():
        try:
            if id(step) not in bases:
                bases[id(step)] = _score(results[first], step)
            base, system = bases[id(step)], _score(results[name], step)
        except DialmeterError:
            continue
        if base.gold_digest.keys() == system.gold_digest.keys():
            scored[name] = base, system
    return scored


def _score(result: TrackerResult, step: ScoredAgain) -> TrackerResult:
    def predicted(read: PairDialogue) -> PairDialogue:
        unscored = step.unscored.get(dialogue_key(read.id))
        return without_predictions(read, unscored) if unscored else read

    measures = [each.text for each in result.measures]
    return score_again(_kept(result), measures, step.fix.rules, predicted, step.fix.repairs)
