"""Hints for near misses: options, words and commands that other tools have. None of them is an alias; each hint is a command to type."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from ..conditions import KEYS
from ..errors import DialmeterError, did_you_mean, one_line


class Hint(NamedTuple):
    """What to type instead of an option.

    Attributes:
        words: the words to type instead. ``{}`` stands for the value of the option, ``{*}`` for each of all values that follow it:
            the words are then repeated; ``{-}`` drops all values. ``{files}`` are files, which come first, ``{first}`` is the first file,
            ``{1-}`` is one minus the value, and ``{%}`` the value as a fraction.
        note: a sentence about it.
        after: a second command to type afterwards.
    """

    words: Sequence[str]
    note: str = ""
    after: str = ""

    @property
    def values(self) -> int:
        """The number of values that follow the option: 0, 1, or -1 for all words up to the next option."""
        text = " ".join(self.words)
        return -1 if any(each in text for each in ("{*}", "{-}", "{files}")) else int("{" in text)

    def filled(self, given: Sequence[str]) -> list[str]:
        """Return the words to type, with the values of the option."""
        if "{files}" in self.words:
            return [*given]
        if self.values == 1:
            value, rest = given[0] if given else "", f"{1 - float(given[0]):g}" if _is_number(given) else "0.95"
            share = f"{float(value) / 100:g}" if _is_number(given) and float(value) > 1 else value
            marks = {"{}": value, "{1-}": rest, "{%}": share, "{first}": value}
            words = (re.sub(r"{[^{}]*}", lambda mark: marks[mark[0]], word) for word in self.words)
            return [word for word in words if word]
        sets = [""]
        if "{*}" in " ".join(self.words):
            # Several values may also be one word with commas, except for the parameters of a measure.
            sets = [each for value in given for each in (value.split(",") if "(" not in value else [value]) if each]
        if self.words == ("-m", "{*}"):
            sets = [_measure(each) for each in sets]
        return [word.replace("{*}", each) for each in sets for word in self.words if word != "{-}"]


def _known_measure(name: str) -> str | None:
    try:
        return _measure(name)
    except DialmeterError:
        return None


_CORRELATIONS = ("Spearman", "Pearson", "Kendall")


def _is_number(values: Sequence[str]) -> bool:
    return bool(values) and re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", values[0]) is not None


def _measure(name: str) -> str:
    """Return a measure as it is written, such as ``FGA(lam=0.5)`` for ``fga``; an unknown name is an error."""
    from ..api.calls import measure_names
    from ..api.scores import name_here

    if "(" in name or "[" in name or name == "all":
        return name
    plain = name.lower().replace("_", "").replace("-", "")
    names = [*measure_names().values(), "FGA(lam=0.5)", "ASA(alpha=1)", "Success", "Pass(k=2)", *_CORRELATIONS]
    known = {each.partition("(")[0].lower().replace("-", ""): each for each in names}
    here = name_here(name) or known.get(plain)
    if here is None:
        raise DialmeterError(f"unknown measure {one_line(name)!r}; {did_you_mean(name, names)}")
    return here


_OPTIONS: Mapping[str, str] = {
    "metric metrics measures score-type": "-m {*}",
    "k pass-k pass^k passk pass-hat trials num-trials": "-m Pass(k={*})",
    "rater raters annotator annotators": "{-} # people are found in the file, or named with --columns rater=NAME",
    "pass-at-k pass-at pass@k": "-m AnyPass(k={*})",
    "json": "-f json | --to native",
    "csv": "-f csv | --to csv",
    "markdown md": "-f markdown",
    "tex": "-f latex",
    "bare value score-only": "-f value",
    "as output-format style format": "-f {} | --to {}",
    "prediction predictions pred preds hyp hyps hypothesis hypotheses sys candidate candidates input inputs file files log p i": "{files}",
    "a b model-a model-b system-a system-b run-a run-b old new ours theirs": "{files}",
    "reference references ref refs target targets truth ground-truth gold-file labels g r as-gold gold-states": "--gold {}",
    "bootstrap n-bootstrap bootstraps n-resamples n-boot num-bootstrap": "--set resamples={*}",
    "ci": "--set ci={*} # every score has its interval",
    "confidence confidence-level": "--set ci={%}",
    "alpha significance-level": "--set ci={1-}",
    "baseline base control first": "{first} # the first file is the baseline",
    "significance paired paired-test p-value": "# `compare` always tests the difference",
    "exact literal strict": "--set values=as-is",
    "fuzzy fuzz": "--set match=ratio>=90",
    "macro dialogue-level dialog-level average": "-m JGA(average=dialogue) {-}",
    "micro turn-level": "{-} # every turn counts the same, unless -m 'JGA(average=dialogue)' is given",
    "normalize normalise lenient": "--set map=multiwoz",
    "ignore-case case-insensitive": "--set values=lower",
    "chart charts plot plots figure figures": "-o RUN {-}",
    "resume continue": "# the same command again continues an unfinished run",
    "save save-to output-dir out-dir outdir": "-o {}",
    "details all full signatures all-pairs verbose-output debug pretty": "-v",
    "per-dialogue per-dialog per-turn": "-v # `dialmeter find FILE ID` prints a dialogue",
    "silent no-progress": "-q",
    "overwrite replace": "--force",
    "top num n count examples cases failing num-dialogues": "-n {} | --goals {} -o played.jsonl",
    "errors wrong mistakes": "JGA<1 {-}",
    "failed failures": "outcome=failed {-}",
    "sep delimiter separator encoding": "{-} # the separator and the encoding are found in the file",
    "browser": "--open",
    "no-browser no-open headless": "{-} # without --open no browser is opened",
    "group-by groupby per": "--by {*}",
    "per-domain by-domain domain domains": "--by domain {-}",
    "per-slot by-slot slots": "--by slot {-}",
    "by-task per-task": "--by task {-}",
    "jobs n-jobs num-workers processes threads cluster": "--workers {}",
    "ids subset": "--only {}",
    "lam lambda": "-m FGA(lam={*})",
    "no-color no-colour color colour": "# the output has no colours",
    "min-jga minimum fail-under threshold-fail": "--fail-if JGA_<_{}",
    "fail-if-worse": "--fail-if worse",
    "fields field": "--columns {}",
    "names name labels-of-files": "{-} # write NAME=FILE instead of the files",
    "human people x": "--columns rating={}",
    "y": "-j {}",
    "model llm": "-j llm(model={})",
    "sheet sheet-name worksheet": "{-} # a sheet of a workbook is FILE.xlsx#NAME",
    "ruleset rule-set": "--rules {}",
    "options setting config-set": "--set {}",
}
"""Names of options that do not exist → the words to type instead, in which ``_`` is a blank, and a note. Words after ``|`` are for
commands that have no such option."""
_CHARTS = "dialmeter report RUN --charts figures"


def _hint(text: str) -> Hint:
    words, _, note = text.partition("# ")
    return Hint(tuple(word.replace("_", " ") for word in words.split()), note, _CHARTS if "RUN" in words else "")


HINTS: Mapping[str, Sequence[Hint]] = {
    option: [_hint(each) for each in words.split(" | ")]
    for names, words in _OPTIONS.items()
    for name in names.split()
    for option in ([f"-{name}", f"--{name}"] if len(name) == 1 else [f"--{name}"])
}
"""Option that does not exist → what to type instead; the first that a command can take."""

REPORTS = (".html", ".htm", ".md", ".tex", ".pdf")
"""Endings of reports, which are made from a run."""
STREAMS = {".json": "json", ".csv": "csv", ".txt": "text"}
"""Ending of a document that is printed → its format."""
VALUES: Mapping[str, str] = {
    "metrics": "measures",
    "metric-names": "measures",
    "datasets": "formats",
    "metric": "measures judge",
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
    "xlsx": "csv",
    "excel": "csv",
    "yaml": "json",
    "agent": "system",
    "simulator": "user",
    "dst": "tracker",
    "llm": "judge",
}
"""Value of a choice that does not exist → the choice; the first that the option has."""


def _output_hint(target: str) -> Hint:
    """Return the hint for a file of output: a report is made from a run, a document is printed."""
    ending = Path(target).suffix
    if ending in STREAMS:
        return Hint(("-f", STREAMS[ending], ">", "{}"))
    if ending in REPORTS:
        return Hint(("-o", "RUN", "{-}"), after=f"dialmeter report RUN -o {shlex.quote(target)}")
    return Hint(("-o", "{}"))


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
    if ending not in (*STREAMS, *REPORTS) or os.path.isdir(out):
        return
    target = shlex.quote(out)
    line = f"{command} -f {STREAMS[ending]} > {target}" if ending in STREAMS else ""
    line = line or f"{command} -o RUN && dialmeter report RUN -o {target}"
    raise DialmeterError(f"-o saves a run, which is a folder, not {one_line(out, 200)}; type: {line}")


RAW = "dialmeter.raw"
"""The key of the words of a command in the meta data of its context."""


class HintedCommand(click.Command):
    """A command that says what to type instead of a near miss."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = ctx.meta[RAW] = [*args]
        _check_words(ctx, words, options_of(self))
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            _fail_with_hint(self, ctx, words, error.option_name)
        except click.BadOptionUsage as error:
            example = _VALUES_OF.get(error.option_name)
            if example is None or words[-1] != error.option_name:
                raise
            fail_with_line(f"{words[-1]} needs a value", [*_command(ctx), *words, example])
        except click.MissingParameter as error:
            example = _EXAMPLES.get(ctx.command_path.partition(" ")[2])
            if example is None or not isinstance(error.param, click.Argument):
                raise
            raise DialmeterError(
                f"`{ctx.command_path}` needs {error.param.make_metavar(ctx)}; an example with demo data: {example}"
            ) from None
        except click.BadParameter as error:
            _fail_with_choice(error, ctx, words)
        _check_measures(ctx, words, options_of(self))
        return rest


