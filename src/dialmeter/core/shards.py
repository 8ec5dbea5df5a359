"""The task of scoring one shard of an input file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from ..readers.source import Span

if TYPE_CHECKING:
    from .run_writer import RowPart

Settings = TypeVar("Settings")


class ShardTask(Struct, Generic[Settings], frozen=True):
    """One shard to score; it can be sent between processes.

    Attributes:
        span: the lines to read.
        number: the index of the shard.
        settings: scoring settings, the same for all shards.
        parts: the folder for the rows of the run; None if no run is written.
    """

    span: Span
    number: int
    settings: Settings
    parts: str | None = None

    @contextmanager
    def open_rows(self) -> Iterator[RowPart | None]:
        """Open the file for the shard's rows. It is complete on disk after the block. Yield None if no run is written."""
        if self.parts is None:
            yield None
            return
        from .run_writer import row_part

        rows = row_part(self.parts, self.number)
        yield rows
        rows.flush()
        rows.close()
