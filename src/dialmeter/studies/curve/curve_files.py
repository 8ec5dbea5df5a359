"""Find the files of a few-shot or zero-shot study by their names, or by a manifest (CSV with column names, or JSON lines)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DialmeterError, InputError, one_line, placing, reading
from ...model import Notice
from ...readers.csv_files import read_csv
from ...readers.parts import as_mapping
from ...readers.source import Source
from ...readers.strict_json import parse_unique

_COLUMNS = ("file", "ratio", "seed", "domain")
EXPECTED = "ratio_0.05_seed_557_prediction.json or T5_result_zeroshot_hotel.json"

_EDGE, _END = r"(?:^|[_\-.])", r"(?=[_\-.]|$)"
_RATIO = re.compile(rf"{_EDGE}ratio[_\-=]?((?>\d+(?:\.\d+)?(?:e-?\d+)?)){_END}", re.IGNORECASE)
_SEED = re.compile(rf"{_EDGE}seed[_\-=]?(\d++){_END}", re.IGNORECASE)
_ZERO = re.compile(
    rf"{_EDGE}zero[_\-]?shot[_\-](?!(?:seed|ratio|results?|preds?|predictions?|outputs?){_END})([a-z]+){_END}",
    re.IGNORECASE,
)


class CurveFile(NamedTuple):
    """One prediction file with the share of training data, the seed and the domain of its model."""

    path: str
    ratio: float | None
    seed: str | None = None
    domain: str | None = None

    @property
    def name(self) -> str:
        """Name of the file without its folder."""
        return Path(self.path).name

    @property
    def label(self) -> str:
        """Domain, ratio and seed, in words."""
        parts = {"domain": self.domain, "ratio": None if self.ratio is None else f"{self.ratio:g}", "seed": self.seed}
        return ", ".join(f"{word} {one_line(value)}" for word, value in parts.items() if value is not None)


def from_name(path: str) -> CurveFile | None:
    """Parse ratio, seed and domain from the name of a file. Return None if the name does not match.

    Example:
        >>> from_name("ratio_0.05_seed_557_prediction.json")
        CurveFile(path='ratio_0.05_seed_557_prediction.json', ratio=0.05, seed='557', domain=None)
        >>> from_name("T5_result_zeroshot_attraction.json").domain, from_name("zero_shot_result.json")
        ('attraction', None)
    """
    name = Path(path).name
    ratio, seed, domain = _RATIO.search(name), _SEED.search(name), _ZERO.search(name)
    if not ratio and not domain:
        return None
    share = float(ratio[1]) if ratio else 0.0
    return CurveFile(path, share, seed[1] if seed else None, domain[1].lower() if domain else None)


def in_folder(folder: str, beside: Iterable[str] = ()) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files of a folder whose names match, sorted, and a warning that lists the others.

    Args:
        folder: the folder with the prediction files.
        beside: other files that may be in the folder, such as gold.

    Raises:
        DialmeterError: the folder does not exist, or no name matches.
    """
    parsed = {path: from_name(str(path)) for path in files_of(folder, beside)}
    entries = [entry for entry in parsed.values() if entry]
    if not entries:
        raise DialmeterError(f"{folder}: no file is named like {EXPECTED}; use a --manifest for other names")
    others = tuple(one_line(path.name) for path, entry in parsed.items() if entry is None)
    message = f"{len(others)} of {len(parsed)} files were skipped because they are not named like {EXPECTED}"
    return sort_entries(entries), [Notice("other-files", len(others), message, others)] if others else []


def files_of(folder: str, beside: Iterable[str]) -> list[Path]:
    """Return the files of a folder, sorted, without those in ``beside``."""
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    excluded = {Path(path).resolve() for path in beside}
    with reading(folder):
        return [path for path in sorted(root.iterdir()) if path.resolve() not in excluded]


def sort_entries(entries: Sequence[CurveFile]) -> list[CurveFile]:
    """Sort files by domain, ratio and seed, so that nothing depends on the order of a folder or a manifest.

    Raises:
        DialmeterError: two files have the same ratio, seed and domain.
    """
    seen: dict[tuple[object, ...], CurveFile] = {}
    for entry in entries:
        other = seen.setdefault(entry[1:], entry)
        if other is not entry:
            raise DialmeterError(
                f"{other.name} and {entry.name} are both {entry.label or 'without ratio and domain'}; "
                "give each its own seed in a --manifest"
            )

    def sort_key(entry: CurveFile) -> tuple[str, float, tuple[int, str]]:
        seed = entry.seed or ""
        is_number = seed.isascii() and seed.isdigit() and len(seed) < 20
        share = -1.0 if entry.ratio is None else entry.ratio
        return entry.domain or "", share, (int(seed) if is_number else -1, seed)

    return sorted(seen.values(), key=sort_key)


def in_manifest(manifest: str, folder: str, beside: Iterable[str] = ()) -> tuple[list[CurveFile], list[Notice]]:
    """Return the files in a manifest: CSV with column names, or JSON lines, with file, ratio, seed and domain.

    Args:
        manifest: the file; paths in it are relative to ``folder``.
        folder: the folder with the prediction files.
        beside: other files that may be in the folder.

    Raises:
        InputError: an invalid row; the error has its line.
    """
    entries: list[CurveFile] = []
    unknown: set[str] = set()
    for line, row in _rows(manifest):
        try:
            unknown |= {name for name in row if name not in _COLUMNS}
            entries.append(_entry({name: _cell(name, row.get(name)) for name in _COLUMNS}, folder))
        except InputError as error:
            raise error.at(file=manifest, line=line) from None
    if not entries:
        raise InputError("the manifest has no files", file=manifest)
    notices = []
    if unknown:
        names = tuple(sorted(one_line(str(name)) for name in unknown))
        message = f"{manifest}: columns other than {', '.join(_COLUMNS)} are ignored"
        notices.append(Notice("other-columns", len(names), message, names))
    others = tuple(
        one_line(path.name) for path in files_of(folder, [manifest, *beside, *(each.path for each in entries)])
    )
    if others:
        message = f"{len(others)} files were skipped because they are not in the manifest"
        notices.append(Notice("other-files", len(others), message, others))
    return sort_entries(entries), notices


def _rows(manifest: str) -> Iterator[tuple[int, dict[str, object]]]:
    source = Source(manifest)
    text = source.text
    if text.lstrip()[:1] == "{":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                with placing(file=manifest, line=number):
                    yield number, dict(as_mapping(parse_unique(line.encode(), manifest, number), "a line"))
        return
    names, rows = read_csv(source, lower=True)
    if "file" not in names or not {"ratio", "domain"} & set(names):
        raise InputError("expected the columns file and ratio or domain, and seed", file=manifest, line=1)
    for number, row in rows:
        yield number, dict(row)


def _cell(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise InputError(f"{name} must be text or a number, not {one_line(repr(value))}")


def _entry(row: dict[str, str | None], folder: str) -> CurveFile:
    if not row["file"]:
        raise InputError("a row has no file")
    path = Path(folder, row["file"])
    if not path.exists():
        raise InputError(f"no such file: {one_line(str(path), 200)}")
    if row["ratio"] is None and row["domain"] is None:
        raise InputError(f"{one_line(row['file'])} has neither ratio nor domain")
    return CurveFile(str(path), _parse_ratio(row["ratio"]), row["seed"], row["domain"])


def _parse_ratio(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        ratio = float(text)
    except ValueError:
        ratio = math.nan
    if not 0 <= ratio < math.inf:
        raise InputError(f"ratio must be a share of the training data such as 0.05, not {one_line(text)!r}")
    return ratio
