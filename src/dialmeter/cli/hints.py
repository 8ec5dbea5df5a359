"""Hints for near misses: options, words and commands that other tools have. None of them is an alias; each hint is a command to type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from ..errors import DialmeterError, did_you_mean, one_line

KEYS = (
    *("event", "domain", "slot", "value", "turn", "party", "reason", "goal"),
    *("task", "ending", "tool", "attack", "facet", "judge", "outcome"),
)
"""The keys of the conditions of ``dialmeter find``. Each subject knows some of them."""


class Hint(NamedTuple):
    """What to type instead of an option.

    Attributes:
        words: returns the words to type instead of the option, from its values.
        values: the number of values that follow the option: 0, 1, or -1 for all words up to the next option.
        note: a sentence about it.
        after: a second command to type afterwards.
    """

    words: Callable[[Sequence[str]], Sequence[str]]
    values: int = 1
    note: str = ""
    after: str = ""


def _each(option: str) -> Callable[[Sequence[str]], Sequence[str]]:
    """Return a function that repeats an option for each value, or part of a value between commas."""
    return lambda values: [word for each in _parts(values) for word in (option, each)]


def _parts(values: Sequence[str]) -> Iterator[str]:
    for value in values:
        yield from [each for each in value.split(",") if each] if "(" not in value else [value]


def _measures(values: Sequence[str]) -> Sequence[str]:
    return [word for each in _parts(values) for word in ("-m", _measure(each))]


def _measure(name: str) -> str:
    """Return a measure as it is written, such as ``FGA(lam=0.5)`` for ``fga``; an unknown name is an error."""
    from ..api.calls import measure_names

    if "(" in name or "[" in name:
        return name
    plain = name.lower().replace("_", "").replace("-", "")
    names = [*measure_names().values(), *_WITH_VALUES]
    known = {each.partition("(")[0].lower().replace("-", ""): each for each in names}
    if plain not in known:
        raise DialmeterError(f"unknown measure {one_line(name)!r}; {did_you_mean(name, names)}")
    return known[plain]


_WITH_VALUES = ("FGA(lam=0.5)", "ASA(alpha=1)", "Success", "Pass(k=2)")


def _words(*words: str) -> Callable[[Sequence[str]], Sequence[str]]:
    return lambda values: [*words, *values]


def _file(values: Sequence[str]) -> Sequence[str]:
    return values


def _file_last(values: Sequence[str]) -> Sequence[str]:
    return values


def _settings(key: str) -> Callable[[Sequence[str]], Sequence[str]]:
    return lambda values: [word for each in values for word in ("--set", f"{key}={each}")]


def _saved(values: Sequence[str]) -> Sequence[str]:
    return ["-o", "RUN"]


_CHARTS = "dialmeter report RUN --charts figures"
_OPTIONS: Mapping[str, Hint] = {
    "metric metrics measures score-type": Hint(_measures, -1),
    "k": Hint(lambda values: [word for each in _parts(values) for word in ("-m", f"Pass(k={each})")], -1),
    "json": Hint(_words("-f", "json"), 0),
    "csv": Hint(_words("-f", "csv"), 0),
    "markdown md": Hint(_words("-f", "markdown"), 0),
    "tex": Hint(_words("-f", "latex"), 0),
    "bare value score-only": Hint(_words("-f", "value"), 0),
    "as output-format style": Hint(_words("-f")),
    "prediction predictions pred preds hyp hyps hypothesis hypotheses sys candidate candidates input inputs file files log": Hint(
        _file, -1
    ),
    "reference references ref refs target targets truth ground-truth gold-file labels": Hint(_words("--gold")),
    "bootstrap n-bootstrap bootstraps n-resamples n-boot num-bootstrap": Hint(_settings("resamples"), -1),
    "ci": Hint(_settings("ci"), -1, "every score has its interval"),
    "confidence confidence-level": Hint(_settings("ci")),
    "significance paired paired-test p-value": Hint(_words(), 0, "`compare` always tests the difference"),
    "exact literal strict": Hint(_words("--set", "values=as-is"), 0),
    "normalize normalise lenient": Hint(_words("--set", "map=multiwoz"), 0),
    "chart charts plot plots figure figures": Hint(_saved, -1, after=_CHARTS),
    "resume continue": Hint(_words(), 0, "the same command again continues an unfinished run"),
    "save save-to output-dir out-dir outdir": Hint(_words("-o")),
    "details all full signatures all-pairs": Hint(_words("-v"), 0),
    "silent no-progress": Hint(_words("-q"), 0),
    "overwrite replace": Hint(_words("--force"), 0),
    "top num n count examples cases failing": Hint(_words("-n")),
    "group-by groupby per": Hint(_each("--by"), -1),
    "jobs n-jobs num-workers processes threads cluster": Hint(_words("--workers")),
    "ids subset": Hint(_words("--only")),
    "per-dialogue per-dialog per-turn": Hint(_words("-v"), 0, "`dialmeter find FILE ID` prints a dialogue"),
    "per-domain by-domain domain domains": Hint(lambda _: ["--by", "domain"], -1),
    "per-slot by-slot slots": Hint(lambda _: ["--by", "slot"], -1),
    "by-task per-task": Hint(lambda _: ["--by", "task"], -1),
    "lam lambda": Hint(lambda values: [word for each in _parts(values) for word in ("-m", f"FGA(lam={each})")], -1),
    "ignore-case case-insensitive": Hint(_words("--set", "values=lower"), 0),
    "verbose-output debug pretty": Hint(_words("-v"), 0),
    "no-color no-colour color colour": Hint(_words(), 0, "the output has no colours"),
    "min-jga minimum": Hint(lambda values: [word for each in values for word in ("--fail-if", f"JGA < {each}")]),
    "fail-under threshold-fail": Hint(
        lambda values: [word for each in values for word in ("--fail-if", f"JGA < {each}")]
    ),
    "fail-if-worse": Hint(_words("--fail-if", "worse"), 0),
    "fields field": Hint(_words("--columns")),
    "names name labels-of-files": Hint(lambda _: [], -1, "write NAME=FILE instead of the files"),
    "human people": Hint(lambda values: [word for each in values for word in ("--columns", f"rating={each}")]),
    "as-gold gold-states": Hint(_words("--gold")),
    "ruleset rule-set": Hint(_words("--rules")),
    "options setting config-set": Hint(_words("--set")),
}
HINTS: Mapping[str, Hint] = {f"--{name}": hint for names, hint in _OPTIONS.items() for name in names.split()} | {
    "-k": Hint(lambda values: [word for each in _parts(values) for word in ("-m", f"Pass(k={each})")], -1),
    "-g": Hint(_words("--gold")),
    "-r": Hint(_words("--gold")),
    "-p": Hint(_file, -1),
    "-i": Hint(_file, -1),
}
"""Option that does not exist → what to type instead."""

REPORTS = (".html", ".htm", ".md", ".tex", ".pdf")
"""Endings of reports, which are made from a run."""
STREAMS = {".json": "json", ".csv": "csv"}
"""Ending of a document that is printed → its format."""
VALUES: Mapping[str, str] = {
    "metrics": "measures",
    "metric-names": "measures",
    "datasets": "formats",
    "options": "settings",
    "rulesets": "rules",
    "users": "bots",
    "agents": "bots",
    "md": "markdown",
    "tex": "latex",
    "table": "text",
    "txt": "text",
    "plain": "text",
    "jsonl": "native",
    "json": "native",
    "tsv": "csv",
    "agent": "system",
    "simulator": "user",
    "dst": "tracker",
    "metric": "judge",
}
"""Value of a choice that does not exist → the choice."""


def _output(values: Sequence[str]) -> Hint:
    """Return the hint for a file of output: a report is made from a run, a document is printed."""
    target = next(iter(values), "report.html")
    ending = Path(target).suffix
    if ending in STREAMS:
        return Hint(lambda _: ["-f", STREAMS[ending], ">", target])
    if ending in REPORTS:
        return Hint(_saved, 1, after=f"dialmeter report RUN -o {shlex.quote(target)}")
    return Hint(_words("-o"))


def check_run_folder(out: str, command: str) -> None:
    """Check that the target of a run is no name of a file of another kind: a run is a folder.

    Raises:
        DialmeterError: it is; the message has the command to type.

    Example:
        >>> check_run_folder("scores.csv", "dialmeter score a.jsonl")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: -o saves a run, which is a folder, not scores.csv; type: dialmeter score a.jsonl -f csv > scores.csv
    """
    ending = Path(out).suffix.lower()
    if ending not in (*STREAMS, *REPORTS) or Path(out).is_dir():
        return
    target = shlex.quote(out)
    line = f"{command} -f {STREAMS[ending]} > {target}" if ending in STREAMS else ""
    line = line or f"{command} -o RUN && dialmeter report RUN -o {target}"
    raise DialmeterError(f"-o saves a run, which is a folder, not {one_line(out, 200)}; type: {line}")


class HintedCommand(click.Command):
    """A command that says what to type instead of a near miss."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [*args]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            _fail_with_hint(self, ctx, words, error.option_name)
        except click.BadParameter as error:
            _fail_with_choice(error, ctx, words)


