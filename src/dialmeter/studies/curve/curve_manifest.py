"""Which files make a few-shot or zero-shot study, by a list: CSV with a heading, or JSON lines."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import InputError, one_line, placing
from ...model import Notice
from ...readers.parts import as_mapping
from ...readers.source import Source
from ...readers.strict_json import parse_unique
from .curve_files import Entry, files_of, in_order

_COLUMNS = ("file", "ratio", "seed", "domain")


def in_manifest(manifest: str, folder: str, beside: Iterable[str] = ()) -> tuple[list[Entry], list[Notice]]:
    """The files that a manifest names: CSV with a heading, or JSON lines; file, ratio, seed, domain.

    Args:
        manifest: the file; paths in it are relative to ``folder``.
        folder: where the prediction files lie.
        beside: files that may lie there too.

    Raises:
        InputError: a row that is not as it should be, with its line.
    """
    entries: list[Entry] = []
    unknown: set[str] = set()
    for line, row in _rows(manifest):
        try:
            unknown |= {name for name in row if name not in _COLUMNS}
            entries.append(_entry({name: _cell(name, row.get(name)) for name in _COLUMNS}, folder))
        except InputError as error:
            raise error.at(file=manifest, line=line) from None
    if not entries:
        raise InputError("names no file", file=manifest)
    notices = []
    if unknown:
        names = tuple(sorted(one_line(str(name)) for name in unknown))
        said = f"{manifest}: columns other than {', '.join(_COLUMNS)} are not read"
        notices.append(Notice("other-columns", len(names), said, names))
    others = tuple(
        one_line(path.name) for path in files_of(folder, [manifest, *beside, *(each.path for each in entries)])
    )
    if others:
        notices.append(Notice("other-files", len(others), f"not in the manifest, and left out: {len(others)}", others))
    return in_order(entries), notices


def _rows(manifest: str) -> Iterator[tuple[int, dict[str, object]]]:
    text = Source(manifest).text
    if text.lstrip()[:1] == "{":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                with placing(file=manifest, line=number):
                    yield number, dict(as_mapping(parse_unique(line.encode(), manifest, number), "a line"))
        return
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="(without a heading)")
    try:
        headings = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        if "file" not in headings or not {"ratio", "domain"} & set(headings):
            raise InputError("expected the columns file and ratio or domain, and seed", file=manifest, line=1)
        reader.fieldnames = headings
        for row in reader:
            yield reader.line_num, dict(row)
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", file=manifest, line=reader.line_num) from None


def _cell(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise InputError(f"{name} is a text or a number, not {one_line(repr(value))}")


def _entry(row: dict[str, str | None], folder: str) -> Entry:
    if not row["file"]:
        raise InputError("a row without file")
    path = Path(folder, row["file"])
    if not path.exists():
        raise InputError(f"no such file: {one_line(str(path), 200)}")
    if row["ratio"] is None and row["domain"] is None:
        raise InputError(f"{one_line(row['file'])} has neither ratio nor domain")
    return Entry(str(path), _ratio(row["ratio"]), row["seed"], row["domain"])


def _ratio(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        ratio = float(text)
    except ValueError:
        ratio = math.nan
    if not 0 <= ratio < math.inf:
        raise InputError(f"ratio is a share of the training data such as 0.05, not {one_line(text)!r}")
    return ratio
