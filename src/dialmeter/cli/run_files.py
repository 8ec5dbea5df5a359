"""Runs that commands save to the folder of --out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..core.record import RunInput, RunInputs
from ..core.run_writer import RunWriter
from ..errors import DialmeterError, InputError
from ..readers.raw_file import is_stream
from ..views.pages.findings import write_findings


class CommandRun:
    """The run that a command saves to the folder of --out. Without --out nothing is written.

    Args:
        options: the options of the command.
        inputs: the files that determine the result. Create the run before the first of them is read.

    Attributes:
        writer: writes the rows; None before ``begin``, and without --out.

    Raises:
        InputError: a file does not exist.
    """

    def __init__(self, options: dict[str, Any], inputs: Iterable[RunInput]) -> None:
        self._options = options
        self._inputs = RunInputs([*inputs] if options["out"] else [])
        self._identity: dict[str, Any] = {}
        self.writer: RunWriter | None = None

    def begin(
        self, paths: Iterable[str | None], identify: Callable[[list[dict[str, str | None]]], dict[str, Any]]
    ) -> None:
        """Lock the folder.

        Args:
            paths: the files that are read; ``-`` is standard input.
            identify: returns the identity of the run from the names and hashes of its inputs. Called only with --out.

        Raises:
            DialmeterError: the folder is in use, or the options contradict each other.
        """
        options = self._options
        if not options["out"]:
            if options["resume"] or options["force"] or options["rows"] == "parquet":
                raise DialmeterError("--resume, --force and --rows need --out")
            return
        if options["resume"] and any(path and is_stream(path) for path in paths):
            raise DialmeterError(
                "a run from standard input or a pipe cannot be resumed, because the input may be different"
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
        """Abandon the run if such an error is raised."""
        try:
            yield
        except error:
            if self.writer is not None:
                self.writer.abandon()
            raise

    def finish(self, write: Callable[[RunWriter, dict[str, Any]], None]) -> None:
        """Finish the run, if there is one.

        Args:
            write: writes the last files. Its arguments are the writer and the identity of the run, with the hash of every input.

        Raises:
            InputError: an input changed during the run. The run is abandoned.
        """
        if self.writer is None:
            return
        with self.abandoned_on(InputError):
            inputs = self._inputs.after_reading()
        write(self.writer, {**self._identity, "inputs": inputs})
