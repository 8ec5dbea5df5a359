"""Scores of users in one call, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dialmeter.core.comparison import make_resampling
from dialmeter.errors import placing
from dialmeter.model import Conversation
from dialmeter.readers.conversations import Conversations, open_conversations
from dialmeter.users.result import UserResult
from dialmeter.users.scorer import ScoringJob, UserScorer, score_conversations


def score_user(
    dialogues: str | Path | Iterable[Conversation],
    rules: Any = "dialmeter",
    profile: Any = "multiwoz",
    value_map: Any = None,
    *,
    format: str | None = None,
    from_text: bool = False,
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    keep: bool = True,
) -> UserResult:
    resampling = make_resampling(ci, resamples, seed)
    settings = UserScorer(rules, profile, value_map, from_text=from_text).settings
    conversations = open_conversations(dialogues, format) if isinstance(dialogues, str | Path) else dialogues
    table = score_conversations(conversations, ScoringJob(settings, keep=keep))
    with placing(file=conversations.name if isinstance(conversations, Conversations) else None):
        return UserResult(settings, table, resampling)
