"""The summary of a result: the verdict first, then what it depends on, the measures, the number of units, the signature, and the next command.

It has at most 24 lines of 80 columns. The terminal prints it, and it is the text of a result in Python.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from msgspec import Struct

from ...core.account import Account
from ...core.comparability import joint_signature
from ...core.comparison import Resampling
from ...measure import Score
from ..tables import Table, interval, percent, render, visible

WIDTH = 80
"""Maximum number of columns of a line."""
_PART = WIDTH - len("signature  |")
"""Maximum number of columns of a field of a signature."""
LINES = 24
"""Maximum number of lines of a summary."""


class Summary(Struct, frozen=True, kw_only=True):
    """What a person needs to know about a result.

    Attributes:
        verdict: a sentence.
        rungs: lines of the ladder, already aligned; empty without a ladder.
        findings: what the verdict depends on: a label of one or two words, such as ``spelling``, and the text with its number.
        table: the measures.
        account: the number of scored units, such as ``1000 of 1000 dialogues``.
        signature: the short signature.
        next: the command that answers the next question.
        said: the codes of warnings that the findings say in fewer words.
    """

    verdict: str
    rungs: Sequence[str] = ()
    findings: Sequence[tuple[str, str]] = ()
    table: Table | None = None
    account: str = ""
    signature: str = ""
    next: str = ""
    said: frozenset[str] = frozenset()

    def lines(self) -> list[str]:
        """Return the lines of the terminal."""
        lines = textwrap.wrap(visible(self.verdict), WIDTH)
        lines += [f"  {visible(rung)}" for rung in self.rungs]
        lines += self._finding_lines()
        end = [*_wrapped("", "; ", self.account.split("; ")), *_wrapped("signature", "|", self.signature.split("|"))]
        end += _wrapped("next", " ", _command_words(self.next), " \\")
        table = list(self._table_lines())
        room = LINES - len(lines) - len(end)
        if len(table) > room:
            table = [*table[: max(room - 1, 1)], f"… {len(table) - max(room - 1, 1)} more lines with -v"]
        return [*lines, *table, *end]

    def _table_lines(self) -> Iterator[str]:
        """Yield the table without a rule, and without headings if all of them are empty."""
        if self.table is not None and self.table.rows:
            headings, _, *rows = render(self.table, "text").split("\n")
            yield from [headings, *rows] if headings else rows

    def _finding_lines(self) -> Iterator[str]:
        width = max((len(label) for label, _ in self.findings), default=0)
        for label, text in self.findings:
            first = f"  {label:<{width}}  "
            yield from textwrap.wrap(
                visible(text), WIDTH, initial_indent=first, subsequent_indent=" " * len(first), max_lines=3
            )

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _command_words(command: str) -> list[str]:
    """Return the words of a command; an option and its value are one word.

    Example:
        >>> _command_words("dialmeter score 'a b.json' --set map=multiwoz -v")
        ['dialmeter', 'score', "'a b.json'", '--set map=multiwoz', '-v']
    """
    words: list[str] = []
    for word in map(shlex.quote, shlex.split(command)):
        if words and words[-1].startswith("-") and " " not in words[-1] and not word.startswith("-"):
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words


def _wrapped(label: str, separator: str, parts: Sequence[str], line_end: str = "") -> list[str]:
    """Break a text between its parts, so that its lines fit; each line but the last ends with ``line_end``."""
    if not any(parts):
        return []
    first, *words = map(visible, parts)
    lines, line = [], f"{label}  {first}" if label else first
    for number, word in enumerate(words, 1):
        end = separator.rstrip() if number < len(words) else ""
        if len(line) + len(separator) + len(word) + len(end) + len(line_end) > WIDTH:
            lines.append((line + separator).rstrip() + line_end)
            line = f"{' ' * len(label)}  {word}"
        else:
            line += separator + word
    return [*lines, line]


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    Example:
        >>> counted(1, "task"), counted(2, "task")
        ('1 task', '2 tasks')
    """
    return f"{count} {noun}{'s' * (count != 1)}"


def fit(text: str, width: int) -> str:
    """Return a text of at most this width.

    Example:
        >>> fit("hotel-pricerange", 8), fit("taxi", 8)
        ('hotel-p…', 'taxi')
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def fit_names(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most this width. If they are too long, the words at the beginning that all share are left out.

    Example:
        >>> fit_names(["retail_gemini_2", "retail_gpt_2"], 8), fit_names(["a_b", "a_c"], 8)
        (['…gemini…', '…gpt_2'], ['a_b', 'a_c'])
    """
    if max(map(len, names)) <= width:
        return [*names]
    words = [re.split(r"(?<=[-_./ ])", name) for name in names]
    columns = zip(*(each[:-1] for each in words), strict=False)
    shared = len([*takewhile(lambda column: len({*column}) == 1, columns)])
    return [fit("…" * bool(shared) + "".join(each[shared:]), width) for each in words]


def fit_list(items: Sequence[str], width: int) -> str:
    """Return as many items as fit the width, separated by commas.

    Example:
        >>> fit_list(["area", "day", "people"], 12), fit_list(["area", "day"], 12)
        ('area, day, …', 'area, day')
    """
    text = ", ".join(items)
    count = len(items)
    while len(text) > width and count > 1:
        count -= 1
        text = ", ".join([*items[:count], "…"])
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


_INPUT_OPTIONS = ("--gold", "--from", "--columns", "--subject", "--only", "--rules", "--set")


