"""Ratings in records of any layout: the roles of fields are inferred from their names and from what they hold.

An item is what people rated: a reply or a dialogue. A table has one row per item, or one per item and person. Qualities are
columns, or the words of a column such as ``criterion``. Instead of numbers there may be words of a scale, pass and fail, or the
winner of two replies. ``--columns`` names fields and answers questions.

``{"id": "a", "context": "Hi", "response": "Hello!", "annotations": [{"worker": "w1", "overall": 4}]}``
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, zip_longest
from typing import Any, NamedTuple

from ...errors import InputError, did_you_mean, one_line
from ...model import Move, Notice
from ..containers import Sheets
from ..csv_files import parse_header, rows_of
from ..messages import text_of
from ..records.logs import messages_of
from ..records.names import parts_of, party_of, points
from ..records.tables import SAMPLE, RowTable, tables_of, value_at
from ..records.trees import tree_of, tree_of_sample
from ..source import Sample, Source
from .rated_item import RatedItem, context_moves, dialogue_moves
from .scales import make_scale, rating_of

DESCRIPTION = "ratings in records of any layout: one row per item, or per item and person"
KEYS = ("item", "rater", "rating", "criterion", "winner", "score", "context", "reply", "system")
"""Keys of ``--columns``. Several columns are separated by commas."""
_ROLES = {"item": 5, "rater": 6, "criterion": 8}
"""Role → the points that a name needs for it."""
_SURE = 7
_MOST_STEPS = 21
"""The largest number of different ratings."""
_MARGIN = 2
"""A reading wins if it has so many more points than any other."""
_GRID = re.compile(r"([^\[]*[^\[\s])\s*\[(.+)\]")
_NUMBERED = re.compile(r"(?<![^\W\d_])([^\W\d_]+)\s*(?:#\s*)?(\d+)")
_NUMBERS = re.compile(r"\s*[\d.]+(?:\s+[\d.]+)+\s*")
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
_QUALTRICS = frozenset(["Finished", "Progress", "RecordedDate"])
_IMPORT = '{"ImportId"'
_LETTERS = frozenset("aAeEjJpPrR")
_MOST_WORDS = 20  # of a name; more are prose
"""Letters that mean annotator, expert, judge, person and rater before a number."""
_REPLIES = frozenset(["answer", "completion", "output", "reply", "response"])
_QUALITY = ("ness", "ity", "ence", "ance", "acy", "ful", "ing", "able")
"""Endings of words for qualities."""
_VERDICTS = frozenset(
    word for each in ("pass", "passed", "fail", "failed") for word in (each, each.title(), each.upper())
)
_ABSENT = frozenset(["", "-", "n/a", "na", "nan", "none", "null"])
_PAIR = ("chosen", "rejected")
_SIDES = {
    word: won
    for won, words in ((1.0, "a 1 left"), (0.0, "b 2 right"), (0.5, "tie both draw equal same"))
    for word in words.split()
}
"""The last word of a winner → the rating of the first reply."""
_IDS = (("id",), ("index",), ("key",), ("no",), ("nr",))
"""Last words of names of fields that hold no ratings."""
_CONTEXTS = ("history", "context", "prompt", "question")
_RESPONSES = ("response", "reply", "output", "completion")
_TEXTS = ("chat", "conversation", "dialog", "dialogue", "messages", "turns", "utterances")


class _Reading(NamedTuple):
    """How a table is read: its fields by role, and how sure the reading is."""

    table: RowTable
    item: str
    rater: str
    ratings: tuple[str, ...]
    criterion: str
    scores: tuple[str, ...]
    points: int

    @property
    def columns(self) -> str:
        """The reading as the text of ``--columns``."""
        roles = {
            "rows": self.table.path,
            "item": self.item,
            "rater": self.rater,
            "criterion": self.criterion,
            "rating": "" if "," in self.rater else ",".join(self.ratings),
            "score": ",".join(self.scores),
        }
        return " ".join(f"{key}={name}" for key, name in roles.items() if name)


def detect(sample: Sample) -> bool:
    """True if the names of fields say that people rated something."""
    if sample.kind == "text":
        names = parse_header(sample.value)[0]
        return _say_ratings(names) or ("ResponseId" in names and not _QUALTRICS.isdisjoint(names))
    tree = tree_of_sample(sample)
    return tree is not None and has_ratings(tree)


def has_ratings(tree: Any) -> bool:
    """True if the names of fields in a parsed file, or of rows in memory, say that people rated something.

    Example:
        >>> has_ratings([{"id": "a", "annotator": "ann", "score": 4}]), has_ratings([{"id": "a", "gold": {}, "score": 4}])
        (True, False)
    """
    tables = tables_of(_with_lists(tree))
    if are_verdicts(tree) or any(adapter.detect(tree) for adapter in _ADAPTERS):
        return True
    return any(_say_ratings(table.columns) for table in tables)


def _with_lists(tree: Any) -> Any:
    """Return a tree in which ratings by person, or by quality, are lists: ``{"labels": {"ann": {"value": 4}}}``."""
    if isinstance(tree, list):
        return [_with_lists(each) for each in tree]
    if not isinstance(tree, dict) or isinstance(tree, Sheets):
        return tree
    if tree and all(
        isinstance(each, dict) and each and {*map(str, each.values())} <= _VERDICTS for each in tree.values()
    ):
        return [{"item": name, "ratings": given} for name, given in tree.items()]
    return {
        key: [{"criterion" if _are_qualities(value) else "rater": name, **given} for name, given in value.items()]
        if (points("mark", key) or points("annotations", key)) and _are_by_name(value)
        else value
        for key, value in tree.items()
    }


def _are_by_name(value: Any) -> bool:
    """True for objects with the same fields, one of which is a rating, by the names of people or of qualities."""
    given = list(value.values()) if isinstance(value, dict) else []
    if not given or not all(isinstance(each, dict) and each.keys() == given[0].keys() for each in given):
        return False
    return any(points("rating", key) > 4 and _are_ratings([each[key] for each in given]) for key in given[0])


def are_verdicts(tree: Any) -> bool:
    """True if a field of the records, such as ``labels``, holds pass or fail by person.

    Example:
        >>> are_verdicts([{"labels": {"ann": "pass", "bo": "fail"}}]), are_verdicts([{"labels": {"wifi": "yes", "area": "x"}}])
        (True, False)
    """
    rows = next((table.rows[:SAMPLE] for table in tables_of(tree)), [])
    for name in rows[0] if rows else ():
        given = [value for row in rows if isinstance(value := row.get(name), Mapping)]
        words = [str(word).lower() for value in given for word in value.values()]
        if len(words) > 1 and points("mark", name) and {*words} <= {"pass", "passed", "fail", "failed"}:
            return True
    return False


def _say_ratings(names: Sequence[str]) -> bool:
    """True if names of columns say that people rated something."""
    pairs = (name.rpartition(".") for name in names)
    leaves = [
        leaf
        for outer, _, leaf in pairs
        if not outer or points("rating", outer) >= 8 or points("person", outer) or outer == "Answer"
    ]
    leaves += [name for name in names if "." in name and points("machine", name.partition(".")[0])]
    if any(points(role, leaf) >= 10 for leaf in leaves for role in ("gold", "pred")) or {"task", "reward"} & {*leaves}:
        return False
    plain = {leaf.lower() for leaf in leaves}
    if len(plain) > 2 and plain & _REPLIES and plain & {"context", "history", "prompt", "question"}:
        return True
    if {*_PAIR} <= plain or len(_heads(names)) > 1:
        return True
    if any(_are_people(stem, group.values()) for stem, group in _columns_by_stem(names).items()):
        return True
    rated = {
        leaf: points("rating", leaf) for leaf in leaves if not points("machine", leaf) and not points("no rating", leaf)
    }
    marks = [leaf for leaf in leaves if points("mark", leaf) or points("rating", leaf) >= 8 or "." in leaf]
    if any(points("person", each) for each in marks) and any(points("machine", each) for each in marks):
        return True
    if any(points("rater", leaf) >= _SURE for leaf in leaves):
        is_answer = any(each > 1 for each in rated.values()) and any(points("item", leaf) >= 5 for leaf in leaves)
        return any(each >= _SURE for each in rated.values()) or bool(marks) or is_answer
    has_text = any(points("system text", leaf) > 4 or leaf in _TEXTS or points("pred", leaf) > 3 for leaf in leaves)
    is_score = plain & {"score", "scores"} and not has_text
    return any(each >= 8 for each in rated.values()) and len(names) > 1 and not is_score


def _heads(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the headings of a form about several items, with the item and the quality: ``Chat 3: tone``, ``Chat 3 [tone]``."""
    heads = {name: (match[1], match[2]) for name in names if (match := _GRID.fullmatch(name))}
    if len(heads) < 2:
        found = {name: match for name in names if (match := _NUMBERED.search(name))}
        heads = {
            name: (
                match[0],
                (name[: match.start(2)].rstrip() * bool(match.start()) + name[match.end() :]).strip(" :.–-"),
            )
            for name, match in found.items()
            if points("item", match[1]) >= 6 and match[1].lower() != "question"
        }
    shared = Counter(quality for _, quality in heads.values() if quality)
    return {name: head for name, head in heads.items() if shared[head[1]] > 1 or _GRID.fullmatch(name)}


