"""Logs of inspect: ``.json``, or ``.eval``, which is a ZIP archive with one file per sample.

``{"version": 2, "status": "success", "eval": {..}, "samples": [{"id": 1, "epoch": 1, "messages": [], "scores": {..}}]}``

The id of a sample is the task, and its epoch is the trial. Scores are converted to numbers as in inspect: C and yes are
1, P is 0.5, and I, N and no are 0. The scores of several scorers are stored by name. A log has no fixed place for the
goal of a simulated user. If the input of the sample is a text, it is stored as the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from ...errors import one_line, placing
from ...model import Conversation, Ending, Notice, TaskGoal, Trajectory
from ..entries import Entry
from ..parts import as_list, as_mapping
from ..raw_file import Archive
from ..source import Sample, Source
from ..strict_json import parse_unique
from .messages import (
    amount,
    as_conversation,
    dialogue_name,
    ending_of_error,
    ending_token,
    mapping_or_empty,
    read_messages,
    task_id,
    trial_number,
)

CARRIES = "text, tool calls, scores: logs of inspect, .json or .eval"
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ANSWERS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_SAMPLES = re.compile(r"samples/[^/]+\.json")
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{8,64})")
_FINISHED = "success"
_VERSIONS = (2, 3)


def detect(sample: Sample) -> bool:
    if sample.kind == "archive":
        return any(_SAMPLES.fullmatch(name) or name == "header.json" for name in sample.value)
    return (
        sample.kind in ("document", "lines")
        and isinstance(sample.value, dict)
        and {"status", "eval"} <= sample.value.keys()
    )


def items(source: Source) -> Iterator[Entry]:
    if source.sample.kind == "archive":
        yield from _archive_items(source)
        return
    log = as_mapping(source.document, "the file")
    _add_notices(source, log)
    for place, thing in enumerate(as_list(log.get("samples") or [], "samples"), 1):
        yield Entry(str(place), thing)


def _archive_items(source: Source) -> Iterator[Entry]:
    """Yield the samples of an archive sorted by name, independent of the order in which they finished."""
    archive = Archive(source.read_all(), source.name)
    header = (
        parse_unique(archive.read("header.json"), None) if "header.json" in archive.names else {"status": "started"}
    )
    _add_notices(source, mapping_or_empty(header))
    for place, name in enumerate(filter(_SAMPLES.fullmatch, archive.names), 1):
        yield Entry(str(place), parse_unique(archive.read(name), None))


def _add_notices(source: Source, log: Mapping[str, Any]) -> None:
    status, version = log.get("status"), log.get("version")
    if version is not None and version not in _VERSIONS:
        message = f"the log has version {one_line(str(version), 40)}; it is read like versions 2 and 3"
        source.notices.append(Notice("other-version", 1, message))
    if status != _FINISHED:
        message = f"the log has status {one_line(str(status), 40)}; samples that it does not contain are missing"
        source.notices.append(Notice("unfinished-log", 1, message))


def trajectory(item: Entry) -> Trajectory:
    with item.placing():
        sample = as_mapping(item.parsed(), f"sample {item.name}")
        task, trial = task_id(sample.get("id"), "id"), trial_number(sample.get("epoch"), "epoch")
        name = dialogue_name(task, trial)
        with placing(dialogue=name):
            attachments = mapping_or_empty(sample.get("attachments"))

            def resolve(text: str) -> str:
                return _ATTACHMENT.sub(lambda match: str(attachments.get(match[1], match[0])), text)

            messages = read_messages(sample.get("messages") or [], resolve)
            details = mapping_or_empty(sample.get("error"))
            error = details.get("message", sample.get("error"))
            ending: Ending = "limit" if sample.get("limit") else ending_token(messages.steps) or "unknown"
            if error:
                ending = ending_of_error(str(error), str(details.get("traceback")))
            instruction = sample.get("input")
            return Trajectory(
                id=name,
                task=task,
                trial=trial,
                steps=messages.steps,
                rewards=_rewards(mapping_or_empty(sample.get("scores"))),
                ending=ending,
                goal=TaskGoal(resolve(instruction)) if isinstance(instruction, str) else None,
                seconds=amount(sample.get("total_time")),
                roles=messages.roles,
                error=one_line(str(error), 500) if error else "",
            )


def conversation(item: Entry) -> Conversation:
    log = trajectory(item)
    return as_conversation(log.id, log.steps)


def _rewards(scores: Mapping[str, Any]) -> dict[str, float]:
    rewards = {}
    for name, score in scores.items():
        value = mapping_or_empty(score).get("value")
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, inside in parts:
            number = as_number(inside)
            if number is not None:
                rewards[f"{name}.{part}" if part else name] = number
    return rewards


def as_number(value: Any) -> float | None:
    """Convert a score to a number; None if it has no numeric meaning.

    Example:
        >>> as_number("C"), as_number("no"), as_number(0.25), as_number(True), as_number("blue")
        (1.0, 0.0, 0.25, 1.0, None)
    """
    if isinstance(value, str):
        return _GRADES.get(value, _ANSWERS.get(value.lower()))
    if isinstance(value, int | float) and isfinite(value):
        return float(value)
    return None