def _fail_with_choice(error: click.BadParameter, ctx: click.Context, words: list[str]) -> NoReturn:
    """Raise the error with the command to type, if the value is another name of a choice."""
    choices = getattr(error.param.type, "choices", ()) if error.param is not None else ()
    for at, word in enumerate(words):
        head, equals, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
        meant = VALUES.get(value.lower())
        if meant in choices and value not in choices:
            again = [*words[:at], f"{head}{equals}{meant}", *words[at + 1 :]]
            raise click.UsageError(f"{one_line(value)!r} is called {meant} here; type: {_line(ctx, again)}") from None
    raise error


def _fail_with_hint(command: click.Command, ctx: click.Context, words: list[str], unknown: str) -> NoReturn:
    own = {opt for each in command.params for opt in each.opts if opt.startswith("-")}
    if "--set" not in own and unknown in HINTS and not _can_take(HINTS[unknown], own):
        raise DialmeterError(f"no option {unknown} in `{ctx.command_path}`; {did_you_mean(unknown, own)}")
    translated = translate(words, own, ctx.command_path)
    if translated is None:
        raise DialmeterError(f"no option {one_line(unknown)} in `{ctx.command_path}`; {_elsewhere(unknown, own)}")
    again, notes, after = translated
    line = " && ".join([_line(ctx, again), *after])
    raise DialmeterError(f"no option {one_line(unknown)}{''.join(f'; {each}' for each in notes)}; type: {line}")


