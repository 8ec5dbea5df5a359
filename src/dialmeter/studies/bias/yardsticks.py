"""A tracker scored side by side with trivial ones, in one pass over the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import structs

from ...core.comparison import Resampling
from ...errors import DialmeterError, InputError
from ...formats import Corpus
from ...formats.schema import read_schema
from ...measure import parse
from ...model import Dialogue, dialogue_key
from ...rules import Rules
from ...tracking.align import open_pair, read_pair
from ...tracking.baselines import trivial
from ...tracking.result import TrackerResult
from ...tracking.scorer import TrackerScorer


class Measured(NamedTuple):
    """A tracker's result, and those of trivial trackers on the same gold."""

    result: TrackerResult
    yardsticks: dict[str, TrackerResult]
    format: str


def score_with_yardsticks(
    path: str,
    gold: str | None = None,
    *,
    names: Sequence[str] = (),
    seed: int = 0,
    form: str | None = None,
    gold_form: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    measures: Sequence[str] | None = None,
    rules: Rules,
    resampling: Resampling | None = None,
    watch: Callable[[Iterable[Any], Corpus], Iterable[Any]] = lambda dialogues, corpus: dialogues,
) -> Measured:
    """Scores a prediction file, and trivial trackers on its gold.

    Trivial trackers answer the turns that count for the tracker: all with gold, or, where rules skip turns without
    prediction, those with one.

    Args:
        path: predictions, with gold or without.
        gold: the file with gold states, where the first has none.
        names: the trivial trackers.
        seed: of what trivial trackers draw.
        form: the format of the predictions; found where it is not named.
        gold_form: the format of gold.
        schema: a schema file.
        only: keys of the dialogues to score.
        measures: what to compute; without it the measures of the rule set.
        rules: a rule set.
        resampling: how intervals of the tracker's scores are made.
        watch: wraps the dialogues, for a progress bar.

    Raises:
        DialmeterError: the file has no values, so that mistakes cannot be told apart.
        InputError: whatever is wrong with a file, with its place.
    """
    trackers = {name: trivial(name, rules, seed) for name in names}
    parsed = [parse(measure) for measure in measures or rules.measures]
    corpus, gold_corpus = open_pair(path, gold, form, gold_form)
    if corpus.correctness_only:
        corpus.close()
        raise DialmeterError(
            f"{corpus.name}: the file says only which slots are right; counting missed, wrong and over needs values"
        )
    known = read_schema(schema) if schema else None
    scorer = TrackerScorer(parsed, rules, known)
    # Gold that is cumulative stays so in a trivial prediction, whatever the tracker's own states are.
    plain = structs.replace(rules, state="cumulative") if rules.state == "update-pred" else rules
    words = scorer.vocabulary
    scorers = {name: TrackerScorer(parsed, plain, known, vocabulary=words) for name in names}
    for read in watch(read_pair(corpus, gold_corpus, words), corpus):
        if only is not None and dialogue_key(read.id) not in only:
            continue
        for each in (scorer, *scorers.values()):
            each.schema = each.schema or (gold_corpus or corpus).schema
        try:
            scored = scorer.add_pairs(read)
        except InputError as error:
            raise corpus.place(error) from None
        if scored and trackers:
            kept = _answered(words.plain(read)) if rules.skips_missing else words.plain(read)
            for name, tracker in trackers.items():
                scorers[name].add_pairs(words.with_predictions(read, tracker(kept)))
    notices = [*corpus.notices, *(gold_corpus.notices if gold_corpus else [])]
    result = scorer.result(corpus.name, notices, resampling, only)
    trivials = {name: each.result(corpus.name) for name, each in scorers.items()}
    return Measured(result, trivials, corpus.format)


def _answered(dialogue: Dialogue) -> Dialogue:
    return Dialogue(dialogue.id, tuple(turn for turn in dialogue.turns if turn.pred is not None))
