"""Commands, options and small files that are wrong: one line that says what is known or most similar, exit code 2, and no files."""

from __future__ import annotations

import re
import shlex
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
PROFILE = 'domains = ["bikes"]\n[acts]\ninform = "^tell$"\nrequest = "^ask$"\n'
BOARD = '[[row]]\nsystem = "{}"\nfile = "{}"\n'

REFUSED = {
    "score native.jsonl --from nestd": "unknown format 'nestd' … did you mean nested?",
    "score native.jsonl --gold native.jsonl --from gold=tradde": "unknown format 'tradde' … did you mean trade?",
    "score native.jsonl --rules gca-rep": "unknown rule set 'gca-rep' … did you mean gca-repo? … .toml",
    "score native.jsonl --measure JGB": "unknown measure 'JGB' … did you mean JGA?",
    "score native.jsonl --measure Zzzzzz": "unknown measure 'Zzzzzz' … known: AGA",
    "score native.jsonl --measure '(lam=1)'": "is not a measure",
    "score native.jsonl --measure 'FGA(lambda=1)'": "FGA has no parameter 'lambda' … did you mean lam?",
    "score native.jsonl --measure FGA": "FGA needs lam … FGA(lam=0.5)",
    "score native.jsonl --measure 'FGA(lam)'": "write parameters like lam=value",
    "score native.jsonl --measure 'FGA(lam=-1)'": "FGA … lam",
    "score native.jsonl --measure 'FGA(lam=much)'": "FGA … lam",
    "score native.jsonl --measure 'FGA(lam=1, local=papr)'": "FGA … local … papr",
    "score native.jsonl --measure 'GCA(alpha=2)'": "GCA … alpha",
    "score native.jsonl --measure 'SA(slots=-3)'": "SA … slots",
    "score native.jsonl --nonne keep": "--nonne … did you mean --set none=VALUE?",
    "score native.jsonl --set extra=ignore": "extra … ignore … known: ignore-domains, ignore-slots, penalise, unlisted",
    "score native.jsonl --set dontcare=never": "dontcare … never … known: drop, drop-exact, keep, merge",
    "score native.jsonl --set dontcare='gold=never;pred=keep'": "dontcare … never … known: drop, drop-exact, keep, merge",
    "score native.jsonl --set alternatives=all": "alternatives … known: any-of, any-of-both, first, first-listed, listed, literal, set",
    "score native.jsonl --set missing=ignore": "missing … known: empty, error, predicted-only, skip",
    "score native.jsonl --set state=turn": "state … known: cumulative, update, update-pred",
    "score native.jsonl --set values=trim,lowr": "values … lowr … known: blanks, digits, lower, mwzeval, nfkc, no-blanks, number-word, tidy, trim",
    "score native.jsonl --set names=multiwos": "names … multiwos … known: as-is, multiwoz, mwzeval",
    "score native.jsonl --set clash=first": "clash … first … known: error, keep, last",
    "score native.jsonl --set backend=rapidfuzz": "backend … rapidfuzz … known: difflib, levenshtein",
    "score native.jsonl --set undefined=1": "undefined … known: none, zero",
    "score native.jsonl --set only-slots=hotel-area": "only",
    "score native.jsonl --set map=multiwos": "no value map 'multiwos' … did you mean multiwoz?",
    "score native.jsonl --set map=nowhere.json": "nowhere.json: no such file",
    "score native.jsonl --set match=fuzzy": "use 'exact', or one of … 'fuzzy'",
    "score native.jsonl --set match='ratio>=high'": "use 'exact', or one of … ratio>=90",
    "score native.jsonl --by area": "area … 'domain' … 'slot' … 'turn'",
    "score native.jsonl -f html": "html is a report … dialmeter report RUN -o report.html",
    "score native.jsonl --colour": "--colour",
    "find native.jsonl d9": "no dialogue 'd9'",
    "score native.jsonl --force": "--force … --out",
    "score native.jsonl --fail-if 'JGA below 50'": "--fail-if … JGA < 0.5",
    "score native.jsonl --fail-if '< 0.5'": "--fail-if … JGA < 0.5",
    "score native.jsonl --fail-if 'JGA < 50'": "--fail-if … fractions … for 50 % write 0.5",
    "score native.jsonl --fail-if 'JGA < half'": "--fail-if … 'half' is not a number",
    "score native.jsonl --fail-if 'JGA < nan'": "--fail-if … nan",
    "score native.jsonl --fail-if 'JGB < 0.5'": "unknown measure 'JGB' … did you mean JGA?",
    "score native.jsonl --quiet --fail-if 'JGA[hotel] < 0.5'": "--fail-if … no such score",
    "score native.jsonl --set ci=95": "ci must be between 0 and 1",
    "scroe": "did you mean score?",
    "tracker scor": "no command 'tracker scor' … did you mean score?",
    "score": "needs FILE … dialmeter demo . --files-only && dialmeter score new.jsonl",
    "list measurs": "'measurs' is not one of",
    "list measures JGB": "did you mean JGA?",
    "list rules gca": "did you mean gca-repo?",
    "list formats nestd": "did you mean nested?",
    "list rules gcdf1-rep": "did you mean gcdf1-repo?",
    "list events unmached": "did you mean unmatched?",
    "list profiles multiwos": "unknown profile 'multiwos'",
    "cite": "",
    "cite nowhere": "nowhere",
    "cite JGB": "JGB",
    "convert x": "x: no such file",
    "--completion tcsh": "'tcsh' is not one of",
    "score agenda.jsonl --set repetition.max=4": "there is no setting 'repetition.max'; did you mean repetitions.max?",
    "score agenda.jsonl --set max=4": "there is no setting 'max'; did you mean repetitions.max or not_in_goal.max",
    "score agenda.jsonl --set repetitions.max=-1": "repetitions.max: Expected int >= 0",
    "score agenda.jsonl --set repetitions.max=often": "repetitions.max: Expected int, got str",
    "score agenda.jsonl --set values.threshold=2": "values.threshold: Expected float <= 1.0",
    "score agenda.jsonl --set repetitions.max": "a change must be KEY=VALUE",
    "score agenda.jsonl --rules gcdf1": "unknown rule set 'gcdf1'; did you mean gcdf1-repo?",
    "score agenda.jsonl --rules nowhere.toml": "nowhere.toml: no such file",
    "score agenda.jsonl --set profile=multiwos": "unknown profile 'multiwos'; did you mean multiwoz?",
    "score agenda.jsonl --set profile=nowhere.toml": "nowhere.toml: no such file",
    "score agenda.jsonl --set map=nowhere.json": "nowhere.json: no such file",
    "score agenda.jsonl --set map=multiwos": "no file and no value map 'multiwos'; did you mean multiwoz?",
    "score agenda.jsonl --subject user --from gcdf2": "unknown dialogue format 'gcdf2'; did you mean gcdf1?",
    "score agenda.jsonl --gold nowhere.json": "nowhere.json: no such file",
    "compare agenda.jsonl": "compare needs two files or more",
    "compare agenda.jsonl -": "compare reads its files twice",
    "compare one=agenda.jsonl forgetful.jsonl": "give every file a name (NAME=FILE), or none",
    "compare a=agenda.jsonl a=forgetful.jsonl": "two users are called 'a'",
    "compare agenda.jsonl agenda.jsonl": "two users are called",
    "compare agenda.jsonl forgetful.jsonl -m I-GCDF1[spa]": "spa",
    "compare agenda.jsonl nowhere.jsonl": "no such file",
    "compare x=native.jsonl worse.jsonl": "give every file a name (NAME=FILE), or none",
    "compare x=native.jsonl x=worse.jsonl": "two systems are called 'x'",
    "compare native.jsonl trivial:latte": "no trivial tracker 'latte'; did you mean late?",
    "compare trivial:late trivial:empty": "is made from gold states … --gold FILE",
    "find native.jsonl --sort 'JGA - SA - GCA'": "write a measure, or MEASURE - MEASURE",
    "user query agenda.jsonl --event unmached": "type: dialmeter find agenda.jsonl event=unmached",
    "user goals agenda.jsonl": "type: dialmeter convert agenda.jsonl --to goals",
    "score agenda.jsonl --sort JGA": "--sort is an option of `find`",
    "find native.jsonl slott=hotel-name": "did you mean slot?",
    "compare native.jsonl worse.jsonl --gold a --gold b --gold c": "--gold once for all",
    "compare native.jsonl worse.jsonl --set ci=95": "ci must be between 0 and 1",
    "compare native.jsonl": "two files or more … trivial:copy-previous",
    "study bias": "needs FILE … dialmeter study bias new.jsonl",
    "study bias native.jsonl native.jsonl": "a file is given twice",
    "study bias native.jsonl --set ci=0": "the study needs intervals",
    "study bias native.jsonl --gold a --gold b": "once for all files, or once for each of the 1",
    "study bias native.jsonl --measure JGB": "did you mean JGA?",
    "study bias vectors.json": "only which slots are right",
    "study bias nowhere.json": "no such file",
    "study sensitivity sgd/pred sgd/gold --gold sgd/gold": "a file with the original wording, and two or more with other wordings",
    "study sensitivity sgd/pred sgd/pred --gold sgd/gold": "a file is given twice; each wording is one file or folder",
    "study sensitivity sgd/pred sgd/gold sgd/pred2 --measure GCA --gold sgd/gold": "GCA is not defined under rules sgd",
    "study sensitivity sgd/pred sgd/gold sgd/pred2 --rules dialmeter --measure JGA --gold sgd/gold": "JGA is not one of the requested measures of frames",
    "study sensitivity sgd/pred sgd/gold sgd/pred2 --gold x --gold y": "--gold once for all files",
    "play --out x --dry-run": "no bot is `endpoint`",
    "score x --dry-run": "x: no such file",
    "judge attack x --out y --dry-run": "give an attack such as llm(endpoint=…, model=…)",
    "judge certify ratings.jsonl": "give the judge: -j NAME, or -j NAME=FILE",
    "judge certify ratings.jsonl --judge length": 'no labels pass and fail … pass-if=overall >= NUMBER',
    "judge certify ratings.jsonl --judge length --force": "--force needs --out",
    "judge certify ratings.jsonl --judge length --set pass-if=overall>=4 --out y": "y: a certificate is a file that ends with .json",
    "judge certify ratings.jsonl --judge length --set gate=kappa": "gate 'kappa': write it like … kappa >= 0.6",
    "judge certify ratings.jsonl --judge length --set 'gate=kappa >= 60'": "gate … for 60 % write 0.6",
    "judge certify ratings.jsonl --judge length --set pass-if=overall>=4 --set gate=kapa>=0.6": "no figure 'kapa' … did you mean kappa?",
    "judge certify ratings.jsonl --judge length --judge distinct --set pass-if=overall>=4": "of one judge, not of 2",
    "judge certify ratings.jsonl --judge length --set pass-if=overal>=4": "no 'overal' … did you mean overall?",
    "judge certify ratings.jsonl --judge length --set pass-if=overall>=4 --set attacks=nowhere": "nowhere: no run here",
    "study curve sgd": "no file is named like ratio_0.05_seed_557_prediction.json or T5_result_zeroshot_hotel.json",
    "study curve none": "no such folder",
    "study curve none.csv": "no such file",
    "study curve few --set ci=95": "ci must be between 0 and 1",
    "study curve few --measure JGB": "did you mean JGA?",
    "study curve few --set reference=GCB": "did you mean GCA?",
    "study people native.jsonl": "give either --make-sheet FILE to write a sheet, or --sheet FILE",
    "study people native.jsonl --sheet ratings.csv --make-sheet x": "give either --make-sheet FILE",
    "study people --sheet ratings.csv": "Missing argument",
    "study people native.jsonl --make-sheet x.csv --out y": "--make-sheet names the file of the sheet",
    "study people native.jsonl --sheet none.csv": "no such file",
    "study people native.jsonl --make-sheet ratings.csv": "already exists",
    "study people native.jsonl --make-sheet x --set scale=5": "a scale must be two increasing numbers",
    "study people native.jsonl --sheet ratings.csv --set ci=95": "ci must be between 0 and 1",
    "score native.jsonl -q -f value": "-f value needs exactly one score; choose one measure with -m",
    "score native.jsonl -q -f value --measure JGA --measure SA": "-f value needs exactly one score … found 2 scores",
    "score native.jsonl -q -f value --measure JGA --by slot": "-f value needs exactly one score",
    "score agenda.jsonl --set profile=town --quiet --fail-if 'JGA < 0.5'": "--fail-if",
    "score agenda.jsonl --set profile=town --quiet --fail-if 'I-GCDF1[spa] < 0.5'": "--fail-if",
    "score agenda.jsonl --set profile=town --quiet --fail-if 'I-GCDF1 below 1'": "--fail-if",
}  # fmt: skip
"""What is typed → what is said; … stands for words that do not matter."""


