"""The entry: lazy commands, and the exit codes that scripts rely on."""

from __future__ import annotations

import errno
import sys
import tempfile
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from .._version import __version__
from ..core.streams import discard_output, flush_output, repair_streams
from ..errors import ConditionHolds, DialmeterError, Unfinished, did_you_mean, one_line

_OUTPUT_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

EXIT_CONDITION = 1
EXIT_INPUT = 2
EXIT_UNFINISHED = 3
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130

_COMMANDS = {
    "demo": ("demo:demo", "The whole story on an invented town, ending with a report."),
    "sample": ("sample:sample", "Write files to try the commands of the documentation on."),
    "tracker": ("main:tracker", "Measure dialogue state trackers."),
    "user": ("main:user", "Measure user simulators."),
    "judge": ("main:judge", "Measure automatic judges of dialogue."),
    "system": ("main:system", "Measure dialogue systems and agents that act."),
    "report": ("report:report", "One page for runs: HTML, Markdown or LaTeX."),
    "view": ("view:view", "Look at runs in the browser."),
    "convert": ("convert:convert", "Turn any format into dialmeter's own JSON lines."),
    "list": ("listing:list_", "List formats, measures, rule sets, events and profiles, or describe one."),
    "cite": ("cite:cite", "Print what to cite for a run or for measures."),
    "completion": ("main:completion", "Print the shell completion script."),
}

