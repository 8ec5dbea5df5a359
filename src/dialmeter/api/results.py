"""Results, runs and comparisons as Python shows them: numbers by name, tables, charts, and the text of the terminal."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from ..core.comparison import PairedDifference
from ..core.ladder import Ladder, Rung
from ..core.open_runs import Run as RecordedRun
from ..core.result import Result as SubjectResult
from ..core.result import as_pandas
from ..errors import DialmeterError, did_you_mean
from ..measure import Score as MeasuredScore
from ..views.chart_files import Chart
from ..views.ladder import ladder_charts
from ..views.latex import Paper
from ..views.summaries.summary import Summary
from ..views.tables import Table, render
from . import recorded
from .advice import COMPARISON, RESULT, advice
from .scores import Score, ScoreList, Tabular, plain_name


class Shown(Tabular):
    """What results and comparisons share: tables in several styles, charts, and the text of the terminal."""

    _face: Any

    def __getstate__(self) -> dict[str, Any]:
        # The functions of a subject are a module, which pickle cannot keep.
        return {**vars(self), "_face": self._face.__name__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _face=import_module(state["_face"]))

    def _tables(self) -> Sequence[Table]:
        raise NotImplementedError

    def _charts(self) -> Iterator[Chart]:
        raise NotImplementedError

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
        """Return the score of a name, also of a short name, or of a measure that was not requested; None if there is none."""
        found = self._inner.get(name)
        if found is not None:
            return found
        wanted = {plain_name(str(part)) for part in _as_tuple(name)}
        for form in (plain_name, lambda text: plain_name(text).partition("(")[0]):
            parts = {each: {form(str(one)) for one in _as_tuple(each)} for each in self._inner}
            matches: Sequence[Any] = [each for each, own in parts.items() if wanted <= own]
            if len(matches) > 1 and hasattr(self._face, "preferred"):
                matches = self._face.preferred(self._inner, matches)
            if len(matches) == 1:
                return self._inner[matches[0]]
            if matches:
                raise DialmeterError(f"{name!r} is one of several: {', '.join(map(repr, matches[:5]))}")
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
        if meant := advice(RESULT, name):
            raise AttributeError(f"a result has no {name!r}; use .{meant}")
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

    def values(self) -> list[Score]:
        """Return the scores."""
        return [*self.scores]

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

    def __lt__(self, other: object) -> bool:
        raise TypeError(
            f"compare one score: a[{next(iter(self._inner))!r}] < b[…]; is it real? dm.compare({{'a': a, 'b': b}})"
        )

    __gt__ = __le__ = __ge__ = __lt__

    def by(self, group: str) -> ScoreList:
        """Return the scores by a group, such as ``domain``, ``slot`` or ``task``."""
        if group in ("dialogue", "dialog", "dialogue_id"):
            raise DialmeterError("scores of dialogues are in .worst(n), and every unit in .rows()")
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
        roles = {"gold": "gold", "pred": "prediction"}
        read = ", ".join(f"{roles.get(role, role)} is {name}" for role, name in self.inputs.items())
        return _with_notes(lines, *([read, self._note] if len(self.inputs) > 1 else []))


def _with_notes(lines: Sequence[str], *notes: str) -> str:
    """Return the text of the terminal with notes before its signature."""
    at = next((place for place, line in enumerate(lines) if line.startswith(("signature", "next"))), len(lines))
    return "\n".join([*lines[:at], *filter(None, notes), *lines[at:]])


def _as_tuple(name: Any) -> tuple[Any, ...]:
    return name if isinstance(name, tuple) else (name,)


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
        super().__init__(recorded.RecordedResult(run), recorded, kind.partition("-")[0], inputs)
        self.folder = run.folder
        self.manifest = run.manifest


class Check:
    """What was found in an input before it is scored. Its attributes are those of the check of its subject, such as ``valid``."""

    def __init__(self, inner: Any, summary: Summary) -> None:
        self._inner = inner
        self._summary = summary

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __repr__(self) -> str:
        return str(self._summary)


class Comparison(Shown):
    """A comparison of systems with the first one.

    Attributes:
        results: name → Result.
        ladders: the verdict on every later system, and the assumptions that it depends on.
    """

    def __init__(
        self, results: Mapping[str, Result], compared: Any, face: Any, command: str = "", note: str = ""
    ) -> None:
        self.results = dict(results)
        self.ladders: list[Ladder] = list(compared.ladders)
        self.differences = list(compared.comparisons if hasattr(compared, "comparisons") else compared.versus)
        self._compared, self._face, self._command, self._note = compared, face, command, note

    def __getitem__(self, name: str) -> Result:
        """Return the result of a system."""
        if name not in self.results:
            last = list(self.results)[-1]
            is_measure = isinstance(name, str) and name in self.results[last]
            meant = f"write comparison[{last!r}][{name!r}]" if is_measure else did_you_mean(str(name), self.results)
            raise DialmeterError(f"there is no system {name!r}; {meant}")
        return self.results[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if meant := advice(COMPARISON, name):
            raise AttributeError(f"a comparison has no {name!r}; use .{meant}")
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
        return list(self._face.comparison_tables(self._compared))

    def _charts(self) -> Iterator[Chart]:
        yield from ladder_charts(self.ladders)
        if hasattr(self._face, "comparison_charts"):
            yield from self._face.comparison_charts(self._compared)
        else:
            yield from self._face.charts(self._compared.results)

    def __repr__(self) -> str:
        return _with_notes(str(self._face.comparison_summary(self._compared, self._command)).splitlines(), self._note)