def _can_take(hint: Hint, own: set[str]) -> bool:
    """Return True if a command has all options of the words of a hint."""
    return all(word in own or word == "-" for word in hint.words(["JGA"]) if word.startswith("-"))


def _line(ctx: click.Context, words: Sequence[str]) -> str:
    # Options follow the files, as in the documentation.
    return shlex.join([*ctx.command_path.split(), *words]).replace("'>'", ">")


def translate(words: Sequence[str], own: set[str], command: str) -> tuple[list[str], list[str], list[str]] | None:
    """Return the words to type instead, sentences about them, and commands to type afterwards; None without a hint.

    Args:
        words: the words after the command.
        own: the options of the command.
        command: the command, such as ``dialmeter score``.
    """
    settings = setting_flags()
    files: list[str] = []
    again: list[str] = []
    notes: list[str] = []
    after: list[str] = []
    rest = [*words]
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-" or name in own:
            again.append(word)
            continue
        hint = _hint_of(name, settings, own, [value] if equals else _following(rest), command)
        if hint is None:
            return None
        values = [value] if equals else _take(rest, hint.values)
        new = [*hint.words(values)]
        (files if hint.words is _file else again).extend(new)
        notes += [hint.note] if hint.note else []
        after += [hint.after] if hint.after else []
    return [*files, *again], list(dict.fromkeys(notes)), list(dict.fromkeys(after))


