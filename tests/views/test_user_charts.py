"""The published charts of a user, against a second count: of the published events, and of the raw files, without dialmeter's code."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dialmeter.readers.conversations import open_conversations
from dialmeter.users.behaviours import ALL
from dialmeter.users.result import UserRow, row_of
from dialmeter.users.scorer import UserScorer
from dialmeter.values.maps import ValueMap
from dialmeter.views.user import FAMILIES, UserCounts, user_charts

from ..shared_data import shared

NAMES = ["1a", "1b", "2", "3", "4a", "4b", "5", "6a", "6b", "7"]
GROUPS = {"repetition": "multiple_constraint_informs", "not_in_goal": "constraints_not_in_goal"}


@pytest.mark.parametrize("family", FAMILIES)
def test_labels_of_known_classes(family: str) -> None:
    known = {each.name for each in ALL if each.family == family}
    named = [name for label in FAMILIES[family] for name in label.classes]
    assert set(named) <= known
    assert len(named) == len(set(named))


def test_behaviours_in_charts() -> None:
    for each in ALL:
        if each.family in GROUPS and each.owner != "log":
            assert any(each.name in label.classes for label in FAMILIES[each.family])


@cache
def published_scorer() -> UserScorer:
    values = ValueMap.read(shared("data", "users", "multiwoz21_canonical_map.json.gz"))
    return UserScorer("gcdf1-repo", value_map=values)


@pytest.fixture(scope="module")
def rows() -> list[UserRow]:
    return [
        row_of(each, published_scorer().outcome(each))
        for each in open_conversations(shared("data", "users", "fixture48_dialogues.json.gz"))
    ]


@pytest.fixture(scope="module")
def tables(rows: list[UserRow]) -> dict[str, dict[tuple[str, str], tuple[int, int]]]:
    """Figure → (published label, domain) → count and denominator."""
    charts = user_charts(UserCounts.of(rows))
    return {
        chart.name.partition("-")[0]: {(row[1], row[2]): (int(row[3]), int(row[4])) for row in chart.table.rows}
        for chart in charts
    }


@pytest.fixture(scope="module")
def raw() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        gzip.decompress(shared("data", "users", "fixture48_dialogues.json.gz").read_bytes())
    )
    return found


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shared("expected", "users.json").read_bytes())["aggregate"]
    return found


def goals_of(raw: list[dict[str, Any]]) -> Counter[str]:
    return Counter(domain for each in raw for domain in each["goal"])


def test_all_figures(tables: dict[str, Any], raw: list[dict[str, Any]]) -> None:
    assert list(tables) == NAMES
    assert tables["1a"] == {("", domain): (count, len(raw)) for domain, count in goals_of(raw).items()}
    together = Counter("+".join(sorted(each["goal"])) for each in raw)
    assert tables["1b"] == {("", name): (count, len(raw)) for name, count in together.items()}


@pytest.mark.parametrize(("figure", "family"), [("2", "repetition"), ("3", "not_in_goal"), ("7", "request")])
def test_dialogues_with_event(
    figure: str, family: str, tables: dict[str, Any], published: dict[str, Any], raw: list[dict[str, Any]]
) -> None:
    measure, group = ("rgcd_f1", "multiple_slot_requests") if family == "request" else ("igcd_f1", GROUPS[family])
    events = published["events"][measure][group]
    expected = {}
    for label in FAMILIES[family]:
        found: dict[str, set[str]] = {}
        for name in label.classes:
            for dialogue, domains in events.get(name, {}).items():
                for domain, items in domains.items():
                    if items:
                        found.setdefault(domain, set()).add(dialogue)
        for domain, dialogues in found.items():
            expected[label.published, domain] = (len(dialogues), goals_of(raw)[domain])
    assert tables[figure] == expected
    assert expected


def test_missed_domains(tables: dict[str, Any], published: dict[str, Any]) -> None:
    missed = Counter(
        domain for domains in published["events"]["igcd_f1"]["missed_domain"].values() for domain in domains
    )
    scored = {name: count for name, count in published["counts"]["igcd_f1"].items() if name != "combined"}
    assert tables["5"] == {("missed_domain", domain): (missed[domain], count) for domain, count in scored.items()}


def patterns(sets: list[set[int]], none: str) -> str:
    said = [each for each in sets if each]
    if not said:
        return none
    one = "one" if set.intersection(*said) else "mult"
    return f"{'no_miss' if len(said) == len(sets) else 'miss'}_{one}"


@pytest.mark.parametrize(("figure", "parts"), [("4a", ("info", "fail_info")), ("4b", ("book", "fail_book"))])
def test_expression_of_constraints(
    figure: str, parts: tuple[str, str], tables: dict[str, Any], raw: list[dict[str, Any]], rows: list[UserRow]
) -> None:
    said = {row.id: _said(row) for row in rows}
    counts: Counter[tuple[str, str]] = Counter()
    for each in raw:
        for domain in ("hotel", "restaurant"):
            for part in parts:
                units = each["goal"].get(domain, {}).get(part) or {}
                pairs = [
                    (slot.lower(), str(value).lower()) for slot, value in units.items() if not isinstance(value, bool)
                ]
                if len(pairs) > 1:
                    turns = [said[each["dialogue_id"]].get((domain, *pair), set()) for pair in pairs]
                    counts[patterns(turns, "miss_all"), domain] += 1
    of = Counter[str]()
    for (_, domain), count in counts.items():
        of[domain] += count
    found = {key: value for key, value in tables[figure].items() if value[0]}
    assert found == {(name, domain): (count, of[domain]) for (name, domain), count in counts.items()}
    assert counts


def _said(row: UserRow) -> dict[tuple[str, str, str], set[int]]:
    """Canonical constraints of the user by turn, matched anew."""
    found: dict[tuple[str, str, str], set[int]] = {}
    matcher = published_scorer().setup.matcher
    for turn, move in enumerate(row.talk):
        for act in move.acts or () if turn % 2 == 0 else ():
            if "nform" in act.name and act.service in row.goal:
                slot = act.slot.lower()
                wanted = tuple(
                    value.lower()
                    for part in row.goal[act.service].parts.values()
                    for name, value in part.items()
                    if name == slot
                )
                for value in act.values:
                    canonical = matcher(act.service, slot, value.lower(), wanted)
                    found.setdefault((act.service, slot, canonical), set()).add(turn)
    return found


def request_turns(dialogue: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    for number, turn in enumerate(dialogue["turns"]):
        for frame in turn["frames"] if number % 2 == 0 else ():
            for action in frame.get("actions") or ():
                if "equest" in action["act"] and action.get("slot"):
                    yield frame["service"], action["slot"].lower(), number


def test_expression_of_requests_and_provision(
    tables: dict[str, Any], raw: list[dict[str, Any]], published: dict[str, Any]
) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    given: Counter[tuple[str, str]] = Counter()
    of: Counter[str] = Counter()
    events = published["events"]["rgcd_f1"]
    for each in raw:
        asked = list(request_turns(each))
        for domain, parts in each["goal"].items():
            slots = [slot.lower() for slot in parts.get("reqt") or ()]
            if len(slots) < 2:
                continue
            of[domain] += 1
            turns = [{turn for name, other, turn in asked if (name, other) == (domain, slot)} for slot in slots]
            counts[patterns(turns, "miss_all_reqs"), domain] += 1
            logged = [
                name
                for name, pattern in (("provision_entire_domain", "prov_all"), ("provision_slots", "prov_some"))
                if events.get(name, {}).get(each["dialogue_id"], {}).get(domain)
            ]
            given[
                {"provision_entire_domain": "prov_all", "provision_slots": "prov_some"}[logged[0]]
                if logged
                else "no_prov",
                domain,
            ] += 1
    for figure, expected in (("6a", counts), ("6b", given)):
        found = {key: value for key, value in tables[figure].items() if value[0]}
        assert found == {(name, domain): (count, of[domain]) for (name, domain), count in expected.items()}
    shares = Counter[str]()
    for (_, domain), (count, _) in tables["6b"].items():
        shares[domain] += count
    assert shares == of


def test_visible_bars(rows: list[UserRow]) -> None:
    for chart in user_charts(UserCounts.of(rows)):
        if chart.name.startswith(("2", "7")):
            axes = chart.draw().axes[0]
            low, high = (axes.transData.transform((0, value))[1] for value in axes.get_ylim())
            heights = [
                axes.transData.transform((0, bar.get_height()))[1] - axes.transData.transform((0, 0))[1]
                for bar in axes.patches
                if bar.get_height()
            ]
            assert min(heights) > 0.01 * (high - low), chart.name


def test_run_without_events() -> None:
    charts = list(user_charts(UserCounts()))
    assert len(charts) == len(NAMES)
    assert all(chart.table.rows == () for chart in charts)
