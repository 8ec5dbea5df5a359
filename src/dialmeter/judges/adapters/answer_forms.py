"""Parse a score from the answer of a language model.

A number counts only if it is clearly the score. Otherwise, there is no score, and an error gives the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import exp, fsum
from typing import Any, NamedTuple, TypeAlias

from ...core.endpoint import AnswerToken
from ...errors import UnreadableAnswer, one_line
from ...garbage import paused_garbage_collection

Scale: TypeAlias = tuple[int, int]

FORMS = ("json", "labelled", "last", "letters", "logprobs")
HIGHEST_LOGPROBS = 9

_REASONING = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
_TAG = re.compile(rf"<(?P<close>/?)\|?(?P<tag>{_REASONING})\|?>", re.IGNORECASE)

_WORDS = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten".split())}  # noqa: SIM905
_WORD = rf"(?<![^\W_])(?:{'|'.join(_WORDS)})(?![^\W_])"
_AMOUNT = rf"(?:\d+(?:\.\d+)?|{_WORD})"
_UNIT = r"(?:stars?\b|points?\b|marks?\b|pts\b|[分点점星★⭐🌟]\ufe0f?)"
_NUMBER = rf"(?:[-+]?\d+(?:\.\d+|,\d\d?)?|{_WORD})(?![^\W_分点점星]|[.,:]\d|[,;]\s*\d+\s*(?:$|[.\n]))"
_NOT_COUNTING = r"stars|points|marks|pts|as|is|this|its|thus|was|has|does|always|plus|minus"
_LAST_NUMBER = re.compile(rf"(?<![\w.,])(?P<number>{_NUMBER})(?P<other>\s*\x00)?", re.IGNORECASE)
_MARKS = r"[*_`\"')]*"

# Mentions of a scale. Those of the judge's own scale are removed, and others are replaced by a character: \x00 for another
# maximum ("out of 10", "%"), and \x01 for another range ("1 to 10").
_OTHER_SCALE = re.compile(r"\bscale\b[^\w\n\x01]*(?:\w+[^\S\n]+){0,2}\x01|\x01[^\S\n]*scale\b", re.IGNORECASE)
_RANGE = re.compile(
    rf"(?P<before>(?:\bon\s+a\s+scale\s+)?(?:\b(?:from|between|of)\s+)?)(?<![\w.,])(?P<low>{_AMOUNT})[^\S\n]*(?:[-–—~]|\b(?:to|and|or|through)\b)[^\S\n]*"
    rf"(?P<high>{_AMOUNT})(?![a-zA-Z\d]|[.,]\d)",
    re.IGNORECASE,
)
_MAXIMUM = re.compile(
    rf"(?:\bout\s+of|\bscale\s+of|\bmax(?:imum)?\b(?:\s+(?:score|rating|points|of|is))*[:=]?|满分[为是]?:?"
    rf"|(?<=[\d分点점]){_MARKS}\s*\(?(?:/|of\b))\s*{_MARKS}(?P<high>{_AMOUNT})(?![a-zA-Z\d]|[.,]\d)[分点점]?"
    r"|(?<=\d)\s*(?:%|percent\b|per\s+cent\b)",
    re.IGNORECASE,
)
_STARS = re.compile(r"(?:[★⭐🌟☆✩✰]\ufe0f?){2,}")
_PLAIN = {0: 32, 1: 32, ord("−"): ord("-"), **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}}
"""Full-width signs and digits, as in Chinese text, become ASCII."""

_LIST_MARKER = re.compile(
    r"^[^\S\n]*(?:[-*•][^\S\n]*)?(?:\(?\d+[.)](?!\d)|#+\s*\d+[.)]?|step\s+\d+:?)(?=\s)", re.MULTILINE | re.IGNORECASE
)
_LABEL = (
    r"(?:(?<![^\W_])(?:scores?|ratings?|rate|rated|grade|marks?|verdict|points|deserves|earns"
    r"|I(?:['’]d|['’]ll|\s+would|\s+will)\s+(?:give|say|assign|award)|I\s+(?:give|assign))(?![^\W_])"
    r"|\\boxed|评分|評分|得分|分数|分數|打分|評価|スコア|点数|점수|평점)"
)
_TOPICS = "answer|final|overall|result|evaluation|assessment|quality|coherence|naturalness|interest|fluency|relevance|helpfulness"
_BETWEEN = (
    r"(?:[\s\"'`*_:=()\[\]{}<>→|#,~≈\x00\x01为是-]|\b(?:is|are|was|be|would|will|should|of|as|at|a|an|to|the|this|that|it|"
    r"its|i|my|me|give|given|final|overall|reply|response|answer|for|with|out|numeric|integer|about|around|roughly)\b)*?"
)
_LABELLED = re.compile(
    rf"(?:(?P<label>{_LABEL})|(?<![^\W_])(?:{_TOPICS})(?![^\W_]){_MARKS}\s*(?:[:=]|is\b))(?P<between>{_BETWEEN})(?P<number>{_NUMBER})"
    rf"(?![^\S\n]+(?!(?:{_NOT_COUNTING})\b)(?-i:[a-z]+s)\b)"
    rf"(?P<other>[^\w\n\x00]{{0,9}}(?:{_UNIT})?[^\w\n\x00]{{0,9}}\x00|[^\S\n]?[(\[]\x01)?",
    re.IGNORECASE,
)
"""A label and a number. A number before a plural ("2 hotels") counts something, and is not the score."""
_DECORATION = r"[\s\"'`*_#()\[\]{}<>$.:!,|“”★⭐🌟]*(?:-\s+)?"
_WHOLE = re.compile(
    rf"{_DECORATION}(?P<number>{_NUMBER})[^\S\n]{{0,4}}(?:{_UNIT})?(?:{_DECORATION}(?P<again>{_NUMBER})[^\S\n]{{0,4}}(?:{_UNIT})?)?"
    rf"{_DECORATION}(?P<other>[\x00\x01].*)?",
    re.IGNORECASE,
)
_HEAD = re.compile(rf"[\"'`*_#(\[]*(?P<number>{_NUMBER})[*_`\"')\]]*(?:\s+[-–—(]|:\s)(?P<rest>.*)", re.IGNORECASE)
_KEYS = frozenset({"score", "rating", "grade", "mark", "final_score", "overall_score", "overall", "final_rating"})
_OTHER_KEYS = frozenset({*_TOPICS.split("|"), "value", "points"})
"""Keys that count only if there is no key of the first kind."""
_MAXIMUM_KEYS = ("max", "maximum", "max_score", "maximum_score", "out_of")
_OBJECT = re.compile(r"\{\s*(?=[\"'}])")
_KEYED = re.compile(rf"[\"'](?:{'|'.join(sorted(_KEYS))})[\"']\s*:\s*[\"']?[^\"'}}\n]{{0,40}}", re.IGNORECASE)
_LONGEST, _DEEPEST, _MOST_TRIES = 200_000, 8, 100
"""Limits of an answer in characters, of its nesting, and of objects in it that are not JSON."""
_REASONS = ("reason", "reasoning", "explanation", "rationale", "justification")
_LETTERS = "ABCDE"
_LETTER = r"(?P<letter>[A-E])[+-]?(?![\w'’])"
_LABELLED_LETTER = re.compile(rf"(?i:\b(?:{_LABEL}|answer|choice|option)\b)(?i:{_BETWEEN}){_LETTER}")
_ONLY_LETTER = re.compile(rf"[\s\"'`*_(\[#]*{_LETTER}[\s\"'`*_)\].:]*")


class ReadAnswer(NamedTuple):
    """The score of an answer, and the reason that the model gave for it."""

    score: float
    reason: str = ""


def read_score(text: str, form: str, scale: Scale) -> ReadAnswer:
    """Parse the score in an answer.

    Args:
        text: the answer.
        form: ``json`` (an object with ``score``; falls back to ``labelled``), ``labelled`` (the last number after a
            word such as *rating*; falls back to a number that is the whole answer or its whole first or last line), ``last``
            (the last number), ``letters`` (A to E).
        scale: the lowest and the highest score.

    Raises:
        UnreadableAnswer: there is no score, it is not on the scale, it is written with another scale ("4 out of 10", "4%"), or
            it is ambiguous.

    Example:
        >>> read_score('{"reason": "The 3 hotels fit.", "score": 5}', "json", (1, 5))
        ReadAnswer(score=5.0, reason='The 3 hotels fit.')
        >>> read_score("On a scale from 1 to 5, 2 things are good. Rating: 4", "labelled", (1, 5)).score
        4.0
        >>> read_score("A", "letters", (0, 100)).score
        100.0
    """
    return _READERS[form](spoken_part(text, "score"), scale)


def spoken_part(text: str, expected: str) -> str:
    """An answer without its reasoning. ``expected`` names the expected content in the error message.

    Raises:
        UnreadableAnswer: the answer is empty without its reasoning, or too long.
    """
    answer = without_reasoning(text).strip()
    if not answer:
        raise UnreadableAnswer(f"the answer has reasoning and no {expected}" if text.strip() else "the answer is empty")
    if len(answer) > _LONGEST:
        raise UnreadableAnswer(f"the answer has {len(answer)} characters; at most {_LONGEST} are read")
    return answer


def without_reasoning(text: str) -> str:
    """Remove the blocks of reasoning from a text, including blocks without an opening or a closing tag.

    Example:
        >>> without_reasoning("<think>There are 2 hotels</think>5")
        '5'
    """
    parts: list[str] = []
    place, open_tag = 0, ""
    for match in _TAG.finditer(text):
        tag = match["tag"].lower()
        if match["close"] and open_tag in ("", tag):
            parts = parts if open_tag else []  # Without an opening tag, everything before is reasoning.
            place, open_tag = match.end(), ""
        elif not match["close"] and not open_tag:
            parts.append(text[place : match.start()])
            open_tag = tag
    return "".join(parts if open_tag else [*parts, text[place:]])


def _json(text: str, scale: Scale) -> ReadAnswer:
    objects, rest = _split_objects(text)
    by_key = [(key, value, fields) for each in objects for key, value, fields in _scores_in(each)]
    scores = [each for each in by_key if each[0] in _KEYS] or by_key
    if not scores:
        return ReadAnswer(_number_in(rest, scale))
    numbers = {_number_of(value, fields, scale) for _, value, fields in scores}
    if len(numbers) > 1:
        raise UnreadableAnswer(f"several scores in the JSON of the answer {one_line(text, 80)!r}")
    score = numbers.pop()
    if score is None:
        raise UnreadableAnswer(
            f"the score {one_line(str(scores[0][1]), 40)!r} is not a number from {scale[0]} to {scale[1]}"
        )
    return ReadAnswer(score, reason_in(objects))


def reason_in(objects: Iterable[Mapping[str, Any]]) -> str:
    """The first reason in JSON objects; empty if there is none."""
    reasons = (each[key] for each in objects for key in _REASONS if isinstance(each.get(key), str))
    return str(next(reasons, ""))


def objects_in(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text. Other text around them is ignored."""
    return _split_objects(text)[0]


