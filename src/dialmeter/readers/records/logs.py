"""Lists of messages in records of any layout: conversations, chats, and logs of agents with tool calls and outcomes.

``[{"task_id": "a", "messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Yes?"}], "reward": 1}]``

The shallowest list of messages in a record is its dialogue. A message has a speaker whose name is known, or a list has pairs such as
``{"user": .., "bot": ..}``, lines such as ``User: hello``, or spans of a trace. A table has one message in each row. Whether the task
was reached is the field whose name says so. What was inferred is said as ``--columns``, which also answers questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import Any, Literal, NamedTuple

from ...errors import InputError, did_you_mean, one_line, placing
from ...model import ABORTED, Conversation, Move, Notice, TaskGoal, Trajectory
from ..containers import Sheets
from ..csv_files import number_or_nan, parse_header
from ..entries import Entry
from ..layouts.agents import amount, amounts, as_conversation, ending_of_error, ending_token
from ..layouts.goals import goal_in, task_in
from ..messages import CALL_FIELDS, UNSEEN, is_call, is_result, read_messages, text_of
from ..source import Sample, Source
from ..strict_json import REFUSALS, decode_json
from .names import ROOTS, parts_of, party_of, points, word_of
from .outcomes import CLOSE, share_of
from .spans import begins_trace, messages_in, messages_of_spans, traces_of
from .tables import SAMPLE, tables_of, value_at
from .trees import tree_of, tree_of_sample

DESCRIPTION = (
    "text, tool calls, outcomes: lists of messages in records of any layout, and traces of observability tools"
)
NAMED_FIELDS = True
_TOOLS_WORDS = "tool function observation ipython tool_result tool_call_result environment"
_TOOLS = frozenset(_TOOLS_WORDS.split())
_CALLS = frozenset(["tool_calls", "tool_call", "function_call"])
_PROMPTS = frozenset(["system", "sys", "developer", "system_prompt"])
_NO_MESSAGES = frozenset(["tools", "functions", "tool_calls", "usage", "gold_actions", "actions", "choices"])
_LISTS = frozenset(["messages", "conversation", "conversations", "trajectory", "turns", "dialogue", "transcript"])
"""Words in the names of fields with messages."""
_IN_OUT = ("input inputs prompt request", "output outputs response completion responses")
_MOST_SPEAKERS = 4
_LABELS = ("name", "key", "assessment_name", "metric")
_MARKS = ("value", "score", "passed", "label")
"""Fields of a named value: its name, and the value."""
_ROLES = {"user": "user", "system": "assistant"}
_ASKED = {
    "user": frozenset(["input", "prompt", "query", "question", "request"]),
    "assistant": frozenset(["answer", "completion", "fulfillment", "output", "reply", "response"]),
}
"""First words of the fields of one exchange in a row, by role."""
_DEEPEST = 7
_LABEL = re.compile(r"\s*\**([^\W\d_][\w ]{0,19}?)\**\s*:\**\s+(.*)", re.DOTALL)
_TRUTHS = frozenset(["True", "False", "0", "1", "0.0", "1.0"])
_TRIAL = re.compile(r"(?:trial|run|attempt|repetition|rep|epoch|seed)[\s_-]*(\d{1,6})", re.IGNORECASE)
"""The name of a column with the outcomes of one trial."""
_MARKED = re.compile(
    r"<\|(?:im_start|start_header_id)\|>(\w+)(?:<\|end_header_id\|>)?\s+(.*?)(?:<\|(?:im_end|eot_id)\|>|\Z)", re.DOTALL
)
"""A message between the special tokens of a model."""
_NOTHING = frozenset(("", "none", "null", "n/a", "na", "nan", "[]", "{}"))
_SURE = 4
"""A name with so many points can say that a task was reached."""
_Row = Mapping[str, Any]


class Talk(NamedTuple):
    """The messages of a dialogue, the record around them, the error that ended it, and why it cannot be read."""

    messages: list[dict[str, Any]]
    record: _Row
    error: str = ""
    problem: str = ""


class LogReading(NamedTuple):
    """How a file is read.

    Attributes:
        talks: the dialogues.
        path: where the messages are: ``[]`` are the elements of a list, ``{}`` the values of an object.
        dialogue: the field of ids; empty if dialogues are counted.
        task: the field of tasks; empty if every dialogue is a task of its own.
        trial: the field of trials; empty if the trials of a task are counted.
        outcome: the field that says whether the task was reached, with ``:WORD|WORD`` for words that mean it; empty if there is none.
        question: what must be answered before success can be known.
        where: the dialogues that are read, ``NAME:VALUE``; empty for all.
    """

    talks: list[Talk]
    path: str
    dialogue: str = ""
    task: str = ""
    trial: str = ""
    outcome: str = ""
    question: str = ""
    where: str = ""

    @property
    def columns(self) -> str:
        """The reading as the text of ``--columns``."""
        named = {"messages": self.path}
        named |= {key: getattr(self, key) for key in ("dialogue", "task", "trial", "outcome", "where")}
        return " ".join(
            f"{key}={name}" for key, name in named.items() if name and name != self.task * (key == "dialogue")
        )

    @property
    def is_log(self) -> bool:
        """True if the dialogues have outcomes, or tools were called."""
        return bool(self.outcome or self.question) or any(_calls_tools(talk) for talk in self.talks if not talk.problem)


def detect(sample: Sample) -> bool:
    """True if the first records hold messages."""
    if sample.kind == "text":
        names = parse_header(sample.value)[0]
        is_table = len(names) > 1 and all(len(name) <= 40 and "\t" not in name for name in names)
        words = {name.lower() for name in names}
        is_in_out = not any(words.isdisjoint(each.split()) for each in _IN_OUT)
        is_list = is_in_out or any({*parts_of(name)} & _LISTS for name in names)
        has_lists = is_list and bool(_best(names, "outcome", 8))
        has_messages = has_lists or bool(_best(names, "speaker", 6) and _best(names, "text", 5))
        return is_table and (has_messages or bool(_outcome_rows([dict.fromkeys(names)])))
    tree = tree_of_sample(sample)
    return tree is not None and (
        begins_trace(tree)
        or bool(traces_of(tree))
        or bool(_spots(tree))
        or (isinstance(tree, dict) and any(_try(tree)))
        or bool(_outcome_rows(tree))
    )


def items(source: Source) -> Iterator[Entry]:
    """Yield the dialogues.

    Raises:
        InputError: no reading wins; the message has the question that a person can answer.
    """
    broken: list[InputError] = []
    reading = read_log(tree_of(source, broken), source.fields)
    if not _is_usual(reading):
        source.notices.append(Notice("read-as", len(reading.talks), f'read as --columns "{reading.columns}"'))
    yield from _entries(reading)
    yield from (Entry("", error) for error in broken)


def _entries(reading: LogReading) -> Iterator[Entry]:
    tried: Counter[str] = Counter()
    for place, talk in enumerate(reading.talks, 1):
        given = _field(talk, reading.dialogue)
        name = str(place if given in (None, "") else given)
        task = str(_field(talk, reading.task) if reading.task else name)
        trial = _whole(_field(talk, reading.trial)) if reading.trial else tried[task]
        tried[task] += 1
        yield Entry(name, talk, context=(reading, task, trial))


def log_of_rows(rows: Sequence[_Row], fields: Mapping[str, str]) -> list[Trajectory] | None:
    """Return the runs of a log in memory; None if the rows hold no messages with outcomes or calls of tools.

    Raises:
        InputError: no reading wins; the message has the question that a person can answer.
    """
    tree = [dict(row) for row in rows]
    if not detect(Sample("document", tree[:20])):
        return None
    reading = read_log(tree, fields)
    return [trajectory(entry) for entry in _entries(reading)] if reading.is_log else None


def _is_usual(reading: LogReading) -> bool:
    """True for layouts that need no words: records with ``messages`` and ``reward``, and tables with an outcome of a plain name."""
    if not reading.path and not reading.where:
        return reading.outcome in ("reward", "success", "passed")
    return reading.path in ("messages", "[].messages", "[]", "[][]") and reading.outcome in ("", "reward")


def content_of_log(tree: Any, fields: Mapping[str, str]) -> Literal["system", "user", "dialogues"]:
    """Return what a parsed file with messages holds: outcomes or calls of tools, goals with slots, or only words."""
    reading = read_log(tree, fields)
    if reading.is_log:
        return "system"
    if reading.talks and all(talk.problem for talk in reading.talks):
        raise InputError(reading.talks[0].problem)
    return "user" if any(_goal(talk.record)[0] for talk in reading.talks) else "dialogues"


def calls_tools(tree: Any, fields: Mapping[str, str]) -> bool:
    """Return True if tools are called in the messages of a parsed file."""
    try:
        return any(_calls_tools(talk) for talk in read_log(tree, fields).talks if not talk.problem)
    except InputError:
        return False


def conversation(item: Entry) -> Conversation:
    talk = _readable(item)
    with placing(dialogue=item.name):
        messages = read_messages(talk.messages)
        goal, task = _goal(talk.record)
        if any(step.calls for step in messages.steps):
            found = as_conversation(item.name, messages.steps)
            return Conversation(item.name, found.moves, goal, task=task)
        moves = tuple(Move(step.speaker, step.text) for step in messages.steps)
        if not moves:
            raise InputError("a dialogue without utterances")
        return Conversation(item.name, moves, goal, task=task)


def _readable(item: Entry) -> Talk:
    if isinstance(item.value, InputError):
        raise item.value
    talk: Talk = item.value
    if talk.problem:
        raise InputError(talk.problem, dialogue=item.name)
    return talk


def trajectory(item: Entry) -> Trajectory:
    talk = _readable(item)
    reading, task, trial = item.context
    name = f"{task}:{trial}"
    with placing(dialogue=name):
        if isinstance(trial, bool) or not isinstance(trial, int) or not 0 <= trial < 10**9:
            raise InputError(f"trial must be a whole number, found {one_line(str(trial), 40)}")
        messages = read_messages(talk.messages)
        reward = _reward(talk, reading.outcome)
        error = talk.error or _error(talk.record)
        ending = ending_token(messages.steps) or "unknown"
        if error and not (reward and reward >= 1 - CLOSE):
            ending = "infrastructure" if re.search(r"tim(?:ed|e) ?out", error) else ending_of_error(error)
        elif reward is None and reading.question:
            raise InputError(reading.question)
        instruction = _goal(talk.record)[1]
        record = talk.record
        return Trajectory(
            id=name,
            task=task,
            trial=trial,
            steps=messages.steps,
            rewards={} if reward is None else {"reward": reward},
            ending=ending,
            goal=TaskGoal(instruction) if instruction else None,
            costs=amounts(agent=record.get("agent_cost"), user=record.get("user_cost")),
            seconds=amount(record.get("duration")),
            roles=messages.roles,
            error=one_line(error, 500) if ending in ABORTED else "",
        )


# Messages


def messages_of(value: Any) -> list[dict[str, Any]] | None:
    """Return a value as messages with role and content; None if it is no list of messages.

    Example:
        >>> messages_of([{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}])[1]["content"]
        'hello'
        >>> messages_of(["User: hi", "Bot: hello"])[1]["role"], messages_of([{"role": "chair", "content": "x"}])
        ('bot', None)
    """
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, Mapping):
        if isinstance(value.get("mapping"), Mapping) and "current_node" in value:
            return _branch(value)
        return _of_numbered_steps(value) if "tool_name_0" in value else None
    if not isinstance(value, list) or not value:
        return None
    if all(isinstance(each, str) for each in value):
        return _of_lines(value)
    if all(isinstance(each, list) and len(each) == 2 and all(isinstance(one, str) for one in each) for each in value):
        return (
            [{"role": word_of(who), "content": text} for who, text in value]
            if _are_speakers([each[0] for each in value])
            else None
        )
    if not all(isinstance(each, dict) for each in value):
        return None
    listed = [_unwrapped(each) for each in value]
    if "ts" in listed[0] and listed[0].get("type") == "message":
        return _of_slack(listed)
    if pair := _pair(listed):
        return [message for each in listed for message in _messages_of_pair(each, pair)]
    return _of_objects(listed)


def _try(value: Any) -> tuple[list[dict[str, Any]], str]:
    """Return the messages of a value, and why it cannot be read although it holds some."""
    try:
        messages = messages_of(value)
    except InputError as error:
        return [], error.message
    return messages or [], "" if messages else _unknown_speakers(value)


def _unknown_speakers(value: Any) -> str:
    """Return the question about a list of texts whose speakers have names that say neither user nor system."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(each, dict) for each in value):
        return ""
    for key in value[0]:
        names = [each.get(key) for each in value]
        texts = [name for name in value[0] if name != key and points("text", name) > 5]
        if points("speaker", key) < 8 or not texts or not all(isinstance(each, str) and each for each in names):
            continue
        named = list(dict.fromkeys(names))
        if 1 < len(named) <= _MOST_SPEAKERS and all(isinstance(each.get(texts[0]), str) for each in value):
            listed = [one_line(name, 30) for name in named if party_of(name) != "system"]
            answers = " or ".join(f'--columns "user={name}"' for name in listed)
            return f"who is the user: {' or '.join(listed)}? Answer with {answers}"
    return ""


