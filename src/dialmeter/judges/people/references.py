"""BLEU, chrF and ROUGE-L of replies against references. BLEU and chrF are those of sacrebleu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ...errors import DialmeterError, MissingExtra, did_you_mean
from ...readers.ratings.rated_item import RatedItem, RatedItems
from ..builtin.surface import tokens
from .columns import ScoreColumn

NO_REFERENCE = "without a reference"


def with_references(items: RatedItems, system: str) -> RatedItems:
    """The items with the reply of one system to the same context as a reference; that system's own replies get none.

    Args:
        items: the rated items.
        system: whose replies are references, such as the people's.

    Raises:
        DialmeterError: no item is of this system.
    """
    clusters = items.clusters
    known: dict[str, list[str]] = {}
    for cluster, item in zip(clusters, items.items, strict=True):
        if item.system == system:
            known.setdefault(cluster, []).append(item.reply)
    if not known:
        names = {item.system for item in items.items if item.system}
        raise DialmeterError(f"no rated item is of the system {system!r}; {did_you_mean(system, names)}")

    def of(cluster: str, item: RatedItem) -> RatedItem:
        more = () if item.system == system else tuple(known.get(cluster, ()))
        return replace(item, references=(*item.references, *more))

    return RatedItems(tuple(of(cluster, item) for cluster, item in zip(clusters, items.items, strict=True)))


def reference_columns(items: RatedItems) -> tuple[list[ScoreColumn], str]:
    """The scores against references, and one line on what is missing; nothing where no item has a reference."""
    if items.level != "reply" or not any(item.references for item in items.items):
        return [], ""
    rouge = [rouge_l(item.reply, item.references) if item.references else None for item in items.items]
    found = [_column("ROUGE-L", "ROUGE-L|tokens:words-and-signs|beta:1", rouge)]
    try:
        return [*_sacrebleu(items), *found], ""
    except MissingExtra as error:
        return found, str(error)


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
    """ROUGE-L: the F measure of the longest common subsequence of tokens, the best over all references.

    Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, with equal weight of precision and recall.

    Example:
        >>> rouge_l("the cat sat", ["the cat", "a dog"])
        0.8
    """
    said = tokens(reply)
    return max((_f_measure(said, tokens(each)) for each in references), default=0.0)


def _f_measure(said: Sequence[str], reference: Sequence[str]) -> float:
    row = [0] * (len(reference) + 1)
    for token in said:
        before = 0
        for place, other in enumerate(reference, 1):
            before, row[place] = row[place], before + 1 if token == other else max(row[place], row[place - 1])
    return 2 * row[-1] / (len(said) + len(reference)) if row[-1] else 0.0
