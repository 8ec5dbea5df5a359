"""``dialmeter user labels``"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import click

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.document import make_document
from ...errors import InputError
from ...readers.conversations import open_conversations
from ...users.blame.label_check import LabelFinding, LabelKind, label_findings
from ...users.blame.words import WordSearch
from ...users.scorer import UserScorer
from ...views.tables import Table
from ..main import EXIT_INPUT
from ..options import command, number_option
from ..printer import EVERY, TEXT, Block, Output, message, refused_lines
from ..progress import watched
from .documents import UserLabelsDocument
from .scoring import chosen_how, dialogue_options, scoring_options

KINDS: tuple[str, ...] = get_args(LabelKind)


@command()
@click.argument("dialogues")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated.")
@number_option("--limit", least=1, default=20, about="How many to print as text; other outputs have all.")
@dialogue_options
@scoring_options
def labels(**options: Any) -> Output:
    """Find turns of DIALOGUES whose words and acts do not agree, as a sheet for those who correct labels.

    \b
    not labelled            the words say a value of the goal, and no act does
    not said                an act has a value of which no word is in the text
    reference not resolved  the value refers to another one: "same area"

    dialmeter user labels DIALOGUES --as csv > sheet.csv
    """
    how = chosen_how(options)
    scorer = UserScorer(how.rules, how.profile, how.value_map)
    words = WordSearch(how.profile, scorer.setup.matcher.map)
    talks = open_conversations(options["dialogues"], options["format"], options["goals"])
    found: list[LabelFinding] = []
    dialogues = 0
    refused: list[InputError] = []
    for talk in watched(talks, talks, options["quiet"]):
        try:
            prepared = scorer.prepare(talk)
        except InputError as error:
            refused.append(error.at(file=talks.name))
            continue
        dialogues += 1
        found += label_findings(talk, prepared, words)
    refused += talks.refused
    if not dialogues:
        raise refused[0] if refused else InputError("no dialogue", file=talks.name)
    found = [each for each in found if not options["kinds"] or each.kind in options["kinds"]]
    asked = dialogues + len(refused)
    account = Account("dialogue", asked, asked, dialogues, count_reasons(refused_dialogues(refused)))
    kinds: Counter[str] = Counter(each.kind for each in found)
    return Output(
        document=lambda _: make_document(
            UserLabelsDocument,
            account=account,
            counts={"dialogues": dialogues, "findings": len(found)},
            warnings=talks.notices,
            kinds={kind: kinds[kind] for kind in KINDS},
            findings=found,
        ),
        parts=_parts(found, account, options),
        notices=talks.notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
    )


def _parts(found: list[LabelFinding], account: Account, options: dict[str, Any]) -> Iterator[Block]:
    if not found:
        yield message(f"no finding; {account.line}")
        return
    yield Block(_sheet(found[: options["limit"]], (account.line,)), TEXT)
    yield Block(_sheet(found, (account.line,)), EVERY[1:])
    more = f", {options['limit']} shown (--limit)" if len(found) > options["limit"] else ""
    yield Block(f"{len(found)} findings{more}", TEXT)


def _sheet(found: list[LabelFinding], foot: tuple[str, ...]) -> Table:
    headings = ("dialogue", "turn", "finding", "domain", "slot", "value", "words", "utterance")
    rows = tuple(
        (each.dialogue, str(each.turn), each.kind, each.domain, each.slot, each.value, each.words, each.utterance)
        for each in found
    )
    return Table("", headings, rows, frozenset({1}), foot=foot)
