"""Logs, conversations and ratings as people have them: files made here, with the figures that they must give."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class Natural(NamedTuple):
    """A file: its name, its text, and its figures."""

    name: str
    text: str
    figures: dict[str, Any]


def _lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _otlp(**values: str) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in values.items()]


def _anthropic(task: str, attempt: int, passed: bool, calls: int) -> dict[str, Any]:
    messages: list[Any] = [{"role": "user", "content": "Cancel my order, please."}]
    for place in range(calls):
        block = {"type": "tool_use", "id": f"toolu_{place}", "name": "cancel_order", "input": {"order": place}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{place}", "content": "done"}
        messages += [{"role": "assistant", "content": [{"type": "text", "text": "One moment."}, block]}]
        messages += [{"role": "user", "content": [result]}]
    messages.append({"role": "assistant", "content": [{"type": "text", "text": "It is cancelled."}]})
    return {"task": task, "attempt": attempt, "model": "claude-x", "messages": messages, "passed": passed}


def _responses(case: str, score: int, calls: Sequence[str]) -> dict[str, Any]:
    output: list[Any] = []
    for place, name in enumerate(calls):
        output += [{"type": "function_call", "call_id": f"c{place}", "name": name, "arguments": '{"q": "x"}'}]
        output += [{"type": "function_call_output", "call_id": f"c{place}", "output": "{}"}]
    output.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Here it is."}]})
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Find me a lamp."}]}
    return {"test_case": case, "input": [asked], "output": output, "grading": {"score": score, "grader": "rule"}}


def _vapi(name: str, success: str, tools: int) -> dict[str, Any]:
    call = {"id": "t", "type": "function", "function": {"name": "lookup", "arguments": {"phone": "+1"}}}
    messages: list[Any] = [{"role": "system", "message": "You answer the phone."}]
    messages += [
        {"role": "bot", "message": "Hello!", "time": 1},
        {"role": "user", "message": "Am I booked?", "time": 2},
    ]
    messages += [
        each
        for _ in range(tools)
        for each in (
            {"role": "tool_calls", "toolCalls": [call], "message": "", "time": 3},
            {"role": "tool_call_result", "name": "lookup", "result": "yes", "toolCallId": "t", "time": 4},
        )
    ]
    messages.append({"role": "bot", "message": "You are.", "time": 5})
    return {
        "id": name,
        "endedReason": "customer-ended-call",
        "messages": messages,
        "analysis": {"successEvaluation": success},
    }


def _langgraph(thread: str, done: bool, calls: int) -> dict[str, Any]:
    messages: list[Any] = [{"type": "human", "content": "Rain in Oslo?", "id": "h"}]
    for place in range(calls):
        call = {"name": "forecast", "args": {"city": "Oslo"}, "id": f"k{place}", "type": "tool_call"}
        copy = {
            "tool_calls": [{"id": f"k{place}", "function": {"name": "forecast", "arguments": "{}"}, "type": "function"}]
        }
        messages += [{"type": "ai", "content": "", "tool_calls": [call], "additional_kwargs": copy}]
        messages += [{"type": "tool", "content": "rain", "tool_call_id": f"k{place}", "name": "forecast"}]
    messages.append({"type": "ai", "content": "Yes, take a coat.", "tool_calls": [], "additional_kwargs": {}})
    return {"thread_id": thread, "values": {"messages": messages}, "metadata": {"scenario": thread}, "succeeded": done}


def _langsmith(trace: str, avg: float, tools: int) -> list[dict[str, Any]]:
    asked = [{"role": "user", "content": "Pay the bill."}]
    reply = {"role": "assistant", "content": "Paid."}
    root = {
        "id": trace, "trace_id": trace, "parent_run_id": None, "name": "agent", "run_type": "chain", "error": None,
        "inputs": {"messages": asked}, "outputs": {"messages": [*asked, reply]},
        "feedback_stats": {"correctness": {"n": 1, "avg": avg}, "latency_ok": {"n": 1, "avg": 0.25}},
    }  # fmt: skip
    spans = [
        {"id": f"{trace}-t{place}", "trace_id": trace, "parent_run_id": trace, "name": "pay", "run_type": "tool",
         "inputs": {"input": "{'bill': 3}"}, "outputs": {"output": "ok"}, "error": None}
        for place in range(tools)
    ]  # fmt: skip
    model = {
        "id": f"{trace}-m", "trace_id": trace, "parent_run_id": trace, "name": "ChatOpenAI", "run_type": "llm",
        "inputs": {"messages": asked}, "outputs": {"choices": [{"message": reply}]}, "error": None,
    }  # fmt: skip
    return [root, *spans, model]


def _otlp_trace(trace: str, passed: str, tools: int) -> list[dict[str, Any]]:
    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Open the gate."}]}])
    said = json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "It is open."}], "finish_reason": "stop"}]
    )
    root = {
        "traceId": trace, "spanId": f"{trace}0", "parentSpanId": "", "name": "invoke_agent gate",
        "attributes": _otlp(gen_ai__operation__name="invoke_agent", eval__task__id=f"gate-{trace}", eval__passed=passed),
    }  # fmt: skip
    model = {
        "traceId": trace, "spanId": f"{trace}1", "parentSpanId": f"{trace}0", "name": "chat m",
        "attributes": _otlp(gen_ai__operation__name="chat", gen_ai__input__messages=asked, gen_ai__output__messages=said),
    }  # fmt: skip
    calls = [
        {"traceId": trace, "spanId": f"{trace}{place + 2}", "parentSpanId": f"{trace}0", "name": "execute_tool open",
         "attributes": _otlp(gen_ai__operation__name="execute_tool", gen_ai__tool__name="open")}
        for place in range(tools)
    ]  # fmt: skip
    return [root, *calls, model]


def _bedrock(task: str, run: int, solved: bool, error: str | None) -> dict[str, Any]:
    history: list[Any] = [{"role": "user", "content": [{"text": "Reset my password."}]}]
    if not error:
        use = {"toolUse": {"toolUseId": "u1", "name": "reset", "input": {"user": "me"}}}
        result = {"toolResult": {"toolUseId": "u1", "content": [{"text": "sent"}], "status": "success"}}
        history += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        history += [{"role": "assistant", "content": [{"text": "Look at your mail."}]}]
    return {"scenario": task, "run": run, "history": history, "solved": solved, "exception": error}


def _study(item: int, marks: dict[str, int]) -> dict[str, Any]:
    return {"id": f"x{item}", "prompt": "Hello", "reply": f"Good day {item}", "ratings": marks}


def _label_studio(number: int, marks: dict[int, int]) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"dialogue": [{"author": "user", "text": "Hi"}, {"author": "bot", "text": "Hello"}]},
        "annotations": [
            {"id": number * 10 + who, "completed_by": who, "was_cancelled": False, "result": [
                {"from_name": "quality", "to_name": "dialogue", "type": "rating", "value": {"rating": mark}},
                {"from_name": "note", "to_name": "dialogue", "type": "textarea", "value": {"text": ["ok"]}},
            ]}
            for who, mark in marks.items()
        ],
        "predictions": [],
    }  # fmt: skip


def _prodigy(number: int, who: str, answer: str) -> dict[str, Any]:
    return {
        "text": f"U: hi\nS: hello {number}", "_input_hash": 900 + number, "_task_hash": 7000 + number, "answer": answer,
        "_annotator_id": f"data-{who}", "_session_id": f"data-{who}", "_view_id": "classification", "label": "POLITE",
    }  # fmt: skip


_RUNS = [_anthropic("cancel", 1, True, 2), _anthropic("cancel", 2, False, 1), _anthropic("double", 1, True, 0)]
_RUNS += [_anthropic("double", 2, True, 1)]
_OPEN = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [
    *_otlp_trace("a", "true", 2), *_otlp_trace("b", "false", 1), *_otlp_trace("c", "true", 0)]}]}]}  # fmt: skip
_SPEECH = [("k1", "visitor", "Is there a lift?"), ("k1", "bot", "Yes, by the stairs."), ("k1", "visitor", "Thanks")]
_SPEECH += [("k2", "visitor", "Closed today?"), ("k2", "bot", "Open till six."), ("k2", "bot", "Come by!")]


def _calls(names: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the messages of a dialogue with calls of tools."""
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(names)
    ]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
    asked: list[dict[str, Any]] = [{"role": "user", "content": "Is it open?"}]
    called = [{"role": "assistant", "content": None, "tool_calls": calls}] if calls else []
    return [*asked, *called, *results, {"role": "assistant", "content": "Until six."}]


