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
from ...users.analysis.distance import Distance, distances, paired_measures, score_divergences
from ...users.events import COMBINED
from ...users.result import UserSettings
from ...users.score_table import column
from ...users.scorer import UserScorer
from ...views.tables import Table
from ..options import resampling_from_options
from ..printer import EVERY, TEXT, Block, Output
from ..progress import expect_files, track_reading
from ..several import named_notices
from .documents import UserCompareDocument
from .scoring import user_settings_from_options


def compare_distance(names: Mapping[str, str], options: dict[str, Any]) -> Output:
    """Measure how the user of the second file differs from the people of the first file.

    Args:
        names: name → file; exactly two.
        options: the options of the command.

    Raises:
        DialmeterError: there are not exactly two files, or a file has no turns of a user.
    """
    if len(names) != 2:
        raise DialmeterError("--distance takes two files: dialogues of people, then those of the simulated user")
    resampling = resampling_from_options(options) or Resampling()
    expect_files(len(names))
    talks: dict[str, list[Conversation]] = {}
    accounts: dict[str, Account] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        file = open_conversations(path, options["format"], options["goals"])
        talks[name] = list(track_reading(file, file, options["quiet"]))
        refused = refused_dialogues(file.refused)
        total = len(talks[name]) + len(refused)
        accounts[name] = Account("dialogue", total, total, len(talks[name]), count_reasons(refused), "read")
        notices += named_notices(name, file.notices)
    human, simulated = names
    paired, unpaired = paired_measures(talks[human], talks[simulated], resampling)
    settings = user_settings_from_options(options)
    scores, unscored = _scores(talks, settings)
    measured = [
        *distances(talks[human], talks[simulated], resampling),
        *paired,
        *score_divergences(scores, resampling, settings.signed),
    ]
    notices += [*unpaired, *unscored]
    return Output(
        document=lambda _: make_document(
            UserCompareDocument,
            ladder=[],
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
                for each in measured
                for name, value in ((human, each.human), (simulated, each.simulated))
            ],
            **account_fields(accounts),
            counts={"dialogues": sum(map(len, talks.values())), "systems": 2},
            warnings=notices,
            versus=[
                PairedDifference(
                    each.measure, simulated, human, each.difference, each.ci, each.p, None, 0, 0, 0, _chance_text(each)
                )
                for each in measured
                if each.difference is not None
            ],
            domain=COMBINED,
            intervals=describe_intervals(resampling),
        ),
        parts=_parts(measured, names, accounts),
        notices=notices,
    )


def _scores(
    talks: Mapping[str, Sequence[Conversation]], settings: UserSettings
) -> tuple[dict[str, tuple[list[float], list[float]]], list[Notice]]:
    """Return I-GCDF1 and R-GCDF1 of every dialogue of both users, and warnings about unscored dialogues."""
    score_tables, notices = [], []
    for name, side in talks.items():
        scorer = UserScorer.under(settings)
        for talk in side:
            try:
                scorer.add(talk)
            except InputError as error:
                scorer.refuse(error)
        score_tables.append(scorer.score_table.rows)
        if scorer.refused:
            reason = one_line(scorer.refused[0].message, 200)
            message = (
                f"{name}: {len(scorer.refused)} of {len(side)} dialogues are unscored for CvM; first reason: {reason}"
            )
            notices.append(Notice("unscored", len(scorer.refused), message))
    human, simulated = score_tables
    return {
        measure: (
            list(column(human, measure, COMBINED).values()),
            list(column(simulated, measure, COMBINED).values()),
        )
        for measure in ("I-GCDF1", "R-GCDF1")
    }, notices


def _chance_text(measured: Distance) -> str:
    return "" if measured.chance is None else f"by chance up to {measured.chance:.4g}"


def _parts(measured: Sequence[Distance], names: Mapping[str, str], accounts: Mapping[str, Account]) -> Iterator[Block]:
    rows = tuple(
        (
            each.measure,
            *("–" if value is None else f"{value:.4g}" for value in (each.human, each.simulated, each.difference)),
            f"{each.ci[0]:.4g} to {each.ci[1]:.4g}" if each.ci else _chance_text(each),
            each.title,
        )
        for each in measured
    )
    foot = tuple(f"{name}: {account.line}" for name, account in accounts.items())
    headings = ("measure", *names, "difference", "interval", "meaning")
    yield Block(Table("", headings, rows, frozenset(range(1, 5)), foot=foot), EVERY)
    yield Block("Goals are not matched: a difference may come from different goals. Numbers are not percentages.", TEXT)
