"""Distances between a simulated user and people, with confidence intervals of the differences.

Properties of user turns are ratios of two sums over dialogues. The dialogues need not have the same goals. The confidence interval of
a difference comes from resampling the dialogues of both files independently. Two measures compare distributions: the order in which
slots are first named, as a total variation distance, and the acts, as a Kullback-Leibler divergence of the bot's acts from those of
people (Cuayáhuitl et al. 2005). The distance between two samples is never zero, so these measures have a permutation test.

Older measures are from the related work of Coca et al. (2021):

- TurnPrecision, TurnRecall, TurnF1: acts of the simulated user against acts of people in the same context (Schatzmann,
  Georgila and Young 2005).
- ActBLEU: BLEU (Papineni et al. 2002) over sequences of acts of user and system, as Jung et al. (2009) propose.
- CvM: the Cramér-von Mises divergence between the scores of dialogues (Williams 2007).
- ActPerplexity: how well the acts of one user predict those of people, each act given the acts of the system before it.

The first two need the same dialogues in both files: equal ids, and equal goals if both files have goals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp, fsum, log, sqrt
from typing import Any, TypeAlias

from msgspec import Struct

from ...core.comparison import Resampling
from ...errors import DialmeterError, MissingExtra
from ...model import USER, Conversation, Move, Notice, dialogue_key
from ...numeric import np
from ..profile import Profile, classifier

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMOOTHING = 0.5
_PERMUTATIONS = 1000
_BLEU_ORDER = 4
_FOLDS = 10

Pairs: TypeAlias = Sequence[tuple[Conversation, Conversation]]
"""Dialogues of people with the same dialogues of the simulated user."""


class Distance(Struct, frozen=True):
    """One measure of both users. The difference is the value of the simulated user minus the value of people.

    Attributes:
        people: value of people; None for a distance between distributions, and for a measure against people.
        bot: value of the simulated user; None for a distance between distributions.
        difference: the difference or the distance; None for a measure against people.
        ci: confidence interval of the difference, or of the simulated user's value if there is no difference; None for too few
            dialogues and for distances.
        chance: quantile, at the confidence level, of the distances between permuted dialogues.
        p: p-value of the permutation test: the share of permutations with at least this distance.
        signed: fields of the signature.
    """

    measure: str
    title: str
    people: float | None
    bot: float | None
    difference: float | None
    ci: tuple[float, float] | None
    chance: float | None = None
    p: float | None = None
    signed: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    """Return the words of a text in lower case.

    Example:
        >>> words("Don't you see? 10:30!")
        ["don't", 'you', 'see', '10', '30']
    """
    return _WORD.findall(text.lower())


def _distinct_pairs(turns: Sequence[Move]) -> tuple[int, int]:
    pairs = [pair for turn in turns for pair in pairwise(words(turn.text))]
    return len(set(pairs)), len(pairs)


def _repeated(turns: Sequence[Move]) -> tuple[int, int]:
    texts = [words(turn.text) for turn in turns]
    return sum(text in texts[:index] for index, text in enumerate(texts)), len(texts)


def _acts_per_turn(turns: Sequence[Move]) -> tuple[int, int]:
    return sum(len(turn.acts or ()) for turn in turns), sum(turn.acts is not None for turn in turns)


_MEASURES: tuple[tuple[str, str, Callable[[Sequence[Move]], tuple[int, int]]], ...] = (
    ("Turns", "user turns per dialogue", lambda turns: (len(turns), 1)),
    ("TurnLength", "words per turn", lambda turns: (sum(len(words(turn.text)) for turn in turns), len(turns))),
    ("ActsPerTurn", "acts per turn", _acts_per_turn),
    (
        "Vocabulary",
        "different words per dialogue",
        lambda turns: (len({word for turn in turns for word in words(turn.text)}), 1),
    ),
    ("Distinct2", "share of different word pairs among all word pairs of a dialogue", _distinct_pairs),
    ("Repetitions", "turns that repeat an earlier turn word for word", _repeated),
    ("Questions", "turns with a question mark", lambda turns: (sum("?" in turn.text for turn in turns), len(turns))),
)
"""Name, title, and the two parts of a ratio over the user turns of a dialogue."""


def distances(people: Iterable[Conversation], bot: Iterable[Conversation], resampling: Resampling) -> list[Distance]:
    """Return the distances between a simulated user and people.

    Raises:
        DialmeterError: one of the two has no user turns.

    Example:
        >>> conversation = lambda name, text: Conversation(name, (Move("user", text), Move("system", "Yes.")))
        >>> found = distances([conversation("a", "Is it cheap?")], [conversation("b", "A cheap one, please.")], Resampling())
        >>> [(each.measure, each.difference) for each in found if each.difference][:2]
        [('TurnLength', 1.0), ('Vocabulary', 1.0)]
    """
    sides = [
        [turns for conversation in conversations if (turns := _user_turns(conversation))]
        for conversations in (people, bot)
    ]
    for name, side in zip(("people", "the simulated user"), sides, strict=True):
        if not side:
            raise DialmeterError(f"the dialogues of {name} have no user turns")
    draws = _draws([len(side) for side in sides], resampling)
    ratios = [
        measured
        for name, title, parts in _MEASURES
        for tables in [[np.array([parts(turns) for turns in side], dtype=float) for side in sides]]
        for measured in _measure(
            name, title, tables, lambda sums: sums[:, 0] / sums[:, 1], draws=draws, resampling=resampling
        )
    ]
    return [*ratios, *_distributions(sides, resampling)]


def _user_turns(conversation: Conversation) -> list[Move]:
    return [move for move in conversation.moves if move.speaker == USER]


def _draws(sizes: Sequence[int], resampling: Resampling) -> list[Any]:
    """Return how often each dialogue is drawn in each resample, independently for each side."""
    generator = np.random.default_rng(resampling.seed)
    return [generator.multinomial(size, np.full(size, 1 / size), resampling.resamples).astype(float) for size in sizes]


def _measure(
    name: str,
    title: str,
    tables: Sequence[Any],
    formula: Callable[[Any], Any],
    *,
    draws: Sequence[Any],
    resampling: Resampling,
    signed: tuple[str, ...] = (),
) -> Iterator[Distance]:
    """Yield a measure, if it has a value: a formula of the sums of columns over dialogues.

    Args:
        name: the name of the measure.
        title: what it measures.
        tables: one row per dialogue, of people and of the simulated user, or of the simulated user measured against people.
        formula: takes rows of sums and returns their values.
        draws: for each table, how often each dialogue is drawn in each resample.
        resampling: confidence, resamples and seed.
        signed: fields of the signature.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values = [float(formula(table.sum(axis=0)[None])[0]) for table in tables]
        drawn = [formula(counts @ table) for table, counts in zip(tables, draws, strict=True)]
    if not np.isfinite(values).all():
        return
    people, difference = (None, None) if len(values) < 2 else (values[0], values[1] - values[0])
    resampled = drawn[0] if difference is None else drawn[1] - drawn[0]
    finite, ci = resampled[np.isfinite(resampled)], None
    if len(finite) > 1 and finite.min() < finite.max():
        low, high = np.quantile(finite, [(1 - resampling.confidence) / 2, (1 + resampling.confidence) / 2])
        ci = float(low), float(high)
    yield Distance(name, title, people, values[-1], difference, ci, signed=signed)


