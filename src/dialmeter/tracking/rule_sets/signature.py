"""The signature of a score: one line with everything the score depends on.

Two scores are comparable only if their signatures are equal apart from the version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..._version import __version__
from ...measure import Measure, parameters
from .rules import Rules

_ALWAYS = ("values", "none", "dontcare", "extra", "missing", "state")
_DEFAULTS = {
    "names": "multiwoz",
    "clash": "keep",
    "only": (),
    "alternatives": "any-of",
    "map": "",
    "match": "exact",
    "undefined": "none",
}
# Parameters that have another name in signatures; ``alternatives`` is also a field of the rule set.
_NAMES = {"slots": "K", "alternatives": "changes"}
# Rules that have another name in signatures; there, ``only`` is the requested dialogues.
_RULE_NAMES = {"only": "only-slots"}


def signature(
    requested: str,
    used: Measure,
    rules: Rules,
    *,
    dialogues: int,
    turns: int,
    data: str,
    gold: str,
    left_out: str = "",
    account: Sequence[str] = (),
    also: Mapping[str, str | int] | None = None,
) -> str:
    """Return the signature of one score.

    Args:
        requested: the measure as requested.
        used: the measure with the parameters from the rule set and the data.
        rules: the rule set with all changes.
        dialogues: number of scored dialogues.
        turns: number of scored turns.
        data: the digest of what the measure sees of gold under the rule set.
        gold: the digest of the canonical gold, which is the same in every format and under every rule set.
        left_out: number of dialogues and turns without prediction that the rules skip.
        account: fields for the requested dialogues and the number of scored ones, if not all were scored.
        also: other fields that the score depends on.

    Example:
        >>> from dialmeter.measure import parse
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> signature("SA", parse("SA(slots=30)"), named("fga-repo"), dialogues=9, turns=70, data="3f9a1c07be", gold="77")
        ... # doctest: +ELLIPSIS
        'SA|rules:fga-repo|values:as-is|none:keep|dontcare:keep|extra:penalise|missing:error|state:cumulative|avg:turn|names:as-is|alternatives:literal|cut:hyphen|K:30|d:9|t:70|gold:77|data:3f9a1c07be|v:...'
    """
    parts = [requested, f"rules:{rules.name}"]
    parts += [f"{name}:{rules.shown(name)}" for name in _ALWAYS]
    parts.append(f"avg:{used.average}")
    parts += [
        f"{_RULE_NAMES.get(name, name)}:{rules.shown(name)}"
        for name, default in _DEFAULTS.items()
        if getattr(rules, name) != default
    ]
    if rules.gold_patch is not None:
        parts.append(f"patch:{rules.gold_patch.digest}")
    if rules.hyphen_cut:
        parts.append("cut:hyphen")
    if type(used).__name__ in rules.stand_ins.values() and not requested.startswith(type(used).__name__):
        parts.append(f"measure:{type(used).__name__}")
    if rules.match.startswith("fuzzywuzzy") or (rules.match != "exact" and used.reads() == "frames"):
        parts.append(f"backend:{rules.backend}")
    parts += [f"{_NAMES.get(name, name)}:{value}" for name, value in _hidden_parameters(requested, used).items()]
    parts += [f"{name}:{value}" for name, value in (also or {}).items()]
    parts += account
    if left_out:
        parts.append(f"left_out:{left_out}")
    parts += [f"d:{dialogues}", f"t:{turns}", f"gold:{gold}", f"data:{data}", f"v:{__version__}"]
    return "|".join(parts)


def _hidden_parameters(requested: str, used: Measure) -> dict[str, object]:
    """Return the parameters that differ from their default and are not in the text of the requested measure."""
    if requested == repr(used):
        return {"slots": slots} if (slots := getattr(used, "slots", 0)) else {}
    return {
        each.name: getattr(used, each.name)
        for each in parameters(type(used))
        if each.name != "average"
        and getattr(used, each.name) != each.default
        and (each.name == "slots" or f"{each.name}=" not in requested)
    }
