"""Template variables of a case: replies in pieces with marked changes, judges' scores, and attributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert

from ...errors import InputError
from ...judges.adapters.prompts import ModelExchange
from ...judges.cases import READING
from ...judges.language.words import changed_spans
from ...readers.source import Source
from ...readers.strict_json import parse_as

RECENT = 6
"""Number of turns of the context that are visible by default."""
VERDICTS: dict[bool | None, str] = {True: "right", False: "error", None: "not counted"}
PREFERRED = {"higher": "human", "similar": "neither", "lower": "adversarial"}


class SpokenMove(Struct, frozen=True):
    """The required fields of a move in a context."""

    speaker: str
    text: str


class Piece(NamedTuple):
    """A part of a reply, changed or not."""

    text: str
    changed: bool


class JudgeLine(NamedTuple):
    """The scores and the verdict of one judge."""

    name: str
    human: str
    adversarial: str
    difference: str
    threshold: str
    preferred: str
    verdict: str
    failure: str
    marked: bool


class ScoredToken(NamedTuple):
    """A token of a reply, its contribution to the score, and its share of the largest contribution, in tenths."""

    text: str
    value: float
    tenths: int


def case(row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the template variables of a case."""
    context = list(row["context"])
    scores = row["scores"]
    return {
        "id": row["id"],
        "attack": row["attack"],
        "variant": row["variant"],
        "facet": row.get("facet", ""),
        "corpus": row.get("corpus", ""),
        "must": READING.get(row["expected"], row["expected"]),
        "source": row.get("source") or {},
        "earlier": context[:-RECENT],
        "context": context[-RECENT:],
        "speaker": row.get("speaker") or "reply",
        "human": list(pieces(row["reply"], changed_spans(row["adversarial"], row["reply"]))),
        "adversarial": list(pieces(row["adversarial"], [tuple(span) for span in row.get("spans") or ()])),
        "judged": list(scores),
        "judges": [_judge_line(name, entry, filters) for name, entry in scores.items()],
        "exchanges": [(name, sides) for name, entry in scores.items() if (sides := _exchanges(entry.get("exchanges")))],
        "attributions": _attributions(row.get("attributions") or {}),
    }


def pieces(text: str, spans: Sequence[tuple[int, ...]]) -> Iterator[Piece]:
    """Split a text at its changed spans; a span outside the text is skipped.

    Example:
        >>> [tuple(piece) for piece in pieces("it is not good", [(6, 10)])]
        [('it is ', False), ('not ', True), ('good', False)]
    """
    at = 0
    for span in sorted(span for span in spans if len(span) == 2):
        start, end = span
        if at <= start < end <= len(text):
            if start > at:
                yield Piece(text[at:start], False)
            yield Piece(text[start:end], True)
            at = end
    if at < len(text):
        yield Piece(text[at:], False)


def _judge_line(name: str, entry: Mapping[str, Any], filters: Mapping[str, str]) -> JudgeLine:
    verdict = VERDICTS[entry.get("conforms")]
    preferred = PREFERRED.get(entry.get("relation") or "", "–")
    facts = {"judge": name, "verdict": verdict, "preferred": preferred}
    own_filters = {field: text for field, text in filters.items() if field in facts}
    return JudgeLine(
        name,
        number(entry.get("human")),
        number(entry.get("adversarial")),
        number(entry.get("difference"), signed=True),
        number(entry.get("threshold")),
        preferred,
        verdict,
        str(entry.get("failure") or ""),
        bool(own_filters) and all(facts[field] == text for field, text in own_filters.items()),
    )


def _exchanges(value: Any) -> dict[str, ModelExchange]:
    """Return the prompts and answers of a language model, by reply; empty if the row is malformed."""
    try:
        return convert(value or {}, dict[str, ModelExchange])
    except ValidationError:
        return {}


def number(value: float | None, signed: bool = False) -> str:
    """Format a judge's score with four digits.

    Example:
        >>> number(0.53663), number(-0.1, signed=True), number(None)
        ('0.5366', '−0.1', '–')
    """
    if value is None:
        return "–"
    return f"{value:{'+' if signed and value else ''}.4g}".replace("-", "−")


def _attributions(by_judge: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, list[ScoredToken]]]]]:
    """Return for each judge the tokens of both replies, shaded on one scale."""
    result = []
    for judge, sides in by_judge.items():
        values = [abs(float(value)) for tokens in sides.values() for _, value in tokens]
        largest = max(values, default=0.0) or 1.0
        replies = [
            (
                side,
                [
                    ScoredToken(str(text), float(value), round(10 * abs(float(value)) / largest))
                    for text, value in tokens
                ],
            )
            for side, tokens in sides.items()
        ]
        result.append((judge, replies))
    return result


# Attributions: the JSON of ``judge explain``, in the run's folder as ``explained-NAME.json``.


class ExplainedReply(Struct, frozen=True):
    """Words and their contributions to the score."""

    words: tuple[str, ...]
    values: tuple[float, ...]


class ExplainedCase(Struct, frozen=True):
    """Both replies of a case."""

    case: str
    human: ExplainedReply
    adversarial: ExplainedReply


class ExplainedScore(Struct, frozen=True):
    """The judge of a score; other fields are ignored."""

    judge: str


class Explanation(Struct, frozen=True):
    """The used fields of the output of ``judge explain --json``."""

    scores: tuple[ExplainedScore, ...]
    cases: tuple[ExplainedCase, ...]


def read_explanations(folder: Path) -> dict[str, dict[str, Any]]:
    """Read by case and judge the words of both replies with their values. Invalid files are skipped.

    Example:
        >>> read_explanations(Path("no-such-folder"))
        {}
    """
    explanations: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("explained*.json")):
        if path.is_symlink():
            continue
        try:
            document = parse_as(Source(path).read_all(), Explanation, path.name, what="an explanation")
        except InputError:
            continue
        if not document.scores:
            continue
        for each in document.cases:
            sides = {
                name: list(zip(reply.words, reply.values, strict=False))
                for name, reply in (("human", each.human), ("adversarial", each.adversarial))
            }
            explanations.setdefault(each.case, {})[document.scores[0].judge] = sides
    return explanations
