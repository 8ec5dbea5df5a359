"""``dialmeter user understand``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Literal

import click
from msgspec import Struct
from msgspec.structs import replace

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.document import Count, Document, Number, Text
from ...english import english_notices, words_of_dialogue
from ...errors import InputError
from ...model import USER, Conversation
from ...readers.conversations import open_conversations
from ...users.canonical import Matcher
from ...users.result import UserSettings
from ...users.score_table import MEASURES
from ...users.scorer import UserScorer
from ...users.text import ReadingAccuracy, TextReader, measure_reading
from ...users.text.accuracy import ScoreEffect, score_effect, short, without_acts
from ...views.tables import table_of
from ..dry_run import dry_run_option, price_option
from ..frame import document_output
from ..main import EXIT_INPUT
from ..options import command, map_option, profile_option
from ..printer import EVERY, Block, Output, refused_lines
from ..progress import track_reading
from .score import (
    act_maker_from_options,
    dialogue_options,
    reading_dry_run,
    reading_options,
    set_option,
    user_rules_option,
    user_settings_from_options,
)

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


class UserUnderstandDocument(Document, kw_only=True):
    """The accuracy of acts that were found in text.

    Attributes:
        reader: the name of the reader that finds acts.
        summary: precision and recall as a text.
        reading: the accuracy of all units together, then by domain and slot.
        effects: the effect of the reader on the scores of dialogues with goals.
    """

    command: str = "user understand"
    reader: Text
    summary: str
    reading: list[ReadingRecord]
    effects: list[EffectRecord]


@command()
@click.argument("dialogues")
@dialogue_options
@map_option
@profile_option()
@user_rules_option
@set_option
@reading_options
@dry_run_option
@price_option
def understand(**options: Any) -> Output:
    """Measure how well acts are recognised in text, on DIALOGUES that have acts.

    The reader gets the text of all turns without their acts. The acts that it finds for the user are compared with the user's
    acts. Dialogues with goals are scored twice, from acts and from text.

    dialmeter user understand DIALOGUES --json > accuracy.json

    dialmeter user score OTHERS --from-text --accuracy accuracy.json
    """
    settings = user_settings_from_options(options)
    conversations = open_conversations(options["dialogues"], options["format"], options["goals"])
    matcher = Matcher.under(settings.rules.values, settings.value_map, settings.profile.kept_values)
    reader = TextReader(act_maker_from_options(options), settings.profile)
    conversations_with_moves = [
        conversation
        for conversation in track_reading(conversations, conversations, options["quiet"])
        if conversation.moves
    ]
    usable = [conversation for conversation in conversations_with_moves if _has_acts(conversation)]
    refused = [*conversations.refused]
    refused += [
        InputError("no acts", dialogue=conversation.id).at(file=conversations.name)
        for conversation in conversations_with_moves
        if not _has_acts(conversation)
    ]
    if not usable:
        raise InputError("no dialogue has acts of the user to compare with", file=conversations.name)
    if options["dry_run"]:
        return reading_dry_run("user understand", options, [without_acts(conversation) for conversation in usable])
    notices = list(conversations.notices)
    if options["reader"] != "model":
        words = {conversation.id: words_of_dialogue(conversation) for conversation in usable}
        notices += english_notices(words, "the reader knows only English words")
    accuracy, pairs = measure_reading(usable, reader, settings.profile, matcher)
    accuracy = replace(accuracy, effects=tuple(_score_effects(pairs, settings)))
    account = Account(
        "dialogue",
        len(conversations_with_moves),
        len(conversations_with_moves),
        len(usable),
        count_reasons(refused_dialogues(refused)),
    )
    return document_output(
        UserUnderstandDocument,
        parts=_reading_parts(accuracy, account),
        notices=notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
        account=account,
        counts={"dialogues": accuracy.dialogues, "turns": accuracy.turns},
        reader=accuracy.maker,
        summary=accuracy.summary,
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
