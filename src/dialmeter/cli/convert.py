"""``dialmeter convert`` for states and for the rows of runs. The table of all target formats is in `door.FLOWS`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..core.open_runs import check_parquet, open_run, write_parquet
from ..core.output import compressed, new_file
from ..errors import InputError
from ..progress import track_reading
from ..readers.corpus import open_corpus
from ..readers.layouts.own import WRITERS, Losses
from ..readers.pairs.vocabulary import Vocabulary
from ..readers.validation import Role
from ..tracking.align import plain_dialogues, read_pair
from .options import PLAIN, command, force_option, option, source_options
from .printer import Output


@command(last=PLAIN)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", default="-")
@source_options("IN")
@option(
    "--role",
    "Role of the states if the format has one state per turn and --gold is not given.",
    choices=["gold", "pred"],
)
@option("--to target_format", "Format of OUT.", choices=list(WRITERS))
@force_option
def states(**options: Any) -> Output:
    """Convert IN to another format of states. OUT has gold and predictions if IN has both or --gold is given.

    An OUT that ends in .gz or .zst is compressed; - is standard output. States, utterances and intents are written. Acts, goals
    and other trackers of IN are not written. A warning lists the content that the format of OUT cannot store.
    """
    source, target, gold = options["source"], options["target"], options["gold"]
    role = Role.PRED if gold else Role(options["role"])
    corpus = open_corpus(source, role, options["format"], is_role_sure=gold is not None)
    words = Vocabulary()
    gold_corpus = None if gold is None else open_corpus(gold, Role.GOLD, options["gold_format"])
    dialogues = plain_dialogues(track_reading(read_pair(corpus, gold_corpus, words), corpus), words, corpus)
    target_format = options["target_format"]
    losses = Losses(target_format)
    parts = WRITERS[target_format].write(losses.count_losses(dialogues))
    try:
        if target == "-":
            sys.stdout.buffer.writelines(parts)
        else:
            with new_file(target, force=options["force"]) as plain, compressed(plain, Path(target).suffix) as file:
                file.writelines(parts)
    except InputError as error:
        raise corpus.place(error) from None
    remark = f"{losses.count} dialogues from {corpus.format} to {target_format}"
    return Output(notices=[*corpus.notices, *losses.notices], remarks=[remark])


@command(last=PLAIN)
@click.argument("source", metavar="RUN")
@click.argument("target", metavar="OUT")
@force_option
def rows(source: str, target: str, *, force: bool, quiet: bool) -> Output:
    """Write the rows of a RUN as Parquet: the id, the scores, and the whole row as JSON text."""
    check_parquet()
    run = open_run(source)
    columns = {name: values.tolist() for name, values in run.index().items() if name != "offset"}
    with new_file(target, force=force) as file:
        write_parquet(run.path("rows.jsonl"), file, columns)
    return Output(remarks=[f"{len(run.index()['offset'])} rows to {target}"])