def _with_user(node: Any, user: str) -> Any:
    """Return a tree in which a speaker is the user, and speakers with other unknown names are the system."""
    if isinstance(node, list):
        return [_with_user(each, user) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: ("user" if each == user else "assistant" if not party_of(each) else each)
        if isinstance(each, str) and points("speaker", key) >= 8
        else _with_user(each, user)
        for key, each in node.items()
    }


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without its wrapper (``kwargs``, ``data`` or ``message``)."""
    inner = next((message[key] for key in ("kwargs", "data", "message") if isinstance(message.get(key), dict)), None)
    if inner is None or not {"content", "text", "parts", "role"} & inner.keys():
        return message
    return {**{key: each for key, each in message.items() if key not in inner and key != "id"}, **inner}


def _are_speakers(names: Iterable[Any]) -> bool:
    """True if all names are those of speakers, and one is the user or the system."""
    parties = {party_of(str(name)) for name in names}
    return "" not in parties and not parties.isdisjoint(("user", "system"))


def _of_objects(messages: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    candidates = dict.fromkeys(name for each in messages[:50] for name in _names(each) if points("speaker", name))
    for name in sorted(candidates, key=lambda name: -points("speaker", name)):
        said = [value_at(each, name) for each in messages]
        keys = dict.fromkeys(key for each in messages[:50] for key in each if key != name and points("text", key))
        texts = [key for key in keys if any(isinstance(each.get(key), str | list | dict) for each in messages)]
        text = max(texts, key=partial(points, "text"), default="")
        if not text and not any("parts" in each or "blocks" in each or is_call(each) for each in messages):
            continue
        if other := _other_side([who for who, each in zip(said, messages, strict=True) if each.get(text)]):
            said = [other[1] if who == other[0] else who for who in said]
        turns = list(zip(said, messages, strict=True))
        plain = [(who, each) for who, each in turns if not (is_call(each) or is_result(each))]
        named = [who for who, each in plain if each.get(text) or who is not None]
        known = [who for who in named if isinstance(who, str)]
        others = [each for who, each in turns if isinstance(who, str) and not _are_speakers([who, "user"])]
        if (
            len(known) == len(named)
            and not any(each.get(text) for each in others)
            and _are_speakers({*known} - {str(value_at(each, name)) for each in others})
        ):
            return [_message(each, word_of(who or "assistant"), text) for who, each in turns]
    return None


def _other_side(speakers: Sequence[Any]) -> tuple[str, str] | None:
    """Return the speaker with an unknown name, and its role, if there are two speakers and the name of the other is known."""
    parties = {str(who): party_of(str(who)) for who in speakers}
    unknown = [who for who, party in parties.items() if not party]
    known = {*parties.values()} - {"", "other"}
    if len(unknown) != 1 or len(known) != 1 or not all(isinstance(who, str) for who in speakers):
        return None
    return unknown[0], "assistant" if known == {"user"} else "user"


def _names(message: _Row) -> Iterator[str]:
    for key, value in message.items():
        yield key
        if isinstance(value, dict) and not {"content", "text", "parts"} & value.keys():
            yield from (f"{key}.{inner}" for inner in ("role", "type") if isinstance(value.get(inner), str))


def _message(message: dict[str, Any], role: str, text: str) -> dict[str, Any]:
    said = None if "parts" in message else message.get(text)
    content = message.get("content", message.get("blocks", said))
    if role in _CALLS:
        call = _decoded(content) if isinstance(content, str) and content else None
        if call is None and isinstance(message.get("name"), str) and not {*CALL_FIELDS} & message.keys():
            call = {key: value for key, value in message.items() if key != "type"}
        calls = {"tool_calls": [call]} if isinstance(call, dict) else {}
        return {**message, "role": "assistant", "content": None, **calls}
    return {**message, "role": role, "content": content}


def _pair(messages: Sequence[_Row]) -> list[tuple[str, str]]:
    """Return the keys of objects that hold a turn of the user and one of the system, in their order."""
    keys = [key for key in messages[0] if all(isinstance(each.get(key), str | None) for each in messages)]
    found = [(role, key) for key in keys if (role := _ROLES.get(party_of(word_of(key).split("_")[0])))]
    if not found and _has_repeated_id(messages):
        found = [(role, key) for key in keys for role, words in _ASKED.items() if {*parts_of(key)[:1]} & words]
    is_pair = sorted(role for role, _ in found) == ["assistant", "user"]
    return found if is_pair and not {"role", "speaker", "from"} & messages[0].keys() else []


def _has_repeated_id(rows: Sequence[_Row]) -> bool:
    """True if rows have an id of dialogues that several of them share, and are neither rated nor compared with gold."""
    if any(points("outcome", key) >= 8 or points("rating", key) >= 8 or points("gold", key) >= 7 for key in rows[0]):
        return False
    ids = [key for key in rows[0] if points("dialogue", key) >= 7]
    return any(1 < len({str(row.get(key)) for row in rows}) < len(rows) for key in ids)


def _messages_of_pair(turn: _Row, pair: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield what both sides say in a turn. Before the system answers, it calls the tools that the turn names."""
    calls = {key: turn[key] for key in CALL_FIELDS if turn.get(key)}
    said = {"role", "content", "type", *dict(pair).values()}
    plain = {key: value for key, value in turn.items() if key not in said and not isinstance(value, dict | list)}
    for role, key in pair:
        if role == "assistant" and calls:
            yield {**plain, "role": role, "content": None, **calls}
        if turn.get(key):
            yield {**plain, "role": role, "content": turn[key]}


