"""The tallies of a corpus as bytes: what scoring it under the same rules comes to, to be merged into a scorer.

A header in JSON, arrays behind it, and a checksum over all in front. Of bytes that are damaged, or were written by somebody
else, types, lengths and numbers are looked at before anything is made of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from ..model import Notice, Schema, Value, dialogue_key
from .book import Book
from .breakdown import By
from .digest import Digests, GoldDigest
from .findings import Findings, Unpaired
from .ledger import Ledger
from .mistakes import Mistakes
from .scorer import Part
from .sections import Count, Reader, Section, Writer
from .tally import Lens

_MAGIC = b"dialmeter tallies\n"
_HASH = 32
_SINCE = 4
"""The place of the number in a tally that may be -1."""
_Hex: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{10}$")]


class Damaged(Exception):
    """Bytes that are not what was kept under this key."""


class Kept(Struct, frozen=True):
    """The tallies of a corpus, and what its reader told."""

    part: Part
    form: str
    notices: list[Notice]
    schema: Schema | None


class _Book(Struct, frozen=True, array_like=True):
    dialogues: Section | None
    """Places in the list of all dialogues; None for all of them."""
    width: Literal[9, 12]
    table: Section
    rows: Section
    turns: Section
    ends: Section


class _Breakdown(Struct, frozen=True):
    by: By
    dialogues: Count
    turns: Count
    groups: dict[str, list[_Book]]


class _Head(Struct, frozen=True, forbid_unknown_fields=True):
    form: str
    notices: list[Notice]
    schema: Schema | None
    dialogues: Section
    lenses: list[Lens]
    books: list[_Book]
    breakdowns: list[_Breakdown]
    data: _Hex
    digests: Section
    keys: list[str] | None
    """Of the digests; None where they are those of the dialogues."""
    missing: Unpaired
    extra: Unpaired
    gold_slots: list[str]
    hedged: list[tuple[str, str]]
    gold_changes: Count
    gold_losses: Count
    held: list[tuple[str, Value | None, Value | None, Count, Count | None]]
    """Of each slot with two values: at how many turns, and how often as a new mistake; None for values that agree."""


_decode_head = msgspec.json.Decoder(_Head).decode
_decode_names = msgspec.json.Decoder(list[str]).decode


def to_bytes(kept: Kept, key: bytes) -> bytes:
    """The bytes to keep under a key of 32 bytes.

    Raises:
        UnicodeEncodeError: a name holds half of a character.
    """
    writer = Writer()
    part, findings = kept.part, kept.part.findings
    names = part.ledger.main.dialogues
    places = {name: place for place, name in enumerate(names)}
    keys, digests = findings.digest.parts()
    head = _Head(
        form=kept.form,
        notices=kept.notices,
        schema=kept.schema,
        dialogues=writer.add_bytes(msgspec.json.encode(names)),
        lenses=list(part.ledger.books),
        books=[_noted(book, writer, None) for book in part.ledger.books.values()],
        breakdowns=[
            _Breakdown(
                each.by,
                *each.size,
                {
                    group: [_noted(book, writer, places) for book in ledger.books.values()]
                    for group, ledger in each.ledgers.items()
                },
            )
            for each in part.breakdowns
        ],
        data=findings.digest.hex(),
        digests=writer.add_bytes(digests),
        keys=None if keys == [*map(dialogue_key, names)] else keys,
        missing=findings.missing,
        extra=findings.extra,
        gold_slots=sorted(findings.gold_slots),
        hedged=list(findings.hedged.items()),
        gold_changes=findings.gold_changes,
        gold_losses=findings.gold_losses,
        held=[(*key, turns, findings.mistakes.new.get(key)) for key, turns in findings.mistakes.turns.items()],
    )
    header = msgspec.json.encode(head)
    body = key + len(header).to_bytes(8, "big") + header + writer.data()
    return _MAGIC + hashlib.sha256(body).digest() + body


def _noted(book: Book, writer: Writer, places: dict[str, int] | None) -> _Book:
    table = [*zip(*book.number_of, strict=True)]
    return _Book(
        dialogues=None if places is None else writer.add([places[name] for name in book.dialogues]),
        width=9 if len(table) == 9 else 12,
        table=writer.add([number for column in table for number in column]),
        rows=writer.add(book.rows),
        turns=writer.add(book.turns),
        ends=writer.add(book.ends),
    )


def from_bytes(data: bytes, key: bytes, empty: Part) -> Kept:
    """What was kept under a key.

    Args:
        data: the bytes.
        key: the key that they must have been kept under.
        empty: of the scorer that will take it; it says which measures there are.

    Raises:
        Damaged: something else.
    """
    start = len(_MAGIC) + _HASH
    body = memoryview(data)[start:]
    if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise Damaged
    if body[:_HASH] != key:
        raise Damaged
    begin = _HASH + 8
    end = begin + int.from_bytes(body[_HASH:begin], "big")
    try:
        head = _decode_head(body[begin:end])
        return _kept(head, Reader(body[end:]), empty)
    except (msgspec.DecodeError, ValueError) as error:
        raise Damaged from error


def _kept(head: _Head, reader: Reader, empty: Part) -> Kept:
    names = _decode_names(reader.bytes(head.dialogues))
    if head.lenses != [*empty.ledger.books] or [each.by for each in head.breakdowns] != [
        each.by for each in empty.breakdowns
    ]:
        raise ValueError("other lenses or breakdowns")
    ledger = Ledger(empty.ledger.measures, empty.ledger.hyphen_cut)
    ledger.books.update(_books(head.lenses, head.books, reader, names))
    breakdowns = [
        mine.like(
            each.dialogues,
            each.turns,
            {group: _books(head.lenses, books, reader, names) for group, books in each.groups.items()},
        )
        for mine, each in zip(empty.breakdowns, head.breakdowns, strict=True)
    ]
    keys, digests = head.keys, reader.bytes(head.digests)
    if len(digests) != _HASH * len(names if keys is None else keys):
        raise ValueError("not one digest per dialogue")

    def kept_digests() -> Digests:
        return Digests(dict.fromkeys(map(dialogue_key, names) if keys is None else keys), bytearray(digests))

    findings = Findings(
        GoldDigest(kept_digests, head.data),
        head.missing,
        head.extra,
        set(head.gold_slots),
        dict(head.hedged),
        head.gold_changes,
        head.gold_losses,
        Mistakes(
            {(slot, gold, pred): turns for slot, gold, pred, turns, _ in head.held},
            {(slot, gold, pred): new for slot, gold, pred, _, new in head.held if new is not None},
        ),
    )
    return Kept(Part(ledger, findings, breakdowns), head.form, head.notices, head.schema)


def _books(lenses: Sequence[Lens], books: Sequence[_Book], reader: Reader, names: list[str]) -> dict[Lens, Book]:
    return {lens: _book(each, reader, names) for lens, each in zip(lenses, books, strict=True)}


def _book(noted: _Book, reader: Reader, names: list[str]) -> Book:
    rows, turns, ends = reader.get(noted.rows), reader.get(noted.turns), reader.get(noted.ends)
    table = reader.get(noted.table).reshape(noted.width, -1)
    dialogues = names
    if noted.dialogues is not None:
        places = reader.get(noted.dialogues)
        if places.size and not 0 <= places.min() <= places.max() < len(names):
            raise ValueError("a dialogue that is not there")
        dialogues = [names[place] for place in places.tolist()]
    lows = [-1 if column == _SINCE else 0 for column in range(noted.width)]
    if (
        len(ends) != len(dialogues) + 1
        or ends[0] != 0
        or ends[-1] != len(rows)
        or (ends[1:] < ends[:-1]).any()
        or len(turns) != len(rows)
        or (len(rows) and not 0 <= rows.min() <= rows.max() < table.shape[1])
        or (len(rows) and not 0 <= turns.min() <= turns.max() < 2**32)
        or any((column < low).any() for column, low in zip(table, lows, strict=True))
        or (table >= 2**31).any()
    ):
        raise ValueError("numbers that do not go together")
    distinct = [*zip(*table.tolist(), strict=True)] if table.size else []
    book = Book.of([*dialogues], distinct, rows, turns, ends)
    if len(book.number_of) != len(distinct):
        raise ValueError("a tally stands twice")
    return book
