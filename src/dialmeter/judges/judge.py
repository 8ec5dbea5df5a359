"""The protocol of judges, and how to load one: by name, as ``module:object``, or as any object that scores replies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from ..errors import DialmeterError, did_you_mean
from ..model import Move
from ..registry import Registry

Item: TypeAlias = tuple[Sequence[Move], str]
"""A context and a reply."""

PairItem: TypeAlias = tuple[Sequence[Move], str, str]
"""A context and two replies."""

AnyItem: TypeAlias = Item | PairItem

FACETS = ("coherence", "naturalness", "interest")


@runtime_checkable
class Judge(Protocol):
    """Anything that gives a number to a reply in its context.

    A judge may also have ``identity`` (what its scores depend on, the key of the score store; by default the name),
    ``batch_size`` (how many items it takes at a time), ``mask`` (the text that replaces a hidden token in explanations) and
    ``pieces(text)`` (the text, split into the judge's tokens). A judge of whole dialogues has ``level = "dialogue"``; its items are
    all moves of a dialogue and an empty reply. For several processes it may have ``neural`` (True for a
    network, which may need special workers), ``load_weights()`` (loads the weights if they are not loaded yet), and ``stays`` (True if
    it is asked only in the main process: it waits for a server, or remembers its items).

    Attributes:
        name: how tables call it.
        higher_is_better: True if a higher score is a better reply. Always declared.
        scale: the lowest and the highest score, if there are limits.
        facets: what it claims to judge; None for everything.
    """

    name: str
    higher_is_better: bool
    scale: tuple[float, float] | None
    facets: frozenset[str] | None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        """One score per item, in order."""
        ...


@runtime_checkable
class PairwiseJudge(Protocol):
    """Anything that says which of two replies to a context is better.

    dialmeter asks in both orders. A pairwise judge may also have ``identity``, ``batch_size``, ``load_weights()`` and ``stays``, as a
    :class:`Judge`, and ``compare_each(items)``, which gives an error for each pair that it cannot compare.

    Attributes:
        name: how tables call it.
        facets: what it claims to judge; None for everything.
    """

    name: str
    facets: frozenset[str] | None

    def compare(self, items: Sequence[PairItem]) -> Sequence[float]:
        """One number from -1 to 1 per pair, in order: positive where the first reply is better, 0 for a tie."""
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
        "dialogue-mean": f"{_BUILTIN}.dialogue:mean_over_replies",
        "dialogue-min": f"{_BUILTIN}.dialogue:lowest_of_replies",
        "dialogue-length": f"{_BUILTIN}.dialogue:DialogueLength",
        "dialogue-distinct": f"{_BUILTIN}.dialogue:DialogueDistinct",
        "panel": f"{_BUILTIN}.panel:JudgePanel",
        "ngram-coherence": f"{_BUILTIN}.ngram:NgramCoherence",
        "ngram-fluency": f"{_BUILTIN}.ngram:NgramFluency",
        "smollm2-coherence": f"{_ADAPTERS}.pang:coherence",
        "smollm2-fluency": f"{_ADAPTERS}.pang:fluency",
        "minilm-relevance": f"{_ADAPTERS}.minilm:Relevance",
        "pang-c": f"{_ADAPTERS}.pang:PangC",
        "pang-f": f"{_ADAPTERS}.pang:PangF",
        "pang-l": f"{_ADAPTERS}.pang:PangL",
        "dialogrpt": f"{_ADAPTERS}.dialogrpt:DialogRPT",
        "hf": f"{_ADAPTERS}.hugging_face:HuggingFace",
        "satisfaction-bert": f"{_ADAPTERS}.satisfaction:SatisfactionBert",
        "satisfaction-gru": f"{_ADAPTERS}.satisfaction:SatisfactionGru",
        "robust": f"{_ADAPTERS}.robust:RobustHead",
        "llm": f"{_ADAPTERS}.llm:LanguageModel",
        "llm-pairwise": f"{_ADAPTERS}.llm_pairwise:PairwiseLanguageModel",
        "llm-dialogue": f"{_ADAPTERS}.llm_dialogue:DialogueLanguageModel",
    },
)

TRIVIAL = ("constant", "random", "length")
"""The baselines of every table, because an error rate means nothing without them."""


class Call(Struct, frozen=True):
    """A judge as it was requested.

    Attributes:
        name: of a known judge, or ``module:object``.
        given: parameters.
        alias: the name in tables; empty for the judge's name.
    """

    name: str
    given: dict[str, str] = {}
    alias: str = ""


_CALL = re.compile(r"(?:(?P<alias>[^=():]+)=)?(?P<name>[^=()]+)(?:\((?P<given>.*)\))?", re.DOTALL)
_PART = re.compile(r"""\s*(?P<key>\w+)\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^,]*)\s*(?:,|$)""")


def load_judge(text: str, offered: Mapping[str, Any] | None = None) -> tuple[str, Judge]:
    """A judge from text, and its name in tables.

    Args:
        text: a name, perhaps with parameters, as in ``random(seed=3)``; or ``module:object``. ``mine=...`` in front
            sets the name in tables.
        offered: values for parameters of these names, such as ``talk`` for judges that learn.

    Raises:
        DialmeterError: no such judge, or its parameters do not fit.

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
    """The judge that a text requests.

    Raises:
        DialmeterError: it is not the name of a judge with parameters.

    Example:
        >>> parse_call("chance=random(seed=3)")
        Call(name='random', given={'seed': '3'}, alias='chance')
    """
    found = _CALL.fullmatch(text.strip())
    if not found:
        raise DialmeterError(f"{text!r} is not a judge; write it like random(seed=3), or as module:object")
    return Call(found["name"].rstrip(), _given(text, found["given"] or ""), (found["alias"] or "").strip())


