"""Expected and made calls of a dialogue, paired: which calls and which arguments are missed, wrong, extra and correct.

A call of a tool that writes is a change of the world, so its arguments are scored like the changes of a belief state. Gold has no
turns, so the order of calls does not count; and the elements of a list have no order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..core.calls import is_reading_name, leaves
from ..errors import InputError, did_you_mean
from ..model import ABORTED, SYSTEM, Notice, Step, Trajectory
from ..stats.changes import change_accuracy

Item: TypeAlias = tuple[str, str]
"""The path of a value in the arguments of a call, and its text."""
Mark: TypeAlias = Literal["missed", "wrong", "extra", "correct"]
MARKS: tuple[Mark, ...] = ("missed", "wrong", "extra", "correct")
Paths: TypeAlias = Mapping[str, frozenset[str]]
"""Tool → paths of arguments in its expected calls."""

_UNLIKE = 0.25
"""If the calls of a tool differ from the expected ones in more successful dialogues than this share, it may not write."""
_MANY = 8


class ScoredCall(Struct, frozen=True, omit_defaults=True):
    """A call as its values.

    Attributes:
        items: the values of its arguments; one empty item if it has none.
        at: the index of its message; -1 for an expected call.
        compared: for an expected call, the arguments that count; None for all.
    """

    tool: str
    requestor: str = SYSTEM
    items: tuple[Item, ...] = ()
    at: int = -1
    compared: tuple[str, ...] | None = None


class ArgumentMark(Struct, frozen=True, omit_defaults=True):
    """A value of a call that is missed, wrong, extra or correct; the path is empty for a call without arguments."""

    path: str
    mark: Mark
    expected: str = ""
    made: str = ""


class PairedCall(Struct, frozen=True, omit_defaults=True):
    """An expected call, the call that was made for it, or both.

    Attributes:
        mark: missed if no call was made for it, extra if it is not expected, correct or wrong for both.
        at: the index of the message of the made call; -1 if there is none.
    """

    tool: str
    requestor: str
    mark: Mark
    items: tuple[ArgumentMark, ...]
    at: int = -1


class CallOutcome(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The calls of tools that write in one dialogue, beside the expected ones.

    Attributes:
        expected: the expected calls; None if no task of the log has any.
        made: the calls that were made, in order.
        pairs: all of them, paired.
        failed: number of calls that returned an error.
        unread: number of calls without a result, or whose arguments cannot be read; they count as not made.
        ignored: number of values that were left out, because tools ignore unknown keys inside an argument.
        facts: expected fact → whether the agent told it.
        first: the first call that was tried, and the error that it returned; no error if it was made.
        same_database: whether the database at the end is the expected one; None if the log does not say.
        lost: True if an error ended the run. Its calls are not scored, and count as 0 if the run counts as a failure.
    """

    expected: tuple[ScoredCall, ...] | None = ()
    made: tuple[ScoredCall, ...] = ()
    pairs: tuple[PairedCall, ...] = ()
    failed: int = 0
    unread: int = 0
    ignored: int = 0
    facts: tuple[tuple[str, bool], ...] = ()
    first: tuple[ScoredCall, str] | None = None
    same_database: bool | None = None
    lost: bool = False

    def counts(self, level: Literal["argument", "call"] = "argument") -> tuple[int, int, int, int]:
        """Return the numbers of missed, wrong, extra and correct arguments or calls."""
        return count_marks(self.pairs, level)

    def accuracy(self, level: Literal["argument", "call"] = "argument") -> float | None:
        """Return CallGCA of the dialogue; 1 if nothing is expected and nothing was made."""
        if self.lost or self.expected is None:
            return None if self.expected is None else 0.0
        value = change_accuracy(*self.counts(level))
        return 1.0 if value is None else value

    @property
    def exact(self) -> float | None:
        """1 if exactly the expected calls were made, else 0."""
        return None if self.expected is None else float(not self.lost and not any(self.counts()[:3]))

    @property
    def told(self) -> float | None:
        """The share of the expected facts that the agent told; None if there are none."""
        return sum(told for _, told in self.facts) / len(self.facts) if self.facts else None


