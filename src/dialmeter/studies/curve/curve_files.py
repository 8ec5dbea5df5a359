"""The files of a few-shot or zero-shot study: by their names, or by a manifest (CSV with a heading, or JSON lines)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DialmeterError, InputError, one_line, placing
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
    """One prediction file and what it was trained on."""

    path: str
    ratio: float | None
    seed: str | None = None
    domain: str | None = None

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return Path(self.path).name

    @property
    def label(self) -> str:
        """Domain, ratio and seed, in words."""
        parts = {"domain": self.domain, "ratio": None if self.ratio is None else f"{self.ratio:g}", "seed": self.seed}
        return ", ".join(f"{word} {one_line(value)}" for word, value in parts.items() if value is not None)


def from_name(path: str) -> CurveFile | None:
    """A file as its name describes it; None if the name does not fit.

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
    """The files of a folder whose names fit, sorted; the others are listed in a warning.

    Args:
        folder: the folder with the prediction files.
        beside: other files that may be there, such as gold.

    Raises:
        DialmeterError: no folder, or no file that fits.
    """
    found = {path: from_name(str(path)) for path in files_of(folder, beside)}
    entries = [entry for entry in found.values() if entry]
    if not entries:
        raise DialmeterError(f"{folder}: no file is named like {EXPECTED}; other names go into a --manifest")
    others = tuple(one_line(path.name) for path, entry in found.items() if entry is None)
    said = f"not named like {EXPECTED}, and skipped: {len(others)} of {len(found)} files"
    return in_order(entries), [Notice("other-files", len(others), said, others)] if others else []


def files_of(folder: str, beside: Iterable[str]) -> list[Path]:
    """The files of a folder, sorted, without those in ``beside``."""
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    known = {Path(path).resolve() for path in beside}
    try:
        return [path for path in sorted(root.iterdir()) if path.resolve() not in known]
    except OSError as error:
        raise DialmeterError(f"{folder}: cannot be read: {error.strerror or error}") from None


def in_order(entries: Sequence[CurveFile]) -> list[CurveFile]:
    """Sorted by domain, ratio and seed, so that nothing depends on the order of a folder or a manifest.

    Raises:
        DialmeterError: two files for the same ratio, seed and domain.
    """
    seen: dict[tuple[object, ...], CurveFile] = {}
    for entry in entries:
        other = seen.setdefault(entry[1:], entry)
        if other is not entry:
            raise DialmeterError(
                f"{other.name} and {entry.name} are both {entry.label or 'without ratio and domain'}; "
                "give each its own seed in a --manifest"
            )

    def key(entry: CurveFile) -> tuple[str, float, tuple[int, str]]:
        seed = entry.seed or ""
        is_number = seed.isascii() and seed.isdigit() and len(seed) < 20
        share = -1.0 if entry.ratio is None else entry.ratio
        return entry.domain or "", share, (int(seed) if is_number else -1, seed)

    return sorted(seen.values(), key=key)


def in_manifest(manifest: str, folder: str, beside: Iterable[str] = ()) -> tuple[list[CurveFile], list[Notice]]:
    """The files that a manifest names: CSV with a heading, or JSON lines; file, ratio, seed, domain.

    Args:
        manifest: the file; paths in it are relative to ``folder``.
        folder: the folder with the prediction files.
        beside: other files that may be there.

    Raises:
        InputError: an invalid row, with its line.
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
        notices.append(Notice("other-files", len(others), f"not in the manifest, and skipped: {len(others)}", others))
    return in_order(entries), notices


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
    for place, row in rows:
        yield place, dict(row)


def _cell(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return (value or "").strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise InputError(f"{name} is a text or a number, not {one_line(repr(value))}")


def _entry(row: dict[str, str | None], folder: str) -> CurveFile:
    if not row["file"]:
        raise InputError("a row without file")
    path = Path(folder, row["file"])
    if not path.exists():
        raise InputError(f"no such file: {one_line(str(path), 200)}")
    if row["ratio"] is None and row["domain"] is None:
        raise InputError(f"{one_line(row['file'])} has neither ratio nor domain")
    return CurveFile(str(path), _ratio(row["ratio"]), row["seed"], row["domain"])


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
