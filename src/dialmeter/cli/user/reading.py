"""``check --set acts=READER``: the accuracy of a reader that finds acts in text"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from operator import itemgetter
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.document import CheckedDocument, Count, Number
from ...english import english_notices, words_of_dialogue
from ...errors import DialmeterError, InputError
from ...model import USER, Conversation, Notice
from ...readers.conversations import open_conversations
from ...users.canonical import Matcher
from ...users.result import UserSettings
from ...users.score_table import MEASURES
from ...users.scorer import UserScorer
from ...users.text import ReadingAccuracy, TextReader, measure_reading
from ...users.text.accuracy import ScoreEffect, score_effect, short, without_acts
from ...views.summaries.user import reading_summary
from ...views.tables import table_of
from ..frame import document_output
from ..main import EXIT_INPUT
from ..printer import EVERY, Block, Output, refused_lines, typed_command
from ..progress import track_reading
from .inputs import maker_from_options, parse_acts, reading_dry_run, settings_from_options

_COMPARED = ("I-GCDF1", "R-GCDF1")


class ReadingRecord(Struct, kw_only=True):
    """Accuracy of the units of one kind that were found in text. Domain and slot are empty for all units together."""

    kind: Literal["inform", "request"]
    domain: str
    slot: str
    right: Count
    found: Count
    given: Count
    precision: Number
    recall: Number


class EffectRecord(Struct, kw_only=True):
    """A score from acts, and the same score from text."""

    measure: str
    by_acts: float
    from_text: float
    bias: float
    correlation: Number
    n: Count


def has_acts(options: dict[str, Any]) -> bool:
    """Return True if a dialogue of the file has acts of the user, with which acts from text can be compared."""
    if options["dialogues"] == "-":
        return False
    with closing(open_conversations(options["dialogues"], options["format"], options["goals"])) as conversations:
        return any(_has_acts(each) for each in conversations)


def check_reading(kind: type[CheckedDocument], options: dict[str, Any]) -> Output:
    """Measure how well a reader finds acts in the text of dialogues that have acts.

    The reader gets the text of all turns without their acts. The acts that it finds for the user are compared with the user's
    acts. Dialogues with goals are scored twice, from acts and from text.
    """
    acts = parse_acts(options["acts"])
    if acts.accuracy:
        raise DialmeterError(f"`dialmeter check` measures the accuracy of the reader; write --set acts={acts.reader}")
    settings = settings_from_options({**options, "acts": ""})
    conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
    matcher = Matcher.under(settings.rules.values, settings.value_map, settings.profile.kept_values)
    maker = maker_from_options(options)
    found = [each for each in track_reading(conversations, conversations, options["quiet"]) if each.moves]
    usable = [each for each in found if _has_acts(each)]
    refused = [*conversations.refused]
    refused += [
        InputError("no acts", dialogue=each.id).at(file=conversations.name) for each in found if not _has_acts(each)
    ]
    if options["dry_run"]:
        return reading_dry_run("check", options, [without_acts(each) for each in usable])
    notices = list(conversations.notices)
    if acts.reader != "model":
        words = {each.id: words_of_dialogue(each) for each in usable}
        notices += english_notices(words, "the reader knows only English words")
    accuracy, pairs = measure_reading(usable, TextReader(maker, settings.profile), settings.profile, matcher)
    accuracy = replace(accuracy, effects=tuple(_score_effects(pairs, settings)))
    account = Account("dialogue", len(found), len(found), len(usable), count_reasons(refused_dialogues(refused)))
    return document_output(
        kind,
        summary=reading_summary(accuracy, account, typed_command()),
        parts=_reading_parts(accuracy, account),
        notices=notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
        account=account,
        counts={"dialogues": accuracy.dialogues, "turns": accuracy.turns},
        scores=[],
        format=conversations.format,
        valid=not refused,
        problems=[Notice("unscored", 1, each.message, (str(each),)) for each in refused],
        reader=accuracy.maker,
        accuracy=accuracy.summary,
        reading=_reading_records(accuracy),
        effects=accuracy.effects,
    )


def _has_acts(conversation: Conversation) -> bool:
    return any(move.acts for move in conversation.moves if move.speaker == USER)


def _score_effects(pairs: Sequence[tuple[Conversation, Conversation]], settings: UserSettings) -> Iterator[ScoreEffect]:
    """Yield the difference between the scores from acts and from text, for dialogues with goals."""
    scorer = UserScorer(settings.rules, settings.profile, settings.value_map)
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in _COMPARED}
    for pair in pairs:
        if not pair[0].goal:
            continue
        try:
            one, other = (scorer.outcome(conversation) for conversation in pair)
        except InputError:
            continue
        for name in _COMPARED:
            measured, part = MEASURES[name]
            values = [getattr(score, part) for each in (one, other) if (score := each.score(measured)) is not None]
            if len(values) == 2:
                scores[name].append((values[0], values[1]))
    yield from (score_effect(name, listed) for name, listed in scores.items() if listed)


def _reading_records(accuracy: ReadingAccuracy) -> list[dict[str, Any]]:
    rows = [("inform", "", "", accuracy.informs), ("request", "", "", accuracy.requests)]
    rows += [(*key, tally) for key, tally in accuracy.slots.items()]
    counts = ("right", "found", "given", "precision", "recall")
    return [
        {"kind": kind, "domain": domain, "slot": slot} | {name: getattr(tally, name) for name in counts}
        for kind, domain, slot, tally in rows
    ]


def _reading_parts(accuracy: ReadingAccuracy, account: Account) -> Iterator[Block]:
    yield Block(f"reader {accuracy.maker}: {accuracy.summary}")
    table = table_of(
        "",
        _reading_records(accuracy),
        ("<unit", lambda each: {"inform": "said", "request": "requested"}[each["kind"]]),
        *((f"<{name}", lambda each, name=name: each[name] or "all") for name in ("domain", "slot")),
        *((name, lambda each, name=name: short(each[name])) for name in ("precision", "recall")),
        *((name, itemgetter(name)) for name in ("right", "found", "given")),
        foot=(account.line,),
    )
    yield Block(table, EVERY)
    if accuracy.effects:
        table = table_of(
            "effect of the reader on scores",
            accuracy.effects,
            "<measure | by acts=by_acts:percent | from text=from_text:percent | bias:signed",
            ("correlation", lambda each: "–" if each.correlation is None else f"{each.correlation:.2f}"),
            "dialogues=n",
        )
        yield Block(table, EVERY)
