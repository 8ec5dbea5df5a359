"""``dialmeter judge train``"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import to_builtins

from ...core.output import new_folder
from ...errors import DialmeterError, MissingExtra
from ...views.judge import training_table
from ...views.tables import decimals, render
from ..main import LazyGroup
from ..option_kinds import choice_option, max_bytes_option, number_option
from ..options import quiet_option, style_options
from ..say import document, print_json

if TYPE_CHECKING:
    from ...judges.train.ratings import Quality
    from ...judges.train.satisfaction import Trained


_OURS = ("seed-*", "model.safetensors", "words.txt", "config.json", "training.json")


@click.command(
    "train", cls=LazyGroup, lazy={"satisfaction": ("judge.train:satisfaction", "Train on ratings of satisfaction.")}
)
def train() -> None:
    """Train a judge from ratings."""


@click.command()
@click.argument("data")
@click.option(
    "--out", required=True, metavar="DIR", help="The folder of the judge; with several seeds, a folder for each in it."
)
@click.option(
    "--seed",
    "seeds",
    type=click.IntRange(min=0),
    multiple=True,
    default=(1,),
    show_default=True,
    help="May be repeated.",
)
@number_option("--held-out", least=1, default=100, about="The last dialogues, for testing.")
@number_option("--epochs", least=1, default=5, about="At most so many.")
@choice_option(
    "--until", ["rated", "before"], "Show the network the dialogue with the user's turn that is rated, or before it."
)
@number_option("--threads", least=1, default=2, about="Processor cores to use.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@style_options
@max_bytes_option
@quiet_option
def satisfaction(**options: Any) -> None:
    """Train a hierarchical GRU on DATA, a file in the layout `satisfaction`, to judge how satisfied a user is."""
    try:
        import torch

        from ...judges.train.satisfaction import TrainingSettings
        from ...judges.train.satisfaction import train as run
    except ImportError:
        raise MissingExtra("judge train", "neural") from None
    seeds = list(dict.fromkeys(options["seeds"]))
    torch.set_num_threads(options["threads"])
    settings = TrainingSettings(epochs=options["epochs"], held_out=options["held_out"], until=options["until"])
    found: list[Trained] = []

    def check(names: set[str]) -> None:
        if names and not options["force"]:
            raise DialmeterError(f"{options['out']}: is not empty; replace what is there with --force")

    with new_folder(Path(options["out"]), check, _OURS) as out:
        for seed in seeds:

            def told(epoch: int, quality: Quality, seed: int = seed) -> None:
                if not options["quiet"]:
                    click.echo(
                        f"training: seed {seed}, epoch {epoch}: UAR {quality.uar:.3f}, "
                        f"Spearman {decimals(quality.spearman)}",
                        err=True,
                    )

            place = out / f"seed-{seed}" if len(seeds) > 1 else out
            trained, beside = run(options["data"], place, seed=seed, settings=settings, told=told)
            (place / "training.json").write_bytes(
                msgspec.json.format(
                    msgspec.json.encode({"settings": settings, "trained": trained, "majority": beside}), indent=1
                )
            )
            found.append(trained)
    _print(found, beside, options)


def _print(found: list[Trained], beside: Quality, options: dict[str, Any]) -> None:
    if options["style"] != "json":
        click.echo(render(training_table(found, beside), options["style"]))
        return
    rows = [(f"seed {each.seed}", each.test) for each in found] + [("majority", beside)]
    scores = [
        {"measure": measure, "value": getattr(quality, measure), "n": quality.n, "judge": name}
        for name, quality in rows
        for measure in ("accuracy", "uar", "macro_f1", "spearman")
    ]
    means = {
        measure: fmean(getattr(each.test, measure) or 0.0 for each in found)
        for measure in ("accuracy", "uar", "macro_f1", "spearman")
    }
    counts = {"seeds": len(found), "test": beside.n}
    print_json(
        document(
            "judge",
            "judge train satisfaction",
            scores,
            counts=counts,
            means=means,
            epochs=[to_builtins(each) for each in found],
        )
    )
