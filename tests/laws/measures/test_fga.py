"""FGA with one lambda, and with one per domain: limits, and the definition at every turn."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter import InputError
from dialmeter.core.comparison import Resampling
from dialmeter.measure import parse
from dialmeter.model import Dialogue, Turn, domain_of
from dialmeter.tracking.measures.fga import FGA
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.vectors.measure_columns import variant_of

from ...scoring import score_tracker
from ..corpora import AS_WRITTEN, anything, corpora, law, scored, tallies_of
from .literal import Plain, fga_of_turns

LAMBDAS = ("0", "0.001", "0.25", "0.5", "1", "7", "inf")
LOCALS = ("paper", "code", "vector")


@pytest.mark.parametrize("local", LOCALS)
@given(corpus=anything)
@law
def test_rises_from_jga_to_local_matches(local: str, corpus: list[Dialogue]) -> None:
    forms = [f"FGA(lam={lam}, local={local})" for lam in LAMBDAS]
    jga, *flexible, matches = (
        score.value for score in scored(corpus, ["JGA", *forms, f"LocalAccuracy(local={local})"]).scores
    )
    rising = [value for value in (jga, *flexible, matches) if value is not None]
    assert rising == sorted(rising)
    assert flexible[0] == jga
    assert flexible[-1] == matches


@pytest.mark.parametrize("local", LOCALS)
@given(corpus=corpora(), lam=st.sampled_from((0.25, 0.5, 1.0)))
@law
def test_turns_by_text(local: str, corpus: list[Dialogue], lam: float) -> None:
    measure = parse(f"FGA(lam={lam}, local={local})")
    for each in corpus:
        turns = [(turn.number, dict(turn.gold or {}), dict(turn.pred or {})) for turn in each.turns]
        tallies = tallies_of(each, variant_of(measure).local)
        found = [measure.from_tally(tally)[0] for tally in tallies]
        assert found == pytest.approx(fga_of_turns(turns, lam, local), abs=1e-12)


@given(corpus=corpora())
@law
def test_corpus_value_is_mean(corpus: list[Dialogue]) -> None:
    per_turn = [
        value
        for each in corpus
        for value in fga_of_turns([(turn.number, turn.gold, turn.pred) for turn in each.turns], 0.5, "paper")  # type: ignore[misc]
    ]
    assert scored(corpus, ["FGA(lam=0.5)"]).value == pytest.approx(sum(per_turn) / len(per_turn), abs=1e-12)


def test_turn_number_gap() -> None:
    near = [(0, {"a": "1"}, {}), (1, {"a": "1"}, {})]
    far = [(0, {"a": "1"}, {}), (9, {"a": "1"}, {})]
    measure = parse("FGA(lam=0.5)")
    dialogues = [Dialogue("d", tuple(Turn(*turn) for turn in turns)) for turns in (near, far)]
    late = [measure.from_tally(tallies_of(each)[1])[0] for each in dialogues]
    assert late == pytest.approx([fga_of_turns(near, 0.5, "paper")[1], fga_of_turns(far, 0.5, "paper")[1]])
    assert late[0] < late[1]


lambdas = st.sampled_from((0.0, 0.001, 0.3, 0.5, 1.0, 7.0, math.inf))


@pytest.mark.parametrize("local", LOCALS)
@given(corpus=anything, lam=lambdas)
@law
def test_equal_lambdas_give_one_lambda_to_the_bit(local: str, corpus: list[Dialogue], lam: float) -> None:
    one = FGA(lam=lam, local=local)  # type: ignore[arg-type]
    for lams in ({"hotel": lam, "taxi": lam}, {"taxi": lam, "other": lam}, {"other": lam}):
        several = FGA(lam=lams, local=local)  # type: ignore[arg-type]
        scorer = TrackerScorer([one, several], by=["domain", "slot", "without-domain"])
        for each in corpus:
            scorer.add_dialogue(each)
        result = scorer.result(resampling=Resampling(resamples=100))
        assert result.scores[0].value == result.scores[1].value
        assert result.scores[0].ci == result.scores[1].ci
        for group in ("domain", "slot", "without-domain", "turn"):
            values = [(score.group, score.value) for score in result.by(group)]
            assert values[: len(values) // 2] == values[len(values) // 2 :]
        assert result.measure_columns.per_dialogue(one) == result.measure_columns.per_dialogue(several)


@given(corpus=anything, hotel=lambdas, taxi=lambdas)
@law
def test_lies_between_the_smallest_and_the_largest_lambda(corpus: list[Dialogue], hotel: float, taxi: float) -> None:
    forms = [FGA(lam=min(hotel, taxi)), FGA(lam={"hotel": hotel, "taxi": taxi}), FGA(lam=max(hotel, taxi))]
    values = [score.value for score in scored(corpus, forms).scores if score.value is not None]
    assert values == sorted(values)


def by_domain(turns: list[tuple[int, Plain, Plain]], lams: dict[str, float], local: str) -> list[float]:
    """Of every turn: the value under the smallest lambda of the domains in which the states differ."""
    of_lam = {lam: fga_of_turns(turns, lam, local) for lam in lams.values()}
    found = []
    for place, (_, gold, pred) in enumerate(turns):
        wrong = {domain_of(slot) for slot in {*gold, *pred} if gold.get(slot) != pred.get(slot)}
        found.append(of_lam[min(lams[domain] for domain in wrong)][place] if wrong else 1.0)
    return found


@pytest.mark.parametrize("local", LOCALS)
@given(corpus=corpora(), hotel=st.sampled_from((0.25, 1.0)), taxi=st.sampled_from((0.25, 0.5)))
@law
def test_every_turn_by_domain(local: str, corpus: list[Dialogue], hotel: float, taxi: float) -> None:
    lams = {"hotel": hotel, "taxi": taxi}
    expected = [
        sum(by_domain([(turn.number, turn.gold, turn.pred) for turn in each.turns], lams, local)) / len(each.turns)  # type: ignore[misc]
        for each in corpus
    ]
    measure = FGA(lam=lams, local=local)  # type: ignore[arg-type]
    result = scored(corpus, [measure], AS_WRITTEN)
    assert result.measure_columns.per_dialogue(measure) == pytest.approx(expected, abs=1e-12)


GOLD = [
    {"hotel-area": "e"},
    {"hotel-area": "e", "train-day": "mo"},
    {"hotel-area": "e", "train-day": "mo", "bus-to": "x"},
]
HOTEL_WRONG = [{**state, "hotel-area": "w"} for state in GOLD]
BOTH_WRONG = [{**state, **({"train-day": "tu"} if "train-day" in state else {})} for state in HOTEL_WRONG]


def test_by_hand() -> None:
    measures = ["FGA(lam={train: 0, other: 0.5})", "FGA(lam={train: inf, other: 0.5})"]
    hotel = score_tracker([GOLD], [HOTEL_WRONG], measures)
    both = score_tracker([GOLD], [BOTH_WRONG], measures)
    forgiven = [1 - math.exp(-0.5), 1 - math.exp(-1)]
    # The train is right, so its lambda does not count.
    assert hotel.scores[0].value == hotel.scores[1].value == pytest.approx(sum(forgiven) / 3)
    # Wrong in both: the smaller lambda counts, and the turns since the last mistake, which is that of the train.
    assert both.scores[0].value == 0
    assert both.scores[1].value == pytest.approx(forgiven[0] / 3)


def test_a_domain_without_a_lambda_is_an_error() -> None:
    with pytest.raises(
        InputError, match=r"dialogue 0, turn 0, slot hotel-area: lam has no lambda for the domain 'hotel'; add"
    ):
        score_tracker([GOLD], [GOLD], ["FGA(lam={train: 0})"])
    with pytest.raises(InputError, match="no lambda for the domain ''"):
        score_tracker([[{"area": "e"}]], [[{"area": "e"}]], ["FGA(lam={train: 0})"])
    assert score_tracker([[{"area": "e"}]], [[{"area": "e"}]], ["FGA(lam={other: 0})"]).value == 1


def test_a_misspelt_domain_is_a_warning() -> None:
    result = score_tracker([GOLD], [GOLD], ["FGA(lam={trian: 0, hotel: 1, other: 1})"])
    [notice] = [each for each in result.notices if each.code == "fga-domains"]
    assert notice.message == "lam of FGA has domains that are not in gold: trian; did you mean train?"


def test_identity() -> None:
    measure = FGA(lam={"train": 0, "hotel": 0.5})
    assert repr(measure) == "FGA(lam={hotel: 0.5, train: 0})"
    assert parse(repr(measure)) == measure == FGA(lam={"hotel": 0.5, "train": 0.0})
    assert len({measure, parse(repr(measure)), FGA(lam=0.5)}) == 2
    assert pickle.loads(pickle.dumps(measure)) == measure
    result = score_tracker([GOLD], [GOLD], [FGA(lam={"train": 0, "other": 0.5})], rules="fga-repo")
    assert result.signature.startswith("FGA(lam={train: 0, other: 0.5})|rules:fga-repo|")
    assert "|local:code|" in result.signature


def test_other_settings_do_not_change_with_the_dict_that_was_given() -> None:
    lams = {"train": 0.0}
    measure = FGA(lam=lams)
    lams["train"] = 1.0
    assert repr(measure) == "FGA(lam={train: 0})"
