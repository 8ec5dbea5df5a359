"""Reads gold and several trackers for an audit, from files or from runs, and refuses what does not belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...core.open_runs import file_of_run, open_run
from ...errors import DialmeterError, InputError, one_line
from ...model import Notice, dialogue_key
from ...readers.corpus import open_corpus
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...readers.parts import Role
from ...tracking.align import GoldFile, WatchDialogues, joined, open_pair, without_states
from ...tracking.compare import check_comparable
from ...tracking.compared import ComparedDialogue
from ...tracking.rule_sets.rules import Rules
from ...tracking.scorer import Sink, TrackerScorer
from ...tracking.scoring import read_into
from ..run_states import run_dialogues
from .given_gold import GoldStateCheck
from .trackers import MEASURES, AuditedTracker, TrackerSet, Utterances


def is_run(path: str) -> bool:
    """Is it the folder of a run?"""
    return file_of_run(Path(path), "run.json").exists()


def read_trackers(
    gold: str | None,
    files: Mapping[str, str],
    rules: Rules,
    *,
    gold_format: str | None = None,
    format: str | None = None,
    common: bool = False,
    watch: WatchDialogues = lambda dialogues, corpus: dialogues,
) -> TrackerSet:
    """Reads predictions of several trackers, and scores each.

    Args:
        gold: the file with gold states; None where every file or run has its own, and all have the same.
        files: predictions or runs by the name of the tracker.
        rules: the rule set.
        gold_format: the format of gold.
        format: the format of the predictions.
        common: look at the dialogues that all have.
        watch: wraps the dialogues of a file, for a progress bar.

    Raises:
        DialmeterError: trackers that lack dialogues, have other gold, or are the same.
    """
    shared_gold = GoldFile(gold, gold_format) if gold is not None else None
    words = shared_gold.vocabulary if shared_gold else Vocabulary()
    only = _common(gold, gold_format, files, format) if common else None
    _check_rules([path for path in files.values() if is_run(path)])
    found = []
    for name, path in files.items():
        scorer = TrackerScorer(MEASURES, rules, vocabulary=words)
        check, reads = GoldStateCheck(), dict[str, PairDialogue]()

        def take(
            read: PairDialogue, compared: ComparedDialogue, check: GoldStateCheck = check, reads: Any = reads
        ) -> None:
            check.take(read, compared)
            reads[dialogue_key(read.id)] = without_states(read)

        notices: list[Notice] = []
        if is_run(path):
            _read_run(path, shared_gold, scorer, only, take)
        else:
            corpus, gold_corpus = open_pair(path, shared_gold, format)
            if corpus.correctness_only:
                corpus.close()
                raise DialmeterError(f"{one_line(path, 200)}: the file holds no values, so that it has no votes")
            own = shared_gold is not None and corpus.holds_both and path != gold
            read_into(scorer, corpus, gold_corpus, only=only, sink=take, watch=watch)
            notices = [*corpus.notices, *(_other_gold(name, path, format, scorer) if own else ())]
        missing = scorer.findings.missing
        if missing.dialogues and rules.missing == "error":
            raise DialmeterError(
                f"{name}: {missing.dialogues} dialogues of gold have no prediction, first {missing.first_dialogue}; "
                "--common looks at the dialogues that all have"
            )
        found.append(AuditedTracker(name, reads, scorer.result(one_line(path, 200), notices), check))
    _check_same(found)
    return TrackerSet(found, rules, words)


def _read_run(path: str, gold: GoldFile | None, scorer: TrackerScorer, only: frozenset[str] | None, take: Sink) -> None:
    """Reads a run into a scorer."""
    words = scorer.vocabulary
    found = run_dialogues(open_run(path), words)
    if gold is not None:
        found = joined(gold.numbered(words), found)
    patch = scorer.rules.gold_patch
    for read in found if patch is None else patch.apply_to(found, words):
        if only is None or dialogue_key(read.id) in only:
            try:
                scored = scorer.add_pairs(read)
            except InputError as error:
                raise error.at(file=one_line(path, 200)) from None
            if scored:
                take(read, scorer.compared())


def _check_rules(runs: list[str]) -> None:
    """Raises DialmeterError where two runs were made under different rule sets."""
    rules = {path: open_run(path).manifest.get("rules") for path in runs}
    for path, found in rules.items():
        if found != rules[runs[0]]:
            one, other = (one_line(each, 200) for each in (runs[0], path))
            raise DialmeterError(
                f"{one} and {other} are runs under different rules; score them again under one rule set"
            )


def _common(gold: str | None, gold_format: str | None, files: Mapping[str, str], format: str | None) -> frozenset[str]:
    def keys(path: str, role: Role, format: str | None) -> frozenset[str]:
        words = Vocabulary()
        read = run_dialogues(open_run(path), words) if is_run(path) else open_corpus(path, role, format).numbered(words)
        return frozenset(dialogue_key(each.id) for each in read)

    sets = [keys(path, Role.PRED, format) for path in files.values()]
    found = frozenset.intersection(*sets, *([keys(gold, Role.GOLD, gold_format)] if gold is not None else []))
    if not found:
        raise DialmeterError("the files have no dialogue in common")
    return found


def _other_gold(name: str, path: str, format: str | None, scorer: TrackerScorer) -> list[Notice]:
    """A warning where a file of predictions has gold that is not the gold of the audit."""
    alone = TrackerScorer(["JGA"], replace(scorer.rules, patch="", missing="skip"))
    read_into(alone, *open_pair(path, None, format))
    if scorer.rules.patch:
        return []
    apart = alone.findings.digest.differing(scorer.findings.digest)
    message = f"{name}: the file has gold that differs from GOLD in {len(apart)} dialogues; GOLD is used"
    return [Notice("other-gold", len(apart), message, tuple(apart[:10]))] if apart else []


def _check_same(trackers: list[AuditedTracker]) -> None:
    """Raises DialmeterError where trackers are not on the same dialogues with the same gold, or two are one."""
    first = trackers[0]
    for each in trackers[1:]:
        apart = first.result.gold_digest.differing(each.result.gold_digest)
        if apart:
            raise DialmeterError(
                f"{first.name} and {each.name} have different gold in {len(apart)} dialogues, first {apart[0]}; "
                "give the GOLD file first, and then predictions"
            )
    check_comparable({each.name: each.result for each in trackers})
    seen: dict[tuple[Any, ...], str] = {}
    for each in trackers:
        states = tuple((key, tuple(read.pred)) for key, read in sorted(each.reads.items()))
        if states in seen:
            raise DialmeterError(f"{seen[states]} and {each.name} are the same predictions; give each tracker once")
        seen[states] = each.name


def read_talk(path: str) -> Iterator[tuple[str, dict[int, Utterances]]]:
    """The utterances of a file by dialogue and turn.

    Raises:
        InputError: whatever is wrong with the file, with its place.
    """
    for read in open_corpus(path, Role.GOLD).numbered(Vocabulary()):
        yield (
            dialogue_key(read.id),
            {turn.number: Utterances(turn.system or "", turn.user or "") for turn in read.turns},
        )
