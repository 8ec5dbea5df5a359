"""``--dry-run`` of the commands that call language models: an estimate of calls, tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..core.document import Document, Number
from ..core.endpoint import CostEstimate, Price
from ..errors import one_line
from ..views.tables import table_of
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
    fields = {"replies": "replies"} if any(each.replies is not UNSET for each in estimates.values()) else {}
    fields |= {"calls": "calls", "cached": "cached answers", "prompt_tokens": "prompt tokens"}
    table = table_of(
        "estimated use of language models",
        estimates.items(),
        (f"<{who}", lambda each: each[0]),
        ("<model", lambda each: each[1].model),
        *((title, lambda each, field=field: getattr(each[1], field)) for field, title in fields.items()),
        ("answer tokens", lambda each: each[1].answer_tokens),
        ("cost", lambda each: "–" if each[1].cost is None else f"{each[1].cost:.4f}"),
        foot=(
            "nothing was sent; tokens are estimated: four characters per token, and answers of usual length",
            *notes,
            *([f"total cost: {sum(costs):.4f}"] if len(costs) > 1 else []),
        ),
    )
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
    sizes = {path: Path(path).stat().st_size for _, path in files if Path(path).is_file()}
    table = table_of(
        f"{command} {subject}",
        files,
        ("<role", lambda each: each[0]),
        ("<file", lambda each: one_line(each[1], 200)),
        ("bytes", lambda each: f"{sizes[each[1]]:,}" if each[1] in sizes else "–"),
        foot=(
            "no language model is called: nothing is sent, and nothing is paid",
            f"the run would be saved to {out}" if out else "nothing would be saved (see -o)",
        ),
    )
    return document_output(
        DryRunDocument,
        parts=[Block(table, EVERY)],
        command=f"{command} dry-run",
        counts={"files": len(files), "bytes": sum(sizes.values())},
        estimates={},
    )
