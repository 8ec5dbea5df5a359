"""What a run says of the files that it was made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import InputError

_CHUNK = 1 << 20


def input_of(role: str, path: str) -> dict[str, str | None]:
    """An input's name without its folder, and its SHA-256; standard input cannot be read twice and has none."""
    if path == "-":
        return {"role": role, "name": "standard input", "sha256": None}
    root = Path(path)
    if not root.exists():
        raise InputError("no such file", file=path)
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.json*")) if root.is_dir() else [root]:
        if root.is_dir():
            digest.update(file.relative_to(root).as_posix().encode() + b"\0")
        with open(file, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    return {"role": role, "name": root.name, "sha256": digest.hexdigest()}
