"""Runs that commands keep in the folder of --out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from ..core.record import RunInputs
from ..core.run_writer import RunWriter
from ..errors import DialmeterError, InputError
from ..readers.raw_file import is_stream
from ..views.pages.findings_file import write_findings


def run_writer(
    options: dict[str, Any], inputs: Iterable[str | None], identity: Callable[[], dict[str, Any]]
) -> tuple[RunWriter | None, dict[str, Any]]:
    """The writer of the run that --out asks for, and what identifies the run; None and nothing without --out.

    Args:
        options: of the command.
        inputs: the files that are read, ``-`` among them where it is standard input.
        identity: gives what identifies the run; it reads the inputs, and is called only with --out.
    """
    if not options["out"]:
        if options["resume"] or options["force"] or options["rows"] == "parquet":
            raise DialmeterError("--resume, --force and --rows go with --out")
        return None, {}
    if options["resume"] and any(path and is_stream(path) for path in inputs):
        raise DialmeterError(
            "a run from standard input or a pipe cannot be resumed: nobody knows whether the input is the same"
        )
    about = identity()
    writer = RunWriter(
        options["out"],
        about,
        resume=options["resume"],
        force=options["force"],
        parquet=options["rows"] == "parquet",
        index=write_findings,
    )
    click.get_current_context().call_on_close(writer.close)
    return writer, about


def with_inputs(about: dict[str, Any], inputs: RunInputs, writer: RunWriter) -> dict[str, Any]:
    """What identifies the run, with the hash of every input now that all is read.

    Raises:
        InputError: a file changed meanwhile; the run is abandoned.
    """
    try:
        return {**about, "inputs": inputs.after_reading()}
    except InputError:
        writer.abandon()
        raise
