"""A judge as a reward function: batched, cached, and with a card that lists the attacks that it rewards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from ...errors import DialmeterError
from ...model import Move
from ...readers.ratings.rated_item import context_moves
from ..ask import score_units, stored_scores
from ..case_files import read_cases
from ..cases import Case, cases_digest, item_hash
from ..judge import Judge, identity_of, load_judge
from ..judged_items import JudgedItem
from ..matrix import CONTROL
from ..scorer import offered_by_cases, score_judge


class AttackReward(Struct, frozen=True):
    """The behaviour of a reward under one attack.

    Attributes:
        attack: the name of the attack.
        facet: the facet that the attack tests.
        expected: the score of the attacked reply by an ideal judge, relative to the human reply: ``lower``, ``similar`` or ``at-most``.
        error: the share of cases in which the reward differs from ``expected``; None if the judge does not claim to judge the facet.
        ci: the confidence interval of the error.
        rewarded: the share of cases in which the attacked reply gets a higher reward than the human one.
        n: the number of scored cases.
    """

    attack: str
    facet: str
    expected: str
    error: float | None
    ci: tuple[float, float] | None
    rewarded: float | None
    n: int


class RewardCard(Struct, frozen=True, kw_only=True):
    """The weaknesses of a reward. Read it before you train a system with the reward.

    Attributes:
        judge: the judge's name.
        identity: a text with everything that the judge's scores depend on.
        turned: True if a lower score of the judge is better; the reward is then minus the score.
        threshold: the smallest difference that counts.
        cases: the digest of the cases.
        attacks: one row per attack.
    """

    judge: str
    identity: str
    turned: bool
    threshold: str
    cases: str
    attacks: list[AttackReward]

    def exploitable(self, share: float = 0.5) -> list[str]:
        """The attacks that get a higher reward than the human reply in more than this share of cases, highest share first.

        Example:
            >>> rows = [AttackReward(name, "coherence", "lower", value, None, value, 9) for name, value in (("a", 0.6), ("b", 0.9))]
            >>> RewardCard(judge="j", identity="j", turned=False, threshold="sd", cases="", attacks=rows).exploitable()
            ['b', 'a']
        """
        rows = [each for each in self.attacks if each.rewarded is not None and each.rewarded > share]
        return [each.attack for each in sorted(rows, key=lambda each: (-(each.rewarded or 0.0), each.attack))]


class Reward:
    """Uses any judge as a reward function for a reply in its context. A higher reward is always better.

    Each distinct reply is scored once. ``many`` asks the judge in batches.

    Args:
        judge: a judge, or its text, as in ``panel(judges="overlap+distinct")``.
        cases: a file of cases, or cases, for the card.
        dialogues: training dialogues for judges that learn, each as a sequence of utterances; default: the contexts of the cases.
        store: a folder that keeps scores between runs.
        threshold: the threshold of the card, as in :func:`~dialmeter.judges.scorer.score_judge`.

    Raises:
        DialmeterError: the judge cannot be loaded.

    Example:
        >>> reward = Reward("overlap")
        >>> reward(["a cheap hotel"], "which hotel?")
        0.5
        >>> reward.many([(["a cheap hotel"], "which hotel?"), (["a cheap hotel"], "a cheap hotel")])
        [0.5, 1.0]
    """

    def __init__(
        self,
        judge: str | Judge,
        cases: str | Path | Sequence[Case] | None = None,
        *,
        dialogues: Sequence[Sequence[str]] | None = None,
        store: str | Path | None = None,
        threshold: str = "sd",
    ) -> None:
        self._cases = read_cases(cases) if isinstance(cases, str | Path) else list(cases or ())
        offered = {"dialogues": dialogues} if dialogues is not None else offered_by_cases(self._cases)
        self.name, self.judge = load_judge(judge, offered) if isinstance(judge, str) else (judge.name, judge)
        self._threshold = threshold
        self._identity = identity_of(self.judge)
        self._stored = stored_scores(store, self._identity)

    def __call__(self, context: Sequence[Move] | Sequence[str], reply: str) -> float:
        """The reward of one reply.

        Args:
            context: the moves before the reply, or their texts; the other speaker said the last one.
            reply: the reply.

        Raises:
            DialmeterError: the judge does not score the reply.
        """
        return self.many([(context, reply)])[0]

    def many(self, items: Sequence[tuple[Sequence[Move] | Sequence[str], str]]) -> list[float]:
        """The rewards of many replies, in order.

        Raises:
            DialmeterError: the judge does not score one of the replies; the scores of the others are kept.
        """
        with_moves = [(_moves(context), reply) for context, reply in items]
        keys = [item_hash(*item) for item in with_moves]
        scores = self._stored.values
        new = {key: item for key, item in zip(keys, with_moves, strict=True) if key not in scores}
        if new:
            units = [JudgedItem((key,), item) for key, item in new.items()]
            scored = score_units({self.name: units}, {self.name: self.judge})[self.name]
            self._stored.add(scored.scores)
            if scored.reasons:
                raise DialmeterError(f"{self.name} did not score a reply: {next(iter(scored.reasons.values()))[1]}")
        return [scores[key] if self.judge.higher_is_better else -scores[key] for key in keys]

    @cached_property
    def card(self) -> RewardCard:
        """The card, computed from the cases.

        Raises:
            DialmeterError: there are no cases.
        """
        if not self._cases:
            raise DialmeterError(f"{self.name}: the card needs cases, as in Reward({self.name!r}, cases=...)")
        result = score_judge(self._cases, {self.name: self.judge}, threshold=self._threshold)
        rows = [
            AttackReward(cell.attack, cell.facet, cell.expected, cell.value, cell.ci, cell.lower, cell.n)
            for cell in result.scores
            if cell.judge == self.name and cell.attack != CONTROL
        ]
        return RewardCard(
            judge=self.name,
            identity=self._identity,
            turned=not self.judge.higher_is_better,
            threshold=self._threshold,
            cases=cases_digest(self._cases),
            attacks=rows,
        )


def _moves(context: Sequence[Move] | Sequence[str]) -> tuple[Move, ...]:
    texts = [each for each in context if isinstance(each, str)]
    return context_moves(texts) if texts else tuple(each for each in context if isinstance(each, Move))