def _distributions(sides: Sequence[Sequence[Sequence[Move]]], resampling: Resampling) -> Iterator[Distance]:
    """Yield distances between distributions, with permutation tests, because the distance between two samples is never zero."""
    for name, title, events, distance in (
        ("SlotOrder", "total variation between the orders in which slots are first named", _order, _variation),
        ("ActKL", "divergence of the acts of the bot from those of people, in nats", _acts, _divergence),
    ):
        counts = [Counter(events(turns)) for side in sides for turns in side]
        keys = sorted({key for each in counts for key in each})
        table = np.array([[each[key] for key in keys] for each in counts], dtype=float)
        is_people = np.arange(len(counts)) < len(sides[0])
        if keys and table[is_people].sum() and table[~is_people].sum():
            value = float(distance(is_people[None, :] @ table, ~is_people[None, :] @ table)[0])
            permutations = _permuted(is_people, resampling)
            yield _tested(name, title, value, distance(permutations @ table, ~permutations @ table), resampling)


def _permuted(is_people: Any, resampling: Resampling) -> Any:
    """Return permutations of the flags that mark dialogues of people, one permutation per row."""
    generator = np.random.default_rng(resampling.seed)
    return np.array([generator.permutation(is_people) for _ in range(min(resampling.resamples, _PERMUTATIONS))])


def _tested(
    measure: str, title: str, value: float, drawn: Any, resampling: Resampling, *, signed: tuple[str, ...] = ()
) -> Distance:
    """Return a distance with a permutation test; ``drawn`` has the distances of permuted dialogues."""
    p = (1 + int((drawn >= value).sum())) / (1 + len(drawn))
    chance = float(np.nanquantile(drawn, resampling.confidence))
    return Distance(measure, title, None, None, value, None, chance, p, signed)


