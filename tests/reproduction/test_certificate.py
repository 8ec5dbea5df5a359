"""Judges against labels of people: the figures of invented pass and fail labels, and of published ratings.

Values agree to 1e-6, resampled limits to .02.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins

from dialmeter.judges.people.certificate import Certificate, make_certificate, parse_gate, seal_of
from dialmeter.judges.people.columns import column_from_scores
from dialmeter.judges.people.labels import ClassAgreement, LabelAgreement, label_settings
from dialmeter.judges.people.reliability import length_preference, repeats
from dialmeter.judges.people.result import PeopleResult
from dialmeter.judges.people.study import judge_people
from dialmeter.readers.ratings.open_ratings import open_ratings
from dialmeter.stats.corrected import labels_needed, plain_rate, post_stratified, ppi, rogan_gladen
from dialmeter.stats.drift import drift, flip_rate
from dialmeter.stats.labels import Clusters, LabelTable, alt_test, compare_labels

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
    own = label_settings(settings)
    return judge_people(path, carried=list(judges), facets=[facet], ci=0.95, labels=own, first=judges[0])


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
        if "se" in wanted[name]:
            assert (rate.degrees, rate.error) == (wanted[name]["df"], pytest.approx(wanted[name]["se"], abs=1e-6)), name
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


@pytest.mark.parametrize(("path", "names", "settings"), VERDICTS.values(), ids=VERDICTS)
def test_effective_numbers_of_items(path: tuple[str, ...], names: tuple[str, str, str], settings: dict[str, Any]) -> None:  # fmt: skip
    found = agreement(*names, **settings)
    for name, figure in at(path)["figures"].items():
        if figure.get("method") == "wilson":
            assert found.figures[name].n == pytest.approx(figure["n_eff"], abs=1e-6), name
            assert found.figures[name].ci == pytest.approx(figure["ci95"], abs=1e-6), name


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_ties_and_alpha_of_raters(judge: str) -> None:
    found = agreement("passfail", "solved", judge)
    assert found.accuracy_with_ties == pytest.approx(at(("passfail", judge, "accuracy_if_ties_wrong_right")), abs=1e-6)
    certificate = certified("passfail", "solved", judge)
    assert certificate.raters.alpha == pytest.approx(at(("passfail", "raters_alpha_nominal")), abs=1e-6)


ALPHAS: dict[str, tuple[tuple[str, ...], tuple[str, str, str], dict[str, Any]]] = {
    "fed 0/1": (("fed_dialogue", "Consistent (real 0/1 ratings, majority of 5)"), VERDICTS["coherence"][1], {}),
    "fed": (("fed_dialogue", "Overall >= 3"), VERDICTS["overall"][1], {"pass_if": "Overall >= 3"}),
    "grade": (("grade_convai2",), ("grade_convai2", "coherence", "ruber"), {"pass_if": "coherence >= 4"}),
}


@pytest.mark.parametrize(("path", "names", "settings"), ALPHAS.values(), ids=ALPHAS)
def test_alpha_of_raters(path: tuple[str, ...], names: tuple[str, str, str], settings: dict[str, Any]) -> None:
    certificate = certified(*names, **settings)
    assert certificate.raters.alpha == pytest.approx(at((*path, "raters_alpha_nominal")), abs=1e-6)
    assert certificate.data.ties == at((*path, "ties_left_out"))


def certified(file: str, facet: str, judge: str, *gates: str, **settings: Any) -> Certificate:
    people = scored(file, facet, (judge,), **settings)
    return make_certificate(people, people.labels[judge, facet], None, [parse_gate(each) for each in gates])


def test_example_certificate() -> None:
    """Canonical JSON and the seal, then the same digests and figures in a whole certificate."""
    wanted = at(("passfail", "example_certificate"))
    assert seal_of(wanted) == wanted["sha256"]
    gates = at(("passfail", "gates_strict"))
    found = certified("passfail", "solved", "strict", *(each["condition"] for each in gates))
    assert found.certificate == wanted["certificate"]
    assert found.judge == wanted["judge"]
    assert (found.data.labels, found.data.verdicts) == (wanted["data"]["labels"], wanted["data"]["verdicts"])
    assert (found.data.labels, found.data.labelled) == (at(("passfail", "digest_labels")), at(("passfail", "labelled")))
    assert found.data.verdicts == at(("passfail", "digest_verdicts_strict"))
    for name, figure in wanted["figures"].items():
        assert found.figures[name].value == figure["value"]
        assert found.figures[name].ci95 == pytest.approx(figure["ci95"], abs=RESAMPLED)
    assert to_builtins(found.gates) == gates


LENGTHS = {
    ("passfail", "partial Spearman length | people, lenient"): ("passfail", "solved", "lenient", {}),
    ("passfail", "partial Spearman length | people, strict/p"): ("passfail", "solved", "strict/p", {}),
    ("fed_dialogue", "partial Spearman length | Overall, gpt4/ovr"): (
        "fed_dialogue", "Overall", "gpt4/ovr", {"pass_if": "Overall >= 3"},
    ),
    ("topical_chat", "groundedness", "partial Spearman length | overall, unieval/overall"): (
        "topical_chat", "overall", "unieval/overall", {"pass_if": "overall >= 3"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("path", "names"), LENGTHS.items(), ids=lambda each: each[-1] if "|" in str(each[-1]) else "")
def test_preference_for_length(path: tuple[str, ...], names: tuple[str, str, str, dict[str, Any]]) -> None:
    file, facet, judge, settings = names
    people = scored(file, facet, (judge,), **settings)
    found = length_preference(people, people.labels[judge, facet], people.column(judge))
    assert found.value == pytest.approx(at(path)["value"], abs=1e-6)
    assert found.ci == pytest.approx(at(path)["ci95"], abs=RESAMPLED)


REPEATED = {
    ("passfail", "lenient repeats (all items)"): ("passfail", "solved", "lenient", {}),
    ("fed_dialogue", "repeats gpt4/ovr/1..5 >= 4"): (
        "fed_dialogue", "Overall", "gpt4/ovr", {"pass_if": "Overall >= 3", "judge_pass_if": "gpt4/ovr >= 4"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("path", "names"), REPEATED.items(), ids=["passfail", "fed"])
def test_repeats_of_a_judge(path: tuple[str, ...], names: tuple[str, str, str, dict[str, Any]]) -> None:
    file, facet, judge, settings = names
    people = scored(file, facet, (judge,), **settings)
    found, wanted = repeats(people, people.labels[judge, facet]), at(path)
    assert {name: each.value for name, each in found.items()} == pytest.approx(
        {"flip_rate": wanted["flip_rate"], "not_unanimous": wanted["not_unanimous"], "repeats_alpha": wanted["alpha"]},
        abs=1e-6,
    )
    assert found["not_unanimous"].ci == pytest.approx(wanted["not_unanimous_ci95"], abs=1e-6)


FED_DRIFT = {
    "drift gpt4/ovr/1 to /2": ("gpt4/ovr/2", 4, 0.168),
    "drift gpt4/ovr/1 >= 4 to >= 3": ("gpt4/ovr/1", 3, None),
}


@pytest.mark.parametrize(("key", "new"), FED_DRIFT.items())
def test_drift_of_gpt4(key: str, new: tuple[str, int, float | None]) -> None:
    wanted, (judge, least, noise) = at(("fed_dialogue", key)), new
    sides = [
        agreement("fed_dialogue", "Overall", name, pass_if="Overall >= 3", judge_pass_if=f"{name} >= {limit}")
        for name, limit in (("gpt4/ovr/1", 4), (judge, least))
    ]
    found = drift(sides[0].values, sides[1].values, sides[0].labels, sides[0].clusters.keys, noise=noise)
    assert (found.n, found.fail_to_pass, found.pass_to_fail, found.verdict) == tuple(
        wanted[name] for name in ("n", "fail_to_pass", "pass_to_fail", "verdict")
    )
    assert found.p == pytest.approx(wanted["mcnemar_p"], abs=1e-6)
    for each, name in zip(found.changes, ("pass_rate_change", "flips", "accuracy_change", "kappa_change"), strict=True):
        own = wanted[name]
        assert each.value == pytest.approx(own.get("value", own.get("difference")), abs=1e-6)
        assert each.ci == pytest.approx(own["ci95"], abs=RESAMPLED)
        assert each.ci90 == pytest.approx(own["ci90"], abs=RESAMPLED)
        assert each.verdict == ("cannot tell" if name == "flips" and noise is None else own["verdict"])
        if "p_swap" in own:
            assert found.differences[each.name].p == pytest.approx(own["p_swap"], abs=RESAMPLED)


PAIRS = {
    ("passfail", "strict minus lenient"): ("passfail", "solved", ("strict", "lenient"), {}),
    **{
        ("topical_chat", facet, f"unieval/{facet} minus unieval/coherence, both >= .5"): (
            "topical_chat", facet, (f"unieval/{facet}", "unieval/coherence"), {"pass_if": f"{facet} >= 0.5"},
        )
        for facet in ("understandability", "groundedness")
    },
}  # fmt: skip


@pytest.mark.parametrize(("path", "names"), PAIRS.items(), ids=["passfail", "understandability", "groundedness"])
def test_errors_of_two_judges(path: tuple[str, ...], names: tuple[str, str, tuple[str, str], dict[str, Any]]) -> None:
    file, facet, judges, settings = names
    least = {"judge_pass_if": [f"{each} >= 0.5" for each in judges]}
    people = scored(file, facet, judges, **settings, **least)
    one, two = (people.labels[judge, facet] for judge in judges)
    found = drift(two.values, one.values, one.labels, one.clusters.keys, noise=None)
    wanted = at(path)
    assert found.only_right == (wanted["only_second_right"], wanted["only_first_right"])
    assert found.p_right == pytest.approx(wanted["mcnemar_p"], abs=1e-6)
    for name, each in found.differences.items():
        assert each.difference == pytest.approx(wanted[name]["difference"], abs=1e-6)
        assert (each.ci, each.ci90) == (
            pytest.approx(wanted[name]["ci95"], abs=RESAMPLED), pytest.approx(wanted[name]["ci90"], abs=RESAMPLED),
        )  # fmt: skip
        assert each.p == pytest.approx(wanted[name]["p_swap"], abs=RESAMPLED)


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_errors_differ_by_system(judge: str) -> None:
    found = agreement("passfail", "solved", judge)
    wanted = at(("passfail", "corrected", judge, "A minus B"))
    own = wanted["errors_differ_by_system"] if "errors_differ_by_system" in wanted else at(
        ("passfail", "corrected", judge, "errors_differ_by_system")
    )  # fmt: skip
    tests = found.errors_by_system("A", "B")
    assert tests["fail"] == pytest.approx(own["fisher_p_among_fail"], abs=1e-6)
    assert tests["pass"] == pytest.approx(own["fisher_p_among_pass"], abs=1e-6)
    for system in "AB":
        table = found.of_system(system)
        assert float(table.tn / (table.tn + table.fp)) == pytest.approx(own["specificity"][system], abs=1e-6)
        assert float(table.tp / (table.tp + table.fn)) == pytest.approx(own["sensitivity"][system], abs=1e-6)


@pytest.mark.parametrize("facet", ["understandability", "groundedness"])
def test_corrected_rates_of_some_contexts(facet: str) -> None:
    """Contexts of three folds are labelled; the others are judged only."""
    names, settings = VERDICTS[facet][1:]
    found, wanted = agreement(*names, **settings), at(("topical_chat", facet, "corrected, contexts with fold < 3 labelled"))  # fmt: skip
    labels = np.where(found.all_clusters.folds < 3, found.all_labels, np.nan)
    known = ~np.isnan(labels)
    assert (int(known.sum()), len(labels) - int(known.sum())) == (wanted["labels"], wanted["judged"])
    for name, rate in (
        ("post_stratified", post_stratified(found.all_values, labels, found.all_clusters)[0]),
        ("ppi++", ppi(found.all_values, labels, found.all_clusters)),
        ("rogan_gladen", rogan_gladen(found.all_values, labels, found.all_clusters)),
    ):
        assert rate.value == pytest.approx(wanted[name]["value"], abs=1e-6), name
        assert rate.ci == pytest.approx(wanted[name]["ci95"], abs=1e-6), name
        if "df" in wanted[name]:
            assert (rate.degrees, rate.error) == (wanted[name]["df"], pytest.approx(wanted[name]["se"], abs=1e-6))


GRADE = ("grade_convai2", "coherence")


def test_ruber_and_length_on_grade() -> None:
    for judge in ("ruber", "length"):
        found, wanted = agreement(*GRADE, judge, pass_if="coherence >= 4"), at(("grade_convai2", judge))
        assert found.n == wanted["n"]
        assert found.figures["auroc"].value == pytest.approx(wanted["auroc"]["value"], abs=1e-6)
        assert found.figures["average_precision"].value == pytest.approx(wanted["average_precision"]["value"], abs=1e-6)
        check_threshold(found, wanted["threshold"])
    verdicts = agreement(*GRADE, "ruber", pass_if="coherence >= 4", judge_pass_if="ruber >= 0.5")
    wanted = at(("grade_convai2", "ruber >= .5"))
    check_figures(verdicts, wanted["agreement"])
    for name, value in wanted["left_out_by_position"].items():
        assert getattr(verdicts.left_out, name) == pytest.approx(value, abs=1e-6)


def check_threshold(found: LabelAgreement, wanted: dict[str, Any]) -> None:
    threshold = found.threshold
    assert threshold is not None
    assert threshold.value == pytest.approx(wanted["threshold"], abs=1e-6)
    assert threshold.ci == pytest.approx(wanted["threshold_ci95"], abs=RESAMPLED)
    assert threshold.apparent == pytest.approx(wanted["apparent"], abs=1e-6)
    assert threshold.table == tuple(wanted["cv_table"])
    for name, figure in wanted["cross_validated"].items():
        assert threshold.honest[name].value == pytest.approx(figure["value"], abs=1e-6)
        assert threshold.honest[name].ci == pytest.approx(figure["ci95"], abs=RESAMPLED)


@pytest.mark.parametrize(("path", "names", "settings"), SCORES.values(), ids=SCORES)
def test_whole_threshold_and_calibration(path: tuple[str, ...], names: tuple[str, str, str], settings: dict[str, Any]) -> None:  # fmt: skip
    found, wanted = agreement(*names, **settings), at(path)
    check_threshold(found, wanted["threshold"])
    if found.calibration is None:
        return
    own, calibrated = wanted["calibration"], found.calibration
    assert calibrated.brier.ci == pytest.approx(own["brier_ci95"], abs=RESAMPLED)
    assert calibrated.bias.ci == pytest.approx(own["mean_p_minus_rate_ci95"], abs=RESAMPLED)
    assert calibrated.brier_constant == pytest.approx(own["brier_constant"], abs=1e-6)
    assert calibrated.ece_p == pytest.approx(own["ece_p"], abs=RESAMPLED)
    for each, tenth in zip(calibrated.bins, own["bins"], strict=True):
        assert (each.n, each.mean_p, each.passed, each.ci) == (
            tenth["n"], pytest.approx(tenth["mean_p"], abs=1e-6), pytest.approx(tenth["pass"], abs=1e-6),
            pytest.approx(tenth["ci95"], abs=1e-6),
        )  # fmt: skip


ALT_TESTS = {
    "strict": (("passfail", "strict", "alt_test"), VERDICTS["strict"], False),
    "constant": (("passfail", "constant pass", "alt_test"), VERDICTS["strict"], True),
    "overall": (("fed_dialogue", "alt_test Overall >= 3 by position, gpt4/ovr/1 >= 4"), VERDICTS["overall"], False),
    "coherence": (("fed_dialogue", "alt_test Consistent by position, gpt4/coh/1 >= 4"), VERDICTS["coherence"], False),
    "one-sided": (("fed_dialogue", "alt_test Consistent by position, constant pass"), VERDICTS["coherence"], True),
}


@pytest.mark.parametrize(("path", "case", "constant"), ALT_TESTS.values(), ids=ALT_TESTS)
def test_every_alt_test(path: tuple[str, ...], case: Any, constant: bool) -> None:
    _, names, settings = case
    for test in agreement(*names, **settings).alt_tests(constant=constant):
        wanted = at((*path, f"{test.epsilon:g}"))
        assert [(each.items, each.advantage, each.p) for each in test.raters] == [
            (own["items"], pytest.approx(own["advantage"], abs=1e-6), pytest.approx(own["p"], abs=1e-6)) for own in wanted["raters"]
        ]  # fmt: skip
        assert (test.winning_rate, test.advantage) == (
            pytest.approx(wanted["winning_rate"], abs=1e-6), pytest.approx(wanted["advantage"], abs=1e-6),
        )  # fmt: skip


def test_ordered_classes() -> None:
    """Coherence as median of five, and the answers 1 to 5 of a model as three classes."""
    items = open_ratings(shared("data", "ratings", "fed_dialogue.jsonl.gz"))
    found = ClassAgreement(
        items, "Coherent",
        column_from_scores("gpt4", [max(0.0, each.scores["gpt4/coh/1"] - 2) // 1 if each.scores["gpt4/coh/1"] < 4 else 2.0 for each in items.items]),
    )  # fmt: skip
    wanted = at(("fed_dialogue", "ordinal Coherent (median of 5) ~ gpt4/coh/1 (1-2:0, 3:1, 4-5:2)"))
    assert found.n == wanted["n"]
    assert found.figures.keys() == wanted["figures"].keys()
    for name, figure in wanted["figures"].items():
        assert found.figures[name].value == pytest.approx(figure["value"], abs=1e-6), name
        assert found.figures[name].ci == pytest.approx(figure["ci95"], abs=RESAMPLED), name


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_alt_test_of_independent_items(judge: str) -> None:
    found = agreement("passfail", "solved", judge)
    wanted = at(("passfail", judge, "alt_test_items_independent", "0.1"))
    rated = [(place, verdict) for place, name in enumerate(ids()) if (verdict := found.verdicts.get(name)) is not None]
    test = alt_test(
        [found.source.raters[place] for place, _ in rated], [verdict for _, verdict in rated], [str(place) for place, _ in rated], 0.1
    )  # fmt: skip
    assert [each.p for each in test.raters] == pytest.approx([each["p"] for each in wanted["raters"]], abs=1e-6)
    assert test.winning_rate == pytest.approx(wanted["winning_rate"], abs=1e-6)


def ids() -> list[str]:
    return [each.id for each in open_ratings(shared("data", "certificate", "passfail.jsonl.gz")).items]


@pytest.mark.parametrize("judge", ["strict", "lenient"])
def test_common_error_rates_mislead(judge: str) -> None:
    """Equal systems in truth differ by .02; the judge alone and common error rates say much more."""
    wanted = at(("passfail", "corrected", judge, "A minus B"))
    found = agreement("passfail", "solved", judge)
    one, two = (rogan_gladen(*rates(found, system)) for system in "AB")
    assert one.value is not None
    assert two.value is not None
    assert one.value - two.value == pytest.approx(wanted["rogan_gladen_per_system"], abs=1e-6)
    unlabelled = np.isnan(found.all_labels)
    judged = [found.all_values[unlabelled & (np.array(found.systems) == system)].mean() for system in "AB"]
    assert judged[0] - judged[1] == pytest.approx(wanted["judge_only"], abs=1e-6)
    common = (judged[0] - judged[1]) / found.figures["youden"].value
    assert common == pytest.approx(wanted["rogan_gladen_pooled_rates"], abs=1e-6)
