"""``dialmeter user compare --distance``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..._version import __version__
from ...core.account import Account, account_fields, count_reasons, refused_dialogues
from ...core.comparison import PairedDifference, Resampling
from ...core.document import describe_intervals, make_document
from ...errors import DialmeterError, InputError, one_line
from ...model import Conversation, Notice
from ...readers.conversations import open_conversations
from ...users.analysis.distance import Distance, distances
from ...users.analysis.older_measures import paired_measures, score_divergences
from ...users.outcome import COMBINED
from ...users.result import UserSettings
from ...users.score_table import column
from ...users.scorer import UserScorer
from ...views.tables import Table
from ..options import chosen_resampling
from ..printer import EVERY, TEXT, Block, Output
from ..progress import expect_files, watched
from ..several import named_notices
from .documents import UserCompareDocument
from .scoring import chosen_how


def compare_distance(names: Mapping[str, str], options: dict[str, Any]) -> Output:
    """How the user of the second file differs from the people of the first.

    Args:
        names: name → file; exactly two.
        options: of the command.

    Raises:
        DialmeterError: not two files, or one without turns of a user.
    """
    if len(names) != 2:
        raise DialmeterError("--distance takes two files: dialogues of people, then those of the simulated user")
    resampling = chosen_resampling(options) or Resampling()
    expect_files(len(names))
    talks: dict[str, list[Conversation]] = {}
    accounts: dict[str, Account] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        file = open_conversations(path, options["format"], options["goals"])
        talks[name] = list(watched(file, file, options["quiet"]))
        unread = refused_dialogues(file.refused)
        asked = len(talks[name]) + len(unread)
        accounts[name] = Account("dialogue", asked, asked, len(talks[name]), count_reasons(unread), "read")
        notices += named_notices(name, file.notices)
    human, simulated = names
    paired, unpaired = paired_measures(talks[human], talks[simulated], resampling)
    how = chosen_how(options)
    scores, unscored = _scores(talks, how)
    found = [
        *distances(talks[human], talks[simulated], resampling),
        *paired,
        *score_divergences(scores, resampling, how.signed),
    ]
    notices += [*unpaired, *unscored]
    return Output(
        document=lambda _: make_document(
            UserCompareDocument,
            scores=[
                {
                    "measure": each.measure,
                    "value": value,
                    "ci": each.ci if value is not None and each.difference is None else None,
                    "n": len(talks[name]),
                    "unscored": 0,
                    "domain": COMBINED,
                    "signature": "|".join([each.measure, *each.signed, f"d:{len(talks[name])}", f"v:{__version__}"]),
                    "system": name,
                }
                for each in found
                for name, value in ((human, each.human), (simulated, each.simulated))
            ],
            **account_fields(accounts),
            counts={"dialogues": sum(map(len, talks.values())), "systems": 2},
            warnings=notices,
            versus=[
                PairedDifference(
                    each.measure, simulated, human, each.difference, each.ci, each.p, None, 0, 0, 0, _chance(each)
                )
                for each in found
                if each.difference is not None
            ],
            domain=COMBINED,
            intervals=describe_intervals(resampling),
        ),
        parts=_parts(found, names, accounts),
        notices=notices,
    )


def _scores(
    talks: Mapping[str, Sequence[Conversation]], how: UserSettings
) -> tuple[dict[str, tuple[list[float], list[float]]], list[Notice]]:
    """I-GCDF1 and R-GCDF1 of every dialogue of both users, and how many dialogues have none."""
    score_tables, notices = [], []
    for name, side in talks.items():
        scorer = UserScorer.under(how)
        for talk in side:
            try:
                scorer.add(talk)
            except InputError as error:
                scorer.refuse(error)
        score_tables.append(scorer.score_table.rows)
        if scorer.refused:
            reason = one_line(scorer.refused[0].message, 200)
            message = f"{name}: CvM leaves out {len(scorer.refused)} of {len(side)} dialogues, such as for: {reason}"
            notices.append(Notice("unscored", len(scorer.refused), message))
    human, simulated = score_tables
    return {
        measure: (
            list(column(human, measure, COMBINED).values()),
            list(column(simulated, measure, COMBINED).values()),
        )
        for measure in ("I-GCDF1", "R-GCDF1")
    }, notices


def _chance(found: Distance) -> str:
    return "" if found.chance is None else f"by chance up to {found.chance:.4g}"


def _parts(found: Sequence[Distance], names: Mapping[str, str], accounts: Mapping[str, Account]) -> Iterator[Block]:
    rows = tuple(
        (
            each.measure,
            *("–" if value is None else f"{value:.4g}" for value in (each.human, each.simulated, each.difference)),
            f"{each.ci[0]:.4g} to {each.ci[1]:.4g}" if each.ci else _chance(each),
            each.title,
        )
        for each in found
    )
    foot = tuple(f"{name}: {account.line}" for name, account in accounts.items())
    headings = ("measure", *names, "difference", "interval", "meaning")
    yield Block(Table("", headings, rows, frozenset(range(1, 5)), foot=foot), EVERY)
    yield Block("Goals are not matched: a difference may come from other goals. Numbers are not percent.", TEXT)
