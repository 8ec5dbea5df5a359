"""Base class of all results: scores by name, and their conversion to dictionaries and data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..errors import DialmeterError, MissingExtra, did_you_mean
from ..measure import Score

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars

_MOST_NAMES = 10


class RunFields(NamedTuple):
    """What a run keeps of a result besides its scores, accounts, counts and warnings.

    Attributes:
        columns: a score per row for each measure, for the index.
        findings: fields between the scores and the warnings.
        details: fields after the warnings.
    """

    columns: Mapping[str, Sequence[float | None]] = {}
    findings: Mapping[str, Any] = {}
    details: Mapping[str, Any] = {}


class Result(ABC):
    """Scores of one evaluation. Values are fractions.

    A result is read like a mapping from names to scores: ``result["JGA"]``, ``"JGA" in result``, ``result.get("SA")``,
    ``for name in result``, ``len(result)``. ``value``, ``ci`` and ``signature`` are those of the first score.
    """

    _NAME_PARTS: ClassVar[tuple[str, ...]] = ("measure",)
    """The parts of the name of a score, for messages. A name with several parts is a tuple."""

    @property
    @abstractmethod
    def scores(self) -> Sequence[Score]:
        """All scores, in the order of tables."""

    @abstractmethod
    def by(self, group: str) -> list[Score]:
        """Return the scores by a group, such as ``domain``.

        Raises:
            DialmeterError: no such group.
        """

    @abstractmethod
    def worst(self, n: int = 10) -> Sequence[Any]:
        """Return the units with the worst values: dialogues or cases."""

    def run_fields(self) -> RunFields:
        """Return what a run keeps besides scores, counts and warnings."""
        return RunFields()

    @property
    def named_scores(self) -> Mapping[Any, Score]:
        """The scores by the names under which ``[]`` finds them."""
        return {score.measure: score for score in self.scores}

    def __getitem__(self, name: Any) -> Score:
        """Return the score of this name.

        Raises:
            DialmeterError: there is no such score.
        """
        score = self.get(name)
        if score is None:
            raise DialmeterError(self._no_score(name))
        return score

    def _no_score(self, name: Any) -> str:
        """Return the message about a name without a score: its first unknown part, or what it lacks."""
        given = name if isinstance(name, tuple) else (name,)
        known = [each if isinstance(each, tuple) else (each,) for each in self]
        for number, (kind, part) in enumerate(zip(self._NAME_PARTS, given, strict=False)):
            if all(each[number] != part for each in known):
                parts = dict.fromkeys(each[number] for each in known)
                return f"there is no {kind} {part!r}; {did_you_mean(str(part), parts, _MOST_NAMES)}"
            known = [each for each in known if each[number] == part]
        return f"{name!r} names no score; give ({', '.join(self._NAME_PARTS)}), for example {known[0]!r}"

    def get(self, name: Any, default: Score | None = None) -> Score | None:
        """Return the score of this name, or the default if there is none."""
        return self.named_scores.get(name, default)

    def __contains__(self, name: Hashable) -> bool:
        return self.get(name) is not None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.named_scores)

    def __len__(self) -> int:
        return len(self.named_scores)

    @property
    def value(self) -> float | None:
        """The value of the first score."""
        return self.scores[0].value

    @property
    def ci(self) -> tuple[float, float] | None:
        """The confidence interval of ``value``, or None if none was computed."""
        return self.scores[0].ci

    @property
    def signature(self) -> str:
        """The signature of ``value``."""
        return self.scores[0].signature

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the scores as dictionaries, as in JSON."""
        return [score_dict(score) for score in self.scores]


def score_dict(score: Score) -> dict[str, Any]:
    """Return a score as a dictionary for JSON. The keys of its group are on the same level as the others.

    Example:
        >>> score = Score(measure="JGA", value=0.5, n=2, unscored=0, signature="JGA|...", group={"domain": "taxi"})
        >>> score_dict(score)
        {'measure': 'JGA', 'value': 0.5, 'ci': None, 'n': 2, 'unscored': 0, 'domain': 'taxi', 'signature': 'JGA|...'}
    """
    return {
        "measure": score.measure,
        "value": score.value,
        "ci": list(score.ci) if score.ci else None,
        "n": score.n,
        "unscored": score.unscored,
        **score.group,
        **{name: text for name in ("ci_reason", "reason") if (text := getattr(score, name))},
        "signature": score.signature,
    }


def percent(value: float | None) -> str:
    """Format a fraction as percent with two decimals; None as a dash.

    Example:
        >>> percent(0.33333), percent(None)
        ('33.33', '–')
    """
    return "–" if value is None else f"{100 * value:.2f}"


def as_pandas(rows: Any) -> pandas.DataFrame:
    """Convert dictionaries, or columns by name, to a pandas table.

    Raises:
        MissingExtra: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtra("to_pandas()", package="pandas") from None
    return pandas.DataFrame(rows)


def as_polars(rows: Any) -> polars.DataFrame:
    """Convert dictionaries, or columns by name, to a polars table.

    Raises:
        MissingExtra: polars is not installed.
    """
    try:
        import polars
    except ImportError:
        raise MissingExtra("to_polars()", "tables") from None
    return polars.DataFrame(rows, infer_schema_length=None)
