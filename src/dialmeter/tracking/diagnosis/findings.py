"""Findings of one pass over a corpus: turns that are on one side only, the digest of gold, mistakes, and warnings.

Each warning has a code, a count, a reason, and a fix.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import Literal, TypeAlias

from msgspec import Struct, field

from ...core.account import BY_NAME, NO_GOLD, NOT_IN_FILE, Account, count_reasons
from ...errors import did_you_mean
from ...measure import Measure
from ...model import Notice, Value, dialogue_key, domain_of
from ...readers.pairs.vocabulary import Vocabulary
from ...values.languages import AUTO, NEVER, languages
from ..digest import GOLD, GoldDigest
from ..measures.fga import FGA
from ..measures.states import RSA, SA
from ..pairs import PairRules
from ..resolve_measures import ResolvedMeasure
from ..rule_sets.rules import Rules, parse_match
from ..tally import OTHER_DOMAINS
from ..vectors.measure_columns import MeasureColumns
from ..walk import Walk

Held = tuple[str, Value | None, Value | None]
"""A slot with its gold value and its predicted value; None is no value."""


class Mistake(Struct, frozen=True):
    """A gold and a predicted value of a slot that do not agree, and the number of such turns; None is no value."""

    slot: str
    gold: str | None
    pred: str | None
    turns: int


class Mistakes(Struct):
    """Counts of gold and predicted values over a corpus.

    Attributes:
        turns: number of turns for each slot, gold value and predicted value.
        new: of the values that do not agree, the number of turns at which the mistake is not carried over from the previous turn.
    """

    turns: Counter[Held] = field(default_factory=Counter)
    new: Counter[Held] = field(default_factory=Counter)

    @classmethod
    def of(cls, walk: Walk, pairs: PairRules) -> Mistakes:
        """Take the counts of a walk, which resets them."""
        slots = ["", *(pairs.slot_names[slot] for slot in pairs.cell_slots[1:])]
        values = [None, *pairs.values[1:]]
        turns, new = (
            Counter(
                {(slots[gold or pred], values[gold], values[pred]): count for (gold, pred), count in counts.items()}
            )
            for counts in walk.end_counts()
        )
        return cls(turns, new)

    def merge(self, other: Mistakes) -> None:
        """Add the counts of another part of the corpus."""
        self.turns.update(other.turns)
        self.new.update(other.new)

    def by_slot(self) -> dict[str, Counter[tuple[str, str]]]:
        """Count how often each slot was missed, wrong or extra, new or carried over."""
        counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for key, new in self.new.items():
            slot, gold, pred = key
            kind = "missed" if pred is None else "extra" if gold is None else "wrong"
            counts[slot][kind, "new"] += new
            if carried := self.turns[key] - new:
                counts[slot][kind, "carried-over"] += carried
        return counts

    def values(self, slot: str) -> Counter[tuple[str | None, str | None]]:
        """Count the gold and predicted values of a slot; of several gold alternatives, the one that was predicted counts."""
        counts: Counter[tuple[str | None, str | None]] = Counter()
        for key, count in self.turns.items():
            name, gold, pred = key
            if name == slot:
                counts[shown(gold) if key in self.new else shown(pred), shown(pred)] += count
        return counts

    def worst(self, most: int) -> list[Mistake]:
        """Return the most frequent pairs of gold and predicted value that do not agree."""
        ordered = sorted(self.new, key=lambda key: (-self.turns[key], key[0], shown(key[1]) or "", shown(key[2]) or ""))
        return [
            Mistake(slot, shown(gold), shown(pred), self.turns[slot, gold, pred]) for slot, gold, pred in ordered[:most]
        ]

    def worst_slots(self, most: int) -> list[str]:
        """Return the slots with the most mistakes."""
        totals = {slot: kinds.total() for slot, kinds in self.by_slot().items()}
        return sorted(totals, key=lambda slot: (-totals[slot], slot))[:most]


def shown(value: Value | None) -> str | None:
    """Format a value for people; None stays None."""
    return value if value is None or isinstance(value, str) else " | ".join(value)


Carries: TypeAlias = Literal["pairs", "gold", "sections", "named-empty", "looked-at"]
"""Features of a file: any pairs; pairs in gold; sections; slots that are named without a value; gold slots that the rule set
uses."""

Change: TypeAlias = Literal["gold changes", "gold losses", "changes", "losses", "held", "repeated"]
_PREDICTED: tuple[Change, ...] = ("changes", "losses", "held", "repeated")
"""The counts of ``Walk.count_predicted_changes``."""
_ENOUGH = 1000
_EXAMPLES = 10


class Unpaired(Struct):
    """Turns that are on one side only: their number, and the first ten examples."""

    turns: int = 0
    dialogues: int = 0
    whole: int = 0
    """The turns of dialogues all of whose turns are on one side only."""
    examples: list[str] = field(default_factory=list)
    first_dialogue: str = ""
    """The first dialogue all of whose turns are on one side only."""

    def note(self, dialogue_id: str, numbers: list[int], whole: bool) -> None:
        """Count the turns of one dialogue."""
        self.turns += len(numbers)
        self.dialogues += whole
        self.whole += len(numbers) if whole else 0
        if whole and not self.first_dialogue:
            self.first_dialogue = dialogue_id
        if len(self.examples) < _EXAMPLES:
            listed = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
            self.examples.append(dialogue_id if whole else f"{dialogue_id} turn {listed}")

    def turns_have(self, text: str) -> str:
        """Say how many turns have something.

        Example:
            >>> Unpaired(1).turns_have("no gold"), Unpaired(2).turns_have("no gold")
            ('1 turn has no gold', '2 turns have no gold')
        """
        return f"{self.turns} turn{' has' if self.turns == 1 else 's have'} {text}"

    @property
    def shown(self) -> str:
        """The number of dialogues and turns, as in a signature; empty if there are none."""
        return f"{self.dialogues}d/{self.turns}t" if self.turns else ""

    def merge(self, other: Unpaired) -> None:
        """Add the turns of another part of the corpus, with its examples at the end."""
        self.turns += other.turns
        self.dialogues += other.dialogues
        self.whole += other.whole
        self.first_dialogue = self.first_dialogue or other.first_dialogue
        self.examples = [*self.examples, *other.examples][:_EXAMPLES]


class Findings(Struct):
    """The findings of one pass over a corpus or a part of it.

    Attributes:
        digest: the digests of gold.
        missing: turns with gold and without a prediction.
        extra: turns without gold.
        turns: number of turns with gold that are scored.
        matched: number of dialogues with gold and a prediction at one turn at least.
        gold_slots: slots that gold holds under the rules.
        hedged: predictions of several values at once, each with its first place.
        changes: counts up to the first thousand changes of gold, which show whether states are cumulative: changes and losses of
            a slot, in gold and in predictions; values held by predictions, and those repeated from an earlier turn.
        mistakes: counts of gold and predicted values by slot.
        clashes: slots that are duplicate in a state because two names become one; each with its first place.
        carries: the features that the files have.
        unscored: dialogues without any scored turn, each with the reason.
        stops: values that would stop the original scorer with an error.
        languages: the languages of gold whose spellings were used for values.
        refused: the languages of predicted values that gold did not show, so that the values stay as written.
    """

    digest: GoldDigest = field(default_factory=GoldDigest)
    missing: Unpaired = field(default_factory=Unpaired)
    extra: Unpaired = field(default_factory=Unpaired)
    turns: int = 0
    matched: int = 0
    gold_slots: set[str] = field(default_factory=set)
    hedged: dict[str, str] = field(default_factory=dict)
    changes: Counter[Change] = field(default_factory=Counter)
    mistakes: Mistakes = field(default_factory=Mistakes)
    clashes: dict[str, str] = field(default_factory=dict)
    carries: set[Carries] = field(default_factory=set)
    unscored: dict[str, str] = field(default_factory=dict)
    stops: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)

    def note(self, walk: Walk, pairs: PairRules, seen: Mapping[str, bytes]) -> None:
        """Add the findings of the last dialogue of a walk, and what the measures see of its gold."""
        if walk.numbers:
            self.digest.add(walk.id, {GOLD: walk.gold_form, **seen})
        self.turns += len(walk.numbers)
        self.matched += len(walk.missing) < walk.has_gold
        if walk.missing:
            self.missing.note(walk.id, walk.missing, whole=len(walk.missing) == walk.has_gold)
        if walk.surplus:
            self.extra.note(walk.id, walk.surplus, whole=not walk.has_gold)
        for pair, number in walk.hedged:
            self.hedged.setdefault(pairs.format_pair(pair), f"{walk.id} turn {number}")
        for slot, number in walk.clashes:
            self.clashes.setdefault(pairs.slot_names[slot], f"{walk.id} turn {number}")
        changes = self.changes
        if changes["gold changes"] < _ENOUGH:
            changes["gold changes"] += walk.gold_changes
            changes["gold losses"] += walk.gold_losses
            for name, count in zip(_PREDICTED, walk.count_predicted_changes(), strict=True):
                if count:
                    changes[name] += count
            walk.counts_losses = changes["gold changes"] < _ENOUGH

    def note_carried(self, walk: Walk, words: Vocabulary) -> None:
        """Add the features that a walk and the pairs show of a file."""
        features: dict[Carries, bool] = {
            "pairs": bool(words.values),
            "sections": any(words.sections),
            "gold": walk.holds_gold,
            "named-empty": words.names_empty or walk.names_empty,
            "looked-at": bool(self.gold_slots),
        }
        self.carries |= {name for name, is_there in features.items() if is_there}

    def merge(self, other: Findings) -> None:
        """Add the findings of another part of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        self.digest.merge(other.digest)
        self.missing.merge(other.missing)
        self.extra.merge(other.extra)
        self.turns += other.turns
        self.matched += other.matched
        self.gold_slots |= other.gold_slots
        for mine, theirs in ((self.hedged, other.hedged), (self.clashes, other.clashes)):
            mine.update({name: place for name, place in theirs.items() if name not in mine})
        self.carries |= other.carries
        self.unscored |= other.unscored
        self.stops |= other.stops
        self.languages |= other.languages
        self.refused |= other.refused
        if self.changes["gold changes"] < _ENOUGH:
            self.changes.update(other.changes)
        self.mistakes.merge(other.mistakes)

    def account(self, scored: int, only: frozenset[str] | None) -> Account:
        """Count how many of the requested dialogues (default: all dialogues with gold) are scored."""
        if only is None:
            without = [each for each in self.unscored.items() if each[1] != NO_GOLD]
            return Account("dialogue", scored + len(without), scored + len(without), scored, count_reasons(without))
        without = [each for each in self.unscored.items() if dialogue_key(each[0]) in only]
        unknown = sorted(only - self.digest.keys() - {dialogue_key(name) for name, _ in without})
        reasons = count_reasons(chain(without, ((name, NOT_IN_FILE) for name in unknown)))
        return Account("dialogue", len(only), len(only) - len(unknown), scored, reasons)

    @property
    def has_no_prediction(self) -> bool:
        """Does no turn have a prediction, also of the turns without gold? Then the file may be gold."""
        nothing = not self.changes["held"] and all(pred is None for _, _, pred in self.mistakes.turns)
        return bool(self.missing.turns) and not self.extra.turns and nothing

    def is_subset(self, scored: int) -> bool:
        """Are the predictions those of some dialogues, with at least half of the turns of gold?

        Args:
            scored: number of turns with gold and a prediction.
        """
        missing = self.missing
        has_others = self.extra.dialogues or self.has_no_prediction
        return missing.turns == missing.whole <= scored and not has_others

    def absent(self, only: frozenset[str] | None) -> Notice:
        """Report the dialogues of ``--only`` without gold in the input; the count is 0 if there are none."""
        if only is None:
            return Notice("not-in-file", 0, "")
        without = {dialogue_key(name) for name, reason in self.unscored.items() if reason != NO_GOLD}
        keys = sorted(only - self.digest.keys() - without)
        message = f"{len(keys)} of {len(only)} dialogues of --only are not in the file or have no gold"
        return Notice("not-in-file", len(keys), message, tuple(keys[:_EXAMPLES]))


