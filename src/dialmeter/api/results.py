"""Results, runs and comparisons as Python shows them: numbers by name, tables, charts, and the text of the terminal."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from ..core.comparison import PairedDifference
from ..core.ladder import Ladder, Rung
from ..core.open_runs import Run as RecordedRun
from ..core.result import Result as SubjectResult
from ..core.result import as_pandas, as_polars
from ..errors import DialmeterError, did_you_mean
from ..measure import Score as MeasuredScore
from ..views.chart_files import Chart
from ..views.latex import Paper
from ..views.summaries.summary import Summary
from ..views.tables import Table, render
from .scores import Score, ScoreList, plain_name

_ADVICE = {
    "by_domain": "by('domain')",
    "by_slot": "by('slot')",
    "by_task": "by('task')",
    "per_turn": "rows()",
    "per_dialogue": "rows()",
    "turns": "rows()",
    "mistakes": "errors",
    "compute": "to_dict()",
    "to_json": "to_dict()",
    "to_df": "to_pandas()",
    "to_frame": "to_pandas()",
    "df": "to_pandas()",
    "confidence_interval": "ci",
    "interval": "ci",
    "score": "value",
    "to_csv": "to_pandas().to_csv(PATH)",
    "to_excel": "to_pandas().to_excel(PATH)",
    "to_html": "to_pandas().to_html()",
    "print": "scores, or print(result)",
    "show": "scores, or print(result)",
    "report": "by('slot'), or print(result)",
    "per_domain": "by('domain')",
    "per_slot": "by('slot')",
    "failures": "errors",
    "wrong": "errors",
    "worst_dialogues": "worst()",
    "p": "scores; p values belong to dm.compare({'a': …, 'b': …}, gold=…)",
    "p_value": "scores; p values belong to dm.compare({'a': …, 'b': …}, gold=…)",
    "compare": "scores; two results: dm.compare({'a': one, 'b': other})",
    "significance": "scores; two results: dm.compare({'a': one, 'b': other})",
    "save": "to_dicts(); a run on disk: `dialmeter score FILE -o RUN`",
    "items_failed": "errors",
}
"""What people write → what a result has."""
_COMPARED = {
    "p": "to_dicts(), one row per system and measure with p and p_holm",
    "p_value": "to_dicts(), one row per system and measure with p and p_holm",
    "pvalue": "to_dicts(), one row per system and measure with p and p_holm",
    "pvalues": "to_dicts(), one row per system and measure with p and p_holm",
    "difference": "to_dicts(), one row per system and measure",
    "diff": "to_dicts(), one row per system and measure",
    "ci": "rungs[0].ci, or to_dicts()",
    "significant": "verdict",
    "winner": "verdict",
    "better": "verdict",
    "best": "verdicts",
    "table": "to_pandas()",
    "df": "to_pandas()",
    "summary": "verdict, or print(comparison)",
    "scores": "results, or to_pandas()",
    "ladder": "rungs",
}
"""What people write → what a comparison has."""


class Shown:
    """What results and comparisons share: tables in several styles, charts, and the text of the terminal."""

    def _tables(self) -> Sequence[Table]:
        raise NotImplementedError

    def _charts(self) -> Iterator[Chart]:
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per score, as in JSON."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return a pandas table with one row per score."""
        return as_pandas(self.to_dicts())

    def to_polars(self) -> Any:
        """Return a polars table with one row per score."""
        return as_polars(self.to_dicts())

    def to_markdown(self, *, bold: bool = True) -> str:
        """Return the tables in Markdown; ``bold`` marks the best values."""
        return "\n\n".join(render(table, "markdown", Paper(bold=bold)) for table in self._tables())

    def to_latex(self, *, bold: bool = True, columns: int = 2, caption: str = "", label: str = "") -> str:
        """Return the tables in LaTeX.

        Args:
            bold: print the best values in bold letters.
            columns: the columns of a two-column page that a table may take: 1 or 2.
            caption: the caption.
            label: the label for references.
        """
        paper = Paper(columns=columns, bold=bold, caption=caption, label=label)
        return "\n\n".join(render(table, "latex", paper) for table in self._tables())

    def plot(self, name: str = "") -> Any:
        """Draw a chart and return its matplotlib figure.

        Args:
            name: the name of the chart; default: the first one.

        Raises:
            DialmeterError: there is no such chart; the message lists the names.
        """
        charts = {chart.name: chart for chart in self._charts()}
        if name and name not in charts:
            raise DialmeterError(f"there is no chart {name!r}; {did_you_mean(name, charts)}")
        if not charts:
            raise DialmeterError("there is no chart of this result")
        return (charts[name] if name else next(iter(charts.values()))).draw()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