def _flat_spans(trace: str, tools: Sequence[str], passed: str) -> list[dict[str, Any]]:
    """Returns spans as a database of OpenTelemetry keeps them."""

    def span(name: str, kind: str, at: int, **attributes: str) -> dict[str, Any]:
        fields = {"gen_ai.operation.name": kind, **{key.replace("__", "."): value for key, value in attributes.items()}}
        return {
            "Timestamp": f"2026-01-01T00:00:0{at}",
            "TraceId": trace,
            "SpanId": f"{kind}{at}",
            "ParentSpanId": "root" * bool(at),
            "SpanName": name,
            "SpanKind": "Internal",
            "SpanAttributes": fields,
            "StatusCode": "Ok",
            "StatusMessage": "",
        }

    said = (
        {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "Bye"}]},
    )
    return [
        span("agent", "invoke_agent", 0, eval__task=trace, eval__passed=passed),
        *(span(name, "execute_tool", at, gen_ai__tool__name=name) for at, name in enumerate(tools, 1)),
        span(
            "chat",
            "chat",
            9,
            gen_ai__input__messages=json.dumps(said[:1]),
            gen_ai__output__messages=json.dumps(said[1:]),
        ),
    ]


def _phone_call(number: int, tools: Sequence[str], successful: bool) -> dict[str, Any]:
    """Returns a call with three transcripts; one of them has all that the others have."""
    calls = [
        part
        for at, name in enumerate(tools)
        for part in (
            {"role": "tool_call_invocation", "tool_call_id": f"{at}", "name": name, "arguments": "{}"},
            {"role": "tool_call_result", "tool_call_id": f"{at}", "content": "ok"},
        )
    ]
    said = [
        {"role": "agent", "content": "Hello?"},
        {"role": "user", "content": "Friday, please."},
        {"role": "agent", "content": "At nine."},
    ]
    return {
        "call_id": f"c{number}",
        "transcript": "Agent: Hello?\nUser: Friday, please.\nAgent: At nine.\n",
        "transcript_object": said,
        "transcript_with_tool_calls": [*said[:2], *calls, *said[2:]],
        "call_analysis": {"call_successful": successful},
    }


