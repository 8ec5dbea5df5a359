"""``list``, ``cite``, ``completion`` and ``--version`` as a user types them."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from dialmeter import __version__, measure
from dialmeter.readers.formats import CONVERSATION_FORMATS, FORMATS
from dialmeter.tracking.rule_sets import rules
from dialmeter.users import behaviours, profile
from dialmeter.users import rules as user_rules
from dialmeter.users import score_table as user_measures

from .invoke import Cli
from .samples import town


def test_version(cli: Cli) -> None:
    for word in ("--version", "-V"):
        assert cli(word).out == f"dialmeter, version {__version__}\n"


@pytest.mark.parametrize("words", [[], ["tracker"], ["tracker", "score"], ["convert"], ["list"], ["cite"]])
def test_help(words: list[str], cli: Cli) -> None:
    long, short = cli(*words, "--help"), cli(*words, "-h")
    assert long.code == 0
    assert long.out.startswith("Usage: dialmeter")
    assert long == short


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("formats", FORMATS.builtin()),
        ("conversations", CONVERSATION_FORMATS.builtin()),
        ("measures", [*measure.registry.builtin(), *user_measures.ABOUT, "Success", "Pass"]),
        ("rules", [*rules.names(), *user_rules.names()]),
        ("events", [each.name for each in behaviours.ALL]),
        ("profiles", list(profile.names())),
    ],
)
def test_list(what: str, names: list[str], cli: Cli) -> None:
    assert [line.split()[0] for line in cli("list", what).out.splitlines()[2:]] == names
    for style in ("markdown", "csv", "latex"):
        assert all(name in cli("list", what, "--as", style).out.replace(r"\_", "_") for name in names)


def test_what_can_be_listed(cli: Cli) -> None:
    found = cli.json("list")
    assert found["command"] == "list"
    names = [item["list"] for item in found["items"]]
    assert [line.split()[0] for line in cli("list").out.splitlines()[2:]] == names
    assert f"'nothing' is not one of {str(names)[1:-1]}." in cli("list", "nothing", code=2).err
    assert cli.json("list", "logs")["command"] == "list logs"


@pytest.mark.parametrize(
    "what", ["formats", "conversations", "measures", "rules", "events", "profiles", "attacks", "judges", "agents"]
)
def test_everything_listed_is_described(what: str, cli: Cli) -> None:
    listed = cli.json("list", what)["items"]
    for item in listed:
        name = next(iter(item.values()))
        assert cli("list", what, name).out.startswith(name)


def test_rule_sets_say_what_they_were_checked_against(cli: Cli) -> None:
    items = {item["rules"]: item["checked against"] for item in cli.json("list", "rules")["items"]}
    assert items["gca-repo"] == "published figures"
    for name in ("convlab3", "convlab3-t5", "dstc10", "fga-repo", "mwzeval", "sgd", "trade"):
        assert "cases of the original, all equal" in items[name]


def test_rule_set_is_described_in_all_its_fields(cli: Cli) -> None:
    result = cli("list", "rules", "gca-repo")
    for name in rules.FIELDS:
        assert f"\n{name} " in result.out
    assert "deletions=code" in result.out


def test_rule_set_tells_what_original_does(cli: Cli) -> None:
    out = cli("list", "rules", "dstc10").out
    told = out[out.index("\nscores only\n") : out.index("\nsurprising behaviour of the original\n")]
    assert [line.strip() for line in told.splitlines()[2:]] == ["/".join(cell) for cell in rules.named("dstc10").only]
    assert all(f"\n  {fault}" in out for fault in rules.named("dstc10").faults)
    assert "scores only" not in cli("list", "rules", "dialmeter").out


def test_measure_is_described_with_its_parameters(cli: Cli) -> None:
    for name in ("FGA", "fga", "FGA(lam=0.5)"):
        result = cli("list", "measures", name)
        assert result.out.startswith("FGA: Flexible Goal Accuracy")
        assert "lam (required)" in result.out
        assert "dey-2022" in result.out


def test_broken_plugin_is_warning(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("Broken", "no_such_module:Measure", "dialmeter.measures")
    monkeypatch.setattr("dialmeter.registry.plugin_points", lambda group: [broken])
    result = cli("list", "measures")
    assert "JGA" in result.out
    assert result.err.startswith("warning: measure 'Broken' cannot be loaded from no_such_module:Measure")


def test_cite_measures(cli: Cli) -> None:
    result = cli("cite", "--measure", "FGA(lam=0.5)", "--measure", "GCA", "--measure", "VP")
    keys = [line.partition("{")[2].rstrip(",") for line in result.out.splitlines() if line.startswith("@")]
    assert keys == ["dialmeter", "dey-2022", "aksu-2024"]


def test_every_measure_can_be_cited(cli: Cli) -> None:
    for name in measure.registry.builtin():
        form = "FGA(lam=1)" if name == "FGA" else name
        assert cli("cite", "--measure", form).out.count("@") >= 1


def test_cite_run(tmp_path: Path, cli: Cli) -> None:
    words = [
        "tracker",
        "score",
        town(tmp_path),
        "--measure",
        "JGA",
        "--measure",
        "SA",
        "--out",
        tmp_path / "run",
        "--json",
    ]
    scores = cli(*words).json["scores"]
    result = cli("cite", tmp_path / "run")
    assert result.out.splitlines()[:2] == [f"% {score['signature']}" for score in scores]
    assert "@inproceedings{wu-2019," in result.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, cli: Cli) -> None:
    assert "_DIALMETER_COMPLETE" in cli("completion", shell).out


def test_rule_set_for_users_is_described_switch_by_switch(cli: Cli) -> None:
    result = cli("list", "rules", "gcdf1-repo")
    assert "\nfor: users\n" in result.out
    for name in user_rules.switches(user_rules.named("gcdf1-repo")):
        assert f"\n{name} " in result.out
    differs = [line.split()[0] for line in result.out.splitlines() if "(dialmeter: " in line]
    assert [name for name in differs if not name.startswith("faults.")] == [
        "goals.alternatives", "values.nfkc", "values.collisions", "values.no_answer",
    ]  # fmt: skip
    assert differs[4:] == [f"faults.{name}" for name in user_rules.Faults.__struct_fields__]


def test_name_that_trackers_and_users_share_is_described_for_both(cli: Cli) -> None:
    result = cli("list", "rules", "dialmeter")
    assert result.out.index("\nfor: trackers\n") < result.out.index("\nfor: users\n")


def test_rules_of_file_are_described(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "strict.toml"
    file.write_text("[repetitions]\nmax = 2\n")
    result = cli("list", "rules", file)
    assert "(dialmeter: 6)" in result.out
    assert "for: trackers" not in result.out
    cli("list", "rules", tmp_path / "none.toml", code=2)
    assert "did you mean gcdf1-repo?" in cli.refused("list", "rules", "gcdf1-rep")


def test_event_of_two_families_is_described_in_both(cli: Cli) -> None:
    result = cli("list", "events", "elicited_by_sys_question")
    assert "switch      repetitions.elicited_by_sys_question: true under dialmeter" in result.out
    assert "switch      not_in_goal.elicited_by_sys_question: false under dialmeter" in result.out
    assert "did you mean unmatched?" in cli.refused("list", "events", "unmached")


def test_profile_is_described(tmp_path: Path, cli: Cli) -> None:
    result = cli("list", "profiles", "multiwoz")
    assert "transactional                hotel, restaurant, train\n" in result.out
    assert "fine.slots                   taxi: departure, destination\n" in result.out
    assert cli.refused("list", "profiles", "multiwos").startswith("unknown profile 'multiwos'")


def test_measure_of_users_is_described_and_cited(cli: Cli) -> None:
    result = cli("list", "measures", "i-gcdf1")
    assert result.out.startswith("I-GCDF1: ")
    assert "coca-2021" in result.out
    for words in (["cite", "I-GCDF1"], ["cite", "--measure", "R-recall"], ["cite", "R-GCDF1", "JGA"]):
        assert "@inproceedings{coca-2021," in cli(*words).out
    assert "@inproceedings{henderson-2014," in cli("cite", "R-GCDF1", "JGA").out


@pytest.mark.parametrize("name", ["FGA", "fga"])
def test_measure_is_cited_by_its_name_alone(name: str, cli: Cli) -> None:
    result = cli("cite", name)
    assert result.out == cli("cite", "FGA(lam=0.5)").out
    assert "dey-2022" in result.out


@pytest.mark.parametrize("name", ["Pearson", "Spearman", "Kendall"])
def test_correlation_with_people_needs_no_entry_of_its_own(name: str, cli: Cli) -> None:
    assert cli("cite", name).out.count("@") == 1
