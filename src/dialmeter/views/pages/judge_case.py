"""A case for its page: replies in pieces, so that changes can be marked, judges' scores, and attributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert

from ...errors import InputError
from ...judges.adapters.model_exchange import ModelExchange
from ...judges.language.text_diff import changed_spans
from ...judges.verdict import READING
from ...readers.strict_json import parse_as

RECENT = 6
"""How many turns of the context are shown at once."""
VERDICTS: dict[bool | None, str] = {True: "right", False: "error", None: "not counted"}
PREFERRED = {"higher": "human", "similar": "neither", "lower": "adversarial"}


class SpokenMove(Struct, frozen=True):
    """A move of a context, as a row must hold it."""

    speaker: str
    text: str


class Piece(NamedTuple):
    """A part of a reply, changed or not."""

    text: str
    changed: bool


class Judged(NamedTuple):
    """What one judge said."""

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
    """A token of a reply with what it adds to the score, and how much of the largest that is, in tenths."""

    text: str
    value: float
    tenths: int


def case(row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
    """What the page of a case shows."""
    context = list(row["context"])
    said = row["scores"]
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
        "judged": list(said),
        "judges": [_judged(name, found, wanted) for name, found in said.items()],
        "exchanges": [(name, sides) for name, found in said.items() if (sides := _exchanges(found.get("exchanges")))],
        "attributions": _attributions(row.get("attributions") or {}),
    }


def pieces(text: str, spans: Sequence[tuple[int, ...]]) -> Iterator[Piece]:
    """A text cut at its changed parts; a span outside the text is skipped.

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


def _judged(name: str, found: Mapping[str, Any], wanted: Mapping[str, str]) -> Judged:
    verdict = VERDICTS[found.get("conforms")]
    preferred = PREFERRED.get(found.get("relation") or "", "–")
    facts = {"judge": name, "verdict": verdict, "preferred": preferred}
    asked = {field: text for field, text in wanted.items() if field in facts}
    return Judged(
        name,
        number(found.get("human")),
        number(found.get("adversarial")),
        number(found.get("difference"), signed=True),
        number(found.get("threshold")),
        preferred,
        verdict,
        str(found.get("failure") or ""),
        bool(asked) and all(facts[field] == text for field, text in asked.items()),
    )


def _exchanges(found: Any) -> dict[str, ModelExchange]:
    """What a language model was asked and said, by reply; nothing where the row holds something else."""
    try:
        return convert(found or {}, dict[str, ModelExchange])
    except ValidationError:
        return {}


def number(value: float | None, signed: bool = False) -> str:
    """A judge's score with four digits.

    Example:
        >>> number(0.53663), number(-0.1, signed=True), number(None)
        ('0.5366', '−0.1', '–')
    """
    if value is None:
        return "–"
    return f"{value:{'+' if signed and value else ''}.4g}".replace("-", "−")


def _attributions(found: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, list[ScoredToken]]]]]:
    """By judge, both replies token by token, shaded on one scale."""
    shown = []
    for judge, sides in found.items():
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
        shown.append((judge, replies))
    return shown


# Attributions: the JSON of ``judge explain``, in the run's folder as ``explained-NAME.json``.


class ExplainedReply(Struct, frozen=True):
    """Words and what each adds to the score."""

    words: tuple[str, ...]
    values: tuple[float, ...]


class ExplainedCase(Struct, frozen=True):
    """Both replies of a case."""

    case: str
    human: ExplainedReply
    adversarial: ExplainedReply


class ExplainedScore(Struct, frozen=True):
    """All that is needed of a score: whose it is."""

    judge: str


class Explanation(Struct, frozen=True):
    """What ``judge explain --json`` prints, as far as it is shown."""

    scores: tuple[ExplainedScore, ...]
    cases: tuple[ExplainedCase, ...]


def explained(folder: Path) -> dict[str, dict[str, Any]]:
    """By case and judge, the words of both replies with their values. Other files are skipped.

    Example:
        >>> explained(Path("no-such-folder"))
        {}
    """
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("explained*.json")):
        try:
            document = (
                parse_as(path.read_bytes(), Explanation, path.name, what="an explanation")
                if not path.is_symlink()
                else None
            )
        except (InputError, OSError):
            continue
        if document is None or not document.scores:
            continue
        for each in document.cases:
            sides = {
                name: list(zip(reply.words, reply.values, strict=False))
                for name, reply in (("human", each.human), ("adversarial", each.adversarial))
            }
            found.setdefault(each.case, {})[document.scores[0].judge] = sides
    return found
