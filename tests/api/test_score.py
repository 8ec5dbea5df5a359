"""``dm.score``: inputs in memory and from files, names of measures, settings, and the same numbers as the command line."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import dialmeter as dm

from ..cli.invoke import Cli
from ..cli.samples import native_lines, written
from ..shared_data import shared

GOLD = {
    "d1": [{"hotel-area": "east"}, {"hotel-area": "east", "hotel-stars": "4"}],
    "d2": [{"taxi-to": "ely"}, {"taxi-to": "ely"}],
}
PRED = {
    "d1": [{"hotel-area": "east"}, {"hotel-area": "east"}],
    "d2": [{"taxi-to": "ely"}, {"taxi-to": "ely", "taxi-from": "york"}],
}
ROWS = [
    {"dialogue_id": name, "turn": number, "gold": state, "pred": PRED[name][number]}
    for name, states in GOLD.items()
    for number, state in enumerate(states)
]
TEXTS = {
    name: ["; ".join(f"{slot}={value}" for slot, value in each.items()) for each in states]
    for name, states in GOLD.items()
}


def scores(result: Any) -> list[tuple[str, float | None]]:
    return [(each.measure, each.value) for each in result.scores]


@pytest.fixture(scope="module")
def expected() -> list[tuple[str, float | None]]:
    return scores(dm.score(GOLD, PRED))


@pytest.mark.parametrize(
    "given",
    [
        (list(GOLD.values()), list(PRED.values())),
        (TEXTS, PRED),
        ({name: [[(*slot.split("-"), value) for slot, value in each.items()] for each in states] for name, states in GOLD.items()}, PRED),
        ((each for each in GOLD.values()), (each for each in PRED.values())),
        (ROWS,),
        (pd.DataFrame(ROWS),),
        (pl.DataFrame([{**row, "gold": json.dumps(row["gold"]), "pred": json.dumps(row["pred"])} for row in ROWS]),),
        ([{"dialogue_id": name, "turns": [{"gold": g, "pred": p} for g, p in zip(GOLD[name], PRED[name], strict=True)]} for name in GOLD],),
    ],
    ids=["lists", "texts", "triples", "generators", "rows", "pandas", "polars", "loaded JSON"],
)  # fmt: skip
def test_inputs_in_memory(given: tuple[Any, ...], expected: Any) -> None:
    assert scores(dm.score(*given)) == expected


def test_roles_with_a_measure_that_is_not_symmetric() -> None:
    gold, pred = [[{"a-b": "1", "a-c": "2"}]], [[{"a-b": "1"}]]
    assert dm.score(gold, pred).aga == 0.5
    assert dm.score(pred, gold).aga == 1
    for result in (
        dm.score(pred, gold=gold),
        dm.score(gold=gold, pred=pred),
        dm.score(references=gold, predictions=pred),
        dm.score(y_true=gold, y_pred=pred),
    ):
        assert result.aga == 0.5
    result = dm.score(gold, pred)
    assert result.inputs == {"gold": "the first input", "pred": "the second input"}
    assert "gold is the first input, prediction is the second input" in repr(result)


def test_columns_of_a_table() -> None:
    table = pd.DataFrame(ROWS).rename(columns={"pred": "second_model", "gold": "truth"})
    assert dm.score(table, columns={"pred": "second_model", "gold": "truth"}).jga == 0.5
    assert dm.score(table, gold="truth", pred="second_model").jga == 0.5
    with pytest.raises(dm.DialmeterError, match=r"no column 'model'; did you mean second_model\?"):
        dm.score(table, columns={"pred": "model", "gold": "truth"})
    with pytest.raises(
        dm.DialmeterError, match=r"nothing is read as the prediction.*columns=\{'pred': 'second_model'\}"
    ):
        dm.score(table, columns={"gold": "truth"})


def test_score_is_a_number() -> None:
    result = dm.score(GOLD, PRED, measures=["jga", "FGA(lam=0.5)", "slot_f1"])
    assert result["JGA"] == result["jga"] == result.jga == 0.5
    assert (f"{result.jga:.2f}", f"{result.jga:.1%}", json.dumps(result.jga)) == ("0.50", "50.0%", "0.5")
    assert result.fga == result["FGA(lam=0.5)"]
    assert pickle.loads(pickle.dumps(result.jga)).signature == result.jga.signature
    assert (result.jga.ci, result.jga.ci_reason) == (None, "all resamples have the same value")
    assert list(result) == ["JGA", "FGA(lam=0.5)", "SlotF1"]
    assert result.to_dict() == {name: float(result[name]) for name in result}


def test_unscored_is_not_zero() -> None:
    unscored = dm.score([[{}]], [[{}]], measures="VP").vp
    assert unscored.value is None
    for use in (float, lambda score: score > 0.5, lambda score: f"{score:.2f}"):
        with pytest.raises(ValueError, match="VP is unscored: the tracker changed nothing"):
            use(unscored)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"measures": "JGB"}, r"did you mean JGA\?"),
        ({"measures": "jga,sa"}, r"give a list: measures=\['jga', 'sa'\]"),
        ({"measures": "joint_goal_accuracy"}, "write 'joint_goal_accuracy' as 'JGA'"),
        ({"rules": "trad"}, r"did you mean trade\?"),
        ({"missin": "empty"}, r"no setting 'missin' for trackers; did you mean missing\?"),
        ({"infrastructure": "both"}, "no setting 'infrastructure' for trackers"),
        ({"ci": 95}, "ci must be between 0 and 1"),
        ({"subject": "trackers"}, r"unknown subject 'trackers'; did you mean tracker\?"),
    ],
)
def test_bad_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(dm.DialmeterError, match=message):
        dm.score(GOLD, PRED, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((GOLD, {"d1": PRED["d1"]}), "2 turns have gold and no prediction"),
        (([{"a-b": "1"}], [[{"a-b": "1"}]]), "one input is a flat list of turns"),
        (([{"a-b": "1"}], [{}, {}]), "pred has 2 turns and gold has 1 turns"),
        (([{"a-b": "1"}],), r"give gold and prediction: dm\.score\(gold, pred\)"),
        ((3, 4), "int is not a path, a list, a dict or a data frame"),
        ((GOLD, PRED, PRED), r"dm\.compare\(gold, "),
        ((["north"], ["a-b=1"]), "not a state: 'north'; write it like hotel-area=north"),
    ],
)
def test_bad_inputs(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(dm.DialmeterError, match=message) as caught:
        dm.score(*given)
    assert "/dialmeter-" not in str(caught.value)


@pytest.mark.parametrize(("name", "needed"), [("pandas", "pip install pandas"), ("polars", r"dialmeter\[tables\]")])
def test_data_frames_are_optional(name: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(dm.MissingExtra, match=needed):
        getattr(dm.score(GOLD, PRED), f"to_{name}")()


def test_flat_list_has_no_history() -> None:
    gold, pred = GOLD["d1"], PRED["d1"]
    result = dm.score(gold, pred)
    assert "GCA" not in result
    assert "every turn stands alone" in repr(result)
    with pytest.raises(dm.DialmeterError, match=r"FGA\(lam=1\) needs dialogues"):
        dm.score(gold, pred, measures="FGA(lam=1)")


def test_groups_rows_and_errors() -> None:
    result = dm.score(GOLD, PRED, measures="JGA")
    assert {each.group["domain"]: float(each) for each in result.by("domain")} == {"hotel": 0.5, "taxi": 0.5}
    assert result.by("domain")["hotel"] == 0.5
    assert "hotel" in repr(result.by("domain"))
    assert [row["right"] for row in result.rows()] == [True, False, True, False]
    assert result.errors[["slot", "outcome"]].to_numpy().tolist() == [["hotel-stars", "missed"], ["taxi-from", "extra"]]
    assert [each.dialogue for each in result.worst()] == ["d1", "d2"]
    assert result.to_polars().height == len(result.to_pandas()) == 1
    assert result.to_markdown().startswith("| measure |")
    assert "<pre>" in result._repr_html_()


def test_measure_that_was_not_requested() -> None:
    result = dm.score(GOLD, PRED, measures="JGA")
    assert result.slot_f1 == dm.score(GOLD, PRED, measures="SlotF1").slot_f1
    with pytest.raises(dm.DialmeterError, match="'JointCatAccuracy' was not requested"):
        result["JointCatAccuracy"]
    with pytest.raises(AttributeError, match="a result has no 'gca'"):
        dm.score(GOLD["d1"], PRED["d1"]).gca  # noqa: B018


def test_find() -> None:
    found = dm.find(dm.score(GOLD, PRED), "domain=taxi", "outcome=extra")
    assert [(each.dialogue, each.rows[0]["turn"]) for each in found] == [("d2", 1)]
    assert "slot taxi-from" in repr(found[0].show())
    assert [each.dialogue for each in dm.find(dm.score(GOLD, PRED), "D1.json")] == ["d1"]


def files(folder: Path) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """Yield the words of a command, and the arguments in Python."""
    turns = {name: [{"gold": g, "pred": p} for g, p in zip(GOLD[name], PRED[name], strict=True)] for name in GOLD}
    path = str(written(folder / "p.jsonl", native_lines(turns)))
    yield path, [], {}
    yield path, ["--set", "map=multiwoz", "--rules", "trade"], {"map": "multiwoz", "rules": "trade"}


def test_same_numbers_as_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, words, given in files(tmp_path):
        document = json.loads(Cli(capsys)("score", path, *words, "-f", "json").out)
        assert dm.score(path, **given).to_dicts() == document["scores"]


@pytest.mark.parametrize(
    ("parts", "words", "given"),
    [
        (("trajectories", "gpt-4o-airline.json.gz"), [], {}),
        (("users", "fixture48_dialogues.json.gz"), ["--set", "map=multiwoz"], {"map": "multiwoz"}),
    ],
    ids=["system", "user"],
)
def test_same_numbers_of_other_subjects(
    parts: tuple[str, ...], words: list[str], given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = shared("data", *parts)
    document = json.loads(Cli(capsys)("score", path, *words, "-f", "json").out)
    result = dm.score(path, **given)
    assert result.to_dicts() == document["scores"]
    assert repr(result)


def test_judge_as_a_function(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    conversations = dm.play("agenda", "rule", 4, seed=3)
    cases = dm.attack(conversations, ["repetition:word"], 3, light=True)
    result = dm.score(cases, judges={"mine": lambda context, reply: float(len(context) - len(reply))})
    assert result["mine", "repetition"].n == 3
    assert result["mine"] == result["mine", "repetition"]
    assert result.subject == "judge"
    encoded = [json.dumps(_case(case)) for case in cases]
    path = written(tmp_path / "cases.jsonl", "\n".join(encoded) + "\n")
    document = json.loads(Cli(capsys)("score", path, "--judge", "overlap", "-f", "json").out)
    values = {(each["judge"], each["attack"]): each["value"] for each in document["scores"]}
    again = dm.score(path, judges="overlap")
    assert {name[:2]: each.value for name, each in again.items()} == values


def _case(case: dm.Case) -> Any:
    import msgspec

    return msgspec.to_builtins(case)


def test_system_from_a_table() -> None:
    table = pd.DataFrame({"task_id": [1, 1, 2, 2], "trial": [0, 1, 0, 1], "reward": [1.0, 0.0, 1.0, 1.0]})
    result = dm.score(table, subject="system", measures=["Success", "Pass(k=2)"])
    assert result.to_dict() == {"Success": 0.75, "Pass(k=2)": 0.5}
    assert result.by("task")["1"] == 0.5
    with pytest.raises(dm.DialmeterError, match=r"write 'pass\^2' as 'Pass\(k=2\)'"):
        dm.score(table, subject="system", measures="pass^2")
    with pytest.raises(dm.DialmeterError, match="no column for the task or the reward; columns: task_id, trial"):
        dm.score(table.drop(columns="reward"), subject="system")


def test_compare() -> None:
    gold = {f"d{n}": [{"a-b": str(n)}] for n in range(20)}
    empty: dict[str, Any] = {name: [{}] for name in gold}
    compared = dm.compare({"old": empty, "new": gold}, gold=gold, measures=["JGA", "SlotF1"], resamples=200)
    assert compared.verdict == "better"
    assert compared["new"].jga == 1
    assert compared.rungs[0].difference == 1
    table = compared.to_pandas().set_index(["system", "measure"])
    assert table.loc[("new", "JGA"), ["difference", "better"]].tolist() == [1, 20]
    assert r"\textbf{100.00}" in compared.to_latex(bold=True)
    assert "new" in repr(compared)
    assert type(compared.plot()).__name__ == "Figure"
    assert dm.compare(gold, {"old": empty, "new": gold}, resamples=200).verdict == "better"
    results = {"old": dm.score(gold, empty), "new": dm.score(gold, gold)}
    assert dm.compare(results, resamples=200).verdict == "better"
    with pytest.raises(dm.DialmeterError, match="needs two systems or more"):
        dm.compare({"old": empty}, gold=gold)


def test_run_reads_like_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(files(tmp_path))[0]
    Cli(capsys)("score", path, "-o", tmp_path / "run", "-q")
    run = dm.open_run(tmp_path / "run")
    assert run["jga"] == run.jga == dm.score(path).jga == 0.5
    assert [row["id"] for row in run.rows()] == ["d1", "d2"]
    assert [each.dialogue for each in dm.find(tmp_path / "run", "slot=hotel-stars")] == ["d1"]
    assert "JGA 50.00" in repr(run)


def test_scorer() -> None:
    scorer = dm.Scorer("tracker", measures="JGA")
    for name, gold in GOLD.items():
        scorer.add(name, pred=PRED[name], gold=gold)
    assert scorer.result().jga == 0.5
    scorer.reset()
    with pytest.raises(dm.DialmeterError, match="no turn with a gold state"):
        scorer.result()
    with pytest.raises(dm.DialmeterError, match="add a dialogue like this"):
        scorer.add("d1", GOLD["d1"], PRED["d1"])


def test_users_in_python() -> None:
    """Measures of one domain, and who lost the points, as on the command line."""
    file = str(shared("data", "users", "fixture48_dialogues.json.gz"))
    result = dm.score(file, measures="I-GCDF1[hotel]", ci=0)
    assert list(result) == ["I-GCDF1[hotel]"]
    assert f"{result['I-GCDF1[hotel]']:.2f}" == "0.84"
    assert str(result).startswith("I-GCDF1[hotel] 83.60; 12 of 492 lost points are the user's own.\n")
    assert len(dm.find(result, "reason=booking_unheard")) == 6
    assert {row["event"] for each in dm.find(result, "event=unmatched") for row in each.rows} == {"unmatched"}
    compared = dm.compare({"a": file, "b": file}, measures="I-recall[taxi]", resamples=100)
    assert str(compared).startswith("CANNOT TELL: b and a have the same I-recall[taxi].\n")
    with pytest.raises(dm.DialmeterError, match="no measure 'JGA' of users"):
        dm.score(file, measures="JGA", subject="user")


def test_check_prints_what_the_terminal_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(files(tmp_path))[0]
    checked = dm.check(path)
    assert checked.valid
    assert f"{checked!r}\n" == Cli(capsys)("check", path, "-q").out


def test_a_measure_without_keyword_is_not_called_a_file(tmp_path: Path) -> None:
    path = next(files(tmp_path))[0]
    with pytest.raises(dm.DialmeterError, match=r"JGA: no such file; give measures by name: .*measures='JGA'"):
        dm.score(path, "JGA")


def test_tables_of_any_layout() -> None:
    """Rows in memory are read as those in a file: wide, one row per slot, and with objects in objects."""
    slots = {"area_true": ["east", "east"], "day_true": ["", ""], "area_pred": ["east", "west"], "day_pred": ["", ""]}
    wide = {"conv": ["a", "a"], "step": [0, 1], **slots}
    long = [
        {"dlg": "a", "turn": turn, "attribute": slot, "reference": "east", "hypothesis": value}
        for turn, slot, value in ((0, "area", "east"), (1, "area", "west"), (1, "side", "east"))
    ]
    nested = [
        {
            "case": {"dialogue": "a", "turn": turn, "expected": {"area": "east"}},
            "output": {"completion": f'{{"area": "{area}"}}'},
        }
        for turn, area in enumerate(("east", "west"))
    ]
    for given in (pd.DataFrame(wide), pl.DataFrame(wide), pd.DataFrame(long), long, nested, (row for row in nested)):
        result = dm.score(given)
        assert (result["JGA"], result.counts["turns"], result.counts["dialogues"]) == (0.5, 2, 1)