class Result(Shown):
    """The scores of one evaluation, read like a mapping from measures to numbers.

    ``result["JGA"]`` and ``result.jga`` are the same Score, which is a float. Case and underscores do not matter. ``value``, ``ci``
    and ``signature`` are those of the first score. What only one subject has, such as ``diagnosis`` of trackers or ``efforts`` of
    systems, is an attribute too.

    Attributes:
        subject: ``tracker``, ``user``, ``judge`` or ``system``.
        inputs: role → input, such as ``{"gold": "gold.json", "pred": "pred.json"}``.
    """

    def __init__(
        self,
        inner: SubjectResult,
        face: Any,
        subject: str,
        inputs: Mapping[str, str],
        *,
        command: str = "",
        note: str = "",
    ) -> None:
        self._inner = inner
        self._face = face
        self.subject = subject
        self.inputs = dict(inputs)
        self._command = command
        self._note = note

    @cached_property
    def scores(self) -> ScoreList:
        """All scores, in the order of tables."""
        return ScoreList(map(Score, self._inner.scores))

    def _find(self, name: Any) -> MeasuredScore | None:
        found = self._inner.get(name)
        if found is not None:
            return found
        wanted = [plain_name(str(part)) for part in (name if isinstance(name, tuple) else (name,))]
        names = list(self._inner)
        for form in (plain_name, lambda text: plain_name(text).partition("(")[0]):
            matches = [
                each
                for each in names
                if all(
                    part in [form(str(one)) for one in (each if isinstance(each, tuple) else (each,))]
                    for part in wanted
                )
            ]
            if len(matches) > 1:
                prefer = getattr(self._face, "preferred", None)
                matches = prefer(self._inner, matches) if prefer else matches
            if len(matches) == 1:
                return self._inner[matches[0]]
            if matches:
                listed = ", ".join(map(repr, matches[:5]))
                raise DialmeterError(f"{name!r} is one of several: {listed}")
        more: MeasuredScore | None = self._face.more(self._inner, name) if hasattr(self._face, "more") else None
        return more

    def __getitem__(self, name: Any) -> Score:
        """Return the score of a measure.

        Raises:
            DialmeterError: there is no such score.
        """
        found = self._find(name)
        return Score(self._inner[name] if found is None else found)

    def get(self, name: Any, default: Any = None) -> Any:
        """Return the score of a measure, or the default if there is none."""
        found = self._find(name)
        return default if found is None else Score(found)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            found = self._find(name)
        except DialmeterError as error:
            raise AttributeError(str(error)) from None
        if found is not None:
            return Score(found)
        if name in _ADVICE:
            raise AttributeError(f"a result has no {name!r}; use .{_ADVICE[name]}")
        if hasattr(type(self._inner), name) or name in vars(self._inner):
            return getattr(self._inner, name)
        known = [str(each) for each in self._inner]
        raise AttributeError(f"a result has no {name!r}; {did_you_mean(name, known)}")

    def __contains__(self, name: Any) -> bool:
        return self._find(name) is not None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)

    def keys(self) -> list[Any]:
        """Return the names of the scores."""
        return list(self._inner)

    def items(self) -> list[tuple[Any, Score]]:
        """Return the scores with their names."""
        return [(name, self[name]) for name in self._inner]

    @property
    def value(self) -> float | None:
        """The value of the first score."""
        return self._inner.value

    @property
    def ci(self) -> tuple[float, float] | None:
        """The confidence interval of ``value``."""
        return self._inner.ci

    @property
    def signature(self) -> str:
        """The signature of ``value``."""
        return self._inner.signature

    @property
    def n(self) -> int:
        """The number of scored units of ``value``."""
        return self._inner.scores[0].n

    def __float__(self) -> float:
        if len(self._inner) != 1:
            raise TypeError(
                f"this result has {len(self._inner)} scores; choose one: float(result[{next(iter(self._inner))!r}])"
            )
        return float(self.scores[0])

    def by(self, group: str) -> ScoreList:
        """Return the scores by a group, such as ``domain``, ``slot`` or ``task``."""
        return ScoreList(map(Score, self._inner.by(group)))

    def worst(self, n: int = 10) -> Sequence[Any]:
        """Return the dialogues, tasks or cases with the worst values."""
        return self._inner.worst(n)

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per unit: a turn of a tracker, a dialogue of a user or a system, a case of a judge."""
        rows: list[dict[str, Any]] = self._face.rows(self._inner)
        return rows

    def find_rows(self) -> list[dict[str, Any]]:
        """Return the rows that ``dm.find`` searches: every slot of a tracker, every event of a user, every other unit."""
        rows: list[dict[str, Any]] = getattr(self._face, "find_rows", self._face.rows)(self._inner)
        return rows

    @property
    def errors(self) -> Any:
        """A pandas table of what went wrong: slots of a tracker, events of a user, failed dialogues or cases."""
        return as_pandas(self._face.errors(self._inner))

    def to_dict(self) -> dict[str, float | None]:
        """Return the values by name, as plain numbers; None for an unscored measure."""
        return {name if isinstance(name, str) else "/".join(name): self._inner[name].value for name in self._inner}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per score, as in JSON."""
        return self._inner.to_dicts()

    def _tables(self) -> Sequence[Table]:
        return list(self._face.tables(self._inner))

    def _charts(self) -> Iterator[Chart]:
        return iter(
            self._face.charts({self.inputs.get("pred") or self.inputs.get("data") or self.subject: self._inner})
        )

    def __repr__(self) -> str:
        summary = self._face.summary(self._inner, self._command)
        lines = summary.lines() if isinstance(summary, Summary) else [str(summary)]
        if len(self.inputs) > 1:
            roles = {"gold": "gold", "pred": "prediction"}
            read = ", ".join(f"{roles.get(role, role)} is {name}" for role, name in self.inputs.items())
            at = next((place for place, line in enumerate(lines) if line.startswith(("signature", "next"))), len(lines))
            lines[at:at] = [read, *([self._note] if self._note else [])]
        return "\n".join(lines)


