"""Verdicts on judges: fewer errors are better, a difference is the later judge minus the first, and thresholds are a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.core.open_runs import open_run
from dialmeter.judges.judge import Item
from dialmeter.judges.people.study import judge_people
from dialmeter.judges.scorer import score_judge

from ..cli.invoke import Cli
from .made import Flipped, Oracle, case, cases, write_cases
from .people.test_people import rated

CASES = cases(("speaker", "repetition", "dullness"), 24)
CONTROL = [case("identical", number, reply=f"for {number}", adversarial=f"for {number}") for number in range(5)]


class Timid(Oracle):
    """Lowers its score of an adversarial reply by less than most thresholds."""

    name = "timid"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [each / 10_000 if each < -1 else each for each in super().score(items)]


def test_fewer_errors_are_better() -> None:
    for judges, verdict, sign in (([Oracle(), Flipped()], "worse", 1), ([Flipped(), Oracle()], "better", -1)):
        result = score_judge([*CASES, *CONTROL], judges)
        (ladder,) = result.ladders
        assert (ladder.base, ladder.system, ladder.verdict) == (judges[0].name, judges[1].name, verdict)
        written = ladder.rungs[0]
        means = {each.judge: each.value for each in result.averages if each.facet == "overall"}
        assert written.difference == pytest.approx(means[ladder.system] - means[ladder.base])  # type: ignore[operator]
        assert written.difference == sign
        assert written.n == 24
        assert ladder.headline.startswith(
            f"{verdict.upper()}: {ladder.system} is {verdict} than {ladder.base} by 100.00"
        )
        assert ladder.sentence == "the verdict holds under all 4"
        assert {each.name for each in ladder.rungs[1:]} == {"threshold sd", "threshold noise", "threshold fixed(0)"}
        versus = [each for each in result.comparisons if each.other == ladder.system]
        assert {(each.difference, each.verdict) for each in versus} == {(sign, verdict)}


def test_a_threshold_does_not_turn_a_verdict() -> None:
    (ladder,) = score_judge(CASES, [Oracle(), Timid()], threshold="fixed=0.5").ladders
    verdicts = {each.name: each.verdict for each in ladder.rungs}
    assert verdicts == {
        "as written": "worse",
        "threshold paper": "cannot tell",
        "threshold sd": "cannot tell",
        "threshold fixed(0)": "cannot tell",
    }
    assert ladder.verdict == "worse"
    assert ladder.sentence.endswith("which is another question")


def test_unequal_numbers_of_cases_by_dialogue_and_attack() -> None:
    """The difference is that of the means over attacks, also if attacks have different numbers of cases."""
    result = score_judge(
        [*cases(("speaker",), 20), *cases(("repetition",), 7)], ["overlap", "distinct"], threshold="sd"
    )
    (ladder,) = result.ladders
    both = [(result[name, "repetition"].value or 0.0) for name in ("overlap", "distinct")]
    # distinct judges naturalness and interest only, so both are compared on one attack.
    assert ladder.rungs[0].difference == pytest.approx(both[1] - both[0])
    assert ladder.rungs[0].n == 7


def test_one_judge_has_no_ladder() -> None:
    """The baselines are compared only if they are requested."""
    assert score_judge(CASES, [Oracle()]).ladders == []
    (ladder,) = score_judge(CASES, [Oracle(), "length"]).ladders
    assert (ladder.system, ladder.base, ladder.verdict) == ("length", Oracle().name, "worse")


def test_terminal_and_json(cli: Cli, tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", CASES)
    words = ("score", tmp_path / "cases.jsonl", "--judge", "overlap", "--judge", "distinct", "--quiet")
    (ladder,) = cli.json(*words)["ladder"]
    assert (ladder["system"], ladder["base"], ladder["verdict"]) == ("distinct", "overlap", "worse")
    text = cli("compare", *words[1:], "--out", tmp_path / "run", "-v").out
    assert open_run(tmp_path / "run").manifest["ladder"] == [ladder]
    assert text.startswith("WORSE: distinct is worse than overlap by ")
    assert text.index("threshold sd") < text.index("error rates in percent")


def test_agreement_with_people_is_the_later_judge_minus_the_first() -> None:
    for first, other, verdict in (("good", "bad", "worse"), ("bad", "good", "better")):
        result = judge_people(rated(), first=first, resamples=200)
        found = next(each for each in result.differences if (each.other, each.measure) == (other, "Pearson"))
        value = {name: result["Pearson", name, "overall"].value for name in (first, other)}
        assert found.difference == pytest.approx(value[other] - value[first])  # type: ignore[operator]
        assert found.verdict == verdict
        for limits in (found.ci, found.zou):
            assert limits is not None
            assert found.difference is not None
            assert limits[0] < found.difference < limits[1]
