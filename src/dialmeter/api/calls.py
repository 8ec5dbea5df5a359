"""The calls of Python: score, compare, check, and the others that take files or data in memory."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import DialmeterError, InputError, did_you_mean
from ..readers.content import content_of_rows
from ..readers.conversations import log_in_memory
from ..readers.formats import RATING_KEYS, STATES, format_with_fields, gold_format_of
from ..readers.remote import local_path
from ..readers.unrecognised_input import no_such_file
from . import inputs
from .advice import KEYWORDS, MEASURES, MODULE, advice, in_python
from .inputs import Prepared, is_path, is_table, prepared
from .results import Check, Comparison, Result, Run
from .scores import plain_name
from .settings import Options, Settings
from .subjects import RATINGS, check_subject, face_of, subject_of_file, subject_of_items

_GOLD = ("references", "y_true")
_PRED = ("predictions", "y_pred")
_WORD = re.compile(r"[\w-]+(\(.*\))?")
"""A measure, rather than the path of a file."""
_FLAT = "every turn stands alone; for FGA, GCA and intervals over dialogues give lists of turns"


def _take(given: dict[str, Any], names: tuple[str, ...], value: Any) -> Any:
    """Take an input from the keywords of other libraries that name it."""
    for name in names:
        if name in given:
            if value is not None:
                raise DialmeterError(f"{name}= is given twice, by another name too")
            value = given.pop(name)
    return value


def _taken_settings(given: dict[str, Any]) -> Settings:
    return Settings(**{**(given.pop("settings", None) or {}), **given})


def _columns_of(table: Any) -> list[Any]:
    """Return the names of the columns of a data frame or of a list of rows; empty for other data."""
    if is_table(table):
        return list(table.columns)
    return list(table[0]) if isinstance(table, list) and table and isinstance(table[0], Mapping) else []


def _refuse_columns(table: Any, given: Mapping[str, Any]) -> None:
    """Raise an error for a column that is given as a keyword, such as ``turn="step"`` or ``pred_col="belief"``."""
    names = _columns_of(table)
    for key, value in given.items():
        role = inputs.find_role(key.removesuffix("_column").removesuffix("_col"))
        if role and value in names:
            raise DialmeterError(f"{key}= is no keyword; name columns like this: columns={{{role!r}: {value!r}}}")


def _sides(positional: tuple[Any, ...], gold: Any, pred: Any) -> tuple[Any, Any]:
    """Return gold and prediction from the inputs without a name and with one."""
    first, *rest = positional or (None,)
    words = rest[-1] if rest and isinstance(rest[-1], list | tuple) and len(rest) > 1 else rest[-1:]
    if words and all(isinstance(each, str) and _WORD.fullmatch(each) and not Path(each).exists() for each in words):
        given = ", ".join(["gold", "pred"] if len(rest) > 1 else ["pred"])
        raise DialmeterError(
            f"{words[0]}: no such file; give measures by name: dm.score({given}, measures={rest[-1]!r})"
        )
    if len(rest) > 1:
        raise DialmeterError(
            "score() takes gold and prediction; to compare several predictions: dm.compare(gold, {'a': …, 'b': …})"
        )
    if rest:
        if gold is not None or pred is not None:
            raise DialmeterError(
                "two inputs are given without a name; they are gold and prediction, so gold= and pred= are too many"
            )
        return first, rest[0]
    if first is not None:
        if pred is not None and gold is not None:
            raise DialmeterError("three inputs are given; give gold= and pred=, or one input without a name")
        return (first, pred) if pred is not None else (gold, first)
    if pred is None:
        raise DialmeterError("the prediction is missing; dm.score(gold, pred), or dm.score(pred, gold=gold)")
    return gold, pred


def _with_local_path(given: Any) -> Any:
    return local_path(given) if isinstance(given, str) else given


class _Request:
    """A call about one system: its inputs by role, its subject, its settings and its options."""

    def __init__(
        self,
        positional: tuple[Any, ...],
        gold: Any,
        pred: Any,
        columns: Mapping[str, str] | None,
        given: dict[str, Any],
        *,
        subject: str | None,
        call: str = "score",
        **options: Any,
    ) -> None:
        gold, pred = _take(given, _GOLD, gold), _take(given, _PRED, pred)
        self.columns = dict(columns or {})
        first = positional[0] if positional else None
        if gold is None and pred is None and isinstance(first, Mapping) and len(positional) == 1:
            roles = {inputs.find_role(str(key)): each for key, each in first.items()}
            if roles.keys() == {"gold", "pred"} and len(first) == 2:
                (gold, pred), positional, first = (roles["gold"], roles["pred"]), (), None
        if is_table(first) or isinstance(first, list):
            _refuse_columns(first, given)
        if hasattr(first, "read"):
            raise DialmeterError("an open file is given; give its path, or its content as data")
        if key := next((key for key in given if advice(KEYWORDS, key) in ("gold", "pred")), ""):
            raise DialmeterError(f"{call}() has no {key}=; use {advice(KEYWORDS, key)}=")
        self.settings = _taken_settings(given)
        named = {key: name for key, name in (("gold", gold), ("pred", pred)) if name is not None}
        if any(isinstance(name, str) for name in named.values()) and not is_path(first):
            known = _columns_of(first)
            if known and all(not isinstance(name, str) or name in known for name in named.values()):
                self.columns |= named
                gold = pred = None
        sides = _sides(positional, gold, pred)
        self.gold, self.pred = (list(each) if isinstance(each, Iterator) else _with_local_path(each) for each in sides)
        self.pred = log_in_memory(self.pred) or self.pred
        self._is_unnamed = len(positional) > 1
        self.subject = self._subject(subject, options.get("format"), options.get("judges"))
        self.face = face_of(self.subject)
        self.settings.check("judge" if self.subject == RATINGS else self.subject, self.face.KEYS, call)
        states = {STATES: self.columns.pop(STATES)} if STATES in self.columns else {}
        fields = {**self.columns, **states} if is_path(self.pred) else states
        format = format_with_fields(options.get("format"), [f"{key}={name}" for key, name in fields.items()])
        options |= {"format": format, "gold_format": gold_format_of(format, options.get("gold_format"))}
        self.options = Options(gold=self.gold, **options)

    def _subject(self, subject: str | None, format: str | None, judges: Any) -> str:
        """Return the subject: the given one, or that of the input."""
        pred = self.pred
        if isinstance(pred, list | tuple) and (found := subject_of_items(list(pred))):
            return found
        if is_path(pred):
            found = subject_of_file(str(pred), format)
            return check_subject(subject) if subject and not (subject == "judge" and found == RATINGS) else found
        rows = self._rows()
        is_rated = not {*RATING_KEYS}.isdisjoint(self.columns)
        content = content_of_rows(rows, self.columns) if rows and subject in (None, "judge") and not is_rated else None
        if content == "ratings" or (rows and subject in (None, "judge") and is_rated):
            return RATINGS
        if subject:
            return check_subject(subject)
        if judges is not None:
            return "judge"
        return "system" if content == "system" else "tracker"

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of a table; empty for other inputs."""
        if not _columns_of(self.pred):
            return []
        return inputs.rows_of_table(self.pred) if is_table(self.pred) else list(self.pred)

    @property
    def inputs(self) -> dict[str, str]:
        """The inputs by role, for messages."""

        def name(value: Any, words: str) -> str:
            return str(value) if is_path(value) else f"the {words}"

        if self.gold is None:
            return {"data": name(self.pred, "input")}
        words = ("first input", "second input") if self._is_unnamed else ("input gold=", "other input")
        return {"gold": name(self.gold, words[0]), "pred": name(self.pred, words[1])}

    @contextmanager
    def files(self) -> Iterator[Prepared]:
        """Context manager that gives the files of a tracker."""
        for each in (self.pred, self.gold):
            path = str(each)
            if (
                is_path(each)
                and path != "-"
                and not any(Path(p).exists() for p in (path, path.rpartition("#")[0]) if p)
            ):
                raise InputError(no_such_file(path), file=path)
        with prepared(self.pred, self.gold, self.columns, self.options.format) as files:
            yield files

    def result(self, *, compared: bool = False) -> Result:
        """Return the scores. If they are ``compared``, they can be computed again under other assumptions."""
        face, own, options, note = self.face, self.settings, self.options, ""
        source = str(self.pred) if is_path(self.pred) or self.subject == "tracker" else self._rows() or list(self.pred)
        if self.subject == "tracker":
            with self.files() as files:
                keep = compared or not is_path(self.pred) or files.path != source
                inner = face.score(files, own, options, keep=keep, resamples=10_000 if compared else 1000)
                if keep:
                    inner.scores, inner.diagnosis  # noqa: B018  computed while the files exist
                note = _FLAT if files.flat else ""
        elif self.subject == "system":
            inner = face.score(face.trajectories(self._rows(), self.columns) if self._rows() else source, own, options)
        elif self.subject == "user":
            inner = face.score(source, face.settings_of(own), own.resampling(1000), options)
        elif self.subject == RATINGS:
            inner = face.score_ratings(self._rows() or source, self.columns, own, options)
        else:
            inner = face.score(source, own, options)
        subject = "judge" if self.subject == RATINGS else self.subject
        command = _command("score", {"": self.pred}, self.gold, own, options.judges)
        return Result(inner, face, subject, self.inputs, command=command, note=note)