def _order(turns: Sequence[Move]) -> Iterator[str]:
    acts = [act for turn in turns for act in turn.acts or () if act.slot and act.values]
    named = dict.fromkeys(f"{act.service.lower()}-{act.slot.lower()}" for act in acts)
    return (f"{before} {after}" for before, after in pairwise(named))


def _acts(turns: Sequence[Move]) -> list[str]:
    """Return the acts of some turns as name and slot, without values."""
    return [f"{act.name.lower()} {act.slot.lower()}" for turn in turns for act in turn.acts or ()]


def _variation(people: Any, bot: Any) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        one, other = (table / table.sum(axis=1, keepdims=True) for table in (people, bot))
    return abs(one - other).sum(axis=1) / 2


def _divergence(people: Any, bot: Any) -> Any:
    one, other = ((table + _SMOOTHING) / (table + _SMOOTHING).sum(axis=1, keepdims=True) for table in (people, bot))
    return (one * np.log(one / other)).sum(axis=1)


def paired_measures(
    people: Sequence[Conversation], bot: Sequence[Conversation], resampling: Resampling
) -> tuple[list[Distance], list[Notice]]:
    """Return precision, recall and F1 of acts by turn, and BLEU over acts, with notices about what could not be compared.

    Example:
        >>> from dialmeter.model import Act
        >>> said = [Act("Hotel-Inform", "hotel", slot) for slot in ("area", "stars")]
        >>> conversations = [[Conversation("a", (Move("user", acts=acts),))] for acts in (tuple(said), (said[0],))]
        >>> [(each.measure, each.bot) for each in paired_measures(*conversations, Resampling())[0]][:2]
        [('TurnPrecision', 1.0), ('TurnRecall', 0.5)]
    """
    by_key = {dialogue_key(conversation.id): conversation for conversation in bot}
    pairs = [
        (conversation, other)
        for conversation in people
        if (other := by_key.get(dialogue_key(conversation.id))) is not None
        and (conversation.goal is None or other.goal is None or conversation.goal == other.goal)
    ]
    if not pairs:
        message = (
            "TurnPrecision, TurnRecall, TurnF1 and ActBLEU are not measured: no dialogue with the same id and goal is in "
            "both files"
        )
        return [], [Notice("not-paired", len(people), message)]
    measures, compared = _turn_measures(pairs, resampling)
    turns = sum(len(_user_turns(conversation)) for conversation, _ in pairs)
    problems = [
        (
            "not-paired",
            len(people) - len(pairs),
            f"{len(people) - len(pairs)} of {len(people)} dialogues of people are not in the file of the bot with the same id and "
            "goal: TurnPrecision, TurnRecall, TurnF1 and ActBLEU are without them",
        ),
        (
            "other-context",
            turns - compared,
            f"TurnPrecision, TurnRecall and TurnF1 compare {compared} of {turns} turns of people; the others have no acts, no "
            "corresponding turn of the bot, or other system turns before them",
        ),
    ]
    try:
        bleu, unscored = _act_bleu(pairs, resampling)
        measures += bleu
        message = f"ActBLEU is without {unscored} of {len(pairs)} dialogues that have no acts in one of the files"
        problems.append(("no-acts", unscored, message))
    except MissingExtra as error:
        problems.append(("no-sacrebleu", 1, str(error)))
    return measures, [Notice(*problem) for problem in problems if problem[1]]


def _turn_measures(pairs: Pairs, resampling: Resampling) -> tuple[list[Distance], int]:
    """Return precision, recall and F1 from sums over all turns, and the number of compared turns."""
    rows, compared = [], 0
    for conversation, other in pairs:
        turns = [
            (Counter(_acts([people])), Counter(_acts([bot])))
            for people, bot in _same_context(conversation, other)
            if people.acts is not None and bot.acts is not None
        ]
        compared += len(turns)
        if turns:
            sums = [((people & bot).total(), bot.total(), people.total()) for people, bot in turns]
            rows.append(np.sum(sums, axis=0, dtype=float))
    if not rows:
        return [], 0
    draws = _draws([len(rows)], resampling)
    measures: list[Distance] = []
    for name, title, below in (
        ("TurnPrecision", "acts of the simulated user that people have in the same turn", [1]),
        ("TurnRecall", "acts of people that the simulated user has in the same turn", [2]),
        ("TurnF1", "F1 of the acts in the same turn", [1, 2]),
    ):
        share = lambda sums, below=below: len(below) * sums[:, 0] / sums[:, below].sum(axis=1)  # noqa: E731
        measures += _measure(name, title, [np.array(rows)], share, draws=draws, resampling=resampling)
    return measures, compared


