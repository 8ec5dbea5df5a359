"""Requests for judges, as people write them: a judge, a file of scores, scores of the ratings file, or a measure of references."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..errors import DialmeterError, InputError, did_you_mean, one_line
from .builtin.panel import members_of
from .builtin.surface import OverReplies
from .judge import Call, Judge, inner_judges, is_pairwise, parse_call, registry
from .judge_recipe import Recipe
from .people.columns import for_level

if TYPE_CHECKING:
    from ..readers.ratings.rated_item import Level
    from .adapters.llm import LanguageModel

Value = TypeVar("Value")


class ScoresFile(NamedTuple):
    """A file with the scores of a judge; ``lower`` if a lower score is better."""

    path: str
    name: str = ""
    lower: bool = False


class JudgeRequests(NamedTuple):
    """What was requested, by kind.

    Attributes:
        calls: judges to make.
        files: files of scores.
        carried: patterns for names of scores in the ratings file.
        references: measure of references → the system whose replies are references; empty for the references in the file.
    """

    calls: list[Call]
    files: list[ScoresFile]
    carried: list[str]
    references: dict[str, str]


REFERENCE_MEASURES = {"bleu": "BLEU", "chrf": "chrF", "rouge-l": "ROUGE-L"}
"""Names in requests → names in tables."""
_CARRIED = re.compile(r"carried\((.*)\)", re.DOTALL)
_TABLE = re.compile(r"\.(csv|tsv|json|jsonl|ndjson)(\.gz|\.zst)?$")


def parse_requests(texts: Iterable[str], carried: Collection[str] = ()) -> JudgeRequests:
    """Parse requests for judges.

    Args:
        texts: the requests, such as ``overlap``, ``mine=scores.csv``, ``carried(gpt4/*)`` or ``bleu(reference=human)``.
        carried: the names of the scores in the ratings file. Such a name alone is a request, too.

    Raises:
        DialmeterError: a text is not a request.

    Example:
        >>> requests = parse_requests(["mine=overlap", "carried(gpt4/*)", "bleu(reference=human)"])
        >>> [call.alias for call in requests.calls], requests.carried, requests.references
        (['mine'], ['gpt4/*'], {'bleu': 'human'})
        >>> parse_requests(["strikt"], carried=["strict"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: unknown judge 'strikt'; did you mean strict?
    """
    requests = JudgeRequests([], [], [], {})
    for text in texts:
        name, _, rest = text.partition("=")
        if match := _CARRIED.fullmatch(text.strip()):
            requests.carried.extend(part.strip() for part in match[1].split(","))
        elif _is_file(text):
            requests.files.append(ScoresFile(text))
        elif rest and "(" not in name and _is_file(rest):
            requests.files.append(ScoresFile(rest, name))
        else:
            call = parse_call(text)
            if call.name in REFERENCE_MEASURES:
                requests.references[call.name] = call.given.get("reference", "")
            elif _TABLE.search(call.name):
                requests.files.append(_scores_file(call))
            elif call.name in carried and call.name not in registry.names() and not call.given:
                requests.carried.append(call.name)
            elif carried and ":" not in call.name and call.name not in registry.names():
                known = did_you_mean(call.name, sorted({*carried, *registry.names()}))
                raise DialmeterError(f"unknown judge {one_line(call.name, 80)!r}; {known}")
            else:
                requests.calls.append(call)
    return requests


def _is_file(text: str) -> bool:
    """Return True for the path of a file, or of a device, which the reader names as such."""
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except (OSError, ValueError):  # too long for a path
        return False


def _scores_file(call: Call) -> ScoresFile:
    if not _is_file(call.name):
        raise InputError("no such file", file=call.name)
    if call.given.keys() - {"lower"} or call.given.get("lower", "true") not in ("true", "false"):
        raise DialmeterError(f"{one_line(call.name)}: a file of scores has one key, as in mine=FILE(lower=true)")
    return ScoresFile(call.name, call.alias, call.given.get("lower") == "true")


class MadeJudges(NamedTuple):
    """Judges by name, not loaded yet; recipes of those that can run in another process; and what the texts of the judges do not say."""

    judges: dict[str, Judge]
    recipes: dict[str, Recipe]
    offered: Mapping[str, Any]


def make_judges(calls: Sequence[Call], offered: Mapping[str, Any], level: Level = "reply") -> MadeJudges:
    """Make the requested judges and the members of panels.

    Args:
        calls: the requested judges.
        offered: what the texts do not say; see :func:`~dialmeter.judges.judge.load_judge`.
        level: the level of the judged items. Judges of replies are averaged over the replies of a dialogue.

    Raises:
        DialmeterError: a judge cannot be made, or two judges have the same name.
    """
    made = MadeJudges({}, {}, offered)
    own = [Recipe(for_level(call, level, offered)) for call in calls]
    members = [Recipe(for_level(call, level, offered)) for call in members_of(calls)]
    for recipe in (*own, *members):
        judge = recipe.make(offered)
        name = recipe.call.alias or judge.name
        if name in made.judges:
            if recipe in members:
                continue
            raise duplicate_name(name)
        made.judges[name] = judge
        if not getattr(judge, "stays", False):
            made.recipes[name] = recipe
    models = [each for each in inner_judges(made.judges.values()) if hasattr(each, "endpoint_settings")]
    if models:
        from .adapters.llm import share_endpoints

        share_endpoints(models)
    return made


def check_single(judges: Mapping[str, Judge]) -> None:
    """Check that no judge compares pairs of replies.

    Raises:
        DialmeterError: a judge does.
    """
    for name, judge in judges.items():
        if is_pairwise(judge):
            raise DialmeterError(f"judge {name} compares pairs of replies; it judges cases, with `dialmeter score`")


def duplicate_name(name: str) -> DialmeterError:
    """The error about two judges of one name."""
    return DialmeterError(f"duplicate judge name {name}; give one another name, as in mine=...")


def without_duplicates(*groups: Mapping[str, Value]) -> dict[str, Value]:
    """Merge judges or their scores.

    Raises:
        DialmeterError: two have the same name.
    """
    merged: dict[str, Value] = {}
    for group in groups:
        for name, each in group.items():
            if name in merged:
                raise duplicate_name(name)
            merged[name] = each
    return merged


def models_of(judges: Mapping[str, Judge]) -> dict[str, LanguageModel]:
    """Return the language models among the judges, also those inside a judge that averages over replies."""
    inner = {name: judge.inner if isinstance(judge, OverReplies) else judge for name, judge in judges.items()}
    return {name: judge for name, judge in inner.items() if hasattr(judge, "estimate")}  # type: ignore[misc]