def _check_words(ctx: click.Context, words: list[str], own: Mapping[str, bool]) -> None:
    """Raise the error for a long option with one hyphen, and for files with a comma between them."""
    again: list[str] = []
    for word in words:
        is_long = (
            re.fullmatch(r"-[a-z][a-z-]+", word) and word not in own and (f"-{word}" in own or f"-{word}" in HINTS)
        )
        parts = word.split(",") if "," in word and not os.path.exists(word) else [word]
        again += [f"-{word}"] if is_long else parts if all(os.path.exists(each) for each in parts) else [word]
    if again != words:
        fail_with_line("long options have two hyphens, and files have blanks between them", [*_command(ctx), *again])


def options_of(command: click.Command) -> dict[str, bool]:
    """Return the options of a command, and whether they take a value."""
    return {
        opt: not each.is_flag
        for each in command.params
        if isinstance(each, click.Option)
        for opt in each.opts
        if opt.startswith("-")
    }


_VALUES_OF = {
    **{"--latex": "bold", "--by": "domain", "--measure": "JGA", "-m": "JGA", "--judge": "overlap", "-j": "overlap"},
    **{"--gold": "GOLD", "--format": "json", "-f": "json", "--out": "RUN", "-o": "RUN", "--only": "IDS", "-n": "20"},
    **{"--set": "missing=empty", "--fail-if": "worse", "--rules": "trade", "--sort": "JGA", "--limit": "20"},
}
"""Option → a value, for the error when the value is missing."""
_DEMO = "dialmeter demo . --files-only && dialmeter"
_EXAMPLES = {
    name: f"{_DEMO} {name} {words}"
    for name, words in {
        "check": "new.jsonl",
        "score": "new.jsonl",
        "compare": "base.jsonl new.jsonl",
        "find": "new.jsonl slot=hotel-name",
        "convert": "new.jsonl new.csv",
        "study rules": "new.jsonl",
        "study bias": "new.jsonl",
        "judge attack": "agenda.jsonl -n 20 -o attacked.jsonl",
        "judge explain": "cases.jsonl -j overlap",
    }.items()
} | {"cite": "dialmeter cite JGA", "report": f"{_DEMO} score new.jsonl -o RUN && dialmeter report RUN"}
"""Command → a line that works, for the error when its file is missing."""


