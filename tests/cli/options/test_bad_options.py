"""Invalid options give one line with the known or most similar values, exit code 2, and no output files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import Cli, files_in
from ..samples import town, written

RULES = """
values = []
none = []
dontcare = "keep"
extra = "penalise"
alternatives = "literal"
match = "exact"
missing = "error"
state = "cumulative"
"""

BAD_WORDS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "format": (["--from", "nestd"], ("unknown format 'nestd'", "did you mean nested?")),
    "gold format": (["--gold", "town.jsonl", "--gold-from", "tradde"], ("unknown format 'tradde'", "did you mean trade?")),
    "rule set": (["--rules", "gca-rep"], ("unknown rule set 'gca-rep'", "did you mean gca-repo?", ".toml")),
    "measure": (["--measure", "JGB"], ("unknown measure 'JGB'", "did you mean JGA?")),
    "measure far from all": (["--measure", "Zzzzzz"], ("unknown measure 'Zzzzzz'", "known: AGA")),
    "no measure": (["--measure", "(lam=1)"], ("is not a measure",)),
    "parameter": (["--measure", "FGA(lambda=1)"], ("FGA has no parameter 'lambda'", "did you mean lam?")),
    "parameter that is needed": (["--measure", "FGA"], ("FGA needs lam", "FGA(lam=0.5)")),
    "parameter without value": (["--measure", "FGA(lam)"], ("write parameters like lam=value",)),
    "parameter below its range": (["--measure", "FGA(lam=-1)"], ("FGA", "lam")),
    "parameter that is no number": (["--measure", "FGA(lam=much)"], ("FGA", "lam")),
    "parameter with another choice": (["--measure", "FGA(lam=1, local=papr)"], ("FGA", "local", "papr")),
    "alpha over one": (["--measure", "GCA(alpha=2)"], ("GCA", "alpha")),
    "slots below zero": (["--measure", "SA(slots=-3)"], ("SA", "slots")),
    "rule field": (["--nonne", "keep"], ("--nonne", "--none")),
    "choice of extra": (["--extra", "ignore"], ("extra", "ignore", "known: ignore-domains, ignore-slots, penalise, unlisted")),
    "choice of dontcare": (["--dontcare", "never"], ("dontcare", "never", "known: drop, drop-exact, keep, merge")),
    "choice of dontcare in gold": (["--dontcare", "gold=never;pred=keep"], ("dontcare", "never", "known: drop, drop-exact, keep, merge")),
    "choice of alternatives": (["--alternatives", "all"], ("alternatives", "known: any-of, any-of-both, first, first-listed, listed, literal, set")),
    "choice of missing": (["--missing", "ignore"], ("missing", "known: empty, error, predicted-only, skip")),
    "choice of state": (["--state", "turn"], ("state", "known: cumulative, update, update-pred")),
    "step of values": (["--values", "trim,lowr"], ("values", "lowr", "known: blanks, digits, lower, mwzeval, nfkc, no-blanks, number-word, tidy, trim")),
    "choice of names": (["--names", "multiwos"], ("names", "multiwos", "known: as-is, multiwoz, mwzeval")),
    "choice of clash": (["--clash", "first"], ("clash", "first", "known: error, keep, last")),
    "choice of backend": (["--backend", "rapidfuzz"], ("backend", "rapidfuzz", "known: difflib, levenshtein")),
    "choice of undefined": (["--undefined", "1"], ("undefined", "known: none, zero")),
    "slot to look at": (["--only-slots", "hotel-area"], ("only",)),
    "map": (["--map", "multiwos"], ("no value map 'multiwos'", "did you mean multiwoz?")),
    "map that is not there": (["--map", "nowhere.json"], ("nowhere.json: no such file",)),
    "match": (["--match", "fuzzy"], ("use 'exact', or one of", "'fuzzy'")),
    "match without number": (["--match", "ratio>=high"], ("use 'exact', or one of", "ratio>=90")),
    "group": (["--by", "area"], ("area", "'domain'", "'slot'", "'turn'")),
    "style": (["--as", "html"], ("html", "'markdown'")),
    "option": (["--colour"], ("--colour",)),
    "dialogue to show": (["--dialogue", "d9"], ("town.jsonl: no dialogue 'd9'",)),
    "resume without out": (["--resume"], ("--resume", "--out")),
    "force without out": (["--force"], ("--force", "--out")),
    "condition": (["--fail-if", "JGA below 50"], ("--fail-if", "JGA < 0.5")),
    "condition without measure": (["--fail-if", "< 0.5"], ("--fail-if", "JGA < 0.5")),
    "condition in percent": (["--fail-if", "JGA < 50"], ("--fail-if", "fractions", "for 50 % write 0.5")),
    "condition without number": (["--fail-if", "JGA < half"], ("--fail-if", "'half' is not a number")),
    "condition that nothing meets": (["--fail-if", "JGA < nan"], ("--fail-if", "nan")),
    "condition on an unknown measure": (["--fail-if", "JGB < 0.5"], ("unknown measure 'JGB'", "did you mean JGA?")),
    "condition on a group not asked for": (["--fail-if", "JGA[hotel] < 0.5"], ("--fail-if", "no such score")),
    "confidence": (["--ci", "95"], ("--ci",)),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD_WORDS)
def test_a_bad_word(bad: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    town(tmp_path)
    words, says = BAD_WORDS[bad]
    before = files_in(tmp_path)
    complaint = cli.refused("tracker", "score", "town.jsonl", "--quiet", *words)
    assert all(word in complaint for word in says), complaint
    assert files_in(tmp_path) == before


BAD_COMMANDS = {
    "trackr": "did you mean tracker?",
    "tracker scor": "did you mean score?",
    "tracker score": "Missing argument",
    "list measurs": "'measurs' is not one of",
    "list measures JGB": "did you mean JGA?",
    "list rules gca": "did you mean gca-repo?",
    "list formats nestd": "did you mean nested?",
    "cite": "",
    "cite nowhere": "nowhere",
    "cite --measure JGB": "JGB",
    "convert x": "Missing argument",
    "completion tcsh": "'tcsh' is not one of",
}


@pytest.mark.parametrize("words", BAD_COMMANDS)
def test_bad_command(words: str, cli: Cli) -> None:
    result = cli(*words.split(), code=2)
    assert BAD_COMMANDS[words] in result.complaint
    assert result.out == ""


def test_no_command_shows_the_help(cli: Cli) -> None:
    for words in ([], ["tracker"]):
        result = cli(*words, code=None)
        assert result.code in (0, 2)
        assert "Commands:\n" in result.out + result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (RULES.replace('state = "cumulative"', ""), ("state",)),
        (RULES + 'colour = "red"\n', ("colour",)),
        (RULES.replace('"exact"', '"about"'), ("match",)),
        (RULES.replace("values = []", 'values = ["lowr"]'), ("values",)),
        (RULES.replace("none = []", "none = [1]"), ("none",)),
        (RULES.replace("none = []", "none = { gold = [] }"), ("none", "pred")),
        (RULES + 'names = "multiwos"\n', ("names", "multiwos")),
        (RULES + 'only = [["hotel", "area"]]\n', ("only",)),
        (RULES + 'map = "multiwos"\n', ("did you mean multiwoz?",)),
        (RULES + 'measures = ["JGB"]\n', ("JGB", "did you mean JGA?")),
        ("values = [", ("not valid TOML",)),
    ],
)
def test_a_bad_rule_file(content: str, says: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
    rules = written(tmp_path / "mine.toml", content)
    complaint = cli.refused("tracker", "score", town(tmp_path), "--rules", rules)
    assert all(word in complaint for word in says), complaint


def test_rule_file_checked_as_a_whole(cli: Cli, tmp_path: Path) -> None:
    complaint = cli.refused(
        "tracker", "score", town(tmp_path), "--rules", written(tmp_path / "mine.toml", "values = []\n")
    )
    assert complaint.startswith(str(tmp_path / "mine.toml"))
    assert all(name in complaint for name in ("values", "none", "dontcare", "extra", "match", "missing", "state"))


class TestOut:
    """``--out`` does not replace existing files, and the message says how to continue."""

    @pytest.fixture
    def run(self, tmp_path: Path, cli: Cli) -> Path:
        cli("tracker", "score", town(tmp_path), "--out", tmp_path / "run", "--quiet")
        return tmp_path / "run"

    def refused(self, cli: Cli, file: Path, out: Path, *more: str) -> str:
        before = files_in(file.parent)
        result = cli("tracker", "score", file, "--out", out, *more, code=2)
        assert result.out == ""
        assert files_in(file.parent) == before
        return result.complaint

    def test_a_finished_run(self, run: Path, tmp_path: Path, cli: Cli) -> None:
        for more in ([], ["--resume"]):
            complaint = self.refused(cli, tmp_path / "town.jsonl", run, *more)
            assert complaint == f"{run}: holds a finished run; use --force to replace it"

    def test_a_file(self, tmp_path: Path, cli: Cli) -> None:
        taken = written(tmp_path / "taken", "mine")
        for more in ([], ["--force"]):
            assert self.refused(cli, town(tmp_path), taken, *more).startswith(f"{taken}: is a file")

    def test_a_folder_with_something_else(self, tmp_path: Path, cli: Cli) -> None:
        taken = written(tmp_path / "taken" / "thesis.tex", "mine").parent
        assert self.refused(cli, town(tmp_path), taken).startswith(f"{taken}: is not empty")

    def test_an_unfinished_run(self, run: Path, tmp_path: Path, cli: Cli) -> None:
        (run / "run.json").unlink()
        (run / "parts").mkdir()
        complaint = self.refused(cli, tmp_path / "town.jsonl", run)
        assert "unfinished" in complaint
        assert "--resume" in complaint
        assert "--force" in complaint

    def test_a_place_where_nothing_can_be_written(self, tmp_path: Path, cli: Cli) -> None:
        inside_a_file = written(tmp_path / "taken", "mine") / "run"
        assert str(inside_a_file) in self.refused(cli, town(tmp_path), inside_a_file)

    def test_force_replaces_a_run_and_leaves_other_files_alone(self, run: Path, tmp_path: Path, cli: Cli) -> None:
        before = files_in(run)
        written(run / "notes.txt", "mine")
        cli("tracker", "score", tmp_path / "town.jsonl", "--out", run, "--force", "--quiet")
        after = files_in(run)
        assert after.pop("notes.txt") == b"mine"
        assert {name: data for name, data in after.items() if name != "log.json"} == {
            name: data for name, data in before.items() if name != "log.json"
        }


class TestConvertTo:
    """``convert`` does not overwrite files, and reports a path that cannot be written."""

    def test_a_file_that_is_there(self, tmp_path: Path, cli: Cli) -> None:
        file, taken = town(tmp_path), written(tmp_path / "taken.jsonl", "mine")
        assert cli.refused("convert", file, taken) == f"{taken}: already exists; use --force to replace it"
        assert taken.read_text() == "mine"
        cli("convert", file, taken, "--force")
        assert taken.read_bytes().count(b"\n") == 3

    @pytest.mark.parametrize("place", ["nowhere/out.jsonl", "town.jsonl/out.jsonl"])
    def test_a_place_that_is_none(self, place: str, tmp_path: Path, cli: Cli) -> None:
        assert cli.refused("convert", town(tmp_path), tmp_path / place).startswith(
            f"{tmp_path / place}: cannot be written"
        )
        assert list(files_in(tmp_path)) == ["town.jsonl"]
