"""The scores of runs as tables, facts about a run, and the rows that two runs have in common with a paired test."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.account import read_account
from ...core.comparability import compare_scores, in_one_line, joint_signature, shared_fields
from ...errors import DialmeterError
from ...stats import Comparison, Formula, paired_randomisation
from ..tables import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .kinds import RowsLink
    from .opened import Opened

GROUPS = ("system", "domain", "slot", "judge", "attack", "corpus", "behaviour", "dimension", "level")


def _groups(found: Mapping[str, Any]) -> dict[str, str]:
    """The groups that a score belongs to, by their name; none for a score of everything."""
    return {name: str(found[name]) for name in GROUPS if found.get(name) not in (None, "", "combined")}


def label(found: Mapping[str, Any]) -> str:
    """A score's measure, with the group that it belongs to.

    Example:
        >>> label({"measure": "error", "judge": "length", "attack": "negation", "value": 0.5})
        'error · length · negation'
    """
    return " · ".join([str(found["measure"]), *_groups(found).values()])


def score_filter(run: Opened, found: Mapping[str, Any]) -> dict[str, str]:
    """The rows behind a score: those of its group, the worst under its measure first where rows have that measure.

    Example:
        >>> from types import SimpleNamespace
        >>> from dialmeter.views.pages.user import KIND
        >>> run = SimpleNamespace(kind=KIND, columns={"I-GCDF1": None})
        >>> score_filter(run, {"measure": "I-GCDF1", "domain": "hotel"}), score_filter(run, {"measure": "I-recall", "domain": "combined"})
        ({'by': 'I-GCDF1', 'domain': 'hotel'}, {})
    """
    fields = {field.name for field in run.kind.FIELDS}
    groups = {name: text for name, text in _groups(found).items() if name in fields}
    return {**({"by": str(found["measure"])} if found["measure"] in run.columns else {}), **groups}


def score_table(run: Opened, link: RowsLink) -> Table:
    """The scores of one run, with the fields of signatures that not all scores share; values lead to the rows, the worst first."""
    scores = run.scores
    shared = _shared(scores)
    rows = tuple(
        (
            label(each),
            run.kind.value(each.get("value")),
            run.kind.limits(each),
            f"{each.get('n') or 0:,}",
            f"{each['unscored']:,}" if each.get("unscored") else "",
            "; ".join(
                [
                    *_own(each, shared),
                    *([f"no value: {each['reason']}"] if each.get("reason") else []),
                ]
            ),
        )
        for each in scores
    )
    headings = ("measure", "value", "interval", "n", "unscored", "note")
    keep = [at for at in range(6) if at < 4 or any(row[at] for row in rows)]
    kept = tuple(tuple(row[at] for at in keep) for row in rows)
    numeric = frozenset(place for place, at in enumerate(keep) if at in {1, 2, 3, 4})
    found = {at: link(run, score_filter(run, each)) for at, each in enumerate(scores) if each.get("value") is not None}
    links = {(at, keep.index(column)): address for at, address in found.items() if address for column in (1, 3)}
    return Table("Scores", tuple(headings[at] for at in keep), kept, numeric, links=links)


def with_means(run: Opened) -> list[dict[str, Any]]:
    """The scores of a run, those that sum others up before the others."""
    return [*run.kind.means(run), *run.scores]


def side_by_side(runs: Sequence[Opened]) -> Table:
    """One row per measure, and for every run its value and interval."""
    found = [{label(each): each for each in with_means(run)} for run in runs]
    names = list(dict.fromkeys(name for scores in found for name in scores))
    rows = []
    for name in names:
        cells = [name]
        for run, scores in zip(runs, found, strict=True):
            each = scores.get(name, {})
            cells += [run.kind.value(each.get("value")), run.kind.limits(each)]
        rows.append(tuple(cells))
    headings = ("measure", *(word for run in runs for word in (run.key, "interval")))
    return Table("Scores side by side", headings, tuple(rows), frozenset(range(1, len(headings))))


def signature(run: Opened) -> str:
    """The signatures of all scores in one line."""
    lines = [str(each["signature"]) for each in run.scores if each.get("signature")]
    return joint_signature(lines) if lines else ""


def _shared(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [str(each["signature"]) for each in scores if each.get("signature")]
    return shared_fields(lines) if lines else []


def _own(found: Mapping[str, Any], shared: Sequence[str]) -> list[str]:
    groups = {str(found.get(name)) for name in GROUPS}
    parts = str(found.get("signature") or "").split("|")[1:]
    return [part for part in parts if part not in shared and part.partition(":")[2] not in groups]


def facts(run: Opened) -> list[tuple[str, str]]:
    """What one wants to know first."""
    counts = run.manifest.get("counts") or {}
    found = [(name.replace("_", " "), f"{value:,}") for name, value in counts.items()][:3]
    account = read_account(run.manifest)
    if account is not None and not account.complete:
        found.append((f"{account.unit}s {account.done}", f"{account.scored:,} of {account.asked:,}"))
    rules = run.manifest.get("rules") or {}
    if rules.get("name"):
        found.append(("rules", str(rules["name"])))
    return found


def command(run: Opened) -> str:
    """The command that makes the run again, in the folder of its input."""
    return shlex.join(["dialmeter", *run.kind.again(run.manifest)])


def confidence(run: Opened) -> str:
    """The confidence of intervals in percent, if there are any."""
    how = run.manifest.get("intervals") or {}
    return f"{100 * how['confidence']:g}" if how.get("confidence") else ""


_SWAPS = 2000
_SAME = 1e-12


class Matched(NamedTuple):
    """Two runs and the positions of the rows that both have, in the order of the first.

    ``apart`` has, for each score of both, why it may not be compared, or None.
    """

    first: Opened
    second: Opened
    here: NDArray[np.int64]
    there: NDArray[np.int64]
    apart: Mapping[str, str | None]

    @property
    def why_not(self) -> str:
        """One line that says in which fields the runs differ; empty where all scores may be compared."""
        return in_one_line(self.apart) if self.apart else "measures: the runs have no score in common"

    def comparable(self, name: str) -> bool:
        """May a score be compared? One that only rows have may if all others may."""
        return self.apart[name] is None if name in self.apart else not self.why_not


def match(first: Opened, second: Opened) -> Matched:
    """Finds the rows that both runs have, by their id.

    Raises:
        DialmeterError: the runs are of two kinds, or are one run.
    """
    if first.kind is not second.kind:
        raise DialmeterError(f"{first.key} is a {first.kind.NAME} run and {second.key} a {second.kind.NAME} run")
    if first.key == second.key:
        raise DialmeterError("choose two runs; this is one and the same")
    places = {name: at for at, name in enumerate(second.findings.ids)}
    both = [(at, places[name]) for at, name in enumerate(first.findings.ids) if name in places]
    pairs = np.array(both, dtype=np.int64).reshape(-1, 2)
    apart = compare_scores(
        first.kind.NAME,
        *({label(each): str(each.get("signature") or "") for each in run.scores} for run in (first, second)),
    )
    return Matched(first, second, pairs[:, 0], pairs[:, 1], apart)


def change(matched: Matched, by: str) -> NDArray[np.float64]:
    """The score of each row in the second run minus that in the first."""
    found: NDArray[np.float64] = matched.second.columns[by][matched.there] - matched.first.columns[by][matched.here]
    return found


def ways(changes: NDArray[np.float64], higher_is_better: bool = True) -> dict[str, NDArray[np.bool_]]:
    """Which rows are better, worse or the same in the second run.

    Example:
        >>> {way: mask.tolist() for way, mask in ways(np.array([0.5, -0.5, 0.0])).items()}
        {'better': [True, False, False], 'worse': [False, True, False], 'same': [False, False, True]}
    """
    up, down = changes > _SAME, changes < -_SAME
    better, worse = (up, down) if higher_is_better else (down, up)
    return {"better": better, "worse": worse, "same": np.abs(changes) <= _SAME}


def test(matched: Matched, name: str) -> Comparison | None:
    """A paired test of the mean change per row; None with fewer than two rows."""
    before = matched.first.columns[name][matched.here]
    after = matched.second.columns[name][matched.there]
    known = np.isfinite(before) & np.isfinite(after)
    size = int(known.sum())
    if size < 2:
        return None
    mean = Formula(lambda sums: sums[..., 0] / size)
    found = paired_randomisation(
        before[known][:, None], after[known][:, None], {"m": mean}, resamples=_SWAPS, mid_p=True
    )
    return found["m"]
