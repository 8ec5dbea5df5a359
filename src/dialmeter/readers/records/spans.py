"""Traces of observability tools: the Agents SDK, Langfuse, MLflow, LangSmith, and OpenTelemetry with GenAI or OpenInference names.

The calls of tools are spans; the messages are those of the last span of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...errors import InputError
from ..strict_json import REFUSALS, decode_json
from .names import letters_of

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "kind": (
        "run_type", "mlflow.spanType", "gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "span_type", "span_kind", "type",
        "kind",
    ),
    "trace": ("trace_id", "traceId"),
    "parent": ("parent_id", "parentId", "parent_run_id", "parentSpanId", "parent_span_id", "parentObservationId", "parent_observation_id"),
    "start": (
        "start_time", "startTime", "started_at", "startTimeUnixNano", "start_time_unix_nano", "start_time_ns",
    ),
    "name": ("gen_ai.tool.name", "tool.name", "name"),
    "input": (
        "input", "inputs", "mlflow.spanInputs", "gen_ai.input.messages", "gen_ai.prompt", "gen_ai.tool.call.arguments", "input.value",
    ),
    "output": (
        "output", "outputs", "response", "mlflow.spanOutputs", "gen_ai.output.messages", "gen_ai.completion", "gen_ai.tool.call.result",
        "output.value",
    ),
}  # fmt: skip
"""Field of a span → its names, for all tools."""
_KNOWN = frozenset(("attributes", "status_message", "status_code")).union(*_FIELDS.values())
_BY_LETTERS = {letters_of(name): name for name in sorted(_KNOWN)}
"""Letters of a name → the name."""
_MODEL_WORDS = "llm generation chat chat_model response completion text_completion generate_content"
_MODEL = frozenset(_MODEL_WORDS.split())
_TOOL = frozenset(["tool", "function", "execute_tool", "tool_call"])
_OTHER_WORDS = """agent chain span event trace.span invoke_agent create_agent workflow task retriever handoff guardrail parser
    unknown embedding embeddings reranker evaluator prompt custom mcp_tools turn"""
_OTHER = frozenset(_OTHER_WORDS.split())
_NESTED = ("child_runs", "children", "observations", "spans")
"""Fields that hold the spans of a trace, or the spans inside of a span."""
_CONTENT_WORDS = "messages choices candidates message generations kwargs output input content text question answer"
_CONTENTS = _CONTENT_WORDS.split()
"""Fields of the input or the output of a model that hold what is said, the most telling first."""
_DEEPEST = 7
_Row = Mapping[str, Any]
_MessagesOf = Callable[[Any], list[dict[str, Any]] | None]


def _decoded(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "[", '"'):
        try:
            return decode_json(value)
        except REFUSALS:
            return value
    return value


def _flat(span: _Row) -> dict[str, Any]:
    """Return a span with its attributes as fields; those of OpenTelemetry are a list of keys and values."""
    span = _by_known_name(span)
    attributes = span.get("attributes") or {}
    if isinstance(attributes, list):
        attributes = {
            each["key"]: next(iter(each.get("value", {}).values()), None) for each in attributes if "key" in each
        }
    parts = (attributes, span.get("span_data"), span.get("context"))
    inner = {key: value for part in parts if isinstance(part, Mapping) for key, value in part.items()}
    outer = {
        key.removeprefix("attributes.").removeprefix("context."): value
        for key, value in span.items()
        if key not in ("attributes", "context", "span_data", *_NESTED)
    }
    return {**outer, **_by_known_name({key: _decoded(value) for key, value in inner.items()})}


def _by_known_name(span: _Row) -> dict[str, Any]:
    """Return a span with the names of its known fields as they are in the table above: ``SpanName`` is ``name``."""
    return {
        key if key in _KNOWN else _BY_LETTERS.get(letters_of(key.removeprefix("Span")), key): value
        for key, value in span.items()
    }


def _get(span: _Row, field: str) -> Any:
    return next((span[name] for name in _FIELDS[field] if span.get(name) is not None), None)


def _kind(span: _Row) -> str:
    kind = _get(span, "kind")
    word = kind.lower().removeprefix("span_kind_") if isinstance(kind, str) else ""
    return "model" if word in _MODEL else "tool" if word in _TOOL else "other" if word in _OTHER else ""


def _is_span(value: Any, is_within: bool = False) -> bool:
    """True for a span. One in a list of spans (``is_within``) needs no name of its trace or its parent."""
    if not isinstance(value, Mapping):
        return False
    span = _flat(value)
    return bool((is_within or {*_FIELDS["trace"], *_FIELDS["parent"]} & span.keys()) and _kind(span))


def begins_trace(tree: Any) -> bool:
    """True if the first record of a file is a span, or the head of a trace."""
    first = tree[0] if isinstance(tree, list) and tree else tree
    return _is_span(first) or (isinstance(first, Mapping) and first.get("object") in ("trace", "trace.span"))


def traces_of(tree: Any) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return the traces of a parsed file: their record, and their spans.

    Example:
        >>> spans = [{"traceId": "a", "parentId": None, "type": "AGENT"}, {"traceId": "a", "parentId": "r", "type": "TOOL", "name": "find"}]
        >>> [(len(spans), record["id"]) for record, spans in traces_of([{"id": "a", "observations": spans}])]
        [(2, 'a')]
    """
    spans: dict[str, list[dict[str, Any]]] = {}
    records: dict[str, dict[str, Any]] = {}

    def look(node: Any, around: _Row, depth: int, is_within: bool = False) -> None:
        if isinstance(node, list) and any(_is_span(each, is_within) for each in node[:50]):
            own = [span for each in node if _is_span(each, is_within) for span in _with_children(each)]
            heads = [each for each in node if isinstance(each, dict) and not _is_span(each, is_within)]
            records.update({str(each["id"]): each for each in heads if "id" in each})
            names = [str(_get(span, "trace") or f"@{len(spans)}") for span in own]
            for name, span in zip(names, own, strict=True):
                spans.setdefault(name, []).append(span)
            if len({*names}) == 1:
                records[names[0]] = {**records.get(names[0], {}), **around}
        elif isinstance(node, list) and depth < _DEEPEST:
            for each in node:
                if isinstance(each, dict):
                    look(each, {key: value for key, value in each.items() if not _holds_spans(value)}, depth + 1)
        elif isinstance(node, dict) and depth < _DEEPEST:
            if _is_span(node) and any(key in node for key in _NESTED):
                look([node], {}, depth + 1)
                return
            for key, value in node.items():
                if isinstance(value, dict | list):
                    look(value, around, depth + 1, key in _NESTED)
                for each in value if isinstance(value, list) and key == "scores" else ():
                    if isinstance(each, dict) and (trace := _get(each, "trace")):
                        about = records.setdefault(str(trace), {})
                        about["scores"] = [*about.get("scores", ()), each]

    look(tree, {}, 0)
    if not any(_kind(span) in ("model", "tool") for own in spans.values() for span in own):
        return []
    found = []
    unknown = [own for trace, own in spans.items() if trace.startswith("@") and not records.get(trace)]
    if any(sum(not _get(span, "parent") for span in own) > 1 for own in unknown):
        raise InputError("spans of several traces without the id of their trace (trace_id)")
    for trace, own in spans.items():
        root = next((span for span in own if not _get(span, "parent")), own[0])
        about = {key: value for key, value in root.items() if key not in (*_FIELDS["input"], *_FIELDS["output"])}
        found.append(({**about, **records.get(trace, {})}, own))
    return found


