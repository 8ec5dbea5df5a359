"""The calls of Python: score, compare, check, and the others that take files or data in memory."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import DialmeterError, InputError
from ..readers.unrecognised_input import no_such_file
from . import inputs
from .inputs import Prepared, is_path, is_table, prepared
from .results import Comparison, Result, Run
from .scores import plain_name
from .settings import Options, Settings
from .subjects import RATINGS, check_subject, face_of, subject_of_file, subject_of_items
from .words import in_python

_GOLD = ("references", "y_true")
_PRED = ("predictions", "y_pred")
_FLAT = "every turn stands alone; for FGA, GCA and intervals over dialogues give lists of turns"


def _take(given: dict[str, Any], names: tuple[str, ...], value: Any) -> Any:
    """Take an input from the keywords of other libraries that name it."""
    for name in names:
        if name in given:
            if value is not None:
                raise DialmeterError(f"{name}= is given twice, by another name too")
            value = given.pop(name)
    return value


def _refuse_columns(table: Any, given: Mapping[str, Any]) -> None:
    """Say how to name a column that is given as a keyword, such as ``turn="step"`` or ``pred_col="belief"``.

    Raises:
        DialmeterError: there is such a keyword.
    """
    names = (
        list(table.columns) if is_table(table) else list(table[0]) if table and isinstance(table[0], Mapping) else []
    )
    for key, value in given.items():
        role = inputs.find_role(key.removesuffix("_column").removesuffix("_col"))
        if role and value in names:
            raise DialmeterError(f"{key}= is no keyword; name columns like this: columns={{{role!r}: {value!r}}}")


class _Request:
    """The inputs of a call, by role, and its settings."""

    def __init__(
        self,
        positional: tuple[Any, ...],
        gold: Any,
        pred: Any,
        columns: Mapping[str, str] | None,
        given: dict[str, Any],
    ) -> None:
        gold, pred = _take(given, _GOLD, gold), _take(given, _PRED, pred)
        self.columns = dict(columns or {})
        first, *rest = positional or (None,)
        if is_table(first) or isinstance(first, list):
            _refuse_columns(first, given)
        if hasattr(first, "read"):
            raise DialmeterError("an open file is given; give its path, or its content as data")
        self.settings = Settings(**{**(given.pop("settings", None) or {}), **given})
        rows = first is not None and not is_path(first) and not isinstance(first, Mapping)
        if rows and (isinstance(gold, str) or isinstance(pred, str)) and self._has_columns(first, gold, pred):
            self.columns |= {key: name for key, name in (("gold", gold), ("pred", pred)) if name is not None}
            gold = pred = None
        if len(rest) > 1:
            if isinstance(rest[1], str) and not Path(rest[1]).exists():
                raise DialmeterError(f"give measures by name: dm.score(gold, pred, measures={rest[1]!r})")
            raise DialmeterError(
                "score() takes gold and prediction; to compare several predictions: dm.compare(gold, {'a': …, 'b': …})"
            )
        if rest:
            if gold is not None or pred is not None:
                raise DialmeterError(
                    "two inputs are given without a name; they are gold and prediction, so gold= and pred= are too many"
                )
            gold, pred = first, rest[0]
        elif first is not None:
            if pred is not None and gold is not None:
                raise DialmeterError("three inputs are given; give gold= and pred=, or one input without a name")
            gold, pred = (first, pred) if pred is not None else (gold, first)
        if pred is None:
            raise DialmeterError("the prediction is missing; dm.score(gold, pred), or dm.score(pred, gold=gold)")
        self.gold, self.pred = gold, pred
        self.inputs = self._names(bool(rest))

    @staticmethod
    def _has_columns(table: Any, *names: Any) -> bool:
        if is_table(table):
            return all(
                name is None or name in list(table.columns) for name in names if isinstance(name, str) or name is None
            )
        rows = table if isinstance(table, list) else []
        return bool(rows) and isinstance(rows[0], Mapping) and all(name is None or name in rows[0] for name in names)

    def _names(self, unnamed: bool) -> dict[str, str]:
        def name(value: Any, words: str) -> str:
            return str(value) if is_path(value) else f"the {words} input" if unnamed else type(value).__name__

        if self.gold is None:
            return {"data": name(self.pred, "one")}
        return {"gold": name(self.gold, "first"), "pred": name(self.pred, "second")}

    @property
    def command(self) -> str:
        """The command that does the same; empty for data in memory."""
        if not all(is_path(each) for each in (self.pred, *([self.gold] if self.gold is not None else []))):
            return ""
        words = ["dialmeter", "score", str(self.pred), *(["--gold", str(self.gold)] if self.gold is not None else [])]
        words += [
            word
            for key, value in self.settings.items()
            for word in (["--rules", str(value)] if key == "rules" else ["--set", f"{key.replace('_', '-')}={value}"])
        ]
        return shlex.join(words)

    def subject(self, subject: str | None, format: str | None, judges: Any) -> str:
        """Return the subject: the given one, or that of the input."""
        pred = self.pred
        if isinstance(pred, list | tuple) and (found := subject_of_items(list(pred))):
            return found
        if is_path(pred):
            found = subject_of_file(str(pred), format)
            return check_subject(subject) if subject and not (subject == "judge" and found == RATINGS) else found
        if subject:
            return check_subject(subject)
        if judges is not None:
            return "judge"
        if is_table(pred) or (isinstance(pred, list) and pred and isinstance(pred[0], Mapping)):
            names = list(pred.columns) if is_table(pred) else list(pred[0])
            has = {key: inputs.find_column(map(str, names), key) for key in ("gold", "pred", "reward")}
            if has["reward"] and not has["gold"] and not has["pred"] and not self.columns:
                return "system"
        return "tracker"

    @contextmanager
    def files(self, format: str | None) -> Iterator[Prepared]:
        for each in (self.pred, self.gold):
            if (
                is_path(each)
                and str(each) != "-"
                and not Path(str(each).rpartition("#")[0] or str(each)).exists()
                and not Path(str(each)).exists()
            ):
                raise InputError(no_such_file(str(each)), file=str(each))
        with prepared(self.pred, self.gold, self.columns, format) as files:
            yield files

    def source(self, format: str | None) -> Any:
        """Return the one input of a user, a judge or a system: a path, or objects."""
        return str(self.pred) if is_path(self.pred) else list(self.pred)


def _format(format: str | None, columns: Mapping[str, str], pred: Any) -> str | None:
    from ..readers.formats import format_with_fields

    return format_with_fields(format, [f"{key}={name}" for key, name in columns.items()]) if is_path(pred) else format


@in_python
def score(
    *data: Any,
    gold: Any = None,
    pred: Any = None,
    measures: Any = None,
    subject: str | None = None,
    columns: Mapping[str, str] | None = None,
    judges: Any = None,
    format: str | None = None,
    gold_format: str | None = None,
    only: Any = None,
    **settings: Any,
) -> Result:
    """Score a tracker, a user, a judge or a system, like ``dialmeter score``.

    Args:
        data: gold, then the prediction; or one input that holds both, or the prediction if ``gold`` is given. An input is a path,
            a list of states (of turns, or of dialogues), rows, a data frame, a dictionary by dialogue, or a generator of these.
        gold: gold, or its column in a table. ``references`` and ``y_true`` mean the same.
        pred: the prediction, or its column in a table. ``predictions`` and ``y_pred`` mean the same.
        measures: a measure or several, such as ``"JGA"`` or ``["jga", "FGA(lam=0.5)"]``. ``measure`` means the same.
        subject: ``tracker``, ``user``, ``judge`` or ``system``; found from the input if not given.
        columns: key → column of a table, such as ``{"pred": "belief_v2"}``.
        judges: judges to score on cases or ratings: names, or functions by name, such as ``{"mine": lambda context, reply: 1.0}``.
        format: the format of the prediction; detected if not given.
        gold_format: the format of gold.
        only: a file with the ids of the dialogues to score, or the ids.
        settings: settings, such as ``rules="trade"``, ``map="multiwoz"``, ``missing="empty"`` or ``ci=0.9``.

    Returns:
        The scores. Values are fractions.

    Raises:
        DialmeterError: the input cannot be scored; the message says why.

    Example:
        >>> gold = [[{"hotel-area": "east"}, {"hotel-area": "east", "hotel-stars": "4"}]]
        >>> pred = [[{"hotel-area": "east"}, {"hotel-area": "east"}]]
        >>> result = score(gold, pred, measures="JGA")
        >>> result.jga, f"{result['jga']:.1%}", result.inputs
        (0.5, '50.0%', {'gold': 'the first input', 'pred': 'the second input'})
        >>> score([{"task": "a", "reward": 1}, {"task": "a", "reward": 0}])["Pass(k=2)"]
        0.0
        >>> score(gold, pred, metrics=["jga"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: score() has no metrics=; use measures=['JGA']
    """
    measures = _take(settings, ("measure",), measures)
    request = _Request(data, gold, pred, columns, settings)
    subject = request.subject(subject, format, judges)
    face, own, note = face_of(subject), request.settings, ""
    own.check("judge" if subject == RATINGS else subject, face.KEYS)
    kind = _format(format, request.columns, request.pred)
    options = Options(measures, judges, request.gold, kind, gold_format, only)
    if subject == "tracker":
        with request.files(format) as files:
            in_memory = not is_path(request.pred) or files.path != str(request.pred)
            inner = face.score(files, own, options, keep=in_memory)
            if in_memory:
                inner.scores, inner.diagnosis  # noqa: B018  computed while the files exist
            note = _FLAT if files.flat else ""
    elif subject == "system":
        source = request.source(format)
        if is_table(request.pred) or (isinstance(source, list) and source and isinstance(source[0], Mapping)):
            rows = inputs.rows_of_table(request.pred) if is_table(request.pred) else source
            source = face.trajectories(rows, request.columns)
        inner = face.score(source, own, options)
    elif subject == "user":
        inner = face.score(request.source(format), face.settings_of(own), own.resampling(1000), options)
    else:
        inner = face.score(request.source(format), own, options, ratings=subject == RATINGS)
    return Result(
        inner, face, "judge" if subject == RATINGS else subject, request.inputs, command=request.command, note=note
    )


@in_python
def compare(
    *data: Any,
    gold: Any = None,
    measures: Any = None,
    subject: str | None = None,
    columns: Mapping[str, str] | None = None,
    judges: Any = None,
    format: str | None = None,
    gold_format: str | None = None,
    only: Any = None,
    **settings: Any,
) -> Comparison:
    """Compare systems with the first one, like ``dialmeter compare``: is the difference real, and what does it depend on?

    Args:
        data: ``{"a": …, "b": …}``; or gold and such a dictionary; or several inputs, each of which holds gold and prediction
            unless ``gold`` is given. An input is anything that ``score`` takes.
        gold: gold for all systems. ``references`` and ``y_true`` mean the same.
        measures: as in ``score``. The verdict is about the first.
        subject: as in ``score``.
        columns: as in ``score``.
        judges: judges to compare on cases.
        format: the format of the predictions.
        gold_format: the format of gold.
        only: a file with the ids of the dialogues to compare, or the ids.
        settings: settings, such as ``missing="empty"``.

    Raises:
        DialmeterError: the systems cannot be compared; the message says why.

    Example:
        >>> gold = [[{"hotel-area": "east"}], [{"hotel-stars": "4"}]]
        >>> compared = compare(gold, {"old": [[{}], [{}]], "new": gold}, measures="JGA")
        >>> compared["new"].jga, compared.verdict
        (1.0, 'cannot tell')
    """
    measures = _take(settings, ("measure",), measures)
    gold = _take(settings, _GOLD, gold)
    if judges is not None:
        if len(data) != 1:
            raise DialmeterError(
                "judges are compared on one file of cases: dm.compare('cases.jsonl', judges=['a', 'b'])"
            )
        return _judges_compared(score(data[0], judges=judges, subject=subject, **settings))
    gold, systems = _systems(data, gold)
    first = next(iter(systems.values()))
    own = Settings(**{**(settings.pop("settings", None) or {}), **settings})
    found = (
        first.subject
        if isinstance(first, Result)
        else _Request((first,), gold, None, columns, {}).subject(subject, format, None)
    )
    face = face_of(found)
    own.check(found, face.KEYS, "compare")
    if found == "user":
        sources = {name: str(each) if is_path(each) else list(each) for name, each in systems.items()}
        compared = face.compare_sources(sources, own, Options(measures, gold=gold, format=format))
        results = {name: Result(each, face, found, {"data": name}) for name, each in compared.results.items()}
    else:
        options = Options(measures, None, gold, format, gold_format, only)
        results = {
            name: each if isinstance(each, Result) else _scored(each, found, columns, own, options)
            for name, each in systems.items()
        }
        compared = face.compare_results({name: each._inner for name, each in results.items()}, own)
        results = {name: Result(inner, face, found, results[name].inputs) for name, inner in compared.results.items()}
    command = _compare_command(systems, gold, own)
    return Comparison(
        results,
        compared.ladders,
        compared.versus,
        tables=lambda: face.comparison_tables(compared),
        summary=lambda: face.comparison_summary(compared, command),
        charts=lambda: face.comparison_charts(compared),
    )


def _scored(data: Any, subject: str, columns: Any, own: Settings, options: Options) -> Result:
    """Score one of several systems so that it can be scored again under other assumptions."""
    if subject != "tracker":
        return score(data, subject=subject, columns=columns, **{**options._asdict(), **own})
    request, face = _Request((data,), options.gold, None, columns, dict(own)), face_of(subject)
    with request.files(options.format) as files:
        options = options._replace(format=_format(options.format, request.columns, data))
        inner = face.score(files, own, options, keep=True, resamples=10_000)
        inner.scores, inner.diagnosis  # noqa: B018  computed while the files exist
    return Result(inner, face, subject, request.inputs)


def _judges_compared(result: Result) -> Comparison:
    inner: Any = result._inner
    face = result._face
    if not hasattr(inner, "comparisons"):
        raise DialmeterError("judges are compared on cases; for ratings, dm.score(RATINGS, judges=…) lists all judges")
    return Comparison(
        {each.name: result for each in inner.judges if not each.trivial},
        inner.ladders,
        inner.comparisons,
        tables=lambda: face.comparison_tables(inner),
        summary=lambda: face.comparison_summary(inner, ""),
        charts=lambda: face.comparison_charts(inner),
    )


def _systems(data: tuple[Any, ...], gold: Any) -> tuple[Any, dict[str, Any]]:
    """Return gold and the systems by name."""
    if len(data) == 2 and isinstance(data[1], Mapping) and gold is None and not isinstance(data[0], Result):
        gold, data = data[0], data[1:]
    if len(data) == 1 and isinstance(data[0], Mapping):
        systems = {str(name): each for name, each in data[0].items()}
    else:
        if (
            gold is None
            and len(data) > 2
            and not any(is_path(each) or is_table(each) or isinstance(each, Result) for each in data)
        ):
            gold, *data = data  # type: ignore[assignment]
        systems = {}
        for place, each in enumerate(data, 1):
            name = Path(str(each)).name.split(".")[0] if is_path(each) else str(place)
            systems[name if name not in systems else str(each)] = each
    if len(systems) < 2:
        raise DialmeterError("compare() needs two systems or more: dm.compare({'a': …, 'b': …}, gold=…)")
    return gold, systems


def _compare_command(systems: Mapping[str, Any], gold: Any, own: Settings) -> str:
    if not all(map(is_path, systems.values())):
        return ""
    words = ["dialmeter", "compare", *(f"{name}={path}" for name, path in systems.items())]
    words += ["--gold", str(gold)] if gold is not None else []
    return shlex.join(
        [*words, *(word for key, value in own.items() for word in ("--set", f"{key.replace('_', '-')}={value}"))]
    )


@in_python
def check(
    *data: Any, gold: Any = None, pred: Any = None, subject: str | None = None, columns: Mapping[str, str] | None = None,
    format: str | None = None, gold_format: str | None = None, only: Any = None, **settings: Any,
) -> Any:  # fmt: skip
    """Check whether an input can be scored, like ``dialmeter check``. The arguments are those of ``score``.

    Returns:
        What was found: ``valid``, ``problems``, ``notices``, ``counts`` and ``account``.

    Example:
        >>> check([[{"hotel-area": "east"}]], [[{}]]).valid
        True
    """
    request = _Request(data, gold, pred, columns, settings)
    found = request.subject(subject, format, None)
    face, own = face_of(found), request.settings
    own.check(found, face.KEYS, "check")
    options = Options(None, None, request.gold, _format(format, request.columns, request.pred), gold_format, only)
    if found == "tracker":
        with request.files(format) as files:
            return face.check(files, own, options)
    if not is_path(request.pred) or found in ("judge", RATINGS):
        raise DialmeterError("check() takes files of trackers, users and systems, and states in memory")
    return face.check(str(request.pred), own, options)


def open_run(folder: str | Path) -> Run:
    """Open a finished run. It is read like a Result.

    Raises:
        DialmeterError: the folder holds no finished run.

    Example:
        >>> open_run("no-such-folder")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: no-such-folder: no run here (run.json is missing)
    """
    return Run(folder)


def measure_names() -> dict[str, str]:
    """Return the measures of trackers, users and systems that can be called as functions, by their plain names."""
    from ..measure import registry
    from ..users.measures import ABOUT

    return {plain_name(each): each for each in (*registry.builtin(), *ABOUT, "Success", "Pass")}


def measure_value(name: str, *data: Any, **given: Any) -> float:
    """Return one measure as a plain number: ``dm.jga(gold, pred)``, ``dm.fga(gold, pred, lam=0.5)``.

    Example:
        >>> measure_value("JGA", ["hotel-area=east"], [{"hotel-area": "East"}])
        1.0

    Raises:
        DialmeterError: the input cannot be scored.
        ValueError: the measure has no value.
    """
    from ..measure import parameters, registry

    if not data and not given:
        raise DialmeterError(
            f"give data: dm.{name.lower()}(gold, pred); for batches use dm.Scorer('tracker', measures={name!r})"
        )
    is_tracker = name in registry.builtin()
    own = {each.name for each in parameters(registry.load(name))} if is_tracker else {"k"}
    if given.get("average") in ("macro", "micro", "weighted", "samples"):
        raise DialmeterError(
            "average is 'turn' (every turn counts the same) or 'dialogue' (first the mean of every dialogue)"
        )
    chosen = {key: given.pop(key) for key in list(given) if key in own}
    written = ", ".join(f"{key}={value}" for key, value in chosen.items())
    subject = {} if is_tracker else {"subject": "user" if "GCDF1" in name or name[:2] in ("I-", "R-") else "system"}
    result = score(*data, measures=f"{name}({written})" if written else name, **{"ci": 0, **subject, **given})
    return float(result.scores[0])
