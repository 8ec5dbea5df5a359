"""Tables, charts and a short Markdown report of dialogue systems, and of users crossed with systems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ..errors import one_line
from ..model import ABORTED, Trajectory
from ..stats.noise import Needs
from ..studies.cross import MEASURES, CrossMeasure, CrossScore
from ..systems.calls import ArgumentMark, PairedCall
from ..systems.compare import LogComparison
from ..systems.measures import CALLS, SUCCESS, SystemOutcome
from ..systems.result import SystemResult
from ..systems.task_audit import MEANINGS, AuditedRun, AuditedTask
from . import compare
from .chart_files import Chart, score_chart, slug
from .charts.bars import BARS
from .charts.grid import HEAT_MAP
from .pages.messages import arguments
from .summaries.summary import fit_list
from .tables import Table, grid_of, percent, score_cells, table_of

WORST = 10
SCREENING = "of the first 10 tasks, a reader found 4 wrong and 3 doubtful, in the sample that set the weights"
_REPEATED = "Pass(k): all of k trials of a task succeed (pass^k); AnyPass(k): at least one of them does (pass@k)"
_OPTIMISTIC = "optimistic: as if the systems differed by the same amount in every task"
NOISY = (SUCCESS, CALLS[0])
"""The measures whose noise is shown."""
OUTCOMES = {True: "right", False: "failed", None: "unscored"}


def system_score_table(result: SystemResult) -> Table:
    """Return one row per measure: value, interval, number of tasks, also without infrastructure errors; the account is below."""
    again = ", infrastructure errors unscored"
    cells = [(score_cells(each), again if each.group else "") for each in result.every_score]
    rows = tuple((f"{name}{suffix}", *more) for (name, *more), suffix in cells)
    unscored = "not applicable" if result.settings.success else "too few trials"
    headings = ("measure", "value", "interval", "tasks", unscored)
    notes = (_REPEATED,) if any(each.any_trial for each in result.measures) else ()
    return Table("", headings, rows, frozenset(range(1, 5)), foot=(result.account.line,), notes=notes)


def system_comparison_table(compared: LogComparison) -> Table:
    """Return the scores of the systems for each measure, with differences from the first system."""
    names = list(dict.fromkeys(each.measure for each in compared.versus))
    scores = {measure: {name: result.get(measure) for name, result in compared.results.items()} for measure in names}
    return compare.comparison_table(compared, scores)


def system_charts(results: Mapping[str, SystemResult]) -> Iterator[Chart]:
    """Yield a chart of success and pass^k of the systems, and a chart of the endings of their dialogues."""
    scores = {name: result.scores for name, result in results.items()}
    yield score_chart("success", "Success with intervals over tasks", scores, "percent of tasks")
    endings = list(dict.fromkeys(ending for result in results.values() for ending in result.endings))
    rows = [
        (name, ending, sum(result.endings.get(ending, {}).values()) / len(result.outcomes), None, None)
        for name, result in results.items()
        for ending in endings
    ]
    yield Chart("endings", "Endings of dialogues", BARS, rows, y_label="percent of dialogues")
    if len(results) > 1:
        yield from task_grid(
            [(name, each.task, each.success) for name, result in results.items() for each in result.scored]
        )


def detail_tables(result: SystemResult, limit: int | None = WORST) -> list[Table]:
    """Return calls, noise, costs, the endings with their successes, and the worst tasks; None for every task."""
    endings = {name: dict(counts) for name, counts in result.endings.items()}
    ended = {name: counts["successful"] + counts["failed"] for name, counts in endings.items()}
    outcomes = ("successful", "failed", "unscored")
    return [
        *call_tables(result),
        *_noise_tables(result),
        table_of(
            "cost per solved task",
            result.costs,
            "<what=name | dialogues=runs | total:number | per dialogue=per_run:number | solved | per solved task=per_solved:number | "
            "on failed=on_failed:percent",
        ),
        table_of(
            "per dialogue", result.efforts, "<measure", "mean=value:number", "interval=ci:numbers", "<meaning=title"
        ),
        table_of(
            "endings of dialogues",
            endings,
            ("<ending", str),
            *((name, lambda each, name=name: endings[each][name]) for name in outcomes),
            ("share", lambda each: percent(endings[each]["successful"] / ended[each] if ended[each] else None)),
        ),
        table_of(
            "tasks" if limit is None else "worst tasks",
            result.tasks if limit is None else result.worst(limit),
            "<task",
            ("successes", lambda each: f"{each.successes}/{each.trials}"),
            "<endings:pairs",
        ),
    ]


def call_tables(result: SystemResult, limit: int | None = None) -> list[Table]:
    """Return what the agent gets wrong: calls and arguments in all, and by tool; then by argument, the most mistakes first."""
    if not result.call_counts:
        return []
    totals = [each for each in result.call_counts if not each.tool]
    tools = [each for each in result.call_counts if each.tool and not each.argument]
    arguments = [each for each in result.call_counts if each.argument]
    counts = "missed | wrong | extra | correct"
    shares = [
        (name, lambda each, name=name: percent(each.shares[name])) for name in ("VP", "VR", "LP", "LR", "CallGCA")
    ]
    writing = ", ".join(name for name, writes in result.tools.items() if writes)
    reading = ", ".join(name for name, writes in result.tools.items() if not writes)
    notes = (f"tools that write: {writing or 'none'}; tools that read: {reading or 'none'}",)
    note = "argument: the path of a value in the arguments of a call"
    return [
        table_of("calls that write", totals, f"<level | {counts}", *shares, notes=notes),
        table_of("tools", tools, f"<tool | <level | {counts}", shares[-1]),
        table_of("arguments", arguments[:limit], f"<tool | <argument | {counts}", notes=(note,)),
    ]


def _noise_tables(result: SystemResult) -> list[Table]:
    """Return the noise of Success, and of CallGCA if it can be estimated; then the needs of a comparison."""
    named = {each.name: noise for each in result.measures if each in NOISY and (noise := result.noise_of(each))}
    bound = ("an upper bound: no noise was observed",) if any(noise.is_upper_bound for noise in named.values()) else ()
    return [
        table_of(
            "noise",
            named.values(),
            ("<measure", lambda each: next(name for name, noise in named.items() if noise is each)),
            "tasks that flip=tasks_that_flip:percent | pairs that flip=pair_flip_rate:percent",
            "ICC=icc:coefficient | its interval=icc_ci:limits | a rerun is within=rerun.floor:percent",
            "rerun: power .8=rerun.needed:percent | other tasks: power .8=unpaired.needed:percent",
            notes=bound,
        ),
        needs_table(result.needs),
    ]


def needs_table(needs: Sequence[Needs], note: str = _OPTIMISTIC) -> Table:
    """Return the tasks and the trials with which a comparison finds a difference."""
    return table_of(
        "to find a difference with power .8",
        needs,
        "difference:percent | tasks, with these trials=tasks",
        ("trials, with these tasks", lambda each: str(each.trials or "no number is enough")),
        notes=(note,) if note else (),
    )


def signal_table(tasks: Sequence[AuditedTask]) -> Table:
    """Return the number of tasks with each signal."""
    counts = Counter(signal.name for each in tasks for signal in each.signals)
    found = {name: meaning for name, meaning in MEANINGS.items() if counts[name]}
    return table_of(
        "signals",
        found,
        ("<signal", str),
        ("tasks", lambda name: counts[name]),
        ("<meaning", lambda name: found[name]),
        notes=(SCREENING,),
    )


def task_table(tasks: Sequence[AuditedTask]) -> Table:
    """Return one row per task."""
    return table_of(
        "",
        tasks,
        ("<task", lambda each: one_line(each.task, 12)),
        "score:number",
        ("solved", lambda each: f"{each.solved}/{each.runs}"),
        "agents",
        ("<signals", lambda each: fit_list([f"{signal.name} {signal.value:.2f}" for signal in each.signals], 48)),
    )


def evidence_table(tasks: Sequence[AuditedTask], limit: int | None = None) -> Table:
    """Return one row per piece of evidence."""
    rows = [(each, *line.split(": ", 1)) for each in tasks[:limit] for line in each.evidence]
    return table_of(
        "evidence",
        rows,
        ("<task", lambda row: one_line(row[0].task, 40)),
        ("score", lambda row: f"{row[0].score:.4g}"),
        ("<signal", lambda row: row[1]),
        ("<evidence", lambda row: one_line(row[2], 2000)),
    )


def task_charts(tasks: Sequence[AuditedTask], runs: Sequence[AuditedRun]) -> Iterator[Chart]:
    """Yield the success of every agent in every task; tasks that may be wrong are marked and come first."""
    ranks = {each.task: rank for rank, each in enumerate(tasks, 1)}
    ended = [run for run in runs if run.trajectory.ending not in ABORTED]
    yield from task_grid([(run.agent, run.trajectory.task, run.outcome.success) for run in ended], ranks)


def task_grid(
    successes: Sequence[tuple[str, str, bool | None]], ranks: Mapping[str, int] | None = None
) -> Iterator[Chart]:
    """Yield the share of successful trials by task and agent.

    Tasks with a rank in the audit come first, then those in which agents differ most, then the hardest ones.
    """
    shares: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for agent, task, success in successes:
        if success is not None:
            shares[task][agent].append(success)
    means = {task: [sum(tries) / len(tries) for tries in own.values()] for task, own in shares.items()}
    known = ranks or {}

    def place(task: str) -> tuple[float | str, ...]:
        found = means[task]
        return known.get(task, len(known) + 1), min(found) - max(found), sum(found), task

    ordered = sorted(shares, key=place)
    rows = [
        (f"{task} (audit: {known[task]})" if task in known else task, agent, sum(tries) / len(tries))
        for task in ordered
        for agent, tries in shares[task].items()
    ]
    if rows:
        yield Chart(
            "tasks",
            "Successful trials by task and agent",
            HEAT_MAP,
            rows,
            ("task", "agent", "successful trials"),
            as_percent=True,
        )


def argument_line(pair: PairedCall, item: ArgumentMark) -> str:
    """Return one line about an argument of a call.

    Example:
        >>> item = ArgumentMark("cabin", "wrong", "economy", "business")
        >>> argument_line(PairedCall("book", "system", "wrong", (item,), 7), item)
        'message 7: book cabin wrong: business, expected economy'
    """
    where = f"message {pair.at}: " if pair.at >= 0 else ""
    values = {"wrong": f"{item.made}, expected {item.expected}", "missed": item.expected}.get(item.mark, item.made)
    name = " ".join(filter(None, (pair.tool, item.path, item.mark)))
    return f"{where}{name}{f': {one_line(values, 200)}' if values else ''}"


def dialogue_lines(trajectory: Trajectory, outcome: SystemOutcome) -> Iterator[str]:
    """Yield a dialogue turn by turn: texts, tool calls with their results, and the outcome."""
    yield f"{trajectory.id}  {OUTCOMES[outcome.success]}, {trajectory.ending}" + (
        f": {trajectory.error}" if trajectory.error else ""
    )
    if trajectory.goal is not None and trajectory.goal.instruction:
        yield f"goal  {one_line(trajectory.goal.instruction, 2000)}"
    for step in trajectory.steps:
        if step.text or not step.calls:
            yield f"{step.at:>3} {step.speaker:<6}  {one_line(step.text, 2000)}"
        for call in step.calls:
            yield f"{step.at:>3} {'call':<6}  {call.name}({', '.join(f'{name}={value}' for name, value in arguments(call))})"
            yield f"    {'error' if call.failed else 'answer':<6}  {one_line(call.result or '', 500)}"
    if outcome.calls is not None and outcome.calls.pairs:
        yield "calls beside the expected ones"
        for pair in outcome.calls.pairs:
            yield f"  {pair.mark}: {pair.tool}"
            yield from (f"    {argument_line(pair, item)}" for item in pair.items if item.mark != "correct")


def format_cross_value(measure: CrossMeasure, value: float | None, sign: str = "") -> str:
    """Format a value for a table.

    Example:
        >>> format_cross_value(MEASURES[0], 0.5), format_cross_value(MEASURES[-1], 9.25), format_cross_value(MEASURES[0], 0.01, "+"), format_cross_value(MEASURES[0], None)
        ('50.00', '9.25', '+1.00', '–')
    """
    return "–" if value is None else f"{100 * value if measure.as_percent else value:{sign}.2f}"


def format_cross_interval(measure: CrossMeasure, limits: tuple[float, float] | None, reason: str = "") -> str:
    """Format an interval for a table, or say why there is none."""
    if limits is None:
        return f"none: {reason}" if reason else ""
    return f"{format_cross_value(measure, limits[0])} to {format_cross_value(measure, limits[1])}"


def cross_matrices(scores: Sequence[CrossScore]) -> list[Table]:
    """Return a table per measure with users as rows and systems as columns; a star marks a difference from the first user."""
    users, systems = (list(dict.fromkeys(getattr(score, side) for score in scores)) for side in ("user", "system"))
    tables = []
    for measure in MEASURES:
        cells = {(score.user, score.system): score for score in scores if score.measure is measure}
        rows = {
            user: {system: format_cross_value(measure, cells[user, system].value) for system in systems}
            for user in users
        }
        marks = {
            (users.index(user), 1 + systems.index(system)): "*"
            for (user, system), score in cells.items()
            if score.excludes_zero
        }
        title = measure.title + (", %" if measure.as_percent else "")
        tables.append(grid_of(title, rows, "user", systems, marks=marks))
    return tables


def cross_table(scores: Sequence[CrossScore]) -> Table:
    """Return one row per measure, system and user: value, interval, and the difference with its interval."""
    systems = [score.system for score in scores]
    return table_of(
        "",
        sorted(scores, key=lambda one: (MEASURES.index(one.measure), systems.index(one.system))),
        "<measure=measure.name | <system | <user",
        ("value", lambda each: format_cross_value(each.measure, each.value)),
        ("interval", lambda each: format_cross_interval(each.measure, each.ci, each.ci_reason)),
        (
            "difference",
            lambda each: "" if each.difference is None else format_cross_value(each.measure, each.difference, "+"),
        ),
        (
            "its interval",
            lambda each: format_cross_interval(each.measure, each.difference_ci, each.difference_ci_reason),
        ),
    )


def system_tables(compared: Mapping[str, LogComparison]) -> Iterator[Table]:
    """Yield two tables per user: differences from the first system within goals, and completed goals by ending."""
    for user, each in compared.items():
        yield replace(system_comparison_table(each), title=f"systems with {user}, within goals")
        reached = {
            system: {
                ending: f"{counts['successful']}/{counts['successful'] + counts['failed']}"
                for ending, counts in result.endings.items()
            }
            for system, result in each.results.items()
        }
        endings = dict.fromkeys(ending for row in reached.values() for ending in row)
        yield grid_of(f"goals completed with {user}, by ending", reached, "system", endings)


def cross_charts(scores: Sequence[CrossScore]) -> Iterator[Chart]:
    """Yield a heat map per measure."""
    for measure in MEASURES:
        rows = [(score.user, score.system, score.value) for score in scores if score.measure is measure]
        yield Chart(
            f"cross-{slug(measure.name)}",
            measure.title[0].upper() + measure.title[1:],
            HEAT_MAP,
            rows,
            ("user", "system", measure.title),
            as_percent=measure.as_percent,
        )