def _check_measures(ctx: click.Context, words: list[str], own: Mapping[str, bool]) -> None:
    """Raise the error for several measures after one -m, and for a measure that is written as in another library."""
    given: Sequence[str] = ctx.params.get("measures") or ()
    if not given:
        return
    from ..api.scores import name_here

    files = [each for each in ctx.params.get("files") or () if isinstance(each, str) and not os.path.exists(each)]
    try:
        misplaced = [each for each in files if re.fullmatch(r"\w+(\(.*\))?", each) and _measure(each)]
    except DialmeterError:
        misplaced = []
    parts = [part.strip() for text in given for part in (text.split(",") if "(" not in text else [text])]
    if not misplaced and len(parts) == len(given) and not any(map(name_here, given)):
        return
    again = [each for each in words if each not in misplaced]
    for flag in ("-m", "--measure"):
        while flag in again:
            del again[again.index(flag) : again.index(flag) + 2]
    again = [each for each in again if not each.startswith(("-m", "--measure="))]
    listed = [word for each in [*parts, *misplaced] if each for word in ("-m", _measure(each))]
    fail_with_line("every measure has its own -m, and its name here", [*_command(ctx), *again, *listed])


def _fail_with_choice(error: click.BadParameter, ctx: click.Context, words: list[str]) -> NoReturn:
    """Raise the error with the command to type, if the value is another name of a choice."""
    choices = getattr(error.param.type, "choices", ()) if error.param is not None else ()
    for at, word in enumerate(words):
        head, equals, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
        meant = next((each for each in VALUES.get(value.lower(), "").split() if each in choices), None)
        if meant and value not in choices:
            again = [*words[:at], f"{head}{equals}{meant}", *words[at + 1 :]]
            fail_with_line(f"{one_line(value)!r} is called {meant} here", [*_command(ctx), *again])
        if f".{value}" in REPORTS and value not in choices and at and words[at - 1] in ("-f", "--format"):
            again, hint = [*words[: at - 1], *words[at + 1 :]], _output_hint(f"report.{value}")
            fail_with_line(f"{value} is a report", [*_command(ctx), *again, *hint.filled(())], [hint.after])
    raise error


