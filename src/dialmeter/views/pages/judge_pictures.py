"""The charts of judge runs, whose bars lead to the cases that they count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..chart_files import slug
from ..charts.data import Estimate
from .common_pictures import bar_chart, spread
from .kinds import Picture, RowsLink

if TYPE_CHECKING:
    from .opened import Opened


def pictures(runs: Sequence[Opened], link: RowsLink) -> Iterator[Picture]:
    """For each run, error rates by attack (one picture per corpus), and how many judges each case leads astray."""
    for run in runs:
        of = f" of {run.key}" if len(runs) > 1 else ""
        for corpus in dict.fromkeys(str(each.get("corpus", "")) for each in run.scores):
            yield _errors(run, corpus, link, of)
        yield spread(run, link, of)


def _errors(run: Opened, corpus: str, link: RowsLink, of: str) -> Picture:
    scores: dict[str, dict[str, Estimate]] = {}
    links: dict[tuple[str, str], str] = {}
    words: dict[str, str] = {}
    for each in run.scores:
        if str(each.get("corpus", "")) != corpus or each.get("value") is None:
            continue
        judge, attack = str(each["judge"]), str(each["attack"])
        scores.setdefault(judge, {})[attack] = Estimate(each.get("value"), *(each.get("ci") or ()))
        chosen = {"attack": attack, "judge": judge, "verdict": "error", **({"corpus": corpus} if corpus else {})}
        address = links[judge, attack] = link(run, chosen)
        words[address] = f"{judge} under {attack}: wrong in {100 * each['value']:.1f} % of {each.get('n')} cases"
    title = f"Error rates by attack{of}" + (f", corpus {corpus}" if corpus else "")
    name = f"errors-{slug(run.key)}-{slug(corpus)}"
    return bar_chart(name, title, "error rate in percent", scores, links=links, words=words)
