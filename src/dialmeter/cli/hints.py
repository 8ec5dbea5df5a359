"""Hints for near misses: options, words and commands that other tools have. None of them is an alias; each hint is a command to type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from ..errors import DialmeterError, did_you_mean, one_line

KEYS = (
    *("event", "domain", "slot", "value", "turn", "party", "reason", "goal"),
    *("task", "ending", "tool", "argument", "attack", "facet", "judge", "outcome"),
)
"""The keys of the conditions of ``dialmeter find``. Each subject knows some of them."""


class Hint(NamedTuple):
    """What to type instead of an option.

    Attributes:
        words: the words to type instead. ``{}`` stands for the value of the option, ``{*}`` for each of all values that follow it:
            the words are then repeated; ``{-}`` drops all values. ``{files}`` are files, which come first.
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
        return -1 if "{*}" in text or "{-}" in text or "{files}" in text else int("{}" in text)

    def filled(self, given: Sequence[str]) -> list[str]:
        """Return the words to type, with the values of the option."""
        if "{files}" in self.words:
            return [*given]
        if self.values == 1:
            return [word.replace("{}", given[0]) if given else word for word in self.words if given or "{}" not in word]
        sets = [""]
        if "{*}" in " ".join(self.words):
            # Several values may also be one word with commas, except for the parameters of a measure.
            sets = [each for value in given for each in (value.split(",") if "(" not in value else [value]) if each]
        if self.words == ("-m", "{*}"):
            sets = [_measure(each) for each in sets]
        return [word.replace("{*}", each) for each in sets for word in self.words if word != "{-}"]


def _measure(name: str) -> str:
    """Return a measure as it is written, such as ``FGA(lam=0.5)`` for ``fga``; an unknown name is an error."""
    from ..api.calls import measure_names

    if "(" in name or "[" in name:
        return name
    plain = name.lower().replace("_", "").replace("-", "")
    names = [*measure_names().values(), "FGA(lam=0.5)", "ASA(alpha=1)", "Success", "Pass(k=2)"]
    known = {each.partition("(")[0].lower().replace("-", ""): each for each in names}
    if plain not in known:
        raise DialmeterError(f"unknown measure {one_line(name)!r}; {did_you_mean(name, names)}")
    return known[plain]


_OPTIONS: Mapping[str, str] = {
    "metric metrics measures score-type": "-m {*}",
    "k": "-m Pass(k={*})",
    "json": "-f json",
    "csv": "-f csv",
    "markdown md": "-f markdown",
    "tex": "-f latex",
    "bare value score-only": "-f value",
    "as output-format style": "-f {}",
    "prediction predictions pred preds hyp hyps hypothesis hypotheses sys candidate candidates input inputs file files log p i": "{files}",
    "reference references ref refs target targets truth ground-truth gold-file labels g r as-gold gold-states": "--gold {}",
    "bootstrap n-bootstrap bootstraps n-resamples n-boot num-bootstrap": "--set resamples={*}",
    "ci": "--set ci={*} # every score has its interval",
    "confidence confidence-level": "--set ci={}",
    "significance paired paired-test p-value": "# `compare` always tests the difference",
    "exact literal strict": "--set values=as-is",
    "normalize normalise lenient": "--set map=multiwoz",
    "ignore-case case-insensitive": "--set values=lower",
    "chart charts plot plots figure figures": "-o RUN {-}",
    "resume continue": "# the same command again continues an unfinished run",
    "save save-to output-dir out-dir outdir": "-o {}",
    "details all full signatures all-pairs verbose-output debug pretty": "-v",
    "per-dialogue per-dialog per-turn": "-v # `dialmeter find FILE ID` prints a dialogue",
    "silent no-progress": "-q",
    "overwrite replace": "--force",
    "top num n count examples cases failing": "-n {}",
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
    "human people": "--columns rating={}",
    "sheet sheet-name worksheet": "{-} # a sheet of a workbook is FILE.xlsx#NAME",
    "ruleset rule-set": "--rules {}",
    "options setting config-set": "--set {}",
}
"""Names of options that do not exist → the words to type instead, in which ``_`` is a blank, and a note."""
_CHARTS = "dialmeter report RUN --charts figures"


def _hint(text: str) -> Hint:
    words, _, note = text.partition("# ")
    return Hint(tuple(word.replace("_", " ") for word in words.split()), note, _CHARTS if "RUN" in words else "")


HINTS: Mapping[str, Hint] = {
    option: _hint(words)
    for names, words in _OPTIONS.items()
    for name in names.split()
    for option in ([f"-{name}", f"--{name}"] if len(name) == 1 else [f"--{name}"])
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
    return all(word in own for word in hint.words if word.startswith("-"))


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
    files: list[str] = []
    again: list[str] = []
    hints: list[Hint] = []
    rest = [*words]
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-" or name in own:
            again.append(word)
            continue
        count = next((at for at, each in enumerate(rest) if each.startswith("-") and each != "-"), len(rest))
        following = [value] if equals else rest[:count]
        hint = _hint_of(name, own, following, command)
        if hint is None:
            return None
        values = following if hint.values < 0 else following[: hint.values]
        del rest[: 0 if equals else len(values)]
        (files if "{files}" in hint.words else again).extend(hint.filled(values))
        hints.append(hint)
    notes, after = (dict.fromkeys(filter(None, texts)) for texts in ([h.note for h in hints], [h.after for h in hints]))
    return [*files, *again], [*notes], [*after]


def _hint_of(name: str, own: set[str], values: Sequence[str], command: str) -> Hint | None:
    """Return what to type instead of an option; ``values`` are the words that follow it."""
    key = name.lstrip("-").replace("_", "-").lower()
    if command.endswith("find") and f"--{key}" not in own:
        if key in ("dialogue", "id", "dialog"):
            return Hint(("{*}",))
        if key in KEYS:
            return Hint((f"{key}={{*}}",))
    if name in ("--output", "--output-file", "--report", "--html", "--output-path"):
        return _output_hint(values[0] if values else "report.html")
    if name in HINTS and _can_take(HINTS[name], own):
        return HINTS[name]
    if f"--{key}" in own:
        return Hint((f"--{key}", "{}"))
    flags = setting_flags() if "--set" in own else {}
    if key in flags:
        return Hint(("--set", key if flags[key] else f"{key}={{}}"))
    return None


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