def _of_lines(lines: Sequence[str]) -> list[dict[str, Any]] | None:
    matches = [match for line in lines if (match := _LABEL.fullmatch(line))]
    if len(lines) < 2 or len(matches) < len(lines):
        return None
    other, role = _other_side([match[1] for match in matches]) or ("", "")
    said = [(role if match[1] == other else match[1], match[2].strip()) for match in matches]
    if not _are_speakers(who for who, _ in said):
        return None
    return [{"role": word_of(who), "content": text} for who, text in said]


def _of_text(text: str) -> list[dict[str, Any]] | None:
    """Return the messages in a text: JSON, or a line for each, such as ``User: hello``."""
    if text[:1] in ("[", "{"):
        decoded = _decoded(text)
        return messages_of(decoded) if isinstance(decoded, list | dict) else None
    if marked := _MARKED.findall(text):
        return (
            [{"role": word_of(who), "content": said.strip()} for who, said in marked]
            if _are_speakers(each[0] for each in marked)
            else None
        )
    return _of_lines([line for line in text.splitlines() if line.strip()]) if "\n" in text else None


def _of_numbered_steps(steps: _Row) -> list[dict[str, Any]]:
    """Return the calls in a trajectory of DSPy: ``{"thought_0": .., "tool_name_0": .., "tool_args_0": .., "observation_0": ..}``."""
    return [
        {"role": "assistant", "content": None, "type": "tool-call", "name": name, "input": steps.get(f"tool_args_{at}"),
         "toolCallId": f"step {at}", "output": steps.get(f"observation_{at}") or ""}
        for at in range(len(steps))
        if (name := steps.get(f"tool_name_{at}")) not in (None, "finish")
    ]  # fmt: skip


