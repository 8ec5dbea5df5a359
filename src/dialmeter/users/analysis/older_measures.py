"""Older measures of the similarity between a simulated user and people, from the related work of Coca et al. (2021).

- TurnPrecision, TurnRecall, TurnF1: acts of the simulated user against acts of people in the same context (Schatzmann,
  Georgila and Young 2005).
- ActBLEU: BLEU (Papineni et al. 2002) over sequences of acts of user and system, as Jung et al. (2009) propose.
- CvM: the Cramér-von Mises divergence between the scores of dialogues (Williams 2007).

The first two need the same dialogues in both files: equal ids, and equal goals if both files have goals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from ...core.comparison import Resampling
from ...errors import MissingExtra
from ...model import USER, Conversation, Move, Notice, dialogue_key
from .distance import Distance, acts_of, draws, limits, permuted, user_turns, with_permutation_test

_ORDER = 4


def paired_measures(
    human: Sequence[Conversation], simulated: Sequence[Conversation], resampling: Resampling
) -> tuple[list[Distance], list[Notice]]:
    """Return precision, recall and F1 of acts by turn, and BLEU over acts, with notices about what could not be compared.

    Args:
        human: dialogues of people.
        simulated: the same dialogues with the simulated user.
        resampling: confidence, resamples and seed. Dialogues are resampled.

    Example:
        >>> from dialmeter.model import Act
        >>> said = [Act("Hotel-Inform", "hotel", slot) for slot in ("area", "stars")]
        >>> talks = [[Conversation("a", (Move("user", acts=acts),))] for acts in (tuple(said), (said[0],))]
        >>> [(each.measure, each.simulated) for each in paired_measures(*talks, Resampling())[0]][:2]
        [('TurnPrecision', 1.0), ('TurnRecall', 0.5)]
    """
    by_key = {dialogue_key(talk.id): talk for talk in simulated}
    pairs = [
        (talk, other)
        for talk in human
        if (other := by_key.get(dialogue_key(talk.id))) is not None
        and (talk.goal is None or other.goal is None or talk.goal == other.goal)
    ]
    if not pairs:
        message = (
            "TurnPrecision, TurnRecall, TurnF1 and ActBLEU are not measured: no dialogue with the same id and goal is in "
            "both files"
        )
        return [], [Notice("not-paired", len(human), message)]
    notices = []
    if len(pairs) < len(human):
        message = (
            f"{len(human) - len(pairs)} of {len(human)} human dialogues are not in the simulated file with the same id and "
            "goal: TurnPrecision, TurnRecall, TurnF1 and ActBLEU skip them"
        )
        notices.append(Notice("not-paired", len(human) - len(pairs), message))
    measures, compared = _turn_measures(pairs, resampling)
    turns = sum(len(user_turns(talk)) for talk, _ in pairs)
    if compared < turns:
        message = (
            f"TurnPrecision, TurnRecall and TurnF1 compare {compared} of {turns} human turns; the others have no acts, no "
            "corresponding simulated turn, or other system turns before them"
        )
        notices.append(Notice("other-context", turns - compared, message))
    try:
        bleu, unscored = _act_bleu(pairs, resampling)
        measures += bleu
        if unscored:
            message = f"ActBLEU skips {unscored} of {len(pairs)} dialogues that have no acts in one of the files"
            notices.append(Notice("no-acts", unscored, message))
    except MissingExtra as error:
        notices.append(Notice("no-sacrebleu", 1, str(error)))
    return measures, notices


def _turn_measures(
    pairs: Sequence[tuple[Conversation, Conversation]], resampling: Resampling
) -> tuple[list[Distance], int]:
    """Return precision, recall and F1 from sums over all turns, and the number of compared turns."""
    import numpy as np

    rows, compared = [], 0
    for talk, other in pairs:
        turns = [
            (Counter(acts_of([human])), Counter(acts_of([simulated])))
            for human, simulated in _same_context(talk, other)
            if human.acts is not None and simulated.acts is not None
        ]
        compared += len(turns)
        if turns:
            sums = [((human & simulated).total(), simulated.total(), human.total()) for human, simulated in turns]
            rows.append(np.sum(sums, axis=0, dtype=float))
    if not rows:
        return [], 0
    table = np.array(rows)
    drawn = draws([len(table)], resampling)[0] @ table
    whole = table.sum(axis=0)
    measures = []
    for name, title, above, below in (
        ("TurnPrecision", "acts of the simulated user that people have in the same turn", 1, (1,)),
        ("TurnRecall", "acts of people that the simulated user has in the same turn", 1, (2,)),
        ("TurnF1", "F1 of the acts in the same turn", 2, (1, 2)),
    ):
        total = whole[list(below)].sum()
        if total:
            with np.errstate(invalid="ignore", divide="ignore"):
                values = above * drawn[:, 0] / drawn[:, list(below)].sum(axis=1)
            measures.append(
                Distance(name, title, None, float(above * whole[0] / total), None, limits(values, resampling))
            )
    return measures, compared


def _same_context(human: Conversation, simulated: Conversation) -> Iterator[tuple[Move, Move]]:
    """Yield pairs of user turns that have the same system turns before them.

    The selection depends only on earlier turns. So turns are not selected by their agreement.
    """
    for (before, human_turn), (other_before, simulated_turn) in zip(
        _in_context(human), _in_context(simulated), strict=False
    ):
        if before != other_before:
            return
        yield human_turn, simulated_turn


def _in_context(talk: Conversation) -> Iterator[tuple[list[Any], Move]]:
    before: list[Any] = []
    for move in talk.moves:
        if move.speaker == USER:
            yield before, move
            before = []
        else:
            before.append((move.speaker, move.text, move.acts))


def _act_bleu(pairs: Sequence[tuple[Conversation, Conversation]], resampling: Resampling) -> tuple[list[Distance], int]:
    """Return BLEU of simulated dialogues against human dialogues, and the number of dialogues without acts.

    Acts of one turn have no order, so they are sorted.
    """
    try:
        from sacrebleu.metrics import BLEU  # type: ignore[attr-defined, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra("ActBLEU", "references") from None
    import numpy as np

    metric = BLEU(tokenize="none", effective_order=True)
    numbers: dict[str, int] = {}
    rows = []
    for talk, other in pairs:
        reference, candidate = (_act_sequence(each, numbers) for each in (talk, other))
        if reference and candidate:
            score = metric.sentence_score(candidate, [reference])
            rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    if not rows:
        return [], len(pairs)
    table = np.array(rows, dtype=float)

    def bleu(sums: Any) -> float:
        counts, totals, (length, reference_length) = (
            part.astype(int).tolist() for part in (sums[:_ORDER], sums[_ORDER : 2 * _ORDER], sums[-2:])
        )
        result = BLEU.compute_bleu(counts, totals, length, reference_length, smooth_method="exp", effective_order=True)
        return float(result.score) / 100

    drawn = np.array([bleu(sums) for sums in draws([len(table)], resampling)[0] @ table])
    distance = Distance(
        "ActBLEU",
        "BLEU over the acts of both speakers, against the human dialogue",
        None,
        bleu(table.sum(axis=0)),
        None,
        limits(drawn, resampling),
        signed=(metric.get_signature().format(short=False),),
    )
    return [distance], len(pairs) - len(rows)


def _act_sequence(talk: Conversation, numbers: dict[str, int]) -> str:
    """Return the acts of a dialogue as a text with one word for each act. Each different act has its own number."""
    acts = [f"{move.speaker} {act}" for move in talk.moves for act in sorted(acts_of([move]))]
    return " ".join(f"act{numbers.setdefault(act, len(numbers))}" for act in acts)


def score_divergences(
    scores: Mapping[str, tuple[Sequence[float], Sequence[float]]], resampling: Resampling, signed: tuple[str, ...] = ()
) -> list[Distance]:
    """Return Cramér-von Mises divergences between scores of human and simulated dialogues. Measures without scores are skipped.

    Args:
        scores: measure → scores of the human and of the simulated dialogues.
        resampling: confidence, resamples and seed.
        signed: the fields of the scoring settings, for signatures.

    Example:
        >>> found = score_divergences({"I-GCDF1": ([0.2, 0.4, 0.6], [0.9, 0.9])}, Resampling())
        >>> found[0].measure, round(found[0].difference, 9)
        ('CvM(I-GCDF1)', 1.0)
    """
    import numpy as np

    divergences = []
    for measure, (human, simulated) in scores.items():
        if not (human and simulated):
            continue
        values = np.array([*human, *simulated])
        is_human = np.arange(len(values)) < len(human)
        drawn = np.array([_divergence(values[chosen], values[~chosen]) for chosen in permuted(is_human, resampling)])
        distance = Distance(
            f"CvM({measure})",
            f"Cramér-von Mises divergence between the {measure} of dialogues, 0 to 1",
            None,
            None,
            _divergence(values[is_human], values[~is_human]),
            None,
            signed=signed,
        )
        divergences.append(with_permutation_test(distance, drawn, resampling))
    return divergences


def _divergence(human: Any, simulated: Any) -> float:
    """Return the Cramér-von Mises divergence, scaled to at most 1.

    Equal scores count as half below, so equal samples have distance 0.
    """
    import numpy as np

    below = [
        (np.searchsorted(ranked, human, "left") + np.searchsorted(ranked, human, "right")) / (2 * len(ranked))
        for ranked in (np.sort(human), np.sort(simulated))
    ]
    n = len(human)
    return sqrt(12 * n / (4 * n * n - 1) * float(((below[0] - below[1]) ** 2).sum()))
