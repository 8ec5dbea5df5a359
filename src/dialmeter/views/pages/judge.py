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

from ...judges.verdict import READING
from ..chart_files import Chart
from ..html_env import score
from ..tables import Table, percent
from .charts import errors_chart, of_run, spread_charts
from .findings import Finding
from .judge_case import PREFERRED, VERDICTS, SpokenMove, case, explained
from .kinds import Cell, Conditions, Field, Grouping, Headline, RowsLink, RunKind, Scanned, linked_table, no_link

if TYPE_CHECKING:
    from .kinds import Column
    from .opened import Opened

ALL_JUDGES = "judges wrong"


class _Said(Struct, frozen=True):
    """What one judge did."""

    relation: str | None = None
    conforms: bool | None = None


class _Row(Struct, frozen=True):
    """A case, as far as it is counted."""

    id: str
    attack: str
    variant: str
    facet: str
    scores: dict[str, _Said]
    corpus: str = ""


_DECODER = msgspec.json.Decoder(_Row)


class _Scored(_Said, frozen=True):
    """What one judge did, with its scores."""

    human: float | None = None
    adversarial: float | None = None
    difference: float | None = None
    threshold: float | None = None


class ShownCase(Struct, frozen=True):
    """A case, as it is shown."""

    id: str
    attack: str
    variant: str
    facet: str
    expected: str
    context: tuple[SpokenMove, ...]
    reply: str
    adversarial: str
    scores: dict[str, _Scored]
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
    MISTAKEN: ClassVar[Conditions] = {"verdict": (VERDICTS[False],)}
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

    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """One finding per judge.

        Example:
            >>> KIND.scan(b'{"id": "1", "attack": "negation", "variant": "not", "facet": "coherence", '
            ...           b'"scores": {"length": {"relation": "lower", "conforms": false}}}', Counter()).findings
            {('negation', 'not', 'length', 'error', 'adversarial', 'coherence', ''): 1}
        """
        row = _DECODER.decode(line)
        return Scanned(
            row.id,
            {
                (
                    row.attack,
                    row.variant,
                    judge,
                    VERDICTS[said.conforms],
                    PREFERRED.get(said.relation or "", ""),
                    row.facet,
                    row.corpus,
                ): 1
                for judge, said in row.scores.items()
            },
        )

    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """The attack, how many judges it led astray, and the adversarial reply."""
        said = [each.get("conforms") for each in row["scores"].values()]
        counted = [each for each in said if each is not None]
        wrong = f"{counted.count(False)} of {len(counted)} judges wrong"
        return f"{row['attack']} ({row['variant']}), {wrong}", row["adversarial"]

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """The attack, the context and both replies."""
        yield from (row["attack"], row["variant"])
        yield from (move["text"] for move in row["context"])
        yield from (row["reply"], row["adversarial"])

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """The share of judges that are wrong about a case."""
        import numpy as np

        if not columns:
            return {}
        stacked = np.stack(list(columns.values()))
        known = np.isfinite(stacked)
        sizes = known.sum(axis=0)
        wrong = np.where(known, stacked, 0).sum(axis=0)
        return {ALL_JUDGES: np.where(sizes > 0, wrong / np.maximum(sizes, 1), np.nan)}

    def additions(self, folder: Path) -> Mapping[str, Mapping[str, Any]]:
        """The results of `judge explain`, where its JSON is in the folder."""
        return {name: {"attributions": found} for name, found in explained(folder).items()}

    def cell(self, column: str, value: float) -> str:
        """Right or wrong for a judge, a share for all of them."""
        if column == ALL_JUDGES or isnan(value):
            return score(value)
        return "✗ error" if value else "✓ right"

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """The mean error per facet, over attacks, corpora and the judges that were named.

        Example:
            >>> rates = [("coherence", 0.25), ("coherence", 0.75), ("interest", None), ("overall", 0.25), ("overall", 0.75)]
            >>> found = [{"judge": "mine", "facet": facet, "value": value} for facet, value in rates]
            >>> KIND.headline({"averages": found, "judges": [{"name": "mine"}]})
            Headline(text='mean error: coherence 50.00', value=0.5)
        """
        trivial = {str(each.get("name")) for each in manifest.get("judges") or () if each.get("trivial")}
        rates: dict[str, list[float]] = {}
        averages = manifest.get("averages") or ()
        named = [each for each in averages if str(each.get("judge")) not in trivial] or averages
        for each in named:
            if (value := each.get("value")) is not None:
                rates.setdefault(str(each.get("facet")), []).append(value)
        found = {facet: fmean(values) for facet, values in rates.items()}
        overall = found.pop("overall", None)
        texts = ", ".join(f"{facet} {score(value)}" for facet, value in found.items())
        return Headline(f"mean error: {texts or '–'}", overall)

    def means(self, run: Opened) -> list[dict[str, Any]]:
        """The mean error of every judge per facet."""
        return [
            {
                "measure": f"mean error, {each.get('facet')}",
                **{name: each.get(name) for name in ("judge", "corpus", "value")},
            }
            for each in run.manifest.get("averages") or ()
            if each.get("value") is not None
        ]

    def headlines(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """The means of facets; then error rates: a row per attack, a column per judge, one table per corpus.

        A rate leads to the errors, and a rate of zero to the cases about which the judge is right.
        """
        if averages := run.manifest.get("averages"):
            yield _facets(averages, run, link)
        for corpus in dict.fromkeys(each.get("corpus", "") for each in run.scores):
            found = [each for each in run.scores if each.get("corpus", "") == corpus]
            judges = list(dict.fromkeys(each.get("judge", "") for each in found))
            cells = {(each.get("attack", ""), each.get("judge", "")): each for each in found}
            rows: list[list[Cell]] = []
            shades: dict[tuple[int, int], float] = {}
            of = {"corpus": corpus} if corpus else {}
            for attack in dict.fromkeys(attack for attack, _ in cells):
                values = [cells.get((attack, judge), {}) for judge in judges]
                must = next(str(each.get("expected")) for each in values if each)
                n = Counter(each.get("n", 0) for each in values if each).most_common(1)[0][0]
                chosen = {"attack": attack, **of}
                texts = [
                    (_rate(each, n), {**chosen, "judge": judge, "verdict": VERDICTS[not each.get("value")]})
                    for judge, each in zip(judges, values, strict=True)
                ]
                places = {(len(rows), 3 + at): each.get("value") for at, each in enumerate(values)}
                shades |= {place: value for place, value in places.items() if value is not None}
                rows.append([attack, READING.get(must, must), (str(n), chosen), *texts])
            title = f"Error rates in percent on {corpus}" if corpus else "Error rates in percent"
            headings = ("attack", "the score", "n", *judges)
            table = linked_table(run, link, title, headings, rows, numeric=range(2, len(headings)))
            yield replace(table, shades=shades)

    def again(self, manifest: Mapping[str, Any]) -> list[str]:
        """The command that makes the run again, in the folder of its input."""
        name = next((str(each.get("name")) for each in manifest.get("inputs") or ()), "CASES")
        words = ["judge", "score", name]
        for judge in manifest.get("judges") or ():
            if not judge.get("trivial"):
                words += ["--judge", str(judge.get("name"))]
        words += ["--threshold", str(manifest.get("threshold")), "--verdict", str(manifest.get("verdict"))]
        return words

    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """Both replies side by side, and the judges' scores."""
        return case(row, wanted)

    def charts(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Chart]:
        """For each run, error rates by attack (one chart per corpus), and how many judges are wrong about each case."""
        for run in runs:
            of = of_run(run, runs)
            for corpus in dict.fromkeys(str(each.get("corpus", "")) for each in run.scores):
                yield errors_chart(run, corpus, link, of)
            yield from spread_charts(run, link, of)

    def counted(self, run: Opened) -> Conditions:
        """Of the judges those that were named; all of them where none was."""
        judges = run.manifest.get("judges") or ()
        # Trivial judges are added to every run.
        named = tuple(str(each.get("name")) for each in judges if not each.get("trivial"))
        return {"judge": named} if named else {}

    def breakdowns(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """Errors by variant of an attack, and which reply is preferred."""
        judges = run.findings.options("judge")
        counts = run.findings.counts("attack", "variant", "judge", "verdict")
        groups = list(dict.fromkeys((attack, variant) for attack, variant, _, _ in counts))
        rows: list[list[Cell]] = []
        for attack, variant in groups:
            cells: list[Cell] = []
            for judge in judges:
                wrong, right = (counts[attack, variant, judge, verdict] for verdict in ("error", "right"))
                chosen = {"attack": attack, "variant": variant, "judge": judge, "verdict": VERDICTS[not wrong]}
                cells.append((percent(wrong / (wrong + right)) if wrong + right else "–", chosen))
            rows.append([attack, variant, *cells])
        headings = ("attack", "variant", *judges)
        yield linked_table(run, link, "errors by variant, %", headings, rows, numeric=range(2, len(headings)))
        preferred = run.findings.counts("judge", "preferred")
        texts: list[list[Cell]] = [
            [
                judge,
                *((str(preferred[judge, which]), {"judge": judge, "preferred": which}) for which in PREFERRED.values()),
            ]
            for judge in judges
        ]
        yield linked_table(run, link, "preferred reply, cases", ("judge", *PREFERRED.values()), texts)


KIND = JudgeKind()


def _rate(found: Mapping[str, Any], n: int) -> str:
    """An error rate with its interval, short enough for a column per judge; with its own n where that is another one.

    Example:
        >>> _rate({"value": 0.25, "ci": [0.1, 0.4], "n": 8}, 8), _rate({"value": 0.25, "ci": [0.1, 0.4], "n": 7}, 8)
        ('25.0 (10 to 40)', '25.0 (10 to 40), n 7')
    """
    value, ci = found.get("value"), found.get("ci")
    if value is None:
        return "–"
    limits = f" ({100 * ci[0]:.0f} to {100 * ci[1]:.0f})" if ci else ""
    return f"{100 * value:.1f}{limits}" + ("" if found.get("n", n) == n else f", n {found['n']}")


def _facets(averages: Sequence[Mapping[str, Any]], run: Opened, link: RowsLink) -> Table:
    judges = list(dict.fromkeys(str(each.get("judge")) for each in averages))
    groups = list(dict.fromkeys((str(each.get("corpus", "")), str(each.get("facet"))) for each in averages))
    values = {(each.get("corpus", ""), each.get("facet"), each.get("judge")): each.get("value") for each in averages}
    rows: list[list[Cell]] = []
    for corpus, facet in groups:
        of = {name: text for name, text in (("corpus", corpus), ("facet", facet)) if text not in ("", "overall")}
        rates = [values.get((corpus, facet, judge)) for judge in judges]
        cells = [
            (score(rate), {**of, "judge": judge, "verdict": VERDICTS[not rate]})
            for rate, judge in zip(rates, judges, strict=True)
        ]
        rows.append([f"{facet} ({corpus})" if corpus else facet, *cells])
    return linked_table(run, link, "Mean error by facet", ("facet", *judges), rows)