@pytest.fixture
def here(town_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(town_files)
    return town_files


def check(cli: Cli, words: str, message: str) -> None:
    result = cli(*shlex.split(words), code=2)
    assert not result.out or "--fail-if" in words or "--set dialogue" in words
    assert all(part in result.complaint for part in message.split(" … ")), result.complaint


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words: str, cli: Cli, here: Path) -> None:
    before = sorted(here.iterdir())
    check(cli, words, REFUSED[words])
    assert sorted(here.iterdir()) == before


BAD_CONTENT = {
    "score native.jsonl --rules mine.toml": {
        RULES.replace('state = "cumulative"', ""): "state",
        RULES + 'colour = "red"\n': "colour",
        RULES.replace('"exact"', '"about"'): "match",
        RULES.replace("values = []", 'values = ["lowr"]'): "values",
        RULES.replace("none = []", "none = [1]"): "none",
        RULES.replace("none = []", "none = { gold = [] }"): "pred … none",
        RULES + 'names = "multiwos"\n': "names … multiwos",
        RULES + 'only = [["hotel", "area"]]\n': "only",
        RULES + 'map = "multiwos"\n': "did you mean multiwoz?",
        RULES + 'measures = ["JGB"]\n': "JGB … did you mean JGA?",
        "values = [": "not valid TOML",
        "values = []\n": "none, dontcare, extra",
    },
    "score native.jsonl --set schema=mine.json": {
        "[": "not valid JSON",
        "[]": "without slots",
        '["area"]': "domain-slot",
        '["a-b", "a-b"]': "a-b",
        "3": "found a number",
    },
    "study people native.jsonl --sheet mine.csv": {
        "dialogue,ann\nTOWN0001,fine\n": "line 2, dialogue TOWN0001: the rating of ann must be a number or empty, not 'fine'",
        "dialogue,ann\nX1,3\n": "none of the 1 rated dialogues is in the file",
    },
    "compare mine.toml": {
        "[[row]": "not valid TOML",
        "row = []": "there is no row",
        '[[row]]\nsystem = "a"': "missing required field file",
        BOARD.format("a", "good.jsonl") + 'url = "x"': "unknown field url",
        BOARD.format("a", "none.jsonl"): "two files or more",
        BOARD.format("a", "none.jsonl") + BOARD.format("b", "good.jsonl"): "none.jsonl: no such file",
        BOARD.format("a", "good.jsonl") * 2: "two systems are called 'a'",
        BOARD.format("", "good.jsonl"): "length >= 1",
    },
    "score agenda.jsonl --rules mine.toml": {
        "[repetition]\nmax = 0\n": "there is no setting 'repetition.max'; did you mean repetitions.max?",
        "repetitions = 3\n": "'repetitions' must be a table of settings",
        'base = "gcdf"\n': "unknown rule set 'gcdf'",
        "[repetitions\n": "not valid TOML",
    },
    "score agenda.jsonl --set profile=mine.toml": {
        PROFILE.replace("^tell$", "(tell"): "acts.inform is not a regular expression",
        PROFILE + "sing = 'x'\n": "unknown field",
        "domains = []\n": "missing required field",
        "domains = [\n": "not valid TOML",
    },
    "score agenda.jsonl --set map=mine.json": dict.fromkeys(("[]", '{"food": 3}', '{"food": {"thai": "thai"}}', "{"), "mine.json: "),
    "score agenda.jsonl --set 'acts=rules(accuracy=mine.json)'": {
        "{": "not valid JSON",
        '{"reader": 1}': "-f json`: Expected str, got int - at $.reader",
        '{"reader": "rules", "accuracy": ""}': "expected the output of `dialmeter check FILE --set acts=READER -f json`",
        '{"reader": "town", "accuracy": "", "command": "check", "kind": "user"}': "the accuracy is of the reader town, not of rules",
    },
}  # fmt: skip
"""Commands with a file, and what may be wrong in it."""


