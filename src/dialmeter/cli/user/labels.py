"""``dialmeter study audit`` of users: turns whose text and acts do not agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import click

from ...core.account import Account, count_reasons, refused_dialogues
from ...core.document import Count, Document
from ...english import KnownWords, english_notices, words_of_dialogue
from ...errors import InputError
from ...readers.conversations import open_conversations
from ...users.blame.words import LabelFinding, LabelKind, WordSearch, label_findings
from ...users.scorer import UserScorer
from ...views.summaries.user_studies import labels_summary
from ...views.tables import table_of
from ..frame import document_output
from ..main import EXIT_INPUT
from ..options import command, option
from ..printer import EVERY, Block, Output, message_block, refused_lines, typed_command
from ..progress import track_reading
from ..study import study_options
from .inputs import scoring_options, settings_from_options

KINDS: tuple[str, ...] = get_args(LabelKind)


class UserLabelsDocument(Document, kw_only=True):
    """Turns of users whose text and acts do not agree.

    Attributes:
        kinds: number of findings by kind.
        findings: all findings, in the order of the file.
    """

    kind: str = "user"
    command: str = "study audit"
    kinds: dict[str, Count]
    findings: list[LabelFinding]


@command()
@click.argument("file")
@option("--limit", "Maximum number of findings in the summary; other output has all.", least=0, default=8)
@scoring_options
@study_options
def labels(**options: Any) -> Output:
    """Find turns of FILE whose text and acts do not agree. The output is a sheet for correcting labels.

    \b
    not labelled            the text has a value of the goal, but no act has it
    not said                an act has a value, but no word of it is in the text
    reference not resolved  the value refers to another value: "same area"
    """
    settings = settings_from_options(options)
    scorer = UserScorer(settings.rules, settings.profile, settings.value_map)
    words = WordSearch(settings.profile, scorer.setup.matcher.map)
    conversations = open_conversations(options["file"], options["format"], options["goals"])
    findings: list[LabelFinding] = []
    spoken: dict[str, KnownWords] = {}
    refused: list[InputError] = []
    for conversation in track_reading(conversations, conversations, options["quiet"]):
        try:
            prepared = scorer.prepare(conversation)
        except InputError as error:
            refused.append(error.at(file=conversations.name))
            continue
        spoken[conversation.id] = words_of_dialogue(conversation)
        findings += label_findings(prepared, words)
    refused += conversations.refused
    dialogues = len(spoken)
    if not dialogues:
        raise refused[0] if refused else InputError("no dialogue", file=conversations.name)
    total = dialogues + len(refused)
    account = Account("dialogue", total, total, dialogues, count_reasons(refused_dialogues(refused)))
    notices = [*conversations.notices, *english_notices(spoken, "values are searched for with English words")]
    kinds: Counter[str] = Counter(each.kind for each in findings)
    return document_output(
        UserLabelsDocument,
        summary=labels_summary(findings, account, options["limit"], typed_command()),
        parts=_parts(findings, account),
        notices=notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
        account=account,
        counts={"dialogues": dialogues, "findings": len(findings)},
        kinds={kind: kinds[kind] for kind in KINDS},
        findings=findings,
    )


def _parts(findings: list[LabelFinding], account: Account) -> Iterator[Block]:
    if findings:
        columns = "<dialogue | turn | <finding=kind | <domain | <slot | <value | <words | <utterance"
        yield Block(table_of("", findings, columns, foot=(account.line,)), EVERY)
    else:
        yield message_block(f"no findings; {account.line}")
