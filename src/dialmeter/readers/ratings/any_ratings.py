"""Ratings of people in records of any layout: rows per rating, columns of qualities or raters, forms, and exports of annotation tools.

Every layout is brought to rows of item, rater, quality and value. Values are numbers, marks such as pass and fail, words of a known
scale, or the winner of two. What was inferred is said as ``--columns``, which also answers questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, nan
from statistics import fmean
from typing import Any, NamedTuple

from ...errors import InputError, did_you_mean, one_line
from ...model import SYSTEM, USER, Move
from ..csv_files import number_or_nan
from ..records.logs import messages_of
from ..records.names import parts_of, points
from ..records.tables import SAMPLE, RowTable, tables_of, value_at
from .rated_item import RatedItem, RatedItems

_SCALES = (
    "strongly disagree|disagree|neither agree nor disagree,neutral,neither,undecided|agree|strongly agree",
    "strongly disagree|disagree|somewhat disagree,slightly disagree|neither agree nor disagree,neutral,neither|somewhat agree,slightly agree|agree|strongly agree",
    "strongly disagree|somewhat disagree|neither agree nor disagree,neutral,neither|somewhat agree|strongly agree",
    "very dissatisfied|dissatisfied|neutral,neither satisfied nor dissatisfied|satisfied|very satisfied",
    "very poor|poor|fair,average,acceptable,ok|good|very good",
    "very bad|bad|neutral,average,ok,okay,fair|good|very good",
    "bad|poor|fair|good|excellent",
    "poor|fair|good|very good|excellent",
    "never|rarely|sometimes|often|always",
    "not at all|slightly|moderately|very|extremely",
    "very unlikely|unlikely|neutral|likely|very likely",
    "very low|low|medium|high|very high",
    "stimme gar nicht zu,stimme überhaupt nicht zu|stimme eher nicht zu,stimme nicht zu|teils teils,neutral,weder noch|stimme eher zu,stimme zu|stimme voll zu,stimme voll und ganz zu",
    "pas du tout d accord|pas d accord|neutre,ni d accord ni pas d accord|d accord|tout à fait d accord",
)
"""Words of scales, from 1 on; a comma separates words for the same step."""
_MARKS: Mapping[str, float] = {
    **dict.fromkeys(["pass", "passed", "yes", "y", "true", "accept", "accepted", "correct", "valid", "safe", "appropriate", "acceptable", "helpful", "thumbs_up", "up", "👍", "ja", "oui"], 1.0),
    **dict.fromkeys(["fail", "failed", "no", "n", "false", "reject", "rejected", "incorrect", "invalid", "unsafe", "inappropriate", "unacceptable", "unhelpful", "thumbs_down", "down", "👎", "nein", "non"], 0.0),
}  # fmt: skip
_BLANK = frozenset(("", "none", "null", "n/a", "na", "nan", "ignore", "skip", "skipped", "-"))
_TIE = frozenset(
    [
        "tie",
        "ties",
        "draw",
        "equal",
        "both",
        "same",
        "neither",
        "tie_both_bad",
        "tie_(bothbad)",
        "bothbad",
        "both_bad",
        "no_preference",
        "unentschieden",
    ]
)
_SIDES = (
    frozenset(
        [
            "a",
            "model_a",
            "system_a",
            "response_a",
            "assistant_a",
            "output_a",
            "left",
            "first",
            "1",
            "model_1",
            "response_1",
            "chosen",
            "option_a",
        ]
    ),
    frozenset(
        [
            "b",
            "model_b",
            "system_b",
            "response_b",
            "assistant_b",
            "output_b",
            "right",
            "second",
            "2",
            "model_2",
            "response_2",
            "rejected",
            "option_b",
        ]
    ),
)
_QUALITY = re.compile(r"(?:ness|ity|cy|ance|ence|tion|sion|ment|ing|able|ible|ful|al|ive|ous|ship|ism)$")
_QUALITIES = frozenset(
    [
        "accuracy",
        "brief",
        "clear",
        "clarity",
        "concise",
        "correct",
        "depth",
        "detail",
        "empathy",
        "fact",
        "facts",
        "fun",
        "grammar",
        "harm",
        "human",
        "humor",
        "humour",
        "length",
        "natural",
        "logic",
        "on",
        "topic",
        "polite",
        "quality",
        "safe",
        "safety",
        "sense",
        "specific",
        "style",
        "tone",
        "trust",
        "truth",
        "understood",
        "useful",
        "warm",
    ]
)
_NUMBERED = re.compile(
    r"(?:[a-z]{1,3}|rater|annotator|judge|worker|evaluator|expert|person|subject|participant)[ _-]?(?:\d{1,3}|[a-z])?",
    re.IGNORECASE,
)
_GRID = re.compile(r"(.+?)\s*\[(.+)\]\s*")
_LEADING = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:[-–:=(/,.].*|\D.*)")
_MOST_VALUES = 21
_Row = Mapping[str, Any]


class Rating(NamedTuple):
    """One rating as written."""

    item: str
    rater: str
    quality: str
    value: Any
    record: _Row


class _Found(NamedTuple):
    """Ratings of a file, and the text of ``--columns`` that names how they were read."""

    ratings: list[Rating]
    columns: str
    models: tuple[str, str] = ("", "")


def read_ratings(tree: Any, fields: Mapping[str, str]) -> RatedItems | None:
    """Return the rated items of a parsed file; None if it holds no ratings of people.

    Raises:
        InputError: it does, and a question must be answered first.
    """
    tables = [table for table in tables_of(tree) if table.rows]
    found = None
    for read in (_prodigy, _label_studio, _argilla, _form, _pairs, _rows, _nested, _columns_of_raters):
        for table in tables:
            found = found or read(table, fields)
    if found is None or not found.ratings:
        return None
    return _items(found, fields)


def _items(found: _Found, fields: Mapping[str, str]) -> RatedItems:
    qualities = list(dict.fromkeys(each.quality for each in found.ratings))
    wanted = fields.get("rating", "")
    order = wanted.partition(":")[2].split("|") if ":" in wanted else []
    values: dict[tuple[str, str], list[float]] = {}
    records = {each.item: each.record for each in found.ratings}
    wins: dict[str, list[float]] = {}
    for quality in qualities:
        chosen = [each for each in found.ratings if each.quality == quality and _word(each.value) not in _BLANK]
        if found.models[0] or (quality == "winner" and chosen and _side_of(chosen[0]) is not None):
            scores: list[float] = [
                side if (side := _side_of(each, found.models)) is not None else 0.5 for each in chosen
            ]
            for each, score in zip(chosen, scores, strict=True):
                for model, share in zip(found.models, (score, 1 - score), strict=True):
                    if name := value_at(each.record, model) if model else None:
                        wins.setdefault(str(name), []).append(share)
        else:
            scores = _numbers([each.value for each in chosen], quality, order)
        for each, score in zip(chosen, scores, strict=True):
            values.setdefault((each.item, quality), []).append(score)
    made = [
        _item(name, record, {quality: tuple(values.get((name, quality), ())) for quality in qualities})
        for name, record in records.items()
    ]
    raters = {each.rater for each in found.ratings if each.rater and _word(each.value) not in _BLANK}
    return RatedItems(
        tuple(made),
        raters=len(raters),
        columns=found.columns,
        wins={name: fmean(shares) for name, shares in wins.items()},
    )


def _item(name: str, record: _Row, ratings: dict[str, tuple[float, ...]]) -> RatedItem:
    """Return a rated item with the text that its record has."""
    listed = next(
        (found for value in record.values() if isinstance(value, list | str) and (found := messages_of(value))), None
    )
    if listed is None and isinstance(record.get("fields", record.get("data")), Mapping):
        inner = record.get("fields", record.get("data"))
        listed = next((found for value in inner.values() if (found := messages_of(value))), None)
    moves = tuple(
        Move(USER if each["role"] in ("user", "human", "customer") else SYSTEM, str(each.get("content") or ""))
        for each in listed or ()
    )
    reply = next(
        (
            str(record[key])
            for key in ("reply", "response", "output", "answer", "text")
            if isinstance(record.get(key), str)
        ),
        "",
    )
    system = next((str(record[key]) for key in ("system", "model", "bot") if isinstance(record.get(key), str)), "")
    if moves and not reply:
        return RatedItem(name, "dialogue", moves, "", system, "", ratings)
    return RatedItem(name, "reply", moves, reply, system, "", ratings)


# Values


def _word(value: Any) -> str:
    return re.sub(r"[\s-]+", "_", str(value).strip().lower())


def _plain(value: Any) -> str:
    return " ".join(re.findall(r"[^\W_]+", str(value).lower()))


def _scale(words: Iterable[str]) -> list[dict[str, float]]:
    """Return the scales that have all words, as word → step."""
    wanted = set(words)
    scales = [
        {_plain(word): float(step) for step, names in enumerate(text.split("|"), 1) for word in names.split(",")}
        for text in _SCALES
    ]
    return [scale for scale in scales if wanted <= scale.keys()]


def _is_value(value: Any) -> bool:
    """True for a number of a rating scale, and for a word of a known scale."""
    if isinstance(value, bool):
        return True
    number = number_or_nan(str(value)) if isinstance(value, str | int | float) else nan
    if isfinite(number):
        return -5 <= number <= 100
    return isinstance(value, str) and (
        _word(value) in _MARKS or bool(_scale([_plain(value)])) or _word(value) in _BLANK
    )


def _are_values(values: Sequence[Any]) -> bool:
    filled = [value for value in values if _word(value) not in _BLANK]
    return bool(filled) and all(map(_is_value, filled)) and len({*map(str, filled)}) <= _MOST_VALUES


def _numbers(values: Sequence[Any], quality: str, order: Sequence[str]) -> list[float]:
    """Return ratings as numbers.

    Raises:
        InputError: words whose order is not known.
    """
    if order:
        steps = {_plain(word): float(step) for step, word in enumerate(order, 1)}
        unknown = next((value for value in values if _plain(value) not in steps), None)
        if unknown is not None:
            raise InputError(f"{one_line(quality)}: {one_line(str(unknown), 40)!r} is not among {', '.join(order)}")
        return [steps[_plain(value)] for value in values]
    plain = [
        float(value) if isinstance(value, bool | int | float) else number_or_nan(str(value).replace(",", ".", 1))
        for value in values
    ]
    if all(map(isfinite, plain)):
        return plain
    if all(_word(value) in _MARKS for value in values):
        return [_MARKS[_word(value)] for value in values]
    scales = _scale(map(_plain, values))
    scales = [scale for scale in scales if max(scale.values()) == min(max(each.values()) for each in scales)]
    readings = {tuple(scale[_plain(value)] for value in values) for scale in scales}
    if len(readings) == 1:
        return list(readings.pop())
    leading = [match for value in values if (match := _LEADING.fullmatch(str(value).strip()))]
    if len(leading) == len(values):
        return [float(match[1]) for match in leading]
    words = sorted({str(value) for value in values})
    shown = "|".join(one_line(word, 30) for word in words[:7])
    raise InputError(
        f"{one_line(quality)} is rated in words whose order is not known: {', '.join(words[:7])}; write it from the lowest to the "
        f'highest, as in --columns "rating={one_line(quality)}:{shown}"'
    )


# Layouts


def _find(table: RowTable, names: Iterable[str], role: str, least: int, allow: Callable[[Sequence[Any]], bool]) -> str:
    """Return the column with the best name for a role whose values are allowed."""
    best, most = "", least - 1
    for name in names:
        found = points(role, name.rpartition(".")[2].lstrip("^"))
        if found > most and allow([value_at(row, name) for row in table.rows[:SAMPLE]]):
            best, most = name, found
    return best


def _are_ids(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str | int) and not isinstance(value, bool) and value != "" for value in values)


def _are_few(values: Sequence[Any]) -> bool:
    return _are_ids(values) and len({*values}) <= 20 and max(len(str(value)) for value in values) <= 60


def _item_column(table: RowTable, taken: Iterable[str], fields: Mapping[str, str]) -> str:
    if name := fields.get("item"):
        if name not in table.columns:
            raise InputError(
                f"no field {one_line(name)!r} (--columns item={one_line(name)}); {did_you_mean(name, table.columns)}"
            )
        return name
    names = [name for name in table.columns if name not in taken and not points("rater", name) > points("item", name)]
    if "@key" in table.rows[0] and not any(points("item", name) >= 8 for name in names):
        return "@key"
    return _find(
        table,
        names,
        "item",
        2,
        lambda values: _are_ids(values) and not all(isinstance(value, str) and len(value) > 200 for value in values),
    )


def _rows(table: RowTable, fields: Mapping[str, str]) -> _Found | None:
    """Rows with an item, a rater, and one rating (with its quality) or several."""
    names = [name for name in table.columns if name.count(".") < 2]
    rater = fields.get("rater") or _find(table, names, "rater", 5, _are_ids)
    if not rater or rater not in names:
        return None
    item = _item_column(table, (rater,), fields)
    if not item:
        return None
    keys: list[tuple[Any, ...]] = [(value_at(row, item), value_at(row, rater)) for row in table.rows]
    criterion = fields.get("criterion", "")
    if len({*keys}) < len(keys) and not criterion:
        others = [name for name in names if name not in (item, rater)]
        criterion = _find(
            table, others, "criterion", 5, lambda values: _are_few(values) and len({*values}) < len(values)
        )
    if criterion:
        keys = [(*key, value_at(row, criterion)) for key, row in zip(keys, table.rows, strict=True)]
    if len({*keys}) < len(keys):
        return None
    columns = [
        name for name in names if name not in (item, rater, criterion) and "." not in name and not name.startswith("@")
    ]
    wanted = fields.get("rating", "").partition(":")[0]
    ratings = [wanted] if wanted else _rating_columns(table, columns)
    if not ratings:
        return None
    if criterion:
        rating = max(ratings, key=lambda name: points("rating", name))
        rows = [
            Rating(
                str(value_at(row, item)),
                str(value_at(row, rater)),
                str(value_at(row, criterion)),
                value_at(row, rating),
                row,
            )
            for row in table.rows
        ]
        return _Found(rows, f"rows={table.path} item={item} rater={rater} criterion={criterion} rating={rating}")
    rows = [
        Rating(str(value_at(row, item)), str(value_at(row, rater)), name, value_at(row, name), row)
        for row in table.rows
        for name in ratings
    ]
    return _Found(rows, f"rows={table.path} item={item} rater={rater} rating={','.join(ratings)}")


def _rating_columns(table: RowTable, names: Sequence[str]) -> list[str]:
    """Return the columns with ratings: those with a name of ratings, or else all that hold values of a scale."""
    values = {name: [row.get(name) for row in table.rows] for name in names}
    filled = [name for name in names if _are_values(values[name])]
    free = [
        name
        for name in filled
        if not any(points(role, name) >= 6 for role in ("turn", "dialogue", "trial", "item", "task"))
    ]
    free = [
        name
        for name in free
        if not {*parts_of(name)}
        & {*["id", "age", "time", "seconds", "duration", "index", "timestamp", "minutes", "gender", "sex"]}
    ]
    named = [name for name in free if points("rating", name) >= 4 or _is_quality(name)]
    words = [
        name
        for name in names
        if name not in filled
        and points("rating", name) >= 7
        and _are_few([value for value in values[name] if _word(value) not in _BLANK] or [""])
    ]
    return named or free or words


def _is_quality(name: str) -> bool:
    words = parts_of(name)
    return any(
        word in _QUALITIES or points("rating", word) >= 7 or (len(word) > 5 and _QUALITY.search(word)) for word in words
    )


def _columns_of_raters(table: RowTable, fields: Mapping[str, str]) -> _Found | None:
    """Rows with an item and a column for each rater."""
    item = _item_column(table, (), fields)
    if not item:
        return None
    given = fields.get("rater", "").split("|") if "|" in fields.get("rater", "") else []
    names = [name for name in table.rows[0] if name != item and not name.startswith("@")]
    values = [name for name in names if _are_values([row.get(name) for row in table.rows])]
    values = [
        name
        for name in values
        if not any(points(role, name) >= 6 for role in ("turn", "dialogue", "trial", "item", "task", "outcome"))
    ]
    raters = given or [
        name for name in values if points("rater", re.sub(r"[\W\d_]+$", "", name)) >= 6 or points("rater", name) >= 8
    ]
    if len(raters) < 2:
        is_clean = (
            len(values) == len(names)
            and len(values) > 1
            and not any(_is_quality(name) or points("pred", name) > 3 or points("gold", name) > 3 for name in values)
        )
        raters = values if is_clean and all(len(parts_of(name)) <= 3 for name in values) else []
    if len(raters) < 2 or len({str(value_at(row, item)) for row in table.rows}) < len(table.rows):
        return None
    prefix = {name: re.sub(r"^(?:rating|score)s?[_ -]|[_ -](?:rating|score)$", "", name) for name in raters}
    rows = [
        Rating(str(value_at(row, item)), prefix[name], "rating", row.get(name), row)
        for row in table.rows
        for name in raters
    ]
    return _Found(rows, f"rows={table.path} item={item} rater={'|'.join(raters)}")


def _nested(table: RowTable, fields: Mapping[str, str]) -> _Found | None:
    """Records with ratings by rater, by quality, or by both in a field."""
    fields_of = [
        name
        for name in table.rows[0]
        if _points_of_field(name) and any(isinstance(row.get(name), dict) for row in table.rows)
    ]
    item = _item_column(table, fields_of, fields)
    if not fields_of or not item:
        return None
    name = max(fields_of, key=_points_of_field)
    rows = []
    for row in table.rows:
        value = row.get(name)
        for outer, inner in value.items() if isinstance(value, dict) else ():
            pairs = (
                inner.items()
                if isinstance(inner, dict)
                else enumerate(inner)
                if isinstance(inner, list)
                else [("", inner)]
            )
            rows += [(row, str(outer), str(key) if isinstance(inner, dict) else key, each) for key, each in pairs]
    if not rows or not _are_values([each for _, _, _, each in rows]):
        return None
    outers = list(dict.fromkeys(outer for _, outer, _, _ in rows))
    if any(isinstance(key, int) for _, _, key, _ in rows):
        found = [Rating(str(value_at(row, item)), f"#{key}", outer, each, row) for row, outer, key, each in rows]
        return _Found(found, f"rows={table.path} item={item} rating={name}")
    is_deep = any(key for _, _, key, _ in rows)
    inners = list(dict.fromkeys(str(key) for _, _, key, _ in rows))
    if is_deep:
        by_quality = sum(map(_is_quality, outers)) * len(inners) > sum(map(_is_quality, inners)) * len(outers)
        found = [
            Rating(
                str(value_at(row, item)),
                str(key) if by_quality else outer,
                outer if by_quality else str(key),
                each,
                row,
            )
            for row, outer, key, each in rows
        ]
        return _Found(found, f"rows={table.path} item={item} rating={name}")
    if any(map(_is_quality, outers)):
        return None
    found = [Rating(str(value_at(row, item)), outer, name, each, row) for row, outer, _, each in rows]
    return _Found(found, f"rows={table.path} item={item} rater={name}")


def _points_of_field(name: str) -> int:
    words = {*parts_of(name)}
    return (
        9
        if words & {"ratings", "scores", "votes"}
        else 8
        if words & {"annotations", "judgments", "judgements", "annotators", "raters"}
        else 0
    )


def _side_of(rating: Rating, models: tuple[str, str] = ("", "")) -> float | None:
    """Return 1 if the first of two won, 0 for the second, .5 for a tie; None for other words."""
    word = _word(rating.value)
    if word in _TIE:
        return 0.5
    for side, score in ((0, 1.0), (1, 0.0)):
        if models[side] and word == _word(value_at(rating.record, models[side])):
            return score
        if re.sub(r"_?(?:wins?|better|is_better)$", "", word) in _SIDES[side]:
            return score
    return None


def _pairs(table: RowTable, fields: Mapping[str, str]) -> _Found | None:
    """Rows that compare two replies: the winner, or the chosen and the rejected one."""
    names = list(table.rows[0])
    models = tuple(next((name for name in names if _is_model_of(name, side)), "") for side in (0, 1))
    item = _item_column(table, models, fields)
    if {"chosen", "rejected"} <= {*names}:
        models = tuple(
            next((name for name in names if name.startswith(side) and "model" in name), "")
            for side in ("chosen", "rejected")
        )
        rows = [
            Rating(str(value_at(row, item)) if item else str(place), "", "winner", "a", row)
            for place, row in enumerate(table.rows)
        ]
        return _Found(rows, f"rows={table.path} winner=chosen", (models[0], models[1]))
    winner = fields.get("winner") or next(
        (
            name
            for name in names
            if {*parts_of(name)}
            & {*["winner", "preference", "preferred", "better", "choice", "vote", "verdict", "judgment", "judgement"]}
        ),
        "",
    )
    if not winner or not item:
        return None
    rater = fields.get("rater") or _find(
        table, [name for name in names if name not in (item, winner)], "rater", 4, _are_ids
    )
    rows = [
        Rating(str(value_at(row, item)), str(value_at(row, rater)) if rater else "", winner, value_at(row, winner), row)
        for row in table.rows
    ]
    given = [each for each in rows if _word(each.value) not in _BLANK]
    pair = (models[0], models[1])
    if (
        not given
        or any(_side_of(each, pair) is None for each in given)
        or not (models[0] or "winner" in winner or _has_two(names))
    ):
        return None
    return _Found(
        [each._replace(quality="winner") for each in rows],
        f"rows={table.path} item={item} {f'rater={rater} ' if rater else ''}winner={winner}",
        pair,
    )


def _is_model_of(name: str, side: int) -> bool:
    return (
        _word(name) in _SIDES[side] and name.lower().startswith(("model", "system", "assistant"))
    ) or name.lower() in (("left_model", "right_model")[side],)


def _has_two(names: Sequence[str]) -> bool:
    return all(any(re.search(rf"[_ ]{side}$", name.lower()) for name in names) for side in "ab")


def _form(table: RowTable, fields: Mapping[str, str]) -> _Found | None:
    """Answers of a form: a row per person, and columns ``Item [quality]``."""
    grid = {name: match for name in table.rows[0] if (match := _GRID.fullmatch(name))}
    if len(grid) < 2:
        return None
    rater = fields.get("rater") or _find(
        table, [name for name in table.rows[0] if name not in grid], "rater", 2, _are_ids
    )
    rows = [
        Rating(match[1], str(row.get(rater) if rater else place), match[2], row.get(name), {})
        for name, match in grid.items()
        for place, row in enumerate(table.rows)
    ]
    return _Found(rows, f"rows={table.path} item=[grid] rater={rater or '@row'}")


def _argilla(table: RowTable, _: Mapping[str, str]) -> _Found | None:
    rows = []
    for place, row in enumerate(table.rows):
        responses = row.get("responses")
        by_question = responses.items() if isinstance(responses, dict) else ()
        answers: list[tuple[Any, ...]] = [
            (question, each.get("user_id"), each.get("value"))
            for question, listed in by_question
            if isinstance(listed, list)
            for each in listed
        ]
        for each in responses if isinstance(responses, list) else ():
            answers += [
                (question, each.get("user_id"), value.get("value") if isinstance(value, dict) else value)
                for question, value in (each.get("values") or {}).items()
            ]
        rows += [Rating(str(row.get("id", place)), str(who), question, value, row) for question, who, value in answers]
    return _Found(rows, f"rows={table.path} answers") if rows else None


def _label_studio(table: RowTable, _: Mapping[str, str]) -> _Found | None:
    rows = []
    for place, row in enumerate(table.rows):
        for each in row.get("annotations", ()) if isinstance(row.get("annotations"), list) else ():
            who = each.get("completed_by") if isinstance(each, dict) else None
            results = each.get("result") if isinstance(each, dict) and not each.get("was_cancelled") else None
            for one in results if isinstance(results, list) else ():
                value = one.get("value") or {}
                given = next((value[key] for key in ("rating", "number", "choices") if key in value), None)
                given = given[0] if isinstance(given, list) and given else given
                if given is not None:
                    name = who.get("email", who.get("id")) if isinstance(who, dict) else who
                    rows.append(Rating(str(row.get("id", place)), str(name), str(one.get("from_name")), given, row))
    return _Found(rows, f"rows={table.path} annotations of Label Studio") if rows else None


def _prodigy(table: RowTable, _: Mapping[str, str]) -> _Found | None:
    if not {"_input_hash", "answer"} <= table.rows[0].keys():
        return None
    rows = []
    for row in table.rows:
        who = str(row.get("_annotator_id", row.get("_session_id", "")))
        chosen = row.get("accept")
        value = (
            chosen[0] if isinstance(chosen, list) and len(chosen) == 1 and row["answer"] == "accept" else row["answer"]
        )
        rows.append(Rating(str(row["_input_hash"]), who, str(row.get("label", "answer")), value, row))
    return _Found(rows, f"rows={table.path} item=_input_hash rater=_annotator_id rating=answer")