def make_judge(call: Call, offered: Mapping[str, Any] | None = None) -> Judge:
    """The requested judge. Weights are not loaded yet.

    Raises:
        DialmeterError: no such judge, or its parameters do not fit.
    """
    if ":" in call.name:
        from .external_judges import judge_of_object

        return judge_of_object(call.name, call.given)
    return _built(call.name, registry.load(call.name), call.given, offered or {})


def takes(call: Call, key: str) -> bool:
    """True if a judge has a parameter of this name.

    Example:
        >>> takes(Call("ngram-fluency"), "talk"), takes(Call("length"), "talk")
        (True, False)
    """
    return ":" not in call.name and key in signature(registry.load(call.name)).parameters


def load_weights(judge: AnyJudge) -> None:
    """Loads the weights of a judge if they are not loaded yet.

    Raises:
        DialmeterError: it cannot be loaded.
    """
    if hasattr(judge, "load_weights"):
        judge.load_weights()


def _given(text: str, inside: str) -> dict[str, str]:
    given: dict[str, str] = {}
    position = 0
    while inside[position:].strip():
        part = _PART.match(inside, position)
        if not part:
            raise DialmeterError(f"{text!r}: write parameters as key=value, separated by commas")
        given[part["key"]] = part["value"].strip().strip("\"'")
        position = part.end()
    return given


def _built(name: str, kind: Any, given: Mapping[str, str], offered: Mapping[str, Any]) -> Judge:
    known = signature(kind).parameters
    values = {key: _converted(name, key, value, known) for key, value in given.items()}
    for key, thing in offered.items():
        if key in known and key not in values:
            values[key] = thing
    needed = [key for key, each in known.items() if each.default is Parameter.empty and key not in values]
    if needed:
        raise DialmeterError(f"judge {name} needs {needed[0]}, as in {name}({needed[0]}=...)")
    judge: Judge = kind(**values)
    return judge


def _converted(name: str, key: str, value: str, known: Mapping[str, Parameter]) -> Any:
    if key not in known:
        hint = did_you_mean(key, known) if known else "it has none"
        raise DialmeterError(f"judge {name} has no parameter {key!r}; {hint}")
    kind = type(known[key].default)
    if kind is bool:
        if value.lower() not in ("true", "false"):
            raise DialmeterError(f"judge {name}: {key} is true or false, not {value!r}")
        return value.lower() == "true"
    if kind not in (int, float):
        return value
    try:
        return kind(value)
    except ValueError:
        raise DialmeterError(f"judge {name}: {key} is a number, not {value!r}") from None


def called(name: str, **parameters: Any) -> str:
    """A judge's name with the parameters that are not at their default.

    Example:
        >>> called("random", seed=(3, 0), scale=(1, 1))
        'random(seed=3)'
    """
    shown = [f"{key}={value}" for key, (value, usual) in parameters.items() if value != usual]
    return f"{name}({', '.join(shown)})" if shown else name


def identity_of(judge: AnyJudge) -> str:
    """What a judge's scores depend on.

    Example:
        >>> identity_of(load_judge("length")[1])
        'length'
    """
    return str(getattr(judge, "identity", judge.name))


def identity_digest(identity: str) -> str:
    """Ten digits for an identity in files and signatures, because it may hold a command or a path.

    Example:
        >>> identity_digest("length")
        '0f82aca66a'
    """
    return hashlib.sha256(identity.encode()).hexdigest()[:10]
