"""The commands that detect their subject: files, settings, names, configuration, and what they refuse."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest
from tests.cli.invoke import Cli

from dialmeter.cli.config import load_config
from dialmeter.cli.door import FLOWS, FRONTS, Front, load_flow, options_of, settings_by_command
from dialmeter.cli.main import cli as root
from dialmeter.core.open_runs import open_run
from dialmeter.readers.content import content_of
from dialmeter.tracking.rule_sets import rules as rules_module
from dialmeter.views.summaries.summary import LINES, WIDTH

SHARED = Path(os.environ.get("DIALMETER_SHARED", "../shared"))
FILES = {
    "base.jsonl": "tracker",
    "gold.jsonl": "tracker",
    "model-outputs.jsonl": "tracker",
    "agenda.jsonl": "user",
    "satisfaction.txt": "dialogues",
    "cases.jsonl": "cases",
    "ratings.jsonl": "ratings",
    "desk-base.json": "system",
    "map.json": None,
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from dialmeter.cli.demo import write_sample

    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, force=True)
    return folder


@pytest.fixture
def cli(sample: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(sample)
    return Cli(capsys)


@pytest.mark.parametrize("name", FILES)
def test_content(sample: Path, name: str) -> None:
    assert content_of(str(sample / name)) == FILES[name]


@pytest.mark.parametrize(
    "words",
    [
        "score base.jsonl",
        "compare base.jsonl new.jsonl",
        "compare a=base.jsonl b=new.jsonl c=frames.jsonl",
        "check base.jsonl",
        "score desk-base.json",
        "compare desk-base.json desk-new.json",
        "check desk-base.json",
    ],
)
def test_summary_fits_screen(cli: Cli, words: str) -> None:
    lines = cli(*words.split(), "-q").out.splitlines()
    assert 2 <= len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    verbose = cli(*words.split(), "-q", "-v").out.splitlines()
    # With --verbose a comparison has a rung for every rule set.
    assert verbose[0] == lines[0]
    assert len(verbose) > len(lines)


@pytest.mark.parametrize("name", FLOWS)
def test_every_option_has_a_flow(name: str) -> None:
    """No option is in the help of a command that refuses it for every file."""
    known = {option for path in FLOWS[name].values() for option in options_of(load_flow(path))}
    known |= {"--gold"} if "--goals" in known else set()
    listed = {f"--{key}" for key in FRONTS[name].options.split()}
    assert listed - known <= {"--set", "--subject", "--verbose", "--quiet", "--to", "--columns"}


def test_new_command_is_three_rows(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command is a row of the group, of FRONTS and of FLOWS; what its flow takes beyond them are settings."""
    flow = module_with_flow("shout", [click.Argument(["files"], nargs=-1), click.Option(["--mark"], default="!")])
    monkeypatch.setitem(sys.modules, "dialmeter.cli.shout", flow)
    monkeypatch.setitem(FRONTS, "shout", Front("files*", "set", "Say the names of files."))  # type: ignore[misc]
    monkeypatch.setitem(FLOWS, "shout", {"": "shout:shout"})  # type: ignore[misc]
    monkeypatch.setitem(root._lazy, "shout", ("door:shout", "Say the names of files."))  # type: ignore[attr-defined]
    assert cli("shout", "base.jsonl", "--set", "mark=?").out == "base.jsonl?\n"
    assert "Say the names of files." in cli("shout", "--help").out
    assert cli.refused("shout", "base.jsonl", "--set", "mork=?").startswith(
        "no setting 'mork' here; did you mean mark?"
    )


def module_with_flow(name: str, parameters: list[click.Parameter]) -> ModuleType:
    """Return a module with a flow that prints its files."""
    module = ModuleType(name)
    command = click.Command(name, params=parameters, callback=lambda files, mark: click.echo(" ".join(files) + mark))
    setattr(module, name, command)
    return module