def _counted(code: str, count: int, text: str, where: Iterable[str] = ()) -> Notice:
    return Notice(code, count, f"{count} {text}", tuple(islice(where, _EXAMPLES)))


def notices_of(
    measures: Sequence[ResolvedMeasure], measure_columns: MeasureColumns, findings: Findings, rules: Rules
) -> list[Notice]:
    """Return all warnings of one pass."""
    notices = [
        *_measure_notices([each.used for each in measures], measure_columns, findings),
        *_input_notices(findings, rules),
    ]
    if patch := rules.gold_patch:
        count = patch.applied(findings.digest.keys())
        message = f"gold is patched: {count} of {len(patch.corrections)} corrections apply to the scored dialogues"
        notices.append(Notice("patched", max(count, 1), message))
    return [notice for notice in notices if notice.count]


def _measure_notices(
    measures: Sequence[Measure], measure_columns: MeasureColumns, findings: Findings
) -> Iterator[Notice]:
    count_turns = measure_columns.main.count_turns
    notices: dict[str, Notice] = {}
    for used in measures:
        if isinstance(used, RSA) and used.empty == "zero":
            text = "turns without any slot count 0 in RSA, as published; RSA(empty=skip) does not score them"
            notices["rsa"] = _counted("rsa-empty", count_turns(lambda tally: not tally.union), text)
        if isinstance(used, FGA):
            count = measure_columns.tally_table_for(used).count_turns(used.forgives_wholly)
            count = max(count, notices["fga"].count if "fga" in notices else 0)
            text = "wrong turns count 1 in FGA: a slot was deleted, and no turn up to there has its own mistake"
            notices["fga"] = _counted("fga-free", count, text)
        if isinstance(used, SA) and used.slots and used.capped:
            slots = used.slots
            count = count_turns(lambda tally, most=slots: tally.errors > most)  # type: ignore[misc]
            text = (
                f"turns have more wrong slots than the {slots} slots of SA; they count as {slots} wrong slots; "
                "check --set schema=FILE"
            )
            notices["sa"] = _counted("sa-capped", count, text)
    yield from notices.values()
    # Domains in ``lam`` of FGA that are never in gold, such as a misspelt name.
    gold_domains = {OTHER_DOMAINS, *map(domain_of, findings.gold_slots)}
    unknown = sorted({name for each in measures if isinstance(each, FGA) for name in each.domains} - gold_domains)
    if unknown:
        hint = did_you_mean(unknown[0], gold_domains - {OTHER_DOMAINS})
        message = f"lam of FGA has domains that are not in gold: {', '.join(unknown)}; {hint}"
        yield Notice("fga-domains", len(unknown), message)