@pytest.mark.parametrize(
    ("words", "content"), [(words, content) for words in BAD_CONTENT for content in BAD_CONTENT[words]]
)
def test_bad_content(words: str, content: str, cli: Cli, here: Path, tmp_path: Path) -> None:
    name = re.findall(r"mine\.\w+", words)[0]
    file = written(tmp_path / name, content)
    check(cli, words.replace(name, str(file)), BAD_CONTENT[words][content])


def test_no_command_shows_help(cli: Cli) -> None:
    for words in ([], ["study"], ["judge"]):
        result = cli(*words, code=None)
        assert result.code in (0, 2)
        assert "Commands:\n" in result.out + result.err


class TestOut:
    """``--out`` does not replace existing files, and the message says how to continue."""

    @pytest.fixture
    def run(self, tmp_path: Path, cli: Cli) -> Path:
        cli("score", town(tmp_path), "--out", tmp_path / "run", "--quiet")
        return tmp_path / "run"

    def refused(self, cli: Cli, file: Path, out: Path, *more: str) -> str:
        before = files_in(file.parent)
        result = cli("score", file, "--out", out, *more, code=2)
        assert result.out == ""
        assert files_in(file.parent) == before
        return result.complaint

    def test_finished_run(self, run: Path, tmp_path: Path, cli: Cli) -> None:
        for more in ([], []):
            complaint = self.refused(cli, tmp_path / "town.jsonl", run, *more)
            assert complaint == f"{run}: holds a finished run; use --force to replace it"

    def test_file(self, tmp_path: Path, cli: Cli) -> None:
        taken = written(tmp_path / "taken", "mine")
        for more in ([], ["--force"]):
            assert self.refused(cli, town(tmp_path), taken, *more).startswith(f"{taken}: is a file")

    def test_folder_with_something_else(self, tmp_path: Path, cli: Cli) -> None:
        taken = written(tmp_path / "taken" / "thesis.tex", "mine").parent
        assert self.refused(cli, town(tmp_path), taken).startswith(f"{taken}: is not empty")

    def test_unfinished_run(self, run: Path, tmp_path: Path, cli: Cli) -> None:
        (run / "run.json").unlink()
        written(run / "parts" / "identity.json", "{}")
        complaint = self.refused(cli, tmp_path / "town.jsonl", run)
        assert "the unfinished run has other input, rules or measures" in complaint
        assert "--force" in complaint

    def test_unwritable_place(self, tmp_path: Path, cli: Cli) -> None:
        inside_a_file = written(tmp_path / "taken", "mine") / "run"
        assert str(inside_a_file) in self.refused(cli, town(tmp_path), inside_a_file)

    def test_force_and_other_files(self, run: Path, tmp_path: Path, cli: Cli) -> None:
        before = files_in(run)
        written(run / "notes.txt", "mine")
        cli("score", tmp_path / "town.jsonl", "--out", run, "--force", "--quiet")
        after = files_in(run)
        assert after.pop("notes.txt") == b"mine"
        assert {name: data for name, data in after.items() if name != "log.json"} == {
            name: data for name, data in before.items() if name != "log.json"
        }


class TestConvertTo:
    """``convert`` does not overwrite files, and reports a path that cannot be written."""

    def test_file_there(self, tmp_path: Path, cli: Cli) -> None:
        file, taken = town(tmp_path), written(tmp_path / "taken.jsonl", "mine")
        assert cli.refused("convert", file, taken) == f"{taken}: already exists; use --force to replace it"
        assert taken.read_text() == "mine"
        cli("convert", file, taken, "--force")
        assert taken.read_bytes().count(b"\n") == 3

    @pytest.mark.parametrize("place", ["nowhere/out.jsonl", "town.jsonl/out.jsonl"])
    def test_place_none(self, place: str, tmp_path: Path, cli: Cli) -> None:
        assert cli.refused("convert", town(tmp_path), tmp_path / place).startswith(
            f"{tmp_path / place}: cannot be written"
        )
        assert list(files_in(tmp_path)) == ["town.jsonl"]