def test_next_command_works(cli: Cli) -> None:
    shown = cli("check", "base.jsonl", "--set", "missing=empty", "-q").out.splitlines()[-1]
    assert shown == "next  dialmeter score base.jsonl --set missing=empty"
    assert cli(*shown.split()[2:]).out.startswith("JGA ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("score no.jsonl", "no.jsonl: no such file"),
        ("score base.jsonl --set mising=empty", "no setting 'mising' here; did you mean missing?"),
        ("score base.jsonl --set missing", "--set missing: write missing=VALUE"),
        (
            "score base.jsonl -j overlap",
            "predictions of a tracker, not cases of judges; make cases: dialmeter judge attack",
        ),
        ("score base.jsonl cases.jsonl", "base.jsonl: trackers; cases.jsonl: judges"),
        (
            "compare cases.jsonl cases.jsonl",
            "judges are compared on one file; type: dialmeter compare cases.jsonl -j FIRST -j SECOND",
        ),
        ("compare a=base.jsonl new.jsonl", "give every file a name (NAME=FILE), or none"),
        ("score desk-base.json --rules trade", "--rules has no meaning for a log of an agent"),
        ("score desk-base.json --workers 2", "--workers has no meaning for a log of an agent"),
        ("score base.jsonl --subject system", "no goal; scores need the goal of the user"),
        ("score gold.jsonl --gold base.jsonl", "at all; type: dialmeter score base.jsonl --gold gold.jsonl"),
        (
            "compare gold.jsonl new.jsonl --gold base.jsonl",
            "at all; type: dialmeter score base.jsonl --gold gold.jsonl",
        ),
        ("find forgetful.jsonl event=nothing", "no such event; known: alternative_not_needed, auto_matched_slot"),
        ("score base.jsonl --fail-if worse", "--fail-if worse is for `dialmeter compare`"),
        ("score base.jsonl --latex bald", "--latex bald: write bold"),
        ("score desk-base.json -f value", "-f value needs exactly one score"),
        ("score base.jsonl --set ci=2", "ci"),
        ("scor base.jsonl", "did you mean score?"),
    ],
)
def test_refused(cli: Cli, words: str, message: str) -> None:
    assert message in cli.refused(*words.split())


def test_groups_without_scores(cli: Cli) -> None:
    said = cli("score", "base.jsonl", "--by", "service", "--by", "domain").err
    assert "--by service: no dialogue has it for these measures" in said
    assert "--by domain" not in said
    said = cli("compare", "base.jsonl", "new.jsonl", "-m", "FinalJGA", "--by", "turn").err
    assert "--by turn: these measures have no scores by it" in said


def test_attacks_without_cases_not_counted(cli: Cli, tmp_path: Path) -> None:
    words = ("--attack", "pronoun:person", "--attack", "co-reference:antecedent", "-q", "-o", tmp_path / "cases.jsonl")
    said = cli("judge", "attack", "agenda.jsonl", "-n", 1, *words, "--set", "light").out
    assert "1 case of 1 attack in" in said


def test_value_of_one_measure(cli: Cli) -> None:
    assert cli("score", "base.jsonl", "-m", "JGA", "-f", "value", "-q").out == "43.60\n"


