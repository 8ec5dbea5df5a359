"""What readers wrote: shares of valid cases per attack, and how far two readers agree."""

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
    """What one reader says of one case; empty where the reader says nothing."""

    verdict: str
    sense: str = ""
    reason: str = ""


class AttackValidity(Struct, frozen=True):
    """The verdicts on the cases of one attack.

    Attributes:
        attack: its name; ``all`` for all attacks together.
        corpus: where the cases come from.
        cases: how many there are.
        read: verdicts of all readers.
        valid: verdicts by word.
        share: of valid ones.
        ci: the interval of that share.
        senses: verdicts on the sense of a new word.
        wrong_senses: how many of them say that it is wrong.
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
    """The verdicts of a filled sheet, by case.

    Raises:
        InputError: a column is missing, a case is unknown or a duplicate, or a verdict is another word.
    """
    source = Source(path)
    found: dict[str, ReaderVerdict] = {}
    for line, row in read_csv(source, ("case", "verdict"), "case and verdict are needed").rows:
        with placing(file=source.name, line=line):
            name = row["case"].strip()
            if name not in cases:
                raise InputError(f"case {one_line(name)!r} is not in the file of cases")
            if name in found:
                raise InputError(f"duplicate case {one_line(name)!r}")
            verdict, sense = (_word(row, key, known) for key, known in _WORDS.items())
            if verdict:
                found[name] = ReaderVerdict(verdict, sense, row.get("reason", "").strip())
    if not found:
        raise InputError("has no verdict yet: write valid, weak or invalid into the column verdict", file=str(path))
    return found


_WORDS = {"verdict": VERDICTS, "sense": SENSES}


def _word(row: Mapping[str, str], key: str, known: Sequence[str]) -> str:
    word = row.get(key, "").strip().lower()
    if word and word not in known:
        raise InputError(f"{key} is {one_line(word)!r}, not one of {', '.join(known)}")
    return word


def by_hash(cases: Sequence[Case]) -> dict[str, Case]:
    """Cases by their digest."""
    return {reader_key(case): case for case in cases}


def validity(
    cases: Mapping[str, Case], readers: Sequence[Mapping[str, ReaderVerdict]], confidence: float = 0.95
) -> list[AttackValidity]:
    """Shares per attack and corpus, and of all together.

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
    found = [_row(attack, corpus, names, readers, confidence) for (attack, corpus), names in groups.items()]
    return [*found, _row("all", "", list(cases), readers, confidence)]


def _row(
    attack: str, corpus: str, names: Sequence[str], readers: Sequence[Mapping[str, ReaderVerdict]], confidence: float
) -> AttackValidity:
    from ...stats.intervals import wilson_interval

    said = [reader[name] for reader in readers for name in names if name in reader]
    counts = Counter(each.verdict for each in said)
    senses = [each.sense for each in said if each.sense]
    n, valid = len(said), counts["valid"]
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
    """Cohen's kappa of two readers, and the number of cases that both read; None where both always say the same word.

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
    agreed = sum(first == second for first, second in both) / n
    return ((agreed - chance) / (1 - chance) if chance < 1 else None), n


def record(cases: Mapping[str, Case], readers: Sequence[Mapping[str, ReaderVerdict]]) -> str:
    """Verdicts as CSV without any text of a case: digits of the case, corpus, attack, variant, verdict, sense, reason."""
    rows = [
        (str(number), name, case.corpus, case.attack, case.variant, said.verdict, said.sense, said.reason)
        for number, reader in enumerate(readers, 1)
        for name, case in cases.items()
        if (said := reader.get(name)) is not None
    ]
    return csv_text(("reader", "case", "corpus", "attack", "variant", "verdict", "sense", "reason"), rows)
