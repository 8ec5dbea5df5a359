"""``dialmeter user compare --distance``"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..._version import __version__
from ...core.account import Account, counted, in_documents
from ...core.comparison import PairedDifference, Resampling
from ...core.document import bootstrap, make_document
from ...errors import DialmeterError, one_line
from ...model import Conversation, Notice
from ...readers.conversations import open_conversations
from ...users.analysis.distance import Distance, distances
from ...users.outcome import COMBINED
from ...views.tables import Table
from ..options import chosen_resampling
from ..printer import EVERY, TEXT, Block, Output
from ..progress import watched
from .documents import UserCompareDocument


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
    talks: dict[str, list[Conversation]] = {}
    accounts: dict[str, Account] = {}
    notices: list[Notice] = []
    for name, path in names.items():
        file = open_conversations(path, options["form"], options["goals"])
        talks[name] = list(watched(file, file, options["quiet"]))
        unread = [(each.dialogue or "", one_line(each.message, 100)) for each in file.refused]
        asked = len(talks[name]) + len(unread)
        accounts[name] = Account("dialogue", asked, asked, len(talks[name]), counted(unread), "read")
        notices += [Notice(each.code, each.count, f"{name}: {each.message}", each.where) for each in file.notices]
    human, simulated = names
    found = distances(talks[human], talks[simulated], resampling)
    return Output(
        document=lambda _: make_document(
            UserCompareDocument,
            scores=[
                {
                    "measure": each.measure,
                    "value": value,
                    "ci": None,
                    "n": len(talks[name]),
                    "unscored": 0,
                    "domain": COMBINED,
                    "signature": f"{each.measure}|d:{len(talks[name])}|v:{__version__}",
                    "system": name,
                }
                for each in found
                for name, value in ((human, each.human), (simulated, each.simulated))
            ],
            **in_documents(accounts),
            counts={"dialogues": sum(map(len, talks.values())), "systems": 2},
            warnings=notices,
            versus=[
                PairedDifference(
                    each.measure, simulated, human, each.difference, each.ci, each.p, None, 0, 0, 0, _chance(each)
                )
                for each in found
            ],
            domain=COMBINED,
            intervals=bootstrap(resampling),
        ),
        parts=_parts(found, names, accounts),
        notices=notices,
    )


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
    headings = ("measure", *names, "difference", "its interval", "meaning")
    yield Block(Table("", headings, rows, frozenset(range(1, 5)), foot=foot), EVERY)
    yield Block("Goals are not matched: a difference may come from other goals. Numbers are not percent.", TEXT)
