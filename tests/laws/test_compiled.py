"""Compiled and plain code give exactly the same rows, digests, notices, mistakes and errors."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

import dialmeter
from dialmeter.model import Dialogue
from dialmeter.readers.pairs import state_layouts
from dialmeter.readers.pairs.state_layouts import StateLayout
from dialmeter.tracking.rule_sets.rules import Rules, change, named, names

from .. import accounts
from ..plain import PlainProcess, twins
from ..readers.states.layouts import LAYOUTS, OF_ONE_TURN, WITHOUT_DELETIONS, Written
from ..readers.states.talks import of_one_turn, talks, without_deletions
from .corpora import ALTERNATIVES, HYPHENED, PLAIN, SPELLINGS, corpora, law

PACKAGE = Path(dialmeter.__file__).parent
TWINS = twins(PACKAGE)
few = settings(law, max_examples=24)

pytestmark = pytest.mark.skipif(not TWINS, reason="dialmeter was built without a compiler, so all code is plain")


def agreed(plain: PlainProcess, function: str, *arguments: Any) -> Any:
    """The result of a function of ``accounts``, which must be the same in both processes."""
    plain.ask(function, *arguments)
    here = getattr(accounts, function)(*arguments)
    there = plain.answer()
    assert there == here
    return here


def test_two_processes_run_different_files(plain: PlainProcess) -> None:
    declared = {".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in PACKAGE.rglob("*.pxd")}
    assert set(TWINS) == declared
    plain.ask("files_of", TWINS)
    assert [Path(file).suffix for file in plain.answer()] == [".py"] * len(TWINS)
    assert not any(file.endswith(".py") for file in accounts.files_of(TWINS))


OURS = named("dialmeter")
RULES: dict[str, Rules] = {
    **{name: named(name) for name in names()},
    "updates": change(OURS, state="update", missing="empty"),
    "predicted updates": change(OURS, state="update-pred", missing="skip"),
    "extra slots ignored": change(OURS, extra="ignore-slots", missing="skip"),
    "extra domains ignored": change(OURS, extra="ignore-domains", missing="empty"),
    "similar values": change(OURS, match="ratio>=60"),
    "sets": change(OURS, alternatives="set"),
    "as written": change(OURS, values="as-is", none="keep", dontcare="keep", alternatives="literal"),
}
SLOTS = ("hotel-area", "hotel-book day", "hotel-day", "taxi-leave at", "taxi-leave-at", "name")

written = corpora(
    (*PLAIN, *ALTERNATIVES, *SPELLINGS, *HYPHENED),
    (*PLAIN, *SPELLINGS, *HYPHENED, "1|2", ("1", "2"), "[DELETE]"),
    SLOTS,
)
"""Everything a file can hold; ``hotel-book day`` and ``hotel-day`` are one slot, so some states have two values for it."""


def with_holes(corpus: list[Dialogue], marks: list[str]) -> list[Dialogue]:
    """The corpus without the states that are marked."""
    left = iter(marks)
    return [
        Dialogue(
            each.id, tuple(structs.replace(turn, **dict.fromkeys(next(left, "").split(), None)) for turn in each.turns)
        )
        for each in corpus
    ]


holes = st.lists(st.sampled_from(("", "", "", "gold", "pred", "gold pred")), max_size=24)


@pytest.mark.parametrize("rules", RULES)
@given(corpus=written, marks=holes)
@few
def test_every_lens_and_every_group(plain: PlainProcess, rules: str, corpus: list[Dialogue], marks: list[str]) -> None:
    agreed(plain, "account_of_walk", with_holes(corpus, marks), RULES[rules])


SEVERAL = [
    "JGA",
    *(f"FGA(lam=0.5, local={local})" for local in accounts.LOCALS),
    "GCA",
    "GCA(deletions=count)",
    "FGA(lam=0.5, alternatives=strict)",
    "GCA(alternatives=strict)",
    "SlotF1",
]


@pytest.mark.parametrize("measures", [["JGA"], SEVERAL], ids=["one lens", "several lenses"])
@pytest.mark.parametrize("rules", RULES)
@given(corpus=written, marks=holes)
@settings(law, max_examples=12)
def test_scores(plain: PlainProcess, rules: str, measures: list[str], corpus: list[Dialogue], marks: list[str]) -> None:
    chosen = None if RULES[rules].only_measures else measures
    agreed(plain, "account_of_corpus", with_holes(corpus, marks), RULES[rules], chosen)


texts = st.sampled_from(("east", "a-b", "", "none", "1", "1.0", "true"))
single = st.one_of(texts, st.sampled_from((1, 1.0, True, False, 0, None, 2.5, 10**20)), st.just({}))
value = st.one_of(single, st.lists(single, max_size=3))
flat = st.dictionaries(st.sampled_from(("hotel-area", "hotel-book day", "area")), value, max_size=3)
inner = st.dictionaries(st.sampled_from(("area", "book day", "hotel-area", "booked", "semi")), value, max_size=3)
nested = st.dictionaries(st.sampled_from(("hotel", "taxi")), st.one_of(inner, inner, value), max_size=2)
sections = st.dictionaries(
    st.sampled_from(("hotel", "taxi")),
    st.one_of(st.dictionaries(st.sampled_from(("semi", "book", "book", "more")), st.one_of(inner, value)), value),
    max_size=2,
)
glued = st.lists(st.sampled_from(("hotel-area-east", "hotel-area-", "hotel-name-a-b", "hotel-area", 1, None, [])))
STATES = {
    "FLAT": flat,
    "NESTED": nested,
    "ANY": st.one_of(flat, nested),
    "SERVICES": nested,
    "sections": sections,
    "sections of lists": sections,
    "sections that name empty slots": sections,
    "GLUED": glued,
}


def layout_of(name: str) -> StateLayout:
    if not name.startswith("sections"):
        return cast(StateLayout, getattr(state_layouts, name))
    return StateLayout("sections", lists="lists" in name, absent=("", "none") if "empty" in name else ())


@pytest.mark.parametrize("layout", STATES)
@given(data=st.data())
@settings(law, max_examples=24)
def test_states_of_every_layout(plain: PlainProcess, layout: str, data: st.DataObject) -> None:
    states = data.draw(st.lists(st.one_of(STATES[layout], STATES[layout], STATES[layout], value), max_size=6))
    agreed(plain, "accounts_of_states", [*states, *states], layout_of(layout))


ALL = {**LAYOUTS, **WITHOUT_DELETIONS, **OF_ONE_TURN}


def corpus_for(layout: str) -> list[Dialogue]:
    if layout in OF_ONE_TURN:
        return of_one_turn(talks())
    return without_deletions(talks()) if layout in WITHOUT_DELETIONS else talks()


@pytest.mark.parametrize("layout", ALL)
def test_files_of_every_layout(plain: PlainProcess, layout: str, tmp_path: Path) -> None:
    files = ALL[layout](tmp_path, corpus_for(layout))
    gold = str(files.gold) if files.gold else None
    for rules in names() if "." not in layout else ("dialmeter",):
        found = agreed(plain, "account_of_file", str(files.path), gold, rules)
        assert isinstance(found, tuple) or "cannot be applied" in found or "need a schema" in found, found
        assert isinstance(found, tuple) or rules in ("convlab3", "dstc10", "sgd"), found


SCRAPS = [
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\x00", b"\xff", b"|", b"0", b"-", b".5", b"null", b"{}"),
    *(b'"gold":', b'"a-b":"c",', b"\\u006c", b"\\\\", b'\\"', b"\\ud800", b"NaN", b"1e999", b'"":"",', b"\n"),
]


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """A text with one to three changes: something cut out, put in, or said once more."""
    for _ in range(chance.randint(1, 3)):
        begin = chance.randint(0, len(whole))
        end = min(len(whole), begin + chance.choice((0, 0, 1, 1, 7, 40)))
        again = whole[end : end + chance.randrange(60)]
        new = chance.choice([*SCRAPS, b"", bytes([chance.randrange(256)]), again])
        whole = whole[:begin] + new + whole[end:]
    return whole


@pytest.mark.parametrize("layout", [name for name in ALL if "." not in name and not name.startswith("native")])
def test_damaged_documents(plain: PlainProcess, layout: str, tmp_path: Path) -> None:
    chance = random.Random(layout)
    files = ALL[layout](tmp_path, corpus_for(layout)[:2])
    here, there = tmp_path / "here", tmp_path / "there"
    for path, format, role in sides(files):
        whole = path.read_bytes()
        documents = [whole, *(damaged(whole, chance) for _ in range(150))]
        for folder in (here, there):
            folder.mkdir(exist_ok=True)
            index = path.with_suffix(".idx")
            if index.exists():
                shutil.copy(index, folder)
        plain.ask("accounts_of_documents", format, role, documents, there / path.name)
        found = accounts.accounts_of_documents(format, role, documents, here / path.name)
        answer = plain.answer()
        assert answer == found
        read = [not isinstance(each, str) for each in found[::2]]
        assert read[0]
        assert 0 < sum(read) < len(documents)
        if format not in ("fga-text", "ldst", "llm", "rows", "t5-text"):
            # What is no strict JSON is refused by every reader of one document; these layouts are lines, tables or text.
            assert not [each for each, was_read in zip(documents, read, strict=True) if was_read and not strict(each)]


def sides(files: Written) -> list[tuple[Path, str, str]]:
    """The files of a layout, each with its format and role; of a folder, the first file."""
    both = [(files.path, files.format, "pred" if files.gold else "both"), (files.gold, files.gold_format, "gold")]
    return [
        (path / "dialogues_001.json" if path.is_dir() else path, format, role)
        for path, format, role in both
        if path is not None and format != "native"
    ]


def strict(document: bytes) -> bool:
    """Is a text JSON in which no key is a duplicate, no number is none, and no character is half?"""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        found = json.loads(document.decode("utf-8-sig"), object_pairs_hook=unique, parse_constant=refuse)
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


@given(
    st.lists(
        st.lists(st.sampled_from([*SCRAPS, b'{"a":', b'"b":1', b'"\\u0062":2', b"[", b'"\\\\"', b'"\\\\\\""'])).map(
            b"".join
        ),
        min_size=1,
        max_size=30,
    )
)
@law
def test_strict_json(plain: PlainProcess, texts: list[bytes]) -> None:
    for text, found in zip(texts, agreed(plain, "accounts_of_json", texts), strict=True):
        if isinstance(found, str):
            assert not strict(text)
        else:
            value, doubled, held, counted = found
            assert strict(text) is not bool(doubled)
            assert doubled or (held == counted and value == json.loads(text))