def _command(name: str, systems: Mapping[str, Any], gold: Any, settings: Settings, judges: Any = None) -> str:
    """Return the command that does the same; empty for data in memory, and for judges that are objects."""
    objects, texts = _judges_of(judges) if judges is not None else ({}, [])
    if objects or not all(map(is_path, [*systems.values(), *([gold] if gold is not None else [])])):
        return ""
    words = ["dialmeter", name, *(f"{system}={path}" if system else str(path) for system, path in systems.items())]
    words += ["--gold", str(gold)] if gold is not None else []
    for key, value in settings.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            words += ["--rules", str(one)] if key == "rules" else ["--set", f"{key.replace('_', '-')}={one}"]
    return shlex.join([*words, *(word for each in texts for word in ("-j", each))])


def _judges_of(given: Any) -> tuple[dict[str, Any], list[str]]:
    from .judges import judges_of

    return judges_of(given)


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
    options = {"judges": judges, "format": format, "gold_format": gold_format, "only": only}
    options["measures"] = _take(settings, ("measure",), measures)
    return _Request(data, gold, pred, columns, settings, subject=subject, **options).result()


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
    options = {"format": format, "gold_format": gold_format, "only": only}
    options["measures"] = _take(settings, ("measure",), measures)
    gold = _take(settings, _GOLD, gold)
    if judges is not None:
        if len(data) != 1:
            raise DialmeterError(
                "judges are compared on one file of cases: dm.compare('cases.jsonl', judges=['a', 'b'])"
            )
        result = score(data[0], judges=judges, subject=subject, **settings)
        cases: Any = result._inner
        if not hasattr(cases, "comparisons"):
            raise DialmeterError(
                "judges are compared on cases; for ratings, dm.score(RATINGS, judges=…) lists all judges"
            )
        return Comparison({each.name: result for each in cases.judges if not each.trivial}, cases, result._face)
    is_unnamed = gold is None
    gold, systems = _systems(data, gold)
    note = f"gold is the {'first' if gold is data[0] else 'second'} input" if is_unnamed and gold is not None else ""
    own = _taken_settings(settings)

    def request(system: Any, subject: str | None) -> _Request:
        return _Request((system,), gold, None, columns, dict(own), subject=subject, call="compare", **options)

    first = next(iter(systems.values()))
    subject = first.subject if isinstance(first, Result) else request(first, subject).subject
    face = face_of(subject)
    own.check(subject, face.KEYS, "compare")
    if subject == "user":
        sources = {name: str(each) if is_path(each) else list(each) for name, each in systems.items()}
        compared = face.compare_sources(sources, own, Options(options["measures"], gold=gold, format=format))
        read = {name: {"data": name} for name in systems}
    else:
        scored = {
            name: each if isinstance(each, Result) else request(each, subject).result(compared=True)
            for name, each in systems.items()
        }
        compared = face.compare_results({name: each._inner for name, each in scored.items()}, own)
        read = {name: each.inputs for name, each in scored.items()}
    results = {name: Result(inner, face, subject, read[name]) for name, inner in compared.results.items()}
    return Comparison(results, compared, face, _command("compare", systems, gold, own), note)