def _fail_with_hint(command: click.Command, ctx: click.Context, words: list[str], unknown: str) -> NoReturn:
    own = options_of(command)
    root = options_of(ctx.find_root().command)
    if unknown in root:
        at = next(place for place, word in enumerate(words) if word.partition("=")[0] == unknown)
        end = at + 1 + (root[unknown] and "=" not in words[at])
        fail_with_line(
            f"{unknown} stands before the command", [*words[at:end], *_command(ctx), *words[:at], *words[end:]]
        )
    key = unknown.lstrip("-")
    if key in _DIALOGUE and "--only" in own and unknown in words[:-1] and not ctx.command_path.endswith("find"):
        at = words.index(unknown)
        files = [each for each in words if os.path.exists(each)]
        fail_with_line("`find` shows a dialogue", ["find", *files, words[at + 1], "--show"])
    parts = {*re.split("[-_]", key)}
    if parts & {"errors", "wrong", "mistakes"} and "--only" in own and "--sort" not in own:
        fail_with_line("`find` shows errors", ["find", *(each for each in words if os.path.exists(each)), "JGA<1"])
    if "--set" not in own and unknown in HINTS and not any(_can_take(each, own) for each in HINTS[unknown]):
        raise DialmeterError(f"no option {unknown} in `{ctx.command_path}`; {did_you_mean(unknown, own)}")
    translated = translate(words, own, ctx.command_path)
    if translated is None:
        raise DialmeterError(f"no option {one_line(unknown)} in `{ctx.command_path}`; {_elsewhere(unknown, own)}")
    again, notes, after = translated
    fail_with_line(
        f"no option {one_line(unknown)}{''.join(f'; {each}' for each in notes)}", [*_command(ctx), *again], after
    )


def _can_take(hint: Hint, own: Collection[str]) -> bool:
    """Return True if a command has all options of the words of a hint."""
    return all(word in own for word in hint.words if word.startswith("-"))


def _command(ctx: click.Context) -> list[str]:
    """Return the words of a command, after the options of the program."""
    root = ctx.find_root().params
    config = ["--config", root["config"]] if root.get("config") else []
    return [*config, *["--isolated"] * bool(root.get("isolated")), *ctx.command_path.split()[1:]]


class Instead(DialmeterError):
    """An error that says what to type instead.

    Attributes:
        line: the line to type.
    """

    def __init__(self, message: str, line: str) -> None:
        super().__init__(f"{message}; type: {line}")
        self.line = line


