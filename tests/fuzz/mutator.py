"""Small changes to a file that may break who reads it: to the tree of JSON text, to lines and words, to bytes, to archives."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from functools import lru_cache, partial
from random import Random
from typing import NamedTuple

from dialmeter.readers.raw_file import zstd_module

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_WORD = re.compile(rb"\w+|\"[^\"\n]*\"|[^\w\s]")

HALF_CHARACTER = b"\xed\xa0\x80"

VALUES: tuple[bytes, ...] = (
    b"null", b"true", b"false", b"0", b"-1", b"1", b"1.5", b"4.0", b"-0.0", b"1e400", b"3e999", b"-1e999", b"NaN",
    b"Infinity", b"-Infinity", b"5000000000", b"9" * 25, b"9" * 5000, b"1" + b"0" * 400, b"0.1e-400", b'""', b'" "',
    b"[]", b"{}", b"[[]]", b"[{}]", b"[null]", b'[""]', b'["a", 1]', b'{"": ""}', b'{"a": {"b": []}}', b'"x"', b'"0"',
    b'"None"', b'"none"', b'"a|b"', b'"-"', b'"a-b-c"', b'"hotel-area-east"', b'"../../x"', b'"=1+1"', b'"a\\nb"',
    b'"\\u0000"', b'"\\u001b[31mred"', b'"\x1b[31m"', b'"\\u009b31m"', b'"\\ud800"', b'"\\udc00x"', b'"\\ud83d\\ude00"',
    b'"' + HALF_CHARACTER + b'"', b'"\xff"', b'"\xc3\xa9"', b'"e\\u0301"', b'"\\u202e"', b'"\\ufeff"', b'"' + b"x" * 5000 + b'"',
    b'"' + b"a b " * 20_000 + b'"', b'"<script>alert(1)</script>"', b'"{}"', b'"%s {0} $x"', b'"\\\\"', b'"/dev/zero"',
    b'"user"', b'"system"', b'"dontcare"', b'"12:30"', b"01", b"1_000", b"0x10", b"'x'", b"undefined", b"",
)  # fmt: skip
"""What a value is replaced by."""

PIECES: tuple[bytes, ...] = (
    b"\xef\xbb\xbf", b"\x00", b"\xff", b"\xfe\xff", HALF_CHARACTER, b"\xc3", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x0c",
    b"\x1a", b"\x1b[2J", b"\x7f", b"\r", b"\r\n", b"\n", b"\n\n", b" ", b"\t", b" " * 3000, b"\n" * 3000, b",", b":", b'"', b"'",
    b"\\", b"{", b"}", b"[", b"]", b"[" * 3000, b'{"a":' * 3000, b"#", b"=", b"-", b"/*x*/", b"//", b"1", b"e", b"\\ud800", b"\\u006",
    b"a" * 3000, b"=" * 40, b"'''", b'"""', b"[[x]]", b"\xf0\x9f\x98\x80", b"\xcc\x81" * 300, b"\xd9\xa3",
)  # fmt: skip
"""What is put between bytes."""


class Member(NamedTuple):
    """A key and its value in an object, by places in the text."""

    start: int
    colon: int
    value: int
    end: int


class Tree(NamedTuple):
    """Where values and members are in a text that is JSON, or like it."""

    values: tuple[tuple[int, int], ...]
    members: tuple[Member, ...]


@lru_cache(256)
def tree(data: bytes) -> Tree:
    """Values and members; brackets that do not fit are passed over."""
    values: list[tuple[int, int]] = []
    members: list[Member] = []
    opened: list[tuple[int, tuple[int, int] | None]] = []
    key: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    for found in _TOKEN.finditer(data):
        token, start, end = found[0], found.start(), found.end()
        if token in b"{[":
            opened.append((start, key))
            key = last = None
        elif token == b":":
            key = (last[0], end) if last else None
        elif token == b",":
            key = None
        else:
            if token in b"}]":
                if not opened:
                    continue
                start, key = opened.pop()
            last = (start, end)
            values.append(last)
            if key:
                members.append(Member(key[0], key[1], start, end))
                key = None
    return Tree(tuple(values), tuple(members))


def _retype(data: bytes, draw: Random) -> bytes:
    start, end = draw.choice(tree(data).values)
    return data[:start] + draw.choice(VALUES) + data[end:]


def _copy_value(data: bytes, draw: Random) -> bytes:
    values = tree(data).values
    (start, end), (first, last) = draw.choice(values), draw.choice(values)
    return data[:start] + data[first:last] + data[end:]


def _swap(data: bytes, draw: Random) -> bytes:
    one, other = sorted(draw.sample(tree(data).values, 2))
    if one[1] > other[0]:
        return _copy_value(data, draw)
    return data[: one[0]] + data[slice(*other)] + data[one[1] : other[0]] + data[slice(*one)] + data[other[1] :]


def _nest(data: bytes, draw: Random) -> bytes:
    start, end = draw.choice(tree(data).values)
    depth = draw.choice((1, 1, 2, 30, 200, 1200, 3000))
    before, after = draw.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return data[:start] + before * depth + data[start:end] + after * depth + data[end:]


