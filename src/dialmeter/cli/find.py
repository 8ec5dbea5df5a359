"""``dialmeter find``: the dialogues that explain a score.

A subject gives one function that yields the dialogues of a file as rows; see :class:`FoundRow`. Conditions, sorting and output
are the same for all subjects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import click
from msgspec import Struct

from ..conditions import KEYS, SIGNS
from ..core.document import Count, Document, Number
from ..errors import DialmeterError, did_you_mean, one_line
from ..model import dialogue_key
from ..views.tables import Table, percent, records_table
from .frame import document_output, name_files
from .main import EXIT_INPUT
from .options import combine_options, option
from .printer import CSV, LISTED, TEXT, Block, Output


class FoundItem(NamedTuple):
    """One place of a dialogue that conditions may match: a slot at a turn, an event, a lost point, a case.

    Attributes:
        place: what the items of two files must share to be the same place, such as turn and slot.
        facts: key of a condition → value or values of the item.
        text: one line about it.
    """

    place: tuple[Any, ...]
    facts: Mapping[str, str | Sequence[str]]
    text: str


class FoundRow(NamedTuple):
    """A dialogue, a task or a case of one file.

    Attributes:
        id: its name.
        facts: key of a condition → value or values of the whole row, such as ``ending``.
        items: its places; empty if the subject has only facts of whole rows.
        values: measure → value as a fraction; None if it is unscored. The measures are those of ``FindRequest.measures``.
        lines: returns the row as lines of text, for --show.
    """

    id: str
    facts: Mapping[str, str | Sequence[str]]
    items: Sequence[FoundItem]
    values: Mapping[str, float | None]
    lines: Callable[[], Iterable[str]]


class FindRequest(NamedTuple):
    """What the rows of a file are needed for: the measures of conditions and of --sort, and the options of the flow."""

    measures: tuple[str, ...]
    options: Mapping[str, Any]


Rows: TypeAlias = Callable[[str, FindRequest], Iterator[FoundRow]]
"""Returns the rows of a file. A subject gives one such function to ``find_output``."""


class FindCondition(NamedTuple):
    """One condition. ``side`` is the name of a file, or "" for all files; ``operator`` is "" for the id of a dialogue."""

    side: str
    key: str
    operator: str
    value: str


def parse_condition(text: str, sides: Mapping[str, str] | None = None) -> FindCondition:
    """Parse a condition: an id, ``key=value``, or a measure with a limit.

    Args:
        text: the condition.
        sides: what may stand in front of the key, as in ``B.outcome=wrong``, and the name of the file that it means.

    Raises:
        DialmeterError: there is no such key.

    Example:
        >>> parse_condition("B.outcome=wrong", {"A": "old", "B": "new"})
        FindCondition(side='new', key='outcome', operator='=', value='wrong')
        >>> parse_condition("FGA(lam=0.5) < 0.5"), parse_condition("MUL0021.json")
        (FindCondition(side='', key='FGA(lam=0.5)', operator='<', value='0.5'), FindCondition(side='', key='', operator='', value='MUL0021.json'))
    """
    side, rest = _split_side(text, sides or {}) if re.search("[<>=]", text) else ("", text)
    compared = re.search(r"(<=|>=|<|>)\s*([-+]?[\d.]+(?:e-?\d+)?)$", rest)
    if compared and rest[: compared.start()].strip():
        return FindCondition(side, rest[: compared.start()].strip(), compared[1], compared[2])
    key, equals, value = rest.partition("=")
    if not equals:
        return FindCondition(side, "", "", rest)
    if key not in KEYS:
        raise DialmeterError(
            f"no key {one_line(key)!r} for a condition; write an id, MEASURE<0.5, or KEY=VALUE; {did_you_mean(key, KEYS)}"
        )
    return FindCondition(side, key, "=", value)


def key_of_condition(condition: str) -> str:
    """Return the key of a condition, without the name of the file in front.

    Example:
        >>> key_of_condition("B.party=system"), key_of_condition("MUL0021.json")
        ('party', '')
    """
    key, equals, _ = condition.partition("=")
    return key.rpartition(".")[2] if equals else ""


def check_values(request: FindRequest, known: Mapping[str, Sequence[str]]) -> None:
    """Check that conditions name values that exist, such as an event or an outcome.

    Args:
        request: the request with its conditions.
        known: the values by key; other keys may have any value.

    Raises:
        DialmeterError: there is no such value.
    """
    for condition in request.options["conditions"]:
        key, value = key_of_condition(condition), condition.partition("=")[2]
        if key in known and value.lower() not in known[key]:
            raise DialmeterError(f"{one_line(condition)}: no such {key}; {did_you_mean(value, known[key])}")


find_options = combine_options(
    click.argument("files", nargs=-1, required=True),
    option("--name NAME* names", "Name of a file; give one for each file."),
    option("--where COND* conditions", "FindCondition; all must hold."),
    option("--sort", "Sort by a measure, the lowest first, or by M - M, the largest difference first.", default=""),
    option("--show shown", "Print the dialogues turn by turn."),
    option("--limit", "Maximum number of dialogues to print (default: 20; all with -f ids).", least=1),
)
"""The options of the flows of ``find``, in addition to those that read files."""


def split_conditions(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the words of ``find`` into files, which come first, and conditions.

    Example:
        >>> split_conditions(["-", "slot=hotel-name"])
        (['-'], ['slot=hotel-name'])
    """
    files: list[str] = []
    for number, word in enumerate(words):
        name, equals, path = word.partition("=")
        is_named = bool(equals) and name not in KEYS and _is_file(path)
        if number and not _is_file(word) and not is_named:
            return files, list(words[number:])
        files.append(word)
    return files, []