def _autogen(task: str, rep: int, tools: Sequence[str], success: bool) -> dict[str, Any]:
    """Returns a run with events of calls, by an agent with a name."""
    events = [
        {"source": "waiter", "type": kind, "content": [block]}
        for at, name in enumerate(tools)
        for kind, block in (
            ("ToolCallRequestEvent", {"id": f"{at}", "name": name, "arguments": "{}"}),
            ("ToolCallExecutionEvent", {"call_id": f"{at}", "name": name, "content": "ok", "is_error": False}),
        )
    ]
    said = [
        {"source": who, "type": "TextMessage", "content": text}
        for who, text in (("user", "Lunch!"), ("waiter", "Here."))
    ]
    return {"scenario": task, "rep": rep, "messages": [said[0], *events, said[1]], "success": success}


def _dspy(number: int, tools: Sequence[str], score: float) -> dict[str, Any]:
    steps = {
        f"{key}_{at}": value
        for at, name in enumerate([*tools, "finish"])
        for key, value in (("thought", "hm"), ("tool_name", name), ("tool_args", {"q": at}), ("observation", "ok"))
    }
    return {
        "example_id": f"e{number}",
        "question": "When is the next train?",
        "trajectory": steps,
        "answer": "At nine.",
        "score": score,
    }


def _pairwise(number: int, by: dict[int, str]) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"prompt": f"q{number}", "answer1": "yes", "answer2": "no"},
        "annotations": [
            {"completed_by": who, "result": [{"type": "pairwise", "from_name": "cmp", "value": {"selected": side}}]}
            for who, side in by.items()
        ],
    }


def _argilla(number: int, given: Sequence[tuple[str, str, int | None]]) -> dict[str, Any]:
    return {
        "id": f"r{number}",
        "fields": {"prompt": f"p{number}", "response": f"a{number}"},
        "suggestions": [{"question_name": "quality", "value": 2}],
        "responses": [
            {"user_id": who, "status": status, "values": value and {"quality": {"value": value}}}
            for who, status, value in given
        ],
    }


