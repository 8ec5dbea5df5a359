"""The line that says how a number was made. Two numbers whose lines differ in more than the version are not comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..._version import __version__
from ...measure import Measure, parameters
from .rules import Rules

_ALWAYS = ("values", "none", "dontcare", "extra", "missing", "state")
_WHEN_OTHER = {
    "names": "multiwoz",
    "clash": "keep",
    "only": (),
    "alternatives": "any-of",
    "map": "",
    "match": "exact",
    "undefined": "none",
}
# Parameters under another name than their own; the rule set has ``alternatives``, too.
_NAMES = {"slots": "K", "alternatives": "changes"}
# Rules under another name; ``only`` says which dialogues were asked for.
_RULE_NAMES = {"only": "only-slots"}


def signature(
    asked: str,
    used: Measure,
    rules: Rules,
    *,
    dialogues: int,
    turns: int,
    data: str,
    left_out: str = "",
    account: Sequence[str] = (),
    also: Mapping[str, str | int] | None = None,
) -> str:
    """The signature of one score.

    Args:
        asked: the measure as it was asked for.
        used: the measure as the rule set and the data set it.
        rules: the rule set with all changes.
        dialogues: how many were scored.
        turns: how many were scored.
        data: the digest of gold.
        left_out: dialogues and turns without prediction that rules skip.
        account: fields that say which dialogues were asked for and how many of them were scored, where not all were.
        also: further facts that the number depends on.

    Example:
        >>> from dialmeter.measure import parse
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> signature("SA", parse("SA(slots=30)"), named("fga-repo"), dialogues=9, turns=70, data="3f9a1c07be")
        ... # doctest: +ELLIPSIS
        'SA|rules:fga-repo|values:as-is|none:keep|dontcare:keep|extra:penalise|missing:error|state:cumulative|avg:turn|names:as-is|alternatives:literal|K:30|d:9|t:70|data:3f9a1c07be|v:...'
    """
    parts = [asked, f"rules:{rules.name}"]
    parts += [f"{name}:{rules.shown(name)}" for name in _ALWAYS]
    parts.append(f"avg:{used.average}")
    parts += [
        f"{_RULE_NAMES.get(name, name)}:{rules.shown(name)}"
        for name, usual in _WHEN_OTHER.items()
        if getattr(rules, name) != usual
    ]
    if rules.gold_patch is not None:
        parts.append(f"patch:{rules.gold_patch.digest}")
    if rules.match.startswith("fuzzywuzzy"):
        parts.append(f"backend:{rules.backend}")
    parts += [f"{_NAMES.get(name, name)}:{value}" for name, value in _set_beyond(asked, used).items()]
    parts += [f"{name}:{value}" for name, value in (also or {}).items()]
    parts += account
    if left_out:
        parts.append(f"left_out:{left_out}")
    parts += [f"d:{dialogues}", f"t:{turns}", f"data:{data}", f"v:{__version__}"]
    return "|".join(parts)


def _set_beyond(asked: str, used: Measure) -> dict[str, object]:
    """Parameters that are not at their default and that the measure as asked does not show."""
    if asked == repr(used):
        return {"slots": slots} if (slots := getattr(used, "slots", 0)) else {}
    return {
        each.name: getattr(used, each.name)
        for each in parameters(type(used))
        if each.name != "average"
        and getattr(used, each.name) != each.default
        and (each.name == "slots" or f"{each.name}=" not in asked)
    }