def fail_with_line(message: str, words: Sequence[str], after: Sequence[str] = ()) -> NoReturn:
    """Raise the error with a line to type, after which nothing else is to be mended: the line is parsed as if it was typed.

    Args:
        message: what is wrong.
        words: the words after ``dialmeter``; ``>`` and what follows is for the shell.
        after: lines to type afterwards.
    """
    end = words.index(">") if ">" in words else len(words)
    own, target = [*words[:end]], [">", shlex.join(words[end + 1 :])] if end < len(words) else []
    try:
        own, more = _with_sides(own, _parsed(own))
        lines = [shlex.join(["dialmeter", *own]).replace("'>'", ">"), *more]
    except Instead as better:
        lines = [better.line]
    except (click.ClickException, click.exceptions.Exit, DialmeterError):
        lines = [shlex.join(["dialmeter", *own])]
    raise Instead(
        message, " && ".join([" ".join([*lines, *target]) if len(lines) == 1 else " && ".join(lines), *after])
    )


def _parsed(words: Sequence[str]) -> click.Context:
    """Return the context of a command line that is parsed and not started."""
    from .main import cli

    if not {"-h", "--help", "-V", "--version", "--completion"}.isdisjoint(words):
        raise DialmeterError("printed while it is parsed")
    group: click.Command = cli
    context = cli.make_context("dialmeter", [*words])
    while isinstance(group, click.Group):
        name, found, rest = group.resolve_command(context, [*context._protected_args, *context.args])
        group = found or group
        context = group.make_context(name, rest, parent=context)
    return context


def _with_sides(words: list[str], context: click.Context) -> tuple[list[str], list[str]]:
    """Return a line with gold as gold, several files compared, and a run made of the file of a report; and a second line."""
    out = str(context.params.get("out") or "")
    if words[0] in ("score", "compare") and Path(out).suffix in (*STREAMS, *REPORTS) and out in words:
        hint = _output_hint(out)
        words = [*words[: words.index(out) - 1], *words[words.index(out) + 1 :]]
        return [*words, *hint.filled([out] if hint.values > 0 else ())], [hint.after] if hint.after else []
    files = [str(each) for each in context.params.get("files") or context.params.get("runs") or ()]
    if not files or not all(os.path.isfile(each) for each in files):
        return words, []
    golds = [each for each in files if GOLD.search(Path(each).name)]
    if words[0] == "report":
        first = "compare" if len(files) > 1 else "score"
        again = shlex.join(["dialmeter", "report", "RUN", *(each for each in words[1:] if each not in files)])
        return [first, *files, "-o", "RUN"], [again]
    if words[0] in ("score", "check") and len(files) > 1 and not context.params.get("gold"):
        if len(files) == 2 and len(golds) == 1:
            place = words.index(golds[0])
            return [*words[:place], *words[place + 1 :], "--gold", golds[0]], []
        return ["compare" if words[0] == "score" else words[0], *words[1:]], []
    return words, []


def translate(
    words: Sequence[str], own: Mapping[str, bool], command: str
) -> tuple[list[str], list[str], list[str]] | None:
    """Return the words to type instead, sentences about them, and commands to type afterwards; None without a hint.

    Args:
        words: the words after the command.
        own: the options of the command, and whether they take a value.
        command: the command, such as ``dialmeter score``.
    """
    files: list[str] = []
    given: list[str] = []
    options: list[str] = []
    hints: list[Hint] = []
    rest = [*words]
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            given.append(word)
            continue
        if name in own:
            options += [word, *(rest[:1] if own[name] and not equals else ())]
            del rest[: own[name] and not equals]
            continue
        count = next((at for at, each in enumerate(rest) if re.match(r"-\D", each)), len(rest))
        following = [value] if equals else rest[:count]
        hint = _hint_of(name, own, following, command)
        if hint is None:
            return None
        values = following if hint.values < 0 else following[: hint.values]
        del rest[: 0 if equals else len(values)]
        if "{first}" in hint.words:
            given[:] = [*values, *(each for each in given if each not in values)]
        (files if "{files}" in hint.words else options).extend([] if "{first}" in hint.words else hint.filled(values))
        hints.append(hint)
    if files and given and "--gold" in own and not command.endswith("compare"):
        if any(os.path.exists(each) for each in files):
            # The other file is gold, if no option says so.
            given, options = [], [*([] if "--gold" in options else ["--gold", *given]), *options]
        elif "--columns" in own:
            gold = options.index("--gold") if "--gold" in options else len(options)
            named = [f"gold={each}" for each in options[gold + 1 : gold + 2]] + [f"pred={each}" for each in files]
            files, options[gold : gold + 2] = [], [word for each in named for word in ("--columns", each)]
    if command.endswith("convert"):
        files, given = given, files
    # Conditions of `find` follow the files.
    conditions = [each for each in options if "find" in command and re.match(r"\w+[=<]", each)]
    options = [each for each in options if each not in conditions]
    notes, after = (dict.fromkeys(filter(None, texts)) for texts in ([h.note for h in hints], [h.after for h in hints]))
    return [*files, *given, *conditions, *options], [*notes], [*after]


