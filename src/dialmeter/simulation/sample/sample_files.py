"""The files that ``dialmeter sample`` generates from the town alone, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ...model import Conversation
from ..agents import choose
from ..files import sampled
from ..play import Setting, line, play
from ..trackers import KEYWORD
from ..world.value_map import published
from .agent_logs import agent_log
from .ratings import rated_dialogues, rated_replies, rated_turns
from .tracker_files import completions, framed, gold_only, lines, schema, share_files, tracker_dialogues

GOALS, SEED, NOISE = 200, 7, 0.1
SHARES_FOLDER = "shares"


def play_users(user: str) -> list[Conversation]:
    """Play the dialogues of a user, as ``dialmeter user play --user USER --goals 200 --noise 0.1 --seed 7`` does."""
    setting = Setting(choose(user, "user"), choose("rule", "system"), NOISE, SEED)
    return list(play(sampled(GOALS, SEED), setting))


def sample_files(agenda: list[Conversation]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files; a name may contain a folder. The contents never change.

    Args:
        agenda: the dialogues of the user ``agenda``, see :func:`play_users`.
    """
    forgetful = play_users("forgetful")
    base, new = tracker_dialogues(agenda, KEYWORD), tracker_dialogues(agenda)
    yield "base.jsonl", lines(base)
    yield "new.jsonl", lines(new)
    yield "gold.jsonl", lines(gold_only(new))
    yield "completions.jsonl", _json_lines(completions(base))
    yield "frames.jsonl", lines(framed(agenda, new))
    yield "schema.json", _pretty(schema())
    yield "tracker-ratings.csv", rated_dialogues(new)
    for name, content in share_files(new):
        yield f"{SHARES_FOLDER}/{name}", content
    yield "agenda.jsonl", _json_lines(map(line, agenda))
    yield "forgetful.jsonl", _json_lines(map(line, forgetful))
    yield "goals.json", _pretty({talk.id: talk.goal for talk in agenda})
    yield "map.json", _pretty(published())
    yield "ratings.jsonl", _json_lines(rated_replies(agenda))
    yield "satisfaction.txt", rated_turns(agenda)
    yield "desk-base.json", _pretty(agent_log("rule(failures=0.2)"))
    yield "desk-new.json", _pretty(agent_log("rule"))


def _json_lines(rows: Iterable[object]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _pretty(document: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
