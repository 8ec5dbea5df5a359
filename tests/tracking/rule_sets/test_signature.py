"""The signature of a score."""

from __future__ import annotations

import pytest

from dialmeter import __version__
from dialmeter.core.comparability import difference as signature_difference
from dialmeter.measure import parse
from dialmeter.tracking.rule_sets.rules import change, named, signature
from dialmeter.tracking.scorer import TrackerScorer

GOLD = [{"hotel-area": "east"}, {"hotel-area": "east", "taxi-to": "x"}]


def fields_of(line: str) -> dict[str, str]:
    measure, *rest = line.split("|")
    return {"measure": measure, **dict(part.split(":", 1) for part in rest)}


def scored(measure: str, rules: str = "dialmeter", **changes: str) -> dict[str, str]:
    scorer = TrackerScorer([measure], change(named(rules), **changes))
    scorer.add("d1", GOLD, GOLD)
    return fields_of(scorer.result().signature)


def test_fields_stand_in_their_order() -> None:
    line = signature(
        "FGA(lam=0.5)",
        parse("FGA(lam=0.5)"),
        named("dialmeter"),
        dialogues=999,
        turns=7368,
        data="3f9a1c07be",
        gold="77",
    )
    assert line == (
        "FGA(lam=0.5)|rules:dialmeter|values:nfkc+tidy+trim+blanks+lower|none:blank+none+null+not-mentioned+not_mentioned+n/a+unknown|dontcare:merge"
        f"|extra:penalise|missing:error|state:cumulative|avg:turn|d:999|t:7368|gold:77|data:3f9a1c07be|v:{__version__}"
    )


def test_measure_repeated_with_settings() -> None:
    found = scored("FGA(lam=0.5)", "fga-repo")
    assert (found["measure"], found["local"]) == ("FGA(lam=0.5)", "code")
    assert "local" not in scored("FGA(lam=0.5, local=vector)", "fga-repo")
    assert scored("GCA", "gca-repo")["deletions"] == "code"
    assert "deletions" not in scored("GCA")


@pytest.mark.parametrize(
    ("measure", "rules", "slots"),
    [("SA", "dialmeter", "2"), ("SA(slots=30)", "dialmeter", "30"), ("SA", "trade", "30")],
)
def test_slot_number_in_signature(measure: str, rules: str, slots: str) -> None:
    assert scored(measure, rules)["K"] == slots


def test_signature_has_average() -> None:
    assert scored("JGA")["avg"] == "turn"
    assert scored("JGA(average=dialogue)")["avg"] == "dialogue"


def test_unusual_alternatives_and_match() -> None:
    assert not {"alternatives", "match"} & scored("JGA").keys()
    assert scored("JGA", alternatives="literal")["alternatives"] == "literal"
    assert scored("JGA", match="ratio>=90")["match"] == "ratio>=90"


def test_counts_and_data() -> None:
    found = scored("JGA")
    assert (found["d"], found["t"], len(found["data"])) == ("1", "2", 10)
    assert int(found["data"], 16) >= 0


@pytest.mark.parametrize(("rules", "sees_case"), [("dialmeter", False), ("fga-repo", True)])
def test_gold_and_data(rules: str, sees_case: bool) -> None:
    assert scored("JGA", rules)["gold"] == scored("JGA")["gold"]
    other = TrackerScorer(["JGA"], rules)
    other.add("d1", [{"hotel-area": "East"}, GOLD[1]], GOLD)
    found = fields_of(other.result().signature)
    assert found["gold"] != scored("JGA")["gold"]
    assert (found["data"] != scored("JGA", rules)["data"]) is sees_case


@pytest.mark.parametrize("name", ["D1", "d1.json", "D1.JSON"])
def test_data_of_every_spelling(name: str) -> None:
    scorer = TrackerScorer(["JGA"])
    scorer.add(name, GOLD, GOLD)
    assert fields_of(scorer.result().signature)["data"] == scored("JGA")["data"]


def test_differences_named_without_version() -> None:
    one = "SA|rules:a|K:30|d:1|v:1"
    assert signature_difference(one, one.replace("v:1", "v:2")) == []
    assert signature_difference(one, "RSA|rules:b|d:1|local:code|v:1") == [
        "measure: SA ≠ RSA",
        "rules: a ≠ b",
        "K: 30 ≠ (none)",
        "local: (none) ≠ code",
    ]
