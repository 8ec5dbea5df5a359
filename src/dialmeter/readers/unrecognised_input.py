"""Error messages for input of no known format: what the input is instead, or which format is closest to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import one_line
from .records.names import points

if TYPE_CHECKING:
    from .source import Sample

_ADDRESS = re.compile(r"(?:https?|ftp|s3|gs|hf)://", re.IGNORECASE)
_HTML = re.compile(r"\s*+<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_EXCEL_HINT = re.compile(r"sep=.\s*$", re.IGNORECASE)
_GIT_LFS = "version https://git-lfs.github.com/spec/"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_KEYS_SHOWN = 12
_LEVELS = 3
_SURE_NAME = 10
_FEWEST_COLUMNS = 3


class _Need(NamedTuple):
    """The keys of a row, dialogue or turn that identify a format. Of each group, one key is enough.

    A key that ends with ``*`` is a prefix.
    """

    format: str
    groups: tuple[tuple[str, ...], ...]
    inside: bool = False
    """True if these are keys of a dialogue or turn inside an object of dialogues."""


_DIALOGUE = ("dialogue_id", "dial_id", "id")
_TURN = ("turn", "turn_id")
# Of two formats that are equally close, the message names the first.
_NEEDS = (
    _Need("native", (("dialogue_id",), ("turns",))),
    _Need("ic-dst", (("ID",), ("turn_id",), ("slot_values",))),
    _Need("rows", (_DIALOGUE, _TURN, ("gold", "pred", "state", "prediction"))),
    _Need("llm", (_DIALOGUE, _TURN, ("completion", "response", "output"))),
    _Need("nested", (("gt", "pr"),), inside=True),
    _Need("trade", (("turn_belief", "pred_bs_ptr"),), inside=True),
    _Need("trippy", (("guid",), ("slot_groundtruth_*", "slot_prediction_*"))),
    _Need("sgd", (("dialogue_id",), ("turns",), ("services",))),
    _Need("mwzeval", (("state", "response"),), inside=True),
    _Need("ldst", (("instruction",), ("input",), ("output",))),
    _Need("simpletod", (("target_turn_belief", "generated_turn_belief"),), inside=True),
    _Need("bspn", (("bspn", "bspn_gen"),), inside=True),
    _Need("convlab3", (("dialogue_id",), ("utt_idx",), ("state", "predictions"))),
    _Need("t5-text", (("state_seq",), ("predictions",))),
    _Need("multiwoz", (("dialogue_idx",), ("dialogue",))),
    _Need("multiwoz", (("goal",), ("log",)), inside=True),
)


def no_such_file(path: str) -> str:
    """Return the message for a path that does not exist.

    Example:
        >>> no_such_file("p.json")
        'no such file'
        >>> no_such_file("https://example.org/p.json")
        'a URL, not a file; download it first and give the path of the file'
    """
    if _ADDRESS.match(path):
        return "a URL, not a file; download it first and give the path of the file"
    if any(sign in path for sign in "*?["):
        return "no such file; it looks like a pattern that matches no file, or that is quoted"
    return "no such file"


PICKLES = tuple(bytes([0x80, version]) for version in range(2, 6))
"""The first bytes of pickles."""


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return the message for text in another encoding."""
    return f"not UTF-8 text (byte {error.start}); save it as UTF-8, such as with iconv -f LATIN1 -t UTF-8"


_ACCENTED = re.compile(rb"[\x80-\xff]+")


