"""The entry point: groups of lazily imported commands, and exit codes."""

from __future__ import annotations

import atexit
import errno
import gc
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from .._version import __version__
from ..core.secrets import mask_queries
from ..core.streams import OUTPUT_ERROR, discard_output, flush_output, repair_streams
from ..errors import ConditionHolds, DialmeterError, Unfinished, one_line

_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

_OBJECTS_PER_COLLECTION = 50_000
EXIT_CONDITION = 1
EXIT_INPUT = 2
EXIT_UNFINISHED = 3
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130

_COMMANDS = {
    "check": ("door:check", "Check files before they are scored."),
    "score": ("door:score", "Score a tracker, a user, a judge or a system."),
    "compare": ("door:compare", "Is the difference of two or more files real?"),
    "find": ("door:find", "Find the dialogues that explain a score."),
    "view": ("runs:view", "Show runs in the browser."),
    "report": ("runs:report", "Write a report about runs: HTML, Markdown or LaTeX."),
    "study": ("main:study", "Ask a question about measures, gold, rules or people."),
    "judge": ("main:judge", "Make adversarial cases, explain, certify and train judges."),
    "play": ("door:play", "Let simulated users and systems talk."),
    "convert": ("door:convert", "Convert files to another format."),
    "list": ("listing:list_", "List formats, measures, rule sets, settings and more, or describe one."),
    "cite": ("runs:cite", "Print BibTeX entries for a run or for measures."),
    "demo": ("demo:demo", "Measure demo data, and write a report."),
}
_STUDY = {
    "rules": ("door:study rules", "Score a file under every rule set: which JGA is it?"),
    "bias": ("door:study bias", "Does a measure depend on where in a dialogue mistakes are?"),
    "curve": ("door:study curve", "Make few-shot curves and zero-shot tables of a folder."),
    "people": ("door:study people", "Compare measures, cases or simulated users with the ratings of people."),
    "audit": ("door:study audit", "Find likely errors in gold."),
    "sensitivity": ("door:study sensitivity", "How much does a tracker depend on the wording of the schema?"),
    "distance": ("door:study distance", "How far is a simulated user from people?"),
}
_JUDGE = {
    "attack": ("door:judge attack", "Make adversarial cases from dialogues."),
    "explain": ("door:judge explain", "Show which words of a reply change a judge's score."),
    "certify": ("door:judge certify", "Certify a judge against people: evidence, gates and a seal."),
    "train": ("door:judge train", "Train a judge from ratings or cases."),
}


class LazyGroup(click.Group):
    """A group that imports a command only when it is called, which keeps --help fast."""

    def __init__(self, *args: Any, lazy: dict[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return None
        module, _, name = self._lazy[cmd_name][0].partition(":")
        if module == "door":
            from .door import front_command

            return front_command(name)
        command: click.Command = getattr(import_module(f".{module}", __package__), name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [*args]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from .hints import fail_for_root_option

            fail_for_root_option(error, ctx, words, self._lazy)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[:1] == ["help"] and ctx.parent is None:
            args = [*args[1:], "--help"]
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        if args and not args[0].startswith("-") and args[0] not in self._lazy:
            from .hints import fail_for_command

            fail_for_command(ctx, args, self._lazy)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._lazy.items()])


@click.command(cls=LazyGroup, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="dialmeter")
@click.option("--config", metavar="FILE", help="Read this configuration file (default: the nearest dialmeter.toml).")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, shell: _print_completion(context, shell),
    help="Print the completion script of a shell.",
)
def cli(config: str | None, isolated: bool) -> None:
    """Numbers you can trust for dialogue systems: trackers, users, judges, agents."""


study = LazyGroup("study", lazy=_STUDY, help=_COMMANDS["study"][1])
judge = LazyGroup("judge", lazy=_JUDGE, help=_COMMANDS["judge"][1])


def _print_completion(context: click.Context, shell: str | None) -> None:
    """Print the completion script. To use it, add `eval "$(dialmeter --completion bash)"` to the start-up file of the shell."""
    if shell is None:
        return
    from click.shell_completion import get_completion_class

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    click.echo(completion_class(cli, {}, "dialmeter", "_DIALMETER_COMPLETE").source())
    context.exit()