_TRACKER = {
    "check": ("tracker.check:check", "Validate a file, and score gold against itself."),
    "score": ("tracker.score:score", "Score a prediction file."),
    "compare": ("tracker.compare:compare_", "Compare trackers on the same dialogues, with paired tests."),
    "board": ("tracker.board:board_", "A board of trackers on one gold: a static page and a Markdown table."),
    "curve": ("tracker.curve:curve_", "Few-shot curves and zero-shot tables from a folder of files."),
    "bias": ("tracker.bias:bias", "Do measures depend on where in a dialogue mistakes fall?"),
    "human": ("tracker.human:human", "Compare measures with human ratings; make and read annotation sheets."),
    "sensitivity": ("tracker.sensitivity:sensitivity", "Does a tracker depend on the wording of the schema (SGD-X)?"),
    "audit": ("tracker.audit:audit_", "Which values of gold are likely errors? Trackers vote; sheets and patches."),
    "rules": ("tracker.rules:rules", "One file under every rule set, and which turns flip."),
}
_USER = {
    "check": ("user.check:check", "Validate a file of dialogues with goals and acts."),
    "play": ("user.play:play", "Let a simulated user and a system talk in the embedded town."),
    "cross": ("user.cross:cross", "Every user with every system: one table with paired intervals."),
    "score": ("user.score:score", "Score a user simulator: I-GCDF1 and R-GCDF1, and why points were lost."),
    "compare": ("user.compare:compare", "Compare users on the same goals, with paired tests."),
    "query": ("user.query:query", "Find the dialogues behind a score, and read one turn by turn."),
    "labels": ("user.labels:labels", "Find turns whose words and acts do not agree."),
    "goals": ("user.goals:goals", "Derive goals of dialogues that have none, or write goals in words to a sheet."),
    "profile": ("user.profile:profile", "Propose a profile for a corpus."),
    "understand": ("user.understand:understand", "Measure how well acts are found in words."),
    "patterns": ("user.patterns:patterns", "How constraints and requests are expressed."),
    "items": ("user.logs.items:items", "What users of agents convey of goals in words, and say against them."),
    "values": ("user.values:values", "Build a map of values and their surface forms, to be edited."),
}
_JUDGE = {
    "attack": ("judge.attack:attack", "Make adversarial cases from a corpus of dialogues."),
    "score": ("judge.score:score", "Error rates of judges under attack."),
    "bench": (
        "judge.bench:bench",
        "A frozen set of cases: make it, run judges on it, verify submissions, make a board.",
    ),
    "human": ("judge.human:human", "Agreement of judges with people."),
    "explain": ("judge.explain:explain", "Which tokens of a reply move a judge's score?"),
    "train": ("judge.train:train", "Train a judge from ratings."),
    "published": ("judge.published:published", "Tables of the paper on attacks from the folders of its authors."),
    "validity": ("judge.validity:judge_validity", "Have cases read by people, and count their verdicts."),
}
_SYSTEM = {
    "check": ("system.check:check", "Say what a log of an agent holds, and what cannot be used."),
    "score": ("system.score:score", "Score an agent: success, pass^k, endings, costs."),
    "compare": ("system.compare:compare", "Compare agents within the same tasks, with the exact sign test."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that --help is quick."""

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return None
        module, _, name = self._lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f".{module}", __package__), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self._lazy:
            ctx.fail(f"no such command {one_line(args[0])!r}; {did_you_mean(args[0], self._lazy)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._lazy.items()])


@click.command(cls=LazyGroup, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="dialmeter")
def cli() -> None:
    """Numbers you can trust for dialogue systems: trackers, users, judges, agents."""


tracker = LazyGroup("tracker", lazy=_TRACKER, help="Measure dialogue state trackers.")
user = LazyGroup("user", lazy=_USER, help="Measure user simulators.")
judge = LazyGroup("judge", lazy=_JUDGE, help="Measure automatic judges of dialogue, language models among them.")
system = LazyGroup("system", lazy=_SYSTEM, help="Measure dialogue systems and agents that act, on their logs.")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL; put `eval "$(dialmeter completion bash)"` into its start-up file."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "dialmeter", "_DIALMETER_COMPLETE").source())


def run(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    repair_streams()
    code = _guarded(lambda: cli.main(arguments, prog_name="dialmeter", standalone_mode=False))
    try:
        flush_output()
    except OSError:
        discard_output()
    sys.exit(code)


def _guarded(call: Callable[[], Any]) -> int:
    try:
        code = call()
        flush_output()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.ctx.get_help() if asked.ctx else asked.format_message())
        return EXIT_INPUT
    except click.ClickException as error:
        hint = f" (see {error.ctx.command_path} --help)" if isinstance(error, click.UsageError) and error.ctx else ""
        return _complain(f"{error.format_message()}{hint}", EXIT_INPUT)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", EXIT_INTERRUPTED)
    except ConditionHolds as holds:
        return _complain(str(holds), EXIT_CONDITION)
    except Unfinished as error:
        return _complain(str(error), EXIT_UNFINISHED)
    except DialmeterError as error:
        return _complain(str(error), EXIT_INPUT)
    except BrokenPipeError:
        # The program that reads the pipe, such as `head`, has ended: nobody would read a message.
        discard_output()
        return 0
    except Exception as error:
        ordinary = _ordinary(error)
        if ordinary:
            return _complain(ordinary, EXIT_INPUT)
        return _complain(f"internal error: {type(error).__name__}: {error} ({_details()})", EXIT_INTERNAL)
    return code if isinstance(code, int) else 0


def _ordinary(error: Exception) -> str:
    """The message for an error of memory, a file or standard output; empty for an error of the program."""
    if isinstance(error, MemoryError):
        return "not enough memory for this input; split it, or store one dialogue per line"
    if not isinstance(error, OSError) or isinstance(error, ConnectionError | TimeoutError):
        return ""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    if error.errno in _OUTPUT_TROUBLE:
        # All other files are written with core.output, which has its own messages.
        discard_output()
        return f"standard output: cannot be written: {error.strerror}"
    return ""


def _details() -> str:
    """Writes the traceback of an internal error to a file, and gives the words that name the file."""
    try:
        with tempfile.NamedTemporaryFile("w", prefix="dialmeter-", suffix=".log", delete=False) as file:
            traceback.print_exc(file=file)
    except OSError as error:
        return f"details cannot be written: {error.strerror or error}; please report it"
    return f"details in {file.name}; please report it"


def _complain(message: str, code: int) -> int:
    click.echo(f"dialmeter: {one_line(message, 4000)}", err=True)
    return code
