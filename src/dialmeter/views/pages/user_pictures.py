"""The charts of user runs, whose bars lead to the dialogues that they count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..chart_files import slug
from ..charts.data import Estimate
from .common_pictures import bar_chart, spread
from .kinds import Picture, RowsLink

if TYPE_CHECKING:
    from .opened import Opened

EVENTS = 12


def pictures(runs: Sequence[Opened], link: RowsLink) -> Iterator[Picture]:
    """For each run, scores by domain, their spread, events, and who lost units of the goal."""
    for run in runs:
        of = f" of {run.key}" if len(runs) > 1 else ""
        yield _by_domain(run, link, of)
        yield spread(run, link, of)
        yield _events(run, link, of)
        if run.findings.options("party"):
            yield _parties(run, link, of)


def _by_domain(run: Opened, link: RowsLink, of: str) -> Picture:
    scores: dict[str, dict[str, Estimate]] = {}
    links: dict[tuple[str, str], str] = {}
    words: dict[str, str] = {}
    for each in run.scores:
        measure, domain = str(each["measure"]), str(each.get("domain", "combined"))
        if not measure.endswith("GCDF1"):
            continue
        scores.setdefault(measure, {})[domain] = Estimate(each.get("value"), *(each.get("ci") or ()))
        chosen = {"by": measure, **({} if domain == "combined" else {"domain": domain})}
        links[measure, domain] = link(run, chosen)
        words[links[measure, domain]] = f"{measure} in {domain}: {each.get('n')} dialogues, the worst first"
    return bar_chart(
        f"domains-{slug(run.key)}", f"Scores by domain{of}", "F1 in percent", scores, links=links, words=words
    )


def _events(run: Opened, link: RowsLink, of: str) -> Picture:
    counts = run.findings.counts("event", "domain")
    totals = run.findings.counts("event")
    names = [name for (name,), _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])) if name][:EVENTS]
    domains = [domain for domain in run.findings.options("domain") if any(counts[name, domain] for name in names)]
    scores = {
        domain: {name: Estimate(counts[name, domain]) for name in names if counts[name, domain]} for domain in domains
    }
    links = {
        (domain, name): link(run, {"domain": domain, "event": name})
        for domain, found in scores.items()
        for name in found
    }
    words = {links[domain, name]: f"{name} in {domain}: {counts[name, domain]:,}" for domain, name in links}
    name, title = f"events-{slug(run.key)}", f"What happened{of}"
    return bar_chart(name, title, "number of events", scores, links=links, words=words, as_percent=False)


def _parties(run: Opened, link: RowsLink, of: str) -> Picture:
    counts = run.findings.counts("party", "domain")
    scores: dict[str, dict[str, Estimate]] = {}
    for (party, domain), size in sorted(counts.items()):
        if party and domain:
            scores.setdefault(party, {})[domain] = Estimate(size)
    links = {
        (party, domain): link(run, {"party": party, "domain": domain})
        for party, found in scores.items()
        for domain in found
    }
    words = {links[party, domain]: f"lost by {party} in {domain}: {counts[party, domain]:,}" for party, domain in links}
    name, title = f"parties-{slug(run.key)}", f"Who lost units of the goal{of}"
    return bar_chart(name, title, "lost units", scores, links=links, words=words, as_percent=False)
