"""Validity of cases: the sheet on which readers enter their verdicts, shares of valid cases per attack, and the agreement of two readers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..errors import InputError, one_line
from ..model import Move
from ..readers.sheets import Cells, SheetKind, check_word
from ..stats.intervals import wilson_interval
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
    """The verdict of one reader on one case, without any text of the case: ``case`` is its digest. ``sense`` and ``reason`` may be empty."""

    reader: int
    case: str
    corpus: str
    attack: str
    variant: str
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


def by_hash(cases: Iterable[Case]) -> dict[str, Case]:
    """The cases by their digest, see :func:`~dialmeter.judges.validity.reader_key`."""
    return {reader_key(case): case for case in cases}


def read_sheet(path: str | Path, cases: Mapping[str, Case], reader: int = 1) -> list[ReaderVerdict]:
    """Read the verdicts of a filled sheet, in the order of the cases.

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
            case = cases[name]
            names = case.corpus, case.attack, case.variant
            verdicts[name] = ReaderVerdict(reader, name, *names, verdict, sense, cells["reason"])

    SHEET.read(path, take)
    if not verdicts:
        raise InputError("has no verdicts: write valid, weak or invalid into the column verdict", file=str(path))
    return [verdicts[name] for name in cases if name in verdicts]


def validity(
    cases: Mapping[str, Case], verdicts: Sequence[ReaderVerdict], confidence: float = 0.95
) -> list[AttackValidity]:
    """The validity of each attack on each corpus, and of all cases together.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> from dialmeter.model import Move
        >>> case = Case("speaker", "", (Move("user", "hello"),), "hi", "hello hi", "lower", "coherence", Place("d1", 1))
        >>> verdicts = [ReaderVerdict(1, "a1", "", "speaker", "", "valid")]
        >>> [(each.attack, each.valid, each.share) for each in validity({"a1": case}, verdicts)]
        [('speaker', 1, 1.0), ('all', 1, 1.0)]
    """
    sizes = Counter((case.attack, case.corpus) for case in cases.values())
    rows = []
    for (attack, corpus), size in [*sizes.items(), (("all", ""), len(cases))]:
        own = [each for each in verdicts if attack == "all" or (each.attack, each.corpus) == (attack, corpus)]
        counts, senses = (Counter(getattr(each, field) for each in own) for field in ("verdict", "sense"))
        n, valid = len(own), counts["valid"]
        share = valid / n if n else None
        ci = wilson_interval(valid, n, confidence=confidence) if n and confidence else None
        weak, invalid = counts["weak"], counts["invalid"]
        senses_given = n - senses[""]
        rows.append(
            AttackValidity(attack, corpus, size, n, valid, weak, invalid, share, ci, senses_given, senses["wrong"])
        )
    return rows


class ReaderAgreement(Struct, frozen=True):
    """Cohen's kappa of two readers on the cases that both read. Kappa is None if both always give the same verdict."""

    readers: tuple[int, int]
    kappa: float | None
    n: int


def kappa(one: Sequence[ReaderVerdict], other: Sequence[ReaderVerdict]) -> ReaderAgreement:
    """The agreement of two readers.

    Example:
        >>> verdicts = [ReaderVerdict(1, "a", "", "speaker", "", "valid"), ReaderVerdict(1, "b", "", "speaker", "", "weak")]
        >>> kappa(verdicts, verdicts)
        ReaderAgreement(readers=(1, 1), kappa=1.0, n=2)
    """
    of_other = {each.case: each.verdict for each in other}
    both = [(each.verdict, of_other[each.case]) for each in one if each.case in of_other]
    n, names = len(both), (one[0].reader, other[0].reader)
    if not both:
        return ReaderAgreement(names, None, 0)
    firsts, seconds = (Counter(side) for side in zip(*both, strict=True))
    chance = sum(firsts[word] * seconds[word] for word in VERDICTS) / n**2
    agreement = sum(first == second for first, second in both) / n
    return ReaderAgreement(names, (agreement - chance) / (1 - chance) if chance < 1 else None, n)
