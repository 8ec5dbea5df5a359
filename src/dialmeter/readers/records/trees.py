"""A whole input as one tree of objects and lists, whatever holds it: JSON, lines, a table, a workbook, or a folder of these."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..csv_files import first_row, rows_of
from ..source import Sample, Source
from ..strict_json import parse_unique
from .folders import data_files, files_of_one_split


def tree_of(source: Source, broken: list[InputError] | None = None) -> Any:
    """Return an input as parsed JSON. The rows of a table are objects, and a workbook is an object of lists of rows.

    Args:
        source: the input. The records of a folder have the name of their file as ``@file``.
        broken: gets the errors of lines that are not valid; without it, the first is raised.
    """
    kind = source.sample.kind
    if kind == "document":
        return source.document
    if kind == "tables":
        return tree_of_sample(source.sample)
    if kind == "folder":
        return [
            record for name, file in files_of_one_split(Path(source.path)).items() for record in _records(name, file)
        ]
    if kind not in ("lines", "lists"):
        return [dict(row) for _, row in rows_of(source)]
    lines = []
    for number, line in source.lines():
        try:
            lines.append(parse_unique(line, source.name, number))
        except InputError as error:
            if broken is None:
                raise
            broken.append(error)
    return lines


def tree_of_sample(sample: Sample) -> Any:
    """Return the first items of an input as a tree; None for a text, an archive, and a folder without data."""
    if sample.kind in ("document", "parquet", "tables"):
        return sample.value
    if sample.kind in ("lines", "lists"):
        return [sample.value, *(each for each in sample.more if isinstance(each, dict))]
    if sample.kind == "folder" and (files := data_files(sample.value)):
        with closing(Source(next(iter(files.values())))) as first:
            if first.sample.kind == "text":
                return [dict(first_row(first.sample))]
            tree = tree_of_sample(first.sample)
            return [tree] if isinstance(tree, dict) else tree
    return None


def _records(name: str, file: str) -> list[dict[str, Any]]:
    source = Source(file)
    with source.reading():
        tree = tree_of(source)
    records = tree if isinstance(tree, list) else [tree]
    return [{"@file": name, **record} for record in records if isinstance(record, dict)]
