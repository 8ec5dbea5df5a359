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

_NUMBER = r"[-−+]?\d+(?:\.\d+)?"
_ANY_NUMBER = re.compile(rf"(?<![\w.,]){_NUMBER}(?![\w%]|[.,]\d)|(?<![\w.,]){_NUMBER}(?=%)")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_MAXIMUM = re.compile(r"(?<=\d)[*_`\"']*\s*(?:/|out\s+of|of)\s*[*_`\"']*(\d+(?:\.\d+)?)\b", re.IGNORECASE)
_LIST_MARKER = re.compile(
    r"^[^\S\n]*(?:[-*•][^\S\n]*)?(?:\(?\d+[.)](?!\d)|#+\s*\d+[.)]?|step\s+\d+:?)(?=\s)", re.MULTILINE | re.IGNORECASE
)
_WORDS = {word: number for number, word in enumerate("zero one two three four five six seven eight nine ten".split())}  # noqa: SIM905
_LABEL = r"(?:scores?|ratings?|rate|rated|grade|marks?|verdict|points)"
_BETWEEN = (
    r"(?:[\s\"'`*_:=()\[\]{}<>→|#,-]|\b(?:is|are|was|be|would|will|should|of|as|at|a|an|to|the|this|that|it|its|i|my|me|"
    r"give|given|final|overall|reply|response|answer|for|with|out|numeric|integer)\b)*?"
)
_LABELLED = re.compile(
    rf"\b{_LABEL}\b{_BETWEEN}(?P<number>{_NUMBER}|\b(?:{'|'.join(_WORDS)})\b)(?![\w]|[.,]\d)", re.IGNORECASE
)
_KEYS = frozenset({"score", "rating", "grade", "mark", "final_score", "overall_score", "overall", "final_rating"})
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
            word such as *rating*; falls back to the only number), ``last`` (the last number), ``letters`` (A to E).
        scale: the lowest and the highest score.

    Raises:
        UnreadableAnswer: there is no score, it is not on the scale, or it is ambiguous.

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
        UnreadableAnswer: the answer is empty without its reasoning.
    """
    answer = without_reasoning(text).strip()
    if not answer:
        raise UnreadableAnswer(f"the answer has reasoning and no {expected}" if text.strip() else "the answer is empty")
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
    scores = [(value, each) for each in objects_in(text) for value in _scores_in(each)]
    if not scores:
        return _labelled(text, scale)
    numbers = {_number_of(value, scale) for value, _ in scores}
    if len(numbers) > 1:
        raise UnreadableAnswer(f"several scores in the JSON of the answer {one_line(text, 80)!r}")
    score = numbers.pop()
    if score is None:
        raise UnreadableAnswer(
            f"the score {one_line(str(scores[0][0]), 40)!r} is not a number from {scale[0]} to {scale[1]}"
        )
    return ReadAnswer(score, reason_in(each for _, each in scores))


def reason_in(objects: Iterable[Mapping[str, Any]]) -> str:
    """The first reason in JSON objects; empty if there is none."""
    reasons = (each[key] for each in objects for key in _REASONS if isinstance(each.get(key), str))
    return str(next(reasons, ""))


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text. Other text around them is ignored."""
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        try:
            with paused_garbage_collection():
                value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _scores_in(fields: Any) -> Iterator[Any]:
    for key, value in fields.items():
        if isinstance(value, dict):
            yield from _scores_in(value)
        elif str(key).strip().lower().replace(" ", "_") in _KEYS:
            yield value


def _number_of(value: Any, scale: Scale) -> float | None:
    """A JSON value as a number on the scale; None if it is not such a number."""
    if isinstance(value, str):
        plain = _without_scale(value, scale).strip().lower()
        value = _WORDS.get(plain, float(plain) if re.fullmatch(_NUMBER, plain) and "−" not in plain else None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and scale[0] <= value <= scale[1] else None


def _labelled(text: str, scale: Scale) -> ReadAnswer:
    plain = _without_scale(text, scale)
    numbers = [match["number"].lower() for match in _LABELLED.finditer(plain)]
    if not numbers:
        return ReadAnswer(_only_number(text, scale))
    last = numbers[-1]
    return ReadAnswer(_check_scale(float(_WORDS[last] if last in _WORDS else last.replace("−", "-")), text, scale))


def _last(text: str, scale: Scale) -> ReadAnswer:
    numbers = _numbers(text, scale)
    if not numbers:
        raise _no_number(text, scale)
    return ReadAnswer(_check_scale(numbers[-1], text, scale))


def _only_number(text: str, scale: Scale) -> float:
    """The only number of a text. A repeated number counts once."""
    word = text.strip().strip(".!*_`\"' ").lower()
    if word in _WORDS:
        return _check_scale(float(_WORDS[word]), text, scale)
    numbers = set(_numbers(text, scale))
    if not numbers:
        raise _no_number(text, scale)
    if len(numbers) > 1:
        raise UnreadableAnswer(f"several numbers and no label in the answer {one_line(text, 80)!r}")
    return _check_scale(numbers.pop(), text, scale)


def _numbers(text: str, scale: Scale) -> list[float]:
    plain = _without_scale(_LIST_MARKER.sub(" ", text) if len(text.split()) > 1 else text, scale)
    if re.search(r"\d,\d", plain):
        return [float(each) for each in _DIGITS.findall(plain)]
    return [float(each.replace("−", "-")) for each in _ANY_NUMBER.findall(plain)]


def _without_scale(text: str, scale: Scale) -> str:
    """Remove phrases about the scale from a text: “from 1 to 5”, “(1-5)”, “out of 5”, “/5”, and “1 = bad”."""
    low, high = scale
    spelled = rf"(?:from\s+|between\s+)?(?<![\d.]){low}\s*(?:[-–—]|to|and|through)\s*{high}(?![\d.]*\d)"
    anchors = rf"(?<![\d.])(?:{low}|{high})\s*(?:=|being|means)\s*\w+"
    plain = re.sub(f"{spelled}|{anchors}", " ", text, flags=re.IGNORECASE)
    return _MAXIMUM.sub(lambda match: " " if float(match[1]) == high else f" {match[1]} ", plain)


def _check_scale(number: float, text: str, scale: Scale) -> float:
    if not scale[0] <= number <= scale[1]:
        raise UnreadableAnswer(f"{number:g} is not on the scale {scale[0]} to {scale[1]}: {one_line(text, 80)!r}")
    return number


def _no_number(text: str, scale: Scale) -> UnreadableAnswer:
    return UnreadableAnswer(f"no number from {scale[0]} to {scale[1]} in the answer {one_line(text, 80)!r}")


def _letters(text: str, scale: Scale) -> ReadAnswer:
    values = [str(value) for each in objects_in(text) for value in _scores_in(each)]
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
    "labelled": _labelled,
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