class _Recorded(SubjectResult):
    """The scores that a run recorded."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        fields = MeasuredScore.__struct_fields__
        self._scores = [
            MeasuredScore(
                measure=each["measure"],
                value=each.get("value"),
                n=each.get("n") or 0,
                unscored=each.get("unscored") or 0,
                signature=each.get("signature", ""),
                ci=tuple(each["ci"]) if each.get("ci") else None,
                ci_reason=each.get("ci_reason", ""),
                reason=each.get("reason", ""),
                group={key: value for key, value in each.items() if key not in fields and isinstance(value, str | int)},
            )
            for each in run.scores
        ]

    @property
    def scores(self) -> list[MeasuredScore]:
        return self._scores

    @property
    def named_scores(self) -> dict[Any, MeasuredScore]:
        kinds = {"judge": ("judge", "attack", "corpus"), "people": ("judge", "facet", "level")}
        parts = kinds.get(self.run.manifest.get("kind", ""), ())
        named: dict[Any, MeasuredScore] = {}
        for each in self._scores:
            own = tuple(str(each.group[part]) for part in parts if each.group.get(part))
            named.setdefault(
                (*(() if "attack" in each.group else (each.measure,)), *own) if own else each.measure, each
            )
        return named

    def to_dicts(self) -> list[dict[str, Any]]:
        return self.run.scores

    def by(self, group: str) -> list[MeasuredScore]:
        found = [each for each in self._scores if group in each.group]
        if not found:
            raise DialmeterError(
                f"the run has no scores by {group!r}; score the file again: dm.score(FILE).by({group!r})"
            )
        return found

    def worst(self, n: int = 10) -> list[dict[str, Any]]:
        """Return the rows with the lowest values of the first column of scores."""
        index = self.run.index()
        column = next((values for name, values in index.items() if name != "offset"), None)
        if column is None:
            return []
        order = [int(place) for place in column.argsort(kind="stable") if column[place] == column[place]]
        return [self.run.row(place) for place in order[:n]]

    @property
    def summary(self) -> str:
        shown = [f"{each.measure} {100 * each.value:.2f}" for each in self._scores[:3] if each.value is not None]
        return f"{', '.join(shown)}; {self.run.manifest.get('kind')} run {self.run.folder.name}"


class RecordedFace:
    """How a run is shown: from its recorded scores and rows."""

    @staticmethod
    def preferred(_: Any, matches: Sequence[Any]) -> Sequence[Any]:
        return matches[:1] if len({each if isinstance(each, str) else each[0] for each in matches}) == 1 else matches

    @staticmethod
    def rows(inner: _Recorded) -> list[dict[str, Any]]:
        return list(inner.run)

    @staticmethod
    def find_rows(inner: _Recorded) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for row in inner.run:
            slots = [
                {"dialogue": row["id"], "turn": turn["turn"], "slot": slot, "outcome": each["class"]}
                | {side: turn[side].get(slot) for side in ("gold", "pred")}
                for turn in row.get("turns", ())
                for slot, each in turn.get("slots", {}).items()
            ]
            rows += slots or [{**row, **row.get("outcome", {})}]
        return rows

    @staticmethod
    def errors(inner: _Recorded) -> list[dict[str, Any]]:
        return inner.worst()

    @staticmethod
    def tables(inner: _Recorded) -> list[Table]:
        return [ScoreList(map(Score, inner.scores)).table()]

    @staticmethod
    def charts(results: Mapping[str, _Recorded]) -> Iterator[Chart]:
        from ..views.chart_files import score_chart

        yield score_chart("scores", "Scores", {name: each.scores for name, each in results.items()}, "percent")

    @staticmethod
    def summary(inner: _Recorded, command: str) -> Summary:
        return Summary(
            verdict=inner.summary,
            table=ScoreList(map(Score, inner.scores[:10])).table(),
            signature=str(inner.run.manifest.get("signature") or ""),
            next=f"dialmeter view {inner.run.folder}",
        )


class Run(Result):
    """A finished run. It is read like a Result: ``dm.open_run("runs/new")["JGA"]``.

    Attributes:
        folder: the folder of the run.
        manifest: the content of ``run.json``.
    """

    def __init__(self, folder: str | Path) -> None:
        run = RecordedRun(folder)
        kind = str(run.manifest.get("kind", ""))
        inputs = {each["role"]: each["name"] for each in run.manifest.get("inputs", ())}
        super().__init__(_Recorded(run), RecordedFace, kind.partition("-")[0], inputs)
        self.folder = run.folder
        self.manifest = run.manifest


class Comparison(Shown):
    """A comparison of systems with the first one.

    Attributes:
        results: name → Result.
        ladders: the verdict on every later system, and the assumptions that it depends on.
    """

    def __init__(
        self,
        results: Mapping[str, Result],
        ladders: Sequence[Ladder],
        differences: Sequence[Any],
        *,
        tables: Callable[[], Sequence[Table]],
        summary: Callable[[], Any],
        charts: Callable[[], Iterator[Chart]],
    ) -> None:
        self.results = dict(results)
        self.ladders = list(ladders)
        self.differences = list(differences)
        self._make_tables, self._make_summary, self._make_charts = tables, summary, charts

    def __getitem__(self, name: str) -> Result:
        """Return the result of a system."""
        if name not in self.results:
            raise DialmeterError(f"there is no system {name!r}; {did_you_mean(name, self.results)}")
        return self.results[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _COMPARED:
            raise AttributeError(f"a comparison has no {name!r}; use .{_COMPARED[name]}")
        known = [each for each in dir(type(self)) if not each.startswith("_")]
        raise AttributeError(f"a comparison has no {name!r}; {did_you_mean(name, known)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def verdict(self) -> str:
        """The verdict on the second system: better, worse, cannot tell, or depends. See ``verdicts`` for all systems."""
        return next(iter(self.verdicts.values()), "cannot tell")

    @property
    def verdicts(self) -> dict[str, str]:
        """System → verdict, against the first system."""
        return {each.system: each.verdict for each in self.ladders}

    @property
    def rungs(self) -> list[Rung]:
        """The difference of the second system as written, then under every other assumption."""
        return list(self.ladders[0].rungs) if self.ladders else []

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per system and measure: value, interval, difference from the first, p value, counts of units."""
        against = {(each.system, each.measure): each for each in self.differences if isinstance(each, PairedDifference)}
        if not against:
            return [msgspec.to_builtins(each) for each in self.differences]
        rows = []
        for name, result in self.results.items():
            for score in result.scores:
                each = against.get((name, score.measure))
                row = {"system": name, "measure": score.measure, "value": score.value, "ci": score.ci}
                if each is not None and score.group.get("domain", "combined") == "combined":
                    row |= {"difference": each.difference, "difference_ci": each.ci, "p": each.p, "p_holm": each.p_holm}
                    row |= {"better": each.better, "same": each.same, "worse": each.worse}
                rows.append({**row, **score.group})
        return rows

    def _tables(self) -> Sequence[Table]:
        return self._make_tables()

    def _charts(self) -> Iterator[Chart]:
        return self._make_charts()

    def __repr__(self) -> str:
        return str(self._make_summary())
