"""Verdicts of readers: shares of valid cases per attack, and the agreement of two readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ...errors import InputError, one_line, placing
from ...readers.csv_files import csv_text, read_csv
from ...readers.source import Source
from ..cases import Case
from .sheet import VERDICTS, reader_key

SENSES = ("right", "wrong")


class ReaderVerdict(Struct, frozen=True):
    """The verdict of one reader on one case. ``sense`` and ``reason`` may be empty."""

    verdict: str
    sense: str = ""
    reason: str = ""


class AttackValidity(Struct, frozen=True):
    """The verdicts on the cases of one attack.

    Attributes:
        attack: its name; ``all`` for all attacks together.
        corpus: the corpus of the cases.
        cases: the number of cases.
        read: the number of verdicts of all readers.
        valid: the number of verdicts ``valid``; likewise ``weak`` and ``invalid``.
        share: the share of verdicts ``valid``.
        ci: the confidence interval of the share.
        senses: the number of verdicts on the sense of a new word.
        wrong_senses: the number of verdicts that the sense is wrong.
    """

    attack: str
    corpus: str
    cases: int
    read: int
    valid: int
    weak: int
    invalid: int
    share: float | None
    ci: tuple[float, float] | None
    senses: int
    wrong_senses: int


def read_sheet(path: str | Path, cases: Mapping[str, Case]) -> dict[str, ReaderVerdict]:
    """Read the verdicts of a filled sheet, by case.

    Raises:
        InputError: a column is missing, a case is unknown or a duplicate, a verdict is not a known word, or there are no verdicts.
    """
    source = Source(path)
    verdicts: dict[str, ReaderVerdict] = {}
    for line, row in read_csv(source, ("case", "verdict"), "case and verdict are needed").rows:
        with placing(file=source.name, line=line):
            name = row["case"].strip()
            if name not in cases:
                raise InputError(f"case {one_line(name)!r} is not in the file of cases")
            if name in verdicts:
                raise InputError(f"duplicate case {one_line(name)!r}")
            verdict, sense = (_parse_word(row, key, allowed) for key, allowed in _WORDS.items())
            if verdict:
                verdicts[name] = ReaderVerdict(verdict, sense, row.get("reason", "").strip())
    if not verdicts:
        raise InputError("has no verdicts: write valid, weak or invalid into the column verdict", file=str(path))
    return verdicts


_WORDS = {"verdict": VERDICTS, "sense": SENSES}


def _parse_word(row: Mapping[str, str], key: str, allowed: Sequence[str]) -> str:
    word = row.get(key, "").strip().lower()
    if word and word not in allowed:
        raise InputError(f"{key} is {one_line(word)!r}, not one of {', '.join(allowed)}")
    return word


def by_hash(cases: Sequence[Case]) -> dict[str, Case]:
    """The cases by their digest, see :func:`~dialmeter.judges.validity.sheet.reader_key`."""
    return {reader_key(case): case for case in cases}


def validity(
    cases: Mapping[str, Case], readers: Sequence[Mapping[str, ReaderVerdict]], confidence: float = 0.95
) -> list[AttackValidity]:
    """The validity of each attack on each corpus, and of all cases together.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> from dialmeter.model import Move
        >>> case = Case("speaker", "", (Move("user", "hello"),), "hi", "hello hi", "lower", "coherence", Place("d1", 1))
        >>> [(each.attack, each.valid, each.share) for each in validity({"a1": case}, [{"a1": ReaderVerdict("valid")}])]
        [('speaker', 1, 1.0), ('all', 1, 1.0)]
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for name, case in cases.items():
        groups.setdefault((case.attack, case.corpus), []).append(name)
    rows = [_attack_validity(attack, corpus, names, readers, confidence) for (attack, corpus), names in groups.items()]
    return [*rows, _attack_validity("all", "", list(cases), readers, confidence)]


def _attack_validity(
    attack: str, corpus: str, names: Sequence[str], readers: Sequence[Mapping[str, ReaderVerdict]], confidence: float
) -> AttackValidity:
    from ...stats.intervals import wilson_interval

    verdicts = [reader[name] for reader in readers for name in names if name in reader]
    counts = Counter(each.verdict for each in verdicts)
    senses = [each.sense for each in verdicts if each.sense]
    n, valid = len(verdicts), counts["valid"]
    return AttackValidity(
        attack,
        corpus,
        len(names),
        n,
        valid,
        counts["weak"],
        counts["invalid"],
        valid / n if n else None,
        wilson_interval(valid, n, confidence=confidence) if n and confidence else None,
        len(senses),
        senses.count("wrong"),
    )


def kappa(one: Mapping[str, ReaderVerdict], other: Mapping[str, ReaderVerdict]) -> tuple[float | None, int]:
    """Cohen's kappa of two readers, and the number of cases that both read. Kappa is None if both always give the same verdict.

    Example:
        >>> one = {"a": ReaderVerdict("valid"), "b": ReaderVerdict("weak")}
        >>> kappa(one, one)
        (1.0, 2)
    """
    both = [(one[name].verdict, other[name].verdict) for name in one if name in other]
    if not both:
        return None, 0
    n = len(both)
    firsts, seconds = Counter(first for first, _ in both), Counter(second for _, second in both)
    chance = sum(firsts[word] * seconds[word] for word in VERDICTS) / n**2
    agreement = sum(first == second for first, second in both) / n
    return ((agreement - chance) / (1 - chance) if chance < 1 else None), n


def record(cases: Mapping[str, Case], readers: Sequence[Mapping[str, ReaderVerdict]]) -> str:
    """The verdicts as CSV, without any text of a case: digest of the case, corpus, attack, variant, verdict, sense, reason."""
    rows = [
        (str(number), name, case.corpus, case.attack, case.variant, verdict.verdict, verdict.sense, verdict.reason)
        for number, reader in enumerate(readers, 1)
        for name, case in cases.items()
        if (verdict := reader.get(name)) is not None
    ]
    return csv_text(("reader", "case", "corpus", "attack", "variant", "verdict", "sense", "reason"), rows)
