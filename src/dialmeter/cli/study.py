"""``--out`` of commands that compare or study: a folder with tables, charts and JSON, for `view` and `report`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins
from msgspec.structs import replace

from ..core.document import to_json
from ..core.record import run_identity
from ..core.run_writer import RunWriter
from ..readers.corpus import split_tracker
from ..readers.raw_file import STDIN
from .frame import CommandRun
from .options import combine_options, force_option, option
from .printer import Output

study_options = combine_options(
    option("--out DIR study", "Save tables, charts and JSON to this folder, for `view` and `report`."),
    force_option,
)
_FILES = ("files", "file", "logs", "gold", "schema", "only", "goals", "patch", "accuracy", "sheets", "talk")
"""Parameters of commands that name files."""
_NAMES_OR_FILES = ("rules_name", "chosen", "rule_map", "value_map", "profile")
"""Parameters that name a file, which has a suffix, or a part of dialmeter, which has none."""
INPUTS = (*_FILES, *_NAMES_OR_FILES)


class Study(CommandRun):
    """The folder of a result. It is locked before the work begins, and written at the end.

    Args:
        options: the options of the command.
        out: the folder.

    Raises:
        DialmeterError: the folder is in use, or an input does not exist.
    """

    has_rows = False

    def __init__(self, options: dict[str, Any], out: str) -> None:
        super().__init__({**options, "out": out}, dict(_inputs(options)))
        command = " ".join(click.get_current_context().command_path.split()[1:])
        self.begin(lambda inputs: run_identity("study", inputs, command=command))

    def finish_with(self, output: Output) -> Output:
        """Finish the folder with the output of a command, and return the output for printing."""
        from ..views.pages.study import StudyContent, study_table

        output = replace(output, parts=list(output.parts))
        shown = [block.content for block in output.parts if "text" in block.styles]
        first: list[str] = []
        if (summary := output.summary) is not None:
            first = [summary.verdict, *(f"{label}: {text}" for label, text in summary.findings)]
        texts = [each for each in shown if isinstance(each, str)]
        lines = [self.without_folders(line) for each in (*first, *texts) for line in each.split("\n")]
        document = output.document() if output.document else None
        plain = to_builtins(document) if document else {}
        content = {
            "counts": {name: count for name, count in plain.get("counts", {}).items() if isinstance(count, int)},
            # The keys of groups that do not apply to a score are absent in runs, and null in some documents.
            "scores": [
                {name: value for name, value in score.items() if value is not None or name in ("value", "ci")}
                for score in plain.get("scores", [])
            ],
            "warnings": plain.get("warnings", []),
            "study": StudyContent(
                lines=list(dict.fromkeys(lines)),
                tables=[study_table(each) for each in shown if not isinstance(each, str)],
            ),
        }

        def write(writer: RunWriter, about: dict[str, Any]) -> None:
            writer.keep("document.json", to_json(document) + "\n" if document else "")
            writer.finish({**about, **content})

        self.finish(write)
        return output


def _inputs(options: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the parameters of a command that name files, and the files that it reads."""
    for role in INPUTS:
        given = options.get(role) or ()
        yield role, [each for each in (given if isinstance(given, tuple) else (str(given),)) if _is_read(each, role)]


def _is_read(given: str, role: str) -> bool:
    path = split_tracker(given)[0]
    return path == STDIN or (Path(path).exists() and (role in _FILES or Path(path).suffix != ""))
