"""``dialmeter user understand``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
from msgspec.structs import replace

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.document import make_document
from ...errors import InputError
from ...model import USER, Conversation
from ...readers.conversations import open_conversations
from ...users.canonical import Matcher
from ...users.result import UserSettings
from ...users.score_table import MEASURES
from ...users.scorer import UserScorer
from ...users.text import ReadingAccuracy, TextReader, measure_reading
from ...users.text.accuracy import ScoreEffect, score_effect, short, without_acts
from ...views.tables import Table, percent
from ..dry_run import dry_run_option, price_option
from ..main import EXIT_INPUT
from ..options import command, map_option, rules_option
from ..printer import EVERY, Block, Output, refused_lines
from ..progress import watched
from .documents import UserUnderstandDocument
from .reading import chosen_maker, reading_dry_run, reading_options
from .scoring import chosen_how, dialogue_options, profile_option, set_option

_SHOWN = ("I-GCDF1", "R-GCDF1")


@command()
@click.argument("dialogues")
@dialogue_options
@map_option
@profile_option()
@rules_option("The rule set under which both are scored.")
@set_option
@reading_options
@dry_run_option
@price_option
def understand(**options: Any) -> Output:
    """Measure how well acts are found in words, on DIALOGUES that have acts.

    The words of all turns are read without their acts, and what is found of the user is compared with its acts. Dialogues with
    goals are scored twice, from acts and from text.

    dialmeter user understand DIALOGUES --json > accuracy.json

    dialmeter user score OTHERS --from-text --accuracy accuracy.json
    """
    how = chosen_how(options)
    talks = open_conversations(options["dialogues"], options["format"], options["goals"])
    matcher = Matcher.under(how.rules.values, how.value_map, how.profile.kept_values)
    reader = TextReader(chosen_maker(options), how.profile)
    given = [talk for talk in watched(talks, talks, options["quiet"]) if talk.moves]
    usable = [talk for talk in given if _has_acts(talk)]
    refused = [*talks.refused]
    refused += [InputError("no acts", dialogue=talk.id).at(file=talks.name) for talk in given if not _has_acts(talk)]
    if not usable:
        raise InputError("no dialogue has acts of the user, so there is nothing to compare with", file=talks.name)
    if options["dry_run"]:
        return reading_dry_run("user understand", options, [without_acts(talk) for talk in usable])
    found, pairs = measure_reading(usable, reader, how.profile, matcher)
    found = replace(found, effects=tuple(_effects(pairs, how)))
    account = Account("dialogue", len(given), len(given), len(usable), count_reasons(refused_dialogues(refused)))
    return Output(
        document=lambda _: make_document(
            UserUnderstandDocument,
            account=account,
            counts={"dialogues": found.dialogues, "turns": found.turns},
            warnings=talks.notices,
            reader=found.maker,
            summary=found.summary,
            reading=_records(found),
            effects=found.effects,
        ),
        parts=_parts(found, account),
        notices=talks.notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
    )


def _has_acts(talk: Conversation) -> bool:
    return any(move.acts for move in talk.moves if move.speaker == USER)


def _effects(pairs: Sequence[tuple[Conversation, Conversation]], how: UserSettings) -> Iterator[ScoreEffect]:
    """Both scores of dialogues with goals, compared."""
    scorer = UserScorer(how.rules, how.profile, how.value_map)
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in _SHOWN}
    for pair in pairs:
        if not pair[0].goal:
            continue
        try:
            one, other = (scorer.outcome(talk) for talk in pair)
        except InputError:
            # A dialogue that cannot be scored has no score to compare.
            continue
        for name in _SHOWN:
            measured, part = MEASURES[name]
            values = [getattr(score, part) for each in (one, other) if (score := each.score(measured)) is not None]
            if len(values) == 2:
                scores[name].append((values[0], values[1]))
    yield from (score_effect(name, listed) for name, listed in scores.items() if listed)


def _records(found: ReadingAccuracy) -> list[dict[str, Any]]:
    rows = [("inform", "", "", found.informs), ("request", "", "", found.requests)]
    rows += [(*key, tally) for key, tally in found.slots.items()]
    return [
        {
            "kind": kind,
            "domain": domain,
            "slot": slot,
            "right": tally.right,
            "found": tally.found,
            "given": tally.given,
            "precision": tally.precision,
            "recall": tally.recall,
        }
        for kind, domain, slot, tally in rows
    ]


def _parts(found: ReadingAccuracy, account: Account) -> Iterator[Block]:
    yield Block(f"reader {found.maker}: {found.summary}")
    rows = tuple(
        (
            {"inform": "said", "request": "asked for"}[each["kind"]],
            each["domain"] or "all",
            each["slot"] or "all",
            short(each["precision"]),
            short(each["recall"]),
            *(str(each[name]) for name in ("right", "found", "given")),
        )
        for each in _records(found)
    )
    headings = ("unit", "domain", "slot", "precision", "recall", "right", "found", "given")
    yield Block(Table("", headings, rows, frozenset(range(3, 8)), foot=(account.line,)), EVERY)
    if found.effects:
        lines = tuple(
            (
                each.measure,
                percent(each.by_acts),
                percent(each.from_text),
                f"{100 * each.bias:+.2f}",
                "–" if each.correlation is None else f"{each.correlation:.2f}",
                str(each.n),
            )
            for each in found.effects
        )
        columns = ("measure", "by acts", "from text", "bias", "correlation", "dialogues")
        yield Block(Table("what reading does to the scores", columns, lines, frozenset(range(1, 6))), EVERY)
