"""What ``run.json`` may hold: the fields that are read later, with their types. Every field may be missing."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from ..errors import InputError
from ..readers.strict_json import parse_unique

SCHEMA = 1


class _Input(Struct):
    role: str = ""
    name: str = ""
    sha256: str | None = None
    tracker: str = ""


class _Named(Struct):
    name: str = ""


class _Score(Struct):
    measure: str
    value: float | None = None
    ci: tuple[float, float] | None = None
    n: int | None = None
    unscored: int | None = None
    signature: str = ""
    judge: str = ""
    attack: str = ""
    corpus: str = ""
    facet: str = ""
    expected: str = ""
    domain: str = ""


class _Warning(Struct):
    code: str = ""
    count: int = 0
    message: str = ""
    where: list[str] = []


class _Finding(Struct):
    kind: str = ""
    message: str = ""
    turns: int = 0
    slots: list[str] = []
    points: float | None = None


class _Average(Struct):
    judge: str
    corpus: str = ""
    facet: str = ""
    value: float | None = None


class _Judge(Struct):
    name: str
    identity: str = ""
    higher_is_better: bool = True
    facets: list[str] | None = None
    trivial: bool = False


class _Intervals(Struct):
    confidence: float = 0.0
    resamples: int = 0
    seed: int = 0


class _Manifest(Struct):
    kind: str = ""
    scores: list[_Score] = []
    dialmeter: str = ""
    inputs: list[_Input] = []
    rules: dict[str, Any] | None = None
    profile: _Named | None = None
    measures: list[str] = []
    judges: list[_Judge] = []
    averages: list[_Average] = []
    comparisons: list[dict[str, Any]] = []
    threshold: str = ""
    verdict: str = ""
    confidence: float | None = None
    seed: int | None = None
    intervals: _Intervals | None = None
    signature: str | None = None
    account: dict[str, Any] | None = None
    counts: dict[str, int] = {}
    warnings: list[_Warning] = []
    diagnosis: list[_Finding] = []
    mistakes: list[dict[str, Any]] = []
    events: dict[str, Any] | list[Any] = {}
    refused: list[str] = []
    verdicts: dict[str, Any] | None = None
    blame: bool = False
    from_text: bool = False
    map: str | None = None


def parse_manifest(data: bytes, name: str) -> dict[str, Any]:
    """The content of a ``run.json`` whose fields have the types that they should have.

    Args:
        data: the file.
        name: of the file, for messages.

    Raises:
        InputError: not JSON, of another version, or a field of another type.

    Example:
        >>> parse_manifest(b'{"schema": 1, "kind": "tracker", "scores": 3}', "run.json")
        Traceback (most recent call last):
        dialmeter.errors.InputError: run.json: damaged: Expected array, got int - at $.scores
    """
    try:
        found = parse_unique(data, None)
        if not isinstance(found, dict):
            raise InputError("an object is expected")
        if found.get("schema") != SCHEMA or isinstance(found["schema"], bool):
            raise InputError(f"schema {found.get('schema')!r} is not {SCHEMA}, the one this version reads", file=name)
        msgspec.convert(found, _Manifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=name) from None
    except InputError as error:
        raise error if error.file else InputError(f"damaged: {error.message}", file=name) from None
    return found