def _holds_spans(value: Any) -> bool:
    inner = value.get("spans") if isinstance(value, dict) else value
    return isinstance(inner, list) and any(_is_span(each, is_within=True) for each in inner[:50])


def _with_children(span: _Row) -> Iterator[dict[str, Any]]:
    yield _flat(span)
    for key in _NESTED:
        for each in span.get(key) or ():
            if isinstance(each, Mapping):
                yield from _with_children(each)


def messages_of_spans(spans: Sequence[_Row], messages_of: _MessagesOf) -> tuple[list[dict[str, Any]], str]:
    """Return the messages of a trace with the calls of its tool spans, and the error that ended it."""
    ordered = list(spans)
    if all(isinstance(_get(span, "start"), str) for span in spans) or all(
        isinstance(_get(span, "start"), int) for span in spans
    ):
        ordered.sort(key=lambda span: _get(span, "start"))
    models = [span for span in ordered if _kind(span) == "model"]
    tools = [span for span in ordered if _kind(span) == "tool"]
    roots = [span for span in ordered if not _get(span, "parent")]
    last = (models or roots or ordered)[-1]
    messages = [
        *messages_in(_get(last, "input"), "user", messages_of),
        *messages_in(_get(last, "output"), "assistant", messages_of),
    ]
    if tools:
        plain = [_without_calls(each) for each in messages if each["role"] not in ("tool", "function")]
        plain = [each for each in plain if each["content"] or each["role"] == "user"]
        calls = [
            {"role": "assistant", "content": None, "type": "tool-call", "name": str(_get(span, "name") or ""), "input": _get(span, "input"),
             "toolCallId": str(place), "output": _get(span, "output") or ""}
            for place, span in enumerate(tools)
        ]  # fmt: skip
        at = len(plain) - (bool(plain) and plain[-1]["role"] in ("assistant", "ai"))
        messages = [*plain[:at], *calls, *plain[at:]]
    errors = [error for span in (*roots, *ordered[-1:], *models[-1:]) if (error := _error_of(span))]
    return messages, errors[-1] if errors else ""


def _without_calls(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, list):
        content = [
            each
            for each in content
            if isinstance(each, str) or not str(each.get("type", "")).startswith(("tool", "function"))
        ]
    return {"role": message["role"], "content": content if content is not None else _texts(message.get("parts"))}


def _texts(parts: Any) -> Any:
    return [each for each in parts or () if isinstance(each, dict) and each.get("type", "text") == "text"]


def messages_in(value: Any, role: str, messages_of: _MessagesOf) -> list[dict[str, Any]]:
    """Return the messages in the input or the output of a model."""
    value = _decoded(value)
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value else []
    if messages := messages_of(value):
        return messages
    if isinstance(value, list) and len(value) == 1:
        return messages_in(value[0], role, messages_of)
    if not isinstance(value, dict):
        return []
    if "role" in value or ("content" in value and "type" in value):
        return messages_of([value]) or []
    for key in _CONTENTS:
        if value.get(key):
            return messages_in(value[key], role, messages_of)
    return []


def _error_of(span: _Row) -> str:
    status = span.get("status")
    if not isinstance(status, Mapping):
        status = {"code": span.get("status_code"), "message": span.get("status_message")}
    written = span.get("error") or (span.get("statusMessage") or "an error" if span.get("level") == "ERROR" else "")
    if not written and str(status.get("code")).upper() in ("2", "STATUS_CODE_ERROR", "ERROR"):
        written = status.get("message") or "an error"
    if isinstance(written, Mapping):
        written = " ".join(str(each) for each in written.values() if each)
    return str(written or "")