def items(source: Source) -> Iterator[RatedItem]:
    """Yield the rated items of a file.

    Raises:
        InputError: no reading wins clearly, or a rating is no rating.
    """
    return items_of_tree(_tree(source), source.fields, source.notices)


def items_of_tree(tree: Any, fields: Mapping[str, str], notices: list[Notice]) -> Iterator[RatedItem]:
    """Yield the rated items of a parsed file, or of rows in memory; what a person should know is added to the notices.

    Example:
        >>> rows = [{"id": "a", "reply": "Hello!", "rater": "ann", "rating": 4}]
        >>> [(item.reply, item.ratings) for item in items_of_tree(rows, {}, [])]
        [('Hello!', {'overall': (4.0,)})]

    Raises:
        InputError: no reading wins clearly, or a rating is no rating.
    """
    adapter = next((each for each in _ADAPTERS if each.detect(tree)), None)
    tables = [RowTable(adapter.name, [*adapter.rows(tree)])] if adapter else tables_of(_with_lists(tree))
    forms = [_grid_table(table, notices) or _pair_table(table, fields) for table in tables]
    reading = _best([each for each in forms if each] or tables, fields)
    notices.append(Notice("read-as", len(reading.table.rows), f'read as --columns "{reading.columns}"'))
    if twice := _repeated(reading):
        _refuse_repeated(reading, twice)
        message = f"{twice} rows repeat an item and its rater; all their ratings are used"
        notices.append(Notice("reading", twice, message))
    parents = {table.path: table for table in tables}
    yield from _Items(reading, parents, fields, notices).items()


def _repeated(reading: _Reading) -> int:
    """Return the number of rows with the same item, rater and quality as another."""
    roles = {"item": reading.item, "rater": reading.rater, "criterion": reading.criterion}
    return 0 if not reading.rater or "," in reading.rater else _count_repeated(reading.table, roles)