def _hint_of(
    name: str, settings: Mapping[str, bool], own: set[str], values: Sequence[str], command: str
) -> Hint | None:
    key = name.lstrip("-").replace("_", "-").lower()
    if command.endswith("find") and f"--{key}" not in own:
        if key in ("dialogue", "id", "dialog"):
            return Hint(_file_last, -1)
        if key in KEYS:
            return Hint(lambda given: [f"{key}={each}" for each in given], -1)
    if name in ("--output", "--output-file", "--report", "--html", "--output-path"):
        return _output(values)
    if name in HINTS and _can_take(HINTS[name], own):
        return HINTS[name]
    if f"--{key}" in own:
        return Hint(_words(f"--{key}"))
    if key in settings and "--set" in own:
        is_flag = settings[key]
        return Hint(_words("--set", key), 0) if is_flag else Hint(_settings(key))
    return None


def _following(rest: Sequence[str]) -> list[str]:
    return _take([*rest], -1)


def _take(rest: list[str], count: int) -> list[str]:
    """Remove and return the values that follow an option."""
    values: list[str] = []
    while rest and (count < 0 or len(values) < count) and (not rest[0].startswith("-") or rest[0] == "-"):
        values.append(rest.pop(0))
    return values


def setting_flags() -> dict[str, bool]:
    """Return key → whether it is a flag, for every setting."""
    from .door import settings_by_command

    return {key: each.is_flag for _, key, each in settings_by_command()}


def _elsewhere(unknown: str, own: set[str]) -> str:
    """Say where an option lives that another command has, or how the place of work is given."""
    from .config import PLACE
    from .door import FRONTS, OPTIONS

    key = unknown.lstrip("-")
    if key in OPTIONS:
        commands = [f"`{name}`" for name, front in FRONTS.items() if key in front.options.split()]
        return f"--{key} is an option of {', '.join(commands)}"
    if key.replace("-", "_") in PLACE:
        return f"set the variable DIALMETER_{key.replace('-', '_').upper()}, or see `dialmeter --help` for --config"
    if f"--{key}" in HINTS:
        return "this command has no such option; see its --help"
    from difflib import get_close_matches

    known = {
        **{each: each for each in own},
        **({f"--{each}": f"--set {each}=VALUE" for each in setting_flags()} if "--set" in own else {}),
    }
    nearest = get_close_matches(unknown, known, n=1, cutoff=0.6)
    return f"did you mean {known[nearest[0]]}?" if nearest else "see its --help, and `dialmeter list settings`"


_COMMANDS: Mapping[str, Sequence[str]] = {
    "score evaluate eval measure measures tracker user system agent agents bench metrics test run stats calculate": (
        "score",
    ),
    "compare significance paired versus vs ttest board leaderboard": ("compare",),
    "check validate verify lint audit-file inspect": ("check",),
    "find show search query errors worst grep filter print": ("find",),
    "view serve browse open ui dashboard": ("view",),
    "report plot plots chart charts figure figures html": ("report",),
    "study bias": ("study", "bias"),
    "rules": ("study", "rules"),
    "curve": ("study", "curve"),
    "people human humans agreement": ("study", "people"),
    "audit": ("study", "audit"),
    "sensitivity": ("study", "sensitivity"),
    "attack perturb": ("judge", "attack"),
    "explain shap": ("judge", "explain"),
    "train fit": ("judge", "train"),
    "play simulate simulation": ("play",),
    "convert export import": ("convert",),
    "list formats settings attacks judges events profiles": ("list",),
    "cite citation bibtex": ("cite",),
    "demo sample example examples init quickstart": ("demo",),
    "goals": ("convert", "--to", "goals"),
    "values maps": ("convert", "--to", "map"),
    "profile": ("convert", "--to", "profile"),
    "items": ("score", "--subject", "user"),
    "patterns": ("score", "--by", "pattern"),
    "understand": ("check",),
    "cross": ("play",),
    "labels": ("study", "audit"),
    "version": ("--version",),
    "completion": ("--completion",),
    "validity": ("study", "people"),
}
"""Words that people type as a command, also after a subject (`tracker compare`) → the command, and its first options."""


