"""The published pictures of a user: nine files, whose counts are those of the events and patterns."""

from __future__ import annotations

from collections import Counter

import pytest

from dialmeter.readers.conversations import open_conversations
from dialmeter.users.behaviours import ALL
from dialmeter.users.record import UserRow, row_of
from dialmeter.users.scorer import UserScorer
from dialmeter.values.maps import ValueMap
from dialmeter.views.user_charts import NOT_IN_GOAL, REPETITIONS, REQUESTED_AGAIN, Tally, user_charts

from ..shared_data import shared


@pytest.mark.parametrize(
    ("labels", "family"), [(REPETITIONS, "repetition"), (NOT_IN_GOAL, "not_in_goal"), (REQUESTED_AGAIN, "request")]
)
def test_labels_stand_for_classes_that_exist(labels: dict[str, tuple[str, ...]], family: str) -> None:
    known = {each.name for each in ALL if each.family == family}
    named = [name for names in labels.values() for name in names]
    assert set(named) <= known
    assert len(named) == len(set(named))


def test_no_behaviour_is_left_out_of_the_pictures() -> None:
    shown = {
        "repetition": {name for names in REPETITIONS.values() for name in names},
        "not_in_goal": {name for names in NOT_IN_GOAL.values() for name in names},
    }
    for each in ALL:
        if each.family in shown and each.owner != "log":
            assert each.name in shown[each.family]


@pytest.fixture(scope="module")
def rows() -> list[UserRow]:
    values = ValueMap.read(shared("data", "users", "multiwoz21_canonical_map.json.gz"))
    scorer = UserScorer(value_map=values)
    return [
        row_of(each, scorer.outcome(each))
        for each in open_conversations(shared("data", "users", "fixture48_dialogues.json.gz"))
    ]


@pytest.fixture(scope="module")
def tables(rows: list[UserRow]) -> dict[str, list[tuple[str, ...]]]:
    tally = Tally()
    for each in rows:
        tally.add(each)
    return {chart.name: list(chart.table.rows) for chart in user_charts(tally)}


def test_nine_pictures(tables: dict[str, list[tuple[str, ...]]]) -> None:
    assert [name.partition("-")[0] for name in tables] == ["1", "2", "3", "4a", "4b", "5", "6a", "6b", "7"]


@pytest.mark.parametrize(
    ("chart", "family", "labels"),
    [
        ("2-repetitions", "repetition", REPETITIONS),
        ("3-not-in-goal", "not_in_goal", NOT_IN_GOAL),
        ("7-requests-again", "request", REQUESTED_AGAIN),
    ],
)
def test_counts_are_those_of_the_events(
    chart: str,
    family: str,
    labels: dict[str, tuple[str, ...]],
    rows: list[UserRow],
    tables: dict[str, list[tuple[str, ...]]],
) -> None:
    label_of = {name: label for label, names in labels.items() for name in names}
    expected = Counter(
        (label_of[event.name], event.domain)
        for row in rows
        for event in row.events
        if event.family == family and event.name in label_of
    )
    assert {(label, domain): int(count) for label, domain, count in tables[chart]} == dict(expected)
    assert expected


@pytest.mark.parametrize(
    ("chart", "kind"),
    [("4a-search", "search"), ("4b-booking", "booking"), ("6a-requests", "requests"), ("6b-provision", "provision")],
)
def test_counts_are_those_of_the_patterns(
    chart: str, kind: str, rows: list[UserRow], tables: dict[str, list[tuple[str, ...]]]
) -> None:
    expected = Counter((each.pattern, each.domain) for row in rows for each in row.patterns if each.kind == kind)
    assert {(pattern, domain): int(count) for pattern, domain, count in tables[chart]} == dict(expected)
    assert expected


def test_domains_of_goals_and_those_that_are_missed(
    rows: list[UserRow], tables: dict[str, list[tuple[str, ...]]]
) -> None:
    goals = Counter(domain for row in rows for domain in row.goal)
    missed = Counter(event.domain for row in rows for event in row.events if event.name == "missed_domain")
    assert {domain: int(count) for _, domain, count in tables["1-domains"]} == dict(goals)
    assert {domain: (int(lost), int(all_)) for domain, lost, all_ in tables["5-missed-domains"]} == {
        domain: (missed[domain], count) for domain, count in goals.items()
    }


def test_a_run_without_events_still_has_nine_pictures() -> None:
    charts = list(user_charts(Tally()))
    assert len(charts) == 9
    assert all(chart.table.rows == () for chart in charts)
