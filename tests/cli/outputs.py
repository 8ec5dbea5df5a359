"""The outputs of commands on published files and on the demo data, whole: kept in ``outputs/``, and made anew by ``tests.golden.update``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dialmeter.cli.demo import write_sample

from ..golden.shared_cases import data_folder

KEPT = Path(__file__).parent / "outputs"
_RETAIL = "trajectories/retail_tool-calling"
FILES = {
    **{f"{name}.json.gz": f"compat/mwzeval/{name}.pred.json.gz" for name in ("labes", "uniconv", "damd")},
    "mw21.json.gz": "compat/mwzeval/mw21.gold.json.gz",
    "fixture48.json.gz": "users/fixture48_dialogues.json.gz",
    "airline.json.gz": "trajectories/gpt-4o-airline.json.gz",
    "gpt-4o-airline.json.gz": "trajectories/gpt-4o-airline.json.gz",
    "gpt-4.1-mini.json.gz": f"{_RETAIL}-gpt-4.1-mini_0610135038.json.gz",
    "gemini-2.0-flash.json.gz": f"{_RETAIL}-gemini-2.0-flash_0605191952.json.gz",
}
"""Short name of a published file → its path."""


class KeptOutput(NamedTuple):
    """A command with its exit code and its output."""

    command: str
    code: int
    text: str


def link_files(folder: Path) -> None:
    """Make a folder with the demo data and the published files under short names."""
    write_sample(folder, force=True)
    for name, path in FILES.items():
        (folder / name).symlink_to(data_folder() / path)


def kept_outputs(subject: str) -> Iterator[KeptOutput]:
    """Yield the outputs of a subject."""
    for part in (KEPT / f"{subject}.txt").read_text("utf-8").removeprefix("$ ").split("\n$ "):
        command, _, text = part.partition("\n")
        code = 0
        if text.startswith("exit code "):
            line, _, text = text.partition("\n")
            code = int(line.rpartition(" ")[2])
        yield KeptOutput(command, code, text.removesuffix("\n"))


def write_outputs(subject: str, outputs: Iterable[KeptOutput]) -> None:
    """Write the outputs of a subject."""
    parts = []
    for command, code, text in outputs:
        parts.append("\n".join([f"$ {command}", *([f"exit code {code}"] if code else []), text, ""]))
    (KEPT / f"{subject}.txt").write_text("\n".join(parts), "utf-8")
