"""Tests of the causes of lost points: one dialogue on each line of ``data/blame.jsonl``, with the loss of a unit.

The name of an example is the reason, or the kind of loss and all possible causes in their order, of which the first decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from dialmeter.users.blame import causes, verdict
from dialmeter.users.blame.causes import PARTIES, REASONS, Cause
from dialmeter.users.blame.verdict import Loss

from ..conversations import example_conversation, read_examples
from .verdicts import loss_of

EXAMPLES = {example["name"]: example for example in read_examples("blame.jsonl")}


def example_loss(example: Mapping[str, Any]) -> Loss:
    matches = example.get("matches")
    database = None if matches is None else lambda domain, search, book: matches
    changes = example.get("changes", ())
    return loss_of(
        example_conversation(example), example["about"], *changes, database=database, limit=example.get("limit")
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_cause(name: str) -> None:
    loss = example_loss(EXAMPLES[name])
    assert [loss.reason, loss.lost_by, loss.turn] == EXAMPLES[name]["loss"]
    assert REASONS[loss.reason][1] in loss.evidence
    listener, misheard, speaker = loss.lost_by.partition(" misheard ")
    if misheard:
        assert f"the {speaker} said " in loss.evidence
        assert f"the {listener} heard " in loss.evidence
        assert loss.said
    assert bool(loss.heard) == bool(misheard)


def test_reason_and_party_examples() -> None:
    losses = [example["loss"] for example in EXAMPLES.values()]
    assert {why for why, _, _ in losses} == REASONS.keys() == {name for name in EXAMPLES if ": " not in name}
    assert {party for _, party, _ in losses} == set(PARTIES)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if ": " in name])
def test_order_of_causes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, _, reasons = name.partition(": ")
    function = f"causes_of_{kind}"
    generate: Callable[..., Iterator[Cause]] = getattr(causes, function)
    possible = []

    def record(*arguments: Any) -> Iterator[Cause]:
        every = list(generate(*arguments))
        possible.append(" ".join(dict.fromkeys(cause.reason for cause in every)))
        return iter(every)

    for module in (causes, verdict):
        if hasattr(module, function):
            monkeypatch.setattr(module, function, record)
    assert example_loss(EXAMPLES[name]).reason == reasons.split()[0]
    assert reasons in possible
