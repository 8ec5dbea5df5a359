"""``dialmeter judge train``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ...core.document import make_document
from ...core.output import new_folder
from ...errors import DialmeterError, MissingExtra
from ...views.judge import training_table
from ..main import LazyGroup
from ..options import choice_option, command, force_option, number_option
from ..printer import EVERY, Block, Output
from ..progress import training_progress
from .documents import JudgeTrainSatisfactionDocument

if TYPE_CHECKING:
    from ...judges.train.ratings import Quality
    from ...judges.train.satisfaction import Trained


_JUDGE_FILES = ("seed-*", "model.safetensors", "words.txt", "config.json", "training.json")


train = LazyGroup(
    "train",
    help="Train a judge from ratings, or from attacked replies.",
    lazy={
        "satisfaction": ("judge.train:satisfaction", "Train on ratings of satisfaction."),
        "robust": ("judge.train_robust:robust", "Train on pairs of human and attacked replies."),
    },
)


@contextmanager
def judge_folder(options: dict[str, Any], ours: Sequence[str]) -> Iterator[Path]:
    """Open the folder of --out for the files of a judge.

    Args:
        options: the options of the command.
        ours: patterns for the names of the files of a judge.

    Raises:
        DialmeterError: the folder is not empty, and --force is not given.
    """

    def check(names: set[str]) -> None:
        if names and not options["force"]:
            raise DialmeterError(f"{options['out']}: is not empty; use --force to replace its content")

    with new_folder(Path(options["out"]), check, ours) as folder:
        yield folder


@command()
@click.argument("data")
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    help="Output folder for the judge. With several seeds, it has a folder for each seed.",
)
@click.option(
    "--seed",
    "seeds",
    type=click.IntRange(min=0),
    multiple=True,
    default=(1,),
    show_default=True,
    help="Random seed; may be repeated.",
)
@number_option(
    "--held-out", least=1, default=100, about="Number of dialogues for testing, taken from the end of the file."
)
@number_option("--epochs", least=1, default=5, about="Maximum number of epochs.")
@choice_option(
    "--until", ["rated", "before"], "End of the input of the network: with the rated turn of the user, or before it."
)
@number_option("--threads", least=1, default=2, about="Number of processor cores.")
@force_option
def satisfaction(**options: Any) -> Output:
    """Train a hierarchical GRU that predicts user satisfaction. DATA is a file in the format `satisfaction`."""
    try:
        import torch

        from ...judges.train.satisfaction import TrainingSettings
        from ...judges.train.satisfaction import train as run
    except ImportError:
        raise MissingExtra("judge train", "neural") from None
    seeds = list(dict.fromkeys(options["seeds"]))
    torch.set_num_threads(options["threads"])
    settings = TrainingSettings(epochs=options["epochs"], held_out=options["held_out"], until=options["until"])
    trained_seeds: list[Trained] = []
    with judge_folder(options, _JUDGE_FILES) as out:
        for seed in seeds:
            place = out / f"seed-{seed}" if len(seeds) > 1 else out
            progress = training_progress(seed, options["quiet"])
            trained, majority = run(options["data"], place, seed=seed, settings=settings, progress=progress)
            (place / "training.json").write_bytes(
                msgspec.json.format(
                    msgspec.json.encode({"settings": settings, "trained": trained, "majority": majority}), indent=1
                )
            )
            trained_seeds.append(trained)
    return Output(
        document=lambda _: _document(trained_seeds, majority),
        parts=[Block(training_table(trained_seeds, majority), EVERY)],
    )


_MEASURES = ("accuracy", "uar", "macro_f1", "spearman")


def _document(trained_seeds: list[Trained], majority: Quality) -> JudgeTrainSatisfactionDocument:
    rows = [(f"seed {each.seed}", each.test) for each in trained_seeds] + [("majority", majority)]
    return make_document(
        JudgeTrainSatisfactionDocument,
        scores=[
            {"measure": measure, "value": getattr(quality, measure), "n": quality.n, "judge": name}
            for name, quality in rows
            for measure in _MEASURES
        ],
        counts={"seeds": len(trained_seeds), "test": majority.n},
        means={measure: fmean(getattr(each.test, measure) or 0.0 for each in trained_seeds) for measure in _MEASURES},
        epochs=trained_seeds,
    )