def _split_objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """The JSON objects in a text, and the text without them. Of an object that is not JSON, only fields with a score are left."""
    decoder = json.JSONDecoder()
    objects: list[dict[str, Any]] = []
    parts: list[str] = []
    torn, place, failures = len(text), 0, 0
    while failures < _MOST_TRIES and (match := _OBJECT.search(text, place)):
        try:
            with paused_garbage_collection():
                value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            torn, end, failures = min(torn, match.start()), match.end(), failures + 1
        else:
            objects.append(value)
        parts.append(text[place : match.start()])
        place = end
    rest = "\n".join([*parts, text[place:]]) if torn == len(text) else text[:torn]
    return objects, "\n".join([rest, *(match[0] for match in _KEYED.finditer(text, torn))])


def _scores_in(value: Any, depth: int = 0) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """The fields that may be a score: their key, their value, and the object that they are in."""
    if depth > _DEEPEST:
        return
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        key = str(name).strip().lower().replace(" ", "_")
        if isinstance(each, dict) or (isinstance(each, list) and key not in _KEYS):
            yield from _scores_in(each, depth + 1)
        elif isinstance(value, dict) and key in _KEYS | _OTHER_KEYS:
            yield key, each, value


def _number_of(value: Any, fields: Mapping[str, Any], scale: Scale) -> float | None:
    """A JSON value as a number on the scale; None if it is not such a number."""
    if any(fields.get(key, scale[1]) != scale[1] for key in _MAXIMUM_KEYS):
        return None
    if isinstance(value, str):
        try:
            return _number_in(value, scale)
        except UnreadableAnswer:
            return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and scale[0] <= value <= scale[1] else None


