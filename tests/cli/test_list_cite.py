"""``list``, ``cite``, ``completion`` and ``--version`` as a user types them."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from dialmeter import __version__, measure
from dialmeter.cli.door import settings_by_command
from dialmeter.cli.main import cli as cli_
from dialmeter.readers.formats import CONVERSATION_FORMATS, FORMATS
from dialmeter.systems import measures as system_measures
from dialmeter.tracking.rule_sets import rules
from dialmeter.users import behaviours, profile
from dialmeter.users import measures as user_measures
from dialmeter.users import rules as user_rules

from .invoke import Cli
from .samples import town

FGA = ("FGA: Flexible Goal Accuracy", "lam (required)", "dey-2022")
SAID: dict[str, tuple[str, ...]] = {
    "--version": (f"dialmeter, version {__version__}\n",),
    "-V": (f"dialmeter, version {__version__}\n",),
    "list measures FGA": FGA,
    "list measures fga": FGA,
    "list measures FGA(lam=0.5)": FGA,
    "list measures i-gcdf1": ("I-GCDF1: ", "coca-2021"),
    "list settings missing": (
        "missing: --set missing=VALUE\n",
        "values: error, empty, skip, predicted-only",
        "default     error",
    ),
    "list settings map": ("FILE, NAME", "check, score, compare"),
    "list rules dialmeter": ("\nfor: trackers\n", "\nfor: users\n"),
    "list events elicited_by_sys_question": (
        "setting     repetitions.elicited_by_sys_question: true under dialmeter",
        "setting     not_in_goal.elicited_by_sys_question: false under dialmeter",
    ),
    "list profiles multiwoz": (
        "transactional                hotel, restaurant, train\n",
        "fine.slots                   taxi: departure, destination\n",
    ),
    "--completion bash": ("_DIALMETER_COMPLETE",),
    "--completion zsh": ("_DIALMETER_COMPLETE",),
    "--completion fish": ("_DIALMETER_COMPLETE",),
    "cite FGA(lam=0.5) GCA VP": ("{dialmeter,", "{dey-2022,", "{aksu-2024,"),
    "cite FGA": ("{dialmeter,", "{dey-2022,"),
    "cite fga": ("{dialmeter,", "{dey-2022,"),
    "cite I-GCDF1": ("{dialmeter,", "@inproceedings{coca-2021,"),
    "cite R-recall": ("{dialmeter,", "@inproceedings{coca-2021,"),
    "cite R-GCDF1 JGA": ("{dialmeter,", "@inproceedings{coca-2021,", "@inproceedings{henderson-2014,"),
    "cite Pearson": ("{dialmeter,",),
    "cite Spearman": ("{dialmeter,",),
    "cite Kendall": ("{dialmeter,",),
}
"""What is typed → what is printed, in this order; of citations, all."""


@pytest.mark.parametrize("words", SAID)
def test_said(words: str, cli: Cli) -> None:
    out = cli(*words.split()).out
    places = [out.find(part) for part in SAID[words]]
    assert -1 not in places
    assert places == sorted(places)
    assert not words.startswith("cite") or out.count("\n@") + out.startswith("@") == len(places)


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("formats", FORMATS.builtin()),
        ("dialogues", CONVERSATION_FORMATS.builtin()),
        ("measures", [*measure.registry.builtin(), *user_measures.ABOUT, *system_measures.LISTED]),
        ("rules", [*rules.names(), *user_rules.names()]),
        ("events", [each.name for each in behaviours.ALL]),
        ("profiles", list(profile.names())),
    ],
)
def test_list(what: str, names: list[str], cli: Cli) -> None:
    assert [line.split()[0] for line in cli("list", what).out.splitlines()[2:]] == names
    for style in ("markdown", "csv", "latex"):
        assert all(name in cli("list", what, "-f", style).out.replace(r"\_", "_") for name in names)


def test_what_can_be_listed(cli: Cli) -> None:
    found = cli.json("list")
    assert found["command"] == "list"
    names = [item["list"] for item in found["items"]]
    assert [line.split()[0] for line in cli("list").out.splitlines()[2:]] == names
    assert f"'nothing' is not one of {str(names)[1:-1]}." in cli("list", "nothing", code=2).err
    assert cli.json("list", "logs")["command"] == "list logs"


@pytest.mark.parametrize(
    "what", ["formats", "dialogues", "measures", "rules", "events", "profiles", "attacks", "judges", "bots"]
)
def test_everything_listed_is_described(what: str, cli: Cli) -> None:
    listed = cli.json("list", what)["items"]
    for item in listed:
        name = next(iter(item.values()))
        assert cli("list", what, name).out.startswith(name)


def test_checks_of_rule_sets(cli: Cli) -> None:
    items = {item["rules"]: item["checked against"] for item in cli.json("list", "rules")["items"]}
    assert items["gca-repo"] == "published figures"
    for name in ("convlab3", "convlab3-t5", "dstc10", "fga-repo", "mwzeval", "sgd", "trade"):
        assert "cases of the original, all equal" in items[name]


def test_rule_set_fields(cli: Cli) -> None:
    result = cli("list", "rules", "gca-repo")
    for name in rules.FIELDS:
        assert f"\n{name} " in result.out
    assert "deletions=code" in result.out


def test_original_of_rule_set(cli: Cli) -> None:
    out = cli("list", "rules", "dstc10").out
    told = out[out.index("\nscores only\n") : out.index("\nsurprising behaviour of the original\n")]
    assert [line.strip() for line in told.splitlines()[2:]] == ["/".join(cell) for cell in rules.named("dstc10").only]
    assert all(f"\n  {fault}" in out for fault in rules.named("dstc10").faults)
    assert "scores only" not in cli("list", "rules", "dialmeter").out


def test_broken_plugin_is_warning(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("Broken", "no_such_module:Measure", "dialmeter.measures")
    monkeypatch.setattr("dialmeter.registry.plugin_points", lambda group: [broken])
    result = cli("list", "measures")
    assert "JGA" in result.out
    assert result.err.startswith("warning: measure 'Broken' cannot be loaded from no_such_module:Measure")


def test_measures_citable(cli: Cli) -> None:
    for name in measure.registry.builtin():
        form = "FGA(lam=1)" if name == "FGA" else name
        assert cli("cite", form).out.count("@") >= 1


def test_cite_run(tmp_path: Path, cli: Cli) -> None:
    words = (town(tmp_path), "--measure", "JGA", "--measure", "SA", "--out", tmp_path / "run")
    scores = cli.json("score", *words)["scores"]
    result = cli("cite", tmp_path / "run")
    assert result.out.splitlines()[:2] == [f"% {score['signature']}" for score in scores]
    assert "@inproceedings{wu-2019," in result.out


def test_rule_set_for_users(cli: Cli) -> None:
    result = cli("list", "rules", "gcdf1-repo")
    assert "\nfor: users\n" in result.out
    for name in user_rules.settings(user_rules.named("gcdf1-repo")):
        assert f"\n{name} " in result.out
    differs = [line.split()[0] for line in result.out.splitlines() if "(dialmeter: " in line]
    assert [name for name in differs if not name.startswith("faults.")] == [
        "goals.alternatives", "values.nfkc", "values.collisions", "values.no_answer",
    ]  # fmt: skip
    assert differs[4:] == [f"faults.{name}" for name in user_rules.Faults.__struct_fields__]


def test_rules_of_file(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "strict.toml"
    file.write_text("[repetitions]\nmax = 2\n")
    result = cli("list", "rules", file)
    assert "(dialmeter: 6)" in result.out
    assert "for: trackers" not in result.out
    cli("list", "rules", tmp_path / "none.toml", code=2)


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("score", "mis", ["missing="]),
        ("score", "missing=", ["missing=error", "missing=empty", "missing=skip", "missing=predicted-only"]),
        ("score", "missing=s", ["missing=skip"]),
        ("play", "no", ["noise="]),
        ("play", "missing=", []),
        ("judge explain", "base=", ["base=masked", "base=zero"]),
    ],
)
def test_completion_of_settings(command: str, text: str, expected: list[str]) -> None:
    words = ["dialmeter", *command.split(), "--set"]
    completion = ShellComplete(cli_, {}, "dialmeter", "_DIALMETER_COMPLETE")
    assert [each.value for each in completion.get_completions(words[1:], text)] == expected


def test_every_setting_is_listed(cli: Cli) -> None:
    listed = [each["setting"] for each in cli.json("list", "settings")["items"]]
    assert listed == sorted({key for _, key, _ in settings_by_command()})
    text = cli("list", "settings").out
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"\n{key} " in text for key in listed)
