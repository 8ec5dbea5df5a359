"""The summaries of studies of users: labels that disagree with text, and distances to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...core.account import Account
from ...errors import one_line
from ...users.analysis.distance import Distance
from ...users.blame.words import LabelFinding
from ..tables import p_value, table_of
from .summary import Summary, account_text, fit, with_option

_ROWS = 10
"""Maximum number of rows of a table."""


def labels_summary(findings: Sequence[LabelFinding], account: Account, most: int, command: str = "") -> Summary:
    """Return the number of disagreements of text and acts by kind, and the first of them."""
    kinds = Counter(each.kind for each in findings)
    count = len({(each.dialogue, each.turn) for each in findings})
    verdict = f"In {count} turn{'s' * (count != 1)}, text and acts do not agree; people must decide which is wrong."
    table = table_of(
        "",
        findings[: min(most, _ROWS)],
        ("<dialogue", lambda each: fit(one_line(each.dialogue, 30), 16)),
        "turn",
        "<finding=kind",
        ("<slot", lambda each: fit(f"{each.domain}-{each.slot}", 22)),
        ("<value", lambda each: fit(one_line(each.value, 40), 18)),
    )
    return Summary(
        verdict=verdict if findings else "Text and acts agree in every turn that could be checked.",
        findings=[(kind, str(number)) for kind, number in kinds.most_common()],
        table=table if findings else None,
        account=account_text(account),
        next=with_option(command, "-f", "csv") if findings else "",
    )


def distance_summary(
    measured: Sequence[Distance], names: tuple[str, str], dialogues: int, level: float, command: str = ""
) -> Summary:
    """Return in which properties a simulated user differs from people.

    Args:
        measured: the distances.
        names: names of the files: people, then the simulated user.
        dialogues: number of dialogues in both files.
        level: a permutation test below it shows a difference.
        command: the command as typed.
    """
    tested = [each for each in measured if each.difference is not None and (each.ci is not None or each.p is not None)]
    apart = [each for each in tested if _is_apart(each, level)]
    people, bot = names
    differs = f"{one_line(bot, 40)} differs from {one_line(people, 40)}"
    if not tested:
        verdict = f"CANNOT TELL whether {differs}: nothing could be tested."
    elif not apart:
        verdict = f"CANNOT TELL whether {differs}: no difference is shown in any of {len(tested)} properties."
    else:
        verdict = f"{differs} in {len(apart)} of {len(tested)} properties."
    rest = [each for each in measured if each not in apart]
    table = table_of(
        "",
        [*apart, *rest],
        ("<", lambda each: each.measure),
        (fit(people, 12), "people:number"),
        (fit(bot, 12), "bot:number"),
        "difference:number",
        ("<interval or p", _evidence),
    )
    return Summary(
        verdict=verdict,
        table=table,
        findings=[
            ("goals", "not matched, so a difference may come from other goals"),
            ("level", f"{100 * (1 - level):g} % for each property, not corrected for {len(tested)} of them"),
        ],
        account=f"{dialogues} dialogues in both files",
        next=with_option(command, "-v"),
    )


def _is_apart(distance: Distance, level: float) -> bool:
    if distance.ci is not None:
        return distance.ci[0] > 0 or distance.ci[1] < 0
    return distance.p is not None and distance.p < level


def _evidence(distance: Distance) -> str:
    if distance.ci is not None:
        return f"{distance.ci[0]:.4g} to {distance.ci[1]:.4g}"
    return "" if distance.p is None else f"p {p_value(distance.p)}"