def _number_in(text: str, scale: Scale) -> float:
    """The last number with a label; otherwise the number that is the whole text, or its whole first or last line."""
    plain = _mark_scales(text, scale)
    if len(_LIST_MARKER.findall(plain)) > 1:
        plain = _LIST_MARKER.sub(" ", plain)
    matches = list(_LABELLED.finditer(plain))
    matches = [match for match in matches if match["label"]][-1:] or matches
    if not matches:
        lines = [line for line in plain.splitlines() if line.strip()] or [""]
        wholes = (_WHOLE.fullmatch(lines[0]), _WHOLE.fullmatch(lines[-1]), _HEAD.fullmatch(lines[0].strip()))
        matches = [match for match in wholes if match]
    found = [match.groupdict("") for match in matches]
    numbers = {_value(each[name]) for each in found for name in ("number", "again") if each.get(name)}
    if not numbers:
        raise _no_number(text, scale)
    if len(numbers) > 1:
        raise UnreadableAnswer(f"several numbers and no label in the answer {one_line(text, 80)!r}")
    beside = {letter for each in found for name in ("between", "other", "rest") for letter in each.get(name, "")}
    is_other = not beside.isdisjoint("\x00\x01") or bool(_OTHER_SCALE.search(plain))
    return _check_scale(numbers.pop(), text, scale, is_other)


