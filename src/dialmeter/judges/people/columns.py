"""The scores of judges on rated items: from a file, or from judges that are asked. The trivial judges are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...errors import DialmeterError
from ...numeric import np
from ...readers.ratings.rated_item import Level, RatedItems
from ...stats.formulas import Floats
from ..ask import NO_SCORE, Ask, score_units
from ..cases import item_hash
from ..judge import Call, Judge, identity_of, make_judge
from ..judged_items import JudgedItem

TRIVIAL_JUDGES: Mapping[str, Mapping[str, str]] = {
    "reply": {"length": "length", "overlap": "overlap", "random": "random", "constant": "constant"},
    "dialogue": {
        "length": "dialogue-length",
        "overlap": "dialogue-mean(judge=overlap)",
        "random": "random",
        "constant": "constant",
    },
}
"""The trivial judges of every table, by level: the name in tables → the judge."""


class ScoreColumn(Struct, frozen=True):
    """The scores of one judge, one per item.

    Attributes:
        name: the judge's name.
        scores: one score per item; None for an unscored item.
        identity: a text with everything that the scores depend on.
        higher_is_better: True if a higher score is better, as the judge declares.
        trivial: True for a baseline.
        reasons: by index of the item, the short and the full reason why there is no score.
        asked: True if the scores come from a judge that was asked, not from a file or from references.
    """

    name: str
    scores: list[float | None]
    identity: str
    higher_is_better: bool = True
    trivial: bool = False
    reasons: dict[int, tuple[str, str]] = {}
    asked: bool = False

    @property
    def oriented(self) -> Floats:
        """The scores, with the sign changed if a lower score is better; nan for an unscored item."""
        scores = np.array(self.scores, dtype=np.float64)
        return scores if self.higher_is_better else -scores


def level_of(judge: Judge) -> Level | None:
    """The level of the items that a judge takes; None for a judge that ignores the content and takes both levels."""
    if judge.name.partition("(")[0] in ("constant", "random"):
        return None
    return "dialogue" if getattr(judge, "level", "reply") == "dialogue" else "reply"


def for_level(call: Call, level: Level, offered: Mapping[str, Any] | None = None) -> Call:
    """The judge for items of this level. For dialogues, a judge of replies is averaged over the replies.

    Example:
        >>> from dialmeter.judges.judge import parse_call
        >>> for_level(parse_call("mine=random(seed=3)"), "dialogue").name, for_level(parse_call("overlap"), "dialogue").given
        ('random', {'judge': 'overlap'})
    """
    if level == "reply" or level_of(make_judge(call, {"dialogues": [], **(offered or {})})) != "reply":
        return call
    quoted = {key: f'"{value}"' if "'" in value else f"'{value}'" for key, value in call.given.items()}
    given = ", ".join(f"{key}={value}" for key, value in quoted.items())
    return Call("dialogue-mean", {"judge": f"{call.name}({given})" if given else call.name}, call.alias)


def column_from_scores(
    name: str, scores: Sequence[float | None], higher_is_better: bool = True, *, identity: str = "", why: str = NO_SCORE
) -> ScoreColumn:
    """A column of precomputed scores.

    Example:
        >>> column_from_scores("mine", [0.5, None]).reasons
        {1: ('without a score in the file', 'without a score in the file')}
    """
    missing = {place: (why, why) for place, each in enumerate(scores) if each is None}
    trivial = not identity and name in TRIVIAL_JUDGES["reply"]
    return ScoreColumn(name, list(scores), identity or f"scores {name}", higher_is_better, trivial, missing)


def distinct_units(items: RatedItems) -> list[JudgedItem]:
    """The distinct rated items."""
    keyed = {item_hash(item.moves, item.reply): (item.moves, item.reply) for item in items.items}
    return [JudgedItem((key,), item) for key, item in keyed.items()]


def score_items(
    items: RatedItems,
    judges: Mapping[str, Judge],
    *,
    trivial: Sequence[str] = (),
    store: str | Path | None = None,
    ask: Ask | None = None,
) -> list[ScoreColumn]:
    """Ask judges about rated items. Return one column per judge.

    Args:
        items: the rated items.
        judges: judges by their name in reports.
        trivial: the names of the baselines among them.
        store: a folder that keeps scores.
        ask: answers shards; None to ask the judges in this process.

    Raises:
        DialmeterError: a judge takes items of the other level.
    """
    for name, judge in judges.items():
        if level_of(judge) not in (None, items.level):
            accepted = "whole dialogues" if items.level == "reply" else "replies"
            raise DialmeterError(f"judge {name} takes {accepted}, but the rated items are of level {items.level}")
    keys = [item_hash(item.moves, item.reply) for item in items.items]
    by_judge = score_units(dict.fromkeys(judges, distinct_units(items)), judges, store, ask)
    return [
        ScoreColumn(
            name,
            [units.scores.get(key) for key in keys],
            identity_of(judges[name]),
            judges[name].higher_is_better,
            name in trivial,
            {place: units.reasons[key] for place, key in enumerate(keys) if key in units.reasons},
            asked=True,
        )
        for name, units in by_judge.items()
    ]
