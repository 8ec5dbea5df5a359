"""The page of a board: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from ..content import Section
from ..html_env import asset, page

_POLICY = "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def board_page(title: str, sections: Iterable[Section]) -> str:
    """Sections of paragraphs, code, warnings and tables as one page.

    Args:
        title: the heading.
        sections: in order.
    """
    from markupsafe import Markup

    script = asset("viewer.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return page(
        "report.html",
        policy=_POLICY.format(digest=digest),
        title=title,
        sections=[
            {
                "heading": each.heading,
                "level": each.level,
                "blocks": [(type(block).__name__, block) for block in each.blocks],
            }
            for each in sections
        ],
        # Both come with dialmeter and hold nothing from files.
        style=Markup(asset("viewer.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
    )
