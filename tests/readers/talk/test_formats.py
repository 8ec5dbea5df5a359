"""Formats of dialogues: ConvLab-3, the schema-guided dialogues and MultiWOZ 2.2, ratings of satisfaction; and files of goals with any of them."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Act, DomainGoal
from dialmeter.readers.chat.satisfaction import Rated, items, rated, read_rated
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.formats import CONVERSATION_FORMATS
from dialmeter.readers.raw_file import zstd_module
from dialmeter.readers.source import Source

from ...shared_data import shared
from .samples import LAYOUTS, TALKS, Talks, complaints, outcome, read_all, texts_of, write

CONVLAB_GOAL = {
    "description": "You want a room.",
    "inform": {
        "hotel": {"price range": "cheap", "area": "west|east", "book day": "friday|sunday", "stars": "4|4"},
        "taxi": {},
    },
    "request": {"hotel": {"phone": "", "book stay": ""}, "train": {"train id": ""}, "taxi": {}},
}


def convlab_dialogue(*turns: Any, name: str = "multiwoz21-test-0", goal: Any = None) -> Any:
    return {"dataset": "multiwoz21", "dialogue_id": name, "goal": goal, "turns": list(turns)}


def turn(speaker: str = "user", **acts: list[Any]) -> Any:
    return {"speaker": speaker, "utterance": "x", "utt_idx": 0, "dialogue_acts": {key: acts[key] for key in acts}}


def act(intent: str, domain: str, slot: str = "", value: str | None = None) -> dict[str, str]:
    found = {"intent": intent, "domain": domain, "slot": slot}
    return found if value is None else {**found, "value": value}


def convlab_file(folder: Path, *dialogues: Any) -> Path:
    path = folder / "dialogues.json"
    path.write_text(json.dumps(list(dialogues)))
    return path


def test_acts(tmp_path: Path) -> None:
    kinds = {
        "categorical": [act("inform", "hotel", "price range", "cheap|moderate")],
        "non-categorical": [act("book", "hotel", "ref", "X1"), act("inform", "train", "leave at", "09:15")],
        "binary": [act("request", "taxi", "phone"), act("bye", "general"), act("nobook", "hotel"), act("greet", "")],
    }
    unmarked = {"speaker": "system", "utterance": "y", "utt_idx": 1}
    [talk] = read_all(convlab_file(tmp_path, convlab_dialogue(turn(**kinds), unmarked)))
    assert talk.moves[0].acts == (
        Act("hotel-inform", "hotel", "pricerange", ("cheap", "moderate")),
        Act("hotel-book", "hotel", "ref", ("X1",)),
        Act("train-inform", "train", "leaveat", ("09:15",)),
        Act("taxi-request", "taxi", "phone"),
        Act("general-bye", "general"),
        Act("hotel-nobook", "hotel"),
        Act("greet", ""),
    )
    assert talk.moves[1].acts is None
    assert talk.goal is None


def test_goals_and_what_they_do_not_say(tmp_path: Path) -> None:
    file = open_conversations(
        convlab_file(
            tmp_path, convlab_dialogue(turn(), goal=CONVLAB_GOAL), convlab_dialogue(turn(), name="other", goal={})
        )
    )
    talk, other = file
    assert talk.goal == {
        "hotel": DomainGoal(
            info={"pricerange": "cheap", "area": "east", "stars": "4"},
            fail_info={"area": "west"},
            book={"day": "sunday"},
            fail_book={"day": "friday"},
            requests=("phone", "stay"),
        ),
        "train": DomainGoal(requests=("trainid",)),
    }
    assert other.goal == {}
    [notice] = file.notices
    assert (notice.code, notice.count, notice.where) == ("convlab3-goals", 1, (talk.id,))
    assert "fail first" in notice.message
    assert "no booking domain" in notice.message


def test_without_goals_nothing_is_warned_of(tmp_path: Path) -> None:
    file = open_conversations(convlab_file(tmp_path, convlab_dialogue(turn())))
    assert list(file)
    assert not file.notices


FRAME = {
    "service": "Hotels_1",
    "actions": [
        {"act": "INFORM", "slot": "price_range", "values": ["rather cheap"], "canonical_values": ["cheap"]},
        {"act": "INFORM", "slot": "area", "values": ["east", "west"], "canonical_values": []},
        {"act": "AFFIRM", "slot": "", "values": []},
    ],
    "state": {"active_intent": "FindHotel", "requested_slots": ["phone_number"], "slot_values": {}},
}


def sgd_dialogue(*turns: Any, name: str = "1_00000") -> Any:
    return {"dialogue_id": name, "services": [], "turns": list(turns)}


def user(text: str = "hello", *frames: Any, **more: Any) -> Any:
    return {"speaker": "USER", "utterance": text, "frames": list(frames), **more}


def sgd_file(path: Path, *dialogues: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(dialogues)))
    return path


def woz22(folder: Path) -> Path:
    """A dialogue of MultiWOZ 2.2 in its folder."""
    state = {"requested_slots": ["hotel-entrancefee", "hotel-phone"], "slot_values": {}}
    frame = {"service": "hotel", "actions": [], "slots": [], "state": state}
    system = {"speaker": "SYSTEM", "utterance": "yes", "frames": [], "turn_id": "1"}
    sgd_file(folder / "dialogues_001.json", sgd_dialogue(user("hi", frame, turn_id="0"), system, name="MUL1.json"))
    return folder


def test_acts_and_requested_slots(tmp_path: Path) -> None:
    system = {"speaker": "SYSTEM", "utterance": "ok", "frames": [{"service": "Hotels_1", "actions": []}]}
    [talk] = read_all(sgd_file(tmp_path / "d.json", sgd_dialogue(user("a room", FRAME), system)))
    assert talk.moves[0].acts == (
        Act("INFORM", "Hotels_1", "price_range", ("cheap",)),
        Act("INFORM", "Hotels_1", "area", ("east", "west")),
        Act("AFFIRM", "Hotels_1"),
    )
    assert talk.moves[0].requested == {"Hotels_1": ("Hotels_1-phone_number",)}
    assert (talk.moves[1].acts, talk.moves[1].requested) == ((), None)


def test_a_dialogue_without_any_act_has_none_given(tmp_path: Path) -> None:
    [talk] = read_all(woz22(tmp_path / "test"))
    assert [move.acts for move in talk.moves] == [None, None]
    assert talk.moves[0].requested == {"hotel": ("hotel-entrance fee", "hotel-phone")}


@pytest.mark.parametrize("place", ["test", "."])
def test_acts_in_a_file_of_their_own(tmp_path: Path, place: str) -> None:
    folder = woz22(tmp_path / "test")
    acts = {"0": {"dialog_act": {"Hotel-Inform": [["bookday", "friday"]]}, "span_info": []}, "1": {"dialog_act": {}}}
    (tmp_path / place / "dialog_acts.json").write_text(json.dumps({"MUL1.json": acts}))
    for path in (folder, folder / "dialogues_001.json"):
        [talk] = read_all(path)
        assert [move.acts for move in talk.moves] == [(Act("Hotel-Inform", "hotel", "day", ("friday",)),), ()]


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    sgd_file(tmp_path / "dialogues_002.json", sgd_dialogue(user(), name="c"))
    sgd_file(tmp_path / "dialogues_001.json", sgd_dialogue(user(), name="a"), sgd_dialogue(user(), name="b"))
    sgd_file(tmp_path / "schema.json")
    assert open_conversations(tmp_path).format == "sgd"
    assert [talk.id for talk in read_all(tmp_path)] == ["a", "b", "c"]


def test_errors_in_a_folder_name_the_file(tmp_path: Path) -> None:
    part = sgd_file(tmp_path / "dialogues_001.json", sgd_dialogue(user(), name="a"), sgd_dialogue(name="b"))
    file = open_conversations(tmp_path)
    assert [talk.id for talk in file] == ["a"]
    assert [str(error) for error in file.refused] == [f"{part}: dialogue b: a dialogue without utterances"]
    part.write_text("{}")
    with pytest.raises(InputError, match=r"dialogues_001\.json: the file must be a list, found an object"):
        list(open_conversations(tmp_path, "sgd"))
    part.unlink()
    with pytest.raises(InputError, match="a folder without"):
        list(open_conversations(tmp_path, "sgd"))


def test_the_published_sample() -> None:
    talks = read_all(shared("data", "tracking", "sgd"))
    assert len(talks) == 128
    assert sum(len(talk.moves) for talk in talks) == 1650
    names = [act.name for talk in talks for move in talk.moves for act in move.acts or ()]
    assert names.count("OFFER") == 820
    assert all(move.acts is not None for talk in talks for move in talk.moves)
    assert {move.requested is None for talk in talks for move in talk.moves if move.speaker == "system"} == {True}


CONTENT = (
    "\nUSER\tA taxi.\tTaxi-Inform\t3,4,5\nSYSTEM\tWhere to?\tREQUEST\t\nUSER\tHome.\t\t1\n"
    "USER\tOVERALL\t\t2,3,3\n\n\nUSER\t\t\t3\n"
)


def ratings_file(folder: Path, content: str = CONTENT) -> Path:
    path = folder / "ratings.txt"
    path.write_text(content)
    return path


def test_ratings_by_move(tmp_path: Path) -> None:
    first, second = read_rated(ratings_file(tmp_path))
    assert [move.text for move in first.conversation.moves] == ["A taxi.", "Where to?", "Home."]
    assert first.ratings == ((3, 4, 5), (), (1,))
    assert first.overall == (2, 3, 3)
    assert (second.conversation.id, second.ratings, second.overall) == ("2", ((3,),), ())


def test_acts_have_a_domain_where_they_name_one(tmp_path: Path) -> None:
    [first, _] = read_all(ratings_file(tmp_path))
    assert [move.acts for move in first.moves] == [(Act("Taxi-Inform", "taxi"),), (Act("REQUEST", ""),), ()]


def test_items_give_the_same_as_the_reader(tmp_path: Path) -> None:
    path = ratings_file(tmp_path)
    assert [rated(item) for item in items(Source(path))] == list(read_rated(path))
    assert [each.conversation for each in read_rated(path)] == read_all(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("USER\tHome", "a row must have 4 columns (speaker, text, act, ratings), found 2"),
        ("USER\tHome\t\t3,6", "ratings must be whole numbers from 1 to 5, separated by commas, found '3,6'"),
        ("USER\tHome\t\t3,", "ratings must be whole numbers from 1 to 5, separated by commas, found '3,'"),
        ("WHO\tHome\t\t3", "speaker must be USER or SYSTEM, found 'WHO'"),
    ],
)
def test_a_bad_row_refuses_its_dialogue_alone(row: str, message: str, tmp_path: Path) -> None:
    path = ratings_file(tmp_path, f"{CONTENT}\nUSER\thello\t\t3\n{row}\n")
    assert complaints(path) == [f"line 11, dialogue 3: {message}"]
    assert len(list(open_conversations(path))) == 2
    with pytest.raises(InputError) as caught:
        list(read_rated(path))
    assert str(caught.value) == f"{path}: line 11, dialogue 3: {message}"


def test_a_dialogue_of_nothing_but_its_rating(tmp_path: Path) -> None:
    path = ratings_file(tmp_path, f"{CONTENT}\nUSER\tOVERALL\t\t3\n")
    assert complaints(path) == ["dialogue 3: a dialogue without utterances"]


@pytest.mark.parametrize(("name", "moves", "rated_moves"), [("mwoz", 22108, 11553), ("sgd", 25666, 12833)])
def test_the_published_files(name: str, moves: int, rated_moves: int) -> None:
    path = shared("data", "judges", f"satisfaction_{name}.txt.gz")
    assert open_conversations(path).format == "satisfaction"
    found: list[Rated] = list(read_rated(path))
    assert len(found) == 1000
    assert all(len(each.ratings) == len(each.conversation.moves) for each in found)
    assert all(each.overall for each in found)
    assert sum(len(each.ratings) for each in found) == moves
    assert sum(1 for each in found for given in each.ratings if given) == rated_moves
    assert {len(given) > 0 for each in found for given in each.ratings} == {True, False}


WANTED = {"hotel": {"info": {"area": "east"}, "reqt": ["phone"]}}
GOAL = {"hotel": DomainGoal(info={"area": "east"}, requests=("phone",))}


def goals(folder: Path, thing: object) -> Path:
    path = folder / "goals.json"
    path.write_text(json.dumps(thing))
    return path


@pytest.mark.parametrize("label", LAYOUTS)
def test_goals_for_every_layout(label: str, tmp_path: Path) -> None:
    path = write(tmp_path, label)
    names = [talk.id for talk in open_conversations(path)]
    file = open_conversations(path, goals=goals(tmp_path, {f"{names[0].removesuffix('.json')}.json".upper(): WANTED}))
    first, second = file
    assert first.goal == GOAL
    assert second.goal in (None, {}, {"hotel": DomainGoal()})
    assert [(notice.code, notice.count, notice.where) for notice in file.notices] == [("no-goal", 1, (names[1],))]


def test_a_goal_takes_the_place_of_the_one_in_the_dialogue(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    line = {"dialogue_id": "d1", "goal": {"taxi": {"info": {"leaveat": "9"}}}, "talk": [{"speaker": "user"}]}
    path.write_text("\n".join(json.dumps({**line, "dialogue_id": name}) for name in ("d1", "d2")))
    first, second = open_conversations(path, goals=goals(tmp_path, {"d1": WANTED}))
    assert first.goal == GOAL
    assert second.goal == {"taxi": DomainGoal(info={"leaveat": "9"})}


def test_ids_that_only_one_of_the_two_has_are_counted_and_listed(tmp_path: Path) -> None:
    names = [f"g{place}" for place in range(12)]
    file = open_conversations(write(tmp_path, "native"), goals=goals(tmp_path, dict.fromkeys(["d1", *names], WANTED)))
    list(file)
    assert [(notice.code, notice.count, notice.where) for notice in file.notices] == [
        ("no-goal", 1, ("d2",)),
        ("goal-alone", 12, tuple(names[:10])),
    ]


def test_multiwoz_serves_as_a_file_of_goals(tmp_path: Path) -> None:
    path = goals(tmp_path, {"d1.json": {"goal": WANTED, "log": []}})
    first, _ = open_conversations(write(tmp_path, "sgd"), goals=path)
    assert first.goal == GOAL


def test_a_bad_goal_refuses_its_dialogue_alone(tmp_path: Path) -> None:
    path = goals(tmp_path, {"d1": {"hotel": "cheap"}, "d2": WANTED})
    file = open_conversations(write(tmp_path, "native"), goals=path)
    assert [talk.goal for talk in file] == [GOAL]
    assert [str(error) for error in file.refused] == [
        f"{path}: dialogue d1: the goal in hotel must be an object, found a string"
    ]


def test_a_bad_file_of_goals(tmp_path: Path) -> None:
    talk = write(tmp_path, "native")
    with pytest.raises(InputError, match="the file of goals must be an object, found a list"):
        open_conversations(talk, goals=goals(tmp_path, [WANTED]))
    with pytest.raises(InputError, match="no such file"):
        open_conversations(talk, goals=tmp_path / "nothing.json")


LABELS = list(LAYOUTS)
TEXT = {"satisfaction", "dailydialog", "reddit", "plain", "plain, labelled"}
# Formats in which one invalid dialogue does not stop the others from being read.
ALONE = {"native", "states", "personachat", *TEXT, *(label for label in LABELS if "lines" in label)}


def test_every_layout_has_a_sample() -> None:
    assert {layout.form for layout in LAYOUTS.values()} == set(CONVERSATION_FORMATS.builtin())


@pytest.mark.parametrize("label", LABELS)
def test_found_by_looking_and_by_name(label: str, tmp_path: Path) -> None:
    path = write(tmp_path, label)
    found = open_conversations(path)
    assert found.format == LAYOUTS[label].form
    talks = list(found)
    assert texts_of(talks) == TALKS
    assert len({talk.id for talk in talks}) == len(TALKS)
    assert all(len({move.speaker for move in talk.moves}) == 2 for talk in talks)
    assert read_all(path, LAYOUTS[label].form) == talks


@pytest.mark.parametrize("label", LABELS)
def test_packed_marked_and_from_elsewhere(label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, label)
    plain = path.read_bytes()
    expected = read_all(path)
    crlf = plain.replace(b"\n", b"\r\n")
    for content in (gzip.compress(plain), zstd_module().compress(plain), b"\xef\xbb\xbf" + plain, crlf):
        path.write_bytes(content)
        assert read_all(path) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(plain))))  # type: ignore[arg-type]
    assert read_all("-") == expected


STRANGE: dict[str, Talks] = {
    "one turn": [["Hello?"], ["Nobody there."]],
    "emoji": [["👩‍👩‍👧 and a 🥐, please", "🥐🥐?"]],
    "right to left": [["שלום, יש לחם?", "مرحبا، نعم"]],
    "very long": [["word " * 4000 + "end", "I see."]],
    "line separators of other kinds": [["one\u2028two\x85three", "yes\x0bno"]],
    "markup and braces": [["{0} <b>&amp;</b> %s [link]", "\\n {{}}"]],
}


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", STRANGE)
def test_strange_talk(label: str, kind: str, tmp_path: Path) -> None:
    path = write(tmp_path, label, STRANGE[kind])
    assert texts_of(read_all(path, LAYOUTS[label].form)) == STRANGE[kind]


@pytest.mark.parametrize("label", [label for label in LABELS if LAYOUTS[label].keeps_empty])
def test_an_empty_utterance_is_a_move(label: str, tmp_path: Path) -> None:
    talks = [["Hello?", "", "Is anybody there?", "Yes."]]
    assert texts_of(read_all(write(tmp_path, label, talks), LAYOUTS[label].form)) == talks


def test_states_without_words_say_nothing(tmp_path: Path) -> None:
    assert texts_of(read_all(write(tmp_path, "states", [["Hello?", "", "Yes."]]))) == [["Hello?", "Yes."]]


@pytest.mark.parametrize("label", LABELS)
def test_cut_off_anywhere(label: str, tmp_path: Path) -> None:
    """A truncated file gives one-line errors or complete dialogues, and nothing else."""
    path = write(tmp_path, label)
    whole = path.read_bytes()
    for end in range(1, len(whole), 7):
        path.write_bytes(whole[:end])
        for form in (None, LAYOUTS[label].form):
            talks, errors = outcome(path, form)
            assert len(talks) + len(errors) <= len(TALKS)
            assert all(str(error).startswith(str(path)) and "\n" not in str(error) for error in errors)


@pytest.mark.parametrize("label", LABELS)
def test_bytes_that_are_no_text(label: str, tmp_path: Path) -> None:
    path = write(tmp_path, label)
    path.write_bytes(path.read_bytes().replace(b"how can", b"how \xff\xfe"))
    talks, errors = outcome(path, LAYOUTS[label].form)
    assert len(talks) == (1 if label in ALONE else 0)
    assert len(errors) == 1
    assert "utf-8" in str(errors[0]).lower()


@pytest.mark.parametrize("content", ["[]", "{}", "[1, 2]", '{"a": 1}', '["a"]', "[[]]", '[{"role": 1}]', "[]\n[]"])
def test_json_that_is_no_talk(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    assert len(outcome(path)[1]) == 1
    for form in sorted({layout.form for label, layout in LAYOUTS.items() if label not in TEXT}):
        talks, errors = outcome(path, form)
        assert not talks
        assert all("\n" not in str(error) for error in errors)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_conversations(tmp_path / "nothing")


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="the file is empty"):
        open_conversations(path)


def test_the_same_id_twice(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(LAYOUTS["taskmaster"].write(TALKS).replace("dlg-1", "dlg-0"))
    file = open_conversations(path)
    assert len(list(file)) == 1
    assert [error.message for error in file.refused] == ["duplicate dialogue id"]
