"""The run record of a comparison with people: the identity of a run, and its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.account import account_fields
from ...core.record import finish_run, run_identity
from ...core.run_writer import RunWriter
from ..judge import identity_digest, identity_of
from ..requests import JudgeRequests
from .result import PeopleResult
from .study import RatingsStudy

KIND = "people"


def identity(
    inputs: Sequence[Mapping[str, str | None]], study: RatingsStudy, requests: JudgeRequests
) -> dict[str, Any]:
    """The identity of a run: inputs, judges, facets and settings."""
    judges = {name: identity_digest(identity_of(judge)) for name, judge in study.judges.items()}
    return run_identity(
        KIND,
        inputs,
        judges=[{"name": name, "identity": digest} for name, digest in judges.items()],
        facets=study.facets,
        resample=study.settings.resample,
        intervals=study.settings.resampling,
        carried=study.carried,
        references=requests.references,
        lower_is_better=sorted(study.lower_is_better),
        first=study.first,
    )


def rows(result: PeopleResult) -> Iterator[dict[str, Any]]:
    """One row per item, with everything that the viewer shows: texts, ratings, scores, and the gap between each judge and people."""
    gaps = {column.name: result.gaps(column.name) for column in result.columns}
    facet = result.main_facet
    for place, item in enumerate(result.items.items):
        yield {
            "id": item.id,
            "level": item.level,
            "system": item.system,
            "group": item.group,
            "moves": [{"speaker": move.speaker, "text": move.text} for move in item.moves],
            "reply": item.reply,
            "references": list(item.references),
            "facet": facet,
            "rating": item.rating(facet),
            "ratings": {
                name: {"mean": item.rating(name), "given": list(item.ratings.get(name, ()))} for name in result.facets
            },
            "scores": {
                column.name: {"score": column.scores[place], "gap": gaps[column.name][place], "trivial": column.trivial}
                for column in result.columns
            },
        }


def finish(writer: RunWriter, result: PeopleResult, about: Mapping[str, Any], report: str) -> None:
    """Write the rows that are not in the run yet, and close the run."""
    for row in rows(result):
        if row["id"] not in writer.done:
            writer.add(row)
    requested = result.named_judges or [result.columns[0].name]
    gaps = {name: [None if gap is None else abs(gap) for gap in result.gaps(name)] for name in requested}
    finish_run(
        writer,
        about,
        result,
        signature=result.scores[0].signature,
        columns=gaps,
        report=report,
        accounts=account_fields(result.accounts),
        findings={"raters": result.raters, "left_out": result.left_out, "differences": result.differences},
        trivial=[column.name for column in result.columns if column.trivial],
        main_facet=result.main_facet,
    )