def test_unfinished_run_continues(cli: Cli, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    cli("score", "base.jsonl", "-m", "JGA", "-o", whole, "-q")
    assert "holds a finished run" in cli.refused("score", "base.jsonl", "-m", "JGA", "-o", whole, "-q")
    # A run that was killed before its first row leaves this folder.
    (tmp_path / "part" / "parts").mkdir(parents=True)
    cli("score", "base.jsonl", "-m", "JGA", "-o", tmp_path / "part", "-q")
    assert (tmp_path / "part" / "run.json").read_bytes() == (whole / "run.json").read_bytes()


class TestConfig:
    """``dialmeter.toml``"""

    @pytest.fixture
    def folder(self, tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "base.jsonl").write_bytes((sample / "base.jsonl").read_bytes())
        return tmp_path

    @pytest.fixture
    def run(self, folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
        monkeypatch.chdir(folder / "inner")
        return cli

    def test_nearest_file_acts(self, folder: Path, run: Cli) -> None:
        (folder / "dialmeter.toml").write_text('measures = ["JGA"]\n[set]\nmissing = "empty"\nnoise = 0.1\n')
        result = run("score", "base.jsonl")
        assert "settings: missing, measures from dialmeter.toml" in result.err
        assert "missing:empty" in result.out
        (folder / "inner" / "pyproject.toml").write_text('[tool.dialmeter.set]\nmissing = "skip"\n')
        assert "missing:skip" in run("score", "base.jsonl").out
        assert "missing:empty" in run("score", "base.jsonl", "--set", "missing=empty").out
        assert "missing:" not in run("--isolated", "score", "base.jsonl").out

    def test_run_keeps_its_command(self, folder: Path, run: Cli) -> None:
        """The command of a run has what the configuration set, names of files without folders, and no look or place."""
        (folder / "dialmeter.toml").write_text('measures = ["JGA"]\n[set]\nmissing = "empty"\n')
        rules = Path(rules_module.__file__).parent / "rulesets" / "trade.toml"
        (folder / "own.toml").write_bytes(rules.read_bytes())
        file, out = folder / "inner" / "base.jsonl", folder / "run"
        run("score", file, "--rules", folder / "own.toml", "--out", out, "--workers", "1", "-q")
        words = ["score", "base.jsonl", "--measure", "JGA", "--rules", "own.toml", "--set", "missing=empty"]
        assert open_run(out).manifest["words"] == words

    def test_repository_root_ends_search(self, folder: Path, run: Cli) -> None:
        (folder / "dialmeter.toml").write_text('[set]\nmissing = "empty"\n')
        (folder / "inner" / ".git").mkdir()
        assert "missing:" not in run("score", "base.jsonl").out

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("mesures = []", "unknown key 'mesures'; did you mean measures?"),
            ("[set]\nmisssing = 1", "no setting 'misssing'"),
            ('[endpoint]\nurl = "http://127.0.0.1:9"', "use --config dialmeter.toml, or DIALMETER_ENDPOINT"),
            ('[cluster]\nurl = "tcp://127.0.0.1:9"', "[endpoint] and [cluster] are not read"),
            ('[set]\nparaphraser = "os:system"', "would send data or run code"),
            ('[set]\nmap = "https://example.org/map"', "would send data or run code"),
            ('measures = "JGA"', "measures must be a list"),
            ("[set\n", "dialmeter.toml: "),
        ],
    )
    def test_refused(self, folder: Path, run: Cli, text: str, message: str) -> None:
        (folder / "dialmeter.toml").write_text(text)
        assert message in run.refused("score", "base.jsonl")

    def test_named_file_may_have_place(self, folder: Path, run: Cli) -> None:
        (folder / "mine.toml").write_text('[cluster]\nurl = "tcp://127.0.0.1:9"\n[set]\nci = 0\n')
        result = run("--config", str(folder / "mine.toml"), "score", "base.jsonl", "-m", "JGA", code=None)
        assert result.code == 0
        # One shard is scored here, and the notice proves that the address was read.
        assert "not on the cluster" in result.err
        place = load_config(str(folder / "mine.toml")).place
        assert place["cluster"] == "tcp://127.0.0.1:9"
        flow = load_flow(FLOWS["score"]["tracker"])
        assert flow.make_context("score", ["base.jsonl"], default_map=place).params["cluster"] == place["cluster"]
        words = ["base.jsonl", "--workers", "2"]
        assert flow.make_context("score", words, default_map=place).params["cluster"] is None


def test_every_flow_loads_and_every_setting_has_help() -> None:
    assert all(isinstance(load_flow(path), click.Command) for flows in FLOWS.values() for path in flows.values())
    assert [key for _, key, each in settings_by_command() if not each.help] == []


def test_list_settings(cli: Cli) -> None:
    assert "error, empty, skip, predicted-only" in cli("list", "settings", "missing").out
    assert "did you mean missing?" in cli.refused("list", "settings", "misssing")
    assert any(each["setting"] == "missing" for each in cli("list", "settings", "-f", "json").json["items"])


@pytest.mark.parametrize(
    "words",
    [
        "score agenda.jsonl --set profile=town",
        "score cases.jsonl -j overlap",
        "score desk-base.json",
        "compare base.jsonl new.jsonl",
        "study rules base.jsonl",
    ],
)
def test_saved_run_is_printed_again(cli: Cli, words: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shown = cli(*words.split(), "-q", "-o", run).out.partition("\nnext  ")[0]
    assert cli("score", run).out == f"{shown}\nnext  dialmeter view {run}\n"
    assert "a saved run is printed as it was" in cli.refused("score", run, "-m", "JGA")
