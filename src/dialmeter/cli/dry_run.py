"""``--dry-run``: what asking language models would take, for all commands that ask them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import click
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..core.document import Count, Document, Number, make_document
from ..core.endpoint import CostEstimate, Price
from ..views.tables import Table
from .printer import EVERY, Block, Output

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what asking language models would take, and send nothing."
)
price_option = click.option(
    "--price", metavar="in=X,out=Y", help="Money per million tokens of prompts and of answers, for --dry-run."
)


class DryRunDocument(Document, kw_only=True):
    """What asking language models would take. Nothing was sent.

    Attributes:
        command: the command, and dry-run.
        counts: what the command would work on.
        estimates: by judge, agent, attack or reader.
        cost: of all of them; absent without --price.
    """

    kind: Literal["judge", "user"]
    command: str
    counts: dict[str, Count]
    estimates: dict[str, CostEstimate]
    cost: Number | UnsetType = UNSET


def dry_run_output(
    command: str,
    estimates: Mapping[str, CostEstimate],
    counts: Mapping[str, int],
    *,
    who: str = "judge",
    price: str | None = None,
    notes: tuple[str, ...] = (),
) -> Output:
    """The estimates as a table and as a document.

    Args:
        command: without ``dialmeter``.
        estimates: by name.
        counts: what the command would work on.
        who: what has these names, such as ``judge``.
        price: as on the command line, where the estimates have no cost yet.
        notes: what the estimates rest on.
    """
    if price:
        money = Price.parse(price)
        estimates = {
            name: replace(each, cost=money.of(each.prompt_tokens, each.answer_tokens))
            for name, each in estimates.items()
        }
    costs = [each.cost for each in estimates.values() if each.cost is not None]
    with_replies = any(each.replies is not UNSET for each in estimates.values())
    numbers = ("calls", "cached", "prompt_tokens", "answer_tokens")
    rows = tuple(
        (
            name,
            each.model,
            *([str(each.replies)] if with_replies else []),
            *(str(getattr(each, field)) for field in numbers),
            "–" if each.cost is None else f"{each.cost:.4f}",
        )
        for name, each in estimates.items()
    )
    headings = (
        *(who, "model", *(["replies"] if with_replies else [])),
        *("calls", "known answers", "prompt tokens", "answer tokens", "cost"),
    )
    foot = (
        "nothing was sent; tokens are estimated: four characters for one, and answers of usual length",
        *notes,
        *([f"{sum(costs):.4f} in all"] if len(costs) > 1 else []),
    )
    table = Table("what asking would take", headings, rows, frozenset(range(2, len(headings))), foot=foot)
    return Output(
        document=lambda _: make_document(
            DryRunDocument,
            kind=command.partition(" ")[0],
            command=f"{command} dry-run",
            counts=counts,
            estimates=estimates,
            cost=sum(costs) if costs else UNSET,
        ),
        parts=[Block(table, EVERY)],
    )
