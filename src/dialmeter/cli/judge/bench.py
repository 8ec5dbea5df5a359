"""``dialmeter judge bench``"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click
import msgspec
from msgspec import Struct

from ...core.document import Document, Number, ScoreRecord
from ...core.output import write_file
from ...english import english_notices, words_of_dialogue
from ...errors import DialmeterError, InputError, Unfinished, one_line
from ...judges.ask import OVER_BUDGET, UNFINISHED, score_cases
from ...judges.attack_run import NO_CASES
from ...judges.bench import (
    BenchHead,
    BenchSet,
    Submission,
    make_set,
    own_talk,
    read_set,
    read_submission,
    submission,
    unscored,
    write_set,
)
from ...judges.judged_items import units_by_judge
from ...judges.matrix import describe_judge
from ...judges.scorer import attack_replies, with_trivial_judges
from ...model import Conversation
from ...readers.conversations import open_conversations
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...views.chart_files import slug
from ...views.content import Paragraph, Section
from ...views.html import board_page
from ...views.judge import board
from ...views.tables import Table, count_table, records_table
from .. import options as shared
from ..dry_run import dry_run_option
from ..frame import document_output
from ..main import EXIT_INPUT, LazyGroup
from ..printer import CSV, EVERY, Block, Output, message_block
from ..progress import judge_progress
from .attack import light_option
from .options import checked_models, dry_run, judge_options, judges_from_options


class BenchError(ScoreRecord, kw_only=True):
    """The mean error rate of a judge over the attacks on a facet. The facet ``control`` has identical replies."""

    judge: str
    facet: str


class BenchAgreement(Struct, kw_only=True):
    """The agreement of a judge with people, from a document of ``judge human`` that ``--people`` names."""

    measure: Literal["Spearman"]
    judge: str
    people: str
    value: Number


class JudgeBenchMakeDocument(Document, kw_only=True):
    """The head of a new set of cases."""

    command: str = "judge bench make"
    head: BenchHead


class JudgeBenchVerifyDocument(Document, kw_only=True):
    """The error rates of verified submissions."""

    command: str = "judge bench verify"
    scores: list[BenchError]


class JudgeBenchRunDocument(JudgeBenchVerifyDocument, kw_only=True):
    """The error rates of judges on a set, and the files of their submissions."""

    command: str = "judge bench run"
    files: list[str]


class JudgeBenchPageDocument(JudgeBenchVerifyDocument, kw_only=True):
    """The error rates of the submissions on a board, and their agreement with people."""

    command: str = "judge bench page"
    agreement: list[BenchAgreement]


TOWN_SEED = 2026
TOWN_DIALOGUES = 120
MADE_VERSION = "2"
"""The version of a new set from the town. The set in dialmeter is version 1: older rules chose its synonyms."""


bench = LazyGroup(
    "bench",
    help="Benchmark of judges: a fixed set of cases, submissions, and a leaderboard.",
    lazy={
        "make": ("judge.bench:make", "Make a fixed set of cases."),
        "run": ("judge.bench:run", "Score judges on a set, and write a submission for each."),
        "verify": ("judge.bench:verify", "Check submissions against their set."),
        "page": ("judge.bench:page", "Make a leaderboard of submissions as one page."),
    },
)


@shared.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS]...")
@shared.option("--out FILE", "Output file for the set.", required=True)
@shared.option("--name", "Name of the set.", default="town")
@shared.option("--version TEXT set_version", f"Version of the set (default: 1, or {MADE_VERSION} without a CORPUS).")
@shared.option(
    "--attack A* names", "Attack, as for `judge attack`; may be repeated.", default=("all",), show_default=False
)
@shared.option("--cases", "Number of cases of each attack.", least=1, default=120)
@shared.seed_option(7)
@light_option
@shared.force_option
def make(**options: Any) -> Output:
    """Make a set of cases from CORPUS files. Without CORPUS, use dialogues of the town and sentences that are part of dialmeter.

    The same command with the same installed resources gives the same digest.
    """
    corpora = {Path(file).name: list(open_conversations(file)) for file in options["corpora"]} or _default_corpora()
    cases = [
        case
        for name, conversations in corpora.items()
        for case in attack_replies(
            conversations,
            options["names"],
            cases=options["cases"],
            seed=options["seed"],
            corpus=name,
            light=options["light"],
        )
    ]
    words = {
        conversation.id: words_of_dialogue(conversation)
        for conversations in corpora.values()
        for conversation in conversations
    }
    notices = english_notices(words, NO_CASES)
    origin = f"dialmeter judge bench make, seed {options['seed']}, corpora {', '.join(map(one_line, corpora))}"
    version = options["set_version"] or ("1" if options["corpora"] else MADE_VERSION)
    bench_set = make_set(cases, name=options["name"], version=version, made=origin)
    write_file(options["out"], write_set(bench_set), force=options["force"])
    head = bench_set.head
    return document_output(
        JudgeBenchMakeDocument,
        parts=[
            Block(count_table("", ("attack", "cases"), head.attacks), EVERY),
            Block(f"{head.bench} {head.version}: {head.cases} cases, digest {head.digest}"),
        ],
        notices=notices,
        counts={"cases": head.cases, "submissions": 0},
        head=head,
    )


def _default_corpora() -> dict[str, list[Conversation]]:
    from ...simulation.play import play_to_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "town.jsonl"
        play_to_file(path, user="agenda", goals=TOWN_DIALOGUES, seed=TOWN_SEED)
        return {"town": list(open_conversations(path)), "talk": own_talk()}


@shared.command()
@click.argument("set_file", metavar="[SET]", default="town")
@judge_options
@shared.option("--out DIR", "Output folder for the submissions, NAME.json for each judge.", required=True)
@dry_run_option
@shared.force_option
def run(**options: Any) -> Output:
    """Score judges on SET, and write a signed submission for each judge, the trivial judges included.

    SET is a file from `bench make`, or `town` (the default), the set that is part of dialmeter.
    """
    cases = read_set(options["set_file"])
    chosen = judges_from_options(options, list(cases.cases))
    if options["dry_run"]:
        units = units_by_judge(cases.cases, checked_models(chosen.judges))
        return dry_run("judge bench run", units, chosen.judges, {"cases": cases.head.cases})
    judges_to_ask, judge_facts = with_trivial_judges(cases.cases, chosen.judges, {}, options["lower"])
    results, files = [], []
    for each in judge_facts:
        start = time.perf_counter()
        scored = score_cases(
            cases.cases, {each.name: judges_to_ask[each.name]}, progress=judge_progress("scoring", options["quiet"])
        )
        is_silent = all(pair == (None, None) for pair in scored.pairs[each.name])
        for reason, why in UNFINISHED.items():
            if any(failure.reason == reason for failure in scored.failures) and (
                reason == OVER_BUDGET or not is_silent
            ):
                more = " and a larger --max-cost" if reason == OVER_BUDGET else ""
                raise Unfinished(f"{each.name}: {why}; continue with the same --cache{more}")
        result = submission(
            cases,
            describe_judge(each.name, judges_to_ask[each.name]),
            scored.pairs[each.name],
            round(time.perf_counter() - start, 2),
        )
        if unscored(result) == len(result.scores):
            why = scored.failures[0].why if scored.failures else "no score"
            raise DialmeterError(f"{each.name} scored none of {len(result.scores)} cases: {why}")
        path = Path(options["out"]) / f"{slug(each.name)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, msgspec.json.format(msgspec.json.encode(result), indent=0), force=options["force"])
        results.append(result)
        files.append(path.name)
    return document_output(
        JudgeBenchRunDocument,
        parts=[Block(board(results)), Block(records_table(_scores(results)), CSV)],
        scores=_scores(results),
        counts=_counts(cases, results),
        files=files,
    )


@shared.command()
@click.argument("set_file", metavar="SET")
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...")
def verify(**options: Any) -> Output:
    """Verify submissions: signature, set and version, completeness, and that the error rates follow from the scores."""
    cases = read_set(options["set_file"])
    submissions, refused = [], []
    for path in options["submissions"]:
        try:
            submissions.append(read_submission(path, cases))
        except InputError as error:
            refused.append(one_line(str(error), 1000))
    lines = [
        f"{one_line(each.judge)}: signature, digest and {len(each.scores)} cases are correct" for each in submissions
    ]
    return document_output(
        JudgeBenchVerifyDocument,
        parts=[message_block("\n".join(lines))] if lines else [],
        errors=refused,
        exit_code=EXIT_INPUT if refused else 0,
        scores=_scores(submissions),
        counts=_counts(cases, submissions),
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
@shared.option("--people NAME=FILE*", "Agreement with people, from `judge human --json`; may be repeated.")
@shared.option("--out FILE", "Output file for the page (HTML).", required=True)
@shared.force_option
def page(**options: Any) -> Output:
    """Make a leaderboard of submissions as one static page: errors per facet, stability, agreement with people, time."""
    cases = read_set(options["set_file"])
    submissions = [read_submission(path, cases) for path in options["submissions"]]
    people = dict(_read_people(text) for text in options["people"])
    table = board(submissions, people)
    agreement = [
        {"measure": "Spearman", "judge": each.judge, "people": name, "value": values.get(each.judge)}
        for name, values in people.items()
        for each in submissions
    ]
    write_file(options["out"], _page(cases.head, table), force=options["force"])
    return document_output(
        JudgeBenchPageDocument,
        parts=[Block(table), Block(records_table([*_scores(submissions), *agreement]), CSV)],
        scores=_scores(submissions),
        agreement=agreement,
        counts=_counts(cases, submissions),
    )


def _page(head: BenchHead, table: Table) -> str:
    """Return the board as one self-contained HTML page."""
    attacks = count_table("", ("attack", "cases"), head.attacks)
    facts = f"{head.cases} cases, version {one_line(head.version)}, digest {head.digest}. {one_line(head.made, 400)}"
    notes = (
        "An error is a case in which a judge does not behave like an ideal judge. Every attack has the same weight in a mean. "
        "A judge is scored only on the facets that it claims to judge, and its overall error is the mean over these facets: "
        "compare judges within a facet. Identical replies are a control of stability: an ideal judge gives them the same score. "
        "The cases are template dialogues and hand-written sentences. Error rates on other corpora may differ. Judges that score "
        "one reply at a time have no position bias; pairwise judges are not on this board."
    )
    return board_page(
        f"Judges on {head.bench}",
        [Section("Board", (Paragraph(facts), table, Paragraph(notes))), Section("Cases", (attacks,))],
    )


def _read_people(text: str) -> tuple[str, dict[str, float | None]]:
    name, equals, path = text.partition("=")
    if not equals:
        raise DialmeterError(f"--people {one_line(text)}: write NAME=FILE")
    source = Source(path)
    document = parse_as(source.read_all(), _PeopleDocument, source.name, what="a document of judge human")
    return name, {
        each.judge: each.value
        for each in document.scores
        if (each.measure, each.dimension) == ("Spearman", document.main_dimension)
        and each.level in ("reply", "dialogue")
    }


def _counts(cases: BenchSet, submissions: Sequence[Submission]) -> dict[str, int]:
    return {"cases": cases.head.cases, "submissions": len(submissions)}


def _scores(submissions: Sequence[Submission]) -> list[dict[str, Any]]:
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
        for each in submissions
        for error in each.errors
    ]