def count_marks(
    pairs: Iterable[PairedCall], level: Literal["argument", "call"] = "argument"
) -> tuple[int, int, int, int]:
    """Return the numbers of missed, wrong, extra and correct arguments or calls."""
    counts = Counter(mark for pair in pairs for mark in ([pair.mark] if level == "call" else _marks(pair)))
    return counts["missed"], counts["wrong"], counts["extra"], counts["correct"]


def _marks(pair: PairedCall) -> Iterator[Mark]:
    return (item.mark for item in pair.items)


class CallCounts(Struct, frozen=True):
    """Numbers of missed, wrong, extra and correct calls or arguments of a log.

    Attributes:
        level: ``calls`` or ``arguments``.
        tool: the tool; empty for all.
        argument: the path of the argument; empty for all.
    """

    level: str
    tool: str
    argument: str
    missed: int
    wrong: int
    extra: int
    correct: int

    @property
    def errors(self) -> int:
        """Number of missed, wrong and extra ones."""
        return self.missed + self.wrong + self.extra

    @property
    def shares(self) -> dict[str, float | None]:
        """Precision and recall of values and of labels, and CallGCA, over these sums; None if a denominator is 0."""
        labels = self.correct + self.wrong
        made, expected = labels + self.extra, labels + self.missed
        parts = {
            "VP": (self.correct, made),
            "VR": (self.correct, expected),
            "LP": (labels, made),
            "LR": (labels, expected),
        }
        found = {name: above / below if below else None for name, (above, below) in parts.items()}
        return {**found, "CallGCA": change_accuracy(self.missed, self.wrong, self.extra, self.correct)}


def count_calls(pairs: Sequence[PairedCall]) -> list[CallCounts]:
    """Return the counts of all calls and arguments, of each tool, and of each argument of a tool, the most mistakes first."""
    counters: dict[tuple[str, str, str], Counter[str]] = {
        (level, "", ""): Counter() for level in ("arguments", "calls")
    }
    for pair in pairs:
        for tool in ("", pair.tool):
            counters.setdefault(("calls", tool, ""), Counter())[pair.mark] += 1
        for item in pair.items:
            for key in ("", ""), (pair.tool, ""), (pair.tool, item.path):
                counters.setdefault(("arguments", *key), Counter())[item.mark] += 1
    counts = [CallCounts(*key, *(each[mark] for mark in MARKS)) for key, each in counters.items()]
    return sorted(
        counts,
        key=lambda each: (bool(each.tool) + bool(each.argument), -each.errors, each.level, each.tool, each.argument),
    )


def items_of_arguments(arguments: Mapping[str, Any]) -> tuple[Item, ...]:
    """Return the values of arguments as texts, each with its path. Null and empty texts are no values.

    Example:
        >>> items_of_arguments({"n": 2.0, "who": [{"name": "Ann  Lee", "note": None}], "now": True})
        (('n', '2'), ('who.name', 'Ann Lee'), ('now', 'true'))
    """
    found = ((path, _text(value)) for path, value in leaves("", arguments))
    return tuple((path, text) for path, text in found if text)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).split())


def pair_calls(expected: Sequence[ScoredCall], made: Sequence[ScoredCall]) -> list[PairedCall]:
    """Pair calls of the same tool by the same side: equal calls in order, then those that have most values in common.

    Of several such assignments, the one with more wrong values is taken, and of these the first one in the order of the calls.

    Example:
        >>> cancel = [ScoredCall("cancel", items=(("id", each),)) for each in "ABC"]
        >>> [(pair.mark, pair.items[0].expected, pair.items[0].made) for pair in pair_calls(cancel[:2], cancel[1:])]
        [('wrong', 'A', 'C'), ('correct', 'B', 'B')]
    """
    partners: dict[int, int] = {}
    keys = list(dict.fromkeys((each.requestor, each.tool) for each in (*expected, *made)))
    for key in keys:
        wanted = [at for at, each in enumerate(expected) if (each.requestor, each.tool) == key]
        found = [at for at, each in enumerate(made) if (each.requestor, each.tool) == key]
        for at in wanted:
            same = next((one for one in found if _is_equal(expected[at], made[one])), None)
            if same is not None:
                partners[at] = same
                found.remove(same)
        rest = [at for at in wanted if at not in partners]
        if rest and found:
            common = [[_in_common(expected[one], made[other]) for other in found] for one in rest]
            partners |= {rest[one]: found[other] for one, other in _assign(common)}
    pairs = [_pair(each, made[partners[at]] if at in partners else None) for at, each in enumerate(expected)]
    return pairs + [_pair(None, each) for at, each in enumerate(made) if at not in partners.values()]


