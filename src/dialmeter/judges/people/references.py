"""BLEU, chrF and ROUGE-L of replies against references. sacrebleu computes BLEU and chrF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ...errors import DialmeterError, MissingExtra, did_you_mean
from ...readers.ratings.rated_item import RatedItem, RatedItems
from ..builtin.surface import tokens
from .columns import ScoreColumn

NO_REFERENCE = "without a reference"


def with_references(items: RatedItems, system: str) -> RatedItems:
    """Add the reply of one system to the same context as a reference to each item. Items of that system get no reference.

    Args:
        items: the rated items.
        system: the system whose replies are references, such as the system of human replies.

    Raises:
        DialmeterError: no item has this system.
    """
    clusters = items.clusters
    by_context: dict[str, list[str]] = {}
    for cluster, item in zip(clusters, items.items, strict=True):
        if item.system == system:
            by_context.setdefault(cluster, []).append(item.reply)
    if not by_context:
        names = {item.system for item in items.items if item.system}
        raise DialmeterError(f"no rated item has the system {system!r}; {did_you_mean(system, names)}")

    def add_references(cluster: str, item: RatedItem) -> RatedItem:
        more = () if item.system == system else tuple(by_context.get(cluster, ()))
        return replace(item, references=(*item.references, *more))

    return RatedItems(tuple(map(add_references, clusters, items.items)))


def reference_columns(items: RatedItems) -> tuple[list[ScoreColumn], str]:
    """The scores against references, and one line about a missing package. Both are empty if no item has a reference."""
    if items.level != "reply" or not any(item.references for item in items.items):
        return [], ""
    rouge = [rouge_l(item.reply, item.references) if item.references else None for item in items.items]
    columns = [_column("ROUGE-L", "ROUGE-L|tokens:words-and-signs|beta:1", rouge)]
    try:
        return [*_sacrebleu(items), *columns], ""
    except MissingExtra as error:
        return columns, str(error)


def _sacrebleu(items: RatedItems) -> Iterator[ScoreColumn]:
    try:
        from sacrebleu.metrics import BLEU, CHRF  # type: ignore[attr-defined, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra("scoring with BLEU and chrF", "references") from None
    for name, metric in (("BLEU", BLEU(effective_order=True)), ("chrF", CHRF())):
        scores = [
            float(metric.sentence_score(item.reply, list(item.references)).score) / 100 if item.references else None
            for item in items.items
        ]
        yield _column(name, f"{name}|{metric.get_signature().format(short=False)}", scores)


def _column(name: str, identity: str, scores: Sequence[float | None]) -> ScoreColumn:
    missing = {place: (NO_REFERENCE, NO_REFERENCE) for place, each in enumerate(scores) if each is None}
    return ScoreColumn(name, list(scores), identity, reasons=missing)


def rouge_l(reply: str, references: Sequence[str]) -> float:
    """ROUGE-L: the F measure of the longest common subsequence of tokens, with the best of all references.

    Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, with equal weights for precision and recall.

    Example:
        >>> rouge_l("the cat sat", ["the cat", "a dog"])
        0.8
    """
    reply_tokens = tokens(reply)
    return max((_f_measure(reply_tokens, tokens(each)) for each in references), default=0.0)


def _f_measure(reply: Sequence[str], reference: Sequence[str]) -> float:
    row = [0] * (len(reference) + 1)
    for token in reply:
        before = 0
        for place, other in enumerate(reference, 1):
            before, row[place] = row[place], before + 1 if token == other else max(row[place], row[place - 1])
    return 2 * row[-1] / (len(reply) + len(reference)) if row[-1] else 0.0
