"""Tables of the scores of runs, facts about a run, and the rows that two runs share."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.account import read_account
from ...core.comparability import joint_signature, not_comparable, shared_fields
from ...core.comparison import change_signs
from ...errors import DialmeterError
from ...numeric import NDArray, np
from ..tables import Table

if TYPE_CHECKING:
    from .kinds import RowsLink
    from .opened_run import OpenedRun

GROUPS = ("system", "domain", "slot", "judge", "attack", "corpus", "behaviour", "facet", "level")


def _groups(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the groups of a score, by name; empty for a score of the whole run."""
    names = [name for name in GROUPS if name != "facet" or not entry.get("attack")]  # an attack has one facet
    return {name: str(entry[name]) for name in names if entry.get(name) not in (None, "", "combined")}


def score_label(entry: Mapping[str, Any]) -> str:
    """Return the measure of a score with its groups.

    Example:
        >>> score_label({"measure": "error", "judge": "length", "attack": "negation", "value": 0.5})
        'error · length · negation'
    """
    return " · ".join([str(entry["measure"]), *_groups(entry).values()])


def score_filter(run: OpenedRun, entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the filter for the rows of a score: the rows of its group, sorted by its measure if rows have that measure.

    Example:
        >>> from types import SimpleNamespace
        >>> from dialmeter.views.pages.user import KIND
        >>> run = SimpleNamespace(kind=KIND, columns={"I-GCDF1": None})
        >>> score_filter(run, {"measure": "I-GCDF1", "domain": "hotel"}), score_filter(run, {"measure": "I-recall", "domain": "combined"})
        ({'by': 'I-GCDF1', 'domain': 'hotel'}, {})
    """
    fields = {field.name for field in run.kind.FIELDS}
    groups = {name: text for name, text in _groups(entry).items() if name in fields}
    return {**({"by": str(entry["measure"])} if entry["measure"] in run.columns else {}), **groups}


def score_table(run: OpenedRun, link: RowsLink, key: str = "scores", title: str = "Scores") -> Table:
    """Return scores of one run, with the signature fields that not all of them share; values link to the rows, worst first.

    Args:
        run: the run.
        link: gives the address of rows.
        key: the scores in ``run.json``.
        title: the title of the table.
    """
    scores: list[dict[str, Any]] = run.manifest.get(key) or []
    signatures = [str(each["signature"]) for each in scores if each.get("signature")]
    shared = shared_fields(signatures) if signatures else []
    rows = tuple(
        (
            score_label(each),
            run.kind.value(each.get("value")),
            run.kind.limits(each),
            f"{each.get('n') or 0:,}",
            f"{each['unscored']:,}" if each.get("unscored") else "",
            "; ".join(
                [
                    *_own_fields(each, shared),
                    *([f"no value: {each['reason']}"] if each.get("reason") else []),
                ]
            ),
        )
        for each in scores
    )
    headings = ("measure", "value", "interval", "n", "unscored", "note")
    columns = [at for at in range(6) if at < 4 or any(row[at] for row in rows)]
    cells = tuple(tuple(row[at] for at in columns) for row in rows)
    numeric = frozenset(place for place, at in enumerate(columns) if at in {1, 2, 3, 4})
    addresses = {
        at: link(run, score_filter(run, each)) for at, each in enumerate(scores) if each.get("value") is not None
    }
    links = {(at, columns.index(column)): address for at, address in addresses.items() if address for column in (1, 3)}
    return Table(title, tuple(headings[at] for at in columns), cells, numeric, links=links)


def means_and_scores(run: OpenedRun) -> list[dict[str, Any]]:
    """Return the scores of a run; means come first."""
    return [*run.kind.means(run), *run.scores]


def scores_by_run(runs: Sequence[OpenedRun]) -> Table:
    """Return one row per measure, with the value and interval of every run."""
    by_run = [{score_label(each): each for each in means_and_scores(run)} for run in runs]
    names = list(dict.fromkeys(name for scores in by_run for name in scores))
    rows = []
    for name in names:
        cells = [name]
        for run, scores in zip(runs, by_run, strict=True):
            each = scores.get(name, {})
            cells += [run.kind.value(each.get("value")), run.kind.limits(each)]
        rows.append(tuple(cells))
    headings = ("measure", *(word for run in runs for word in (run.key, "interval")))
    return Table("Scores side by side", headings, tuple(rows), frozenset(range(1, len(headings))))


def signature(run: OpenedRun) -> str:
    """Return the signatures of all scores in one line."""
    lines = [str(each["signature"]) for each in run.scores if each.get("signature")]
    return joint_signature(lines) if lines else ""


def _own_fields(entry: Mapping[str, Any], shared: Sequence[str]) -> list[str]:
    groups = {str(entry.get(name)) for name in GROUPS}
    parts = str(entry.get("signature") or "").split("|")[1:]
    return [part for part in parts if part not in shared and part.partition(":")[2] not in groups]


def facts(run: OpenedRun) -> list[tuple[str, str]]:
    """Return the main facts of a run: counts, the account if incomplete, and the rules."""
    counts = run.manifest.get("counts") or {}
    result = [(name.replace("_", " "), f"{value:,}") for name, value in counts.items()][:3]
    account = read_account(run.manifest)
    if account is not None and not account.complete:
        result.append((f"{account.unit}s {account.done}", f"{account.scored:,} of {account.asked:,}"))
    rules = run.manifest.get("rules") or {}
    if rules.get("name"):
        result.append(("rules", str(rules["name"])))
    return result


def command(run: OpenedRun) -> str:
    """Return the command that reproduces the run in the folder of its input; empty for a run that no command made."""
    words: list[str] = run.manifest.get("words") or []
    return shlex.join(["dialmeter", *words]) if words else ""


def confidence(run: OpenedRun) -> str:
    """Return the confidence level of intervals in percent; empty if there are none."""
    settings = run.manifest.get("intervals") or {}
    return f"{100 * settings['confidence']:g}" if settings.get("confidence") else ""


class MatchedRuns(NamedTuple):
    """Two runs and the positions of the rows that both share, in the order of the first run.

    Attributes:
        first: the first run.
        second: the second run.
        first_rows: positions of the shared rows in the first run.
        second_rows: positions of the shared rows in the second run.
        refusals: for each score of both runs, the reason why it may not be compared, or None.
    """

    first: OpenedRun
    second: OpenedRun
    first_rows: NDArray[np.int64]
    second_rows: NDArray[np.int64]
    refusals: Mapping[str, str | None]

    @property
    def why_not(self) -> str:
        """One line with the fields in which the runs differ; empty if all scores may be compared."""
        if not self.refusals:
            return "measures: the runs have no score in common"
        return "; ".join(dict.fromkeys(part for line in self.refusals.values() if line for part in line.split("; ")))

    def comparable(self, name: str) -> bool:
        """Return whether a score may be compared. A score that only rows have may be compared if all others may."""
        return self.refusals[name] is None if name in self.refusals else not self.why_not

    def columns(self, by: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the score of each shared row in the first run and in the second run."""
        return self.first.columns[by][self.first_rows], self.second.columns[by][self.second_rows]

    def changes(self, by: str) -> dict[str, NDArray[np.bool_]]:
        """Return masks of the shared rows that are better, worse or the same in the second run."""
        return change_masks(*self.columns(by), self.first.kind.HIGHER_IS_BETTER)


def match(first: OpenedRun, second: OpenedRun) -> MatchedRuns:
    """Match the rows of two runs by their id.

    Raises:
        DialmeterError: the runs are of different kinds, or are the same run.
    """
    if first.kind is not second.kind:
        raise DialmeterError(f"{first.key} is a {first.kind.NAME} run and {second.key} a {second.kind.NAME} run")
    if first.key == second.key:
        raise DialmeterError("choose two different runs; both are the same run")
    positions = {name: at for at, name in enumerate(second.findings.ids)}
    shared = [(at, positions[name]) for at, name in enumerate(first.findings.ids) if name in positions]
    pairs = np.array(shared, dtype=np.int64).reshape(-1, 2)
    one, other = (
        {score_label(each): str(each.get("signature") or "") for each in run.scores} for run in (first, second)
    )
    refusals = {name: not_comparable(first.kind.NAME, one[name], other[name]) for name in one if name in other}
    return MatchedRuns(first, second, pairs[:, 0], pairs[:, 1], refusals)


def change_masks(
    before: NDArray[np.float64], after: NDArray[np.float64], higher_is_better: bool = True
) -> dict[str, NDArray[np.bool_]]:
    """Return masks of the rows that are better, worse or the same in the second run. An unscored row is the same.

    Example:
        >>> masks = change_masks(np.array([0.0, 0.5, 0.1 + 0.2]), np.array([0.5, 0.0, 0.3]))
        >>> {way: mask.tolist() for way, mask in masks.items()}
        {'better': [True, False, False], 'worse': [False, True, False], 'same': [False, False, True]}
    """
    signs = change_signs(before, after) * (1 if higher_is_better else -1)
    return {"better": signs > 0, "worse": signs < 0, "same": signs == 0}
