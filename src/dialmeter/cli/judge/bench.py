"""``dialmeter judge bench``"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from ...core.document import make_document
from ...core.output import write_file
from ...errors import DialmeterError, InputError, Unfinished, one_line
from ...judges.ask import OVER_BUDGET, score_cases
from ...judges.bench.case_set import BenchSet, make_set, own_talk, read_set, write_set
from ...judges.bench.submission import Submission, read_submission, submission, unscored
from ...judges.judged_items import units_by_judge
from ...judges.matrix import describe_judge
from ...judges.scorer import attack_replies, with_trivial_judges
from ...model import Conversation
from ...readers.conversations import open_conversations
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...views.boards.judges import board, judge_page
from ...views.chart_files import slug
from ...views.tables import Table, records_table
from .. import options as shared
from ..dry_run import dry_run_option
from ..main import EXIT_INPUT, LazyGroup
from ..printer import CSV, EVERY, Block, Output, message
from ..progress import watching
from .attack import light_option
from .bench_documents import (
    JudgeBenchMakeDocument,
    JudgeBenchPageDocument,
    JudgeBenchRunDocument,
    JudgeBenchVerifyDocument,
)
from .endpoints import checked_models, dry_run
from .options import chosen_judges, judge_options

TOWN_SEED = 2026
TOWN_DIALOGUES = 120
MADE_VERSION = "2"
"""The version of a set that is made from the town. The set that comes with dialmeter is version 1: older rules chose its synonyms."""


bench = LazyGroup(
    "bench",
    help="A benchmark of judges: a frozen set of cases, submissions, and a board.",
    lazy={
        "make": ("judge.bench:make", "Make a set of cases and freeze it."),
        "run": ("judge.bench:run", "Score judges on a set; a submission for each."),
        "verify": ("judge.bench:verify", "Check submissions against their set."),
        "page": ("judge.bench:page", "A board of submissions as one page."),
    },
)


@shared.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS]...")
@click.option("--out", required=True, metavar="FILE", help="The file of the set.")
@click.option("--name", default="town", show_default=True, help="The name of the set.")
@click.option(
    "--version", "set_version", help=f"The version of the set; 1 by default, {MADE_VERSION} without a CORPUS."
)
@click.option("--attack", "names", multiple=True, default=("all",), metavar="A", help="As for judge attack.")
@shared.number_option("--cases", least=1, default=120, about="How many of each attack.")
@shared.seed_option(7)
@light_option
@shared.force_option("the file of --out")
def make(**options: Any) -> Output:
    """Make a set of cases from CORPUS files; without any, from dialogues of the town and sentences of our own.

    The same command with the same installed resources gives the same digest.
    """
    corpora = {Path(file).name: list(open_conversations(file)) for file in options["corpora"]} or _shipped()
    cases = [
        case
        for name, talks in corpora.items()
        for case in attack_replies(
            talks, options["names"], cases=options["cases"], seed=options["seed"], corpus=name, light=options["light"]
        )
    ]
    made = f"dialmeter judge bench make, seed {options['seed']}, corpora {', '.join(map(one_line, corpora))}"
    version = options["set_version"] or ("1" if options["corpora"] else MADE_VERSION)
    found = make_set(cases, name=options["name"], version=version, made=made)
    write_file(options["out"], write_set(found), force=options["force"])
    head = found.head
    rows = tuple((name, str(count)) for name, count in head.attacks.items())
    return Output(
        document=lambda _: make_document(
            JudgeBenchMakeDocument, counts={"cases": head.cases, "submissions": 0}, head=head
        ),
        parts=[
            Block(Table("", ("attack", "cases"), rows, frozenset({1})), EVERY),
            Block(f"{head.bench} {head.version}: {head.cases} cases, digest {head.digest}"),
        ],
    )


def _shipped() -> dict[str, list[Conversation]]:
    from ...simulation.files import play_to_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "town.jsonl"
        play_to_file(path, user="agenda", goals=TOWN_DIALOGUES, seed=TOWN_SEED)
        return {"town": list(open_conversations(path)), "talk": own_talk()}


@shared.command()
@click.argument("set_file", metavar="[SET]", default="town")
@judge_options
@click.option("--out", required=True, metavar="DIR", help="A folder for the submissions, NAME.json for each judge.")
@dry_run_option
@shared.force_option("submissions of the same name")
def run(**options: Any) -> Output:
    """Score judges on SET and write a signed submission for each; the trivial judges get one, too.

    SET is a file of `bench make`, or `town`, the set that comes with dialmeter (and the default).
    """
    cases = read_set(options["set_file"])
    chosen = chosen_judges(options, list(cases.cases))
    if options["dry_run"]:
        units = units_by_judge(cases.cases, checked_models(chosen.judges))
        return dry_run("judge bench run", units, chosen.judges, {"cases": cases.head.cases})
    asked, known = with_trivial_judges(chosen.judges, {}, options["lower"])
    made, files = [], []
    for each in known:
        begun = time.perf_counter()
        scored = score_cases(cases.cases, {each.name: asked[each.name]}, watch=watching("scoring", options["quiet"]))
        if any(failure.reason == OVER_BUDGET for failure in scored.failures):
            raise Unfinished(f"{each.name}: the budget is spent; go on with the same --cache and a larger --max-cost")
        found = submission(
            cases, describe_judge(each.name, asked[each.name]), scored.pairs[each.name], round(time.perf_counter() - begun, 2)
        )
        if unscored(found) == len(found.scores):
            why = scored.failures[0].why if scored.failures else "no score"
            raise DialmeterError(f"{each.name} scored none of {len(found.scores)} cases: {why}")
        path = Path(options["out"]) / f"{slug(each.name)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, msgspec.json.format(msgspec.json.encode(found), indent=0), force=options["force"])
        made.append(found)
        files.append(path.name)
    return Output(
        document=lambda _: make_document(
            JudgeBenchRunDocument, scores=_scores(made), counts=_counts(cases, made), files=files
        ),
        parts=[Block(board(made)), Block(records_table(_scores(made)), CSV)],
    )


@shared.command()
@click.argument("set_file", metavar="SET")
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...")
def verify(**options: Any) -> Output:
    """Check submissions: signature, set and version, completeness, and that error rates follow from the scores."""
    cases = read_set(options["set_file"])
    found, refused = [], []
    for path in options["submissions"]:
        try:
            found.append(read_submission(path, cases))
        except InputError as error:
            refused.append(one_line(str(error), 1000))
    lines = [f"{one_line(each.judge)}: signature, digest and {len(each.scores)} cases are right" for each in found]
    return Output(
        document=lambda _: make_document(JudgeBenchVerifyDocument, scores=_scores(found), counts=_counts(cases, found)),
        parts=[message("\n".join(lines))] if lines else [],
        errors=refused,
        exit_code=EXIT_INPUT if refused else 0,
    )


class _PeopleScore(msgspec.Struct):
    measure: str
    judge: str
    dimension: str
    level: str
    value: float | None


class _PeopleDocument(msgspec.Struct):
    scores: list[_PeopleScore]
    main_dimension: str


@shared.command()
@click.argument("set_file", metavar="SET")
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...")
@click.option(
    "--people",
    multiple=True,
    metavar="NAME=FILE",
    help="Agreement with people: what `judge human --json` printed; may be repeated.",
)
@click.option("--out", required=True, metavar="FILE", help="The page, HTML.")
@shared.force_option("the page")
def page(**options: Any) -> Output:
    """A board of submissions as one static page: errors per facet, stability, agreement with people, time."""
    cases = read_set(options["set_file"])
    found = [read_submission(path, cases) for path in options["submissions"]]
    people = dict(_people(text) for text in options["people"])
    table = board(found, people)
    agreement = [
        {"measure": "Spearman", "judge": each.judge, "facet": "", "people": name, "value": values.get(each.judge)}
        for name, values in people.items()
        for each in found
    ]
    write_file(options["out"], judge_page(cases.head, table), force=options["force"])
    return Output(
        document=lambda _: make_document(JudgeBenchPageDocument, scores=_scores(found), counts=_counts(cases, found)),
        parts=[Block(table), Block(records_table([*_scores(found), *agreement]), CSV)],
    )


def _people(text: str) -> tuple[str, dict[str, float | None]]:
    name, equals, path = text.partition("=")
    if not equals:
        raise DialmeterError(f"--people {one_line(text)}: write it as NAME=FILE")
    source = Source(path)
    found = parse_as(source.read_all(), _PeopleDocument, source.name, what="a document of judge human")
    return name, {
        each.judge: each.value
        for each in found.scores
        if (each.measure, each.dimension) == ("Spearman", found.main_dimension) and each.level in ("reply", "dialogue")
    }


def _counts(cases: BenchSet, found: Sequence[Submission]) -> dict[str, int]:
    return {"cases": cases.head.cases, "submissions": len(found)}


def _scores(found: Sequence[Submission]) -> list[dict[str, Any]]:
    return [
        {
            "measure": "error",
            "judge": each.judge,
            "facet": error.facet,
            "value": error.value,
            "ci": error.ci,
            "n": error.n,
            "unscored": unscored(each),
        }
        for each in found
        for error in each.errors
    ]
