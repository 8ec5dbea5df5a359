"""Judge runs: a row is an attacked reply, and a finding is the verdict of one judge about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...judges.cases import READING
from ..chart_files import Chart, slug
from ..charts.bars import BARS
from ..charts.data import grouped
from ..html_env import score
from ..tables import Table, percent
from .charts import add_score, spread_charts, title_suffix
from .findings import Finding
from .judge_case import PREFERRED, VERDICTS, SpokenMove, case, read_explanations
from .kinds import (
    Cell,
    Conditions,
    Field,
    Grouping,
    Headline,
    RowsLink,
    RunKind,
    ScannedRow,
    linked_table,
    no_link,
    pivot,
)

if TYPE_CHECKING:
    from .kinds import Column
    from .opened_run import OpenedRun

ALL_JUDGES = "judges wrong"


class _JudgeVerdict(Struct, frozen=True):
    """The verdict on one judge."""

    relation: str | None = None
    conforms: bool | None = None


class _Row(Struct, frozen=True):
    """The counted fields of a case."""

    id: str
    attack: str
    variant: str
    facet: str
    scores: dict[str, _JudgeVerdict]
    corpus: str = ""


_DECODER = msgspec.json.Decoder(_Row)


class _JudgeScores(_JudgeVerdict, frozen=True):
    """The verdict on one judge, with its scores."""

    human: float | None = None
    adversarial: float | None = None
    difference: float | None = None
    threshold: float | None = None


class ShownCase(Struct, frozen=True):
    """The fields of a case that pages show."""

    id: str
    attack: str
    variant: str
    facet: str
    expected: str
    context: tuple[SpokenMove, ...]
    reply: str
    adversarial: str
    scores: dict[str, _JudgeScores]
    spans: tuple[tuple[int, int], ...] = ()
    corpus: str = ""
    speaker: str = ""


class JudgeKind(RunKind):
    """Runs of ``judge score``."""

    NAME = "judge"
    UNIT = ("case", "cases")
    HIGHER_IS_BETTER = False
    ROW = ShownCase
    FIRST_COLUMN = ALL_JUDGES
    COMMAND = "judge score CASES"
    OPTIONS: ClassVar[Mapping[str, str]] = {"threshold": "threshold", "verdict": "verdict"}
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
    FIELDS = (
        Field("attack", "attack"),
        Field("variant", "variant"),
        Field("judge", "judge"),
        Field("verdict", "verdict"),
        Field("preferred", "preferred reply"),
        Field("facet", "facet"),
        Field("corpus", "corpus"),
    )

    def scan(self, line: bytes, sums: Counter[Finding]) -> ScannedRow:
        """Return one finding per judge.

        Example:
            >>> KIND.scan(b'{"id": "1", "attack": "negation", "variant": "not", "facet": "coherence", '
            ...           b'"scores": {"length": {"relation": "lower", "conforms": false}}}', Counter()).findings
            {('negation', 'not', 'length', 'error', 'adversarial', 'coherence', ''): 1}
        """
        row = _DECODER.decode(line)
        return ScannedRow(
            row.id,
            {
                (
                    row.attack,
                    row.variant,
                    judge,
                    VERDICTS[verdict.conforms],
                    PREFERRED.get(verdict.relation or "", ""),
                    row.facet,
                    row.corpus,
                ): 1
                for judge, verdict in row.scores.items()
            },
        )

    def summary(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return the attack with the number of wrong judges, and the adversarial reply."""
        conforms = [each["conforms"] for each in row["scores"].values() if each.get("conforms") is not None]
        wrong = f"{conforms.count(False)} of {len(conforms)} judges wrong"
        return f"{row['attack']} ({row['variant']}), {wrong}", row["adversarial"]

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """Yield the attack, the context and both replies."""
        yield from (row["attack"], row["variant"])
        yield from (move["text"] for move in row["context"])
        yield from (row["reply"], row["adversarial"])

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """Return the share of judges that are wrong about a case."""
        import numpy as np

        if not columns:
            return {}
        stacked = np.stack(list(columns.values()))
        is_scored = np.isfinite(stacked)
        sizes = is_scored.sum(axis=0)
        wrong = np.where(is_scored, stacked, 0).sum(axis=0)
        return {ALL_JUDGES: np.where(sizes > 0, wrong / np.maximum(sizes, 1), np.nan)}

    def additions(self, folder: Path) -> Mapping[str, Mapping[str, Any]]:
        """Return the results of `judge explain`, if its JSON is in the folder."""
        return {name: {"attributions": by_judge} for name, by_judge in read_explanations(folder).items()}

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
        trivial = {str(each.get("name")) for each in manifest.get("judges") or () if each.get("trivial")}
        rates: dict[str, list[float]] = {}
        averages = manifest.get("averages") or ()
        non_trivial = [each for each in averages if str(each.get("judge")) not in trivial] or averages
        for each in non_trivial:
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
            yield _facet_table(averages, run, link)
        for corpus in dict.fromkeys(each.get("corpus", "") for each in run.scores):
            scores = [each for each in run.scores if each.get("corpus", "") == corpus]
            judges = list(dict.fromkeys(each.get("judge", "") for each in scores))
            cells = {(each.get("attack", ""), each.get("judge", "")): each for each in scores}
            rows: list[list[Cell]] = []
            shades: dict[tuple[int, int], float] = {}
            corpus_filter = {"corpus": corpus} if corpus else {}
            for attack in dict.fromkeys(attack for attack, _ in cells):
                values = [cells.get((attack, judge), {}) for judge in judges]
                expected = next(str(each.get("expected")) for each in values if each)
                n = Counter(each.get("n", 0) for each in values if each).most_common(1)[0][0]
                filters = {"attack": attack, **corpus_filter}
                texts = [
                    (_error_cell(each, n), {**filters, "judge": judge, "verdict": VERDICTS[not each.get("value")]})
                    for judge, each in zip(judges, values, strict=True)
                ]
                places = {(len(rows), 3 + at): each.get("value") for at, each in enumerate(values)}
                shades |= {place: value for place, value in places.items() if value is not None}
                rows.append([attack, READING.get(expected, expected), (str(n), filters), *texts])
            title = f"Error rates in percent on {corpus}" if corpus else "Error rates in percent"
            headings = ("attack", "the score", "n", *judges)
            table = linked_table(run, link, title, headings, rows, numeric=range(2, len(headings)))
            yield replace(table, shades=shades)

    def options(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the command; trivial judges are added to every run."""
        judges = [each.get("name") for each in manifest.get("judges") or () if not each.get("trivial")]
        return {"--judge": judges, **super().options(manifest)}

    def page(self, row: Mapping[str, Any], filters: Mapping[str, str]) -> dict[str, Any]:
        """Return both replies, and the judges' scores."""
        return case(row, filters)

    def charts(self, runs: Sequence[OpenedRun], link: RowsLink) -> Iterator[Chart]:
        """Yield for each run the error rates by attack (one chart per corpus), and the distribution of wrong judges per case."""
        for run in runs:
            suffix = title_suffix(run, runs)
            for corpus in dict.fromkeys(str(each.get("corpus", "")) for each in run.scores):
                yield _errors_chart(run, corpus, link, suffix)
            yield from spread_charts(run, link, suffix)

    def extra_conditions(self, run: OpenedRun) -> Conditions:
        """Return a condition for the non-trivial judges; none if all are trivial."""
        judges = run.manifest.get("judges") or ()
        # Trivial judges are added to every run.
        non_trivial = tuple(str(each.get("name")) for each in judges if not each.get("trivial"))
        return {"judge": non_trivial} if non_trivial else {}

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


def _errors_chart(run: OpenedRun, corpus: str, link: RowsLink, suffix: str) -> Chart:
    """Return the error rates of judges by attack, on one corpus."""
    title = f"Error rates by attack{suffix}" + (f", corpus {corpus}" if corpus else "")
    chart = Chart(f"errors-{slug(run.key)}-{slug(corpus)}", title, BARS, y_label="error rate in percent")
    for each in grouped(run.scores, lambda each: each["judge"]):
        if str(each.get("corpus", "")) == corpus and each.get("value") is not None:
            judge, attack = str(each["judge"]), str(each["attack"])
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


def _facet_table(averages: Sequence[Mapping[str, Any]], run: OpenedRun, link: RowsLink) -> Table:
    judges = list(dict.fromkeys(str(each.get("judge")) for each in averages))
    groups = list(dict.fromkeys((str(each.get("corpus", "")), str(each.get("facet"))) for each in averages))
    values = {(each.get("corpus", ""), each.get("facet"), each.get("judge")): each.get("value") for each in averages}
    rows: list[list[Cell]] = []
    for corpus, facet in groups:
        group_filter = {
            name: text for name, text in (("corpus", corpus), ("facet", facet)) if text not in ("", "overall")
        }
        rates = [values.get((corpus, facet, judge)) for judge in judges]
        cells = [
            (score(rate), {**group_filter, "judge": judge, "verdict": VERDICTS[not rate]})
            for rate, judge in zip(rates, judges, strict=True)
        ]
        rows.append([f"{facet} ({corpus})" if corpus else facet, *cells])
    return linked_table(run, link, "Mean error by facet", ("facet", *judges), rows)
