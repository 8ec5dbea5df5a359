"""Scores as numbers: a score is a float that also has its interval, its counts and its signature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from math import nan
from typing import Any, SupportsIndex, overload

from ..core.result import as_pandas, as_polars, score_dict
from ..errors import DialmeterError, did_you_mean
from ..measure import Score as MeasuredScore
from ..views.tables import Table, interval, percent, render
from .advice import MEASURES, SCORE, advice


class Score(float):
    """The value of a measure. It is a float, a fraction from 0 to 1 for most measures: ``f"{score:.2f}"``, ``score > 0.5``.

    An unscored measure is not zero: ``float(score)``, comparing and formatting it raise ValueError with the reason, and
    arithmetic gives nan.

    Attributes:
        measure: the name of the measure.
        value: the value; None if it is unscored.
        ci: the confidence interval; None without one.
        n: the number of scored units.
        unscored: the number of unscored units.
        reason: the reason why there is no value.
        signature: everything that the value depends on.
        group: the group of the score, such as ``{"domain": "hotel"}``.

    Example:
        >>> score = Score(MeasuredScore(measure="JGA", value=0.75, n=4, unscored=0, signature="JGA|v:1"))
        >>> score, f"{score:.2f}", f"{score:.1%}", score > 0.5, score.n
        (0.75, '0.75', '75.0%', True, 4)
        >>> float(Score(MeasuredScore(measure="R-GCDF1", value=None, n=0, unscored=1, signature="", reason="no requests")))
        Traceback (most recent call last):
        ValueError: R-GCDF1 is unscored: no requests
    """

    _score: MeasuredScore

    def __new__(cls, score: MeasuredScore) -> Score:
        number = super().__new__(cls, nan if score.value is None else score.value)
        number._score = score
        return number

    def __reduce__(self) -> tuple[Any, ...]:
        return Score, (self._score,)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(self._score, name):
            return getattr(self._score, name)
        meant = advice(SCORE, name)
        raise AttributeError(f"a score has no {name!r}; use .{meant}" if meant else f"a score has no {name!r}")

    def _scored(self) -> float:
        if self._score.value is None:
            raise ValueError(f"{self._score.measure} is unscored: {self._score.reason or 'it has no value'}")
        return self._score.value

    def __float__(self) -> float:
        return self._scored()

    def __format__(self, form: str) -> str:
        return format(self._scored(), form)

    def __lt__(self, other: float) -> bool:
        return self._scored() < float(other)

    def __le__(self, other: float) -> bool:
        return self._scored() <= float(other)

    def __gt__(self, other: float) -> bool:
        return self._scored() > float(other)

    def __ge__(self, other: float) -> bool:
        return self._scored() >= float(other)


class Tabular:
    """Records that can be turned into a data frame."""

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per score, as in JSON."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return a pandas table with one row per score."""
        return as_pandas(self.to_dicts())

    def to_polars(self) -> Any:
        """Return a polars table with one row per score."""
        return as_polars(self.to_dicts())


class ScoreList(list[Score], Tabular):
    """Scores. ``scores["JGA"]`` is that of a measure, ``scores["hotel"]`` that of the first measure in a group."""

    @overload
    def __getitem__(self, key: SupportsIndex) -> Score: ...
    @overload
    def __getitem__(self, key: slice) -> list[Score]: ...
    @overload
    def __getitem__(self, key: str) -> Score: ...
    def __getitem__(self, key: SupportsIndex | slice | str) -> Score | list[Score]:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for score in self:
            if key in map(str, score.group.values()) or (
                not score.group and plain_name(score.measure) == plain_name(key)
            ):
                return score
        names = {str(name) for score in self for name in score.group.values() or [score.measure]}
        raise DialmeterError(f"there is no score of {key!r}; {did_you_mean(key, names)}")

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the scores as dictionaries, as in JSON."""
        return [score_dict(score._score) for score in self]

    def table(self) -> Table:
        """Return the table that is printed."""
        groups = list(dict.fromkeys(name for score in self for name in score.group))
        rows = tuple(
            (
                *(str(each.group.get(name, "")) for name in groups),
                each.measure,
                percent(each.value),
                interval(each.ci, each.ci_reason),
                str(each.n),
            )
            for each in self
        )
        numeric = frozenset({len(groups) + 1, len(groups) + 2, len(groups) + 3})
        return Table("", (*groups, "measure", "value", "interval", "n"), rows, numeric)

    def __repr__(self) -> str:
        return render(self.table(), "text") if self else "no scores"


_PASS = re.compile(r"pass(\^|@|[_-]hat[_-]|[_-]power[_-]|[_-]at[_-])(\d+)", re.IGNORECASE)


def plain_name(text: str) -> str:
    """Return the name of a measure without case, blanks, underscores and hyphens, to compare names.

    Example:
        >>> plain_name("Slot_F1"), plain_name("FGA(lam=0.5)")
        ('slotf1', 'fga(lam=0.5)')
    """
    name, bracket, rest = text.partition("(")
    return re.sub(r"[\s_-]", "", name).lower() + bracket + rest.replace(" ", "")


def name_here(text: str) -> str | None:
    """Return the name here of a measure that is written as in another library; None for other texts.

    Example:
        >>> name_here("pass^2"), name_here("pass@2"), name_here("joint_goal_accuracy"), name_here("JGA")
        ('Pass(k=2)', 'AnyPass(k=2)', 'JGA', None)
    """
    if match := _PASS.fullmatch(text.strip()):
        return f"{'Any' if '@' in match[1] or 'at' in match[1][1:3] else ''}Pass(k={match[2]})"
    return advice(MEASURES, plain_name(text)) if "_" in text or text.islower() else None


def measure_text(given: Any, known: Iterable[str]) -> str:
    """Return a requested measure as its own name, without regard to case and underscores.

    Raises:
        DialmeterError: it is written as in another library; the message has its name here.

    Example:
        >>> measure_text("slot_f1", ["JGA", "SlotF1"]), measure_text("fga(lam=0.5)", ["FGA"])
        ('SlotF1', 'FGA(lam=0.5)')
        >>> measure_text("pass^2", ["Success", "Pass"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: write 'pass^2' as 'Pass(k=2)'
    """
    text = given if isinstance(given, str) else given.args[0] if isinstance(given, partial) else repr(given)
    names = {plain_name(name): name for name in known}
    name, bracket, rest = text.partition("(")
    if text in names.values():
        return text
    meant = name_here(text) or advice(MEASURES, plain_name(name))
    if meant and (meant in names.values() or meant.partition("(")[0] in names.values()):
        raise DialmeterError(f"write {text!r} as {meant!r}")
    if "," in text and not bracket:
        listed = [part.strip() for part in text.split(",")]
        raise DialmeterError(f"{text!r} is not one measure; give a list: measures={listed}")
    return names.get(plain_name(name), name) + bracket + rest


def measure_texts(given: Any, known: Sequence[str]) -> list[str]:
    """Return the requested measures; a text is one measure, and None is an empty list."""
    if given is None:
        return []
    listed = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
    return [measure_text(each, known) for each in listed]