def _count_repeated(table: RowTable, roles: Mapping[str, str]) -> int:
    return len(table.rows) - len({tuple(_at(row, name) for name in roles.values() if name) for row in table.rows})


def _at(row: Mapping[str, Any], name: str) -> str:
    """Return the value of a column in a row; of two columns, ``dialogue+turn``, both values."""
    return "/".join(str(value_at(row, part)) for part in name.split("+"))


def _with_turn(table: RowTable, roles: Mapping[str, str]) -> str:
    """Return the column of items, with the column of turns if the turns of a dialogue are rated."""
    names = [name for name in table.columns if points("turn", _leaf(name)) >= 7 and name not in roles.values()]
    tried = (f"{roles['item']}+{name}" for name in names if roles["item"])
    return next((item for item in tried if not _count_repeated(table, {**roles, "item": item})), roles["item"])


def _refuse_repeated(reading: _Reading, count: int) -> None:
    """Refuse ratings by the same person of the same item, if one column tells them apart: it may name qualities."""
    rows, roles = reading.table.rows, {"item": reading.item, "rater": reading.rater}
    others = {*reading.table.columns} - {*reading.ratings, *reading.scores, "@line"}
    for name in sorted(others) if not reading.criterion else ():
        values = Counter(str(cell) for row in rows if isinstance(cell := value_at(row, name), str | int))
        is_short = 1 < len(values) <= _MOST_STEPS and values.total() == len(rows) and max(map(len, values)) < 80
        if is_short and min(values.values()) > 1 and not _count_repeated(reading.table, {**roles, "criterion": name}):
            asked = f"{count} rows repeat an item and its rater; does {one_line(name)} name the qualities?"
            raise InputError(f"{asked} Answer with --columns criterion={one_line(name)}")


def differ(tree: Any, fields: Mapping[str, str]) -> bool:
    """True if a parsed file has ratings by people with names; or other ratings that are not all the same, beside no outcome of tasks."""
    try:
        items = [*items_of_tree(tree, fields, [])]
    except InputError:
        return False
    if any(any(item.raters.values()) for item in items):
        return True
    leaves = [_leaf(name) for table in tables_of(tree)[:1] for name in table.columns]
    has_outcome = any(points("outcome", leaf) >= (5 if "task" in parts_of(leaf) else 9) for leaf in leaves)
    return not has_outcome and len({str(item.ratings) for item in items}) > 1


def _tree(source: Source) -> Any:
    if source.sample.kind not in ("text", "lines"):
        return tree_of(source)
    rows = _without_ids_of_questions([*rows_of(source)])
    return [{**row, "@line": number} for number, row in rows] if len(rows) > 1 else [dict(row) for _, row in rows]


def _without_ids_of_questions(rows: list[tuple[int | None, Any]]) -> list[tuple[int | None, Any]]:
    """Return the rows of a survey of Qualtrics with its questions as names: below its header are the questions, and their ids as JSON."""
    if len(rows) < 3 or not all(str(cell).startswith(_IMPORT) for cell in rows[1][1].values()):
        return rows
    questions = rows[0][1]
    return [(number, {str(questions[name]): cell for name, cell in row.items()}) for number, row in rows[2:]]


def _best(tables: Sequence[RowTable], fields: Mapping[str, str]) -> _Reading:
    """Return the reading that wins.

    Raises:
        InputError: none does; the message has the question that a person can answer.
    """
    chosen = [table for table in tables if fields.get("rows", table.path) == table.path]
    if not chosen:
        raise InputError(
            f"no records at {one_line(fields.get('rows', ''))!r}; they are at {', '.join(table.path for table in tables)}"
        )
    readings = [reading for table in chosen if (reading := _read_table(table, fields))]
    readings = [*{(*each[1:6],): each for each in reversed(readings)}.values()]  # of equal tables, the first
    readings.sort(key=lambda each: -each.points)
    if not readings:
        sample, names = chosen[-1].rows[:SAMPLE], [name for name in chosen[-1].columns if name != "@line"]
        numbers = [name for name in names if _are_ratings([value_at(row, name) for row in sample])]
        listed = f"; {', '.join(map(one_line, numbers[:6]))} hold numbers" if numbers else ""
        raise InputError(f"which field is the rating of people? Name it with --columns rating=NAME{listed}")
    if len(readings) > 1 and readings[0].points - readings[1].points < _MARGIN:
        first, second = (f'--columns "{each.columns}"' for each in readings[:2])
        raise InputError(f"which are the ratings of people: {first} or {second}?")
    return readings[0]