_DIALOGUE = ("dialogue", "dialog", "dialogue-id", "dialog-id", "conversation", "id")
"""Options for one dialogue."""
_COLUMN = re.compile(r"(.+)-(?:col|column|field|key)")


def _hint_of(name: str, own: Collection[str], values: Sequence[str], command: str) -> Hint | None:
    """Return what to type instead of an option; ``values`` are the words that follow it."""
    from ..api.inputs import find_role

    key = name.lstrip("-").replace("_", "-").lower()
    if command.endswith("find") and f"--{key}" not in own:
        if key in _DIALOGUE:
            return Hint(("{*}",))
        if key in KEYS:
            return Hint((f"{key}={{}}",))
    if name in ("--output", "--output-file", "--report", "--html", "--output-path", "-o", "--out"):
        if command.endswith("convert"):
            return Hint(("{files}",))
        is_run = "--fail-if" in own or command.endswith("find")
        return _output_hint(values[0] if values else "report.html") if is_run else Hint(("-o", "{}"))
    if "--columns" in own and (column := _COLUMN.fullmatch(key)) and (role := find_role(column[1])):
        return Hint(("--columns", f"{role}={{}}"))
    if hint := next((each for each in HINTS.get(name, ()) if _can_take(each, own)), None):
        return hint
    if f"--{key}" in own:
        return Hint((f"--{key}", "{}"))
    flags = setting_flags() if "--set" in own else {}
    if key in flags:
        return Hint(("--set", key if flags[key] else f"{key}={{}}"))
    if "-m" in own and (measure := _known_measure(key)):
        return Hint(("-m", measure))
    parts = [part for part in key.split("-") if f"--{part}" in HINTS or f"--{part}" in own]
    return _hint_of(f"--{parts[-1]}", own, values, command) if parts and parts != [key] else None


def setting_flags() -> dict[str, bool]:
    """Return key → whether it is a flag, for every setting."""
    from .door import settings_by_command

    return {key: each.is_flag for _, key, each in settings_by_command()}


def _elsewhere(unknown: str, own: Collection[str]) -> str:
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
    known = {
        **{each.lstrip("-"): each for each in own},
        **({each: f"--set {each}=VALUE" for each in setting_flags()} if "--set" in own else {}),
    }
    nearest = get_close_matches(key, known, n=1, cutoff=0.75)
    return f"did you mean {known[nearest[0]]}?" if nearest else "see its --help, and `dialmeter list settings`"