def _same_context(people: Conversation, bot: Conversation) -> Iterator[tuple[Move, Move]]:
    """Yield pairs of user turns that have the same system turns before them.

    The selection depends only on earlier turns. So turns are not selected by their agreement.
    """
    for (before, turn_of_people), (other_before, turn_of_bot) in zip(
        _in_context(people), _in_context(bot), strict=False
    ):
        if before != other_before:
            return
        yield turn_of_people, turn_of_bot


def _in_context(conversation: Conversation) -> Iterator[tuple[list[Any], Move]]:
    before: list[Any] = []
    for move in conversation.moves:
        if move.speaker == USER:
            yield before, move
            before = []
        else:
            before.append((move.speaker, move.text, move.acts))


def _act_bleu(pairs: Pairs, resampling: Resampling) -> tuple[list[Distance], int]:
    """Return BLEU of dialogues of the bot against those of people, and the number of dialogues without acts.

    Acts of one turn have no order, so they are sorted.
    """
    try:
        from sacrebleu.metrics import BLEU  # type: ignore[attr-defined, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra("ActBLEU", "references") from None
    metric = BLEU(tokenize="none", effective_order=True)
    numbers: dict[str, int] = {}
    rows = []
    for conversation, other in pairs:
        reference, candidate = (_act_sequence(each, numbers) for each in (conversation, other))
        if reference and candidate:
            score = metric.sentence_score(candidate, [reference])
            rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    if not rows:
        return [], len(pairs)

    def bleu(sums: Any) -> float:
        counts, totals, (length, reference_length) = (
            part.astype(int).tolist() for part in (sums[:_BLEU_ORDER], sums[_BLEU_ORDER : 2 * _BLEU_ORDER], sums[-2:])
        )
        result = BLEU.compute_bleu(counts, totals, length, reference_length, smooth_method="exp", effective_order=True)
        return float(result.score) / 100

    measured = _measure(
        "ActBLEU",
        "BLEU over the acts of both speakers, against the dialogue of people",
        [np.array(rows, dtype=float)],
        lambda sums: np.array([bleu(row) for row in sums]),
        draws=_draws([len(rows)], resampling),
        resampling=resampling,
        signed=(metric.get_signature().format(short=False),),
    )
    return list(measured), len(pairs) - len(rows)


def _act_sequence(conversation: Conversation, numbers: dict[str, int]) -> str:
    """Return the acts of a dialogue as a text with one word for each act. Each different act has its own number."""
    acts = [f"{move.speaker} {act}" for move in conversation.moves for act in sorted(_acts([move]))]
    return " ".join(f"act{numbers.setdefault(act, len(numbers))}" for act in acts)


def score_divergences(
    scores: Mapping[str, tuple[Sequence[float], Sequence[float]]], resampling: Resampling, signed: tuple[str, ...] = ()
) -> list[Distance]:
    """Return Cramér-von Mises divergences between scores of dialogues of people and of the bot. Measures without scores have none.

    Args:
        scores: measure → scores of the dialogues of people and of the bot.
        resampling: confidence, resamples and seed.
        signed: the fields of the scoring settings, for signatures.

    Example:
        >>> found = score_divergences({"I-GCDF1": ([0.2, 0.4, 0.6], [0.9, 0.9])}, Resampling())
        >>> found[0].measure, round(found[0].difference, 9)
        ('CvM(I-GCDF1)', 1.0)
    """
    divergences = []
    for measure, (people, bot) in scores.items():
        if not (people and bot):
            continue
        values = np.array([*people, *bot])
        is_people = np.arange(len(values)) < len(people)
        drawn = np.array(
            [_cramer_von_mises(values[chosen], values[~chosen]) for chosen in _permuted(is_people, resampling)]
        )
        title = f"Cramér-von Mises divergence between the {measure} of dialogues, 0 to 1"
        value = _cramer_von_mises(values[is_people], values[~is_people])
        divergences.append(_tested(f"CvM({measure})", title, value, drawn, resampling, signed=signed))
    return divergences


def _cramer_von_mises(people: Any, bot: Any) -> float:
    """Return the Cramér-von Mises divergence, scaled to at most 1.

    Equal scores count as half below, so equal samples have distance 0.
    """
    below = [
        (np.searchsorted(ranked, people, "left") + np.searchsorted(ranked, people, "right")) / (2 * len(ranked))
        for ranked in (np.sort(people), np.sort(bot))
    ]
    n = len(people)
    return sqrt(12 * n / (4 * n * n - 1) * float(((below[0] - below[1]) ** 2).sum()))


ActInContext: TypeAlias = tuple[tuple[str, ...], str]
"""An act of a user, after the acts of the system in the turn before."""


