"""Tests of the causes of lost points: one dialogue for every test and every party."""

from __future__ import annotations

import pytest

from dialmeter.users.blame import PARTIES, REASONS

from .cases import CASES
from .verdicts import loss_of


@pytest.mark.parametrize("why", CASES)
def test_reason(why: str) -> None:
    each, about, expected, options = CASES[why]
    changes = options.get("changes", ())
    loss = loss_of(each, about, *changes, **{key: value for key, value in options.items() if key != "changes"})
    assert (loss.why, loss.party, loss.turn) == (why, *expected)
    assert REASONS[why][1] in loss.evidence
    listener, misheard, speaker = loss.party.partition(" misheard ")
    if misheard:
        assert f"the {speaker} said " in loss.evidence
        assert f"the {listener} heard " in loss.evidence
        assert loss.said
    assert bool(loss.heard) == bool(misheard)


def test_every_reason_and_every_party_has_a_case() -> None:
    assert CASES.keys() == REASONS.keys()
    assert {expected[0] for _, _, expected, _ in CASES.values()} == set(PARTIES)
