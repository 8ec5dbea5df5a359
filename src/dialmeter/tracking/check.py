"""Check whether a file can be scored. What `score` would reject is a problem; everything else is a warning."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, structs

from ..core.account import NO_PREDICTION, Account, Reason
from ..errors import InputError
from ..measure import Score
from ..model import Dialogue, Notice, Schema
from ..readers.layouts.schema import read_schema
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from .align import PairFiles, open_pair
from .baselines import gold_against_itself
from .diagnosis.suspicions import Finding, diagnose
from .pairs import Normaliser
from .rule_sets.rules import Rules
from .scorer import TrackerScorer, swapped
from .scoring import read_into


class Checked(Struct, frozen=True):
    """The result of a check."""

    format: str
    gold_format: str | None
    account: Account
    counts: dict[str, int]
    self_scores: list[Score]
    problems: list[Notice]
    notices: list[Notice]
    diagnosis: list[Finding]

    @property
    def valid(self) -> bool:
        """Would `score` accept the file?"""
        return not self.problems


def check_file(
    path: str,
    gold: str | None = None,
    *,
    format: str | None = None,
    gold_format: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    rules: Rules,
) -> Checked:
    """Validate a file, and score gold against itself.

    Raises:
        InputError: the file cannot be read at all.
    """
    files = PairFiles(path, gold, format, gold_format, only, rules.gold_patch)
    corpus, gold_corpus = open_pair(path, gold, format, gold_format, asks=rules.state == "cumulative")
    known_schema = read_schema(schema) if schema else None
    normaliser = Normaliser(rules)
    lenient = structs.replace(rules, missing="empty", only_measures=(), stand_ins={})
    words = Vocabulary()
    vectors = corpus.correctness_only
    scorer = TrackerScorer(["JGA"], lenient, correctness_only=vectors, vocabulary=words)
    self_scorer = TrackerScorer(rules=rules, correctness_only=vectors, vocabulary=words)
    # Set after construction: a scorer that is built with a schema stops at the first slot that is not in the schema, and here
    # all of them are listed.
    self_scorer.schema = known_schema
    census = _Census(scorer.pairs.name_of)

    def take(read: PairDialogue, _: object) -> None:
        plain = words.plain(read)
        census.add(plain)
        self_scorer.schema = self_scorer.schema or (gold_corpus or corpus).schema
        self_scorer.add_pairs(words.with_predictions(read, gold_against_itself(plain, normaliser)))

    read_into(scorer, corpus, gold_corpus, only=only, on_row=take)
    if not census.turns:
        raise InputError("no turn with a gold state", file=corpus.name)
    scores = self_scorer.result(corpus.name).scores
    findings = scorer.findings
    missing, extra = findings.missing, findings.extra
    lacking = Notice("missing", missing.turns, missing.turns_have("gold and no prediction"), tuple(missing.examples))
    if findings.has_no_prediction:
        hint = swapped(corpus.name, gold or "", "check")
        lacking = Notice("swapped", missing.turns, f"{lacking.message}: {hint}")
    surplus = Notice(
        "extra",
        extra.turns,
        f"{extra.turns_have('no gold')} and {'is' if extra.turns == 1 else 'are'} not scored",
        tuple(extra.examples),
    )
    low = [f"{each.measure} {100 * each.value:.2f}" for each in scores if each.value is not None and each.value < 1]
    unknown = findings.absent(only)
    is_subset = corpus.is_inferred and only is None and findings.is_subset(census.turns - missing.turns)
    refused = {"error": (unknown,) if is_subset else (unknown, lacking), "predicted-only": (surplus,)}.get(
        rules.missing, ()
    )
    problems = [*refused, *census.unknown(known_schema, census.gold_slots, "gold", "unknown-slot")]
    notices = [
        *corpus.notices,
        *(gold_corpus.notices if gold_corpus else []),
        *(each for each in (unknown, lacking, surplus) if each not in refused),
        *census.unknown(known_schema, census.pred_slots, "predictions", "unknown-predicted-slot"),
        Notice("self-score", len(low), f"gold scored against itself is below 100: {', '.join(low)}"),
    ]
    account = findings.account(census.dialogues, only)
    if rules.missing != "empty" and missing.dialogues:
        # `score` leaves these dialogues out; the check itself treats missing predictions as empty.
        reasons = (Reason(NO_PREDICTION, missing.dialogues, missing.first_dialogue), *account.reasons)
        account = structs.replace(account, scored=census.dialogues - missing.dialogues, reasons=reasons)
    is_left_out = is_subset if rules.missing == "error" else rules.skips_missing
    diagnosis_rules = structs.replace(lenient, missing="skip") if is_left_out else lenient
    return Checked(
        corpus.format,
        gold_corpus.format if gold_corpus else None,
        account,
        census.counts(),
        scores,
        [notice for notice in problems if notice.count],
        [notice for notice in notices if notice.count],
        [] if vectors else diagnose(findings, diagnosis_rules, files),
    )


class _Census:
    """Counts of dialogues, turns, slots and values in a file, with the first place of each slot."""

    def __init__(self, name_of: Callable[[str], str]) -> None:
        self._name_of = name_of
        self.dialogues = self.turns = 0
        self.values: set[tuple[str, object]] = set()
        self.gold_slots: dict[str, str] = {}
        self.pred_slots: dict[str, str] = {}

    def add(self, dialogue: Dialogue) -> None:
        self.dialogues += 1
        for turn in dialogue.turns:
            self.turns += turn.gold is not None
            for written, slots in ((turn.gold, self.gold_slots), (turn.pred, self.pred_slots)):
                state = {self._name_of(slot): value for slot, value in (written or {}).items()}
                for slot in state.keys() - slots.keys():
                    slots[slot] = f"dialogue {dialogue.id}, turn {turn.number}, slot {slot}"
                if slots is self.gold_slots:
                    self.values.update(state.items())

    def counts(self) -> dict[str, int]:
        return {
            "dialogues": self.dialogues,
            "turns": self.turns,
            "slots": len(self.gold_slots),
            "values": len(self.values),
            "predicted_slots": len(self.pred_slots),
        }

    def unknown(self, schema: Schema | None, slots: dict[str, str], where: str, code: str) -> list[Notice]:
        """Report slots that are not in the schema; without a schema, predicted slots that are never in gold."""
        known = {*map(self._name_of, schema.slots)} if schema else self.gold_slots.keys()
        unknown = [slot for slot in sorted(slots) if slot not in known]
        message = f"{len(unknown)} slots in {where} are not in {'the schema' if schema else 'gold'}"
        return [Notice(code, len(unknown), message, tuple(slots[slot] for slot in unknown[:10]))]
