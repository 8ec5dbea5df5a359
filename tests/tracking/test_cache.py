"""Tallies that are kept: found when nothing differs that decides them, and then equal to the bit."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dialmeter import rules as rule_sets
from dialmeter import score_tracker
from dialmeter.errors import InputError
from dialmeter.formats import native
from dialmeter.model import dialogue_key
from dialmeter.rules import names
from dialmeter.tracking import cache as cache_module
from dialmeter.tracking.cache import TallyCache
from dialmeter.tracking.scorer import TrackerScorer

from ..formats.layouts import LAYOUTS, write_llm, write_native, write_sgd
from ..formats.talks import talks
from .cached import HOW, all_of, scored, tallies_in

MANY = (
    "JGA",
    "SA",
    "SA(slots=30)",
    "AGA",
    "IAGA",
    "RSA",
    "FGA(lam=0.3)",
    "FGA(lam=inf)",
    "GCA",
    "GCA(alpha=0.5, average=dialogue)",
    "VP",
    "LR",
    "SlotF1",
    "JointF1(average=dialogue)",
    "FinalJGA",
    "DialogueAccuracy",
    "LocalAccuracy",
)
LENSES = ("FGA(lam=1, local=code)", "FGA(lam=1, local=vector)", "GCA(deletions=count)", "GCA(deletions=code)")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_native(tmp_path, talks()).path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_other_measures_lambdas_and_intervals_need_no_reading(file: Path, folder: Path) -> None:
    assert scored(file, folder).read
    for measures, how in ((None, None), (["FGA(lam=0.3)", "VP"], None), (MANY, HOW), (["JGA"], HOW)):
        again = scored(file, folder, measures=measures, resampling=how)
        assert not again.read
        assert not again.said
        assert all_of(again.result) == all_of(scored(file, None, measures=measures, resampling=how).result)
    assert len(tallies_in(folder)) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_comes_back_to_the_bit(layout: str, tmp_path: Path, folder: Path) -> None:
    written = LAYOUTS[layout](tmp_path, talks())
    gold = str(written.gold) if written.gold else None
    more: dict[str, Any] = {"measures": MANY, "gold": gold, "by": ("domain", "slot", "without-domain")}
    first, again = scored(written.path, folder, **more), scored(written.path, folder, **more)
    plain = scored(written.path, None, **more)
    assert (first.read, again.read) == (True, False)
    groups = ("domain", "slot", "without-domain")
    assert all_of(again.result, groups) == all_of(plain.result, groups) == all_of(first.result, groups)


@pytest.mark.parametrize("name", [name for name in names() if name != "sgd"])
def test_every_rule_set_comes_back_to_the_bit(name: str, file: Path, folder: Path) -> None:
    measures = None if rule_sets.named(name).only else [*MANY, *LENSES]
    plain = scored(file, None, rules=name, measures=measures, by=("domain",))
    scored(file, folder, rules=name, measures=measures, by=("domain",))
    again = scored(file, folder, rules=name, measures=measures, by=("domain",))
    assert again.read == bool(again.said)
    assert all_of(again.result, ("domain",)) == all_of(plain.result, ("domain",))


def test_a_lens_that_was_not_tallied_is_kept_too(file: Path, folder: Path) -> None:
    scored(file, folder)
    for measure in LENSES:
        assert scored(file, folder, measures=[measure]).read
        again = scored(file, folder, measures=[measure, "FGA(lam=0.1)"])
        assert not again.read
        assert again.result.scores == scored(file, None, measures=[measure, "FGA(lam=0.1)"]).result.scores
    assert not scored(file, folder).read
    assert len(tallies_in(folder)) == 1 + len(LENSES)


def test_another_content_is_another_entry_and_a_copy_is_not(file: Path, folder: Path, tmp_path: Path) -> None:
    scored(file, folder)
    elsewhere = tmp_path / "elsewhere" / "copy.jsonl"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(file.read_bytes())
    assert not scored(elsewhere, folder).read
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    again = scored(file, folder)
    assert again.read
    assert again.result.dialogues == len(lines) - 1


def test_a_change_of_the_same_length_is_seen(file: Path, folder: Path) -> None:
    scored(file, folder)
    said = os.stat(file)
    data = file.read_bytes()
    changed = data.replace(b"east", b"west")
    assert len(changed) == len(data)
    assert changed != data
    file.write_bytes(changed)
    os.utime(file, ns=(said.st_atime_ns, said.st_mtime_ns))
    again = scored(file, folder)
    assert again.read
    assert all_of(again.result) == all_of(scored(file, None).result)


RULES = {
    "values": ("trim",),
    "none": (),
    "dontcare": "keep",
    "extra": "ignore-slots",
    "alternatives": "set",
    "match": "ratio>=90",
    "missing": "skip",
    "state": "update",
    "name": "other",
    "about": "other",
    "evidence": "other",
    "hyphen_cut": True,
    "measures": ("JGA",),
    "headline": "AGA",
    "only": ("JGA", "FGA", "GCA"),
    "stand_ins": {"AGA": "IAGA"},
    "settings": {"FGA": {"local": "vector"}},
}


def test_every_field_of_the_rules_is_part_of_the_key(file: Path, folder: Path) -> None:
    usual = rule_sets.named("dialmeter")
    assert RULES.keys() == set(usual.__struct_fields__)
    scored(file, folder, measures=["JGA"])
    for name, value in RULES.items():
        other = replace(usual, **{name: value})
        assert scored(file, folder, measures=["JGA"], rules=other).read, name
        again = scored(file, folder, measures=["JGA"], rules=other)
        assert not again.read, name
        assert all_of(again.result) == all_of(scored(file, None, measures=["JGA"], rules=other).result), name


def test_what_else_is_part_of_the_key(file: Path, folder: Path, tmp_path: Path) -> None:
    slots = sorted({slot for each in talks() for turn in each.turns for slot in turn.gold or {}})
    schema, longer = tmp_path / "slots.json", tmp_path / "more.json"
    schema.write_text(json.dumps(slots))
    longer.write_text(json.dumps([*slots, "pub-name"]))
    train, other = tmp_path / "train.json", tmp_path / "train-other.json"
    train.write_text('{"hotel": ["area"]}')
    other.write_text('{"taxi": ["to"]}')
    ids = [each.id for each in talks()]
    asked: list[dict[str, Any]] = [
        {},
        {"form": "native"},
        {"by": ("domain",)},
        {"by": ("slot",)},
        {"by": ("slot", "domain")},
        {"only": frozenset(map(dialogue_key, ids[:5]))},
        {"only": frozenset(map(dialogue_key, ids[:6]))},
        {"schema": str(schema)},
        {"schema": str(longer)},
        {"by": ("seen",), "train_schema": str(train)},
        {"by": ("seen",), "train_schema": str(other)},
        {"gold": str(file)},
        {"gold": str(file), "gold_form": "native"},
    ]
    assert [scored(file, folder, **each).read for each in asked] == [True] * len(asked)
    for each in asked:
        again, plain = scored(file, folder, **each), scored(file, None, **each)
        assert not again.read
        assert all_of(again.result, each.get("by", ())) == all_of(plain.result, each.get("by", ()))


def test_each_tracker_of_a_file_has_its_own(tmp_path: Path, folder: Path) -> None:
    right, wrong = {"hotel-area": "east"}, {"hotel-area": "west"}
    turn = {"turn": 0, "gold": right, "pred": wrong, "pred:one": right, "pred:other": {}}
    path = tmp_path / "three.jsonl"
    path.write_text(json.dumps({"dialogue_id": "d", "turns": [turn]}) + "\n")
    for read in (True, False):
        for name, value in (("", 0.0), ("#one", 1.0), ("#other", 0.0)):
            found = scored(f"{path}{name}", folder, measures=["JGA"])
            assert (found.read, found.result.value) == (read, value)
    assert len(tallies_in(folder)) == 3


@pytest.mark.parametrize(("name", "value"), [("__version__", "99"), ("LAYOUT", 99)])
def test_another_version_does_not_look(
    name: str, value: object, file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(file, folder)
    monkeypatch.setattr(cache_module, name, value)
    assert scored(file, folder).read


def test_changed_program_files_make_new_tallies(
    file: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(file, folder)
    monkeypatch.setattr(cache_module, "__file__", str(tmp_path / "dialmeter" / "tracking" / "cache.py"))
    assert scored(file, folder).read


def test_a_schema_that_lies_near_counts(tmp_path: Path, folder: Path) -> None:
    written = write_sgd(tmp_path, talks())
    assert written.gold is not None
    near = written.gold / "schema.json"
    for place in (near, written.path / near.name, tmp_path / near.name):
        place.unlink(missing_ok=True)
    more: dict[str, Any] = {"measures": ["SA"], "gold": str(written.gold)}
    scored(written.path, folder, **more)
    for place, slots in ((near, ["area", "name", "stars"]), (near, ["area"]), (tmp_path / near.name, ["area", "name"])):
        near.unlink(missing_ok=True)
        place.write_text(json.dumps({"hotel": slots}))
        again = scored(written.path, folder, **more)
        assert again.read
        assert again.result.slots == len(slots)
        third = scored(written.path, folder, **more)
        assert not third.read
        assert all_of(third.result) == all_of(again.result)


def test_what_the_reader_said_is_said_again(tmp_path: Path, folder: Path) -> None:
    path = write_llm(tmp_path, talks()).path
    with path.open("a") as file:
        file.write(
            json.dumps({"dialogue_id": "odd", "turn": 0, "gold": {"a-b": "c"}, "completion": "I cannot."}) + "\n"
        )
    scored(path, folder)
    again = scored(path, folder)
    assert not again.read
    assert "unparsed" in [notice.code for notice in again.result.notices]
    assert again.result.notices == scored(path, None).result.notices


def test_missing_turns_and_several_values_are_told_again(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "holes.jsonl"
    rows: list[dict[str, Any]] = [
        {
            "dialogue_id": "a",
            "turns": [{"turn": 0, "gold": {"x-y": "1"}}, {"turn": 1, "gold": {"x-y": "1"}, "pred": {}}],
        },
        {
            "dialogue_id": "b",
            "turns": [{"turn": 0, "pred": {"x-y": "1"}}, {"turn": 2, "gold": {}, "pred": {"x-y": "1|2"}}],
        },
        {"dialogue_id": "c", "turns": [{"turn": 0, "gold": {"x-z": "1"}}]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for missing in ("skip", "empty"):
        chosen = rule_sets.change(rule_sets.named("dialmeter"), missing=missing)
        scored(path, folder, rules=chosen)
        again = scored(path, folder, rules=chosen)
        assert not again.read
        assert {"missing", "extra", "several-values"} <= {notice.code for notice in again.result.notices}
        assert all_of(again.result) == all_of(scored(path, None, rules=chosen).result)


def test_bad_input_is_told_with_a_cache_as_without(tmp_path: Path, folder: Path) -> None:
    for content in ('{"dialogue_id": "a", "turns": [{"turn": 0, "gold": {"x-y": "1"}}]}\n', "no json", ""):
        path = tmp_path / "bad.jsonl"
        path.write_text(content)
        told = []
        for cache in (None, folder, folder):
            with pytest.raises(InputError) as caught:
                scored(path, cache)
            told.append(str(caught.value))
        assert len(set(told)) == 1
    with pytest.raises(InputError, match="no such file"):
        scored(tmp_path / "nowhere.jsonl", folder)
    assert tallies_in(folder) == []


def test_an_input_that_changes_while_it_is_scored_is_not_kept(file: Path, folder: Path) -> None:
    cache = TallyCache(folder)
    question = cache.question(TrackerScorer(), str(file))
    assert question is not None
    for each in talks():
        question.scorer.add_dialogue(each)
    file.write_bytes(file.read_bytes().replace(b"east", b"west"))
    question.keep("native", [])
    assert tallies_in(folder) == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"measures": ["GCA(credit=fuzzy)"]}, "a measure looks at more than tallies"),
        ({"sink": lambda dialogue, prepared: None}, "dialogues themselves are looked at"),
        ({"change": lambda dialogue: dialogue}, "dialogues themselves are looked at"),
    ],
)
def test_what_tallies_do_not_say_is_read_and_said_in_one_line(
    more: dict[str, Any], why: str, file: Path, folder: Path
) -> None:
    for _ in range(2):
        found = scored(file, folder, **more)
        assert found.read
        assert [notice.message for notice in found.said] == [f"the cache is not used: {why}"]
    assert tallies_in(folder) == []


def test_files_without_values_are_not_kept(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({"d": {"0": [1, 1], "1": [1, 0]}}))
    for form in (None, "vectors"):
        plain = scored(path, None, form=form)
        found = scored(path, folder, form=form)
        assert found.read
        assert all_of(found.result) == all_of(plain.result)
        assert [notice.code for notice in found.said] == ["not-cached"]


def test_what_was_used_longest_ago_goes(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = []
    for number in range(4):
        path = tmp_path / f"{number}.jsonl"
        with path.open("wb") as stream:
            native.write(talks()[number:], stream)
        files.append(path)
    for place, path in enumerate(files[:3]):
        scored(path, folder)
        for entry in tallies_in(folder):
            if entry.stat().st_mtime > 1_000_000:
                os.utime(entry, (place + 1, place + 1))
    # Used again, the first is the newest; then there is room for three.
    assert not scored(files[0], folder).read
    sizes = [entry.stat().st_size for entry in tallies_in(folder)]
    left = folder / "tallies" / "left.part"
    left.write_bytes(b"")
    os.utime(left, (1, 1))
    monkeypatch.setattr(cache_module, "LIMIT", sum(sizes) + 10)
    scored(files[3], folder)
    assert len(tallies_in(folder)) == 3
    assert [scored(path, folder).read for path in (files[0], files[2], files[3], files[1])] == [
        False,
        False,
        False,
        True,
    ]
    monkeypatch.setattr(cache_module, "LIMIT", 10)
    assert scored(files[2], folder, by=("domain",)).read
    assert not left.exists()


def test_python_users_say_cache(file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIALMETER_CACHE", str(tmp_path / "moved"))
    plain = score_tracker(file, measures=["JGA"], resamples=100)
    for cache in (folder, str(folder), True, True):
        found = score_tracker(file, measures=["JGA"], resamples=100, cache=cache)
        assert all_of(found, ("domain", "slot")) == all_of(plain, ("domain", "slot"))
    assert len(tallies_in(folder)) == len(tallies_in(tmp_path / "moved" / "dialmeter")) == 1
    with pytest.warns(UserWarning, match="the cache is not used: states that are no file"):
        score_tracker({"d": [{"a-b": "c"}]}, {"d": [{"a-b": "c"}]}, ["JGA"], cache=folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score_tracker({"d": [{"a-b": "c"}]}, {"d": [{"a-b": "c"}]}, ["JGA"])
