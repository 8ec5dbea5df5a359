"""The run record of a comparison with people: the identity of a run, and its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from ...core.record import run_identity
from ...model import Move
from ..adapters.prompts import ModelExchange
from ..judge import Judge, identity_digest, identity_of
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


class FacetRatings(Struct, frozen=True):
    """The mean rating of an item in one facet, and the single ratings with the names of raters, if they are known."""

    mean: float | None = None
    given: tuple[float, ...] = ()
    raters: tuple[str, ...] | UnsetType = UNSET


class JudgeGap(Struct, frozen=True):
    """The score of one judge for an item, and the share of items that it ranks below it minus the share that people do.

    Attributes:
        cell: which of the judge and people pass the item; absent without a label or a verdict.
        exchange: the prompt and the answers of a language model.
    """

    score: float | None = None
    gap: float | None = None
    trivial: bool = False
    cell: str | UnsetType = UNSET
    exchange: ModelExchange | UnsetType = UNSET


class RatedRow(Struct, frozen=True, kw_only=True):
    """A row of a run: a rated item with the scores of all judges. ``rating`` is the mean rating in ``facet``."""

    id: str
    level: str
    system: str = ""
    group: str = ""
    moves: tuple[Move, ...]
    reply: str
    references: tuple[str, ...] = ()
    facet: str
    rating: float | None = None
    ratings: dict[str, FacetRatings]
    scores: dict[str, JudgeGap]


def rows(result: PeopleResult, judges: Mapping[str, Judge] | None = None) -> Iterator[RatedRow]:
    """One row per item, with everything that the viewer shows.

    Args:
        result: the rated items and their scores.
        judges: judges that can report their prompts and answers, by name.
    """
    gaps = {column.name: result.gaps(column.name) for column in result.columns}
    cells = {judge: each.cells for judge, each in result.main_labels.items()}
    models = {name: judge for name, judge in (judges or {}).items() if hasattr(judge, "exchange")}
    for place, item in enumerate(result.items.items):
        yield RatedRow(
            id=item.id,
            level=item.level,
            system=item.system,
            group=item.group,
            moves=tuple(Move(move.speaker, move.text) for move in item.moves),
            reply=item.reply,
            references=item.references,
            facet=result.main_facet,
            rating=item.rating(result.main_facet),
            ratings={
                name: FacetRatings(item.rating(name), item.ratings.get(name, ()), item.raters.get(name) or UNSET)
                for name in result.facets
            },
            scores={
                column.name: JudgeGap(
                    column.scores[place],
                    gaps[column.name][place],
                    column.trivial,
                    cells.get(column.name, {}).get(item.id, UNSET),
                    models[column.name].exchange((item.moves, item.reply)) if column.name in models else UNSET,
                )
                for column in result.columns
            },
        )