_COMMANDS: Mapping[str, Sequence[str]] = {
    "score evaluate eval compute measure measures tracker user system agent agents bench metrics test run stats calculate": (
        "score",
    ),
    "tau taubench tau-bench tau2 passk pass-k correlate correlation kappa spearman pearson alpha agreement jga ci": (
        "score",
    ),
    "compare significance paired versus vs ttest board leaderboard bootstrap permutation sig rank ranking": (
        "compare",
    ),
    "check validate verify lint audit-file inspect describe info summary summarize head": ("check",),
    "find show search query errors mistakes worst grep filter print cat less": ("find",),
    "view serve browse open ui dashboard": ("view",),
    "report plot plots chart charts figure figures html": ("report",),
    "study bias": ("study", "bias"),
    "rules": ("study", "rules"),
    "curve": ("study", "curve"),
    "people human humans annotate rate": ("study", "people"),
    "audit": ("study", "audit"),
    "sensitivity": ("study", "sensitivity"),
    "attack perturb": ("judge", "attack", "-o", "attacked.jsonl"),
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
    "slots": ("score", "--by", "slot"),
    "domains": ("score", "--by", "domain"),
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
        line = shlex.join(["dialmeter", *_typed(["find"], [*files, "A.outcome=right", "B.outcome=wrong"])[0]])
        compare = shlex.join(["dialmeter", "compare", *(each for each in files[:2])])
        raise DialmeterError(f"no command 'diff'; the turns that differ: {line}; the scores: {compare}")
    if path == "dialmeter" and os.path.exists(name):
        several = sum(os.path.exists(each) for each in words) > 1 and "--gold" not in words
        fail_with_line("a command comes first", *_typed(["compare" if several else "score"], words))
    if path.endswith(" judge") and (os.path.exists(name) or "." in name):
        fail_with_line(f"no command {one_line(name)!r} in `{path}`", *_typed(["score"], words))
    new: Sequence[str] | None = table.get(name)
    if new and new[0].startswith("--"):
        fail_with_line(f"no command {one_line(name)!r}", [*new, *rest])
    if new == ("list",) and name not in ("list", "measures"):
        new = ("list", name)
    if name in ("metrics", "measures") and not rest:
        new = ("list", "measures")
    if new == ("score",) and rest and not os.path.exists(rest[0]) and "." not in rest[0] and rest[0][0] != "-":
        # `tracker compare a b`: the subject is found in the files.
        new = table.get(rest[0])
        name, rest = f"{name} {rest[0]}", rest[1:]
    if new is None:
        last = name.split()[-1].lower()
        every = [*known, *(table if path == "dialmeter" else ())]
        if sure := next(
            (each for each in known if {each, f"{each}s"} & {*last.split("-")} and path == "dialmeter"), None
        ):
            fail_with_line(f"no command {one_line(name)!r}", *_typed([sure], rest))
        close = [each for each in every if last.startswith(f"{each}-") or (len(last) > 2 and each.startswith(last))]
        close = close or get_close_matches(last, every, 1, 0.75)
        meant = shlex.join(table.get(close[0], close[:1]) if path == "dialmeter" else close[:1]) if close else ""
        advice = f"did you mean {meant}?" if close else f"known: {', '.join(sorted(known))}"
        raise DialmeterError(f"no command {one_line(name)!r} in `{path}`; {advice}")
    fail_with_line(f"no command {one_line(name)!r}", *_typed(new, rest))


def fail_for_root_option(
    error: click.NoSuchOption, group: click.Context, words: Sequence[str], known: Mapping[str, Any]
) -> NoReturn:
    """Raise the error for an option before the command: it is a command, such as ``--list-metrics``, or stands after the command."""
    first, *rest = error.option_name.lstrip("-").replace("_", "-").split("-")
    at = next((place for place, word in enumerate(words) if word in known), None)
    if at is not None:
        fail_with_line(f"{one_line(error.option_name)} stands after the command", [*words[at:], *words[:at]])
    if first in known and rest:
        rest = [VALUES.get(each, each).split()[0] for each in rest]
        fail_with_line(f"no option {one_line(error.option_name)}", [first, *rest])
    if first in known or any(first in names.split() for names in _COMMANDS):
        fail_for_command(group, [first, *rest, *(each for each in words if each != error.option_name)], known)
    raise error


def _typed(command: Sequence[str], words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of a command with the options that it has, and lines to type afterwards."""
    from .main import cli

    context = click.Context(cli, info_name="dialmeter")
    at = next((place for place, word in enumerate(command) if word.startswith("-")), len(command))
    command, options = command[:at], command[at:]
    found: click.Command | None = cli
    for name in command:
        found = found.get_command(context, name) if isinstance(found, click.Group) else found
    own = options_of(found) if found else {}
    if command == ("report",) and words and not Path(words[0], "run.json").exists():
        files = [each for each in words if os.path.exists(each)]
        first = "compare" if len(files) > 1 else "score"
        return [first, *(files or ["FILE"]), "-o", "RUN"], [_CHARTS]
    again, _, after = translate([*words, *options], own, " ".join(command)) or ([*words, *options], [], [])
    return [*command, *again], after


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
        pred, gold = reversed(paths) if GOLD.search(Path(paths[0]).name) else paths
        line = shlex.join(["dialmeter", name, pred, "--gold", gold])
        advice.insert(0, f"if {one_line(gold)} is gold, type: {line}")
    raise DialmeterError("; ".join([f"`dialmeter {name}` takes one file", *advice]))


GOLD = re.compile(r"gold|ref|true|truth|target|label|annot", re.IGNORECASE)
"""File names that look like gold."""