def run(arguments: list[str] | None = None) -> None:
    """Run the command line, and exit with its exit code."""
    # A command makes few reference cycles. Looking for them takes a tenth of the time of a small command.
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    atexit.register(gc.freeze)
    repair_streams()
    words = sys.argv[1:] if arguments is None else arguments
    code = _run_to_exit_code(lambda: cli.main(words, prog_name="dialmeter", standalone_mode=False), words)
    try:
        flush_output()
    except OSError:
        discard_output()
    sys.exit(code)


def _run_to_exit_code(call: Callable[[], Any], words: Sequence[str]) -> int:
    """Call a function, print its error if it raises one, and return the exit code."""
    try:
        code = call()
        flush_output()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as no_arguments:
        click.echo(no_arguments.ctx.get_help() if no_arguments.ctx else no_arguments.format_message())
        return EXIT_INPUT
    except click.ClickException as error:
        hint = f" (see {error.ctx.command_path} --help)" if isinstance(error, click.UsageError) and error.ctx else ""
        return _print_error(f"{error.format_message()}{hint}", EXIT_INPUT)
    except (click.Abort, KeyboardInterrupt):
        return _print_error("interrupted", EXIT_INTERRUPTED)
    except ConditionHolds as condition:
        return _print_error(str(condition), EXIT_CONDITION)
    except Unfinished as error:
        again = shlex.join(["dialmeter", *(word for word in words if word != "--force")])
        typed = f": {again}" if str(error).endswith("the same command continues") else ""
        return _print_error(f"{error}{typed}", EXIT_UNFINISHED)
    except DialmeterError as error:
        return _print_error(str(error), EXIT_INPUT)
    except BrokenPipeError:
        # The program that reads the pipe, such as `head`, has ended. Nobody would read a message.
        discard_output()
        return 0
    except Exception as error:
        message = _environment_error(error)
        if message:
            return _print_error(message, EXIT_INPUT)
        return _print_error(f"internal error: {type(error).__name__}: {error} ({_save_traceback()})", EXIT_INTERNAL)
    return code if isinstance(code, int) else 0


def _environment_error(error: Exception) -> str:
    """Return the message for an error of memory, a file or standard output; empty for a bug in dialmeter."""
    if isinstance(error, MemoryError):
        return "not enough memory for this input; split it, or store one dialogue per line"
    if isinstance(error, UnicodeEncodeError) and "\udc80" <= error.object[error.start] <= "\udcff":
        # Python writes a byte that is not UTF-8 as such a character. Input files cannot hold it, only file names can.
        name = error.object[max(0, error.start - 40) : error.start + 40].encode("utf-8", "surrogateescape")
        return f"{str(name)[2:-1]}: the name is not UTF-8, so it cannot be recorded; rename the file or folder"
    if not isinstance(error, OSError) or isinstance(error, ConnectionError | TimeoutError):
        return ""
    if error.filename == OUTPUT_ERROR:
        discard_output()
    if error.filename is not None:
        return f"{error.filename}: {error.strerror or error}"
    if error.errno in _DISK_ERRORS:
        return f"a file cannot be read or written: {error.strerror} ({_save_traceback()})"
    return ""


def _save_traceback() -> str:
    """Write the traceback of an internal error to a file, and return a text that names the file."""
    import tempfile
    import traceback

    try:
        with tempfile.NamedTemporaryFile("w", prefix="dialmeter-", suffix=".log", delete=False) as file:
            traceback.print_exc(file=file)
    except OSError as error:
        return f"details cannot be written: {error.strerror or error}; please report it"
    return f"details in {file.name}; please report it"


def _print_error(message: str, code: int) -> int:
    """Print one line to standard error, and return the exit code."""
    if "--force" in sys.argv:
        message = message.replace("the same command", "the same command without --force")
    click.echo(f"dialmeter: {one_line(mask_queries(message), 4000)}", err=True)
    return code