def fail_for_command(group: click.Context, words: Sequence[str], known: Mapping[str, Any]) -> NoReturn:
    """Raise the error for a command that does not exist, with the command to type."""
    name, *rest = words
    path = group.command_path
    table = {each: new for names, new in _COMMANDS.items() for each in names.split()}
    if name == "diff":
        files = rest if len(rest) > 1 else ["A", "B"]
        line = shlex.join(["dialmeter", "find", *files, "A.outcome=right", "B.outcome=wrong"])
        compare = shlex.join(["dialmeter", "compare", *files])
        raise DialmeterError(f"no command 'diff'; the turns that differ: {line}; the scores: {compare}")
    if path.endswith(" judge") and (Path(name).exists() or "." in name):
        raise DialmeterError(f"no command {one_line(name)!r} in `{path}`; type: {_typed(['score'], words)}")
    new: Sequence[str] | None = table.get(name) if path == "dialmeter" else None
    if new and new[0].startswith("--"):
        raise DialmeterError(f"no command {one_line(name)!r}; type: {shlex.join(['dialmeter', *new, *rest])}")
    if new == ("list",) and name not in ("list", "measures"):
        new = ("list", name)
    if name in ("metrics", "measures") and not rest:
        new = ("list", "measures")
    if new == ("score",) and rest and not Path(rest[0]).exists() and "." not in rest[0] and rest[0][0] != "-":
        # `tracker compare a b`: the subject is found in the files.
        new = table.get(rest[0])
        name, rest = f"{name} {rest[0]}", rest[1:]
    if new is None:
        raise DialmeterError(f"no command {one_line(name)!r} in `{path}`; {did_you_mean(name.split()[-1], known)}")
    raise DialmeterError(f"no command {one_line(name)!r}; type: {_typed(new, rest)}")


def _typed(command: Sequence[str], words: Sequence[str]) -> str:
    """Return the line of a command with the options that it has."""
    from .main import cli

    context = click.Context(cli, info_name="dialmeter")
    at = next((place for place, word in enumerate(command) if word.startswith("-")), len(command))
    command, options = command[:at], command[at:]
    found: click.Command | None = cli
    for name in command:
        found = found.get_command(context, name) if isinstance(found, click.Group) else found
    own = {opt for each in found.params for opt in each.opts if opt.startswith("-")} if found else set()
    translated = translate([*words, *options], own, " ".join(command)) or ([*words, *options], [], [])
    again, _, after = translated
    if command == ("report",) and not after:
        return "dialmeter report RUN --charts figures (a RUN is saved with -o)"
    line = shlex.join(["dialmeter", *command, *again]).replace("'>'", ">")
    return " && ".join([line, *after])


def fail_for_two_files(name: str, paths: Sequence[str], content: str, given: Mapping[str, Any]) -> NoReturn:
    """Raise the error for several files that are given to a command that takes one, with the commands that work."""
    from .door import FLOWS

    if name == "compare":
        raise DialmeterError(
            f"judges are compared on one file; type: {shlex.join(['dialmeter', 'compare', paths[0], '-j', 'FIRST', '-j', 'SECOND'])}"
        )
    gold = next(iter(given.get("gold") or ()), "")
    compare = shlex.join(["dialmeter", "compare", *paths, *(["--gold", gold] if gold else [])])
    advice = [f"to compare them, type: {compare}"] if content in FLOWS["compare"] else []
    if content == "tracker" and len(paths) == 2 and not gold:
        pred, gold = reversed(paths) if _GOLD.search(Path(paths[0]).name) else paths
        line = shlex.join(["dialmeter", name, pred, "--gold", gold])
        advice.insert(0, f"if {one_line(gold)} is gold, type: {line}")
    raise DialmeterError("; ".join([f"`dialmeter {name}` takes one file", *advice]))


_GOLD = re.compile(r"gold|ref|true|truth|target|label|annot", re.IGNORECASE)
"""File names that look like gold."""
