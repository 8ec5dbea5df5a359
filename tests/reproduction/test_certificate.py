"""Judges against labels of people: the figures of invented pass and fail labels, and of published ratings.

Values agree to 1e-6, resampled limits to .02.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from dialmeter.judges.people.labels import LabelAgreement, label_settings
from dialmeter.judges.people.result import PeopleResult
from dialmeter.judges.people.study import judge_people
from dialmeter.stats.corrected import labels_needed, plain_rate, post_stratified, ppi, rogan_gladen
from dialmeter.stats.drift import flip_rate
from dialmeter.stats.labels import Clusters, LabelTable, compare_labels

from ..shared_data import shared

RESAMPLED = 0.02


@cache
def expected() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(shared("expected", "certificate.json").read_text("utf-8"))
    return loaded


def agreement(file: str, facet: str, judge: str, **settings: Any) -> LabelAgreement:
    people = scored(file, facet, (judge,), **settings)
    return people.labels[judge, facet]


def scored(file: str, facet: str, judges: tuple[str, ...], **settings: Any) -> PeopleResult:
    folder = ("data", "certificate") if file == "passfail" else ("data", "ratings")
    path = shared(*folder, f"{file}.jsonl.gz")
    return judge_people(path, carried=list(judges), facets=[facet], ci=0.95, labels=label_settings(settings))


def check_figures(found: LabelAgreement, wanted: dict[str, Any]) -> None:
    assert found.n == wanted["n"]
    assert found.clusters.count == wanted["clusters"]
    assert found.table == tuple(wanted["table"][name] for name in ("tn", "fp", "fn", "tp"))
    for name, figure in wanted["figures"].items():
        assert found.figures[name].value == pytest.approx(figure["value"], abs=1e-6), name
        if "ci95" in figure:
            assert found.figures[name].ci == pytest.approx(figure["ci95"], abs=RESAMPLED), name


VERDICTS: dict[str, tuple[tuple[str, ...], tuple[str, str, str], dict[str, Any]]] = {
    "strict": (("passfail", "strict"), ("passfail", "solved", "strict"), {}),
    "lenient": (("passfail", "lenient"), ("passfail", "solved", "lenient"), {}),
    "understandability": (
        ("topical_chat", "understandability"),
        ("topical_chat", "understandability", "unieval/understandability"),
        {"pass_if": "understandability >= 0.5", "judge_pass_if": "unieval/understandability >= 0.5"},
    ),
    "groundedness": (
        ("topical_chat", "groundedness"),
        ("topical_chat", "groundedness", "unieval/groundedness"),
        {"pass_if": "groundedness >= 0.5", "judge_pass_if": "unieval/groundedness >= 0.5"},
    ),
    "coherence": (
        ("fed_dialogue", "Consistent (real 0/1 ratings, majority of 5)", "gpt4/coh/1 >= 4", "agreement"),
        ("fed_dialogue", "Consistent", "gpt4/coh/1"),
        {"judge_pass_if": "gpt4/coh/1 >= 4"},
    ),
    "overall": (
        ("fed_dialogue", "Overall >= 3", "gpt4/ovr/1 >= 4", "agreement"),
        ("fed_dialogue", "Overall", "gpt4/ovr/1"),
        {"pass_if": "Overall >= 3", "judge_pass_if": "gpt4/ovr/1 >= 4"},
    ),
}


def at(path: tuple[str, ...]) -> Any:
    found = expected()
    for key in path:
        found = found[key]
    return found


@pytest.mark.parametrize(("path", "names", "settings"), VERDICTS.values(), ids=VERDICTS)
def test_table_and_figures(path: tuple[str, ...], names: tuple[str, str, str], settings: dict[str, Any]) -> None:
    check_figures(agreement(*names, **settings), at(path))


SCORES: dict[str, tuple[tuple[str, ...], tuple[str, str, str], dict[str, Any]]] = {
    "strict/p": (("passfail", "strict/p"), ("passfail", "solved", "strict/p"), {"probability": "strict/p"}),
    "unieval": (
        ("topical_chat", "groundedness", "score"),
        ("topical_chat", "groundedness", "unieval/groundedness"),
        {"pass_if": "groundedness >= 0.5", "probability": "unieval/groundedness"},
    ),
    "gpt4": (
        ("fed_dialogue", "Overall >= 3", "gpt4/ovr"),
        ("fed_dialogue", "Overall", "gpt4/ovr"),
        {"pass_if": "Overall >= 3"},
    ),
}


@pytest.mark.parametrize(("path", "names", "settings"), SCORES.values(), ids=SCORES)
def test_scores_and_threshold(path: tuple[str, ...], names: tuple[str, str, str], settings: dict[str, Any]) -> None:
    found, wanted = agreement(*names, **settings), at(path)
    for name in ("auroc", "average_precision"):
        assert found.figures[name].value == pytest.approx(wanted[name]["value"], abs=1e-6)
        assert found.figures[name].ci == pytest.approx(wanted[name]["ci95"], abs=RESAMPLED)
    threshold = found.threshold
    assert threshold is not None
    assert threshold.value == pytest.approx(wanted["threshold"]["threshold"], abs=1e-6)
    assert threshold.apparent == pytest.approx(wanted["threshold"]["apparent"], abs=1e-6)
    for name, figure in wanted["threshold"]["cross_validated"].items():
        assert threshold.honest[name].value == pytest.approx(figure["value"], abs=1e-6)
    assert threshold.table == tuple(wanted["threshold"]["cv_table"])
    if "calibration" not in wanted:
        assert found.calibration is None
        return
    own, calibrated = wanted["calibration"], found.calibration
    assert calibrated is not None
    assert calibrated.brier.value == pytest.approx(own["brier"], abs=1e-6)
    assert calibrated.skill == pytest.approx(own["brier_skill"], abs=1e-6)
    assert calibrated.bias.value == pytest.approx(own["mean_p_minus_rate"], abs=1e-6)
    assert calibrated.ece == pytest.approx(own["ece10"], abs=1e-6)
    assert calibrated.ece_null == pytest.approx((own["ece_null_mean"], own["ece_null_q95"]), abs=RESAMPLED)
    assert calibrated.ece_squared == pytest.approx(own["ece2_debiased"], abs=1e-6)
    assert [each.passed for each in calibrated.bins] == pytest.approx([each["pass"] for each in own["bins"]], abs=1e-6)


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_raters(judge: str) -> None:
    found, wanted = agreement("passfail", "solved", judge), at(("passfail", judge))
    assert found.ties == at(("passfail", "ties_left_out"))
    for test in found.alt_tests():
        own = wanted["alt_test"][f"{test.epsilon:g}"]
        assert [(each.rater, each.items) for each in test.raters] == [(r["rater"], r["items"]) for r in own["raters"]]
        assert [each.p for each in test.raters] == pytest.approx([each["p"] for each in own["raters"]], abs=1e-6)
        assert [each.advantage for each in test.raters] == pytest.approx(
            [r["advantage"] for r in own["raters"]], abs=1e-6
        )
        assert test.winning_rate == pytest.approx(own["winning_rate"], abs=1e-6)
    left_out = found.left_out
    assert left_out is not None
    for name, value in wanted["left_out"]["mean"].items():
        assert getattr(left_out, name) == pytest.approx(value, abs=1e-6)


def test_a_constant_judge_wins_the_alt_test_on_one_sided_labels() -> None:
    """So the alt-test is never shown without it."""
    found = agreement("fed_dialogue", "Consistent", "gpt4/coh/1", judge_pass_if="gpt4/coh/1 >= 4")
    wanted = at(("fed_dialogue", "alt_test Consistent by position, constant pass"))
    for test in found.alt_tests(constant=True):
        assert test.winning_rate == pytest.approx(wanted[f"{test.epsilon:g}"]["winning_rate"], abs=1e-6)
    assert found.agreement in ("no better", "cannot tell")


def rates(found: LabelAgreement, system: str) -> tuple[Any, Any, Clusters]:
    places = [place for place, own in enumerate(found.systems) if system in ("both", own)]
    return (
        found.all_values[places],
        found.all_labels[places],
        Clusters([found.all_clusters.keys[at] for at in places]),
    )


@pytest.mark.parametrize("system", ["A", "B", "both"])
@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_corrected_rates(judge: str, system: str) -> None:
    wanted = at(("passfail", "corrected", judge, system))
    values, labels, clusters = rates(agreement("passfail", "solved", judge), system)
    estimates = {
        "post_stratified": post_stratified(values, labels, clusters)[0],
        "ppi++": ppi(values, labels, clusters),
        "rogan_gladen": rogan_gladen(values, labels, clusters),
    }
    for name, rate in estimates.items():
        assert rate.value == pytest.approx(wanted[name]["value"], abs=1e-6), name
        assert rate.ci == pytest.approx(wanted[name]["ci95"], abs=1e-6), name
    assert estimates["ppi++"].weight == pytest.approx(wanted["ppi++"]["lambda"], abs=1e-6)
    known = ~np.isnan(labels)
    assert plain_rate(values[~known]).ci == pytest.approx(wanted["judge_only"]["ci95"], abs=1e-6)
    assert plain_rate(labels[known]).ci == pytest.approx(wanted["labels_only"]["ci95"], abs=1e-6)
    table = LabelTable.count(labels[known], values[known], np.ones(int(known.sum())))
    assert labels_needed(table, len(values), 0.05) == wanted["labels_needed_half_width_.05"]


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_difference_of_two_systems(judge: str) -> None:
    """Each system has its own error rates: common ones can double the bias."""
    found = agreement("passfail", "solved", judge, labels="random")
    wanted = at(("passfail", "corrected", judge, "A minus B", "post_stratified_by_task"))
    difference = found.corrected_difference("A", "B")
    assert difference is not None
    assert difference.value == pytest.approx(wanted["value"], abs=1e-6)
    assert difference.ci == pytest.approx(wanted["ci95"], abs=1e-6)
    assert agreement("passfail", "solved", judge).corrected() is None


def test_two_judges_on_the_same_labels() -> None:
    people = scored("passfail", "solved", ("strict", "lenient"))
    strict, lenient = (people.labels[name, "solved"] for name in ("strict", "lenient"))
    found = compare_labels(strict.labels, strict.values, lenient.values, strict.clusters)
    for name, each in found.items():
        wanted = at(("passfail", "strict minus lenient", name))
        assert each.difference == pytest.approx(wanted["difference"], abs=1e-6)
        assert each.ci == pytest.approx(wanted["ci95"], abs=RESAMPLED)
        assert each.p == pytest.approx(wanted["p_swap"], abs=RESAMPLED)


def test_repeats() -> None:
    people = scored("passfail", "solved", ("lenient/1", "lenient/2", "lenient/3"))
    values = np.array([list(each.verdicts.values()) for each in people.labels.values()])
    assert flip_rate(values) == pytest.approx(at(("passfail", "lenient repeats (all items)", "flip_rate")), abs=1e-6)


def test_drift_over_labelled_items() -> None:
    """The expected figures are those of the labelled items; without measured noise, flips cannot tell."""
    from dialmeter.stats.drift import drift

    people = scored("passfail", "solved", ("lenient/1", "lenient/2", "lenient", "strict"))
    for names, key, noise in (
        (("lenient/1", "lenient/2"), "drift lenient/1 to lenient/2", 0.122),
        (("lenient", "strict"), "drift lenient to strict", None),
    ):
        old, new = (people.labels[name, "solved"] for name in names)
        wanted = at(("passfail", key))
        found = drift(old.values, new.values, old.labels, old.clusters.keys, noise=noise)
        assert (found.fail_to_pass, found.pass_to_fail) == (wanted["fail_to_pass"], wanted["pass_to_fail"])
        assert found.p == pytest.approx(wanted["mcnemar_p"], abs=1e-6)
        assert found.verdict == wanted["verdict"]
        for each, name in zip(found.changes, ("pass_rate", "flips", "accuracy", "kappa"), strict=True):
            own = wanted.get(f"{name}_change", wanted["flips"])
            assert each.value == pytest.approx(own.get("value", own.get("difference")), abs=1e-5)
            assert each.ci == pytest.approx(own["ci95"], abs=RESAMPLED)
            assert each.verdict == ("cannot tell" if name == "flips" and noise is None else own["verdict"])
