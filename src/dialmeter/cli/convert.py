"""``dialmeter convert``"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import click

from ..core.output import new_file
from ..errors import DialmeterError, InputError
from ..readers.corpus import open_corpus
from ..readers.layouts.own import WRITERS, Losses
from ..readers.pairs.vocabulary import Vocabulary
from ..readers.validation import Role
from ..tracking.align import plain_dialogues, read_pair
from .judge.convert import CASE_FORMATS, convert_cases, holds_cases
from .options import PLAIN, command, force_option, option, source_options
from .printer import Output
from .progress import track_reading


@command(last=PLAIN)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@source_options("IN")
@option(
    "--role",
    "Role of the states if the format has one state per turn and --gold is not given.",
    choices=["gold", "pred"],
)
@option(
    "--to target_format",
    "Format of OUT: "
    + "; ".join(f"{name} ({each.about})" for name, each in WRITERS.items())
    + "; "
    + "; ".join(f"{name} ({about})" for name, about in CASE_FORMATS.items())
    + ".  [default: csv if OUT ends in .csv, else native]",
    choices=[*WRITERS, *CASE_FORMATS],
    optional=True,
)
@force_option
def convert(**options: Any) -> Output:
    """Convert IN to another format of states. OUT has gold and predictions if IN has both or --gold is given.

    An OUT that ends in .gz or .zst is compressed; - is standard output. States, utterances and intents are written. Acts, goals
    and other trackers of IN are not written. A warning lists the content that the format of OUT cannot store.
    """
    if (
        options["format"] is None
        and options["gold"] is None
        and options["source"] != "-"
        and holds_cases(options["source"])
    ):
        return convert_cases(options["source"], options["target"], options["target_format"], force=options["force"])
    source, target, gold, quiet = options["source"], options["target"], options["gold"], options["quiet"]
    corpus = open_corpus(source, Role.PRED if gold else Role(options["role"]), options["format"])
    words = Vocabulary()
    gold_corpus = None if gold is None else open_corpus(gold, Role.GOLD, options["gold_format"])
    dialogues = plain_dialogues(track_reading(read_pair(corpus, gold_corpus, words), corpus, quiet), words, corpus)
    if options["target_format"] in CASE_FORMATS:
        raise DialmeterError(f"{source}: only cases can become {options['target_format']}")
    target_format = options["target_format"] or ("csv" if ".csv" in Path(target).suffixes else "native")
    losses = Losses(target_format)
    parts = WRITERS[target_format].write(losses.count_losses(dialogues))
    try:
        if target == "-":
            sys.stdout.buffer.writelines(parts)
        else:
            with new_file(target, force=options["force"]) as plain, _compressed(plain, Path(target).suffix) as file:
                file.writelines(parts)
    except InputError as error:
        raise corpus.place(error) from None
    remark = f"{losses.count} dialogues from {corpus.format} to {target_format}"
    return Output(notices=[*corpus.notices, *losses.notices], remarks=[remark])


@contextmanager
def _compressed(plain: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".gz":
        # Without a name and a time in the header, the same dialogues give the same bytes.
        with gzip.GzipFile(filename="", fileobj=plain, mode="wb", mtime=0) as compressed:
            yield cast(BinaryIO, compressed)
    elif suffix == ".zst":
        from ..readers.raw_file import zstd_module

        with zstd_module().ZstdFile(plain, "wb") as compressed:
            yield compressed
    else:
        yield plain
