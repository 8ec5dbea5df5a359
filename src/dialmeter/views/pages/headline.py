"""The scores of runs as a table, what their signatures share, and facts about a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.account import account_in
from ..html_env import score
from ..tables import Table, interval
from ..tracker import shared_fields
from .kinds import Headline

if TYPE_CHECKING:
    from .opened import Opened

GROUPS = ("system", "domain", "slot", "judge", "attack", "corpus", "behaviour")


def label(found: Mapping[str, Any]) -> str:
    """A score's measure, with the group that it belongs to.

    Example:
        >>> label({"measure": "error", "judge": "length", "attack": "negation", "value": 0.5})
        'error · length · negation'
    """
    groups = (str(found[name]) for name in GROUPS if found.get(name) not in (None, "", "combined"))
    return " · ".join([str(found["measure"]), *groups])


def score_table(run: Opened) -> Table:
    """The scores of one run, with what of the signature is a measure's own."""
    scores = run.scores
    shared = _shared(scores)
    rows = tuple(
        (
            label(each),
            score(each.get("value")),
            _interval(each),
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
    return Table("Scores", tuple(headings[at] for at in keep), kept, numeric)


def first_score(manifest: Mapping[str, Any]) -> Headline:
    """The headline of a run whose first score is the one that matters."""
    scores = manifest.get("scores") or [{}]
    first = scores[0] if isinstance(scores, list) and isinstance(scores[0], dict) else {}
    value = first.get("value")
    number = value if isinstance(value, float | int) else None
    return Headline(f"{first.get('measure', '')} {score(number)}".strip(), number)


def with_means(run: Opened) -> list[dict[str, Any]]:
    """The scores of a run, those that sum others up before the others."""
    return [*run.kind.means(run), *run.scores]


def side_by_side(runs: Sequence[Opened]) -> Table:
    """One row per measure, and for every run its value and interval."""
    found = [{label(each): each for each in with_means(run)} for run in runs]
    names = list(dict.fromkeys(name for scores in found for name in scores))
    rows = tuple(
        (
            name,
            *(
                cell
                for scores in found
                for cell in (
                    score(scores[name].get("value") if name in scores else None),
                    _interval(scores[name]) if name in scores else "",
                )
            ),
        )
        for name in names
    )
    headings = ("measure", *(word for run in runs for word in (run.key, "interval")))
    return Table("Scores side by side", headings, rows, frozenset(range(1, len(headings))))


def _interval(found: Mapping[str, Any]) -> str:
    return interval(found.get("ci"), str(found.get("ci_reason") or ""))


def signature(run: Opened) -> str:
    """What the signatures of all scores share, in one line."""
    return "|".join(["…", *_shared(run.scores)])


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
    found = [(name.replace("_", " "), f"{value:,}") for name, value in counts.items() if isinstance(value, int)][:3]
    account = account_in(run.manifest)
    if account is not None and not account.complete:
        found.append((f"{account.unit}s {account.done}", f"{account.scored:,} of {account.asked:,}"))
    rules = run.manifest.get("rules")
    if isinstance(rules, dict) and rules.get("name"):
        found.append(("rules", str(rules["name"])))
    return found


def confidence(run: Opened) -> str:
    """The confidence of intervals in percent, if there are any."""
    how = run.manifest.get("intervals")
    return f"{100 * how['confidence']:g}" if isinstance(how, dict) and how.get("confidence") else ""