def _decoded(text: str) -> Any:
    try:
        return decode_json(text)
    except REFUSALS:
        return None


def _of_slack(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    said = [each for each in messages if each.get("subtype") in (None, "bot_message", "thread_broadcast")]
    return [
        {
            "role": "assistant" if "bot_id" in each else "user",
            "content": each.get("text"),
            "thread": each.get("thread_ts", each["ts"]),
        }
        for each in said
    ]


def _branch(export: _Row) -> list[dict[str, Any]]:
    """Return the messages of a conversation of ChatGPT, from the root to the node that was shown last."""
    nodes, node = export["mapping"], export["current_node"]
    messages: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(node, str) and isinstance(nodes.get(node), dict):
        if node in seen:
            raise InputError("the messages in mapping form a cycle")
        seen.add(node)
        message = nodes[node].get("message")
        if isinstance(message, dict):
            author, content = message.get("author") or {}, message.get("content") or {}
            texts = [each for each in content.get("parts") or [content.get("text") or ""] if isinstance(each, str)]
            messages.append({"role": author.get("role"), "name": author.get("name"), "content": "\n".join(texts)})
        node = nodes[node].get("parent")
    return messages[::-1]


# Records


def _spots(tree: Any) -> Counter[tuple[str, ...]]:
    """Return the places of lists of messages, with their number."""
    found: Counter[tuple[str, ...]] = Counter()

    def look(node: Any, path: tuple[str, ...]) -> None:
        if path and path[-1] not in ("[]", "{}") and (path[-1] in _NO_MESSAGES or points("gold", path[-1]) >= 7):
            return
        if any(_try(node)):
            found[path] += 1
        elif isinstance(node, list) and len(path) < _DEEPEST:
            for each in node[:SAMPLE]:
                if isinstance(each, dict | list):
                    look(each, (*path, "[]"))
        elif isinstance(node, dict) and len(path) < _DEEPEST:
            is_by_id = _is_by_id(node) and ({"[]", "{}"}.isdisjoint(path) or not any(map(messages_of, node.values())))
            for key, value in node.items():
                if isinstance(value, dict | list) or (isinstance(value, str) and len(value) > 20):
                    look(value, (*path, "{}" if is_by_id else key))

    look(tree, ())
    return found


def _is_by_id(tree: _Row) -> bool:
    values = list(tree.values())
    if not values or isinstance(tree, Sheets) or not ROOTS.isdisjoint(tree):
        return False
    records = [each[0] if isinstance(each, list) and each else each for each in values]
    if all(isinstance(each, dict) for each in records) and not any(map(messages_of, values)):
        return len(values) > 1 and bool(set.intersection(*(set(each) for each in records)))
    is_in_out = any(key.lower() in words.split() for key in tree for words in _IN_OUT)
    return not is_in_out and all(isinstance(each, list) for each in values) and all(map(messages_of, values))


def read_log(tree: Any, fields: Mapping[str, str]) -> LogReading:
    """Return how a parsed file is read.

    Raises:
        InputError: no reading wins; the message has the question that a person can answer.
    """
    if user := fields.get("user"):
        tree = _with_user(tree, user)
    traces = traces_of(tree)
    if traces:
        path, talks = "spans", [_talk_of_trace(record, spans) for record, spans in traces]
    else:
        path, talks = _talks(tree, fields.get("messages", ""))
    talks = _with_roles(talks)
    system = fields.get("where")
    if system:
        column, _, value = system.partition(":")
        talks = [talk for talk in talks if str(_field(talk, column)) == value]
    rows = [_leaves(talk.record) for talk in talks]
    for key in ("dialogue", "task", "trial"):
        if name := fields.get(key):
            _check_field(key, name, _all_names(rows))
    dialogue = fields.get("dialogue") or _id_field(talks, rows)
    task = fields.get("task") or _task_field(rows)
    trial = fields.get("trial") or _trial_field(rows, task)
    if not task:
        _refuse_trials(rows)
    outcome, question = _outcome(rows, fields.get("outcome", ""))
    if task and not trial:
        _refuse_systems(rows, task)
        whole = [name for name in _all_names(rows) if all(_whole(row.get(name)) is not None for row in rows)]
        trial = _best(whole, "trial", 10)  # not unique: repeated trials are refused
    is_sure = bool(path) or ">" in outcome or points("outcome", _last(outcome)) >= 9
    if not is_sure and any(_reward(talk, outcome) not in (0, 1, None) for talk in talks):
        asked = f"from which value of {outcome} on was the task reached?"
        raise InputError(f'{asked} Answer with --columns "outcome={outcome}>=1"')
    if not (outcome or question) and any(_calls_tools(talk) for talk in talks if not talk.problem):
        question = _truths(rows)
    return LogReading(talks, path, dialogue, task, trial, outcome, question, system or "")


def _talk_of_trace(record: _Row, spans: Sequence[_Row]) -> Talk:
    messages, error = messages_of_spans(spans, messages_of)
    return Talk(messages, record, error)


def _talks(tree: Any, wanted: str) -> tuple[str, list[Talk]]:
    """Return the dialogues at the shallowest place of messages, and this place."""
    spots = _spots(tree)
    if isinstance(tree, dict) and any(_try(tree)):
        messages, problem = _try(tree)
        return "@file", [Talk(messages, tree, problem=problem)]
    if not spots and (rows := _outcome_rows(tree)):
        return "", [Talk([], row) for row in rows]
    if not spots:
        raise InputError("no list of messages with known speakers; name the field with --columns messages=NAME")
    if wanted:
        chosen = [path for path in spots if _path_text(path) in wanted.split("+")]
        if not chosen:
            listed = ", ".join(map(_path_text, spots))
            raise InputError(f"no messages at {one_line(wanted)!r}; they are at {listed}")
    else:
        least = min(map(len, spots))
        chosen = _chosen(_fullest(tree, [path for path in spots if len(path) == least]), spots)
    chosen = _with_answer(tree, chosen)
    name = "+".join(map(_path_text, chosen))
    first = chosen[0]
    at = max((place + 1 for place, key in enumerate(first) if key in ("[]", "{}")), default=0)
    talks = []
    for outer, element in _elements(tree, first[:at], {}):
        values = [_inside(element, path[at:]) for path in chosen]
        lists = [(_silent(value), "") if _silent(value) else _try(value) for value in values]
        if len(values) == 2 and chosen[1] not in spots:
            lists[1] = messages_in(values[1], "assistant", messages_of), ""
        record = _without({**outer, **(element if isinstance(element, dict) else {})}, [path[at:] for path in chosen])
        problem = next((why for _, why in lists if why), "")
        if not problem and (
            any(value and not listed for (listed, _), value in zip(lists, values, strict=True))
            or not isinstance(element, dict | list | str)
        ):
            problem = f"{name} is no list of messages with known speakers"
        found = [each for each, _ in lists]
        is_repeated = len(found) == 2 and list(map(_said, found[1][: len(found[0])])) == list(map(_said, found[0]))
        messages = found[1] if is_repeated else [message for each in found for message in each]
        talks.append(Talk(messages, record, problem=problem))
    if not at and len(talks) == 1 and talks[0].messages:
        talks = _by_dialogue(talks[0])
    kept = [
        talk
        for talk in talks
        if talk.messages
        or talk.problem
        or any(points("outcome", name) or points("error", name) for name in talk.record)
    ]
    return name, kept


def _outcome_rows(tree: Any) -> list[dict[str, Any]]:
    """Return the runs of a table with tasks and outcomes, but no messages. Each trial may have a column, or a place in a list."""
    if isinstance(tree, dict) and not any(points("outcome", name) >= _SURE for name in tree):
        lists = {task: each for task, each in tree.items() if isinstance(each, list) and {*map(repr, each)} <= _TRUTHS}
        if lists == tree and any(lists.values()):
            return [{"task": name, "trial": at, "success": won} for name in lists for at, won in enumerate(lists[name])]
    rows = next((table.rows for table in tables_of(tree)), [])
    names = list(rows[0]) if rows else []
    others = ("turn", "text", *(("rater", "gold") if not _best(names, "outcome", 9) else ()))
    if not _best(names, "task", 6) or any(points(role, _last(name)) >= 6 for name in names for role in others):
        return []
    trials = {name: int(match[1]) for name in names if (match := _TRIAL.fullmatch(name))}
    if len(trials) < 2:
        return rows if _best(names, "outcome", 5) else []
    return [
        {**{key: row[key] for key in row if key not in trials}, "trial": number, "success": row.get(name)}
        for row in rows
        for name, number in trials.items()
    ]


def _silent(items: Any) -> list[dict[str, Any]]:
    """Return the items of a list in which nobody speaks: only calls, results and thoughts; empty for any other value."""
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        return []
    calls = [{**each, "role": "assistant", "content": None} for each in items if is_call(each) or is_result(each)]
    return calls if all(is_call(each) or is_result(each) or str(each.get("type")) in UNSEEN for each in items) else []


def _said(message: _Row) -> tuple[Any, Any]:
    return message["role"], message["content"]


def _fullest(tree: Any, paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the place of the messages that hold all that is said in the messages of the other places; all places if none does."""
    said: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for path in paths if len(paths) > 1 else ():
        messages = [each for _, value in _elements(tree, path, {}) for each in _try(value)[0]]
        said[path] = [(party_of(str(each["role"])), " ".join(text_of(each["content"]).split())) for each in messages]
    spoken = [[each for each in said[path] if all(each) and each[0] != "other"] for path in said]
    full = [path for path, whole in said.items() if all(_is_within(part, whole) for part in spoken)]
    return [max(full, key=lambda path: len(said[path]))] if full else paths


def _is_within(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    rest = iter(whole)
    return all(each in rest for each in part)


def _with_answer(tree: Any, chosen: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the places of the messages, and of the answer beside them if the messages end before the system answers."""
    path = chosen[0]
    talks = (_try(value)[0] for _, value in _elements(tree, path, {}))
    if len(chosen) > 1 or "system" in {party_of(str(messages[-1]["role"])) for messages in talks if messages}:
        return chosen
    for at in range(len(path) - 1, -1, -1):
        if path[at] in ("[]", "{}"):
            break
        records = [record for _, record in _elements(tree, path[:at], {}) if isinstance(record, dict)]
        names = {key: None for record in records for key in record if key.lower() in _IN_OUT[1].split() and record[key]}
        if len(names) == 1:
            return [path, (*path[:at], *names)]
    return chosen


def _path_text(path: Sequence[str]) -> str:
    return ".".join(path).replace(".[]", "[]").replace(".{}", "{}") or "[]"


def _chosen(paths: Sequence[tuple[str, ...]], spots: Mapping[tuple[str, ...], int]) -> list[tuple[str, ...]]:
    """Return the place of the messages, or the two places of input and output."""
    if len(paths) == 1:
        return list(paths)
    ends = [
        next((at for at, words in enumerate(_IN_OUT) if not {*words.split()}.isdisjoint(map(str.lower, path[-2:]))), -1)
        for path in paths
    ]
    if sorted(ends) == [0, 1]:
        return [path for _, path in sorted(zip(ends, paths, strict=True))]
    named = [path for path in paths if {*parts_of(path[-1])} & _LISTS]
    most = [path for path in named or paths if spots[path] == max(spots[each] for each in named or paths)]
    if len(most) == 1:
        return most
    shown = [_path_text(path) for path in paths[:3]]
    answers = " or ".join(f"--columns messages={each}" for each in shown)
    raise InputError(f"which are the messages: {' or '.join(shown)}? Answer with {answers}")


def _elements(
    node: Any, path: Sequence[str], outer: dict[str, Any], is_in_record: bool = False
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield the records at a path, with the fields of what is around them; of the file itself, only plain ones that are no outcomes."""
    if not path:
        yield outer, node
    elif path[0] == "[]":
        for each in node if isinstance(node, list) else ():
            yield from _elements(each, path[1:], outer, True)
    elif path[0] == "{}":
        for name, each in node.items() if isinstance(node, dict) else ():
            yield from _elements(each, path[1:], {**outer, "@key": name}, True)
    elif isinstance(node, dict) and path[0] in node:
        kinds = list if is_in_record else list | dict
        around = {
            name: value
            for name, value in node.items()
            if name != path[0] and not isinstance(value, kinds) and (is_in_record or not points("outcome", name))
        }
        yield from _elements(node[path[0]], path[1:], {**outer, **around}, is_in_record)


def _inside(node: Any, path: Sequence[str]) -> Any:
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    return node


def _without(record: _Row, paths: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return a record without its messages."""
    kept = dict(record)
    for path in paths:
        if len(path) == 1:
            kept.pop(path[0], None)
        elif path and isinstance(kept.get(path[0]), dict):
            kept[path[0]] = _without(kept[path[0]], [path[1:]])
    return kept


def _by_dialogue(talk: Talk) -> list[Talk]:
    """Return the dialogues of a table with a message in each row, which has a field of ids.

    Raises:
        InputError: turns of a dialogue have the same number.
    """
    messages = talk.messages
    plain = [
        name
        for name in messages[0]
        if name not in ("role", "content") and all(isinstance(each.get(name), str | int) for each in messages)
    ]
    plain = [name for name in plain if not _are_speakers(each[name] for each in messages)]
    repeated = [name for name in plain if len({str(each[name]) for each in messages}) < len(messages)]
    names = [name for name in repeated if points("dialogue", name) >= 3 and not points("not a dialogue", name)]
    names = names or [name for name in repeated if points("task", name) >= 6]
    names = names or [name for name in repeated if parts_of(name)[-1:] == ("id",) and _has_both_parties(messages, name)]
    if not names:
        return [talk]
    keys = [max(names, key=partial(points, "dialogue"))]
    turns = [name for name in plain if points("turn", name) >= 5 and name not in keys]
    turn = max(turns, key=partial(points, "turn"), default="")

    def key_of(message: _Row) -> tuple[str, ...]:
        return tuple(str(message[name]) for name in keys)

    if turn:
        for name in sorted(repeated, key=lambda name: -points("trial", name)):
            is_part = points("trial", name) or points("name of a system", name) or points("task", name) >= 6
            if name != turn and is_part and len({(*key_of(each), each[turn]) for each in messages}) < len(messages):
                keys.append(name)
        if len({(*key_of(each), each[turn]) for each in messages}) < len(messages):
            raise InputError(
                f"turns of a dialogue have the same {turn}; name the field of ids: --columns dialogue=NAME"
            )
    grouped: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for message in messages:
        grouped.setdefault(key_of(message), []).append(message)
    return [
        Talk(_in_order(each), {**talk.record, **_common(each), "@key": ":".join(key)}) for key, each in grouped.items()
    ]


def _has_both_parties(messages: Sequence[_Row], column: str) -> bool:
    """True if the user and the system speak under each of several values of a column."""
    parties: dict[str, set[str]] = {}
    for message in messages:
        parties.setdefault(str(message[column]), set()).add(party_of(str(message["role"])))
    return len(parties) > 1 and all(each >= {"user", "system"} for each in parties.values())


def _common(messages: Sequence[_Row]) -> dict[str, Any]:
    first = messages[0]
    return {
        key: value
        for key, value in first.items()
        if key not in ("role", "content") and all(each.get(key) == value for each in messages)
    }


def _in_order(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages by their turn numbers, if they have numbers that are all different."""
    names = [name for name in messages[0] if points("turn", name) >= 2]
    for name in sorted(names, key=lambda name: -points("turn", name)):
        numbers = [number_or_nan(str(each.get(name))) for each in messages]
        if len({*numbers}) == len(numbers) and all(map(isfinite, numbers)):
            return [each for _, each in sorted(zip(numbers, messages, strict=True), key=lambda pair: pair[0])]
    return messages


def _with_roles(talks: Sequence[Talk]) -> list[Talk]:
    """Return the dialogues with the roles user, assistant, tool and system, without messages of other roles."""
    words = {str(message["role"]) for talk in talks for message in talk.messages}
    orders = [[str(message["role"]) for message in talk.messages] for talk in talks]
    answers = any(
        word in _PROMPTS and party_of(before) == "user" for order in orders for before, word in pairwise(order)
    )
    has_assistant = not answers or any(party_of(word) == "system" for word in words - {"system", "sys", "s", "a"})

    def role_of(word: str) -> str:
        if word in _PROMPTS and (has_assistant or word in ("developer", "system_prompt")):
            return "system"
        return "tool" if word in _TOOLS else _ROLES.get(party_of(word), "")

    return [
        talk._replace(
            messages=[
                {**message, "role": role}
                for message in talk.messages
                if (role := role_of(message["role"])) or is_call(message) or is_result(message)
            ]
        )
        for talk in talks
    ]


def _calls_tools(talk: Talk) -> bool:
    return any(step.calls for step in read_messages(talk.messages).steps)


# Fields of records


def _leaves(node: Any, path: str = "", depth: int = 4) -> dict[str, Any]:
    """Return the fields of a record to a depth, by path. Lists of named values are fields, too."""
    found: dict[str, Any] = {}
    for key, written in node.items():
        name = f"{path}.{key}" if path else str(key)
        decoded = _decoded(written) if isinstance(written, str) and written[:1] == "{" else None
        value = decoded if isinstance(decoded, dict) else written
        if isinstance(value, dict) and depth > 1:
            if {"n", "avg"} <= value.keys():
                found[name] = value["avg"]
            else:
                found |= _leaves(value, name, depth - 1)
        elif isinstance(value, list):
            for each in (one for one in value if isinstance(one, dict)):
                label = next((each[key] for key in _LABELS if isinstance(each.get(key), str)), None)
                inner = each["feedback"] if isinstance(each.get("feedback"), dict) else each
                if label is not None:
                    found[f"{name}.{label}"] = next((inner[key] for key in _MARKS if inner.get(key) is not None), None)
        elif not isinstance(value, dict):
            found[name] = value
    return found


def _field(talk: Talk, name: str) -> Any:
    return _leaves(talk.record).get(name) if name else None


def _all_names(rows: Iterable[_Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _check_field(key: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        wrong = f"no field {one_line(name)!r} (--columns {key}={one_line(name)})"
        raise InputError(f"{wrong}; {did_you_mean(name, names)}")


def _best(names: Iterable[str], role: str, least: int) -> str:
    best = max(names, key=lambda name: points(role, _last(name)), default="")
    return best if best and points(role, _last(best)) >= least else ""


def _id_field(talks: Sequence[Talk], rows: Sequence[_Row]) -> str:
    """Return the field with a different id for each dialogue."""
    keys = {talk.record.get("@key") for talk in talks}
    if talks and None not in keys and len(keys) == len(talks):
        return "@key"
    names = [name for name in _all_names(rows) if name.count(".") < 2 and points("dialogue", _last(name)) >= 2]
    names = [name for name in names if not points("not a dialogue", _last(name))]
    given = {name: [row[name] for row in rows if row.get(name) is not None] for name in names}
    ids = [
        name
        for name, values in given.items()
        if values and len({*map(str, values)}) == len(values) and all(map(_is_id, values))
    ]
    return max(ids, key=lambda name: points("dialogue", _last(name)), default="")


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != "" and len(str(value)) <= 200


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _task_field(rows: Sequence[_Row]) -> str:
    """Return the field of tasks, by its name; else the field of ids that are repeated, as often as there are trials.

    Raises:
        InputError: several fields may be that.
    """
    known: dict[str, int] = {}
    repeated: dict[str, int] = {}
    for name in _all_names(rows):
        last = _last((_last(name) in ("id", "name") and name.rpartition(".")[0]) or name)
        if name.count(".") > 3 or points("outcome", last) >= 5 or not all(_is_id(row.get(name)) for row in rows):
            continue
        known[name] = points("task", last)
        named = max(points("item", last), points("dialogue", last))
        if named > points("trial", last) and not points("not a dialogue", last) and _has_trials(rows, name):
            repeated[name] = named
    sure = [
        name
        for name, found in known.items()
        if found >= 6 or (found >= 3 and 1 < len({row[name] for row in rows}) < len(rows))
    ]
    if sure:
        return max(sure, key=lambda name: (known[name], -name.count(".")))
    most = [name for name, found in repeated.items() if found == max(repeated.values()) or "@key" in repeated]
    if len({tuple(map(str, (row[name] for row in rows))) for name in most}) > 1:
        answers = " or ".join(f"--columns task={name}" for name in most[:3])
        raise InputError(f"which field is the task: {' or '.join(most[:3])}? Answer with {answers}")
    return most[0] if most else ""


def _has_trials(rows: Sequence[_Row], task: str) -> bool:
    """True if a field may hold tasks: it has the goal of each, and a field counts its trials, or all have as many."""
    runs = Counter(str(row[task]) for row in rows)
    if len(runs) == len(rows):
        return False
    names = [name for name in _all_names(rows) if points("outcome", _last(name)) < 8]
    goals = [name for name in names if points("goal", _last(name)) >= 5]
    has_own_goals = all(len({(str(row[task]), str(row.get(goal))) for row in rows}) == len(runs) for goal in goals)
    trial = _trial_field(rows, task)
    if len(runs) == 1:
        ids = [
            each
            for each in names
            if points("item", each) >= 6 and len({str(row.get(each)) for row in rows}) == len(rows)
        ]
        if ids and " " in next(iter(runs)):
            return False
        return has_own_goals and points("item", _last(task)) >= 6 and points("dialogue", _last(task)) < 7
    is_counter = bool(trial) and len({row[trial] for row in rows}) < len(rows)
    return has_own_goals and (is_counter or len({*runs.values()}) == 1)


def _whole(value: Any) -> Any:
    """Return a whole number that is written as a number or as digits; None for any other value."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return value if type(value) is int else None


def _trial_field(rows: Sequence[_Row], task: str) -> str:
    """Return the field that counts the trials of each task."""
    counts = [
        name
        for name in (_all_names(rows) if task else [])
        if points("trial", _last(name))
        and points("outcome", _last(name)) < 8
        and all(_whole(row.get(name)) is not None for row in rows)
        and len({(str(row[task]), row[name]) for row in rows}) == len(rows)
    ]
    return max(counts, key=lambda name: points("trial", _last(name)), default="")


def _refuse_trials(rows: Sequence[_Row]) -> None:
    """Refuse a log whose trials are numbered, but whose tasks are not known."""
    for name in _all_names(rows):
        numbers = Counter(_whole(row.get(name)) for row in rows)
        is_counter = {*numbers} in ({*range(len(numbers))}, {*range(1, len(numbers) + 1)})
        if points("trial", _last(name)) < 5 or not is_counter or len(numbers) < 2 or min(numbers.values()) < 2:
            continue
        ids = [each for each in _all_names(rows) if each != name and all(_is_id(row.get(each)) for row in rows)]
        answers = [f"--columns task={each}" for each in ids if 2 * len({row[each] for row in rows}) <= len(rows)]
        listed = " or ".join(answers[:3]) or "--columns task=NAME"
        raise InputError(f"{name} counts trials, but which field is the task? Answer with {listed}")


def _refuse_systems(rows: Sequence[_Row], task: str) -> None:
    """Refuse a log with several systems: their trials are not trials of one task."""
    for name in _all_names(rows):
        is_file = name in ("@file", "@key") and len({row.get(name) for row in rows}) * 2 <= len(rows)
        is_system = points("name of a system", _last(name)) >= 10 or is_file
        if not is_system or not all(_is_id(row.get(name)) for row in rows):
            continue
        tasks: dict[str, set[str]] = {}
        for row in rows:
            tasks.setdefault(str(row[name]), set()).add(str(row[task]))
        if 1 < len(tasks) <= 20 and len(set.intersection(*tasks.values())) * 2 >= len(set.union(*tasks.values())):
            listed = ", ".join(map(one_line, tasks))
            answer = f'--columns "task={task} where={name}:{one_line(next(iter(tasks)))}"'
            raise InputError(f"the log holds {len(tasks)} systems by {name}: {listed}; score one of them with {answer}")


def _goal(record: _Row) -> tuple[Any, str]:
    """Return the goal of a record as structured goal and as text."""
    best = _best([name for name, value in record.items() if value], "goal", 5)
    value = record.get(best) if best else None
    if isinstance(value, str):
        return None, value
    if isinstance(value, dict):
        if text := task_in(value):
            return None, text
        if any(isinstance(part, dict) and {"info", "reqt", "book"} & part.keys() for part in value.values()):
            return goal_in(value), ""
        text = "; ".join(f"{name}: {each}" for name, each in _leaves(value).items())
        constraints, requests = (value.get(_best(value, role, 8)) for role in ("constraints", "requests"))
        if isinstance(constraints, list) and all(isinstance(each, list) and len(each) == 2 for each in constraints):
            constraints = {str(slot): wanted for slot, wanted in constraints}
        if isinstance(constraints, dict) and isinstance(requests, list | dict | None):
            return goal_in(_by_domain(constraints, requests or [], str(value.get("domain", "goal")))), text
        return None, _goal(value)[1] or text
    return None, ""


def _by_domain(constraints: _Row, requests: list[Any] | _Row, domain: str) -> dict[str, dict[str, Any]]:
    """Return a goal by domain: its parts may hold domains, or slots such as ``hotel-area``.

    Example:
        >>> _by_domain({"hotel": {"area": "east"}}, ["taxi-phone"], "goal")
        {'hotel': {'info': {'area': 'east'}, 'reqt': {}}, 'taxi': {'info': {}, 'reqt': {'phone': None}}}
    """
    goal: dict[str, dict[str, Any]] = {}
    for part, given in (("info", constraints), ("reqt", requests)):
        slots = given if isinstance(given, dict) else dict.fromkeys(map(str, given))
        for name, value in slots.items():
            head, hyphen, slot = name.partition("-")
            is_domain = isinstance(value, dict) or (part == "reqt" and isinstance(value, list))
            found = dict.fromkeys(value) if isinstance(value, list) else value if is_domain else {slot or name: value}
            parts = goal.setdefault(name if is_domain else head if hyphen else domain, {"info": {}, "reqt": {}})
            parts[part].update(found)
    return goal


def _error(record: _Row) -> str:
    """Return the error that a record names."""
    for name, value in _leaves(record, depth=3).items():
        last = _last(name)
        is_inside = last in ("message", "type") and points("error", name.rpartition(".")[0].rpartition(".")[2]) >= 9
        if (points("error", last) >= 9 or is_inside) and (value is True or isinstance(value, str)):
            text = "an error" if value is True else value
            if word_of(text) not in _NOTHING and word_of(text) not in ("false", "no", "0"):
                return text
    return ""


# Outcomes


def _outcome_points(name: str, values: Sequence[Any]) -> int:
    parent, _, last = name.rpartition(".")
    own = points("outcome", last)
    above = points("outcome", parent.rpartition(".")[2])
    if last in ("value", "score", "passed", "label", "avg", "mean"):
        own = max(own, above)
    is_rating = points("rating", parent.rpartition(".")[2]) >= 8 and not above
    if not own or (own < 7 and (points("gold", last) >= 7 or is_rating)):
        return 0
    is_boolean = all(isinstance(value, bool) or word_of(value) in ("true", "false") for value in values)
    is_binary = all(str(value) in ("0", "1", "0.0", "1.0") for value in values)
    return own + (3 if is_boolean else 2 if is_binary else 0) + (2 if above >= 9 else 0)


_RIVAL = 5
"""A field with so many points may say success if the surest one is the same in all runs."""
_RULE = re.compile(r"(.+?)(?:(>=)(-?[\d.]+)|:(.+))")


def _reward(talk: Talk, outcome: str) -> float | None:
    """Return the outcome of a dialogue; None if it has none."""
    if not outcome:
        return None
    match = _RULE.fullmatch(outcome)
    value = _leaves(talk.record).get(match[1] if match else outcome)
    if value is None or word_of(value) in _NOTHING:
        return None
    if match and match[2]:
        return float(number_or_nan(str(value)) >= float(match[3]))
    if match:
        return float(word_of(value) in {word_of(each) for each in match[4].split("|")})
    return share_of(value)


def _outcome(rows: Sequence[_Row], given: str) -> tuple[str, str]:
    """Return the field that says whether the task was reached, or the question that a person can answer."""
    names = _all_names(rows)
    columns = {
        name: [row[name] for row in rows if row.get(name) is not None and word_of(row[name]) not in _NOTHING]
        for name in names
    }
    if given:
        match = _RULE.fullmatch(given)
        name = match[1] if match else given
        _check_field("outcome", name, names)
        if question := "" if match else _question(name, columns[name]):
            raise InputError(question)
        return given, ""
    ranked = sorted(
        ((_outcome_points(name, values), name) for name, values in columns.items() if values), key=lambda each: -each[0]
    )
    ranked = [each for each in ranked if each[0]]
    if not ranked:
        return "", ""
    most, best = ranked[0]
    if most < _SURE:
        sure = (
            _question(best, columns[best])
            or f"does {best} say whether the task was reached? Answer with --columns outcome={best}"
        )
        return "", sure if len({*map(str, columns[best])}) > 1 else ""
    if question := _question(best, columns[best]):
        return "", question
    is_constant = len({*map(share_of, columns[best])}) == 1
    for count, name in ranked[1:]:
        # What is the same in all runs may mean that they ended; a less sure name then counts if it says yes and no.
        is_rival = most - count <= 2 or (is_constant and count >= _RIVAL and {*map(share_of, columns[name])} == {0, 1})
        if not is_rival or _question(name, columns[name]):
            continue
        pairs = [
            (share_of(row[best]), share_of(row[name]))
            for row in rows
            if row.get(best) is not None and row.get(name) is not None
        ]
        if any(one != other for one, other in pairs):
            asked = f"which field says whether the task was reached: {best} or {name}?"
            return "", f"{asked} Answer with --columns outcome={best} or --columns outcome={name}"
    return best, ""


def _truths(rows: Sequence[_Row]) -> str:
    """Return what must be asked about a log without an outcome that is known by its name."""
    columns = {name: [row[name] for row in rows if row.get(name) is not None] for name in _all_names(rows)}
    names = [name for name, values in columns.items() if _may_say_outcome(values)]
    answers = " or ".join(f"--columns outcome={name}" for name in names[:3])
    return f"no field is known to say whether the task was reached; if one does, name it: {answers}" if names else ""


def _may_say_outcome(values: Sequence[Any]) -> bool:
    """True for true and false, and for words and numbers that mean success and failure."""
    is_binary = len({*map(str, values)}) == 2 and all(share_of(value) in (0, 1) for value in values)
    return bool(values) and (is_binary or all(isinstance(value, bool) for value in values))


def _question(name: str, values: Sequence[Any]) -> str:
    """Return what must be asked about an outcome whose values are not known to mean success or failure."""
    unknown = [value for value in values if share_of(value) is None]
    if not unknown:
        return ""
    if isinstance(unknown[0], int | float) or isfinite(number_or_nan(str(unknown[0]))):
        numbers = sorted({number_or_nan(str(value)) for value in values})
        return f'{name} is not between 0 and 1 (up to {numbers[-1]:g}): from which value on was the task reached? Answer with --columns "outcome={name}>={numbers[-1]:g}"'
    words = list(dict.fromkeys(one_line(str(value), 30) for value in values))
    good = next((word for word in words if share_of(word) == 1), words[0])
    shown = ", ".join(words[:5])
    return (
        f'which words of {name} mean that the task was reached: {shown}? Answer with --columns "outcome={name}:{good}"'
    )
