"""Read gold and several trackers for an audit, from files or from runs, and check that they belong together."""

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
from ...tracking.scoring import read_into, run_dialogues
from .trackers import MEASURES, AuditedTracker, GoldStateCheck, TrackerSet, Utterances


def is_run(path: str) -> bool:
    """Return True if a path is the folder of a finished run."""
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
    """Read the predictions of several trackers, and score each.

    Args:
        gold: the file with gold states; None if every file or run contains the same gold.
        files: predictions or runs by name of the tracker.
        rules: the rule set.
        gold_format: the format of gold.
        format: the format of the predictions.
        common: use only the dialogues that all files have.
        watch: wraps the dialogues of a file, for a progress bar.

    Raises:
        DialmeterError: a tracker has missing dialogues or other gold, or two trackers have the same predictions.
    """
    shared_gold = GoldFile(gold, gold_format) if gold is not None else None
    words = shared_gold.vocabulary if shared_gold else Vocabulary()
    only = _common_dialogues(gold, gold_format, files, format) if common else None
    _check_rules([path for path in files.values() if is_run(path)])
    trackers = []
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
                raise DialmeterError(f"{one_line(path, 200)}: the file has no values, so it cannot vote")
            own = shared_gold is not None and corpus.holds_both and path != gold
            read_into(scorer, corpus, gold_corpus, only=only, sink=take, watch=watch)
            notices = [*corpus.notices, *(_other_gold(name, path, format, scorer) if own else ())]
        missing = scorer.findings.missing
        if missing.dialogues and rules.missing == "error":
            raise DialmeterError(
                f"{name}: {missing.dialogues} dialogues of gold have no prediction, first {missing.first_dialogue}; "
                "use --common for the dialogues that all files have"
            )
        trackers.append(AuditedTracker(name, reads, scorer.result(one_line(path, 200), notices), check))
    _check_trackers(trackers)
    return TrackerSet(trackers, rules, words)


def _read_run(path: str, gold: GoldFile | None, scorer: TrackerScorer, only: frozenset[str] | None, take: Sink) -> None:
    """Read a run into a scorer."""
    words = scorer.vocabulary
    dialogues = run_dialogues(open_run(path), words)
    if gold is not None:
        dialogues = joined(gold.numbered(words), dialogues)
    patch = scorer.rules.gold_patch
    for read in dialogues if patch is None else patch.apply_to(dialogues, words):
        if only is None or dialogue_key(read.id) in only:
            try:
                scored = scorer.add_pairs(read)
            except InputError as error:
                raise error.at(file=one_line(path, 200)) from None
            if scored:
                take(read, scorer.compared())


def _check_rules(runs: list[str]) -> None:
    """Raise DialmeterError if runs have different rule sets."""
    by_path = {path: open_run(path).manifest.get("rules") for path in runs}
    for path, rules in by_path.items():
        if rules != by_path[runs[0]]:
            one, other = (one_line(each, 200) for each in (runs[0], path))
            raise DialmeterError(
                f"{one} and {other} are runs under different rules; score them again under the same rule set"
            )


def _common_dialogues(
    gold: str | None, gold_format: str | None, files: Mapping[str, str], format: str | None
) -> frozenset[str]:
    def keys(path: str, role: Role, format: str | None) -> frozenset[str]:
        words = Vocabulary()
        read = run_dialogues(open_run(path), words) if is_run(path) else open_corpus(path, role, format).numbered(words)
        return frozenset(dialogue_key(each.id) for each in read)

    sets = [keys(path, Role.PRED, format) for path in files.values()]
    common = frozenset.intersection(*sets, *([keys(gold, Role.GOLD, gold_format)] if gold is not None else []))
    if not common:
        raise DialmeterError("the files have no dialogue in common")
    return common


def _other_gold(name: str, path: str, format: str | None, scorer: TrackerScorer) -> list[Notice]:
    """Return a warning if a file of predictions has gold that differs from the gold of the audit."""
    own_gold = TrackerScorer(["JGA"], replace(scorer.rules, patch="", missing="skip"))
    read_into(own_gold, *open_pair(path, None, format))
    if scorer.rules.patch:
        return []
    differing = own_gold.findings.digest.differing(scorer.findings.digest)
    message = f"{name}: the file has gold that differs from GOLD in {len(differing)} dialogues; GOLD is used"
    return [Notice("other-gold", len(differing), message, tuple(differing[:10]))] if differing else []


def _check_trackers(trackers: list[AuditedTracker]) -> None:
    """Raise DialmeterError if trackers have different dialogues or gold, or two have the same predictions."""
    first = trackers[0]
    for each in trackers[1:]:
        differing = first.result.gold_digest.differing(each.result.gold_digest)
        if differing:
            raise DialmeterError(
                f"{first.name} and {each.name} have different gold in {len(differing)} dialogues, first {differing[0]}; "
                "give the GOLD file first, then the predictions"
            )
    check_comparable({each.name: each.result for each in trackers})
    seen: dict[tuple[Any, ...], str] = {}
    for each in trackers:
        states = tuple((key, tuple(read.pred)) for key, read in sorted(each.reads.items()))
        if states in seen:
            raise DialmeterError(
                f"{seen[states]} and {each.name} have the same predictions; give each tracker only once"
            )
        seen[states] = each.name


def read_talk(path: str) -> Iterator[tuple[str, dict[int, Utterances]]]:
    """Yield the utterances of a file by turn, for each dialogue.

    Raises:
        InputError: the file is invalid; the error has the place.
    """
    for read in open_corpus(path, Role.GOLD).numbered(Vocabulary()):
        yield (
            dialogue_key(read.id),
            {turn.number: Utterances(turn.system or "", turn.user or "") for turn in read.turns},
        )
