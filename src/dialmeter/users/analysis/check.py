"""Checks dialogues before they are scored: their content, what cannot be scored, and whether a perfect user scores 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...core.account import Account, count_reasons, refused_dialogues
from ...errors import InputError
from ...model import SYSTEM, USER, Act, Conversation, Goal, Move, Notice
from ...readers.conversations import Conversations
from ..outcome import COMBINED
from ..profile import Acts, Profile
from ..result import SHOWN, UserSettings
from ..score_table import ScoreRow
from ..scorer import UserScorer


class UserCheck(Struct, frozen=True):
    """Result of checking a file: a dialogue that cannot be scored is a problem, the rest are notices."""

    format: str
    account: Account
    counts: dict[str, int]
    notices: list[Notice]
    refused: list[InputError]
    self_scores: list[dict[str, Any]]

    @property
    def problems(self) -> list[Notice]:
        """One for each dialogue that cannot be scored."""
        return [Notice("refused", 1, error.message, (str(error),)) for error in self.refused]

    @property
    def fit(self) -> bool:
        """Would every dialogue be scored?"""
        return not self.refused and self.counts["dialogues"] > 0


def check_talk(
    talks: Conversations, how: UserSettings, watch: Callable[[Iterable[Conversation]], Iterable[Conversation]]
) -> UserCheck:
    """Checks an opened file.

    Args:
        talks: the file.
        how: what it would be scored with.
        watch: wraps the conversations, for a progress bar.
    """
    scorer = UserScorer.under(how)
    perfect = UserScorer(how.rules, with_plain_acts(how.profile), how.value_map)
    counts = dict.fromkeys(("dialogues", "turns", "domains", "constraints", "requests"), 0)
    domains: set[str] = set()
    for talk, outcome in scorer.add_all(watch(talks), talks.name):
        perfect.add(saying_exactly(talk.id, outcome.goal))
        domains.update(outcome.goal)
        for wanted in outcome.goal.values():
            counts["constraints"] += sum(map(len, wanted.parts.values()))
            counts["requests"] += len(wanted.requests)
    for unreadable in talks.refused:
        scorer.refuse(unreadable)
    counts.update(dialogues=len(scorer.score_table.rows), turns=scorer.score_table.turns, domains=len(domains))
    asked = counts["dialogues"] + len(scorer.refused)
    account = Account("dialogue", asked, asked, counts["dialogues"], count_reasons(refused_dialogues(scorer.refused)))
    if not counts["dialogues"]:
        return UserCheck(talks.format, account, counts, list(talks.notices), scorer.refused, [])
    scores = [
        each
        for each in perfect.result().to_dicts()
        if each["domain"] == COMBINED and each["measure"] in ("I-GCDF1", "R-GCDF1")
    ]
    notices = [each for each in scorer.result(talks.notices).notices if each.code != "refused"]
    return UserCheck(
        talks.format, account, counts, [*notices, *_imperfect(perfect.score_table.rows)], scorer.refused, scores
    )


def _imperfect(rows: Mapping[str, ScoreRow]) -> list[Notice]:
    """Goals that a perfect user does not meet: two of their values are one value under the rules, or never count."""
    lossy = [
        name
        for name, row in rows.items()
        if any(parts is not None and parts.f1 < 1 for parts in (row["I", COMBINED], row["R", COMBINED]))
    ]
    message = f"{len(lossy)} goals that a user who says exactly its goal does not meet under these rules and values"
    return [Notice("self-score", len(lossy), message, tuple(lossy[:SHOWN]))] if lossy else []


def with_plain_acts(profile: Profile) -> Profile:
    """A profile in which ``inform`` and ``request`` are the names of the acts that :func:`saying_exactly` uses.

    All else is as in the profile, so that the perfect user of any corpus can be scored, however the corpus names its acts.

    Example:
        >>> from dialmeter.users.profile import named
        >>> with_plain_acts(named("sgd")).acts.inform
        '^inform$'
    """
    return replace(profile, acts=Acts(inform="^inform$", request="^request$", raw="^request$"))


def saying_exactly(name: str, goal: Goal) -> Conversation:
    """A user that says every constraint of its goal once and asks for every request once, in one turn.

    Example:
        >>> from dialmeter.model import DomainGoal
        >>> talk = saying_exactly("d1", {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))})
        >>> [(act.name, act.slot) for act in talk.moves[0].acts]
        [('inform', 'area'), ('request', 'phone')]
    """
    said: list[Act] = []
    asked: dict[str, tuple[str, ...]] = {}
    for domain, wanted in goal.items():
        constraints = dict.fromkeys(pair for part in wanted.parts.values() for pair in part.items())
        said += [Act("inform", domain, slot, (value,)) for slot, value in constraints]
        said += [Act("request", domain, slot, ("?",)) for slot in wanted.requests]
        asked[domain] = tuple(f"{domain}-{slot}" for slot in wanted.requests)
    acts = tuple(said)
    moves = (Move(USER, acts=acts, requested=asked), Move(SYSTEM, acts=(), understood=acts))
    return Conversation(name, moves, goal)