def _read_table(table: RowTable, fields: Mapping[str, str]) -> _Reading | None:
    """Return how a table is read; None if it has no ratings.

    Raises:
        InputError: the user named a field that the table does not have.
    """
    rows, names = table.rows[:SAMPLE], [name for name in table.columns if name != "@line"]
    is_pairs = table.path.endswith("[pairs]")  # which is made with the columns that the user named
    named = {key: tuple(fields[key].split(",")) for key in KEYS if key in fields and not is_pairs}
    for key, columns in named.items():
        for name in columns:
            if not {*name.split("+")} <= {*names} and not name.startswith("@"):
                wrong = f"no field {one_line(name)!r} (--columns {key}={one_line(name)})"
                raise InputError(f"{wrong}; {did_you_mean(name, names)}")
    cells = {name: [value for row in rows if (value := value_at(row, name)) not in (None, "")] for name in names}
    raters = named.get("rater", ())
    if len(raters) < 2:
        raters = () if "rating" in named else _one_per_rater(names, rows)
    free = {name: values for name, values in cells.items() if name not in raters}
    roles = {role: _one(named, role) or _by_role(role, free, least) for role, least in _ROLES.items()}
    if roles["rater"] == roles["item"]:
        roles["rater"] = ""
    if roles["item"] and not roles["rater"] and len(rows) > 1 == len({*map(str, free[roles["item"]])}):
        rest = {name: values for name, values in free.items() if name != roles["item"]}
        roles["item"] = _by_role("item", rest, _ROLES["item"]) or roles["item"]
    if roles["item"] and not roles["rater"] and not raters:
        roles["rater"] = _weak_rater(table, roles["item"], free)
    if roles["rater"] and not roles["item"]:
        roles["item"] = _by_role(
            "item", {name: free[name] for name in free if name != roles["rater"]}, _ROLES["item"], 7
        )
    if not roles["item"] and len({row.get("@key") for row in rows}) > 1:
        roles["item"] = "@key"
    leaf = {
        name: _leaf(name)
        for name in free
        if name not in roles.values() and not points("no rating", name) and parts_of(name)[-1:] not in _IDS
    }
    of_judges = _heads_of_judges(names)
    numeric = [name for name in leaf if _may_hold_ratings(rows, name, roles["criterion"], of_judges)]
    if raters:
        roles["rater"] = ",".join(raters)
    by_people = [name for name in numeric if points("person", name)]
    machine = [
        name
        for name in numeric
        if name not in by_people
        and (points("machine", name) or name.startswith("score:") or name.partition(".")[0] in of_judges)
    ]
    machine = [name for name in machine if not any(each.startswith(f"{name}.") for each in machine)]
    others = [
        name for name in numeric if name not in machine and name not in of_judges and points("rating", leaf[name])
    ]
    rated = [name for name in others if points("rating", leaf[name]) >= 5]
    rated = rated or (others if roles["rater"] and len(others) == 1 else [])
    marks = [name for name in rated if by_people and name not in by_people and points("mark", name)]
    scores = named.get("score") or (*machine, *marks)
    all_ratings = tuple(name for name in numeric if name in (*by_people, *rated) and name not in scores)
    all_ratings = tuple(name for name in all_ratings if name.rpartition(".")[0] not in all_ratings)
    ratings = named.get("rating") or raters or all_ratings
    if roles["criterion"] and "rating" not in named:
        ratings = ratings[:1]
    if not ratings:
        _refuse_people_or_qualities([name for name in numeric if name not in machine and not _has_role(name)], rows)
        return None
    if not raters and not roles["item"]:
        _refuse_unnamed(table, roles["rater"], [name for name in leaf if name not in ratings])
    sure = sum(10 for key in ("rating", "rater") if key in named) + min(5, len(table.rows))
    sure += max([points("rating", _leaf(name)) for name in ratings], default=0)
    sure += sum(points(role, name) for role, name in roles.items())
    if not raters and "criterion" not in named and _count_repeated(table, roles):
        roles["item"] = _with_turn(table, roles)
        sure -= 10 * bool(roles["rater"] and _count_repeated(table, roles))
    return _Reading(table, roles["item"], roles["rater"], ratings, roles["criterion"], scores, sure)


def _refuse_unnamed(table: RowTable, rater: str, names: Sequence[str]) -> None:
    """Refuse ratings of several people, if it is not known which are of the same item."""
    people = [str(value_at(row, rater)) for row in table.rows] if rater else []
    if len({*people}) < len(people) and len({*people}) > 1:
        listed = ", ".join(map(one_line, names[:6]))
        raise InputError(f"which field names what was rated? Name it with --columns item=NAME, one of {listed}")


def _may_hold_ratings(
    rows: Sequence[Mapping[str, Any]], column: str, criterion: str, of_judges: Container[str] = ()
) -> bool:
    """True if the values of one quality are ratings, or if the name says so and half of the values are: the others are errors."""
    by_quality = _by_criterion(rows, column, criterion)
    is_known = points("person", column) > 0 or points("machine", column) > 0 or column.partition(".")[0] in of_judges
    if any(_are_ratings(values, is_known=is_known) for values in by_quality.values()):
        return True
    flat = [one for values in by_quality.values() for value in values for one in _single(value)]
    is_named = column.startswith("rating:") or points("rating", column) >= 8
    return is_named and 2 * sum(_are_ratings([one]) for one in flat) >= len(flat) > 0


def _heads_of_judges(names: Sequence[str]) -> set[str]:
    """Return the fields with scores of judges: ``judge`` beside what people said, and ``scores`` beside ``ratings``.

    Alone, both may hold what people said.

    Example:
        >>> _heads_of_judges(["human", "judge.ok"]), _heads_of_judges(["judge 1", "judge 2"]), _heads_of_judges(["scores"])
        ({'judge'}, set(), set())
    """
    heads = {name.partition(".")[0] for name in names}
    has_people = any(points("person", each) for each in heads)
    lower = {each.lower() for each in heads}
    return {
        each
        for each in heads
        if (has_people and each.lower() in ("judge", "evaluator")) or (each.lower() == "scores" and "ratings" in lower)
    }


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]


def _one(named: Mapping[str, Sequence[str]], key: str) -> str:
    return named[key][0] if len(named.get(key, ())) == 1 else ""


