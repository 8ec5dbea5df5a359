"""Settings: what changes a number. In Python they are keywords, with the keys of ``--set`` (``only_slots`` is ``only-slots``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.comparison import Resampling, make_resampling
from ..errors import DialmeterError, did_you_mean
from ..measure import registry
from .advice import KEYWORDS, advice
from .scores import measure_text


class Options(NamedTuple):
    """What a call takes besides data and settings; see ``dm.score``."""

    measures: Any = None
    judges: Any = None
    gold: Any = None
    format: str | None = None
    gold_format: str | None = None
    only: Any = None


class Settings(Mapping[str, Any]):
    """Settings to give to several calls: ``dm.score(path, settings=dm.Settings(map="multiwoz", ci=0.9))``.

    Example:
        >>> Settings(map="multiwoz", only_slots="hotel//area")
        Settings(map='multiwoz', only_slots='hotel//area')
        >>> dict(Settings(map="multiwoz") | {"ci": 0.9})
        {'map': 'multiwoz', 'ci': 0.9}
    """

    def __init__(self, **given: Any) -> None:
        self._given = {key.replace("-", "_"): value for key, value in given.items()}

    def __getitem__(self, key: str) -> Any:
        return self._given[key.replace("-", "_")]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __or__(self, other: Mapping[str, Any]) -> Settings:
        return Settings(**{**self._given, **other})

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{key}={value!r}' for key, value in self._given.items())})"

    def check(self, subject: str, known: Sequence[str], call: str = "score") -> None:
        """Check that the subject has all settings.

        Raises:
            DialmeterError: a setting is unknown; the message says what to write instead.
        """
        for key, value in self._given.items():
            if key in known or "." in key:
                continue
            if meant := advice(KEYWORDS, key):
                meant = f"measures={_measures(value)!r}" if meant == "measures" else meant
                raise DialmeterError(f"{call}() has no {key}=; use {meant}")
            raise DialmeterError(f"no setting {key!r} for {subject}s; {did_you_mean(key, known)}")

    def text(self, key: str, default: str | None = None) -> str | None:
        """Return a setting as on the command line; a list is joined with commas."""
        value = self._given.get(key)
        if value is None:
            return default
        return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

    def resampling(self, resamples: int) -> Resampling | None:
        """Return the settings of intervals; None with ``ci=0``."""
        given = self._given
        return make_resampling(given.get("ci", 0.95), given.get("resamples", resamples), given.get("seed", 12345))


def _measures(given: Any) -> Any:
    """Return measures with their names here, or the most similar names.

    Example:
        >>> _measures(["slot_f1", "jgaa"])
        ['SlotF1', 'JGA']
    """
    if not isinstance(given, str):
        return [_measures(each) for each in given]
    known = [*registry.builtin(), "Success", "Pass(k=2)", "I-GCDF1", "R-GCDF1", "Spearman", "Pearson", "Kendall"]
    try:
        name = measure_text(given, known)
    except DialmeterError as error:
        return str(error).rpartition(" as ")[2].strip("'") or given
    close = did_you_mean(name, known)
    return name if name.partition("(")[0] in known or "?" not in close else close[len("did you mean ") : -1]


INTERVALS = ("ci", "resamples", "seed")
