"""The Python API: public names, inputs of scoring, and methods of results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dialmeter
from dialmeter import DialmeterError, Dialogue, InputError, Turn
from dialmeter.readers.layouts.own import write
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.scorer import TrackerScorer

from ..cli.samples import native_lines, written
from ..scoring import score_tracker

GOLD: dict[str, list[dict[str, Any]]] = {
    "d1": [{"hotel-area": "east"}, {"hotel-area": "east", "taxi-to": "x"}],
    "d2": [{"taxi-to": "y"}],
}
PRED: dict[str, list[dict[str, Any]]] = {
    "d1": [{"hotel-area": "east"}, {"hotel-area": "west"}],
    "d2": [{"taxi-to": "y"}],
}
NESTED = {"d1": [{"hotel": {"area": "east"}}, {"hotel": {"area": "west"}}], "d2": [{"taxi": {"to": "y"}}]}


def native(path: Path, **sides: dict[str, list[dict[str, Any]]]) -> Path:
    """Write a file of JSON lines with the given sides."""
    names = next(iter(sides.values()))
    dialogues = {
        name: [{side: states[name][number] for side, states in sides.items()} for number in range(len(turns))]
        for name, turns in names.items()
    }
    return written(path, native_lines(dialogues))


class TestPublicNames:
    """The names in ``import dialmeter``."""

    def test_every_name_exists(self) -> None:
        for name in dialmeter.__all__:
            assert getattr(dialmeter, name) is not None
        assert dir(dialmeter) == sorted(dialmeter.__all__)

    def test_thirty_names(self) -> None:
        assert len(dialmeter.__all__) == 31  # with __version__
        assert not {"score_tracker", "TrackerScorer", "score_user", "judge_people"} & set(dialmeter.__all__)

    def test_no_other_name(self) -> None:
        with pytest.raises(AttributeError, match=r"dialmeter has no 'scores'; did you mean score\?"):
            dialmeter.scores  # noqa: B018
        with pytest.raises(AttributeError, match=r"use dm\.score\(gold, pred\)"):
            dialmeter.score_tracker  # noqa: B018

    def test_public_functions_are_documented(self) -> None:
        for name in dialmeter.__all__:
            if name != "__version__":
                assert getattr(dialmeter, name).__doc__


class TestScorer:
    """Dialogues are added separately, as in a training loop."""

    def test_takes_any_iterable(self) -> None:
        scorer = TrackerScorer(["JGA"])
        scorer.add("d1", iter(GOLD["d1"]), (state for state in PRED["d1"]))
        assert scorer.result().value == 0.5

    def test_takes_dialogues(self) -> None:
        scorer = TrackerScorer(["JGA"])
        scorer.add_dialogue(Dialogue("d1", (Turn(0, gold={"a-b": "1"}, pred={"a-b": "1"}),)))
        assert scorer.result().value == 1

    def test_lists_of_different_length(self) -> None:
        with pytest.raises(InputError, match="dialogue d1: 2 gold states, but 1 predicted states"):
            TrackerScorer().add("d1", GOLD["d1"], PRED["d2"])

    def test_no_dialogue(self) -> None:
        with pytest.raises(InputError, match=r"^no turn with a gold state and a prediction was given$"):
            TrackerScorer().result()

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"measures": ["JGB"]}, "did you mean JGA?"),
            ({"rules": "trad"}, "did you mean trade?"),
            ({"measures": ["JGA(lam=1)"]}, "JGA has no parameter 'lam'"),
            ({"rules": "sgd", "measures": ["GCA"]}, "GCA is not defined under rules sgd"),
        ],
    )
    def test_bad_arguments(self, given: dict[str, Any], message: str) -> None:
        with pytest.raises(DialmeterError, match=message):
            TrackerScorer(**given)


class TestResult:
    """The methods of a result."""

    @pytest.fixture
    def result(self) -> TrackerResult:
        return score_tracker(GOLD, PRED, ["JGA", "SA", "VP"], ci=0)

    def test_groups(self, result: TrackerResult) -> None:
        by_domain = {(score.measure, score.group["domain"]): score.value for score in result.by("domain")}
        assert by_domain["JGA", "hotel"] == 0.5
        assert by_domain["JGA", "taxi"] == 0.5
        assert [score.group["slot"] for score in result.by("slot") if score.measure == "JGA"] == [
            "hotel-area",
            "taxi-to",
        ]
        assert [score.value for score in result.by("turn") if score.measure == "JGA"] == [1, 0]
        with pytest.raises(DialmeterError, match=r"no breakdown by 'domian'; did you mean domain\?"):
            result.by("domian")
        with pytest.raises(DialmeterError, match="no breakdown by 'without-domain'"):
            result.by("without-domain")

    def test_worst(self, result: TrackerResult) -> None:
        [worst] = result.worst()
        assert (worst.dialogue, worst.turns, worst.wrong_turns, worst.missed, worst.wrong) == ("d1", 2, 1, 1, 1)
        assert result.worst(0) == []
        assert result.worst(1, "SA")[0].dialogue == "d1"
        with pytest.raises(DialmeterError, match="it was not requested"):
            result.worst(1, "GCA")

    def test_dictionaries(self, result: TrackerResult) -> None:
        first = result.to_dicts()[0]
        assert list(first) == ["measure", "value", "ci", "n", "unscored", "signature"]
        assert json.loads(json.dumps(result.to_dicts())) == result.to_dicts()

    def test_reason_without_value(self) -> None:
        [score] = score_tracker([[{}]], [[{}]], ["VP"]).to_dicts()
        assert (score["value"], score["reason"]) == (None, "the tracker changed nothing")


class TestReading:
    """Reading files to dialogues, and writing them."""

    def test_read_and_write(self, tmp_path: Path) -> None:
        both = native(tmp_path / "both.jsonl", gold=GOLD, pred=PRED)
        dialogues = list(dialmeter.read(both))
        assert [each.id for each in dialogues] == ["d1", "d2"]
        assert dialogues[0].turns[1] == Turn(1, gold=GOLD["d1"][1], pred=PRED["d1"][1])
        with open(tmp_path / "again.jsonl", "wb") as file:
            assert write(dialogues, file) == 2
        assert list(dialmeter.read(tmp_path / "again.jsonl")) == dialogues

    def test_unknown_role(self, tmp_path: Path) -> None:
        with pytest.raises(DialmeterError, match="role must be both, gold or pred, found 'silver'"):
            dialmeter.read(native(tmp_path / "p.jsonl", gold=GOLD), role="silver")

    def test_error_has_its_place(self, tmp_path: Path) -> None:
        path = written(tmp_path / "p.jsonl", '{"dialogue_id": "d1", "turns": [{"turn": 0, "gold": {"a-b": {}}}]}\n')
        with pytest.raises(InputError) as caught:
            list(dialmeter.read(path))
        error = caught.value
        assert (error.file, error.line, error.dialogue, error.turn, error.slot) == (str(path), 1, "d1", 0, "a-b")
