"""Laws score thousands of small corpora, so that what is looked up for each scorer is looked up once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from msgspec.structs import fields


@pytest.fixture(scope="package", autouse=True)
def _looked_up_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # No measures of other packages, and no new reading of a measure's annotations each time it is printed.
        patch.setattr("importlib.metadata.entry_points", lambda group="": ())
        fields_of_kind = cache(fields)
        for module in ("measure", "tracking.rule_sets.signature"):
            patch.setattr(
                f"dialmeter.{module}.fields",
                lambda each: fields_of_kind(each if isinstance(each, type) else type(each)),
            )
        yield
