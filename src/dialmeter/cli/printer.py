"""Prints the output of commands. A command returns an Output, and this module prints all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ..core.comparability import joint_signature
from ..core.comparison import make_resampling
from ..core.document import Document, to_json
from ..core.open_runs import SUMMARY
from ..errors import DialmeterError, InputError, one_line
from ..model import Notice
from ..views.tables import Table, distinct, markdown_code, markdown_text, percent, render, visible
from .hints import HintedCommand
from .progress import showing_progress

if TYPE_CHECKING:
    from ..core.run_writer import RunWriter
    from ..measure import Score
    from ..views.chart_files import Chart
    from ..views.latex import Paper
    from ..views.summaries.summary import Summary

Styles: TypeAlias = tuple[str, ...]

TYPED = "dialmeter.typed"
"""The key of the command line, as typed, in the meta data of click contexts."""

WORDS = "dialmeter.words"
"""The key of the words of the command that a run keeps, in the meta data of click contexts."""

SAVE = "dialmeter.save"
"""The key of the function that saves the run of a command, in the meta data of click contexts."""

TEXT: Styles = ("text",)
PROSE: Styles = ("text", "markdown", "latex")
CSV: Styles = ("csv",)
EVERY: Styles = (*PROSE, *CSV)


class Block(Struct, frozen=True):
    """A table or lines of text in the output. Text is a comment in LaTeX.

    Attributes:
        content: a table, or lines of text.
        styles: the output formats that have the block.
        gap: the output formats with a blank line before the block, unless it is the first.
        raw: the text is the same in every output format.
        asked: an option asks for it, such as --by, so that text output has it below the summary.
    """

    content: Table | str
    styles: Styles = PROSE
    gap: Styles = EVERY
    raw: bool = False
    asked: bool = False

    def render(self, style: str, paper: Paper | None = None) -> str:
        """Return the block in an output format; ``paper`` has the settings for tables in LaTeX and Markdown."""
        if isinstance(self.content, Table):
            return render(distinct(self.content) if style == "csv" else self.content, style, paper)
        comment = "% " if style == "latex" and not self.raw else ""
        return "\n".join(comment + line for line in self.content.split("\n"))


def message_block(text: str) -> Block:
    """Return a block for text that is the whole output of a command, in every output format."""
    return Block(text, EVERY, raw=True)


def table_blocks(tables: Iterable[Table], styles: Styles = PROSE, *, asked: bool = False) -> list[Block]:
    """Return a block for each table that has rows."""
    return [Block(table, styles, asked=asked) for table in tables if table.rows]


def result_blocks(lines: Sequence[str]) -> list[Block]:
    """Return the blocks for the result of a comparison in words; a list in Markdown."""
    plain = Block("\n".join(map(visible, lines)), PROSE[::2])
    listed = Block("\n".join(f"- {markdown_text(visible(line))}" for line in lines), ("markdown",))
    return [plain, listed] if lines else []


def signature_blocks(*lines: str, quoted: bool = True, gap: Styles = EVERY) -> list[Block]:
    """Return the blocks for signatures of scores."""
    plain = Block("\n".join(f"signature  {visible(line)}" for line in lines), PROSE[::2] if quoted else PROSE, gap)
    code = Block("\n".join(f"Signature: {markdown_code(line)}" for line in lines), ("markdown",), gap)
    return [plain, code] if quoted else [plain]


def score_signature_blocks(scores: Sequence[Score], every: bool) -> list[Block]:
    """Return the blocks for the signatures of a table of scores: one line per score, or one line for all scores."""
    signatures = [each.signature for each in scores]
    return signature_blocks(*(signatures if every else [joint_signature(signatures)]))


class Output(Struct, kw_only=True):
    """The whole output of a command.

    Attributes:
        document: makes the document of `--format json`; None for a command without one.
        summary: what text output prints first; without --verbose only the blocks that an option asks for follow.
        parts: the blocks that the other output formats print.
        notices: warnings, on standard error.
        diagnosis: likely faults of the files, on standard error.
        ignore_quiet: print the warnings even with --quiet.
        charts: makes the charts that a run keeps.
        remarks: lines on standard error that --quiet suppresses.
        errors: error messages, on standard error, after everything else.
        check: called at the end. It raises the error that ends the command, such as a true condition of --fail-if.
        exit_code: of the command.
    """

    document: Callable[[], Document] | None = None
    summary: Summary | None = None
    parts: Iterable[Block] = ()
    notices: Sequence[Notice] = ()
    diagnosis: Sequence[str] = ()
    ignore_quiet: bool = False
    charts: Callable[[], Iterable[Chart]] | None = None
    remarks: Sequence[str] = ()
    errors: Sequence[str] = ()
    check: Callable[[], None] | None = None
    exit_code: int = 0


class PrintedCommand(HintedCommand):
    """A click command that prints the Output of its function."""

    def invoke(self, ctx: click.Context) -> Any:
        if "resamples" in ctx.params:
            ctx.params["resampling"] = make_resampling(*(ctx.params[name] for name in ("ci", "resamples", "seed")))
        study, options = None, ctx.params
        # --force may be for a sheet.
        if "study" in options and (options["study"] or (options["force"] and not options.get("sheet"))):
            from .study import Study

            study = Study(options, options["study"])
        with showing_progress(quiet=options.get("quiet", True)):
            result = super().invoke(ctx)
        if not isinstance(result, Output):
            return result
        if study is not None:
            result = study.finish_with(result)
        save: Callable[[Output], None] | None = ctx.meta.pop(SAVE, None)
        if save is not None:
            save(result)
        return print_output(result, ctx.params, ctx.info_name or "")


def keep_output(writer: RunWriter, output: Output) -> None:
    """Add the summary of a command to its run, and its charts as data."""
    if output.summary is not None:
        writer.keep(SUMMARY, f"{replace(output.summary, next='')}\n")
    if output.charts is not None:
        from ..views import saved_charts

        writer.keep(saved_charts.FILE, saved_charts.charts_to_json(output.charts()))


def print_output(output: Output, options: dict[str, Any], command: str = "") -> int:
    """Print the output of a command, and return its exit code."""
    quiet, style = options.get("quiet", False), options.get("style") or "text"
    verbose = options.get("verbose", False)
    has_summary = style == "text" and output.summary is not None
    said = output.summary.said if output.summary is not None and has_summary and not verbose else frozenset()
    warn([each for each in output.notices if each.code not in said], quiet and not output.ignore_quiet)
    # A summary has the findings of the diagnosis, in fewer words.
    for message in () if quiet or (has_summary and not verbose) else output.diagnosis:
        click.echo(f"diagnosis: {one_line(message, 1000)}", err=True)
    if style == "json" and output.document is not None:
        click.echo(to_json(output.document()))
    elif style == "value":
        click.echo(_only_value(output))
    elif style == "ids":
        click.echo("".join(f"{each}\n" for each in _ids(output)), nl=False)
    else:
        if has_summary:
            click.echo(str(output.summary))
        parts = [each for each in output.parts if each.asked or verbose or not has_summary]
        if has_summary and parts:
            click.echo()
        print_blocks(parts, style, papers(options.get("latex") or {}, command))
    for remark in () if quiet else output.remarks:
        click.echo(remark, err=True)
    for error in output.errors:
        click.echo(f"dialmeter: {error}", err=True)
    if output.check is not None:
        output.check()
    return output.exit_code


def typed_command() -> str:
    """Return the command line of the person, for the next command of a summary; empty in a command that prints no summary."""
    context = click.get_current_context(silent=True)
    typed: str = context.meta.get(TYPED, "") if context else ""
    return typed


def _only_value(output: Output) -> str:
    """Return the value of the only score, in percent with two decimals."""
    scores = getattr(output.document(), "scores", []) if output.document else []
    if len(scores) != 1:
        raise DialmeterError(
            f"-f value needs exactly one score; choose one measure with -m (found {len(scores)} scores)"
        )
    score = to_builtins(scores[0])
    if score["value"] is None:
        raise DialmeterError(f"{score['measure']} has no value: {score.get('reason') or 'nothing was scored'}")
    return percent(score["value"])


def _ids(output: Output) -> list[str]:
    """Return the ids of the dialogues that were found."""
    document = output.document() if output.document else None
    if document is None or document.command != "find":
        raise DialmeterError("-f ids is for `dialmeter find`")
    return [each["dialogue"] for each in to_builtins(document)["dialogues"]]


def print_blocks(parts: Iterable[Block], style: str, papers: Iterator[Paper]) -> None:
    """Print the blocks of an output format to standard output."""
    first = True
    for part in parts:
        if style in part.styles:
            paper = next(papers) if style in ("latex", "markdown") and isinstance(part.content, Table) else None
            click.echo(("" if first or style not in part.gap else "\n") + part.render(style, paper))
            first = False


def papers(latex: Mapping[str, str], command: str) -> Iterator[Paper]:
    """Yield the settings for each table. Labels are numbered from the second table on."""
    from ..views.latex import Paper

    label = latex.get("label") or f"tab:{command}"
    for number in count(1):
        yield Paper(
            int(latex.get("columns") or 2),
            "bold" in latex,
            latex.get("caption") or "",
            label if number == 1 else f"{label}-{number}",
        )


def warn(notices: Sequence[Notice], quiet: bool) -> None:
    """Print warnings to standard error, one line each."""
    for notice in () if quiet else notices:
        where = f" [{'; '.join(notice.where[:3])}{'; …' if len(notice.where) > 3 else ''}]" if notice.where else ""
        click.echo(f"warning: {one_line(notice.message + where, 400)}", err=True)


LISTED = 20
"""Maximum number of unusable dialogues in a list of errors."""


def refused_lines(refused: Sequence[InputError | str]) -> list[str]:
    """Return one line for each dialogue that cannot be scored, at most ``LISTED``."""
    lines = [one_line(str(error), 1000) for error in refused[:LISTED]]
    more = len(refused) - LISTED
    return [*lines, f"… and {more} more dialogues that cannot be scored"] if more > 0 else lines


def refusal_notices(refused: Sequence[InputError]) -> list[Notice]:
    """Return one warning about the dialogues that could not be read, with the reasons of the first ten."""
    if not refused:
        return []
    message = f"{len(refused)} dialogue{'s' if len(refused) > 1 else ''} unscored"
    return [Notice("unscored", len(refused), message, tuple(str(each) for each in refused[:10]))]
