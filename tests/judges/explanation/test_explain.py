"""Explanations: words, ratios, and the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.judges.builtin.surface import Length
from dialmeter.judges.explanation import (
    CaseExplained,
    Explained,
    common_places,
    explain_case,
    explain_reply,
    importance,
    word_values,
)
from dialmeter.judges.judge import Item

from ...cli.invoke import Cli, files_in
from ..made import case, cases, write_cases
from ..tiny import CONTEXT


class Liking(Length):
    """Likes one word, dislikes another, and takes the mask for nothing."""

    name = "liking"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [2.0 * reply.split().count("good") - reply.split().count("bad") for _, reply in items]


def test_words_get_their_contribution() -> None:
    found = explain_case(case("speaker", 1, reply="all is good", adversarial="all is bad now"), 0, Liking())
    assert found.human.values == pytest.approx([0, 0, 2], abs=1e-9)
    assert found.adversarial.values == pytest.approx([0, 0, -1, 0], abs=1e-9)
    assert (found.human.changed, found.adversarial.changed) == ((False, False, True), (False, False, True, True))


def test_a_judge_that_likes_low_scores_is_turned_round() -> None:
    judge = Liking()
    judge.higher_is_better = False
    assert explain_reply(judge, CONTEXT, "good").values == (-2.0,)


def test_long_replies_are_sampled_within_the_budget() -> None:
    found = explain_reply(Liking(), CONTEXT, "very " * 19 + "good", budget=100)
    assert not found.exact
    assert found.scored <= 100
    assert found.values[-1] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("pieces", "values"),
    [
        (["a", " b"], (1.0, 2.0)),
        (["a b"], (1.0,)),
        ([" ", "ab", "c "], (6.0,)),
        ([], ()),
    ],
)
def test_pieces_are_merged_to_words(pieces: list[str], values: tuple[float, ...]) -> None:
    found = word_values(pieces, [float(number) for number in range(1, len(pieces) + 1)])
    assert sum(found) == pytest.approx(sum(range(1, len(pieces) + 1)))
    assert tuple(value for value in found if value) == values


def test_the_longest_common_subsequence() -> None:
    assert common_places([], ["a"]) == (set(), set())
    left, right = common_places(list("abcde"), list("badce"))
    assert ["abcde"[place] for place in sorted(left)] == ["badce"[place] for place in sorted(right)]
    assert len(left) == 3


def explained(human: Sequence[float], adversarial: Sequence[float], changed: Sequence[bool]) -> CaseExplained:
    last = tuple(place == len(human) - 1 for place in range(len(human)))
    return CaseExplained(
        0,
        "made",
        Explained(("w",) * len(human), tuple(human), last, 0.0, 0.0, 4, True),
        Explained(("w",) * len(adversarial), tuple(adversarial), tuple(changed), 0.0, 0.0, 4, True),
    )


def test_importance_by_hand() -> None:
    """Values lie between −1 and 3, so that each is moved by 1 and divided by 4."""
    found = importance([explained([1.0, 3.0], [-1.0, 1.0, 3.0], [False, True, True])])
    cells = {(each.words, each.how): each for each in found}
    assert (cells["changed", "sum"].human, cells["changed", "sum"].adversarial) == (1.0, 1.5)
    assert cells["changed", "sum"].ratio == 1.5
    assert cells["changed", "mean"].ratio == 0.75
    assert cells["all", "sum"].ratio == pytest.approx(1.5 / 1.5)
    assert cells["all", "mean"].ratio == pytest.approx(0.5 / 0.75)


def test_no_ratio_if_no_human_word_changed() -> None:
    found = importance([explained([], [1.0, 2.0], [True, True])])
    assert {each.ratio for each in found} == {None}


def test_a_judge_that_fails_on_masks() -> None:
    class Picky(Liking):
        def score(self, items: Sequence[Item]) -> Sequence[float]:
            if any("___" in reply for _, reply in items):
                raise ValueError("what is this?")
            return super().score(items)

    with pytest.raises(DialmeterError, match=r"liking: ValueError: what is this\?"):
        explain_reply(Picky(), CONTEXT, "all is good")


def test_the_command(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "cases.jsonl"
    write_cases(file, cases(("speaker", "repetition"), 3))
    words = ["judge", "explain", file, "--judge", "overlap"]
    found = cli.json(*words, "--quiet")
    assert found["counts"] == {"cases": 6, "explained": 6}
    side = found["cases"][0]["human"]
    assert sum(side["values"]) == pytest.approx(side["score"] - side["base"])
    assert {score["attack"] for score in found["scores"]} == {"speaker", "repetition"}
    text = cli(*words, "--attack", "speaker", "--cases", "2", "--charts", tmp_path / "charts", "--quiet")
    assert "sum over changed words" in text.out
    assert "[speaker] *" in text.out
    drawn = sorted(files_in(tmp_path / "charts"))
    assert drawn[:2] == ["importance.csv", "importance.svg"]
    assert len(drawn) == 4
    assert cli(*words, "--as", "csv", "--quiet").out.startswith("attack,cases,sum over changed words")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--judge", "overlap", "--attack", "none"], "no case of attack 'none'; known: speaker"),
        (["--judge", "overlap", "--judge", "length"], "give exactly one judge to explain"),
        (["--judge-command", "mine=no-such-program"], "no case could be explained: 2 whose request failed"),
    ],
)
def test_bad_options(words: list[str], complaint: str, tmp_path: Path, cli: Cli) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",), 2))
    assert cli.refused("judge", "explain", tmp_path / "cases.jsonl", *words, "--quiet").startswith(complaint)
