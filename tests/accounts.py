"""All that scoring and reading leave behind, as plain data: what compiled and plain code must agree on."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dialmeter.errors import DialmeterError
from dialmeter.model import Dialogue
from dialmeter.readers.corpus import Corpus, open_corpus
from dialmeter.readers.pairs.state_layouts import FLAT
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.source import Source
from dialmeter.readers.strict_json import count_strings, count_written_strings, parse_json
from dialmeter.readers.validation import Role
from dialmeter.tracking.compared import ComparedDialogue
from dialmeter.tracking.diagnosis.findings import Mistakes
from dialmeter.tracking.digest import GoldText
from dialmeter.tracking.pairs import PairRules
from dialmeter.tracking.rule_sets.rules import Rules, named
from dialmeter.tracking.scorer import PartialScores, TrackerScorer
from dialmeter.tracking.scoring import score_file
from dialmeter.tracking.vectors.measure_columns import MeasureColumns
from dialmeter.tracking.walk import Group, Walk

LOCALS = ("paper", "code", "vector")
DELETIONS = ("ignore", "count", "code")
VARIANTS = [
    *((local, deletions, "overlap") for local in LOCALS for deletions in DELETIONS),
    *((local, "ignore", "strict") for local in LOCALS),
    *(("paper", deletions, "strict") for deletions in DELETIONS[1:]),
]
GROUPS = ("domain", "slot", "without-domain")

OURS = named("dialmeter")

Account = Any


def or_error(make: Callable[[], Account]) -> Account:
    """What is made, or what is said where that is not possible."""
    try:
        return make()
    except DialmeterError as error:
        return f"refused: {error}"


def files_of(modules: Iterable[str]) -> list[str]:
    """The files from which modules were loaded."""
    return [str(importlib.import_module(name).__file__) for name in modules]


def account_of_walk(corpus: Sequence[Dialogue], rules: Rules) -> Account:
    """The rows of every dialogue under every variant, of all slots and of every group, and all that a walk notices."""
    words = Vocabulary()
    pairs = PairRules(rules, words)
    walk = Walk(pairs, GoldText(words), keep_none=True, hyphen_cut=rules.hyphen_cut)

    def taken(each: Dialogue) -> Account:
        read = words.number_dialogue(each, FLAT)
        walk.take(read)
        rows = {variant: walk.rows(*variant) for variant in VARIANTS}
        walk.rows("paper", "ignore", "strict", None, None, True)
        slots = walk.slots()
        numbers = list(range(len(pairs.slot_names)))
        groups = [
            *(Group(numbers, slot) for slot in slots),
            *(Group(pairs.domains, domain, without) for domain in set(pairs.domains) for without in (False, True)),
        ]
        by_group = [[walk.rows(*variant, group) for group in groups] for variant in VARIANTS]
        noticed = (
            walk.numbers,
            walk.missing,
            walk.surplus,
            walk.has_gold,
            walk.gold_form,
            walk.gold_changes,
            walk.gold_losses,
            [(pairs.format_pair(pair), number) for pair, number in walk.hedged],
        )
        turns = ComparedDialogue(walk, pairs).tracked(read).turns
        wrong = ComparedDialogue(walk, pairs).wrong_changes("strict")
        return rows, by_group, noticed, turns, wrong

    found = [or_error(lambda each=each: taken(each)) for each in corpus]  # type: ignore[misc]
    mistakes = Mistakes.of(walk, pairs)
    return found, mistakes.turns, mistakes.new, walk.gold_slots()


def account_of_part(part: PartialScores) -> Account:
    """What was scored of a part of a corpus."""
    findings = part.findings
    return {
        "tally tables": _tally_tables(part.measure_columns),
        "groups": {
            each.by: {name: _tally_tables(measure_columns) for name, measure_columns in each._by_group.items()}
            for each in part.breakdowns.values()
        },
        "digest": findings.digest.hexes(),
        "missing": (findings.missing.turns, findings.missing.dialogues, findings.missing.examples),
        "extra": (findings.extra.turns, findings.extra.dialogues, findings.extra.examples),
        "slots": sorted(findings.gold_slots),
        "hedged": findings.hedged,
        "changes": (findings.changes["gold changes"], findings.changes["gold losses"]),
        "mistakes": (findings.mistakes.turns, findings.mistakes.new),
    }


def _tally_tables(measure_columns: MeasureColumns) -> Account:
    return {
        (variant.local, variant.deletions, variant.alternatives): (
            tally_table.dialogues,
            [tuple(tally_table.table[row]) for row in tally_table.rows],
            list(tally_table.turns),
            list(tally_table.ends),
        )
        for variant, tally_table in measure_columns.tally_tables.items()
    }


def account_of_corpus(
    corpus: Sequence[Dialogue], rules: str | Rules, measures: Sequence[str] | None, by: Sequence[Any] = GROUPS
) -> Account:
    """A corpus through the scorer."""

    def scored() -> Account:
        scorer = TrackerScorer(measures, rules, by=by)
        for each in corpus:
            scorer.add_dialogue(each)
        account = account_of_part(scorer.part)
        result = scorer.result()
        notices = [(each.code, each.count, each.message, each.where) for each in result.notices]
        return account, [(each.measure, each.value, each.n, each.signature) for each in result.scores], notices

    return or_error(scored)


def account_of_file(path: str, gold: str | None, rules: str, by: Sequence[Any] = GROUPS) -> Account:
    """A file, or predictions with gold, through ``score_file``."""
    seen: list[Any] = []

    def scored() -> Account:
        result = score_file(
            path,
            gold,
            rules=rules,
            by=by,
            on_row=lambda read, compared: seen.append((read.id, compared.tracked(read).turns)),
        )
        scores = [(each.measure, each.value, each.n, each.signature) for each in result.scores]
        groups = [[(each.group, each.measure, each.value, each.n) for each in result.by(group)] for group in by]
        notices = [(each.code, each.count, each.message, each.where) for each in result.notices]
        mistakes = result.mistakes.turns, result.mistakes.new
        return scores, groups, notices, mistakes, seen

    return or_error(scored)


def accounts_of_lines(lines: Sequence[bytes]) -> list[Account]:
    """Native lines, each read by itself: the dialogue with its tallies, or what is wrong."""
    return [or_error(lambda line=line: _account_of_line(line)) for line in lines]  # type: ignore[misc]


def _account_of_line(line: bytes) -> Account:
    words = Vocabulary()
    pairs = PairRules(OURS, words)
    [found] = corpus_of_line(line).numbered(words)
    plain = words.plain(found)
    walk = Walk(pairs, GoldText(words))
    walk.take(found)
    return _told(plain), walk.rows("paper", "ignore"), walk.gold_form


def corpus_of_line(line: bytes) -> Corpus:
    """A file of one native line."""
    source = Source("file.jsonl")
    source.lines = lambda: iter([(1, line)])  # type: ignore[method-assign]
    return Corpus(source, "native", Role.BOTH)


def accounts_of_documents(format: str, role: str, documents: Sequence[bytes], file: Path) -> list[Account]:
    """Documents of one format, each read by itself, with its format named and with its format to be found.

    Args:
        format: the format.
        role: of the states.
        documents: what is written into the file.
        file: where to write; in a folder of the format, or the document itself.
    """
    path = file.parent if format == "sgd" else file
    found = []
    for document in documents:
        file.write_bytes(document)
        for chosen in (format, None):
            account = or_error(lambda chosen=chosen: [_told(each) for each in open_corpus(path, Role(role), chosen)])  # type: ignore[misc]
            found.append(
                account.replace(str(path), "FILE").replace(str(file.parent), "FOLDER")
                if isinstance(account, str)
                else account
            )
    return found


def _told(dialogue: Dialogue) -> Account:
    return dialogue.id, [(turn.number, turn.gold, turn.pred, turn.user, turn.system) for turn in dialogue.turns]


def accounts_of_states(states: Sequence[Any], layout: Any) -> list[Account]:
    """States as numbers of one vocabulary, and what the vocabulary holds in the end."""
    words = Vocabulary()
    numbers = [or_error(lambda state=state: words.number(state, layout)) for state in states]  # type: ignore[misc]
    return [numbers, words.slots, words.sections, words.values]


def accounts_of_json(texts: Sequence[bytes]) -> list[Account]:
    """JSON texts through the strict parser: value, duplicate keys, and the two counts of strings."""

    def parsed(text: bytes) -> Account:
        doubled: list[Any] = []
        found = parse_json(text, "file", doubled)
        return found, [each.key for each in doubled], count_strings(found), count_written_strings(text)

    return [or_error(lambda text=text: parsed(text)) for text in texts]  # type: ignore[misc]
