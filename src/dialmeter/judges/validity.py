"""Validity of cases: the sheet on which readers enter their verdicts, shares of valid cases per attack, and the agreement of two readers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..errors import InputError, one_line
from ..model import Move
from ..readers.sheets import Cells, SheetKind, check_word
from .cases import Case

VERDICTS = ("valid", "weak", "invalid")
CLAIMS = {
    "lower": "the changed version is worse",
    "similar": "the changed version is as good and means the same",
    "at-most": "the changed version is not better",
}
INSTRUCTIONS = (
    "Each row has a conversation (context), a reply, and a changed version of it. The column claim says what is claimed of "
    "the changed version.",
    "verdict: valid if the claim is clearly true; weak if it is true, but for another reason, or only just; invalid if it is false.",
    "sense: where one word was replaced by another that shall mean the same, write right or wrong (the new word has another "
    "sense here); else leave it empty.",
    "reason: a few words, without quoting the texts.",
)
SHEET = SheetKind(
    columns=(
        "number", "case", "attack", "variant", "context", "reply", "changed_context", "changed", "claim", "verdict", "sense",
        "reason",
    ),
    needed=("case", "verdict"),
    hint="case and verdict are needed",
    title="Validity of cases",
    help=INSTRUCTIONS,
    choices={"verdict": dict.fromkeys(VERDICTS, ""), "sense": {"right": "", "wrong": ""}},
    fields=("reason",),
    heading="{attack}: {variant}",
    shown={
        "context": "context",
        "reply": "reply",
        "changed_context": "changed context",
        "changed": "changed version",
        "claim": "claim",
    },
    marked=("changed_context", "changed"),
    saved=("number", "case", "verdict", "sense", "reason"),
)  # fmt: skip
BLIND = replace(SHEET, columns=tuple(name for name in SHEET.columns if name not in ("attack", "variant")), heading="")
"""A sheet that does not show the names of attacks."""


def reader_key(case: Case) -> str:
    """A digest of a case with sixteen hexadecimal digits. It does not reveal the text of the case."""
    source = [case.source.dialogue, case.source.turn]
    context = [[move.speaker, move.text] for move in case.context]
    content = [case.attack, case.variant, source, context, case.reply, case.adversarial]
    if case.adversarial_context:
        content.append([[move.speaker, move.text] for move in case.adversarial_context])
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:16]


def sheet_rows(cases: Sequence[Case], seed: int, turns: int) -> list[Cells]:
    """The cases in random order, with the last turns of their contexts."""

    def last_turns(context: Sequence[Move]) -> str:
        return "\n".join(f"{move.speaker}: {move.text}" for move in context[-turns:])

    return [
        {
            "number": str(number),
            "case": reader_key(case),
            "attack": case.attack,
            "variant": case.variant,
            "context": last_turns(case.context),
            "reply": case.reply,
            "changed_context": last_turns(case.adversarial_context),
            "changed": case.adversarial,
            "claim": CLAIMS[case.expected],
        }
        for number, case in enumerate(Random(seed).sample(list(cases), len(cases)), 1)
    ]


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
    verdicts: dict[str, ReaderVerdict] = {}

    def take(cells: dict[str, str], _: int) -> None:
        name = cells["case"]
        if name not in cases:
            raise InputError(f"case {one_line(name)!r} is not in the file of cases")
        if name in verdicts:
            raise InputError(f"duplicate case {one_line(name)!r}")
        verdict, sense = (
            cells[column] and check_word(column, cells[column].lower(), words)
            for column, words in SHEET.choices.items()
        )
        if verdict:
            verdicts[name] = ReaderVerdict(verdict, sense, cells["reason"])

    SHEET.read(path, take)
    if not verdicts:
        raise InputError("has no verdicts: write valid, weak or invalid into the column verdict", file=str(path))
    return verdicts


def by_hash(cases: Sequence[Case]) -> dict[str, Case]:
    """The cases by their digest, see :func:`~dialmeter.judges.validity.reader_key`."""
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
    from ..stats.intervals import wilson_interval

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


class CaseVerdict(Struct, frozen=True):
    """A verdict with the number of its reader, and the digest of its case."""

    reader: int
    case: str
    corpus: str
    attack: str
    variant: str
    verdict: str
    sense: str
    reason: str


def verdicts(cases: Mapping[str, Case], readers: Sequence[Mapping[str, ReaderVerdict]]) -> list[CaseVerdict]:
    """All verdicts, without any text of a case."""
    return [
        CaseVerdict(number, name, case.corpus, case.attack, case.variant, given.verdict, given.sense, given.reason)
        for number, reader in enumerate(readers, 1)
        for name, case in cases.items()
        if (given := reader.get(name)) is not None
    ]
