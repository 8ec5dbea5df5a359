"""``--dry-run`` of the commands that call language models: an estimate of calls, tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..core.document import Document, Number
from ..core.endpoint import CostEstimate, Price
from ..errors import one_line
from ..views.tables import Table
from .frame import document_output
from .options import option
from .printer import EVERY, Block, Output

dry_run_option = option("--dry-run", "Estimate the calls, tokens and cost of language models. Send nothing.")
price_option = option("--price in=X,out=Y", "Price per million tokens of prompts (in) and of answers (out).")


class DryRunDocument(Document, kw_only=True):
    """Estimated calls, tokens and cost of language models. Nothing was sent.

    Attributes:
        command: the command, followed by dry-run.
        counts: the amount of input.
        estimates: judge, agent, attack or reader → estimate.
        cost: the sum over all estimates; absent without --price.
    """

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
    """Return the estimates as a table and as a document; ``price`` is that of --price, if the estimates have no cost yet."""
    if price:
        parsed_price = Price.parse(price)
        estimates = {
            name: replace(each, cost=parsed_price.of(each.prompt_tokens, each.answer_tokens))
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
        *("calls", "cached answers", "prompt tokens", "answer tokens", "cost"),
    )
    foot = (
        "nothing was sent; tokens are estimated: four characters per token, and answers of usual length",
        *notes,
        *([f"total cost: {sum(costs):.4f}"] if len(costs) > 1 else []),
    )
    table = Table("estimated use of language models", headings, rows, frozenset(range(2, len(headings))), foot=foot)
    return document_output(
        DryRunDocument,
        parts=[Block(table, EVERY)],
        command=f"{command} dry-run",
        counts=counts,
        estimates=estimates,
        cost=sum(costs) if costs else UNSET,
    )


def plan_output(command: str, subject: str, files: Sequence[tuple[str, str]], out: str | None) -> Output:
    """Return what a command without language models would do: its files with their sizes, its subject, and what it would write.

    Args:
        command: the command, such as ``score``.
        subject: what would be measured, such as ``trackers``.
        files: role and path of each file.
        out: the folder of --out.
    """
    sizes = [Path(path).stat().st_size if Path(path).is_file() else None for _, path in files]
    rows = tuple(
        (role, one_line(path, 200), "–" if size is None else f"{size:,}")
        for (role, path), size in zip(files, sizes, strict=True)
    )
    foot = (
        "no language model is called: nothing is sent, and nothing is paid",
        f"the run would be saved to {out}" if out else "nothing would be saved (see -o)",
    )
    table = Table(f"{command} {subject}", ("role", "file", "bytes"), rows, frozenset({2}), foot=foot)
    return document_output(
        DryRunDocument,
        parts=[Block(table, EVERY)],
        command=f"{command} dry-run",
        counts={"files": len(files), "bytes": sum(size or 0 for size in sizes)},
        estimates={},
    )
