"""The protocol of judges, and functions that load a judge: by name, as ``module:object``, or as any object that scores replies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean
from ..model import Move, Notice
from ..registry import Registry

if TYPE_CHECKING:
    from ..core.batch import Batch

Item: TypeAlias = tuple[Sequence[Move], str]
"""A context and a reply."""

PairItem: TypeAlias = tuple[Sequence[Move], str, str]
"""A context and two replies."""

AnyItem: TypeAlias = Item | PairItem

FACETS = ("coherence", "naturalness", "interest")


@runtime_checkable
class Judge(Protocol):
    """Any object that scores a reply in its context.

    Optional attributes of a judge are ``identity`` (everything that its scores depend on, the key of the score store; default: the name
    with a digest of its source files and attributes; a judge whose attributes change while it scores should declare one),
    ``batch_size`` (the number of items per batch), ``mask`` (the text that replaces a hidden token in explanations) and
    ``pieces(text)`` (splits a text into the judge's tokens). A judge of whole dialogues has ``level = "dialogue"``. Each of its
    items holds all moves of a dialogue and an empty reply. With several processes, a judge may also have ``neural`` (True for a neural
    network, which may need special workers), ``load_weights()`` (loads the weights if they are not loaded yet), and ``stays`` (True if
    the judge runs only in the main process, because it waits for a server or remembers its items). A judge may have
    ``ask_batches(batches)``, which yields for each batch one score or error per item, and may begin the next batch before; and
    ``described``, a dict of what a certificate says about it, such as digests of its prompts, instead of a digest of its identity.

    Attributes:
        name: its name in tables.
        higher_is_better: True if a higher score is a better reply. Always declared.
        scale: the lowest and the highest score, if there are limits.
        facets: the facets that it claims to judge; None for all facets.
    """

    name: str
    higher_is_better: bool
    scale: tuple[float, float] | None
    facets: frozenset[str] | None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        """One score per item, in order."""
        ...


class JudgeDefaults:
    """What a judge of dialmeter declares if it does not say otherwise: a higher score is better, without limits, for all facets.

    ``english`` is true for a judge whose weights know only English; other text gets a warning.
    """

    higher_is_better = True
    english = False
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None


@runtime_checkable
class PairwiseJudge(Protocol):
    """Any object that decides which of two replies to a context is better.

    dialmeter asks in both orders. A pairwise judge may have the optional attributes of a :class:`Judge`.

    Attributes:
        name: its name in tables.
        facets: the facets that it claims to judge; None for all facets.
    """

    name: str
    facets: frozenset[str] | None

    def compare(self, items: Sequence[PairItem]) -> Sequence[float]:
        """One number from -1 to 1 per pair, in order: positive if the first reply is better, 0 for a tie."""
        ...


AnyJudge: TypeAlias = Judge | PairwiseJudge


def is_pairwise(judge: object) -> bool:
    """True if a judge compares pairs of replies.

    Example:
        >>> is_pairwise(load_judge("length")[1])
        False
    """
    return callable(getattr(judge, "compare", None))


_BUILTIN = f"{__package__}.builtin"
_ADAPTERS = f"{__package__}.adapters"
registry = Registry(
    "judge",
    "dialmeter.judges",
    {
        "constant": f"{_BUILTIN}.surface:Constant",
        "random": f"{_BUILTIN}.surface:Chance",
        "length": f"{_BUILTIN}.surface:Length",
        "overlap": f"{_BUILTIN}.surface:ContextOverlap",
        "distinct": f"{_BUILTIN}.surface:Distinct",
        "dialogue-mean": f"{_BUILTIN}.surface:OverReplies",
        "dialogue-min": f"{_BUILTIN}.surface:LowestOfReplies",
        "dialogue-length": f"{_BUILTIN}.surface:DialogueLength",
        "dialogue-distinct": f"{_BUILTIN}.surface:DialogueDistinct",
        "panel": f"{_BUILTIN}.panel:JudgePanel",
        "ngram-coherence": f"{_BUILTIN}.ngram:NgramCoherence",
        "ngram-fluency": f"{_BUILTIN}.ngram:NgramFluency",
        "smollm2-coherence": f"{_ADAPTERS}.published:coherence",
        "smollm2-fluency": f"{_ADAPTERS}.published:fluency",
        "surprisal": f"{_ADAPTERS}.published:Surprisal",
        "minilm-relevance": f"{_ADAPTERS}.robust:Relevance",
        "pang-c": f"{_ADAPTERS}.published:PangC",
        "pang-f": f"{_ADAPTERS}.published:PangF",
        "pang-l": f"{_ADAPTERS}.published:PangL",
        "dialogrpt": f"{_ADAPTERS}.published:DialogRPT",
        "hf": f"{_ADAPTERS}.hugging_face:HuggingFace",
        "satisfaction-bert": f"{_ADAPTERS}.satisfaction:SatisfactionBert",
        "satisfaction-gru": f"{_ADAPTERS}.satisfaction:SatisfactionGru",
        "robust": f"{_ADAPTERS}.robust:RobustHead",
        "cmd": f"{__package__}.external_judges:CommandJudge",
        "llm": f"{_ADAPTERS}.llm:LanguageModel",
        "llm-pairwise": f"{_ADAPTERS}.llm:PairwiseLanguageModel",
        "llm-dialogue": f"{_ADAPTERS}.llm:DialogueLanguageModel",
    },
)

TRIVIAL = ("constant", "random", "length")
"""The baselines in every table: an error rate means nothing without a baseline."""


class Call(Struct, frozen=True):
    """The name and the parameters of a requested judge.

    Attributes:
        name: the name of a registered judge, or ``module:object``.
        given: parameters.
        alias: the name in tables; if empty, the judge's name.
    """

    name: str
    given: dict[str, str] = {}
    alias: str = ""


_CALL = re.compile(r"(?:(?P<alias>[^=():]+)=)?(?P<name>[^=()]+)(?:\((?P<given>.*)\))?", re.DOTALL)
_PART = re.compile(r"""\s*(?P<key>[\w-]+)\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^,]*)\s*(?:,|$)""")


def load_judge(text: str, offered: Mapping[str, Any] | None = None) -> tuple[str, Judge]:
    """Load a judge from text. Return its name in tables, and the judge.

    Args:
        text: a name with optional parameters, as in ``random(seed=3)``; or ``module:object``. The prefix ``mine=...``
            sets the name in tables.
        offered: values that the text does not set: ``dialogues`` for judges that learn, ``tested`` (the ids of dialogues that must not
            be in the training data), and ``place`` (parameters of language models, such as ``endpoint``).

    Raises:
        DialmeterError: the judge is unknown, or a parameter is wrong.

    Example:
        >>> name, judge = load_judge("chance=random(seed=3)")
        >>> name, judge.name, judge.higher_is_better
        ('chance', 'random(seed=3)', True)
        >>> load_judge("lenght")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: unknown judge 'lenght'; did you mean length?
    """
    call = parse_call(text)
    judge = make_judge(call, offered)
    load_weights(judge)
    return call.alias or judge.name, judge


def parse_call(text: str) -> Call:
    """Parse the text of a requested judge.

    Raises:
        DialmeterError: the text is not a name with optional parameters.

    Example:
        >>> parse_call("chance=random(seed=3)")
        Call(name='random', given={'seed': '3'}, alias='chance')
    """
    match = _CALL.fullmatch(text.strip())
    if not match:
        raise DialmeterError(f"{text!r} is not a judge; write it like random(seed=3), or as module:object")
    return Call(match["name"].rstrip(), _parse_parameters(text, match["given"] or ""), (match["alias"] or "").strip())


def make_judge(call: Call, offered: Mapping[str, Any] | None = None) -> Judge:
    """Create the requested judge. Its weights are not loaded yet.

    Raises:
        DialmeterError: the judge is unknown, or a parameter is wrong.
    """
    if ":" in call.name:
        from .external_judges import judge_of_object

        return judge_of_object(call.name, call.given)
    return _construct(call.name, registry.load(call.name), call.given, offered or {})


def has_parameter(call: Call, key: str) -> bool:
    """True if a judge has a parameter of this name.

    Example:
        >>> has_parameter(Call("ngram-fluency"), "dialogues"), has_parameter(Call("length"), "dialogues")
        (True, False)
    """
    return ":" not in call.name and key in signature(registry.load(call.name)).parameters


def load_weights(judge: AnyJudge) -> None:
    """Load the weights of a judge if they are not loaded yet.

    Raises:
        DialmeterError: the weights cannot be loaded.
    """
    if hasattr(judge, "load_weights"):
        judge.load_weights()


def _parse_parameters(text: str, inside: str) -> dict[str, str]:
    given: dict[str, str] = {}
    position = 0
    while inside[position:].strip():
        part = _PART.match(inside, position)
        if not part:
            raise DialmeterError(f"{text!r}: write parameters as key=value, separated by commas")
        given[part["key"].replace("-", "_")] = part["value"].strip().strip("\"'")
        position = part.end()
    return given


def _construct(name: str, kind: Any, given: Mapping[str, str], offered: Mapping[str, Any]) -> Judge:
    parameters = {
        key: each for key, each in signature(kind).parameters.items() if each.kind is not Parameter.VAR_KEYWORD
    }
    own = {key: each for key, each in parameters.items() if key not in _OFFERED}
    values: dict[str, Any] = {key: value for key, value in offered.items() if key in parameters}
    if "endpoint" in parameters:
        values |= {key: value for key, value in offered.get("place", {}).items() if key in parameters}
    given = dict(given)
    if "dialogues" in parameters and "corpus" in given:
        values["dialogues"] = training_corpus(given.pop("corpus"), offered.get("tested", ()))
    values |= {key: _convert(name, key, value, own) for key, value in given.items()}
    if "batch" in values:
        values.setdefault("endpoint", "")
    missing = [key for key, each in parameters.items() if each.default is Parameter.empty and key not in values]
    if missing and "endpoint" in own and missing[0] in ("endpoint", "model"):
        given_as = (
            f"write {name}(model=NAME, batch=DIR)"
            if "batch" in values
            else f"set DIALMETER_ENDPOINT and DIALMETER_MODEL, or write {name}(endpoint=URL, model=NAME)"
        )
        raise DialmeterError(f"judge {name} needs a model: {given_as}")
    if missing == ["dialogues"]:
        raise DialmeterError(f"judge {name} needs dialogues to learn from, as in {name}(corpus=FILE)")
    if missing:
        raise DialmeterError(f"judge {name} needs {missing[0]}, as in {name}({missing[0]}=...)")
    judge: Judge = kind(**values)
    return judge


_OFFERED = ("dialogues", "tested", "place")
"""Parameters that a text cannot set."""


def training_corpus(file: str, tested: Container[str] = ()) -> list[list[str]]:
    """The dialogues of a file as training data for judges that learn.

    Args:
        file: a file of conversations.
        tested: the ids of dialogues to skip, because judges are tested on them.

    Raises:
        DialmeterError: no dialogue is left.
    """
    from ..readers.conversations import open_conversations

    dialogues = [
        [move.text for move in each.moves if move.text] for each in open_conversations(file) if each.id not in tested
    ]
    if not dialogues:
        raise DialmeterError(f"{file}: no dialogue is left for training, because all dialogues are in the cases")
    return dialogues


def _convert(name: str, key: str, value: str, parameters: Mapping[str, Parameter]) -> Any:
    """Convert the text of a parameter to the type of its default value."""
    if key not in parameters:
        hint = did_you_mean(key, parameters) if parameters else "it has no parameters"
        raise DialmeterError(f"judge {name} has no parameter {key!r}; {hint}")
    kind = type(parameters[key].default)
    if kind is bool:
        if value.lower() not in ("true", "false"):
            raise DialmeterError(f"judge {name}: {key} must be true or false, not {value!r}")
        return value.lower() == "true"
    if kind not in (int, float):
        return value
    try:
        return kind(value)
    except ValueError:
        raise DialmeterError(f"judge {name}: {key} must be a number, not {value!r}") from None


def name_with_parameters(name: str, **parameters: Any) -> str:
    """A judge's name with the parameters that differ from their default.

    Args:
        name: the judge's name.
        parameters: by name, the value and the default value.

    Example:
        >>> name_with_parameters("random", seed=(3, 0), scale=(1, 1))
        'random(seed=3)'
    """
    changed = [f"{key}={value}" for key, (value, default) in parameters.items() if value != default]
    return f"{name}({', '.join(changed)})" if changed else name


def identity_of(judge: AnyJudge) -> str:
    """The identity of a judge: a text with everything that its scores depend on.

    A judge of another package that declares no identity gets one from its source files and its attributes.

    Example:
        >>> identity_of(load_judge("length")[1])
        'length'
    """
    declared = getattr(judge, "identity", None)
    if declared is None and type(judge).__module__.partition(".")[0] != "dialmeter":
        from .external_judges import source_digest

        return f"{judge.name}@{source_digest(judge)}"
    return judge.name if declared is None else str(declared)


def inner_judges(judges: Iterable[Any]) -> list[Any]:
    """Judges, with the judges that they ask: the members of panels, and the judge of replies in a judge of dialogues."""
    found = list(judges)
    for judge in found:
        found += [*getattr(judge, "members", {}).values(), *([judge.inner] if hasattr(judge, "inner") else [])]
    return found


def batches_of(judges: Iterable[AnyJudge]) -> list[Batch]:
    """The batches in which requests of judges wait for their answers."""
    found = (getattr(getattr(each, "endpoint", None), "batch", None) for each in inner_judges(judges))
    return list(dict.fromkeys(each for each in found if each is not None))


def endpoint_notices(judges: Mapping[str, AnyJudge]) -> list[Notice]:
    """Warnings about judges whose server refused the temperature, so that they used another one, and about answers of batches."""
    inner = {name: getattr(judge, "inner", judge) for name, judge in judges.items()}
    names = tuple(name for name, judge in inner.items() if "temperature" in getattr(judge, "omitted", ()))
    message = f"{', '.join(names)}: the server refuses temperature, so the model used its own, and scores may vary"
    refused = [Notice("no-temperature", len(names), message, names)] if names else []
    return [*refused, *(notice for batch in batches_of(judges.values()) for notice in batch.notices)]


def identity_digest(identity: str) -> str:
    """Ten hexadecimal digits that stand for an identity in files and signatures, because an identity may contain a command or a path.

    Example:
        >>> identity_digest("length")
        '0f82aca66a'
    """
    return hashlib.sha256(identity.encode()).hexdigest()[:10]
