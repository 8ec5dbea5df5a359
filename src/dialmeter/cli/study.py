"""``--out`` of commands that compare or study: a folder with tables, charts and JSON, for `view` and `report`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ..core.document import to_json
from ..core.record import RunInput, RunInputs, run_identity
from ..core.run_writer import RunWriter
from ..errors import DialmeterError
from ..readers.corpus import split_tracker
from ..readers.raw_file import STDIN
from ..views.pages.findings import write_findings
from .hints import check_run_folder
from .options import combine_options, force_option, option
from .printer import Output, keep_output, typed_command

study_options = combine_options(
    option("--out DIR study", "Save tables, charts and JSON to this folder, for `view` and `report`."),
    force_option,
)
_FILES = ("files", "file", "logs", "gold", "schema", "only", "goals", "patch", "accuracy", "sheets", "talk")
"""Parameters of commands that name files."""
_NAMES_OR_FILES = ("rules_name", "chosen", "rule_map", "value_map", "profile")
"""Parameters that name a file, which has a suffix, or a part of dialmeter, which has none."""
INPUTS = (*_FILES, *_NAMES_OR_FILES)


class Study:
    """The folder of a result. It is locked before the work begins, and written at the end.

    Args:
        context: the click context of the command.

    Raises:
        DialmeterError: the folder is in use, or an input does not exist.
    """

    def __init__(self, context: click.Context) -> None:
        if not context.params["study"]:
            raise DialmeterError("--force needs --out")
        check_run_folder(context.params["study"], typed_command())
        inputs = list(_inputs(context.params))
        self._inputs = RunInputs(inputs)
        self._paths = sorted({each.path for each in inputs}, key=len, reverse=True)
        self._command = " ".join(context.command_path.split()[1:])
        self._words = [self._without_folders(word) for word in shlex.split(typed_command())[1:]]
        identity = self._identity(self._inputs.described())
        self._writer = RunWriter(
            context.params["study"], identity, force=context.params["force"], rows=False, index=write_findings
        )
        context.call_on_close(self._writer.close)

    def _identity(self, inputs: list[dict[str, str | None]]) -> dict[str, Any]:
        return run_identity("study", inputs, command=self._command, words=self._words)

    def _without_folders(self, line: str) -> str:
        """Remove the folders of the inputs from a line. A study must not depend on where its input is."""
        for path in self._paths:
            line = line.replace(path, Path(path).name)
        return line

    def save(self, output: Output) -> Output:
        """Save the output of a command, and return it for printing."""
        from ..views.pages.study import StudyContent, study_table
        from ..views.tables import Table

        output = replace(output, parts=list(output.parts))
        shown = [block.content for block in output.parts if "text" in block.styles]
        first: list[str] = []
        if (summary := output.summary) is not None:
            first = [summary.verdict, *(f"{label}: {text}" for label, text in summary.findings)]
        texts = [each for each in shown if isinstance(each, str)]
        lines = [self._without_folders(line) for each in (*first, *texts) for line in each.split("\n")]
        keep_output(self._writer, output)
        document = output.document() if output.document else None
        study = StudyContent(
            lines=list(dict.fromkeys(lines)),
            tables=[study_table(each) for each in shown if isinstance(each, Table)],
        )
        plain = to_builtins(document) if document else {}
        manifest = {
            **self._identity(self._inputs.after_reading()),
            "counts": {name: count for name, count in plain.get("counts", {}).items() if isinstance(count, int)},
            # The keys of groups that do not apply to a score are absent in runs, and null in some documents.
            "scores": [
                {name: value for name, value in score.items() if value is not None or name in ("value", "ci")}
                for score in plain.get("scores", [])
            ],
            "warnings": plain.get("warnings", []),
            "study": study,
        }
        text = to_json(document) + "\n" if document else ""
        self._writer.finish(manifest, {}, {"document.json": text})
        return output


def _inputs(options: dict[str, Any]) -> Iterator[RunInput]:
    """Yield the files that a command reads, with the parameters that name them."""
    for role in INPUTS:
        given = options.get(role) or ()
        for each in given if isinstance(given, tuple) else (str(given),):
            path, tracker = split_tracker(each)
            if path == STDIN or (Path(path).exists() and (role in _FILES or Path(path).suffix)):
                yield RunInput(role, path, tracker or "")
