"""One service at one turn, as the schema-guided scorer sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..formats.pairs.vocabulary import PairDialogue
from ..model import Frame, Schema, State, Value, domain_of
from .compared import ComparedDialogue

_NO_FRAME = Frame()


class FramePair(NamedTuple):
    """Gold and predicted states of one service (slots without the service), and which slots are categorical."""

    service: str
    gold: Mapping[str, Value]
    pred: Mapping[str, Value]
    categorical: Mapping[str, bool]
    said: Frame


def frames_of(compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema | None) -> list[list[FramePair]]:
    """The frames of every turn. Where the file has none, each domain that gold or prediction holds is one."""
    said = {turn.number: turn.frames for turn in dialogue.turns}
    result = []
    for turn in compared.turns:
        number, gold, pred = turn.number, turn.gold, turn.pred
        frames = said[number]
        services = frames if frames is not None else sorted({domain_of(slot) for slot in (*gold, *pred)})
        result.append(
            [
                FramePair(
                    service,
                    _of_service(gold, service),
                    _of_service(pred, service),
                    schema.services.get(service, {}) if schema else {},
                    frames[service] if frames is not None else _NO_FRAME,
                )
                for service in services
            ]
        )
    return result


def _of_service(state: State, service: str) -> dict[str, Value]:
    return {slot.partition("-")[2]: value for slot, value in state.items() if domain_of(slot) == service}
