"""The options of the commands on trackers for predictions, gold and rules, and functions that read their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...model import Notice
from ...readers.layouts.multiwoz import ids_of_list
from ...tracking.rule_sets.rules import FIELDS, Rules, change, load
from ..frame import match_gold_files, name_files
from ..options import MAP_HELP, combine_options, option, rules_option, source_options

schema_option = option("--schema FILE", "File with the slots that exist: an SGD schema, an ontology, or a list.")


only_option = option(
    "--only LIST",
    "Use only the dialogues in this file, one id per line. See --set missing=… for ids that are not in FILE.",
)


prediction_options = combine_options(source_options(), schema_option, only_option)


input_options = combine_options(click.argument("file"), prediction_options)


turns_option = option(
    "--turns",
    "Turns that count for a group: those at which gold has a value of the group, or all.",
    choices=["active", "all"],
)


RULE_HELP: Mapping[str, tuple[str, str]] = {
    "names": ("as-is|multiwoz|mwzeval", "Slot names; multiwoz unifies the spellings of published files."),
    "clash": ("keep|last|error", "Two names in a file that mean one slot and have different values; keep: both."),
    "only": ("SLOT,SLOT|all", "Slots to score, as domain/section/slot, comma-separated."),
    "values": (
        "as-is|nfkc|tidy|trim|blanks|no-blanks|lower|digits|number-word|mwzeval",
        "Steps that normalise values, comma-separated.",
    ),
    "none": ("keep|drop|WORD,WORD", "Words that mean absent; drop: the usual seven; gold=…;pred=… for each side."),
    "dontcare": (
        "keep|drop|drop-exact|merge",
        "The value dontcare; merge: all its spellings are one value; gold=…;pred=… for each side.",
    ),
    "languages": (
        "auto|none|zh+ja",
        "Languages whose spellings of dontcare, absent and numbers are read; auto: those that gold is in.",
    ),
    "extra": ("penalise|ignore-slots|ignore-domains|unlisted", "Predicted slots that gold does not have."),
    "alternatives": ("any-of|any-of-both|listed|first|first-listed|literal|set", "Several gold values."),
    "map": ("FILE|NAME", MAP_HELP),
    "match": ("exact|SIMILARITY", "Comparison of values, such as ratio>=90 or fuzzywuzzy-partial>95."),
    "backend": ("levenshtein|difflib", "Library that computes fuzzywuzzy similarities."),
    "missing": (
        "error|empty|skip|predicted-only",
        "Turn without prediction, or dialogue of --only that is not in the file.",
    ),
    "undefined": ("none|zero", "Value of a ratio 0/0."),
    "state": (
        "cumulative|update|update-pred",
        "States in the file; update: each turn has only its new values (update-pred: only in predictions).",
    ),
}
"""Rule → its values, and what it means."""


RULE_OPTIONS = {name: "--only-slots" if name == "only" else f"--{name}" for name in FIELDS}
"""Rule → option that changes it. The rule ``only`` has another option, because --only selects dialogues."""


patch_option = option(
    "--patch FILE", "Patch with corrections of gold, from `study audit --sheet`. Applied before scoring."
)


def named_files(options: dict[str, Any], what: str, more: Sequence[str] = ()) -> dict[str, tuple[str, str | None]]:
    """Return prediction file and gold file by name. The names of --name must not be those in ``more``."""
    golds = match_gold_files(options["files"], options["gold"])
    names = name_files(options["files"], options.get("names", ()), what, more)
    return dict(zip(names, zip(options["files"], golds, strict=True), strict=False))


rule_options = combine_options(
    rules_option(),
    patch_option,
    *(option(f"{flag} {RULE_HELP[name][0]} rule_{name}", RULE_HELP[name][1]) for name, flag in RULE_OPTIONS.items()),
)


def rules_from_options(options: dict[str, Any]) -> Rules:
    """Return the rule set of the options."""
    rules = change(load(options["rules_name"]), **{name: options.get(f"rule_{name}") for name in FIELDS})
    return replace(rules, patch=options["patch"]) if options.get("patch") else rules


def measures_from_options(options: Mapping[str, Any], rules: Rules) -> tuple[str, ...]:
    """Return the requested measures; ``all`` means all measures of the rule set. Empty if none is requested."""
    return tuple(each for given in options["measures"] for each in (rules.measures if given == "all" else (given,)))


def dialogues_from_options(options: dict[str, Any]) -> frozenset[str] | None:
    """Return the keys of the dialogues in the file of --only; None without it."""
    return frozenset(ids_of_list(options["only"])) if options.get("only") else None


def prediction_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options for predictions, measures and rules as arguments of functions that score or check files."""
    rules = rules_from_options(options)
    return {
        **{name: options[name] for name in ("format", "gold_format", "schema") if name in options},
        **({"measures": measures_from_options(options, rules) or None} if "measures" in options else {}),
        "only": dialogues_from_options(options),
        "rules": rules,
    }


def empty_groups(groups: Mapping[str, Sequence[object]]) -> list[Notice]:
    """Return a notice for each group of --by that has no score."""
    why = {
        "service": "no dialogue has it for these measures; it needs files with frames and a measure of frames, such as "
        "JointGoalAccuracy"
    }
    return [
        Notice("no-groups", 1, f"--by {group}: {why.get(group, 'these measures have no scores by it')}")
        for group, scores in groups.items()
        if not scores
    ]
