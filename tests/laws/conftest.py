"""Laws are about what dialmeter brings itself; to look for other packages' measures thousands of times takes minutes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _built_ins_only() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dialmeter.registry.entry_points", lambda group: ())
        yield
