"""Read and write files of cases (JSON lines, and the published folders), and read files of precomputed scores.

In the published format, each attack has a folder, and each case has a text file ``case_N``. The file holds a line
``original_conversation``, one line per turn, a line ``modified_conversation``, and one line per turn again. It has no names of speakers:
two speakers alternate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ..core.output import new_folder
from ..errors import DialmeterError, InputError, one_line, placing
from ..model import Move, Notice
from ..readers.content import PUBLISHED_CASE, case_folders
from ..readers.csv_files import parse_number, read_csv
from ..readers.source import Source
from ..readers.strict_json import parse_as
from .ask import ScorePair
from .attacks import Attack, named
from .cases import EXPECTED, Case, Place, case_id
from .judge import FACETS
from .language.words import changed_spans, same_but_for_case


def read_cases(path: str | Path) -> list[Case]:
    """Read the cases of a file.

    Raises:
        InputError: the file cannot be read, a line is not a case, or there are no cases.
    """
    source = Source(path)
    cases = [parse_case(line, number, source.name) for number, line in source.lines()]
    if not cases:
        raise InputError("holds no cases", file=source.name)
    return cases


def parse_case(line: bytes, number: int, file: str) -> Case:
    """Parse a line of a file of cases.

    Raises:
        InputError: the line is not a case.
    """
    case = parse_as(line, Case, file, number, what="a case")
    if not case.context:
        raise InputError("a case needs a context of at least one move", file=file, line=number)
    for name, value, allowed in (("expected", case.expected, EXPECTED), ("facet", case.facet, FACETS)):
        if value not in allowed:
            message = f"{name} is {one_line(value)!r}, not one of {', '.join(allowed)}"
            raise InputError(message, file=file, line=number)
    return case


def read_scores(path: str | Path, cases: Sequence[Case]) -> list[ScorePair]:
    """Read scores from a CSV file with the columns ``case``, ``human`` and ``adversarial``. Return one pair per case.

    The column ``case`` holds the line number in the file of cases, from 1, or the id of the case. Cases that are not in the
    file are unscored.

    Raises:
        InputError: a column is missing, a case is unknown or a duplicate, or a score is not a number.
    """
    places = {str(number): number - 1 for number in range(1, len(cases) + 1)}
    places |= {case_id(case): number for number, case in enumerate(cases)}
    pairs = [ScorePair(None, None)] * len(cases)
    seen: set[int] = set()
    source = Source(path)
    needed = ("case", "human", "adversarial")
    for line, row in read_csv(source, needed, "case, human, adversarial are needed").rows:
        with placing(file=source.name, line=line):
            name = row["case"].strip()
            place = places.get(name)
            if place is None:
                raise InputError(f"case {one_line(name)!r} is not in the file of cases")
            if place in seen:
                raise InputError(f"duplicate case {one_line(name)!r}")
            seen.add(place)
            # An empty cell is an unscored reply.
            sides = (parse_number(row[side], side) if row[side].strip() else None for side in needed[1:])
            pairs[place] = ScorePair(*sides)
    return pairs


class JudgeInputCheck(Struct, frozen=True):
    """What a check found; ``format`` is the format of the file."""

    format: str
    counts: dict[str, int]
    problems: list[Notice]
    notices: list[Notice] = []

    @property
    def valid(self) -> bool:
        """True if judges can be scored on the file."""
        return not self.problems


NOTHING_CHANGES = "nothing changes"
_ORIGINAL, _MODIFIED = "original_conversation", "modified_conversation"

PUBLISHED_NAMES = {
    "entailment": "entailment", "pronoun": "pronoun", "named-entity": "ner", "co-reference": "ner_neutral",
    "speaker": "speaker_sensitiveness", "contradiction": "contradiction", "repetition": "repetitiveness",
    "vocabulary": "diversity", "unnatural-paraphrase": "bad_paraphrase", "natural-paraphrase": "good_paraphrase",
    "entrainment": "entrainment", "dullness": "dullness",
}  # fmt: skip
"""The attacks of dialmeter → their names in the published folders."""

_OURS = {published: ours for ours, published in PUBLISHED_NAMES.items()}


def read_published(path: str | Path) -> tuple[list[Case], list[Notice]]:
    """Read published cases. Return them, and a notice per kind of skipped case: nothing changes, the context changes, or no context.

    Args:
        path: a folder with files ``case_N``, named after its attack, or a folder of such folders.

    Raises:
        InputError: there are no cases in the folder, or a file is not a case.
    """
    cases: list[Case] = []
    faults: Counter[str] = Counter()
    where: dict[str, list[str]] = {}
    for folder in case_folders(Path(path)):
        attack = named(attack_of_folder(folder))
        for file in numbered_cases(folder):
            case = read_published_case(file, attack)
            if isinstance(case, Case):
                cases.append(case)
            else:
                faults[case] += 1
                where.setdefault(case, []).append(f"{folder.name}/{file.name}")
    if not cases and not faults:
        raise InputError("no files case_N in this folder", file=str(path))
    notices = [
        Notice("unscored", count, f"{count} cases unscored: {fault}", tuple(where[fault][:10]))
        for fault, count in sorted(faults.items())
    ]
    return cases, notices


def attack_of_folder(folder: Path) -> str:
    """The attack of a folder. The folder has the published name of the attack, or its name in dialmeter.

    Example:
        >>> attack_of_folder(Path("daily/ner_neutral-2")), attack_of_folder(Path("dullness"))
        ('co-reference', 'dullness')
    """
    # A number after a hyphen is the published sub-attack.
    name = re.sub(r"-\d+$", "", folder.name)
    return _OURS.get(name, name)


def numbered_cases(folder: Path) -> list[Path]:
    """The files ``case_N`` of a folder, sorted by number."""
    files = [(int(match[1]), file) for file in folder.iterdir() if (match := PUBLISHED_CASE.fullmatch(file.name))]
    return [file for _, file in sorted(files)]


def read_published_case(file: Path, attack: Attack) -> Case | str:
    """Read the case of a file. Return a text that names the fault if the case cannot be used.

    Raises:
        InputError: the file is not a published case.
    """
    lines = Source(file).text.splitlines()
    if not lines or lines[0].strip() != _ORIGINAL or _MODIFIED not in (line.strip() for line in lines):
        raise InputError(f"expected a line {_ORIGINAL}, turns, a line {_MODIFIED}, and turns", file=str(file))
    middle = [line.strip() for line in lines].index(_MODIFIED)
    original = [line.strip() for line in lines[1:middle] if line.strip()]
    modified = [line.strip() for line in lines[middle + 1 :] if line.strip()]
    if len(original) < 2:
        return "no context"
    if original[:-1] != modified[:-1]:
        return "the context changes"
    if same_but_for_case(original[-1], modified[-1]) and not attack.control:
        return NOTHING_CHANGES
    moves = tuple(Move("AB"[turn % 2], text) for turn, text in enumerate(original))
    return Case(
        attack=attack.name,
        variant="published",
        context=moves[:-1],
        reply=original[-1],
        adversarial=modified[-1],
        expected=attack.expected,
        facet=attack.facet,
        source=Place(f"{file.parent.name}/{file.name}", len(original) - 1),
        speaker=moves[-1].speaker,
        spans=changed_spans(original[-1], modified[-1]),
    )


def published_text(case: Case) -> str:
    """The text of a published file. Line breaks in a turn become spaces, because a turn is one line.

    Example:
        >>> case = Case("x", "y", (Move("a", "Hi"),), "Hello", "Hello\\nyou", "lower", "interest", Place("d", 1))
        >>> published_text(case).splitlines()
        ['original_conversation', 'Hi', 'Hello', 'modified_conversation', 'Hi', 'Hello you']
    """
    context = [move.text for move in case.context]
    lines = [_ORIGINAL, *context, case.reply, _MODIFIED, *context, case.adversarial]
    return "\n".join(" ".join(line.split()) for line in lines) + "\n"


def write_published(folder: Path, cases: Sequence[Case]) -> int:
    """Write cases in the published format, one folder per attack. Return their number. Existing published cases are replaced.

    Raises:
        DialmeterError: the folder cannot be written, or a folder of cases contains other files.
    """
    by_attack: dict[str, list[Case]] = {}
    for case in cases:
        by_attack.setdefault(case.attack, []).append(case)
    replaced: list[str] = []

    def check(names: set[str]) -> None:
        for place in case_folders(folder):
            if place.name not in names:
                continue
            replaced.append(place.name)
            for file in place.iterdir():
                if not PUBLISHED_CASE.fullmatch(file.name):
                    raise DialmeterError(f"{file}: not a published case; choose another folder for --out")

    with new_folder(folder, check, replaced) as new:
        for attack, attack_cases in by_attack.items():
            place = new / PUBLISHED_NAMES.get(attack, attack)
            place.mkdir()
            for number, case in enumerate(attack_cases):
                (place / f"case_{number}").write_text(published_text(case), "utf-8")
    return len(cases)
