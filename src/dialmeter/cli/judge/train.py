"""The flows of ``judge train``: a network that predicts satisfaction, and a head that prefers human replies."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import click
import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from ...core.document import Count, Document, Interval, Number
from ...core.output import new_folder
from ...errors import DialmeterError, MissingExtra, one_line
from ...judges.adapters.robust import BASE, FILE
from ...judges.case_files import read_cases
from ...judges.cases import READING
from ...judges.matrix import CONTROL
from ...judges.train.ratings import Quality, Trained
from ...judges.train.robust import BEFORE, HELD_OUT, SEEN, RobustTraining, train_robust, write_weights
from ...views.judge import training_table
from ...views.summaries.summary import Summary
from ...views.tables import Table, percent
from ..frame import document_output
from ..options import command, force_option, option, seed_option
from ..printer import EVERY, TEXT, Block, Output
from ..progress import training_progress


class TrainingScore(Struct, kw_only=True):
    """A score of a seed, or of the most frequent class, on held-out ratings."""

    measure: Literal["accuracy", "uar", "macro_f1", "spearman"]
    value: Number
    n: Count
    judge: str


class JudgeTrainGruDocument(Document, kw_only=True):
    """The scores of each seed on held-out ratings, and of the most frequent class.

    Attributes:
        means: the means over seeds.
        epochs: the result of each seed, with its quality after each epoch (watched).
    """

    command: str = "judge train gru"
    scores: list[TrainingScore]
    means: dict[str, float]
    epochs: list[Trained]


_JUDGE_FILES = ("seed-*", "model.safetensors", "words.txt", "config.json", "training.json")


@contextmanager
def judge_folder(options: dict[str, Any], ours: Sequence[str]) -> Iterator[Path]:
    """Open the folder of --out for the files of a judge."""
    if not options["out"]:
        raise DialmeterError("judge train needs a folder for the judge, as in -o judge/")

    def check(names: set[str]) -> None:
        if names and not options["force"]:
            raise DialmeterError(f"{options['out']}: is not empty; use --force to replace its content")

    with new_folder(Path(options["out"]), check, ours) as folder:
        yield folder


@command()
@click.argument("data")
@option("--out DIR", "Output folder for the judge. With several seeds, it has a folder for each seed.")
@option("--seed * seeds", "Random seed; may be repeated.", default=(1,), least=0)
@option("--held-out", "Number of dialogues for testing, taken from the end of the file.", least=1, default=100)
@option("--epochs", "Maximum number of epochs.", least=1, default=5)
@option(
    "--until",
    "End of the input of the network: with the rated turn of the user, or before it.",
    choices=["rated", "before"],
)
@option("--threads", "Number of processor cores.", least=1, default=2)
@force_option
def gru(**options: Any) -> Output:
    """Train a hierarchical GRU that predicts user satisfaction. DATA is a file in the format `satisfaction`."""
    try:
        import torch

        from ...judges.adapters.hierarchical_gru import train as run
    except ImportError:
        raise MissingExtra("judge train", "neural") from None
    seeds = list(dict.fromkeys(options["seeds"]))
    torch.set_num_threads(options["threads"])
    settings: dict[str, Any] = {key: options[key] for key in ("epochs", "held_out", "until")}
    trained_seeds: list[Trained] = []
    with judge_folder(options, _JUDGE_FILES) as out:
        for seed in seeds:
            place = out / f"seed-{seed}" if len(seeds) > 1 else out
            progress = training_progress(seed, options["quiet"])
            trained, majority = run(options["data"], place, seed=seed, progress=progress, **settings)
            record = msgspec.json.encode({"settings": settings, "trained": trained, "majority": majority})
            (place / "training.json").write_bytes(msgspec.json.format(record, indent=1))
            trained_seeds.append(trained)
    rows = [(f"seed {each.seed}", each.test) for each in trained_seeds] + [("majority", majority)]
    return document_output(
        JudgeTrainGruDocument,
        summary=_gru_summary(trained_seeds, majority, options["out"]),
        parts=[Block(training_table(trained_seeds, majority), EVERY)],
        scores=[
            {"measure": measure, "value": getattr(quality, measure), "n": quality.n, "judge": name}
            for name, quality in rows
            for measure in _MEASURES
        ],
        counts={"seeds": len(trained_seeds), "test": majority.n},
        means={measure: fmean(getattr(each.test, measure) or 0.0 for each in trained_seeds) for measure in _MEASURES},
        epochs=trained_seeds,
    )


_MEASURES = ("accuracy", "uar", "macro_f1", "spearman")


class RobustError(Struct, kw_only=True):
    """The error rate of a head under an attack, on dialogues that are not in its training data."""

    measure: Literal["error"]
    judge: Literal["before", "after, attack seen", "after, attack held out"]
    attack: str
    expected: str
    value: Number
    ci: Interval
    n: Count


class JudgeTrainRobustDocument(Document, kw_only=True):
    """Error rates before and after training on preference pairs."""

    command: str = "judge train robust"
    scores: list[RobustError]
    features: Literal["ngram", "minilm"]
    pairs: dict[str, int]


@command()
@click.argument("cases_file", metavar="CASES")
@option("--out DIR", "Output folder for the judge, which is then robust(folder=DIR).")
@option("--features", "Features: hashed n-grams of the reply, or MiniLM vectors.", choices=list(BASE))
@option("--test-percent", "Share of dialogues for testing, in percent.", least=1, default=30)
@seed_option(1)
@force_option
def robust(**options: Any) -> Output:
    """Train a linear head to prefer human replies to attacked ones, on CASES of several attacks.

    Error rates are measured on dialogues that are not in the training data: before training, after training on all attacks, and
    after training without the attack of the row. The saved weights are trained on all attacks.
    """
    if options["test_percent"] > 99:
        raise DialmeterError(f"test-percent must be between 1 and 99, not {options['test_percent']}")
    cases = read_cases(options["cases_file"])
    training = train_robust(
        cases, features=options["features"], test_share=options["test_percent"] / 100, seed=options["seed"]
    )
    with judge_folder(options, (FILE,)) as out:
        write_weights(out, training)
    base, where = BASE[options["features"]], one_line(options["out"], 200)
    return document_output(
        JudgeTrainRobustDocument,
        summary=_robust_summary(training, options["out"]),
        parts=[
            Block(_robust_table(training), EVERY),
            Block(
                f"before: {base}; trained on {sum(training.pairs.values())} pairs; load it as robust(folder={where})",
                TEXT,
            ),
        ],
        scores=[
            asdict(cell)
            for cell in training.cells
            if cell.judge != SEEN or cell.attack.partition(":")[0] in training.pairs
        ],
        counts={
            "cases": len(cases),
            "pairs": sum(training.pairs.values()),
            "attacks": len(training.pairs),
            "tested": training.tested,
        },
        features=training.weights.features,
        pairs=training.pairs,
    )


def _means(training: RobustTraining, trained: bool) -> list[float | None]:
    """Return the mean error rates before, after, and after training without the attack; over attacks in the training data or others."""
    names = dict.fromkeys(cell.attack for cell in training.cells)
    group = [name for name in names if (name.partition(":")[0] in training.pairs) == trained and name != CONTROL]
    cells = {(cell.attack, cell.judge): cell.value for cell in training.cells}
    means: list[float | None] = []
    for judge in (BEFORE, SEEN, HELD_OUT):
        errors = [value for name in group if (value := cells[name, judge]) is not None]
        means.append(fmean(errors) if errors and (judge != SEEN or trained) else None)
    return means


def _robust_summary(training: RobustTraining, out: str) -> Summary:
    (before, seen, unseen), where = _means(training, trained=True), one_line(out, 200)
    verdict = f"Training changes the error rate on attacks from {percent(before)} to {percent(seen)} %"
    if unseen is not None:
        verdict += f", and to {percent(unseen)} % on an attack that is not in the training data"
    return Summary(
        verdict=f"{verdict}.",
        account=f"{sum(training.pairs.values())} pairs of {len(training.pairs)} attacks; {training.tested} cases of other dialogues for testing",
        next=f"dialmeter score cases.jsonl -j {shlex.quote(f'robust(folder={where})')}",
    )


def _gru_summary(trained: Sequence[Trained], majority: Quality, out: str) -> Summary:
    uar = fmean(each.test.uar for each in trained)
    rows = tuple(
        (name, percent(fmean(getattr(each.test, key) or 0.0 for each in trained)), percent(getattr(majority, key)))
        for key, name in (("accuracy", "accuracy"), ("uar", "UAR"), ("macro_f1", "macro F1"), ("spearman", "Spearman"))
    )
    return Summary(
        verdict=f"UAR {percent(uar)} on {majority.n} ratings that were held out; the most frequent class has {percent(majority.uar)}.",
        table=Table("", ("", "judge", "most frequent class"), rows, frozenset({1, 2})),
        account=f"{len(trained)} seed{'s' * (len(trained) != 1)}",
        next=f"dialmeter score ratings.jsonl -j {shlex.quote(f'satisfaction-gru(model={one_line(out, 200)})')}"
        if len(trained) == 1
        else "",
    )


def _robust_table(training: RobustTraining) -> Table:
    cells = {(cell.attack, cell.judge): cell for cell in training.cells}
    names = list(dict.fromkeys(cell.attack for cell in training.cells))
    columns = (BEFORE, SEEN, HELD_OUT)
    rows = []
    for name in names:
        first = cells[name, BEFORE]
        trained = name.partition(":")[0] in training.pairs
        values = [percent(cells[name, judge].value) if trained or judge != SEEN else "–" for judge in columns]
        reading = " or ".join(READING[each] for each in first.expected.split(" or "))
        rows.append((name, reading, str(first.n), *values))
    for title, trained in (("mean: trained attacks", True), ("mean: others", False)):
        rows.append(
            (title, "", "", *(percent(each) if each is not None else "–" for each in _means(training, trained)))
        )
    heading = f"error rates in percent on {training.tested} cases of dialogues that are not in the training data"
    return Table(heading, ("attack", "the score", "n", *columns), tuple(rows), frozenset({2, 3, 4, 5}))
