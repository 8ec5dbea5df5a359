"""What a judge is, and how one is found: by name, as ``module:object``, or as any object that scores replies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, Protocol, TypeAlias, runtime_checkable

from ..errors import DialmeterError, did_you_mean
from ..model import Move
from ..registry import Registry

Item: TypeAlias = tuple[Sequence[Move], str]
"""A context and a reply."""

FACETS = ("coherence", "naturalness", "interest")


@runtime_checkable
class Judge(Protocol):
    """Anything that gives a number to a reply in its context.

    A judge may also have ``identity`` (what its scores depend on, under which they are kept; the name without it),
    ``batch_size`` (how many items it likes at a time), ``mask`` (what stands for a hidden token in explanations) and
    ``pieces(text)`` (the text cut into the judge's own tokens).

    Attributes:
        name: how tables call it.
        higher_is_better: is a higher score a better reply? Always declared.
        scale: the lowest and the highest score, where there are such.
        facets: what it claims to judge; None for everything.
    """

    name: str
    higher_is_better: bool
    scale: tuple[float, float] | None
    facets: frozenset[str] | None

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        """One score per item, in order."""
        ...


_BUILTIN = f"{__package__}.builtin"
_ADAPTERS = f"{__package__}.adapters"
registry = Registry(
    "judge",
    "dialmeter.judges",
    {
        "constant": f"{_BUILTIN}.constant:Constant",
        "random": f"{_BUILTIN}.chance:Chance",
        "length": f"{_BUILTIN}.length:Length",
        "overlap": f"{_BUILTIN}.overlap:Overlap",
        "distinct": f"{_BUILTIN}.distinct:Distinct",
        "ngram-coherence": f"{_BUILTIN}.ngram:NgramCoherence",
        "ngram-fluency": f"{_BUILTIN}.ngram:NgramFluency",
        "smollm2-coherence": f"{_ADAPTERS}.smollm2:coherence",
        "smollm2-fluency": f"{_ADAPTERS}.smollm2:fluency",
        "minilm-relevance": f"{_ADAPTERS}.minilm:Relevance",
        "pang-c": f"{_ADAPTERS}.pang_c:PangC",
        "pang-f": f"{_ADAPTERS}.pang_f:PangF",
        "pang-l": f"{_ADAPTERS}.pang_l:PangL",
        "dialogrpt": f"{_ADAPTERS}.dialogrpt:DialogRPT",
        "satisfaction-bert": f"{_ADAPTERS}.satisfaction_bert:SatisfactionBert",
        "satisfaction-gru": f"{_ADAPTERS}.satisfaction_gru:SatisfactionGru",
        "llm": f"{_ADAPTERS}.llm:LanguageModel",
    },
)

TRIVIAL = ("constant", "random", "length")
"""The judges that stand beside every other, because an error rate means nothing without them."""

_CALL = re.compile(r"(?:(?P<alias>[^=():]+)=)?(?P<name>[^=()]+?)\s*(?:\((?P<given>.*)\))?\s*", re.DOTALL)
_PART = re.compile(r"""\s*(?P<key>\w+)\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^,]*)\s*(?:,|$)""")


def load_judge(text: str, offered: Mapping[str, Any] | None = None) -> tuple[str, Judge]:
    """A judge from text, and what to call it.

    Args:
        text: a name, perhaps with parameters, as in ``random(seed=3)``; or ``module:object``. ``mine=...`` in front
            says what to call it.
        offered: things that a judge takes if it has a parameter of that name, such as ``talk`` for those that learn.

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
    found = _CALL.fullmatch(text.strip())
    if not found:
        raise DialmeterError(f"{text!r} is not a judge; write it like random(seed=3), or as module:object")
    given = _given(text, found["given"] or "")
    if ":" in found["name"]:
        from .objects import judge_of_object

        judge = judge_of_object(found["name"], given)
    else:
        judge = _built(found["name"], registry.load(found["name"]), given, offered or {})
    return (found["alias"] or judge.name).strip(), judge


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


def identity_of(judge: Judge) -> str:
    """What a judge's scores depend on.

    Example:
        >>> identity_of(load_judge("length")[1])
        'length'
    """
    return str(getattr(judge, "identity", judge.name))