def _last(text: str, scale: Scale) -> ReadAnswer:
    plain = _mark_scales(_LIST_MARKER.sub(" ", text) if len(text.split()) > 1 else text, scale)
    matches = list(_LAST_NUMBER.finditer(plain))
    if not matches:
        raise _no_number(text, scale)
    number = _value(matches[-1]["number"])
    return ReadAnswer(_check_scale(number, text, scale, is_other=bool(matches[-1]["other"])))


def _value(number: str) -> float:
    return float(_WORDS[number.lower()] if number.lower() in _WORDS else number.replace(",", "."))


def _mark_scales(text: str, scale: Scale) -> str:
    """Remove mentions of the scale from a text (“from 1 to 5”, “(1-5)”, “out of 5”, “/5”, “1 = bad”), and mark those of other scales."""
    low, high = scale

    def mark_range(match: re.Match[str]) -> str:
        ends = _value(match["low"]), _value(match["high"])
        return " " if ends == scale else match[0] if ends[0] >= ends[1] else match["before"] + "\x01"

    def mark_maximum(match: re.Match[str]) -> str:
        return " " if (_value(match["high"]) if match["high"] else 100) == high else "\x00"

    def count_stars(match: re.Match[str]) -> str:
        filled, empty = (sum(map(match[0].count, stars)) for stars in ("★⭐🌟", "☆✩✰"))
        return f" {filled}/{filled + empty if empty else 5} "

    plain = _STARS.sub(count_stars, text.translate(_PLAIN))
    plain = re.sub(rf"(?<![\d.])(?:{low}|{high})\s*(?:=|being|means)\s*\w+", " ", plain, flags=re.IGNORECASE)
    return _MAXIMUM.sub(mark_maximum, _RANGE.sub(mark_range, plain))


