"""Checks of dialogues before scoring: their contents, dialogues that cannot be scored, and the score of a perfect user."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.result import score_dict
from ...errors import InputError
from ...model import SYSTEM, USER, Act, Conversation, Goal, Move, Notice
from ...progress import track_reading
from ...readers.conversations import Conversations
from ..events import COMBINED
from ..profile import Acts, Profile
from ..result import SHOWN, UserSettings
from ..scorer import UserScorer


class UserCheck(Struct, frozen=True):
    """The result of checking a file. Dialogues that cannot be scored are problems; everything else is a notice."""

    format: str
    account: Account
    counts: dict[str, int]
    notices: list[Notice]
    refused: list[InputError]
    self_scores: list[dict[str, Any]]

    @property
    def problems(self) -> list[Notice]:
        """One notice for each dialogue that cannot be scored."""
        return [Notice("unscored", 1, error.message, (str(error),)) for error in self.refused]

    @property
    def valid(self) -> bool:
        """True if every dialogue can be scored."""
        return not self.refused and self.counts["dialogues"] > 0


def check_conversations(conversations: Conversations, settings: UserSettings) -> UserCheck:
    """Check an open file with the settings for scoring."""
    scorer = UserScorer.under(settings)
    perfect = UserScorer(settings.rules, with_plain_acts(settings.profile), settings.value_map)
    counts = dict.fromkeys(("dialogues", "turns", "domains", "constraints", "requests"), 0)
    domains: set[str] = set()
    table = scorer.score_table
    for _, outcome in scorer.add_all(track_reading(conversations), conversations.name):
        perfect.add(saying_exactly(outcome.id, outcome.goal))
        domains.update(outcome.goal)
        for domain_goal in outcome.goal.values():
            counts["constraints"] += sum(map(len, domain_goal.parts.values()))
            counts["requests"] += len(domain_goal.requests)
    table.refused += conversations.refused
    table.notices += conversations.notices
    scored = len(table.rows)
    counts.update(dialogues=scored, turns=table.turns, domains=len(domains))
    asked = scored + len(table.refused)
    account = Account("dialogue", asked, asked, scored, count_reasons(refused_dialogues(table.refused)))
    if not scored:
        return UserCheck(conversations.format, account, counts, table.notices, table.refused, [])
    notices = [each for each in scorer.result().notices if each.code != "unscored"]
    # Two values of an imperfect goal are equal under the rules, or never count.
    imperfect = [
        name
        for name, row in perfect.score_table.rows.items()
        if any(parts is not None and parts.f1 < 1 for parts in (row["I", COMBINED], row["R", COMBINED]))
    ]
    if imperfect:
        message = f"{len(imperfect)} goals with a score below 1 for a user who says exactly its goal, under these rules and values"
        notices.append(Notice("self-score", len(imperfect), message, tuple(imperfect[:SHOWN])))
    self_scores = [score_dict(perfect.result().score((name, COMBINED))) for name in ("I-GCDF1", "R-GCDF1")]
    return UserCheck(conversations.format, account, counts, notices, table.refused, self_scores)


def with_plain_acts(profile: Profile) -> Profile:
    """Return a profile in which ``inform`` and ``request`` are the names of the acts that :func:`saying_exactly` uses.

    The rest of the profile does not change. So the perfect user of any corpus can be scored, whatever the names of its acts.

    Example:
        >>> from dialmeter.users.profile import named
        >>> with_plain_acts(named("sgd")).acts.inform
        '^inform$'
    """
    return replace(profile, acts=Acts(inform="^inform$", request="^request$", raw="^request$"))


def saying_exactly(name: str, goal: Goal) -> Conversation:
    """Return a dialogue whose user says every constraint of its goal once and makes every request once, in one turn.

    Example:
        >>> from dialmeter.model import DomainGoal
        >>> conversation = saying_exactly("d1", {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))})
        >>> [(act.name, act.slot) for act in conversation.moves[0].acts]
        [('inform', 'area'), ('request', 'phone')]
    """
    said: list[Act] = []
    asked: dict[str, tuple[str, ...]] = {}
    for domain, domain_goal in goal.items():
        constraints = dict.fromkeys(pair for part in domain_goal.parts.values() for pair in part.items())
        said += [Act("inform", domain, slot, (value,)) for slot, value in constraints]
        said += [Act("request", domain, slot, ("?",)) for slot in domain_goal.requests]
        asked[domain] = tuple(f"{domain}-{slot}" for slot in domain_goal.requests)
    acts = tuple(said)
    moves = (Move(USER, acts=acts, requested=asked), Move(SYSTEM, acts=(), understood=acts))
    return Conversation(name, moves, goal)
