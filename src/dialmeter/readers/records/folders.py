"""The files with data in a folder, and the split of a corpus that a file belongs to."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from ...errors import InputError
from .names import parts_of, side_of

_DATA = frozenset((".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".db", ".sqlite"))
_COMPRESSED = (".gz", ".zst")
_ABOUT = frozenset(("dataset_info", "dataset_infos", "dataset_dict", "state", "config"))
"""Files about the data, which libraries write beside them."""
_SPLITS = {
    word: split
    for split, words in (("train", "train training"), ("dev", "dev val valid validation"), ("test", "test testset"))
    for word in words.split()
}


_SURE_SIDE = 6
"""A word with so many points says gold or prediction."""


def data_files(folder: Path) -> dict[str, str]:
    """Return the paths of the files with data in a folder and in its folders.

    Their names are without the ending. Files of the same name have the name of their folder.
    """
    found: list[tuple[str, str, str, str]] = []
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        plain = path.with_suffix("") if path.suffix in _COMPRESSED else path
        if path.is_file() and plain.suffix in _DATA and plain.stem not in _ABOUT:
            inner = path.relative_to(folder)
            found.append((plain.stem, str(inner.parent), str(inner), str(path)))
    kinds = zip(*found, strict=True)
    names = next((each for each in kinds if len({*each}) == len(each)), ())
    return dict(zip(names, (each[-1] for each in found), strict=True))


def files_by_side(files: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the paths of gold and of predictions by the rest of their names; empty if they are not one pair for each rest.

    Example:
        >>> files_by_side({"a_gold": "1", "a_pred": "2", "gold_b": "3", "pred_b": "4"})
        {'#gold': {'a': '1', 'b': '3'}, '#pred': {'a': '2', 'b': '4'}}
        >>> files_by_side({"a_gold": "1", "a_pred": "2", "c": "3"})
        {}
    """
    sides: dict[str, dict[str, str]] = {"#gold": {}, "#pred": {}}
    for name, path in files.items():
        words = re.split(r"[_.-]", name)
        told = [word for word in words if abs(side_of(word)) >= _SURE_SIDE]
        if len(told) == 1:
            rest = "_".join(word for word in words if word != told[0])
            sides["#gold" if side_of(told[0]) > 0 else "#pred"][rest] = path
    golds, preds = sides.values()
    return sides if golds.keys() == preds.keys() and 2 < 2 * len(golds) == len(files) else {}


def split_of(file: str, folder: str) -> str:
    """Return the split that a file belongs to, by its path in a folder; an empty text if it says none.

    Example:
        >>> split_of("run/validation/part.json", "run"), split_of("run/mwoz_test.json", "run"), split_of("test/a.json", "test")
        ('dev', 'test', '')
    """
    words = parts_of(str(Path(file).relative_to(folder).with_suffix("")))
    return next((_SPLITS[word] for word in words if word in _SPLITS), "")


def files_of_one_split(folder: Path) -> dict[str, str]:
    """Return the files with data in a folder, by their names without the ending.

    Raises:
        InputError: they are several splits of a corpus.
    """
    files = data_files(folder)
    splits = {split: file for file in files.values() if (split := split_of(file, str(folder)))}
    if len(splits) > 1:
        commands = " or ".join(f"dialmeter score {shlex.quote(file)}" for file in splits.values())
        raise InputError(f"a folder with the splits {' and '.join(sorted(splits))}; give one of them: {commands}")
    return files