def _check_scale(number: float, text: str, scale: Scale, is_other: bool) -> float:
    if is_other:
        raise UnreadableAnswer(f"a number on another scale than {scale[0]} to {scale[1]}: {one_line(text, 80)!r}")
    if not scale[0] <= number <= scale[1]:
        raise UnreadableAnswer(f"{number:g} is not on the scale {scale[0]} to {scale[1]}: {one_line(text, 80)!r}")
    return number


def _no_number(text: str, scale: Scale) -> UnreadableAnswer:
    return UnreadableAnswer(
        f"no number from {scale[0]} to {scale[1]} with a label, or alone, in the answer {one_line(text, 80)!r}"
    )


def _letters(text: str, scale: Scale) -> ReadAnswer:
    values = [str(value) for each in objects_in(text) for _, value, _ in _scores_in(each)]
    matches = [match for value in values if (match := _ONLY_LETTER.fullmatch(value))]
    matches = matches or [*_LABELLED_LETTER.finditer(text)]
    if not matches:
        lines = [line for line in text.splitlines() if line.strip()]
        matches = [match for line in (lines[0], lines[-1]) if (match := _ONLY_LETTER.fullmatch(line))]
        if len({match["letter"] for match in matches}) != 1:
            raise UnreadableAnswer(f"no letter from A to E in the answer {one_line(text, 80)!r}")
    share = _LETTERS.index(matches[-1]["letter"]) / (len(_LETTERS) - 1)
    return ReadAnswer(scale[1] - share * (scale[1] - scale[0]))


_READERS: dict[str, Callable[[str, Scale], ReadAnswer]] = {
    "json": _json,
    "labelled": lambda text, scale: ReadAnswer(_number_in(text, scale)),
    "last": _last,
    "letters": _letters,
}


def expectation(tokens: Sequence[AnswerToken], scale: Scale) -> float:
    """The mean over the numbers of the scale, weighted by their probabilities at the only token that is a number.

    Args:
        tokens: the answer's tokens, each with the most probable tokens at its place.
        scale: the lowest and the highest score, at most 9, because every number must be one token.

    Raises:
        UnreadableAnswer: no token is a number of the scale, several tokens are, or a number consists of several tokens.

    Example:
        >>> expectation([AnswerToken("4", (("4", 0.0), (" 2", 0.0), ("x", 0.0)))], (1, 5))
        3.0
    """
    if not any(token.top for token in tokens):
        raise UnreadableAnswer("the server returns no logprobs; use another form of answer")
    answer = "".join(token.token for token in tokens)
    first = max((tag.end() for tag in _TAG.finditer(answer) if tag["close"]), default=0)
    places = []
    start = 0
    for place, token in enumerate(tokens):
        if start >= first and any(letter.isdigit() for letter in token.token):
            places.append(place)
        start += len(token.token)
    _check_scale(scale[0], answer, scale, "\x00" in _mark_scales(answer[first:], scale))
    if len(places) != 1:
        problem = "several numbers" if places else f"no number from {scale[0]} to {scale[1]}"
        raise UnreadableAnswer(f"{problem} in the answer {one_line(answer, 80)!r}")
    number_token = tokens[places[0]]
    weights = [(int(text), exp(logprob)) for text, logprob in number_token.top if _is_on_scale(text.strip(), scale)]
    total = fsum(weight for _, weight in weights)
    if not _is_on_scale(number_token.token.strip(), scale) or total <= 0:
        raise _no_number(answer, scale)
    return fsum(number * weight for number, weight in weights) / total


def _is_on_scale(text: str, scale: Scale) -> bool:
    return text.isascii() and text.isdecimal() and len(text) == 1 and scale[0] <= int(text) <= scale[1]
