"""``dialmeter judge human``"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ...conditions import Condition
from ...core.document import describe_intervals, make_document
from ...errors import DialmeterError, one_line
from ...judges.judge import Judge, identity_of
from ...judges.people import record
from ...judges.people.columns import distinct_units
from ...judges.people.compare import first_judge
from ...judges.people.correlate import PeopleSettings
from ...judges.people.result import PeopleResult
from ...judges.people.study import (
    checked_names,
    chosen_dimensions,
    compared,
    opened,
    over_budget,
    silent,
    talk_of_items,
)
from ...judges.store import ScoreStore
from ...readers.ratings.open_ratings import RATING_FORMATS, open_scores
from ...readers.ratings.rated_item import RatedItems
from ...views.people import differing_table, every_correlation, markdown_report, people_charts, tables_of
from .. import options as shared
from ..dry_run import dry_run_option
from ..main import EXIT_INPUT, EXIT_UNFINISHED
from ..printer import TEXT, Block, Output
from ..progress import watching
from ..run_files import KeptRun
from .asking import (
    asking,
    asking_options,
    check_cells,
    chosen_store,
    named_files,
    run_inputs,
    scores_option,
    unfinished_lines,
)
from .endpoints import dry_run, usage_line, usage_of
from .options import chosen_judges, judge_options
from .people_documents import JudgeHumanDocument


@shared.command()
@click.argument("ratings_file", metavar="RATINGS")
@judge_options
@click.option(
    "--ratings-from",
    type=click.Choice(list(RATING_FORMATS)),
    help="The format of RATINGS; detected if not given.",
)
@scores_option("Scores made elsewhere: id and one number per judge, or one list per judge in the order of the items.")
@click.option(
    "--carried",
    multiple=True,
    metavar="PATTERN",
    help='Of the scores that RATINGS carries, judge only these, as in "gpt4/*"; may be repeated. "-" for none.',
)
@click.option("--dimension", "dimensions", multiple=True, metavar="D", help="Look only at this; may be repeated.")
@click.option(
    "--reference-system", metavar="NAME", help="Replies of this system are references for BLEU, chrF, ROUGE-L."
)
@click.option("--first", metavar="JUDGE", help="The judge that others are compared with.")
@shared.choice_option("--resample", ["contexts", "items"], "What is drawn for intervals and tests.")
@shared.interval_options(1000)
@shared.number_option(
    "--differing", least=0, default=3, about="How many differing items to print for each judge that was named."
)
@click.option("--details", is_flag=True, help="Print all details of every dimension, not only of the main one.")
@shared.chart_options
@asking_options
@dry_run_option
@shared.run_options
@shared.fail_if_option("Spearman[overall, mine] < 0.3", of=" of a judge")
def human(**options: Any) -> Output:
    """Agreement of judges with the people who rated the replies or dialogues of RATINGS.

    Scores that RATINGS carries are judged without --judge. The trivial judges length, overlap, random and constant are always
    beside them. On rated dialogues, a judge of replies is averaged over the replies of the system.
    """
    how = PeopleSettings(options["resample"], shared.chosen_resampling(options))
    guards = shared.chosen_guards(options)
    run = KeptRun(options, run_inputs("ratings", options["ratings_file"], options))
    items = opened(options["ratings_file"], options["reference_system"], options["ratings_from"])
    dimensions = chosen_dimensions(items, options["dimensions"])
    chosen = chosen_judges(options, [], talk=talk_of_items(items), level=items.level)
    if options["dry_run"]:
        units = dict.fromkeys(chosen.judges, distinct_units(items))
        return dry_run("judge human", units, chosen.judges, {"items": len(items.items)}, options["store"])
    scores = _scores(options, items)
    carried = [each for each in options["carried"] or ["*"] if each != "-"]
    checked_names(items, [*chosen.judges, *scores], carried)
    run.begin(
        [options["ratings_file"]],
        lambda inputs: record.identity(
            inputs,
            {name: identity_of(judge) for name, judge in chosen.judges.items()},
            dimensions,
            how,
            carried=carried,
            references=options["reference_system"],
            lower_is_better=sorted(options["lower"]),
            first=options["first"],
        ),
    )
    store = chosen_store(options, run.writer, chosen.judges)
    result = compared(
        items,
        chosen.judges,
        scores,
        carried=carried,
        dimensions=dimensions,
        how=how,
        first=options["first"],
        lower_is_better=[name for name in options["lower"] if name not in chosen.judges],
        store=ScoreStore(store) if store else None,
        watch=watching("scoring", options["quiet"], len(chosen.judges)),
        asking=lambda judges: asking(chosen, judges, options["ratings_file"], options),
    )
    within_budget = [each for each in result.columns if each.name in chosen.judges and not over_budget([each])]
    mute, spent = unfinished_lines(run.writer, silent(within_budget), over_budget(result.columns))
    name = Path(options["ratings_file"]).name
    if not mute and not spent:
        run.finish(lambda writer, about: record.finish(writer, result, about, markdown_report(name, result)))
    return Output(
        document=lambda _: _document(result, options["differing"], chosen.judges),
        parts=[*_parts(result, options), *(Block(usage_line(used), raw=True) for used in usage_of(chosen.judges))],
        notices=result.notices,
        charts=lambda: people_charts(result),
        errors=[one_line(line, 1000) for line in (*mute, *spent)],
        check=lambda: _check(guards, result),
        exit_code=EXIT_INPUT if mute else EXIT_UNFINISHED if spent else 0,
    )


def _scores(options: dict[str, Any], items: RatedItems) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for name, path in named_files(options):
        for judge, column in open_scores(path, items, name or "").items():
            if judge in found:
                raise DialmeterError(f"two judges are called {judge}; give one another name, as in mine=FILE")
            found[judge] = column
    return found


def _named(result: PeopleResult) -> list[str]:
    return [column.name for column in result.columns if not column.trivial]


def _document(result: PeopleResult, differing: int, judges: Mapping[str, Judge]) -> JudgeHumanDocument:
    return make_document(
        JudgeHumanDocument,
        result,
        resample=result.how.resample,
        intervals=describe_intervals(result.how.resampling),
        differing={name: result.worst(differing, name) for name in _named(result)},
        usage=usage_of(judges),
    )


def _parts(result: PeopleResult, options: dict[str, Any]) -> Iterator[Block]:
    counts = result.counts
    what = "replies" if result.items.level == "reply" else "dialogues"
    heading = [one_line(options["ratings_file"], 200), f"{counts['items']} {what}", f"{counts['contexts']} contexts"]
    heading += [f"{counts['systems']} systems"] if counts["systems"] else []
    yield Block("  ".join(heading), TEXT)
    yield Block(every_correlation(result), ("csv",))
    yield from map(Block, tables_of(result, everything=options["details"]))
    if options["differing"]:
        asked = [column.name for column in result.columns if column.asked and not column.trivial]
        base = first_judge(result.columns, result.main_dimension, result.first)
        tables = (
            differing_table(result, name, options["differing"]) for name in asked or ([base.name] if base else [])
        )
        yield from (Block(table) for table in tables if table.rows)
    drawn = f"intervals by resampling {result.how.resample}" if result.how.resampling else "no intervals"
    yield Block(f"{drawn}; p values are corrected after Holm; – no value")


def _check(guards: Iterable[Condition], result: PeopleResult) -> None:
    """Checks the conditions of --fail-if on correlations over items, of the judges that are not trivial."""
    named = set(_named(result))
    cells = [
        {"measure": each.measure, "value": each.value, "judge": each.judge, "dimension": each.dimension}
        for each in result.correlations
        if each.level == result.items.level and each.judge in named and each.value is not None
    ]
    main = [
        {key: each[key] for key in ("measure", "value")} for each in cells if each["dimension"] == result.main_dimension
    ]
    check_cells(guards, cells, main)
