"""``dialmeter judge train robust``"""

from __future__ import annotations

from statistics import fmean
from typing import Any

import click
from msgspec.structs import asdict

from ...core.document import make_document
from ...errors import DialmeterError, one_line
from ...judges.adapters.robust import BASE, FILE
from ...judges.case_files import read_cases
from ...judges.cases import READING
from ...judges.matrix import CONTROL
from ...judges.train.robust import BEFORE, HELD_OUT, SEEN, RobustTraining, train_robust, write_weights
from ...views.tables import Table, percent
from ..options import choice_option, command, force_option, number_option, seed_option
from ..printer import EVERY, TEXT, Block, Output
from .documents import JudgeTrainRobustDocument
from .train import judge_folder


@command()
@click.argument("cases_file", metavar="CASES")
@click.option(
    "--out", required=True, metavar="DIR", help="Output folder for the judge, which is then robust(folder=DIR)."
)
@choice_option("--features", list(BASE), "Features: hashed n-grams of the reply, or MiniLM vectors.")
@number_option("--test-percent", least=1, default=30, about="Share of dialogues for testing, in percent.")
@seed_option(1)
@force_option
def robust(**options: Any) -> Output:
    """Train a linear head to prefer human replies to attacked ones, on CASES of several attacks.

    Error rates are measured on dialogues that are not in the training data: before training, after training on all attacks, and
    after training without the attack of the row. The saved weights are trained on all attacks.
    """
    if options["test_percent"] > 99:
        raise DialmeterError(f"--test-percent must be between 1 and 99, not {options['test_percent']}")
    cases = read_cases(options["cases_file"])
    training = train_robust(
        cases, features=options["features"], test_share=options["test_percent"] / 100, seed=options["seed"]
    )
    with judge_folder(options, (FILE,)) as out:
        write_weights(out, training)
    base, where = BASE[options["features"]], one_line(options["out"], 200)
    return Output(
        document=lambda _: _document(training, len(cases)),
        parts=[
            Block(_table(training), EVERY),
            Block(
                f"before: {base}; trained on {sum(training.pairs.values())} pairs; load it as robust(folder={where})",
                TEXT,
            ),
        ],
    )


def _table(training: RobustTraining) -> Table:
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
    for title, group in (
        ("mean: trained attacks", [name for name in names if name.partition(":")[0] in training.pairs]),
        ("mean: others", [name for name in names if name.partition(":")[0] not in training.pairs and name != CONTROL]),
    ):
        means = []
        for judge in columns:
            errors = [value for name in group if (value := cells[name, judge].value) is not None]
            means.append(percent(fmean(errors)) if errors and (judge != SEEN or "trained" in title) else "–")
        rows.append((title, "", "", *means))
    heading = f"error rates in percent on {training.tested} cases of dialogues that are not in the training data"
    return Table(heading, ("attack", "the score", "n", *columns), tuple(rows), frozenset({2, 3, 4, 5}))


def _document(training: RobustTraining, cases: int) -> JudgeTrainRobustDocument:
    return make_document(
        JudgeTrainRobustDocument,
        scores=[
            {**cell.group, **asdict(cell)}
            for cell in training.cells
            if cell.judge != SEEN or cell.attack.partition(":")[0] in training.pairs
        ],
        counts={
            "cases": cases,
            "pairs": sum(training.pairs.values()),
            "attacks": len(training.pairs),
            "tested": training.tested,
        },
        features=training.weights.features,
        pairs=training.pairs,
    )
