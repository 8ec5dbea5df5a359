"""Texts with too deep nesting give a one-line error, also if garbage collection is pending."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.adapters.answer_forms import objects_in
from dialmeter.readers.completions import state_in
from dialmeter.readers.source import first_items
from dialmeter.readers.strict_json import parse_unique

OPENINGS = ("[", '{"a":', '[{"a":"x","a":')


class Unfinished:
    """An object in a reference cycle whose finalisation takes many calls."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self, calls: int = 60) -> None:
        if calls:
            self.__del__(calls - 1)


@pytest.fixture
def unraised() -> Iterator[list[str]]:
    """Errors that Python would have written to standard error."""
    found: list[str] = []
    hook, thresholds = sys.unraisablehook, gc.get_threshold()
    sys.unraisablehook = lambda trouble: found.append("Exception ignored")
    yield found
    sys.unraisablehook = hook
    gc.set_threshold(*thresholds)


def refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^deep\.json: JSON nested too deeply$"):
        parse_unique(text.encode(), "deep.json")


def a_sample(text: str) -> None:
    first_items("[" + text)


def a_judgement(text: str) -> None:
    assert list(objects_in(text)) == []


def a_completion(text: str) -> None:
    assert state_in(text) is None


@pytest.mark.parametrize("read", [refused, a_sample, a_judgement, a_completion])
def test_garbage_is_not_collected_at_the_limit_of_recursion(read: Callable[[str], Any], unraised: list[str]) -> None:
    for opening in OPENINGS:
        # Collection begins after this number of new objects, which is reached at a different depth each time.
        for new in range(700, 1100, 40):
            gc.collect(0)
            gc.disable()
            gc.set_threshold(new, 1000, 1000)
            for _ in range(3):
                Unfinished()
            gc.enable()
            read(opening * 1010)
    assert unraised == []
