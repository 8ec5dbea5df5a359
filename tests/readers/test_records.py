"""Files of any layout: natural files and traps with their figures, layouts made at random, and questions to answer."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dialmeter import score
from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus, read
from dialmeter.tracking.scoring import score_file

from ..cli.invoke import Cli
from ..fuzz.layouts import outcome
from ..shared_data import shared
from .states.natural import ASKED as ASKED_OF_TRACKERS
from .states.natural import READ, RIGHT, RIGHT_OF_OTHER, SYSTEMS
from .states.natural import TURNS as WRITTEN

ASKED = {
    "29_all_models.json": "the file holds 3 trackers: t5-large-sft, llama-3.1-8b-lora, gpt-4.1-zero-shot",
}
"""Files that are refused, and the question."""
FORGIVING = {"s17_log": 8 / 11, "s01_mwz21": 1 / 3, "s05_unified": 2 / 3, "s13_quotes": 0.2, "s15_de": 0.5}
"""The rules of dialmeter forgive some spellings of names and values that the figures count as wrong."""
UPDATES = {"33_turn_labels.jsonl": "gold and pred", "t14_updates.jsonl": "gold", "s19_delta": "gold"}
"""Files that are refused because the states of these sides look like updates."""
TRAPS_ASKED = {
    "t01_two_golds.jsonl": "which field is gold: gold or label?",
    "t03_two_neutral.jsonl": "which field is gold: state_a or state_b?",
    "t07_free_text.jsonl": "gold is gold, but no field holds predictions; pred holds text, not states",
    "t08_free_both.jsonl": "gold and pred hold text, not states",
    "t09_ratings.csv": "gold and pred hold text, not states",
    "t12_dup.jsonl": "duplicate turn",
    "t13_dup_seeds.jsonl": "the file holds 2 trackers: 0, 1",
    "t15_dupkey.json": "duplicate key 'x'",
    "t16_nan.jsonl": "NaN is not a JSON value",
    "t17_splits": "a folder with the splits test and train",
    "t18_raw_norm.jsonl": "the file holds 2 trackers: pred_raw, pred_normalized",
    "t19_prev_state.jsonl": "which field is gold: state or prev_state?",
    "t21_target_output_text.jsonl": "target and output hold text, not states",
    "t25_gold.jsonl": "swapped?",
    "t26_other_ids.jsonl": "no dialogue has the same id in gold",
    "t27_from1_missing.jsonl": "3 turns have gold and no prediction",
    "t28_order_short.jsonl": "there are 12 turns but 13 in gold",
    "t29_two_lists.json": "the file holds 2 trackers: baseline, ours",
}
"""Traps that are refused, more than must be: published layouts and rows keep their readers, which are stricter."""


def expected(group: str) -> list[dict[str, Any]]:
    try:
        listed = json.loads(shared("expected", "natural.json").read_text("utf-8"))
    except pytest.skip.Exception:
        return []
    return [each for each in listed if each["group"] == group]


def name_of(each: dict[str, Any]) -> str:
    return str(each["file"] if isinstance(each["file"], str) else each["file"][0].split("/")[0])


@pytest.mark.parametrize("each", [*expected("trackers"), *expected("calls")], ids=name_of)
def test_natural_files(each: dict[str, Any], cli: Cli) -> None:
    name = name_of(each)
    if name == "s17_log":
        pytest.importorskip("openpyxl", reason="the extra `tables` is not installed")
    files = [each["file"]] if isinstance(each["file"], str) else each["file"]
    paths = [shared("data", "natural", each["group"], file) for file in files]
    words = ["score", paths[-1], *(["--gold", paths[0]] if len(paths) > 1 else []), "-m", "JGA", "-q"]
    if name in ASKED:
        assert ASKED[name] in cli.refused(*words)
        return
    if name in UPDATES:
        # Read as written, they would have other figures (33: 0.571429, in "also"; the answer as-written gives them).
        words += ["--columns", add_up(cli.refused(*words), UPDATES[name])]
    found = cli.json(*words)
    assert found["scores"][0]["value"] == pytest.approx(FORGIVING.get(name, each["expected"]["JGA"]), abs=1e-6)
    assert found["counts"]["turns"] == each["expected"]["turns"]


def add_up(asked: str, sides: str) -> str:
    """Return the first answer to the question about updates."""
    assert f"the states of {sides} look like updates" in asked
    answers = re.findall(r"--columns (states=\S+)", asked)
    assert {*answers} == {"states=gold:update,pred:update", "states=gold:update", "states=as-written"}
    return str(answers[0])


def test_trackers_of_one_file(cli: Cli) -> None:
    (each,) = (
        (each for each in expected("trackers") if name_of(each) == "29_all_models.json")
        if expected("trackers")
        else ({},)
    )
    path = shared("data", "natural", "trackers", "29_all_models.json")
    for name, value in each["expected"]["JGA"].items():
        found = cli.json("score", f"{path}#{name}", "-m", "JGA", "-q")
        assert found["scores"][0]["value"] == pytest.approx(value, abs=1e-6)
    asked = cli.refused("score", path)
    said = [shlex.split(each)[1:] for each in re.findall(r"dialmeter (?:score|compare) (?:'[^']*'|\S+)", asked)]
    assert [words[0] for words in said] == ["score", "compare"]
    for words in said:
        cli(*(word.rstrip(",") for word in words), "-q")
    assert "no predictions of 'gpt'; the trackers are: t5-large-sft" in cli.refused("score", f"{path}#gpt", "-q")


def traps() -> dict[str, dict[str, Any]]:
    try:
        found: dict[str, dict[str, Any]] = json.loads(shared("data", "natural", "traps", "key.json").read_text("utf-8"))
    except pytest.skip.Exception:
        return {}
    return {name: each for name, each in found.items() if name != "t30_big.csv.gz"}


@pytest.mark.parametrize(("name", "trap"), traps().items(), ids=traps())
def test_traps(name: str, trap: dict[str, Any], cli: Cli) -> None:
    folder = shared("data", "natural", "traps")
    words = ["score", folder / name, *(["--gold", folder / trap["gold"]] if "gold" in trap else []), "-m", "JGA", "-q"]
    if name in TRAPS_ASKED:
        assert TRAPS_ASKED[name] in cli.refused(*words)
        return
    if name in UPDATES:
        assert trap["must"] == "refuse"
        add_up(cli.refused(*words), UPDATES[name])
        return
    assert trap["must"] != "refuse"
    found = cli.json(*words)
    if "JGA" in trap:
        assert found["scores"][0]["value"] == pytest.approx(trap["JGA"], abs=1e-6)
    assert found["counts"]["dialogues"] != trap.get("dialogues_not")


STATE = {"hotel-area": "east"}
ITEMS = [
    {"sessionId": dialogue, "turnIndex": turn, "expectedOutput": {"area": "east"}, "output": {"area": area}}
    for dialogue, turn, area in (("a", 0, "east"), ("a", 1, "west"), ("b", 0, "east"))
]


def test_said_reading_reads_the_same(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"experiment": "x", "items": ITEMS}))
    found = cli.json("score", path, "-m", "JGA")
    (said,) = (each["message"] for each in found["warnings"] if each["code"] == "read-as")
    columns = "rows=items[] dialogue=sessionId turn=turnIndex gold=expectedOutput pred=output"
    assert said == f'read as --columns "{columns}"'
    again = cli.json("score", path, "-m", "JGA", "--columns", columns)
    assert again["scores"] == found["scores"]
    swapped = columns.replace("gold=expectedOutput pred=output", "gold=output pred=expectedOutput")
    assert cli.json("score", path, "-m", "JGA", "--columns", swapped)["scores"][0]["value"] == pytest.approx(2 / 3)
    assert "no field 'outputs' (--columns pred=outputs); did you mean output?" in cli.refused(
        "score", path, "--columns", columns.replace("pred=output", "pred=outputs")
    )
    assert "no records at 'rows[]'; they are at items[]" in cli.refused("score", path, "--columns", "rows=rows[]")


def test_both_sides_are_converted(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"items": ITEMS}))
    cli("convert", path, tmp_path / "out.jsonl", "-q")
    assert [each.turns for each in read(tmp_path / "out.jsonl")] == [each.turns for each in read(path)]


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        (
            [{"dialog": "a", "step": 0, "zustand": {"x-a": "1"}, "belief": {"x-a": "2"}}],
            "which field is gold: zustand or belief?",
        ),
        ([{"dialog": "a", "step": 0, "truth": {"x-a": "1"}, "ref": {"x-a": "2"}, "hyp": {}}], "which field is gold"),
        ([{"dialog": "a", "step": 0, "truth": {"x-a": "1"}}], "truth is gold, but no field holds predictions"),
        (
            [{"dialog": "a", "step": 0, "truth": {"x-a": "1"}, "hyp": "I would say the east."}],
            "no field holds predictions; hyp holds text, not states",
        ),
        ([{"dialog": "a", "step": 0, "truth": {"x-a": "1"}, "hyp": {"x-a": "1"}}] * 2, "the turn occurs twice"),
        (
            [{"dialog": "a", "step": n, "truth": state, "hyp": {}} for n, state in enumerate(["x-a=1", 5])],
            "truth is gold",
        ),
    ],
)
def test_questions(rows: list[dict[str, Any]], question: str, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"entries": rows}))
    assert question in cli.refused("score", path, "--subject", "tracker")


CHANGES: list[tuple[str, int, dict[str, str], dict[str, str]]] = [
    ("a", 0, {"x-a": "1"}, {"x-a": "1"}),
    ("a", 1, {"x-b": "2"}, {"x-a": "1", "x-b": "2"}),
    ("a", 2, {"x-c": "3"}, {"x-a": "1", "x-b": "2", "x-c": "3"}),
    ("b", 0, {"x-a": "1"}, {"x-a": "1"}),
    ("b", 1, {"x-b": "2"}, {"x-a": "1", "x-b": "2"}),
]


def write_changes(folder: Path, whole: str, update: str, count: int = 5) -> list[object]:
    """Write updates and whole states in two files; a side is ``gold`` or ``pred``. Return the words of the command."""
    for place, side in ((2, update), (3, whole)):
        rows = [{"session": each[0], "step": each[1], "state": each[place]} for each in CHANGES[:count]]
        (folder / f"{side}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return [folder / "pred.jsonl", "--gold", folder / "gold.jsonl"]


@pytest.mark.parametrize(("whole", "update"), [("gold", "pred"), ("pred", "gold")])
def test_updates_are_asked_about(whole: str, update: str, tmp_path: Path, cli: Cli) -> None:
    words = write_changes(tmp_path, whole, update)
    for command in ("score", "check", "find", "convert"):
        asked = cli.refused(command, words[0], *(["-"] if command == "convert" else []), *words[1:])
        assert f"{update}.jsonl: the states of {update} look like updates (only 0% of the slots stay" in asked
    values = {}
    for answer in re.findall(r"--columns (states=\S+)", asked):
        found = cli.json("score", *words, "-m", "JGA", "--columns", answer)
        values[answer] = found["scores"][0]["value"]
        assert answer.replace("=", ":", 1) in found["scores"][0]["signature"].split("|")
        assert any(answer in each["message"] for each in found["warnings"] if each["code"] == "read-as")
    assert values == pytest.approx(
        {f"states={update}:update": 1, "states=gold:update,pred:update": 1, "states=as-written": 2 / 5}
    )
    assert figures(cli, *words, "--set", "state=update")["JGA"] == 1
    converted = cli("convert", words[0], "-", *words[1:], "--columns", f"states={update}:update").out
    assert [each["gold"] for each in map(json.loads, converted.splitlines()) for each in each["turns"]][:3] == [
        each[3] for each in CHANGES[:3]
    ]


def test_few_lost_slots_are_no_updates(tmp_path: Path, cli: Cli) -> None:
    """A user may take back what was said: two turns that lose a slot are no evidence."""
    assert figures(cli, *write_changes(tmp_path, "pred", "gold", 3))["JGA"] == pytest.approx(1 / 3)


def test_answers_about_states(tmp_path: Path, cli: Cli) -> None:
    words = write_changes(tmp_path, "pred", "gold")
    assert "--columns: states must be" in cli.refused("score", *words, "--columns", "states=update")
    turns = [{"gold": each[2], "pred": each[3]} for each in CHANGES[:3]]
    native = tmp_path / "native.jsonl"
    native.write_text(json.dumps({"dialogue_id": "a", "turns": [{"turn": n, **each} for n, each in enumerate(turns)]}))
    asked = cli.refused("score", native, "--columns", "states=gold:update")
    assert asked.endswith("for the format native use --set state=update")
    assert figures(cli, native, "--set", "state=update")["JGA"] == 1
    rows = [{"dialogue_id": each[0], "turn": each[1], "gold": each[2], "pred": each[3]} for each in CHANGES]
    with pytest.raises(InputError, match="the states of gold look like updates"):
        score(rows)
    assert score(rows, columns={"states": "gold:update"})["JGA"].value == 1


@pytest.mark.parametrize("pattern", ["{0}_{1}", "{0}.{1}", "{1}-{0}"])
def test_pairs_of_files_in_a_folder(pattern: str, tmp_path: Path, cli: Cli) -> None:
    """Gold and predictions of each dialogue have a file of their own."""
    folder = tmp_path / "run"
    folder.mkdir()
    for place, side in ((2, "gold"), (3, "pred")):
        for name in "ab":
            rows = [{"turn": each[1], "state": each[3 if each[1] else place]} for each in CHANGES if each[0] == name]
            rows = [{**row, "state": {}} if (name, side, row["turn"]) == ("b", "pred", 1) else row for row in rows]
            (folder / f"{pattern.format(name, side)}.json").write_text(json.dumps(rows))
    assert figures(cli, folder) == pytest.approx({"JGA": 4 / 5, "turns": 5, "dialogues": 2})
    assert f"{folder}#pred" in cli("score", folder).err
    (folder / f"{pattern.format('c', 'pred')}.json").write_text(json.dumps([{"turn": 0, "state": {"x-a": "1"}}]))
    cli.refused("score", folder)


def test_pairs_of_files_of_two_systems(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for system in ("gpt", "qwen"):
        for place, side in ((3, "gold"), (2 if system == "qwen" else 3, "pred")):
            rows = [{"dialogue_id": each[0], "turn": each[1], "state": each[place]} for each in CHANGES[:3]]
            (folder / f"{system}_{side}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert "the file holds 2 trackers: gpt, qwen" in cli.refused("score", folder)
    assert [figures(cli, f"{folder}#{name}")["JGA"] for name in ("gpt", "qwen")] == pytest.approx([1, 1 / 3])
    assert "qwen" in cli("compare", folder, "-q").out


def test_objects_one_after_the_other(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "my objects.json"
    path.write_text("\n".join(json.dumps(each, indent=1) for each in TURNS))
    asked = cli.refused("score", path)
    assert f"several JSON objects one after the other; write each in a line: jq -c . '{path}' > lines.jsonl" in asked
    (tmp_path / "lines.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in TURNS))
    assert figures(cli, tmp_path / "lines.jsonl")["JGA"] == pytest.approx(2 / 3)
    path.write_text('{"a":\n 1}\n2\n')
    assert "Extra data" in cli.refused("score", path)


def test_missing_slot_rows_of_a_turn(tmp_path: Path) -> None:
    """A turn without rows would lose its state."""
    path = tmp_path / "long.csv"
    rows = [("a", turn, slot, "1", "1") for turn in (0, 2) for slot in ("x-a", "x-b")]
    path.write_text("conv,turn,slot,y_true,y_pred\n" + "\n".join(",".join(map(str, row)) for row in rows))
    with pytest.raises(InputError, match="has no row for this turn") as error:
        list(read(path))
    assert (error.value.dialogue, error.value.turn) == ("a", 1)


def test_slot_rows_without_turns(tmp_path: Path, cli: Cli) -> None:
    """Every row would be read as a turn."""
    path = tmp_path / "long.csv"
    path.write_text("dialogue_id,slot,gold,pred\na,x-a,1,1\na,x-b,2,3\n")
    assert "needs the numbers of turns; name them with --columns turn=NAME" in cli.refused("score", path)


OWN = {
    "states in an object": {"dialogue_id": "d", "turns": [{"states": {"gold": STATE, "pred": STATE}}]},
    "the previous prediction": {
        "dlg": "d",
        "turn": 0,
        "target_state": STATE,
        "previous_prediction": {},
        "prediction": STATE,
    },
    "lists of slots": {
        "conversation_id": 1,
        "turn_number": 0,
        "label": [{"slot": "area", "value": "east"}],
        "output": [{"slot": "area", "value": "east"}],
    },
}


@pytest.mark.parametrize("name", OWN)
def test_own_layouts(name: str, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps([OWN[name]]))
    found = cli.json("score", path, "-m", "JGA")
    assert (found["scores"][0]["value"], found["counts"]["turns"]) == (1, 1)


def test_numbers_of_two_files(tmp_path: Path) -> None:
    """Predictions count user turns from 1, gold counts all turns."""
    turns = [{"speaker": "user", "zustand": {"x-a": str(number)}} for number in range(3)]
    gold = {"records": [{"id": "a", "turns": [each for turn in turns for each in (turn, {"speaker": "bot"})]}]}
    pred = [{"conversation": "A.json", "turn": n + 1, "prediction": {"x-a": str(n)}} for n in range(3)]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "pred.json").write_text(json.dumps({"results": pred}))
    result = score_file(str(tmp_path / "pred.json"), str(tmp_path / "gold.json"), measures=["JGA"])
    assert (result["JGA"].value, result.counts["turns"]) == (1.0, 3)
    said = " ".join(notice.message for notice in result.notices)
    assert "turn numbers are one lower in gold" in said
    assert "letter case, .json and the Unicode form of ids were ignored" in said


def test_random_layouts(tmp_path: Path) -> None:
    """A layout made at random is read with its known figure, or refused; never with another figure."""
    outcomes = Counter(outcome(seed, tmp_path) for seed in range(300))
    assert set(outcomes) <= {"read", "refused"}, outcomes
    assert outcomes["read"] >= 280


def test_published_layout_keeps_its_reader() -> None:
    assert open_corpus(shared("data", "tracking", "dstc10", "labels.json.gz")).format == "dstc10"


TURNS = [
    {"session": name, "step": turn, "expected": {"area": "east"}, "output": {"area": area}}
    for name, turn, area in (("a", 0, "east"), ("a", 1, "west"), ("b", 0, "east"))
]
TURN_LISTS: list[tuple[str, list[str]]] = [("a", []), ("b", ["timeout"])]
READ_SO: dict[str, tuple[Any, str]] = {
    "rows that are no records": ([*TURNS, None], "1 elements of [] are no objects and are left out"),
    "turns that are no records": (
        {
            "chats": [
                {"id": name, "turns": [{"gold": {"area": "east"}, "pred": {}}, *more]} for name, more in TURN_LISTS
            ]
        },
        "1 elements of chats[].turns[] are no objects and are left out",
    ),
    "updates beside whole states": (
        {"a": [{"turn_label": {"area": "east"}, "belief_state": {"area": "east"}, "pred_state": {"area": "east"}}] * 2},
        "belief_state is gold because pred_state is the prediction",
    ),
    "a prediction named like gold": (
        {"a": {"log": [{"metadata": {"hotel": {"semi": {"area": "east"}}}, "pred_metadata": {"hotel": {"semi": {}}}}]}},
        "metadata is gold because pred_metadata is the prediction",
    ),
}
REFUSED_SO: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no slot in both": (
        [{**row, "output": {"model": "m", "tokens": row["step"]}} for row in TURNS],
        "no slot is in both expected (area) and output (model, tokens)",
    ),
    "several hypotheses": (
        [{**row, "output": [{"state": row["output"]}, {"state": {"area": "north"}}]} for row in TURNS],
        "output holds several hypotheses of a turn; keep the first one only",
    ),
}


@pytest.mark.parametrize(("written", "said"), READ_SO.values(), ids=READ_SO)
def test_what_was_inferred_is_said(written: Any, said: str, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(written))
    assert said in [each["message"] for each in cli.json("score", path, "-m", "JGA")["warnings"]]


@pytest.mark.parametrize(("rows", "message"), REFUSED_SO.values(), ids=REFUSED_SO)
def test_refused(rows: list[dict[str, Any]], message: str, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert message in cli.refused("score", path)


def test_part_of_the_dialogues(tmp_path: Path, cli: Cli) -> None:
    """Whole dialogues without prediction are left out and counted; two systems are compared on the same dialogues."""
    folder = tmp_path / "run"
    folder.mkdir()
    sides = {"gold": "expected", "pred_part": "output", "pred_all": "output"}
    for name, column in sides.items():
        rows = [{"session": row["session"], "step": row["step"], column: row[column]} for row in TURNS]
        kept = rows[:2] if name == "pred_part" else rows
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in kept))
    gold, part, whole = (folder / f"{name}.jsonl" for name in sides)
    out = cli("score", part, "--gold", gold, "-m", "JGA").out
    assert "1 of 2 dialogues; 1 without a prediction (b)" in out
    assert "scored:1/2|unscored:1d/1t" in out
    assert cli("check", part, "--gold", gold).out.startswith("READY")
    assert "use --only common" in cli.refused("compare", part, whole, "--gold", gold)
    only = tmp_path / "only.txt"
    only.write_text("a\nb\n")
    assert "1 turn has gold and no prediction" in cli.refused("score", part, "--gold", gold, "--only", only)
    whole.unlink()
    assert cli("score", folder, "-m", "JGA").out.splitlines()[0] == out.splitlines()[0]
    part.write_text(part.read_text().splitlines()[0] + "\n")
    assert "2 turns have gold and no prediction" in cli.refused("score", part, "--gold", gold)


def figures(cli: Cli, *words: object) -> dict[str, Any]:
    found = cli.json("score", *words, "-m", "JGA", "-q")
    return {"JGA": found["scores"][0]["value"], **{key: found["counts"][key] for key in ("turns", "dialogues")}}


def write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("cp1252" if "é" in text else "utf-8"))
    return [folder / name for name in files]


@pytest.mark.parametrize("name", READ)
def test_files_of_trackers(name: str, tmp_path: Path, cli: Cli) -> None:
    pred, *gold = write(tmp_path, READ[name])
    assert figures(cli, pred, *(["--gold", gold[0]] if gold else [])) == pytest.approx(RIGHT)


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_of_a_file(name: str, tmp_path: Path, cli: Cli) -> None:
    (path,) = write(tmp_path, SYSTEMS[name])
    assert "the file holds 2 trackers: llama-3.3, qwen3" in cli.refused("score", path)
    assert figures(cli, f"{path}#llama-3.3") == pytest.approx(RIGHT)
    assert figures(cli, f"{path}#qwen3") == pytest.approx(RIGHT_OF_OTHER)
    assert "llama-3.3" in cli("compare", path, "-q").out


@pytest.mark.parametrize("name", ASKED_OF_TRACKERS)
def test_questions_of_trackers(name: str, tmp_path: Path, cli: Cli) -> None:
    text, question = ASKED_OF_TRACKERS[name]
    (path,) = write(tmp_path, {"run.tsv" if "\t" in text else "run.jsonl": text})
    assert question in cli.refused("score", path)


def test_folders_of_systems(tmp_path: Path, cli: Cli) -> None:
    """The commands in the message name the folders and the gold file, and work."""
    for system, side in (("gpt", "pred"), ("qwen", "other")):
        (tmp_path / "runs" / system).mkdir(parents=True)
        rows = [{"dialogue_id": each.dialogue, "turn": each.turn, "state": getattr(each, side)} for each in WRITTEN]
        (tmp_path / "runs" / system / "preds.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (gold,) = write(tmp_path, {"gold.jsonl": READ["batch of Gemini"]["gold.jsonl"]})
    asked = cli.refused("score", tmp_path / "runs", "--gold", gold)
    assert "the file holds 2 trackers: gpt, qwen" in asked
    for said in re.findall(r"dialmeter (.*?)(?:, or compare|$)", asked)[1:]:
        cli(*shlex.split(said), "-q")
    assert figures(cli, f"{tmp_path / 'runs'}#qwen", "--gold", gold) == pytest.approx(RIGHT_OF_OTHER)


@pytest.mark.parametrize("name", [name for name, files in READ.items() if [*files] == ["run.jsonl"]])
def test_rows_in_memory(name: str) -> None:
    """Python reads rows as the command reads their file."""
    rows = [json.loads(line) for line in READ[name]["run.jsonl"].splitlines()]
    for given in (rows, (row for row in rows)):
        result = score(given, measures=["JGA"])
        assert (result["JGA"].value, result.counts["dialogues"]) == pytest.approx((RIGHT["JGA"], RIGHT["dialogues"]))


def test_text_states_in_memory() -> None:
    """Pairs of a text may be separated by commas, in rows and in lists of states."""
    text = ["; ".join(f"{slot}={value}" for slot, value in each.gold.items()) for each in WRITTEN]
    commas = [", ".join(f"{slot}={value}" for slot, value in each.pred.items()) for each in WRITTEN]
    assert score(commas, text, measures=["JGA"])["JGA"].value == pytest.approx(RIGHT["JGA"])
    rows = [
        {"conv": each.dialogue, "step": each.turn, "target": text[place], "hypothesis": commas[place]}
        for place, each in enumerate(WRITTEN)
    ]
    assert score(rows, measures=["JGA"])["JGA"].value == pytest.approx(RIGHT["JGA"])
    with pytest.raises(InputError, match="holds 2 trackers: a, b"):
        score([{**row, "model": model} for model in "ab" for row in rows], measures=["JGA"])
