"""Thresholds, verdicts, error rates, and the results that are computed from them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from dialmeter.errors import DialmeterError
from dialmeter.judges.ask import ScorePair
from dialmeter.judges.builtin.surface import Constant, Length
from dialmeter.judges.cases import Threshold, conforms, expected_of, parse_threshold, relation
from dialmeter.judges.judge import Item
from dialmeter.judges.matrix import OUTSIDE
from dialmeter.judges.scorer import score_judge
from dialmeter.views.judge import matrix_tables

from .made import ATTACKS, Flipped, Oracle, case, cases


def test_the_paper_threshold_shrinks_with_n_and_a_share_of_the_deviation_does_not() -> None:
    few, many = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0] * 25
    paper, share = Threshold("paper", 0.05), Threshold("sd", 0.5)
    assert paper.value(many) < paper.value(few) / 5  # type: ignore[operator]
    assert share.value(many) == pytest.approx(share.value(few), abs=1e-12)


@pytest.mark.parametrize(
    ("threshold", "human", "noise", "value"),
    [
        (Threshold("noise", 0.95), [], [0.0] * 99 + [1.0], 0.0),
        (Threshold("noise", 0.5), [], [1.0, 2.0, 3.0], 2.0),
        (Threshold("noise", 0.5), [1.0, 2.0], [], None),
        (Threshold("paper", 0.05), [1.0], [], None),
        (Threshold("sd", 0.5), [1.0], [], None),
        (Threshold("fixed", 0.5), [1.0], [], 0.5),
        (Threshold("paper", 0.05), [0.1] * 7, [], 0.0),
    ],
)
def test_thresholds(threshold: Threshold, human: list[float], noise: list[float], value: float | None) -> None:
    assert threshold.value(human, noise) == value


@pytest.mark.parametrize("text", ["papper", "sd=x", "sd=-1", "noise=1.5", "fixed", "fixed=nan", "paper=0", ""])
def test_invalid_thresholds(text: str) -> None:
    with pytest.raises(DialmeterError, match="threshold"):
        parse_threshold(text)


@pytest.mark.parametrize(
    ("difference", "found"), [(0.5, "similar"), (-0.5, "similar"), (0.5000001, "higher"), (-0.5000001, "lower")]
)
def test_only_more_than_the_threshold_counts(difference: float, found: str) -> None:
    assert relation(difference, 0.5) == found


@pytest.mark.parametrize(
    ("expected", "fine"), [("lower", {"higher"}), ("similar", {"similar"}), ("at-most", {"higher", "similar"})]
)
def test_conforming_relations(expected: str, fine: set[str]) -> None:
    assert {each for each in ("higher", "similar", "lower") if conforms(each, expected)} == fine  # type: ignore[arg-type]


def test_entrainment_as_published() -> None:
    attacked = case("entrainment", 1)
    assert (expected_of(attacked), expected_of(attacked, "published")) == ("at-most", "lower")
    assert expected_of(case("vocabulary", 1), "published") == "at-most"
    with pytest.raises(DialmeterError, match="expected is 'better'"):
        expected_of(replace(attacked, expected="better"))


def test_oracle_and_inverted_judge() -> None:
    turned = Flipped()
    turned.name, turned.higher_is_better = "turned", False
    result = score_judge(cases(), [Oracle(), Flipped(), turned])
    for attack in ATTACKS:
        assert result["oracle", attack].value == result["turned", attack].value == 0.0
    assert [notice.code for notice in result.notices] == ["flipped-sign"]
    assert result.notices[0].where == ("contradiction", "dullness", "pronoun", "repetition", "speaker")
    assert result["flipped", "speaker"].value == 1.0


def test_the_trivial_judges_are_added() -> None:
    result = score_judge(cases(), ["overlap"])
    assert [judge.name for judge in result.judges] == ["overlap", "constant", "random", "length"]
    by_expectation = {(cell.expected, cell.value) for cell in result.scores if cell.judge == "constant"}
    assert by_expectation == {("lower", 1.0), ("similar", 0.0), ("at-most", 0.0)}


def test_a_constant_judge_is_degenerate_and_excluded() -> None:
    class Same(Constant):
        name = "same"

    result = score_judge(cases(), [Same(), Oracle()])
    assert [notice.code for notice in result.notices] == ["degenerate"]
    assert result["same", "speaker"].degenerate
    assert result["same", "speaker"].value == 1.0
    assert {average.value for average in result.averages if average.judge == "same"} == {None}
    assert {row.judge for row in result.comparisons} == {"oracle"}
    assert "same" not in {row.other for row in result.comparisons}


def test_shares_and_differences_by_hand() -> None:
    made = [case("speaker", number) for number in range(4)]
    pairs = [ScorePair(1.0, 0.0), ScorePair(1.0, 0.9), ScorePair(0.0, 1.0), ScorePair(2.0, 0.0)]
    cell = score_judge(made, [], scores={"mine": pairs}, threshold="fixed=0.5")["mine", "speaker"]
    assert (cell.higher, cell.similar, cell.lower, cell.value, cell.n) == (0.5, 0.25, 0.25, 0.5, 4)
    assert cell.difference == pytest.approx((1 + 0.1 - 1 + 2) / 4)
    assert cell.ci == pytest.approx((0.15003, 0.84997), abs=1e-5)
    assert cell.threshold == 0.5


def test_cells_outside_a_judges_facets_are_empty() -> None:
    class Narrow(Oracle):
        facets = frozenset({"naturalness"})

    result = score_judge(cases(), [Narrow()])
    assert (result["oracle", "speaker"].value, result["oracle", "speaker"].reason) == (None, OUTSIDE)
    assert result["oracle", "repetition"].value == 0.0
    shown = {average.facet: average.value for average in result.averages if average.judge == "oracle"}
    assert shown == {"coherence": None, "naturalness": 0.0, "interest": None, "overall": 0.0}


def test_comparisons_are_paired_and_corrected() -> None:
    result = score_judge(cases(("speaker", "pronoun")), [Oracle(), Length()])
    found = {(row.attack, row.other): row for row in result.comparisons}
    speaker = found["speaker", "length"]
    assert (speaker.judge, speaker.n, speaker.only_judge, speaker.only_other) == ("oracle", 12, 12, 0)
    assert speaker.p == pytest.approx(2 / 2**12)
    assert speaker.p_holm == pytest.approx(4 * speaker.p)


def test_noise_comes_from_the_control() -> None:
    class Noisy(Length):
        name, turn = "noisy", 0.0

        def score(self, items: Sequence[Item]) -> Sequence[float]:
            self.turn += 1
            return [len(reply) / 100 + 0.1 * (number % 2) for number, (_, reply) in enumerate(items)]

    control = [case("identical", number, reply="yes", adversarial="yes") for number in range(6)]
    result = score_judge([*control, *cases(("speaker",))], [Noisy()], threshold="noise")
    assert result["noisy", "speaker"].threshold == pytest.approx(0.1)
    without = score_judge(cases(("speaker",)), [Noisy()], threshold="noise")["noisy", "speaker"]
    assert without.reason == "the noise of the judge is unknown: add cases of the attack identical"


def test_verdict_rules_and_threshold_stand_in_the_signature() -> None:
    made = cases(("entrainment",))
    paper = score_judge(made, ["overlap"])["overlap", "entrainment"]
    published = score_judge(made, ["overlap"], verdict="published", threshold="sd")["overlap", "entrainment"]
    assert (paper.expected, published.expected) == ("at-most", "lower")
    assert "|expected:at-most|threshold:paper|verdict:paper|n:12|data:" in paper.signature
    assert "|expected:lower|threshold:sd|verdict:published|" in published.signature


def test_corpora_are_scored_separately() -> None:
    result = score_judge([*cases(("speaker",)), *cases(("speaker",), corpus="other")], [Oracle()])
    assert [(cell.corpus, cell.n) for cell in result.scores if cell.judge == "oracle"] == [("town", 12), ("other", 12)]


def test_failing_cases_come_with_the_clearest_first() -> None:
    made = [case("speaker", number) for number in range(3)] + [replace(case("co-reference", 3))]
    pairs = [ScorePair(1.0, 1.0), ScorePair(0.0, 5.0), ScorePair(9.0, 0.0), ScorePair(0.0, 7.0)]
    result = score_judge(made, [], scores={"mine": pairs}, threshold="fixed=0.5")
    assert result.failing("mine") == [3, 1, 0]
    assert result.failing("mine", "speaker") == [1, 0]


@pytest.mark.parametrize(
    ("judges", "message"), [([], "name at least one judge"), (["length", "length"], "duplicate judge name length")]
)
def test_invalid_settings_are_rejected(judges: list[str], message: str) -> None:
    with pytest.raises(DialmeterError, match=message):
        score_judge(cases(), judges)


def test_a_table_with_intervals() -> None:
    result = score_judge(cases(("speaker",), 12), {"oracle": Oracle()})
    [plain], [ends] = matrix_tables(result), matrix_tables(result, intervals=True)
    assert plain.rows[0][3] == "0.0"
    assert ends.rows[0][3] == "0.0 [0, 24]"