NATURAL = (
    Natural("anthropic.jsonl", _lines(_RUNS), {"trials": 4, "tasks": 2, "success": 0.75, "pass^2": 0.5, "tool_calls": 4}),
    Natural(
        "responses_eval.json",
        json.dumps([_responses("lamp", 1, ["search", "open"]), _responses("rug", 0, []), _responses("bed", 0, ["search"])]),
        {"trials": 3, "tasks": 3, "success": 0.3333, "tool_calls": 3},
    ),
    Natural(
        "vapi_calls.json",
        json.dumps([_vapi("c1", "true", 1), _vapi("c2", "false", 0), _vapi("c3", "true", 2)]),
        {"trials": 3, "tasks": 3, "success": 0.6667, "tool_calls": 3},
    ),
    Natural(
        "threads.json",
        json.dumps({"threads": [_langgraph("oslo", True, 1), _langgraph("bergen", False, 2)]}),
        {"trials": 2, "tasks": 2, "success": 0.5, "tool_calls": 3},
    ),
    Natural(
        "langsmith_runs.jsonl",
        _lines([*_langsmith("t1", 1.0, 2), *_langsmith("t2", 0.0, 1), *_langsmith("t3", 1.0, 1)]),
        {"trials": 3, "tasks": 3, "success": 0.6667, "tool_calls": 4},
    ),
    Natural("otel.json", json.dumps(_OPEN), {"trials": 3, "tasks": 3, "success": 0.6667, "tool_calls": 3}),
    Natural(
        "bedrock.json",
        json.dumps({"runs": [_bedrock("reset", 0, True, None), _bedrock("reset", 1, False, "ReadTimeoutError: 504"),
                             _bedrock("mail", 0, False, None), _bedrock("mail", 1, True, None)]}),
        {"trials": 4, "tasks": 2, "success": 0.5, "pass^2": 0.0, "tool_calls": 3, "crashed": 1},
    ),
    Natural(
        "transcripts.csv",
        "conv_id,who,said\n" + "".join(f'{name},{who},"{text}"\n' for name, who, text in _SPEECH),
        {"dialogues": 2, "replies": 3},
    ),
    Natural(
        "helpdesk.json",
        json.dumps({"tickets": [
            {"ticket": 1, "thread": [{"author": {"name": "Ida", "role": "customer"}, "body": "It is broken."},
                                     {"author": {"name": "Bo", "role": "agent"}, "body": "Which part?"},
                                     {"author": {"name": "Ida", "role": "customer"}, "body": "The lid."},
                                     {"author": {"name": "Bo", "role": "agent"}, "body": "We send one."}]},
            {"ticket": 2, "thread": [{"author": {"name": "Per", "role": "customer"}, "body": "Refund?"},
                                     {"author": {"name": "Bo", "role": "agent"}, "body": "Within a week."}]}]}),
        {"dialogues": 2, "replies": 3},
    ),
    Natural("raters.csv", "dialogue,ann,bob,carla\nd1,4,5,3\nd2,2,,1\nd3,5,5,4\n", {"items": 3, "raters": 3, "mean": 3.625}),
    Natural(
        "by_rater.jsonl",
        _lines([_study(1, {"lea": 4, "tom": 2}), _study(2, {"lea": 5, "tom": 5}), _study(3, {"lea": 1})]),
        {"items": 3, "raters": 2, "mean": 3.4},
    ),
    Natural(
        "label_studio.json",
        json.dumps([_label_studio(1, {1: 4, 2: 5}), _label_studio(2, {1: 2, 2: 2}), _label_studio(3, {2: 3})]),
        {"items": 3, "raters": 2, "mean": 3.2},
    ),
    Natural(
        "prodigy.jsonl",
        _lines(_prodigy(number, who, answer) for number, who, answer in (
            (1, "kim", "accept"), (1, "lou", "accept"), (2, "kim", "reject"), (2, "lou", "accept"), (3, "kim", "ignore"),
            (3, "lou", "reject"))),
        {"items": 3, "raters": 2, "mean": 0.6},
    ),
    Natural(
        "verdicts.tsv",
        "sample_id\tassessor\tverdict\n" + "".join(
            f"s{item}\t{who}\t{mark}\n" for item, who, mark in (
                (1, "A", "pass"), (1, "B", "fail"), (2, "A", "pass"), (2, "B", "pass"))),
        {"items": 2, "raters": 2, "mean": 0.75},
    ),
    Natural(
        "words.csv",
        "chat_id;reviewer;overall quality\n" + "".join(
            f"{item};{who};{word}\n" for item, who, word in (
                ("q1", "x", "Excellent"), ("q1", "y", "Very good"), ("q2", "x", "Poor"), ("q2", "y", "Fair"))),
        {"items": 2, "raters": 2, "mean": 3.0},
    ),
    Natural(
        "preferences.jsonl",
        _lines({"prompt": f"Question {place}", "chosen": "Yes.", "rejected": "No.", "chosen_model": one, "rejected_model": other}
               for place, (one, other) in enumerate((("m1", "m2"), ("m1", "m2"), ("m2", "m1"), ("m1", "m2")))),
        {"items": 4, "win_rate": {"m1": 0.75, "m2": 0.25}},
    ),
    Natural(
        "personas.json",
        json.dumps({f"sim-{place}": {"scenario": {"goal": goal, "persona": "brief"}, "dialogue": [
            {"from": "simulator", "message": "Hello"}, {"from": "assistant", "message": "Hi!"}]}
            for place, goal in enumerate(("Buy two tickets for the late film.", "Find out when the pool opens."))}),
        {"dialogues": 2, "replies": 2, "goals": 2},
    ),
    Natural(
        "spans.jsonl",
        _lines([*_flat_spans("a", ["find"], "true"), *_flat_spans("b", ["find", "book"], "false")]),
        {"trials": 2, "tasks": 2, "success": 0.5, "tool_calls": 3},
    ),
    Natural(
        "phone_calls.json",
        json.dumps([_phone_call(1, ["check", "book"], True), _phone_call(2, [], False)]),
        {"trials": 2, "success": 0.5, "tool_calls": 2, "replies": 4},
    ),
    Natural(
        "kickoffs.json",
        json.dumps({"success_rate": 0.1, "runs": [
            {"kickoff_id": f"k{at}", "tasks_output": [{"agent": "Concierge", "messages": _calls(["maps"])}],
             "evaluation": {"goal_reached": at != 2}} for at in range(3)]}),
        {"trials": 3, "tasks": 3, "success": 0.6667, "tool_calls": 3},
    ),
    Natural(
        "autogen.json",
        json.dumps({"success_rate": 1, "results": [_autogen("a", 0, ["menu", "order"], True), _autogen("a", 1, [], False)]}),
        {"trials": 2, "tasks": 1, "success": 0.5, "tool_calls": 2, "replies": 2},
    ),
    Natural("dspy.jsonl", _lines([_dspy(1, ["find"], 1.0), _dspy(2, ["find", "buy"], 0.0)]), {"trials": 2, "tasks": 2, "success": 0.5, "tool_calls": 3}),
    Natural(
        "chat_store.json",
        json.dumps({"store": {name: [{"role": role, "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hi"}]}
                                     for role in ("user", "assistant")] for name in ("ana", "ben")}, "class_name": "SimpleChatStore"}),
        {"dialogues": 2, "replies": 2},
    ),
    Natural(
        "experiment.jsonl",
        _lines({"id": f"e{at}", "input": [{"role": "user", "content": f"q{at}"}], "output": {"role": "assistant", "content": f"a{at}"},
                "expected": f"a{at}", "scores": {"task_success": at % 2, "Politeness": 0.75}} for at in range(2)),
        {"trials": 2, "tasks": 2, "success": 0.5, "replies": 2},
    ),
    Natural(
        "requests.jsonl",
        _lines({"request_id": at, "request": {"model": "m", "messages": [{"role": "user", "content": "Pool?"}]},
                "response": {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}} for at in range(3)),
        {"dialogues": 3, "replies": 3},
    ),
    Natural(
        "trials_by_task.json",
        json.dumps({"env": "retail", "results": {f"task_{task}": [{"reward": float(won), "messages": _calls(["find"])} for won in trials]
                                                 for task, trials in (("a", (1, 1, 0)), ("b", (0, 0, 1)))}}),
        {"trials": 6, "tasks": 2, "success": 0.5, "pass^2": 0.1667, "tool_calls": 6},
    ),
    Natural(
        "pairwise.json",
        json.dumps([_pairwise(1, {1: "left", 2: "left"}), _pairwise(2, {1: "right", 2: "left"}), _pairwise(3, {1: "right"})]),
        {"items": 3, "raters": 2, "mean": 0.6},
    ),
    Natural(
        "responses_by_user.jsonl",
        _lines([_argilla(1, [("ana", "submitted", 4), ("bo", "submitted", 5)]), _argilla(2, [("ana", "submitted", 3), ("bo", "discarded", None)])]),
        {"items": 2, "raters": 2, "mean": 4.0},
    ),
    Natural(
        "columns_of_responses.json",
        json.dumps([{"id": f"x{at}", "instruction": f"p{at}", "response": f"a{at}", "helpful.responses": given, "helpful.responses.users": ["ana", "bo"],
                     "helpful.responses.status": ["submitted", "draft"], "helpful.suggestion": 5} for at, given in enumerate(([4, 1], [2, 1]))]),
        {"items": 2, "raters": 1, "mean": 3.0},
    ),
    Natural(
        "qualtrics.csv",
        'StartDate,ResponseId,Finished,Q1_1,Q1_2\nStart Date,Response ID,Finished,Dialogue 1 - It helped,Dialogue 2 - It helped\n'
        + ",".join('"{""ImportId"":""x""}"' for _ in range(5)) + "\n2026,R_1,True,4,3\n2026,R_2,True,5,2\n",
        {"items": 2, "raters": 2, "mean": 3.5},
    ),
    Natural(
        "batch_results.csv",
        "HITId,Title,Reward,WorkerId,Input.dialogue_id,Input.response,Answer.fluency,Answer.relevance\n"
        "H1,Rate,$0.10,W1,d1,hello,5,4\nH1,Rate,$0.10,W2,d1,hello,4,4\nH2,Rate,$0.10,W1,d2,no,3,1\n",
        {"items": 2, "raters": 2, "mean": 4.0},
    ),
    Natural(
        "chosen_with_scores.jsonl",
        _lines({"prompt": f"q{at}", "prompt_id": f"p{at}", "chosen": _calls([]), "rejected": [*_calls([])[:1], {"role": "assistant", "content": "No."}],
                "messages": _calls([]), "score_chosen": 8.5 - at, "score_rejected": 3.0} for at in range(3)),
        {"items": 3, "mean": 1.0},
    ),
    Natural(
        "statements.csv",
        "participant,dialogue,statement,agreement\n" + "".join(f"{who},{item},{text},{word}\n" for who, item, text, word in (
            ("p1", "d1", "It was clear", "Strongly agree"), ("p1", "d1", "It was polite", "Agree"), ("p2", "d1", "It was clear", "Disagree"),
            ("p1", "d2", "It was clear", "Agree"), ("p2", "d2", "It was clear", "Agree"))),
        {"items": 2, "raters": 2, "mean": 3.75},
    ),
    Natural(
        "turn_ratings.json",
        json.dumps([{"dialog_id": name, "turns": [{"turn": at, "user": "Hi", "system": "Yo", "ratings": [
            {"annotator": who, "appropriateness": at + 2} for who in ("x", "y")]} for at in range(2)]} for name in ("d1", "d2")]),
        {"items": 4, "raters": 2, "mean": 2.5},
    ),
    Natural(
        "labels_by_person.json",
        json.dumps([{"conversation_id": f"c{at}", "messages": _calls([]), "annotations": {who: {"label": mark, "notes": ""} for who, mark in by.items()}}
                    for at, by in enumerate(({"ana": "pass", "bea": "fail"}, {"bea": "pass"}))]),
        {"items": 2, "raters": 2, "mean": 0.6667},
    ),
    Natural(
        "preferred.csv",
        "prompt_id,system_1,system_2,preferred,annotator\np1,a,b,a,kim\np1,a,b,b,lee\np2,b,a,b,kim\np2,b,a,tie,lee\n",
        {"items": 2, "raters": 2, "mean": 0.625},
    ),
    Natural(
        "one_hot.csv",
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        "1,x,y,q1,a,b,1,0,0\n2,x,y,q2,a,b,0,0,1\n",
        {"items": 2, "win_rate": {"x": 0.75, "y": 0.25}},
    ),
    Natural("by_trace.json", json.dumps({"t1": {"eva": "pass", "tim": "pass"}, "t2": {"eva": "fail"}}), {"items": 2, "raters": 2, "mean": 0.6667}),
    Natural(
        "sessions.jsonl",
        _lines({"text": f"r{at}", "label": "GOOD", "_input_hash": at, "_session_id": f"rate-{who}", "answer": mark}
               for at, who, mark in ((1, "ann", "accept"), (2, "ann", "reject"), (1, "bo", "accept"), (2, "bo", "accept"))),
        {"items": 2, "raters": 2, "mean": 0.75},
    ),
    Natural("turns.csv", "dialog_id,turn,response,rating\nd1,0,Hi,4\nd1,1,Yes,2\nd2,0,No,3\n", {"items": 3, "raters": 0, "mean": 3.0}),
    Natural(
        "test_results.json",
        json.dumps({"test_results": [{"name": f"case_{at}", "success": at == 0, "turns": [
            {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo", "tools_called": [{"name": "f", "input_parameters": {"a": 1}}]}]}
            for at in range(2)]}),
        {"trials": 2, "success": 0.5, "tool_calls": 2, "replies": 2},
    ),
)  # fmt: skip