def is_windows_1252(data: bytes) -> bool:
    """True for a text of Windows-1252 that is no UTF-8: its letters with accents stand mostly alone.

    Example:
        >>> is_windows_1252("Où êtes-vous ?".encode("cp1252")), is_windows_1252("你好吗".encode("gbk"))
        (True, False)
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        runs = _ACCENTED.findall(data)
        is_known = b"\x00" not in data and not {*b"".join(runs)} & {0x81, 0x8D, 0x8F, 0x90, 0x9D}
        return is_known and 2 * sum(len(run) == 1 for run in runs) > len(runs)
    return False


def binary_file(head: bytes) -> str:
    """Return the message for a file that contains zero bytes, by its first bytes.

    Example:
        >>> binary_file("{}".encode("utf-16"))
        'UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)'
    """
    if head.startswith(PICKLES):
        return "a pickle, which dialmeter never opens, because it can run code; save the data as JSON lines"
    pairs = (head[0:8:2], head[1:8:2])
    if head.startswith(_UTF_16) or (len(head) >= 8 and any(not any(each) for each in pairs)):
        return "UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
    return "a binary file; expected JSON, JSON lines or text"


def no_data(sample: Sample) -> str:
    """Return the message for an input that holds no data at all; an empty string for all other inputs."""
    if sample.kind == "text" and _HTML.match(sample.value):
        return "an HTML page, not data; download the file itself (on GitHub: Raw)"
    if sample.kind == "text" and sample.value.startswith(_GIT_LFS):
        return "a Git LFS pointer, not the file itself; get the file with `git lfs pull`"
    if sample.kind == "text" and _EXCEL_HINT.match(sample.value):
        return "the first line is a hint for Excel (sep=), not the column names; remove it"
    if sample.kind == "tables" and not sample.value:
        return "a workbook or a database without tables"
    if sample.kind in ("document", "lines", "lists") and not sample.value:
        return f"an empty {'object' if isinstance(sample.value, dict) else 'list'} without dialogues"
    return ""


_LISTED = 6
"""Maximum number of files of a folder in a message."""


def unknown_format(sample: Sample, message: str, *, with_closest: bool) -> str:
    """Return the message for an input of no known format, with the keys or columns of the input.

    Args:
        sample: the sample of the file.
        message: the basic message: the error, ``"; "`` and advice.
        with_closest: True to add the closest state format and the keys that it needs.
    """
    if sample.kind == "folder":
        lines = sorted(each.name for each in sample.value.iterdir() if each.name.endswith((".jsonl", ".jsonl.gz")))
        if lines:
            more = f", … ({len(lines)} files)" if len(lines) > _LISTED else ""
            return f"a folder; give one of its files: {', '.join(map(one_line, lines[:_LISTED]))}{more}"
    if _is_by_columns(sample):
        return 'a table stored by columns; save it by rows (pandas: to_json(FILE, orient="records", lines=True))'
    error, _, advice = message.partition("; ")
    levels = _sample_keys(sample)
    if not levels:
        return message
    seen = (
        f"{'its columns are' if sample.kind == 'text' else 'its keys are'} {', inside: '.join(map(_list_keys, levels))}"
    )
    advised = _ratings_advice(levels[0])
    closest = [advised or _describe_closest(levels) or _table_advice(sample, levels[0])] if with_closest else []
    return "; ".join(part for part in (error, seen, *closest, advice) if part)


def _is_by_columns(sample: Sample) -> bool:
    """True if each key holds all values of a column, or if pandas wrote the table with ``orient="split"``."""
    table = sample.value if sample.kind in ("document", "lines") and isinstance(sample.value, dict) else {}
    if {"columns", "data"} <= table.keys() and isinstance(table["data"], list):
        return True
    return any(key in table for key in _DIALOGUE) and all(isinstance(each, list | dict) for each in table.values())


def _ratings_advice(keys: list[str]) -> str:
    """Return the advice for a table with a column of people and one of a judge; an empty string for other tables."""
    people, judges = ([key for key in keys if points(role, key) >= _SURE_NAME] for role in ("person", "machine"))
    if not people or not judges:
        return ""
    return f"if these are ratings, name them: --columns rating={people[0]} --columns score={judges[0]}"


def _table_advice(sample: Sample, keys: list[str]) -> str:
    """Return the advice for a table with other column names; an empty string if the input is not a table."""
    if len(keys) < _FEWEST_COLUMNS:
        return ""
    if sample.kind in ("text", "lines") or (sample.kind == "document" and isinstance(sample.value, list)):
        return (
            "to read it as a table, name its columns (--columns dialogue=NAME --columns turn=NAME --columns pred=NAME)"
        )
    return ""


def _sample_keys(sample: Sample) -> list[list[str]]:
    """Return the keys of the first row. For an object, also return those of its first dialogue and first turn."""
    from .csv_files import first_row

    row: Any = first_row(sample)
    if sample.kind == "text" and len(row) < 2:
        return []
    levels: list[list[str]] = []
    while isinstance(row, dict) and row and len(levels) < _LEVELS:
        levels.append(list(row))
        if sample.kind != "document" or isinstance(sample.value, list):
            break
        row = next(iter(row.values()))
        row = row[0] if isinstance(row, list) and row else row
    return levels


def _list_keys(keys: list[str]) -> str:
    return ", ".join(one_line(key, 30) for key in keys[:_KEYS_SHOWN]) + (", …" if len(keys) > _KEYS_SHOWN else "")


def _describe_closest(levels: list[list[str]]) -> str:
    """Describe the closest format and its missing keys; an empty string if the input has no known key."""
    best, message = 0.0, ""
    for need in _NEEDS:
        for keys in levels[1:] if need.inside else levels[:1]:
            missing = [group for group in need.groups if not any(_has_key(keys, key) for key in group)]
            share = 1 - len(missing) / len(need.groups)
            if share > best:
                best, message = share, f"the closest format is {need.format}, {_describe_missing(need.format, missing)}"
    for keys in levels[1:] if not message else ():
        if {"gold", "pred"} & {*keys}:
            if any(key in keys for key in _DIALOGUE):
                return "the closest format is rows, which is a list, not a list inside an object"
            return "the closest format is nested, which names gold gt and the prediction pr"
    return message


def _describe_missing(format: str, missing: list[tuple[str, ...]]) -> str:
    if not missing:
        return "which has the same keys but other types of values"
    names = " and ".join(group[0] if len(group) == 1 else f"one of {', '.join(group)}" for group in missing)
    by_order = ", or --from rows numbers turns in file order" if format == "rows" and missing == [_TURN] else ""
    return f"which also needs {names}" + (
        f" (--columns names other columns{by_order})" if format in ("rows", "llm") else ""
    )


def _has_key(keys: list[str], wanted: str) -> bool:
    return any(key.startswith(wanted[:-1]) for key in keys) if wanted.endswith("*") else wanted in keys