def _are_systems(value: Any) -> bool:
    """True for systems by name: gold by dialogue has lists."""
    return isinstance(value, Mapping) and all(isinstance(each, Mapping) or is_path(each) for each in value.values())


def _systems(data: tuple[Any, ...], gold: Any) -> tuple[Any, dict[str, Any]]:
    """Return gold and the systems by name."""
    if len(data) == 2 and gold is None and isinstance(data[1], Mapping) and not isinstance(data[0], Result):
        # Gold comes first, but systems by name cannot be taken for gold.
        first, last = data
        gold, data = (last, (first,)) if _are_systems(first) else (first, (last,))
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


@in_python
def check(
    *data: Any, gold: Any = None, pred: Any = None, subject: str | None = None, columns: Mapping[str, str] | None = None,
    format: str | None = None, gold_format: str | None = None, only: Any = None, **settings: Any,
) -> Check:  # fmt: skip
    """Check whether an input can be scored, like ``dialmeter check``. The arguments are those of ``score``.

    Returns:
        What was found: ``valid``, ``problems``, ``notices``, ``counts`` and ``account``. Its text is that of the terminal.

    Example:
        >>> check([[{"hotel-area": "east"}]], [[{}]]).valid
        True
    """
    options = {"format": format, "gold_format": gold_format, "only": only}
    request = _Request(data, gold, pred, columns, settings, subject=subject, call="check", **options)
    face, own, chosen = request.face, request.settings, request.options
    if request.subject == "tracker":
        with request.files() as files:
            found = face.check(files, own, chosen)
    elif not is_path(request.pred) or request.subject in ("judge", RATINGS):
        raise DialmeterError("check() takes files of trackers, users and systems, and states in memory")
    else:
        found = face.check(str(request.pred), own, chosen)
    return Check(found, face.checked_summary(found, _command("check", {"": request.pred}, request.gold, own)))


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


def attribute(name: str, public: list[str]) -> Callable[..., float]:
    """Return the function of a measure, such as ``jga``.

    Raises:
        AttributeError: there is no such name; the message says what to write.

    Example:
        >>> attribute("jga", [])([{"hotel-area": "east"}], [{"hotel-area": "west"}])
        0.0
        >>> attribute("agent", [])
        Traceback (most recent call last):
        AttributeError: dialmeter has no 'agent'; use dm.score(df, subject='system', measures=['Success', 'Pass(k=2)'])
    """
    plain, meant = plain_name(name), advice(MODULE, name)
    # In snake case, people mean the usual measure, not the one of SGD that has its class name.
    usual = advice(MEASURES, plain) if "_" in name and not meant else None
    if measure := usual or measure_names().get(plain):
        return partial(measure_value, measure)
    raise AttributeError(f"dialmeter has no {name!r}; {f'use {meant}' if meant else did_you_mean(name, public)}")