def _compared(call: ScoredCall, expected: ScoredCall) -> Counter[Item]:
    """Return the values of a call that count in a pair with an expected call."""
    keys = expected.compared
    if keys is None:
        return Counter(call.items)
    return Counter(item for item in call.items if item[0].partition(".")[0] in keys) or Counter([("", "")])


def _is_equal(expected: ScoredCall, made: ScoredCall) -> bool:
    return _compared(expected, expected) == _compared(made, expected)


def _in_common(expected: ScoredCall, made: ScoredCall) -> tuple[int, int]:
    """Return the number of correct and of wrong values of a pair."""
    wanted, found = _compared(expected, expected), _compared(made, expected)
    left, over = (Counter(path for path, _ in rest.elements()) for rest in (wanted - found, found - wanted))
    return (wanted & found).total(), (left & over).total()


def _assign(common: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Return the pairs of rows and columns with the largest sum; of several such assignments, the first one."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    # One more correct value outweighs all wrong ones.
    factor = 1 + sum(wrong for row in common for _, wrong in row)
    values = np.array([[correct * factor + wrong for correct, wrong in row] for row in common], dtype=np.int64)

    def best(rows: Sequence[int], columns: Sequence[int]) -> int:
        part = values[np.ix_(rows, columns)]
        return int(part[linear_sum_assignment(part, maximize=True)].sum())

    rows, columns = list(range(len(values))), list(range(values.shape[1]))
    pairs, total = [], best(rows, columns)
    while rows and columns:
        row = rows.pop(0)
        for column in columns:
            others = [each for each in columns if each != column]
            if values[row, column] + best(rows, others) == total:
                pairs.append((row, column))
                total, columns = total - int(values[row, column]), others
                break
    return pairs


def _pair(expected: ScoredCall | None, made: ScoredCall | None) -> PairedCall:
    call = expected or made
    assert call is not None
    wanted, found = (Counter() if each is None else _compared(each, expected or each) for each in (expected, made))
    items = [ArgumentMark(path, "correct", text, text) for path, text in (wanted & found).elements()]
    left, over = _by_path(wanted - found), _by_path(found - wanted)
    for path in dict.fromkeys((*left, *over)):
        missing, added = left.get(path, []), over.get(path, [])
        both = min(len(missing), len(added))
        items += [ArgumentMark(path, "wrong", *texts) for texts in zip(missing[:both], added[:both], strict=True)]
        items += [ArgumentMark(path, "missed", text) for text in missing[both:]]
        items += [ArgumentMark(path, "extra", made=text) for text in added[both:]]
    is_correct = all(item.mark == "correct" for item in items)
    mark: Mark = "extra" if expected is None else "missed" if made is None else "correct" if is_correct else "wrong"
    return PairedCall(call.tool, call.requestor, mark, tuple(items), made.at if made else -1)


def _by_path(items: Counter[Item]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = defaultdict(list)
    for path, text in items.elements():
        texts[path].append(text)
    return {path: sorted(own) for path, own in texts.items()}


def paired(outcome: CallOutcome, paths: Paths) -> CallOutcome:
    """Return the outcome with its calls paired.

    A value inside an argument, whose path is in no expected call of the tool, is left out: tools ignore such keys. An unknown
    argument itself is extra: tools refuse it.

    Args:
        outcome: the expected and the made calls.
        paths: the paths of expected arguments in the whole log, or in all compared logs.
    """
    if outcome.expected is None:
        return outcome
    made, ignored = [], 0
    for call in outcome.made:
        known = paths.get(call.tool, frozenset())
        items = tuple(item for item in call.items if "." not in item[0] or item[0] in known)
        ignored += len(call.items) - len(items)
        made.append(replace(call, items=items or (("", ""),)))
    return replace(outcome, pairs=tuple(pair_calls(outcome.expected, made)), ignored=ignored)


def paths_of(outcomes: Iterable[CallOutcome | None]) -> dict[str, frozenset[str]]:
    """Return the paths of the arguments of all expected calls, by tool."""
    found: dict[str, frozenset[str]] = {}
    for each in outcomes:
        for call in (each and each.expected) or ():
            found[call.tool] = found.get(call.tool, frozenset()) | {path for path, _ in call.items}
    return found


def writing_tools(
    trajectories: Iterable[Trajectory], writes: Collection[str] = (), reads: Collection[str] = ()
) -> dict[str, bool]:
    """Return whether each tool of a log writes: as given, else as the log declares, else by the first word of its name.

    Raises:
        InputError: a given tool is not in the log.
    """
    declared: dict[str, str] = {}
    names: set[str] = set()
    for each in trajectories:
        declared |= each.tool_types
        names |= {call.name for step in each.steps for call in step.calls if call.name}
        names |= {action.name for action in each.goal.actions} if each.goal is not None else set()
    if unknown := sorted({*writes, *reads} - names):
        raise InputError(f"there is no tool {unknown[0]!r} in the log; {did_you_mean(unknown[0], sorted(names))}")
    by_log = {name: declared[name] == "write" if name in declared else not is_reading_name(name) for name in names}
    given = {**dict.fromkeys(reads, False), **dict.fromkeys(writes, True)}
    return dict(sorted({**by_log, **given}.items()))


def read_calls(trajectory: Trajectory, tools: Mapping[str, bool]) -> CallOutcome | None:
    """Return the expected and the made calls of a dialogue, not paired; None without a goal or without messages."""
    if trajectory.ending in ABORTED:
        return CallOutcome(lost=True)
    if trajectory.goal is None or not trajectory.steps:
        return None
    empty = (("", ""),)
    expected = tuple(
        ScoredCall(each.name, each.requestor, items_of_arguments(each.arguments) or empty, compared=each.compared)
        for each in trajectory.goal.actions
        if tools.get(each.name)
    )
    writing = [(step, call) for step in trajectory.steps for call in step.calls if tools.get(call.name)]
    tried = [
        (ScoredCall(call.name, step.speaker, items_of_arguments(call.arguments), step.at), call)
        for step, call in writing
        # Without a result it is unknown whether a call changed anything.
        if call.result is not None and not call.unreadable
    ]
    said = "\n".join(_talk(trajectory.steps))
    return CallOutcome(
        expected=expected,
        made=tuple(scored for scored, call in tried if not call.failed),
        failed=sum(call.failed for _, call in tried),
        unread=len(writing) - len(tried),
        # The benchmarks remove commas from the talk only, so they never find a fact with a comma.
        facts=tuple((fact, fact.lower() in said) for fact in trajectory.goal.outputs),
        first=next(((scored, call.result or "" if call.failed else "") for scored, call in tried), None),
        same_database=trajectory.same_database,
    )


def _talk(steps: Iterable[Step]) -> Iterator[str]:
    return (step.text.lower().replace(",", "") for step in steps if step.speaker == SYSTEM)


def calls_of_log(trajectories: Sequence[Trajectory], tools: Mapping[str, bool]) -> list[CallOutcome | None]:
    """Return the paired calls of every dialogue; None for all if no task of the log has expected calls or facts."""
    goals = [each.goal for each in trajectories if each.goal is not None]
    if not any(goal.actions or goal.outputs for goal in goals):
        return [None] * len(trajectories)
    read = [read_calls(each, tools) for each in trajectories]
    if not any(goal.actions for goal in goals):
        return [each and replace(each, expected=None) for each in read]
    paths = paths_of(read)
    return [each and paired(each, paths) for each in read]


def tool_notices(calls: Iterable[tuple[CallOutcome, bool]]) -> list[Notice]:
    """Return a warning about tools that may not write, from the calls of successful dialogues."""
    used, unlike = Counter[str](), Counter[str]()
    for outcome, success in calls:
        if success:
            used.update({pair.tool for pair in outcome.pairs})
            unlike.update({pair.tool for pair in outcome.pairs if pair.mark != "correct"})
    doubtful = [name for name in sorted(used) if used[name] >= _MANY and unlike[name] > _UNLIKE * used[name]]
    message = (
        "successful dialogues often make other calls of these tools than the expected ones, so they may only read: "
        f"{', '.join(doubtful)}; --set reads={','.join(doubtful)} leaves them out"
    )
    return [Notice("tools", len(doubtful), message, tuple(doubtful))] if doubtful else []
