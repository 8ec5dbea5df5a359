"""The same dialogues in every format that can hold them, written like published files: unsorted, with empty slots."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from dialmeter.model import Dialogue

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd
from .completions import (
    write_csv,
    write_fnctod,
    write_ic_dst,
    write_ldst,
    write_llm,
    write_mttod,
    write_parquet,
    write_pptod,
    write_rows,
    write_simpletod,
    write_slot_columns,
    write_t5_text,
    write_tool_calls,
    write_ubar,
)
from .corpora import (
    write_convlab3,
    write_dstc10,
    write_fga_text,
    write_multiwoz,
    write_mwzeval,
    write_native,
    write_native_apart,
    write_nested,
    write_sgd,
    write_som_dst,
    write_test_dials,
    write_trade,
    write_trade_with_domains,
    write_trippy,
)
from .written import Writer, Written


def packed(writer: Writer, suffix: str) -> Writer:
    """The same format with its main file compressed."""
    compress = {".gz": gzip.compress, ".zst": zstd.compress}[suffix]

    def write(folder: Path, dialogues: list[Dialogue]) -> Written:
        written = writer(folder, dialogues)
        path = written.path.with_name(written.path.name + suffix)
        path.write_bytes(compress(written.path.read_bytes()))
        return written._replace(path=path)

    return write


LAYOUTS: dict[str, Writer] = {
    "native": write_native,
    "native, apart": write_native_apart,
    "nested": write_nested,
    "fga-text": write_fga_text,
    "trade": write_trade,
    "trade with domains": write_trade_with_domains,
    "som-dst": write_som_dst,
    "llm": write_llm,
    "rows": write_rows,
    "rows in csv": write_csv,
    "rows of slots": write_slot_columns,
    "rows in parquet": write_parquet,
    "llm, tool calls": write_tool_calls,
    "ic-dst": write_ic_dst,
    "ldst": write_ldst,
    "simpletod": write_simpletod,
    "mttod": write_mttod,
    "pptod": write_pptod,
    "fnctod": write_fnctod,
    "ubar": write_ubar,
    "sgd": write_sgd,
    "mwzeval": write_mwzeval,
    "convlab3": write_convlab3,
    "multiwoz": write_multiwoz,
    "test_dials": write_test_dials,
    "native.gz": packed(write_native, ".gz"),
    "native.zst": packed(write_native, ".zst"),
    "nested.zst": packed(write_nested, ".zst"),
    "fga-text.gz": packed(write_fga_text, ".gz"),
    "convlab3.gz": packed(write_convlab3, ".gz"),
    "mwzeval.zst": packed(write_mwzeval, ".zst"),
}
OF_ONE_TURN: dict[str, Writer] = {
    "dstc10": write_dstc10,
    "dstc10.gz": packed(write_dstc10, ".gz"),
    "t5-text": write_t5_text,
    "t5-text.gz": packed(write_t5_text, ".gz"),
}
WITHOUT_DELETIONS: dict[str, Writer] = {"trippy": write_trippy, "trippy.gz": packed(write_trippy, ".gz")}

OF_TEXT = ("fga-text", "rows in csv", "rows of slots", "rows in parquet", "ldst")
"""Formats whose files are not JSON."""
OF_LINES = ("native", "llm", "t5-text", "rows")
"""JSON lines formats."""