def _is_file(word: str) -> bool:
    return word == "-" or word.startswith(("trivial:", "demo:")) or Path(word.partition("#")[0] or word).exists()


class FoundDialogue(Struct, kw_only=True):
    """A dialogue that was found.

    Attributes:
        values: the measures of the conditions and of --sort, by file if there are several.
        difference: the first measure of --sort minus the second; null without a second.
    """

    dialogue: str
    values: dict[str, Number]
    difference: Number
    places: list[str]


class FindDocument(Document, kw_only=True):
    """The dialogues for which all conditions hold.

    Attributes:
        found: number of dialogues for which they hold; only --limit of them are listed.
    """

    command: str = "find"
    found: Count
    dialogues: list[FoundDialogue]


class _Match(NamedTuple):
    id: str
    rows: Mapping[str, FoundRow]
    places: list[str]
    difference: float | None = None

    def value(self, side: str, measure: str) -> float | None:
        row = self.rows[side] if side else next(iter(self.rows.values()))
        return row.values.get(measure)


def find_output(rows: Rows, options: Mapping[str, Any]) -> Output:
    """Return the output of ``dialmeter find`` for the files of one subject."""
    files = options["files"]
    given_names = options.get("names") or ()
    letters = [chr(ord("A") + number) for number in range(len(files))]
    names = list(given_names) or (letters if len(files) > 1 else name_files(files, (), "files"))
    # A letter always names a file by its place; a name that was given goes first.
    sides = {**dict(zip(letters, names, strict=True)), **{name: name for name in names}} if len(files) > 1 else {}
    conditions = [parse_condition(each, sides) for each in options["conditions"]]
    sort = [_split_side(part.strip(), sides) for part in options["sort"].split(" - ") if part.strip()]
    if len(sort) > 2:
        raise DialmeterError(f"--sort {one_line(options['sort'])!r}: write a measure, or MEASURE - MEASURE")
    measures = tuple(
        dict.fromkeys([*(each.key for each in conditions if each.operator in SIGNS), *(m for _, m in sort)])
    )
    request = FindRequest(measures, options)
    matches = list(_matches(rows, dict(zip(names, files, strict=True)), conditions, request))
    ids = [each for each in conditions if not each.operator]
    if ids and not matches:
        error = (
            f"no dialogue {ids[0].value!r} with these conditions in {', '.join(one_line(file, 100) for file in files)}"
        )
        return Output(errors=[error], exit_code=EXIT_INPUT)
    matches = _sorted(matches, sort)
    shown = matches[: options["limit"] or (None if options["style"] == "ids" else LISTED)]
    columns = [(side, measure) for measure in measures for side in (names if len(files) > 1 else [""])]
    return document_output(
        FindDocument,
        found=len(matches),
        counts={"found": len(matches), "shown": len(shown)},
        dialogues=[
            FoundDialogue(
                dialogue=each.id,
                values={".".join(filter(None, column)): each.value(*column) for column in columns},
                difference=each.difference,
                places=each.places,
            )
            for each in shown
        ],
        parts=_parts(shown, matches, columns, options),
    )


def _matches(
    rows: Rows, files: Mapping[str, str], conditions: Sequence[FindCondition], request: FindRequest
) -> Iterator[_Match]:
    """Yield the dialogues for which all conditions hold; with several files, those that all files have."""
    (first, path), *others = files.items()
    more = {name: {dialogue_key(row.id): row for row in rows(each, request)} for name, each in others}
    for row in rows(path, request):
        key = dialogue_key(row.id)
        if all(key in each for each in more.values()):
            both = {first: row, **{name: each[key] for name, each in more.items()}}
            places = _places(both, conditions)
            if places is not None:
                yield _Match(row.id, both, places)


