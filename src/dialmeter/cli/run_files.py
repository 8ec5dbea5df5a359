"""Runs that commands keep in the folder of --out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..core.record import RunInput, RunInputs
from ..core.run_writer import RunWriter
from ..errors import DialmeterError, InputError
from ..readers.raw_file import is_stream
from ..views.pages.findings_file import write_findings


class CommandRun:
    """The run in the folder of --out. Without --out there is no run, and nothing is written.

    Args:
        options: of the command.
        inputs: the files that decide the result; to be given before the first of them is read.

    Attributes:
        writer: takes the rows; None before ``begin``, and without --out.

    Raises:
        InputError: no such file.
    """

    def __init__(self, options: dict[str, Any], inputs: Iterable[RunInput]) -> None:
        self._options = options
        self._inputs = RunInputs([*inputs] if options["out"] else [])
        self._identity: dict[str, Any] = {}
        self.writer: RunWriter | None = None

    def begin(
        self, read: Iterable[str | None], identify: Callable[[list[dict[str, str | None]]], dict[str, Any]]
    ) -> None:
        """Locks the folder.

        Args:
            read: the files that are read, ``-`` among them where it is standard input.
            identify: gives what identifies the run, from the names and hashes of its inputs; called only with --out.

        Raises:
            DialmeterError: the folder is taken, or options do not go together.
        """
        options = self._options
        if not options["out"]:
            if options["resume"] or options["force"] or options["rows"] == "parquet":
                raise DialmeterError("--resume, --force and --rows go with --out")
            return
        if options["resume"] and any(path and is_stream(path) for path in read):
            raise DialmeterError(
                "a run from standard input or a pipe cannot be resumed: nobody knows whether the input is the same"
            )
        self._identity = identify(self._inputs.described())
        self.writer = RunWriter(
            options["out"],
            self._identity,
            resume=options["resume"],
            force=options["force"],
            parquet=options["rows"] == "parquet",
            index=write_findings,
        )
        click.get_current_context().call_on_close(self.writer.close)

    @contextmanager
    def abandoned_on(self, error: type[DialmeterError]) -> Iterator[None]:
        """Abandons the run if there is such an error."""
        try:
            yield
        except error:
            if self.writer is not None:
                self.writer.abandon()
            raise

    def finish(self, write: Callable[[RunWriter, dict[str, Any]], None]) -> None:
        """Finishes the run, if there is one.

        Args:
            write: writes the last files, from the writer and what identifies the run; the hash of every input is in it.

        Raises:
            InputError: a file changed meanwhile; the run is abandoned.
        """
        if self.writer is None:
            return
        with self.abandoned_on(InputError):
            inputs = self._inputs.after_reading()
        write(self.writer, {**self._identity, "inputs": inputs})