def find_command(command: str, *conditions: str, file: int | None = None) -> str:
    """Return the command that finds dialogues in the files of a command, with its options that say how to read them.

    Args:
        command: the command as typed; "" gives "".
        conditions: conditions of ``dialmeter find``.
        file: number of the only file to use; by default all of them.

    Example:
        >>> find_command("dialmeter score a.json --gold g.json -m JGA --set map=multiwoz", "slot=hotel-area")
        'dialmeter find a.json slot=hotel-area --gold g.json --set map=multiwoz'
        >>> find_command("dialmeter study rules a.json", "MUL0001")
        'dialmeter find a.json MUL0001'
    """
    if not command:
        return ""
    typed = shlex.split(command)
    files, options, words = [], [], iter(typed[3 if typed[1] == "study" else 2 :])
    for word in words:
        if not word.startswith("-") or word == "-":
            files.append(word)
        elif word not in _FLAGS:
            value = next(words, "")
            is_kept = word in _INPUT_OPTIONS and value != "common" and value.partition("=")[0] not in _OF_TESTS
            options += [word, value] if is_kept else []
    chosen = files if file is None else files[file : file + 1]
    return shlex.join(["dialmeter", "find", *chosen, *conditions, *options])


_OF_TESTS = ("ci", "resamples", "seed", "test", "margin", "turns", "blame")
"""The settings of intervals, tests and groups, which do not matter to find dialogues."""
_FLAGS = ("-v", "-q", "--verbose", "--quiet", "--force", "--dry-run")


def account_text(account: Account) -> str:
    """Return the number of scored units, such as ``944 of 1000 dialogues; 56 without a prediction (mul0088)``."""
    text = f"{account.scored} of {account.asked} {account.unit}{'' if account.asked == 1 else 's'}"
    return text if account.complete else fit(f"{text}; {account.reason}", WIDTH)


def corner(table: Table, rows: int, columns: int) -> Table:
    """Return the first rows and columns of a table, without its title.

    Example:
        >>> corner(Table("scores", ("a", "b", "c"), (("1", "2", "3"), ("4", "5", "6")), frozenset({1, 2})), 1, 2).rows
        (('1', '2'),)
    """
    cut = tuple(row[:columns] for row in table.rows[:rows])
    headings = tuple(fit(each, 16) for each in table.headings[:columns])
    return Table("", headings, cut, frozenset(each for each in table.numeric if each < columns))


def score_rows(scores: Sequence[Score], unit: str, beside: Mapping[str, str] = MappingProxyType({})) -> Table:
    """Return one row per measure: value, interval, and why there is no value, what stands beside it, or how many units are unscored."""
    rows = []
    for each in scores:
        units = unit.removesuffix("s") if each.unscored == 1 else unit
        note = f"{each.unscored} {units} unscored" if each.unscored and each.value is not None else ""
        note = each.reason if each.value is None else ", ".join(filter(None, (beside.get(each.measure), note)))
        rows.append((each.measure, percent(each.value), interval(each.ci), note))
    return Table("", ("", "", "", ""), tuple(rows), frozenset({1, 2}))


def short_signature(scores: Sequence[Score], usual: Resampling, dropped: Sequence[str] = ()) -> str:
    """Return the joint signature of scores without the usual settings.

    Args:
        scores: the scores, with full signatures.
        usual: the usual settings of resampling.
        dropped: other fields with their usual values.

    Example:
        >>> full = "JGA|rules:dialmeter|d:9|data:3f|ci:95|bs:1000|seed:12345|v:1"
        >>> short_signature([Score(measure="JGA", value=0.5, n=9, unscored=0, signature=full)], Resampling())
        'JGA|rules:dialmeter|d:9|data:3f|v:1'
    """
    unwanted = {*dropped, *usual.signed}
    parts = joint_signature([each.signature for each in scores]).split("|")[1:]
    names = list(dict.fromkeys(each.measure for each in scores))
    head = names[0] if len(names) == 1 else f"{names[0]}+{len(names) - 1}"
    wanted = (part for part in parts if _without_owners(part) not in unwanted)
    return "|".join([head, *map(_short_part, wanted)])


_OWNERS = re.compile(r"([^(:]+)\((.+)\):([^()]*)")
"""A field of a signature that only some measures have."""


def _without_owners(part: str) -> str:
    match = _OWNERS.fullmatch(part)
    return f"{match[1]}:{match[3]}" if match else part


def _short_part(part: str) -> str:
    """Return a field of a signature; of many measures it names the first and their number.

    Example:
        >>> _short_part("deletions(GCA,GCA(alpha=0.5),VP,VR,LP,LR,VP(deletions=code),LR(deletions=code)):code")
        'deletions(GCA+7):code'
    """
    match = _OWNERS.fullmatch(part)
    if match is None or len(part) <= _PART:
        return part
    name, owners, value = match.groups()
    first, *more = re.split(",(?! )", owners)
    return f"{name}({first}+{len(more)}):{value}"


def with_option(command: str, *words: str) -> str:
    """Return a command with more words; "" gives "".

    Example:
        >>> with_option("dialmeter study bias a.json", "-o", "runs/my bias")
        "dialmeter study bias a.json -o 'runs/my bias'"
    """
    return f"{command} {shlex.join(words)}" if command else ""


def without(command: str, *options: str) -> str:
    """Return a command without some options and their values.

    Example:
        >>> without("dialmeter study rules a.json --rules sgd --rules trade -v", "--rules")
        'dialmeter study rules a.json -v'
    """
    words = shlex.split(command)
    return shlex.join(
        word
        for place, word in enumerate(words)
        if word not in options and (place == 0 or words[place - 1] not in options)
    )