def _places(rows: Mapping[str, FoundRow], conditions: Sequence[FindCondition]) -> list[str] | None:
    """Return the places of a dialogue at which all conditions hold; None if the dialogue is not one of those to find."""
    ids = {dialogue_key(each.value) for each in conditions if not each.operator}
    found: dict[str, dict[tuple[Any, ...], str]] = {}
    for name, row in rows.items():
        if ids and dialogue_key(row.id) not in ids:
            return None
        own = [each for each in conditions if each.operator and each.side in ("", name)]
        of_items = []
        for each in own:
            if each.operator in SIGNS:
                value = row.values.get(each.key)
                if value is None or not SIGNS[each.operator](value, float(each.value)):
                    return None
            elif each.key not in row.facts:
                of_items.append(each)
            elif not _is_in(each.value, row.facts[each.key]):
                return None
        if of_items:
            found[name] = {
                item.place: item.text
                for item in row.items
                if all(_is_in(each.value, item.facts.get(each.key, ())) for each in of_items)
            }
    if not found:
        return []
    shared = [place for place in next(iter(found.values())) if all(place in each for each in found.values())]
    last = list(found.values())[-1]
    return [last[place] for place in shared] or None


def _is_in(value: str, facts: str | Sequence[str]) -> bool:
    return value.lower() in ([facts.lower()] if isinstance(facts, str) else [each.lower() for each in facts])


def _split_side(text: str, sides: Mapping[str, str]) -> tuple[str, str]:
    """Return the file that stands in front of a key or a measure, as in ``B.outcome``, and the rest; "" without one."""
    word = next((each for each in sides if text.startswith(f"{each}.")), "")
    return sides.get(word, ""), text.removeprefix(f"{word}.") if word else text


def _sorted(matches: list[_Match], sort: Sequence[tuple[str, str]]) -> list[_Match]:
    """Return the matches that have the values of --sort, in its order."""
    if not sort:
        return matches

    keyed = []
    for match in matches:
        values = [value for each in sort if (value := match.value(*each)) is not None]
        if len(values) == len(sort):
            difference = values[0] - values[1] if len(sort) > 1 else None
            # The largest difference comes first, so the opposite difference gives the other end.
            key = values[0] if difference is None else -round(difference, 12)
            keyed.append((key, match._replace(difference=difference)))
    return [match for _, match in sorted(keyed, key=lambda each: (each[0], each[1].id))]


def _parts(
    shown: Sequence[_Match], matches: Sequence[_Match], columns: Sequence[tuple[str, str]], options: Mapping[str, Any]
) -> Iterator[Block]:
    has_difference = any(each.difference is not None for each in shown)
    headings = [*(".".join(filter(None, column)) for column in columns), *(["difference"] * has_difference)]
    records = [
        {
            "dialogue": each.id,
            **dict(zip(headings, _numbers(each, columns), strict=True)),
            "places": len(each.places),
        }
        for each in shown
    ]
    yield Block(records_table(records), CSV)
    if not matches:
        yield Block("0 dialogues found")
        return
    width = max(len("dialogue"), *(len(each.id) for each in shown))
    rows = tuple(
        (
            each.id,
            *map(percent, _numbers(each, columns)),
            _some(each.places, 80 - 2 - width - sum(2 + max(len(name), 6) for name in headings)),
        )
        for each in shown
    )
    has_places = any(row[-1] for row in rows)
    table = Table(
        "",
        ("dialogue", *headings, *(["first place"] * has_places)),
        rows if has_places else tuple(row[:-1] for row in rows),
        frozenset(range(1, len(headings) + 1)),
        foot=(
            f"{len(matches)} dialogue{'s' * (len(matches) != 1)} found{f', {len(shown)} shown' * (len(shown) < len(matches))}",
        ),
    )
    yield Block(table, ("text", "markdown", "latex"))
    is_named = len(matches) == 1 and any(not re.search("[<>=]", each) for each in options["conditions"])
    if options["shown"] or is_named:
        for each in shown:
            blocks = [[*row.lines()] for row in each.rows.values()]
            names = list(each.rows) if len(blocks) > 1 else [""]
            for name, lines in zip(names, blocks, strict=True):
                yield Block("\n".join(chain([f"{name}:"] if name else [], lines)), TEXT)


def _numbers(match: _Match, columns: Sequence[tuple[str, str]]) -> list[float | None]:
    difference = [] if match.difference is None else [match.difference]
    return [*(match.value(*column) for column in columns), *difference]


def _some(places: Sequence[str], width: int) -> str:
    if not places:
        return ""
    more = f" (+{len(places) - 1})" if len(places) > 1 else ""
    room = max(width - len(more), 12)
    first = one_line(places[0], 200)
    return (first if len(first) <= room else first[: room - 1] + "…") + more
