"""The record of a run: what identifies it, and ``run.json`` with the scores. Subjects add what only they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import to_builtins

from ..model import Notice
from .account import Account
from .comparison import Resampling
from .run_writer import RunWriter


class RecordedResult(Protocol):
    """What a result must have so that a run can be closed with it."""

    @property
    def account(self) -> Account: ...

    @property
    def counts(self) -> Mapping[str, int]: ...

    @property
    def notices(self) -> Sequence[Notice]: ...

    def to_dicts(self) -> list[dict[str, Any]]: ...


def run_identity(kind: str, inputs: Sequence[Mapping[str, str | None]], **settings: Any) -> dict[str, Any]:
    """What makes a run this run: an unfinished run is continued only if all of this is the same.

    Args:
        kind: the subject.
        inputs: name and SHA-256 of each file.
        settings: all that decides the scores, such as rules and measures.

    Example:
        >>> run_identity("tracker", [{"role": "predictions", "name": "a.json", "sha256": None}], measures=["JGA"])["kind"]
        'tracker'
    """
    return {"kind": kind, "inputs": [dict(each) for each in inputs], **to_builtins(settings)}


def resampled(resampling: Resampling | None) -> dict[str, Any]:
    """The fields of a record that say how intervals were made."""
    return {"seed": resampling.seed if resampling else None, "intervals": to_builtins(resampling)}


def finish_run(
    writer: RunWriter,
    identity: Mapping[str, Any],
    result: RecordedResult,
    *,
    signature: str,
    columns: Mapping[str, Sequence[float | None]],
    report: str,
    accounts: Mapping[str, Any] | None = None,
    findings: Mapping[str, Any] | None = None,
    **details: Any,
) -> None:
    """Writes ``run.json`` and the other files that close a run.

    Args:
        writer: has the rows.
        identity: what makes the run this run, and other fields that come first.
        result: the scores.
        signature: of the headline number.
        columns: a score per row for each measure, for the index.
        report: the report as Markdown.
        accounts: the fields about unscored units, where there is more than one account.
        findings: fields between the scores and the warnings.
        details: fields after the warnings; ``warnings`` replaces those of the result.
    """
    manifest = {
        **identity,
        "signature": signature,
        **(accounts or {"account": result.account.plain()}),
        "counts": result.counts,
        "scores": result.to_dicts(),
        **to_builtins(findings or {}),
        "warnings": to_builtins(result.notices),
        **to_builtins(details),
    }
    writer.finish(manifest, columns, {"report.md": report})
