"""Judge runs: a row is an attacked reply, and a finding is the verdict of one judge about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace

from ...judges.cases import READING
from ...judges.language.words import changed_spans
from ...judges.matrix import CaseVerdict
from ...judges.record import CaseRow
from ...numeric import np
from ..chart_files import Chart, slug
from ..charts.bars import BARS
from ..charts.data import grouped
from ..html_env import score
from ..tables import Table, percent
from .charts import add_score, spread_charts
from .findings import Finding
from .kinds import (
    Cell,
    Conditions,
    Grouping,
    Headline,
    RowsLink,
    RunKind,
    fields,
    linked_table,
    no_link,
    pivot,
)

if TYPE_CHECKING:
    from .kinds import Column
    from .opened_run import OpenedRun

ALL_JUDGES = "judges wrong"
RECENT = 6
"""Number of turns of the context that are visible by default."""
VERDICTS: dict[bool | None, str] = {True: "right", False: "error", None: "not counted"}
PREFERRED = {"higher": "human", "similar": "neither", "lower": "adversarial"}


class JudgeKind(RunKind):
    """Runs of ``judge score``."""

    NAME = "judge"
    UNIT = ("case", "cases")
    HIGHER_IS_BETTER = False
    ROW = CaseRow
    FIRST_COLUMN = ALL_JUDGES
    MISTAKE_CONDITIONS: ClassVar[Conditions] = {"verdict": (VERDICTS[False],)}
    GROUPINGS = tuple(
        Grouping(
            field,
            "error rate in percent",
            {"verdict": (VERDICTS[False],)},
            ("judge", "variant"),
            chances={"verdict": (VERDICTS[False], VERDICTS[True])},
            own=True,
        )
        for field in ("attack", "facet")
    )
    FIELDS = fields("attack variant judge verdict preferred facet corpus", preferred="preferred reply")

    def scan(self, row: CaseRow, sums: Counter[Finding]) -> dict[Finding, int]:
        """Return one finding per judge.

        Example:
            >>> from dialmeter.judges.cases import Place
            >>> scores = {"length": CaseVerdict(relation="lower", conforms=False)}
            >>> KIND.scan(CaseRow("negation", "not", (), "", "", "lower", "coherence", Place("d", 1), id="1", scores=scores), Counter())
            {('negation', 'not', 'length', 'error', 'adversarial', 'coherence', ''): 1}
        """
        before, after = (row.attack, row.variant), (row.facet, row.corpus)
        return {
            (*before, judge, VERDICTS[each.conforms], PREFERRED.get(each.relation or "", ""), *after): 1
            for judge, each in row.scores.items()
        }

    def summary(self, row: CaseRow) -> tuple[str, str]:
        """Return the attack with the number of wrong judges, and the adversarial reply."""
        conforms = [each.conforms for each in row.scores.values() if each.conforms is not None]
        wrong = f"{conforms.count(False)} of {len(conforms)} judges wrong"
        return f"{row.attack} ({row.variant}), {wrong}", row.adversarial

    def texts(self, row: CaseRow) -> Iterator[str]:
        """Yield the attack, the context and both replies."""
        yield from (row.attack, row.variant, *(move.text for move in row.context), row.reply, row.adversarial)

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """Return the share of judges that are wrong about a case."""
        if not columns:
            return {}
        stacked = np.stack(list(columns.values()))
        is_scored = np.isfinite(stacked)
        sizes = is_scored.sum(axis=0)
        wrong = np.where(is_scored, stacked, 0).sum(axis=0)
        return {ALL_JUDGES: np.where(sizes > 0, wrong / np.maximum(sizes, 1), np.nan)}

    def cell(self, column: str, value: float) -> str:
        """Format right or wrong for one judge, a share for all judges."""
        if column == ALL_JUDGES or isnan(value):
            return score(value)
        return "✗ error" if value else "✓ right"

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """Return the mean error per facet, over attacks, corpora and non-trivial judges.

        Example:
            >>> rates = [("coherence", 0.25), ("coherence", 0.75), ("interest", None), ("overall", 0.25), ("overall", 0.75)]
            >>> averages = [{"judge": "mine", "facet": facet, "value": value} for facet, value in rates]
            >>> KIND.headline({"averages": averages, "judges": [{"name": "mine"}]})
            Headline(text='mean error: coherence 50.00', value=0.5)
        """
        rates: dict[str, list[float]] = {}
        averages = manifest.get("averages") or ()
        judges = _own_judges(manifest)
        for each in [each for each in averages if each.get("judge") in judges] or averages:
            if (value := each.get("value")) is not None:
                rates.setdefault(str(each.get("facet")), []).append(value)
        means = {facet: fmean(values) for facet, values in rates.items()}
        overall = means.pop("overall", None)
        texts = ", ".join(f"{facet} {score(value)}" for facet, value in means.items())
        return Headline(f"mean error: {texts or '–'}", overall)

    def means(self, run: OpenedRun) -> list[dict[str, Any]]:
        """Return the mean error of every judge per facet."""
        return [
            {
                "measure": f"mean error, {each.get('facet')}",
                **{name: each.get(name) for name in ("judge", "corpus", "value")},
            }
            for each in run.manifest.get("averages") or ()
            if each.get("value") is not None
        ]

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the means by facet, then one table of error rates per corpus: one row per attack, one column per judge.

        A rate links to the errors; a rate of zero links to the cases that the judge got right.
        """
        if averages := run.manifest.get("averages"):
            groups = _by_judge(averages, "corpus", "facet")
            yield _rate_table(
                run,
                link,
                "Mean error by facet",
                ("facet",),
                [
                    ([f"{facet} ({corpus})" if corpus else facet], {"corpus": corpus, "facet": facet}, own)
                    for (corpus, facet), own in groups.items()
                ],
                text=lambda each, n: score(each.get("value")),
            )
        for corpus in dict.fromkeys(str(each.get("corpus", "")) for each in run.scores):
            cells = _by_judge((each for each in run.scores if each.get("corpus", "") == corpus), "attack")
            lines = []
            for (attack,), own in cells.items():
                expected = str(next(iter(own.values())).get("expected"))
                n = Counter(each.get("n", 0) for each in own.values()).most_common(1)[0][0]
                filters = {"attack": attack, "corpus": corpus}
                lines.append(([attack, READING.get(expected, expected), n], filters, own))
            title = f"Error rates in percent on {corpus}" if corpus else "Error rates in percent"
            table = _rate_table(run, link, title, ("attack", "the score", "n"), lines, text=_error_cell)
            columns = {judge: column for column, judge in enumerate(table.headings)}
            rates = [
                ((at, columns[judge]), each.get("value"))
                for at, (_, _, own) in enumerate(lines)
                for judge, each in own.items()
            ]
            yield replace(table, shades={place: value for place, value in rates if value is not None})

    def page(self, row: CaseRow, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the replies in pieces with marked changes, and the scores, prompts and answers of judges."""
        return {
            "id": row.id,
            "attack": row.attack,
            "variant": row.variant,
            "facet": row.facet,
            "corpus": row.corpus,
            "must": READING.get(row.expected, row.expected),
            "earlier": row.context[:-RECENT],
            "context": row.context[-RECENT:],
            "speaker": row.speaker or "reply",
            "human": list(pieces(row.reply, changed_spans(row.adversarial, row.reply))),
            "adversarial": list(pieces(row.adversarial, row.spans)),
            "judged": list(row.scores),
            "judges": [_judge_line(name, entry, filters) for name, entry in row.scores.items()],
            "exchanges": [(name, each.exchanges) for name, each in row.scores.items() if each.exchanges],
        }

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield the error rates by attack (one chart per corpus), and the distribution of wrong judges per case."""
        for corpus in dict.fromkeys(str(each.get("corpus", "")) for each in run.scores):
            yield _errors_chart(run, corpus, link)
        yield from spread_charts(run, link)

    def extra_conditions(self, run: OpenedRun) -> Conditions:
        """Return a condition for the non-trivial judges; none if all are trivial."""
        judges = _own_judges(run.manifest)
        return {"judge": judges} if judges else {}

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield the errors by variant of an attack, and the preferred replies."""
        judges = run.findings.options("judge")
        counts = run.findings.counts("attack", "variant", "judge", "verdict")
        groups = list(dict.fromkeys((attack, variant) for attack, variant, _, _ in counts))
        rows: list[list[Cell]] = []
        for attack, variant in groups:
            cells: list[Cell] = []
            for judge in judges:
                wrong, right = (counts[attack, variant, judge, verdict] for verdict in ("error", "right"))
                filters = {"attack": attack, "variant": variant, "judge": judge, "verdict": VERDICTS[not wrong]}
                cells.append((percent(wrong / (wrong + right)) if wrong + right else "–", filters))
            rows.append([attack, variant, *cells])
        headings = ("attack", "variant", *judges)
        yield linked_table(run, link, "errors by variant, %", headings, rows, numeric=range(2, len(headings)))
        replies = PREFERRED.values()
        yield pivot(run, link, "preferred reply, cases", judges, "judge", "preferred", columns=replies, zero="0")


KIND = JudgeKind()


def _own_judges(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the judges without the trivial ones, which are added to every run."""
    return tuple(str(each.get("name")) for each in manifest.get("judges") or () if not each.get("trivial"))


def _errors_chart(run: OpenedRun, corpus: str, link: RowsLink) -> Chart:
    """Return the error rates of judges by attack, on one corpus."""
    title = "Error rates by attack" + (f", corpus {corpus}" if corpus else "")
    chart = Chart(f"errors-{slug(run.key)}-{slug(corpus)}", title, BARS, y_label="error rate in percent")
    for each in grouped(run.scores, lambda each: str(each.get("judge"))):
        if str(each.get("corpus", "")) == corpus and each.get("value") is not None:
            judge, attack = str(each.get("judge")), str(each.get("attack"))
            verdict = "error" if each["value"] else "right"
            filters = {"attack": attack, "judge": judge, "verdict": verdict, **({"corpus": corpus} if corpus else {})}
            text = f"{judge} under {attack}: wrong in {100 * each['value']:.1f} % of {each.get('n')} cases"
            add_score(chart, (judge, attack), each, link(run, filters), text)
    return chart


def _error_cell(entry: Mapping[str, Any], n: int) -> str:
    """Format an error rate with its interval, short enough for a column per judge; with n if it differs from that of the row.

    Example:
        >>> _error_cell({"value": 0.25, "ci": [0.1, 0.4], "n": 8}, 8), _error_cell({"value": 0.25, "ci": [0.1, 0.4], "n": 7}, 8)
        ('25.0 (10 to 40)', '25.0 (10 to 40), n 7')
    """
    value, ci = entry.get("value"), entry.get("ci")
    if value is None:
        return "–"
    limits = f" ({100 * ci[0]:.0f} to {100 * ci[1]:.0f})" if ci else ""
    return f"{100 * value:.1f}{limits}" + ("" if entry.get("n", n) == n else f", n {entry['n']}")


def _by_judge(scores: Iterable[Mapping[str, Any]], *keys: str) -> dict[tuple[str, ...], dict[str, Mapping[str, Any]]]:
    """Return the scores by some of their groups, then by judge."""
    groups: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    for each in scores:
        groups.setdefault(tuple(str(each.get(key, "")) for key in keys), {})[str(each.get("judge"))] = each
    return groups


def _rate_table(
    run: OpenedRun,
    link: RowsLink,
    title: str,
    headings: tuple[str, ...],
    lines: Sequence[tuple[list[Any], Mapping[str, str], Mapping[str, Mapping[str, Any]]]],
    *,
    text: Callable[[Mapping[str, Any], int], str],
) -> Table:
    """Return a table with a column for each judge; its rows are the first cells, the filters of the row, and scores by judge.

    A rate links to the errors; a rate of zero links to the cases that the judge got right.
    """
    rows: list[list[Cell]] = []
    judges = [*dict.fromkeys(judge for _, _, scores in lines for judge in scores)]
    for cells, filters, scores in lines:
        own = {name: each for name, each in filters.items() if each not in ("", "overall")}
        rates: list[Cell] = [
            (text(each, cells[-1]), {**own, "judge": judge, "verdict": VERDICTS[not each.get("value")]})
            if (each := scores.get(judge))
            else "–"
            for judge in judges
        ]
        rows.append([*((str(each), own) if isinstance(each, int) else each for each in cells), *rates])
    numeric = range(len(headings) - ("n" in headings), len(headings) + len(judges))
    return linked_table(run, link, title, (*headings, *judges), rows, numeric=numeric)


def pieces(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Split a text at its changed spans; a span outside the text is skipped.

    Example:
        >>> [tuple(piece.values()) for piece in pieces("it is not good", [(6, 10)])]
        [('it is ', False), ('not ', True), ('good', False)]
    """
    at = 0
    for start, end in sorted(spans):
        if at <= start < end <= len(text):
            if start > at:
                yield {"text": text[at:start], "changed": False}
            yield {"text": text[start:end], "changed": True}
            at = end
    if at < len(text):
        yield {"text": text[at:], "changed": False}


def _judge_line(name: str, entry: CaseVerdict, filters: Mapping[str, str]) -> dict[str, Any]:
    verdict, preferred = VERDICTS[entry.conforms], PREFERRED.get(entry.relation or "", "–")
    facts = {"judge": name, "verdict": verdict, "preferred": preferred}
    own_filters = {field: text for field, text in filters.items() if field in facts}
    return {
        "name": name,
        "human": number(entry.human),
        "adversarial": number(entry.adversarial),
        "difference": number(entry.difference, signed=True),
        "threshold": number(entry.threshold),
        "preferred": preferred,
        "verdict": verdict,
        "failure": entry.failure or "",
        "marked": bool(own_filters) and all(facts[field] == text for field, text in own_filters.items()),
    }


def number(value: float | None, signed: bool = False) -> str:
    """Format a judge's score with four digits.

    Example:
        >>> number(0.53663), number(-0.1, signed=True), number(None)
        ('0.5366', '−0.1', '–')
    """
    if value is None:
        return "–"
    return f"{value:{'+' if signed and value else ''}.4g}".replace("-", "−")
