"""``dialmeter user labels``"""

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
from ...views.tables import Table, table_of
from ..frame import document_output
from ..main import EXIT_INPUT
from ..options import command, option
from ..printer import EVERY, TEXT, Block, Output, message_block, refused_lines
from ..progress import track_reading
from .scoring import dialogue_options, scoring_options, user_settings_from_options

KINDS: tuple[str, ...] = get_args(LabelKind)


class UserLabelsDocument(Document, kw_only=True):
    """Turns of users whose text and acts do not agree.

    Attributes:
        kinds: number of findings by kind.
        findings: all findings, in the order of the file.
    """

    command: str = "user labels"
    kinds: dict[str, Count]
    findings: list[LabelFinding]


@command()
@click.argument("dialogues")
@option("--kind * kinds", "Only findings of this kind; may be repeated.", choices=KINDS)
@option("--limit", "Maximum number of findings in text output; other formats have all.", least=1, default=20)
@dialogue_options
@scoring_options
def labels(**options: Any) -> Output:
    """Find turns of DIALOGUES whose text and acts do not agree. The output is a sheet for correcting labels.

    \b
    not labelled            the text has a value of the goal, but no act has it
    not said                an act has a value, but no word of it is in the text
    reference not resolved  the value refers to another value: "same area"

    dialmeter user labels DIALOGUES --as csv > sheet.csv
    """
    settings = user_settings_from_options(options)
    scorer = UserScorer(settings.rules, settings.profile, settings.value_map)
    words = WordSearch(settings.profile, scorer.setup.matcher.map)
    talks = open_conversations(options["dialogues"], options["format"], options["goals"])
    findings: list[LabelFinding] = []
    spoken: dict[str, KnownWords] = {}
    refused: list[InputError] = []
    for talk in track_reading(talks, talks, options["quiet"]):
        try:
            prepared = scorer.prepare(talk)
        except InputError as error:
            refused.append(error.at(file=talks.name))
            continue
        spoken[talk.id] = words_of_dialogue(talk)
        findings += label_findings(talk, prepared, words)
    refused += talks.refused
    dialogues = len(spoken)
    if not dialogues:
        raise refused[0] if refused else InputError("no dialogue", file=talks.name)
    findings = [each for each in findings if not options["kinds"] or each.kind in options["kinds"]]
    total = dialogues + len(refused)
    account = Account("dialogue", total, total, dialogues, count_reasons(refused_dialogues(refused)))
    notices = [*talks.notices, *english_notices(spoken, "values are searched for with English words")]
    kinds: Counter[str] = Counter(each.kind for each in findings)
    return document_output(
        UserLabelsDocument,
        parts=_parts(findings, account, options),
        notices=notices,
        errors=refused_lines(refused),
        exit_code=EXIT_INPUT if refused else 0,
        account=account,
        counts={"dialogues": dialogues, "findings": len(findings)},
        kinds={kind: kinds[kind] for kind in KINDS},
        findings=findings,
    )


def _parts(findings: list[LabelFinding], account: Account, options: dict[str, Any]) -> Iterator[Block]:
    if not findings:
        yield message_block(f"no findings; {account.line}")
        return
    yield Block(_finding_table(findings[: options["limit"]], (account.line,)), TEXT)
    yield Block(_finding_table(findings, (account.line,)), EVERY[1:])
    more = f", {options['limit']} shown (--limit)" if len(findings) > options["limit"] else ""
    yield Block(f"{len(findings)} findings{more}", TEXT)


def _finding_table(findings: list[LabelFinding], foot: tuple[str, ...]) -> Table:
    columns = "<dialogue | turn | <finding=kind | <domain | <slot | <value | <words | <utterance"
    return table_of("", findings, columns, foot=foot)