def _delete_member(data: bytes, draw: Random) -> bytes:
    member = draw.choice(tree(data).members)
    end = member.end
    while data[end : end + 1] in (b",", b" "):
        end += 1
    return data[: member.start] + data[end:]


def _duplicate_member(data: bytes, draw: Random) -> bytes:
    """The same key again, as it is or with an escape, and the same value or another."""
    member = draw.choice(tree(data).members)
    key = data[member.start : member.colon]
    if draw.random() < 0.5 and len(key) > 3 and key[1:2].isalpha():
        place = draw.randrange(1, 2)
        key = key[:place] + b"\\u%04x" % key[place] + key[place + 1 :]
    value = draw.choice(VALUES) if draw.random() < 0.5 else data[member.value : member.end]
    return data[: member.end] + b", " + key + b" " + value + data[member.end :]


def _rename(data: bytes, draw: Random) -> bytes:
    members = tree(data).members
    member, other = draw.choice(members), draw.choice(members)
    key = data[other.start : other.colon] if draw.random() < 0.5 else draw.choice(VALUES) + b":"
    return data[: member.start] + key + data[member.colon :]


def _escape_key(data: bytes, draw: Random) -> bytes:
    member = draw.choice(tree(data).members)
    sign = data[member.start + 1]
    return data[: member.start + 1] + b"\\u%04x" % sign + data[member.start + 2 :]


def _lines(data: bytes, draw: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    place, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    way = draw.randrange(5)
    if way == 0:
        lines.insert(other, lines[place])
    elif way == 1:
        del lines[place]
    elif way == 2:
        lines[place], lines[other] = lines[other], lines[place]
    elif way == 3:
        lines[place] = draw.choice(VALUES) + b"\n"
    else:
        lines[place] = lines[place][: draw.randrange(len(lines[place]))]
    return b"".join(lines)


def _word(data: bytes, draw: Random) -> bytes:
    words = list(_WORD.finditer(data))
    found = draw.choice(words)
    new = draw.choice((draw.choice(VALUES), draw.choice(PIECES), draw.choice(words)[0]))
    return data[: found.start()] + new + data[found.end() :]


def _insert(data: bytes, draw: Random) -> bytes:
    place = draw.choice((0, len(data), draw.randint(0, len(data))))
    return data[:place] + draw.choice(PIECES) + data[place:]


def _flip(data: bytes, draw: Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + bytes((draw.randrange(256),)) + data[place + 1 :]


def _cut(data: bytes, draw: Random) -> bytes:
    return data[: draw.randrange(len(data))]


def _slice(data: bytes, draw: Random) -> bytes:
    start, end = sorted(draw.randrange(len(data)) for _ in range(2))
    return data[:start] + (data[start:end] * 2 if draw.random() < 0.5 else b"") + data[end:]


def _newlines(data: bytes, draw: Random) -> bytes:
    return data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\xe2\x80\xa8", b"\x0b", b"\n\n", b"")))


def _encode(data: bytes, draw: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(draw.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1")), "replace")


def _all(data: bytes, draw: Random) -> bytes:
    return draw.choice(
        (b"", b" ", b"\n", data * 2, b"\n" + data, data + b"\n\x00", b"[" + data + b"]", b"null", b"[]", b"{}")
    )


def _archive(data: bytes, draw: Random) -> bytes:
    """Compressed, whole or broken: cut, glued, with blanks, with something behind it."""
    pack = draw.choice((partial(gzip.compress, compresslevel=1, mtime=0), zstd_module().compress))
    packed = pack(data)
    way = draw.randrange(6)
    if way == 0:
        return packed[: draw.randrange(len(packed))]
    if way == 1:
        return packed + pack(data)
    if way == 2:
        return bytes(pack(b" " * 200_000 + data + b"\n" * 200_000))
    if way == 3:
        return packed + draw.choice(PIECES)
    if way == 4:
        return _flip(packed, draw)
    return bytes(packed)


STRUCTURE: tuple[Callable[[bytes, Random], bytes], ...] = (
    _retype, _retype, _retype, _copy_value, _swap, _nest, _delete_member, _duplicate_member, _duplicate_member, _rename, _escape_key,
)  # fmt: skip
TEXT: tuple[Callable[[bytes, Random], bytes], ...] = (
    _lines, _word, _word, _insert, _flip, _cut, _slice, _newlines, _encode, _all, _archive,
)  # fmt: skip


def mutate(data: bytes, draw: Random) -> tuple[bytes, str]:
    """A file with one to three changes, and the names of the changes."""
    names = []
    for _ in range(draw.choice((1, 1, 1, 1, 2, 2, 3))):
        change = draw.choice(STRUCTURE if draw.random() < 0.6 else TEXT)
        try:
            data = change(data, draw)
        except (IndexError, ValueError):  # nothing of this kind is in the file
            continue
        names.append(change.__name__.strip("_"))
        if len(data) > 400_000 or not data:
            break
    return data, "+".join(names)