def _input_notices(findings: Findings, rules: Rules) -> Iterator[Notice]:
    missing, extra, mistakes = findings.missing, findings.extra, findings.mistakes
    treated = "unscored" if rules.skips_missing else "scored as empty states"
    if rules.missing == "error":
        treated += f", those of {missing.dialogues} whole dialogue{'s' * (missing.dialogues != 1)}"
    if rules.languages not in (AUTO, NEVER):
        codes = rules.languages.split("+")
        spoken = ", ".join(languages()[code].name for code in codes)
        text = f"spellings of dontcare, absent and numbers in {spoken} are read, as gold is in it (--set languages=none: as written)"
        yield Notice("languages", len(codes), text)
    yield _counted("missing", missing.turns, f"turns without prediction are {treated}", missing.examples)
    yield _counted("extra", extra.turns, "turns have no gold and are not scored", extra.examples)
    yield _counted(
        "several-values",
        len(findings.hedged),
        "predicted values hold several alternatives; in a list only the first counts, and a|b is one value",
        (f"{place}: {value}" for value, place in findings.hedged.items()),
    )
    yield _counted(
        "clash",
        len(findings.clashes),
        "slots are duplicate in a state: two names become one slot, and their values differ; both names stay as written",
        (f"{place}: {slot}" for slot, place in findings.clashes.items()),
    )
    by_name = [name for name, reason in findings.unscored.items() if reason == BY_NAME]
    message = f"{', '.join(by_name)} is unscored, because the original scorer does not score it"
    yield Notice("unscored-by-name", len(by_name), message)
    text = "values would stop the original scorer with an error; here they stay as written"
    yield _counted("original-stops", len(findings.stops), text, sorted(findings.stops))
    fuzzy = parse_match(rules.match)
    if fuzzy is not None and fuzzy.threshold is not None:
        equal = (key for key in mistakes.turns if key not in mistakes.new)
        near = Counter({key: mistakes.turns[key] for key in equal if key[1] != key[2] and None not in key[1:]})
        text = f"predicted values are not equal to gold, but pass by {rules.match}"
        places = (f"{key[0]}: {shown(key[1])} for {shown(key[2])}, {near[key]} turns" for key in _most(near))
        yield _counted("fuzzy", near.total(), text, places)
    same = Counter(
        {
            key: mistakes.turns[key]
            for key in mistakes.new
            if (gold := _numbers(key[1])) and not gold.isdisjoint(_numbers(key[2]))
        }
    )
    yield _counted(
        "same-number",
        same.total(),
        "predicted values count as wrong, but are the same number as gold in another spelling; "
        "write numbers the same way in both files, or use --set values=tidy",
        (f"{slot}: gold {shown(gold)}, predicted {shown(pred)}" for slot, gold, pred in _most(same)),
    )


def _most(counts: Counter[Held]) -> list[Held]:
    return sorted(counts, key=lambda key: (-counts[key], str(key)))


_NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{0,40})?([eE][+-]?\d{1,3})?", re.ASCII)


def _numbers(value: Value | None) -> set[Decimal]:
    """Return the numbers among the alternatives of a value, by which 4.0 and 4 are the same."""
    texts = () if value is None else (value,) if isinstance(value, str) else value
    return {Decimal(match[0]) for text in texts if (match := _NUMBER.fullmatch(text.strip()))}