class ActModel:
    """The probability of an act of a user after acts of the system: a bigram model (Eckert, Levin and Pieraccini 1997).

    After several acts of the system, it is the mean of the probabilities after each of them. Smoothing is Witten and Bell's: after
    s, p(a | s) = (c(s, a) + T(s) p(a)) / (c(s) + T(s)) with T(s) different acts, and p(a) in the same way from 1 / (V + 1) with V
    known acts. All unknown acts together are one act.

    Example:
        >>> model = ActModel([(("request area",), "inform area"), (("request area",), "inform name"), (("",), "inform name")])
        >>> round(sum(model.probability(("", "request area"), act) for act in ("inform area", "inform name", "unknown")), 12)
        1.0
    """

    def __init__(self, acts: Iterable[ActInContext]) -> None:
        self._anywhere: Counter[str] = Counter()
        self._after: dict[str, Counter[str]] = {}
        for before, act in acts:
            self._anywhere[act] += 1
            for each in before:
                self._after.setdefault(each, Counter())[act] += 1

    def probability(self, before: Sequence[str], act: str) -> float:
        """Return the probability of an act after the acts of the system."""
        base = _witten_bell(self._anywhere, act, 1 / (len(self._anywhere) + 1))
        return fsum(_witten_bell(self._after.get(each, Counter()), act, base) for each in before) / len(before)


def _witten_bell(counts: Counter[str], act: str, base: float) -> float:
    return (counts[act] + len(counts) * base) / (counts.total() + len(counts)) if counts else base


def act_perplexity(
    people: Sequence[Conversation], bot: Sequence[Conversation], profile: Profile
) -> tuple[list[Distance], list[Notice]]:
    """Return the perplexity of people's acts under a model of the bot's acts, and under one of people's acts.

    Acts that the profile does not distinguish are equal: ``Hotel-Inform`` and ``hotel-inform``. Both models are trained without a
    tenth of the dialogues, by id, which is the tenth whose acts are predicted. So neither has seen the same dialogue or its goal.
    There is no interval, because the training dialogues are also a sample.

    Example:
        >>> from dialmeter.model import Act
        >>> from dialmeter.users.profile import named
        >>> user = lambda *slots: [
        ...     Conversation(name, (Move("user", acts=(Act("Inform", "hotel", slot),)),)) for name, slot in zip("ab", slots)
        ... ]
        >>> [found] = act_perplexity(user("area", "stars"), user("stars", "area"), named("multiwoz"))[0]
        >>> round(found.people, 3), round(found.bot, 3)
        (8.0, 1.143)
    """
    types = classifier(profile.acts)
    sides = [
        [(dialogue_key(each.id), acts) for each in conversations if (acts := _acts_in_context(each, types))]
        for conversations in (people, bot)
    ]
    folds = min(_FOLDS, len(sides[0]))
    fold_of = {key: place % folds for place, (key, _) in enumerate(sides[0])}
    values = []
    for side in sides:
        training = [[act for key, acts in side if fold_of.get(key) != fold for act in acts] for fold in range(folds)]
        if folds < 2 or not all(training):
            return [], []
        models = [ActModel(acts) for acts in training]
        logs = [log(models[fold_of[key]].probability(*act)) for key, acts in sides[0] for act in acts]
        values.append(exp(-fsum(logs) / len(logs)))
    known = {act for _, acts in sides[1] for _, act in acts}
    unknown = [act not in known for _, acts in sides[0] for _, act in acts]
    title = f"perplexity of {len(unknown)} acts of people under a model of each user's acts, {folds}-fold; no interval"
    signed = (f"profile:{profile.shown}", "order:2", "smoothing:witten-bell", f"folds:{folds}")
    message = f"{sum(unknown)} of {len(unknown)} acts of people are never acts of the bot: ActPerplexity takes them for one act"
    return (
        [Distance("ActPerplexity", title, values[0], values[1], values[1] - values[0], None, signed=signed)],
        [Notice("unknown-acts", sum(unknown), message)] if any(unknown) else [],
    )


def _acts_in_context(conversation: Conversation, types: Callable[[str], int]) -> list[ActInContext]:
    """Return the acts of a user, each with the system's acts since the last turn of the user; one empty act stands for none."""
    found: list[ActInContext] = []
    before: list[str] = []
    for move in conversation.moves:
        acts = sorted(
            f"{types(act.name) or act.name.lower()} {act.service.lower()} {act.slot.lower()}" for act in move.acts or ()
        )
        if move.speaker == USER:
            found += [(tuple(dict.fromkeys(before)) or ("",), act) for act in acts]
            before = []
        else:
            before += acts
    return found
