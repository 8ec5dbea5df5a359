"""Which files make a few-shot or zero-shot study, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DialmeterError, one_line
from ...model import Notice

EXPECTED = "ratio_0.05_seed_557_prediction.json or T5_result_zeroshot_hotel.json"

_EDGE, _END = r"(?:^|[_\-.])", r"(?=[_\-.]|$)"
_RATIO = re.compile(rf"{_EDGE}ratio[_\-=]?((?>\d+(?:\.\d+)?(?:e-?\d+)?)){_END}", re.IGNORECASE)
_SEED = re.compile(rf"{_EDGE}seed[_\-=]?(\d++){_END}", re.IGNORECASE)
_ZERO = re.compile(
    rf"{_EDGE}zero[_\-]?shot[_\-](?!(?:seed|ratio|results?|preds?|predictions?|outputs?){_END})([a-z]+){_END}",
    re.IGNORECASE,
)


class Entry(NamedTuple):
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
        """What the file is, in words."""
        parts = {"domain": self.domain, "ratio": None if self.ratio is None else f"{self.ratio:g}", "seed": self.seed}
        return ", ".join(f"{word} {one_line(value)}" for word, value in parts.items() if value is not None)


def from_name(path: str) -> Entry | None:
    """What a file's name says of it; None where it does not fit.

    Example:
        >>> from_name("ratio_0.05_seed_557_prediction.json")
        Entry(path='ratio_0.05_seed_557_prediction.json', ratio=0.05, seed='557', domain=None)
        >>> from_name("T5_result_zeroshot_attraction.json").domain, from_name("zero_shot_result.json")
        ('attraction', None)
    """
    name = Path(path).name
    ratio, seed, domain = _RATIO.search(name), _SEED.search(name), _ZERO.search(name)
    if not ratio and not domain:
        return None
    share = float(ratio[1]) if ratio else 0.0
    return Entry(path, share, seed[1] if seed else None, domain[1].lower() if domain else None)


def in_folder(folder: str, beside: Iterable[str] = ()) -> tuple[list[Entry], list[Notice]]:
    """The files of a folder whose names fit, sorted; the others are listed in a warning.

    Args:
        folder: where the prediction files lie.
        beside: files that may lie there too, such as gold.

    Raises:
        DialmeterError: no folder, or no file that fits.
    """
    found = {path: from_name(str(path)) for path in files_of(folder, beside)}
    entries = [entry for entry in found.values() if entry]
    if not entries:
        raise DialmeterError(f"{folder}: no file is named like {EXPECTED}; other names go into a --manifest")
    others = tuple(one_line(path.name) for path, entry in found.items() if entry is None)
    said = f"not named like {EXPECTED}, and left out: {len(others)} of {len(found)} files"
    return in_order(entries), [Notice("other-files", len(others), said, others)] if others else []


def files_of(folder: str, beside: Iterable[str]) -> list[Path]:
    """What lies in a folder, sorted, but for the files named in ``beside``."""
    root = Path(folder)
    if not root.is_dir():
        raise DialmeterError(f"{folder}: no such folder")
    known = {Path(path).resolve() for path in beside}
    try:
        return [path for path in sorted(root.iterdir()) if path.resolve() not in known]
    except OSError as error:
        raise DialmeterError(f"{folder}: cannot be read: {error.strerror or error}") from None


def in_order(entries: Sequence[Entry]) -> list[Entry]:
    """Sorted by what they are, so that nothing depends on the order of a folder or a manifest.

    Raises:
        DialmeterError: two files for the same ratio, seed and domain.
    """
    seen: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        other = seen.setdefault(entry[1:], entry)
        if other is not entry:
            raise DialmeterError(
                f"{other.name} and {entry.name} are both {entry.label or 'without ratio and domain'}; "
                "give each its own seed in a --manifest"
            )

    def key(entry: Entry) -> tuple[str, float, tuple[int, str]]:
        seed = entry.seed or ""
        return (
            entry.domain or "",
            -1.0 if entry.ratio is None else entry.ratio,
            (int(seed) if _plain(seed) else -1, seed),
        )

    return sorted(seen.values(), key=key)


def _plain(seed: str) -> bool:
    return seed.isascii() and seed.isdigit() and len(seed) < 20