def _columns_by_stem(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns whose names share all words but one, with that word: ``rater 1`` and ``rater 2``."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        words = [] if "." in name or points("no rating", name) else _WORD.findall(name)
        for at, own in enumerate(words if 1 < len(words) <= _MOST_WORDS else ()):
            groups.setdefault(" ".join(words[:at] + words[at + 1 :]), {})[name] = own
    return {stem: group for stem, group in groups.items() if len(group) > 1}


def _are_people(stem: str, own: Iterable[str]) -> bool:
    """True if columns such as ``rater 1`` and ``annotator_ann`` are one per person, by their names."""
    if stem in _LETTERS:
        return all(word.isdecimal() for word in own)
    is_number = all(word.isdecimal() or len(word) == 1 for word in own)
    return points("rater", stem) >= _SURE and (is_number or not any(map(_has_role, own)))


def _one_per_rater(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the columns that hold the ratings of one person each.

    Raises:
        InputError: they may as well be qualities.
    """
    for stem, group in _columns_by_stem([name for name in names if _may_hold_ratings(rows, name, "")]).items():
        own = group.values()
        if _are_people(stem, own):
            return tuple(group)
        if points("rating", stem) < 8 or _are_qualities(own):
            continue
        if all(word.isdecimal() or len(word) == 1 for word in own) or (stem.islower() and all(map(str.istitle, own))):
            return tuple(group)
        if not any(map(_has_role, own)):
            raise _people_or_qualities(group)
    return ()


def _people_or_qualities(names: Iterable[str]) -> InputError:
    listed = ",".join(names)
    answers = f'--columns "rater={listed}" or --columns "rating={listed}"'
    return InputError(f"are {', '.join(map(one_line, names))} people or qualities? Answer with {answers}")


def _refuse_people_or_qualities(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse columns with pass or fail and names that say nothing."""
    words = {str(each).lower() for name in names for row in rows for each in _single(value_at(row, name))}
    if len(names) > 1 and words and words <= {"pass", "passed", "fail", "failed"}:
        raise _people_or_qualities(names)


def _has_role(word: str) -> bool:
    """True if a word says what a column is about, so it is not the name of a person."""
    return any(
        points(role, word) for role in ("machine", "mark", "person", "item", "rater", "name of a system", "text")
    )


def _weak_rater(table: RowTable, item: str, names: Iterable[str]) -> str:
    """Return a field such as ``user_id`` that tells the rows of each item apart, and holds the same people for most items."""
    count = len({_at(row, item) for row in table.rows})
    for name in names:
        people = {str(value_at(row, name)) for row in table.rows}
        pairs = {(_at(row, item), str(value_at(row, name))) for row in table.rows}
        is_weak = name == "@file" or (name != item and points("rater", _leaf(name)) >= 4)
        if is_weak and count < len(table.rows) == len(pairs) and len(people) <= max(2, len(table.rows) // 2):
            return name
    return ""


def _by_criterion(rows: Sequence[Mapping[str, Any]], column: str, criterion: str) -> dict[str, list[Any]]:
    """Return the values of a column for each quality; for a table without a column of qualities, all under one name."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(str(value_at(row, criterion)) if criterion else "", []).append(value_at(row, column))
    return found


def _by_role(role: str, cells: Mapping[str, Sequence[Any]], least: int, most_of_rater: int = 0) -> str:
    """Return the field whose name has most points for a role, among fields that hold short texts or numbers.

    An item is no text, if another field may be the item, and its name has not more points for the rater.
    """
    ranked = {
        name: points(role, _leaf(name))
        for name, values in cells.items()
        if values
        and all(
            isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) < 80 for value in values
        )
    }
    if role == "item":
        ranked |= {name: 0 for name in ranked if points("rater", _leaf(name)) > max(ranked[name], most_of_rater)}
        plain = {
            name: found
            for name, found in ranked.items()
            if (points("text", _leaf(name)) < 5 or parts_of(name)[-1:] in _IDS)
            and not any(str(each).count(" ") > 2 for each in cells[name])
        }
        ranked = plain if max(plain.values(), default=0) >= least else ranked
    if role == "rater":
        ranked |= {name: 0 for name in ranked if ranked[name] <= _SURE and len({*cells[name]}) == len(cells[name]) > 1}
        ranked |= {name: 0 for name in ranked if points("mark", _leaf(name))}
    best = max(ranked, key=lambda name: ranked[name], default="")
    return best if best and ranked[best] >= least else ""


def _are_ratings(values: Sequence[Any], *, is_known: bool = False) -> bool:
    """True for numbers of a small range, words of a scale, and lists or objects of these. Known scores may be any numbers in it."""
    flat = [one for value in values for one in _single(value)]
    if not flat:
        return False
    numbers = rating_of(flat)
    return (
        numbers is not None
        and all(-5 <= number <= 100 for number in numbers)
        and (is_known or len({*numbers}) <= _MOST_STEPS)
    )


def _single(value: Any) -> Iterator[Any]:
    """Yield the single ratings in a field: of a list, of an object, or of a text with several numbers."""
    if isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        yield from value  # records with ratings, which are a table of their own
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _single(one)
    elif isinstance(value, str) and _NUMBERS.fullmatch(value):
        yield from value.split()
    elif value is not None and str(value).strip().lower() not in _ABSENT:
        yield value


def _are_winners(name: str, rows: Sequence[Mapping[str, Any]], systems: tuple[str, str]) -> bool:
    named = [(value, row) for row in rows if (value := value_at(row, name)) not in (None, "")]
    return (
        bool(named)
        and points("winner", name) > 0
        and all(isinstance(value, str) and _won(value, row, systems) is not None for value, row in named)
    )


def _with_winner(table: RowTable) -> RowTable:
    """Return a table with the column of the winner; it may have a column of 0 and 1 for each outcome, such as ``winner_tie``."""
    names = [name for name in table.columns if parts_of(name)[:1] == ("winner",) and _side(name) is not None]
    if len(names) < 2 or not all(sum(str(row.get(name)) == "1" for name in names) == 1 for row in table.rows):
        return table
    plain = [{key: value for key, value in row.items() if key not in names} for row in table.rows]
    won = [next(name for name in names if str(row.get(name)) == "1") for row in table.rows]
    return table._replace(rows=[{**row, "winner": name} for row, name in zip(plain, won, strict=True)])


def _refuse_numbers(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse the winner of two replies as a number: it may count from 0 or from 1."""
    sides = {parts_of(name)[-1:] for name in names if any(isinstance(row.get(name), str) for row in rows)}
    for name in names if {("1",), ("2",)} <= sides or {("a",), ("b",)} <= sides else ():
        if points("winner", name) and any(isinstance(row.get(name), int | float) for row in rows):
            raise InputError(f"{name} is a number: write a, b or tie for the winner of the two replies")


def _systems_of(names: Sequence[str]) -> tuple[str, str]:
    """Return the columns with the systems of both sides, such as ``model_a`` and ``model_b``, or ``left`` and ``right``."""
    for first, second in (("a", "b"), ("1", "2"), ("left", "right")):
        for name in names:
            other = name[: len(name) - len(first)] + second
            stem = parts_of(name)[:-1]
            is_system = not stem or points("name of a system", stem[-1]) >= 10 or party_of(stem[-1]) == "system"
            if parts_of(name)[-1:] == (first,) and other in names and is_system:
                return name, other
    return "", ""


def _won(winner: str, row: Mapping[str, Any], systems: tuple[str, str]) -> float | None:
    """Return 1 if the first reply won, 0 if the second did, .5 for a tie; None for other words."""
    for system, won in zip(systems, (1.0, 0.0), strict=True):
        if system and winner == row.get(system) != row.get(systems[won == 1.0]):
            return won
    return _side(winner)


def _side(text: str) -> float | None:
    words = parts_of(text)
    return next((_SIDES[word] for word in reversed(words) if word in _SIDES), None)


class _Items:
    """Makes items of the rows of a table."""

    def __init__(
        self, reading: _Reading, parents: Mapping[str, RowTable], fields: Mapping[str, str], notices: list[Notice]
    ) -> None:
        self._reading = reading
        self._texts = _texts_by_item(parents.get(reading.table.path.rpartition(".")[0]), reading.item)
        rows = reading.table.rows
        names = [each for each in reading.table.columns if each not in (*reading.ratings, *reading.scores)]
        self._context = fields.get("context") or _text_field(names, "text", _CONTEXTS)
        self._reply = fields.get("reply") or _text_field(names, "system text", _RESPONSES)
        chats = (each for each in names if _leaf(each) in _TEXTS and isinstance(value_at(rows[0], each), list))
        self._chat = next(chats, "")
        systems = (each for each in names if parts_of(each)[-1:] in (("system",), ("model",)))
        self._system = fields.get("system") or next(systems, "")
        ids = {
            (_at(row, reading.item), str(value_at(row, self._system))) for row in rows if self._system and reading.item
        }
        self._has_several_systems = len({name for name, _ in ids}) < len(ids)
        self._scores = {name: self._scale(rows, name) for name in reading.scores}
        self._numbers: dict[tuple[str, str], Callable[[Any], float]] = {}
        for column in reading.ratings:
            for quality, values in _by_criterion(rows, column, reading.criterion).items():
                if _are_ratings(values) or not reading.criterion:
                    own = [row for row in rows if not quality or str(value_at(row, reading.criterion)) == quality]
                    self._numbers[column, quality] = self._scale(own, column)
                elif any(True for value in values for _ in _single(value)):
                    message = f"{column} of {one_line(quality)} holds no ratings and is not used"
                    notices.append(Notice("reading", len(values), message))

    def _scale(self, rows: Sequence[Mapping[str, Any]], column: str) -> Callable[[Any], float]:
        places = (({"line": row.get("@line"), "dialogue": self._name(row, at)}, row) for at, row in enumerate(rows))
        singles = ((one, place) for place, row in places for one in _single(value_at(row, column)))
        return make_scale(singles, one_line(column))

    def items(self) -> Iterator[RatedItem]:
        """Yield one item per id, with the ratings of all its rows."""
        given: dict[str, list[tuple[str, str, float]]] = {}
        scores: dict[str, dict[str, float]] = {}
        rows: dict[str, Mapping[str, Any]] = {}
        for place, row in enumerate(self._reading.table.rows):
            name = self._name(row, place)
            if self._said(rows.setdefault(name, row)) != self._said(row):
                message = "rows with this id have different texts or systems"
                raise InputError(message, line=row.get("@line"), dialogue=name)
            for column in self._reading.ratings:
                given.setdefault(name, []).extend(self._given(row, column))
            for column in self._reading.scores:
                for each in _single(value_at(row, column)):
                    scores.setdefault(name, {})[column.removeprefix("score:")] = self._scores[column](each)
        for name, first in rows.items():
            yield self._item(name, first, given.get(name, []), scores.get(name, {}))

    def _name(self, row: Mapping[str, Any], place: int) -> str:
        item = self._reading.item
        given = _at(row, item) if "+" in item else value_at(row, item) if item else place
        if given in (None, ""):
            raise InputError(f"a row without an id ({one_line(self._reading.item)})", line=row.get("@line"))
        return f"{given}/{value_at(row, self._system)}" if self._has_several_systems else str(given)

    def _said(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the texts and the system of a row."""
        names = self._context, self._reply, self._chat, "" if self._has_several_systems else self._system
        return tuple(value_at(row, name) for name in names if name)

    def _given(self, row: Mapping[str, Any], column: str) -> Iterator[tuple[str, str, float]]:
        """Yield facet, rater and number of every rating in a field."""
        value, reading = value_at(row, column), self._reading
        quality = str(value_at(row, reading.criterion)) if reading.criterion else ""
        number = self._numbers.get((column, quality))
        if number is None:
            return
        per_rater = reading.rater.split(",") if "," in reading.rater else ()
        facet = "overall" if column in per_rater else quality or _facet(column)
        rater = column if column in per_rater else str(value_at(row, reading.rater)) if reading.rater else ""
        # A person gives one rating, so keys with several ratings are qualities.
        has_qualities = isinstance(value, Mapping) and (
            _are_qualities(value) or all(isinstance(each, Mapping | list) for each in value.values())
        )
        for key, one in value.items() if isinstance(value, Mapping) else [("", value)]:
            for each in _single(one):
                yield (key, rater, number(each)) if has_qualities else (facet, key or rater, number(each))

    def _item(
        self, name: str, row: Mapping[str, Any], given: Sequence[tuple[str, str, float]], scores: dict[str, float]
    ) -> RatedItem:
        chat = value_at(row, self._chat) if self._chat else self._texts.get(str(value_at(row, self._reading.item)))
        moves = _moves(chat)
        reply, context, system = (
            value_at(row, each) if each else None for each in (self._reply, self._context, self._system)
        )
        before = context.split("|||") if isinstance(context, str) and context else context
        before = before if isinstance(before, list) else []
        is_reply = isinstance(reply, str) and not moves
        facets = dict.fromkeys(facet for facet, _, _ in given)
        by_facet = {facet: [(who, number) for each, who, number in given if each == facet] for facet in facets}
        return RatedItem(
            name,
            "reply" if is_reply else "dialogue",
            moves or context_moves([str(each).strip() for each in before]),
            reply if isinstance(reply, str) and is_reply else "",
            system if isinstance(system, str) else "",
            str(row.get("group") or ""),
            {facet: tuple(number for _, number in own) for facet, own in by_facet.items()},
            scores=scores,
            references=(str(row["reference"]),) if row.get("reference") else (),
            raters={
                facet: tuple(who for who, _ in own) for facet, own in by_facet.items() if all(who for who, _ in own)
            },
        )


def _are_qualities(names: Iterable[str]) -> bool:
    """True if one of the keys of an object of ratings is a quality, such as coherence or fluency; otherwise they are people."""
    return any(
        points("rating", name) >= _SURE or (parts_of(name)[-1:] and parts_of(name)[-1].endswith(_QUALITY))
        for name in names
    )


def _facet(column: str) -> str:
    """Return the quality that a column is about; ``overall`` if its name only says rating."""
    leaf = column.rpartition(".")[2].removeprefix("rating:")
    return (
        leaf if any(not points("mark", word) and not points("person", word) for word in parts_of(leaf)) else "overall"
    )


def _text_field(names: Sequence[str], role: str, words: Iterable[str]) -> str:
    """Return the field that holds the text of a role."""
    leaves = {name: _leaf(name) for name in names}
    exact = next((name for word in words for name, leaf in leaves.items() if leaf.lower() == word), "")
    return exact or max(
        (name for name in names if points(role, leaves[name]) > 4 and parts_of(name)[-1:] not in _IDS),
        key=lambda name: points(role, leaves[name]),
        default="",
    )


def _texts_by_item(parent: RowTable | None, item: str) -> dict[str, Any]:
    """Return the messages of every item, if the ratings are a list inside of the record that has them."""
    if parent is None or not item:
        return {}
    return {str(value_at(row, item)): value for row in parent.rows for key, value in row.items() if key in _TEXTS}


def _moves(messages: Any) -> tuple[Move, ...]:
    """Return the moves of a list of messages; empty for anything else."""
    if isinstance(messages, list) and messages and all(isinstance(each, str) for each in messages):
        return context_moves(messages)
    said = messages_of(messages) or []
    return dialogue_moves((each["role"], text_of(each.get("content"))) for each in said)


def _grid_table(table: RowTable, notices: list[Notice]) -> RowTable | None:
    """Return the rows of a form whose headings are ``item [quality]``, with one row per item, quality and person.

    With one word before the brackets, the words inside are the items.
    """
    heads = _heads(table.columns)
    if len(heads) < 2:
        return None
    outer = {item for item, _ in heads.values()}
    answers = [*dropwhile(lambda row: not any(_are_ratings([row.get(name)]) for name in heads), table.rows)]
    if 0 < len(answers) < len(table.rows):
        count = len(table.rows) - len(answers)
        notices.append(Notice("reading", count, f"{count} lines below the headings hold no ratings and are left out"))
    rater = max(
        (name for name in table.columns if name not in heads), key=lambda name: points("rater", name), default=""
    )
    rows = [
        {
            "item": item if len(outer) > 1 else inner,
            "rater": row.get(rater) or str(place),
            "criterion": inner if len(outer) > 1 else item,
            "rating": row.get(name),
        }
        for place, row in enumerate(answers)
        for name, (item, inner) in heads.items()
    ]
    return RowTable(f"{table.path}[grid]", rows)


def _pair_table(table: RowTable, fields: Mapping[str, str]) -> RowTable | None:
    """Return the rows of comparisons of two replies, with one row per reply: 1 if it won, 0 if it lost, .5 for a tie."""
    table = _with_winner(table)
    names = table.columns
    cells = {name: [value for row in table.rows if (value := value_at(row, name)) not in (None, "")] for name in names}
    systems = _systems_of(names)
    winners = (
        [fields["winner"]]
        if "winner" in fields
        else [name for name in names if _are_winners(name, table.rows, systems)]
    )
    if len({tuple(str(value_at(row, name)) for row in table.rows) for name in winners}) > 1:
        answers = " or ".join(f"--columns winner={one_line(name)}" for name in winners)
        raise InputError(f"which field is the winner: {' or '.join(map(one_line, winners))}? Answer with {answers}")
    winner = winners[0] if winners else ""
    if not winner and not {*_PAIR} <= {*names}:
        _refuse_numbers(names, table.rows)
        return None
    item, rater = (
        fields[role] if fields.get(role) in names else _by_role(role, cells, _ROLES[role]) for role in ("item", "rater")
    )
    context = fields.get("context") or _text_field(names, "text", _CONTEXTS)
    texts = [
        (row.get(context), *(row.get(own) or _of_side(row, side) for side, own in zip("ab", _PAIR, strict=True)))
        for row in table.rows
    ]
    if not item and not any(any(each[1:]) for each in texts):
        _refuse_unnamed(table, rater, names)
    rows: list[dict[str, Any]] = []
    same: dict[str, int] = {}
    for place, row in enumerate(table.rows):
        name = str(row.get(item, place) if item else same.setdefault(str(texts[place]), place))
        won = _won(str(value_at(row, winner)), row, systems) if winner else 1.0
        if won is None:
            raise InputError(
                f"{winner} must name a winner, found {one_line(str(value_at(row, winner)), 40)!r}", dialogue=name
            )
        for side, own, column, value in (("a", _PAIR[0], systems[0], won), ("b", _PAIR[1], systems[1], 1 - won)):
            system, text = str(row.get(column) or ""), row.get(own) or _of_side(row, side)
            moves = _moves(text)
            said = (
                [move.text for move in moves] if moves else [*([row[context]] if row.get(context) else []), str(text)]
            )
            given = {"item": f"{name}/{system or side}", "group": name, "context": said[:-1], "reply": said[-1]}
            rows.append(
                {**given, "system": system, "preference": value, "rater": row.get(rater), "@line": row.get("@line")}
            )
    return RowTable(f"{table.path}[pairs]", rows)


def _of_side(row: Mapping[str, Any], side: str) -> Any:
    """Return the text of one of two replies, such as ``response_a``."""
    return next(
        (value for key, value in row.items() if parts_of(key)[-1:] == (side,) and parts_of(key)[0] != "model"), ""
    )


class _Adapter(NamedTuple):
    """A vendor's layout that general rules cannot read: its name, detection of a parsed file, and its ratings as plain rows."""

    name: str
    detect: Callable[[Any], bool]
    rows: Callable[[Any], Iterator[dict[str, Any]]]


def _first(tree: Any) -> Mapping[str, Any]:
    first = tree[0] if isinstance(tree, list) and tree else tree
    return first if isinstance(first, Mapping) else {}


def _label_studio(tree: Any) -> Iterator[dict[str, Any]]:
    for task in tree:
        for annotation in task["annotations"]:
            for result in annotation.get("result", ()):
                value = result.get("value", {})
                rating = next((value[key] for key in ("rating", "number", "choices", "selected") if key in value), None)
                rating = rating[0] if isinstance(rating, list) and len(rating) == 1 else rating
                who = annotation.get("completed_by")
                who = who.get("email") or who.get("id") if isinstance(who, Mapping) else who
                row = {**task.get("data", {}), "item": task.get("id"), "rater": str(who)}
                is_pair = "selected" in value
                yield row | (
                    {"winner": rating} if is_pair else {"criterion": result.get("from_name"), "rating": rating}
                )


def _argilla(tree: Any) -> Iterator[dict[str, Any]]:
    for record in tree:
        answers, suggested = record.get("responses"), record.get("suggestions") or {}
        if answers is None:
            given = [
                (key.removesuffix(".responses"), {"value": value, "user_id": user, "status": status})
                for key, values in record.items()
                if key.endswith(".responses") and isinstance(values, list)
                for value, user, status in zip_longest(
                    values, *(record.get(f"{key}.{each}") or () for each in ("users", "status"))
                )
            ]
        elif isinstance(answers, list):
            given = [
                (key, {**answer, **value}) for answer in answers for key, value in (answer.get("values") or {}).items()
            ]
        else:
            given = [(key, answer) for key, each in answers.items() for answer in each]
        if isinstance(suggested, list):
            suggested = {each.get("question_name"): each for each in suggested}
        fields = record.get("fields") or {key: value for key, value in record.items() if "." not in key}
        for criterion, answer in given:
            if answer.get("status") not in ("discarded", "draft"):
                row = {**fields, "item": record.get("id"), "rater": answer.get("user_id")}
                row |= {"criterion": criterion, "rating": answer.get("value")}
                value = (suggested.get(criterion) or {}).get("value")
                yield row | ({f"suggestion {criterion}": value} if isinstance(value, int | float) else {})


def _prodigy(tree: Any) -> Iterator[dict[str, Any]]:
    for task in tree:
        accepted = task.get("accept")
        rating = (
            accepted[0]
            if isinstance(accepted, list) and accepted
            else {"accept": "pass", "reject": "fail"}.get(task.get("answer"))
        )
        yield {
            **{key: value for key, value in task.items() if isinstance(value, str) and key not in ("answer", "label")},
            "item": task.get("_input_hash", task.get("text")),
            "rater": str(task.get("_annotator_id", task.get("_session_id"))),
            "rating": rating,
        }


_ADAPTERS = (
    _Adapter("label-studio", lambda tree: {"annotations", "data"} <= _first(tree).keys(), _label_studio),
    _Adapter(
        "argilla",
        lambda tree: (
            {"fields", "responses"} <= _first(tree).keys()
            or any(key.endswith(".responses.users") for key in _first(tree))
        ),
        _argilla,
    ),
    _Adapter("prodigy", lambda tree: {"_input_hash", "_session_id"} <= _first(tree).keys(), _prodigy),
)
