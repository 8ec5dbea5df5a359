"""``tracker score`` as a user types it."""

from __future__ import annotations

import csv
import gzip
import io
import shlex
import sys
from pathlib import Path

import pytest

from dialmeter.core.comparability import difference
from dialmeter.readers.raw_file import zstd_module

from ..invoke import call
from ..samples import BOTH, EAST, TOWN, native_lines, nested_document, town, written

ASKED = ["--measure", "JGA", "--measure", "FGA(lam=0.5)", "--measure", "GCA", "--ci", "0"]
SHARED = (
    "rules:dialmeter|values:nfkc+tidy+trim+blanks+lower|none:blank+none+null+not-mentioned+not_mentioned+n/a+unknown|dontcare:merge|extra:penalise"
    "|missing:error|state:cumulative|avg:turn|d:3|t:6|gold:e16544399b|data:5cc1a6cf0c|v:0.1.0"
)

TEXT = f"""\
town.jsonl  format native  6 turns  rules dialmeter

measure       value  interval  n  unscored  note
────────────  ─────  ────────  ─  ────────  ────
JGA           50.00            6
FGA(lam=0.5)  56.56            6
GCA           61.40            6
3 of 3 dialogues scored

signature  JGA,FGA(lam=0.5),GCA|{SHARED}

worst dialogues
dialogue  FGA(lam=0.5)  wrong turns  missed  wrong  over
────────  ────────────  ───────────  ──────  ─────  ────
d2                0.00       1 of 1       0      0     1
d1               46.45       2 of 3       1      1     0

Next: dialmeter tracker score town.jsonl --dialogue d2
"""

MARKDOWN = f"""\
| measure | value | interval | n | unscored | note |
|---|---:|---:|---:|---:|---|
| JGA | 50.00 |  | 6 |  |  |
| FGA(lam=0.5) | 56.56 |  | 6 |  |  |
| GCA | 61.40 |  | 6 |  |  |

3 of 3 dialogues scored

Signature: `JGA,FGA(lam=0.5),GCA|{SHARED}`
"""

LATEX = rf"""% needs \usepackage{{booktabs}}
\begin{{table}}
\centering
{{\fontsize{{9}}{{11}}\selectfont\setlength{{\tabcolsep}}{{4pt}}%
\begin{{tabular}}{{@{{}}lrr@{{}}}}
\toprule
measure & value & n \\
\midrule
JGA & 50.00 & 6 \\
FGA$_{{\lambda=0.5}}$ & 56.56 & 6 \\
GCA & 61.40 & 6 \\
\bottomrule
\end{{tabular}}\par}}
\caption{{Scores in percent.}}
\label{{tab:score}}
\end{{table}}
% 3 of 3 dialogues scored

% signature  JGA,FGA(lam=0.5),GCA|{SHARED}
"""

CSV = f"""\
measure,value,low,high,n,unscored,reason,signature
JGA,0.500000,,,6,0,,JGA|{SHARED}
FGA(lam=0.5),0.565578,,,6,0,,FGA(lam=0.5)|{SHARED}
GCA,0.613953,,,6,0,,GCA|{SHARED}
"""

SHOWN = """
dialogue d1
turn 0  right
  user    In the east, please.
  = hotel-area: east
turn 1  wrong
  system  Fine.
  user    And a taxi to a-b.
  ≠ hotel-area: east predicted as west  (wrong)
  − taxi-to: a-b  (missed)
turn 2  wrong, by older mistakes
  system  Anything else?
  user    That is all.
  ≠ hotel-area: east predicted as west  (wrong, carried over)
  − taxi-to: a-b  (missed, carried over)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the file of the town, with a name without a folder."""
    monkeypatch.chdir(tmp_path)
    return town(tmp_path).name


@pytest.mark.parametrize(
    ("style", "expected"), [("text", TEXT), ("markdown", MARKDOWN), ("latex", LATEX), ("csv", CSV)]
)
def test_every_style(style: str, expected: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "tracker", "score", file, *ASKED, "--as", style)
    assert result.code == 0
    assert result.out == expected
    assert result.err == ""


def test_without_measures_the_ten_of_the_rule_set(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, "tracker", "score", file, "--json").json
    assert [(score["measure"], round(100 * score["value"], 2)) for score in found["scores"]] == [
        ("JGA", 50.0),
        ("SA", 58.33),
        ("AGA", 60.0),
        ("RSA", 50.0),
        ("FGA(lam=0.25)", 53.69),
        ("FGA(lam=0.5)", 56.56),
        ("FGA(lam=0.75)", 58.79),
        ("FGA(lam=1)", 60.54),
        ("GCA", 61.4),
        ("SlotF1", 53.33),
    ]
    assert found["counts"] == {
        "dialogues": 3,
        "turns": 6,
        "exact_turns": 3,
        "local_turns": 4,
        "missed": 1,
        "wrong": 1,
        "over": 1,
        "correct": 3,
    }


def test_json_is_all_there_is_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [{"gold": {}, "pred": {}}, {"gold": EAST, "pred": {"hotel-area": "east|west"}}]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    result = call(capsys, "tracker", "score", file, "--json")
    codes = [warning["code"] for warning in result.json["warnings"]]
    assert codes == ["rsa-empty", "several-values"]
    assert [line[:9] for line in result.err.splitlines()] == ["warning: "] * 2
    assert call(capsys, "tracker", "score", file, "--json", "--quiet").err == ""


def test_a_measure_is_asked_for_in_any_case_and_once(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--measure", "jga", "--measure", "fga(lam=.5)", "--measure", "JGA(average=turn)"]
    found = call(capsys, "tracker", "score", file, *words, "--json").json
    assert [score["measure"] for score in found["scores"]] == ["JGA", "FGA(lam=0.5)"]


@pytest.mark.parametrize("measure", ["JGA", "FGA(lam=0.5)"])
def test_one_bare_number(measure: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = call(capsys, "tracker", "score", file, "--measure", measure, "--json").json["scores"][0]["value"]
    result = call(capsys, "tracker", "score", file, "-b", "--measure", measure)
    assert (result.code, result.out) == (0, f"{100 * value:.2f}\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "--bare needs exactly one --measure, found 0"),
        (("--measure", "JGA", "--measure", "SA"), "--bare needs exactly one --measure, found 2"),
        (("--measure", "JGA", "--json"), "--bare prints one number; it cannot be combined with --as json"),
        (("--measure", "JGA", "--by", "slot"), "--bare prints one number; it cannot be combined with --by"),
        (("--measure", "JGA", "--dialogue", "d1"), "--bare prints one number; it cannot be combined with --dialogue"),
        (("--measure", "JGA", "--signatures"), "--bare prints one number; it cannot be combined with --signatures"),
    ],
)
def test_no_bare_number(words: tuple[str, ...], says: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "tracker", "score", file, "-b", *words)
    assert (result.code, result.out, result.complaint) == (2, "", says)


def test_signatures_in_full(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = call(capsys, "tracker", "score", file, *ASKED, "--signatures").out
    lines = [line for line in out.splitlines() if line.startswith("signature")]
    assert lines == [f"signature  {measure}|{SHARED}" for measure in ("JGA", "FGA(lam=0.5)", "GCA")]


def test_intervals_come_from_the_seed(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    def limits(*words: str) -> list[object]:
        found = call(capsys, "tracker", "score", file, "--measure", "FGA(lam=0.5)", "--json", *words).json
        return [found["scores"][0]["ci"], found["intervals"]]

    assert limits() == limits()
    low, high = limits()[0]  # type: ignore[misc]
    assert 0 <= low <= 0.5656 <= high <= 1
    assert limits("--ci", "0") == [None, None]
    assert limits("--seed", "7")[1] != limits()[1]


def test_one_dialogue_turn_by_turn(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = call(capsys, "tracker", "score", file, *ASKED, "--dialogue", "D1.json")
    assert result.out.endswith(SHOWN)
    assert "Next:" not in result.out


def test_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d3": TOWN["d3"]}))
    out = call(capsys, "tracker", "score", file).out
    assert out.endswith("\nNo dialogue has a mistake.\n")


GROUPS = {
    "domain": [("hotel", 5, 60.0), ("pub", 0, None), ("taxi", 3, 33.33)],
    "slot": [("hotel-area", 5, 60.0), ("pub-name", 0, None), ("taxi-to", 3, 33.33)],
    "turn": [(0, 3, 66.67), (1, 2, 50.0), (2, 1, 0.0)],
    "without-domain": [("hotel", 6, 50.0), ("pub", 6, 66.67), ("taxi", 6, 50.0)],
}


@pytest.mark.parametrize("group", GROUPS)
def test_scores_by_group(group: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(capsys, "tracker", "score", file, "--measure", "JGA", "--by", group, "--json").json
    of_groups = [score for score in found["scores"] if group in score]
    assert [
        (score[group], score["n"], score["value"] and round(100 * score["value"], 2)) for score in of_groups
    ] == GROUPS[group]
    assert all(f"{group}:{score[group]}" in score["signature"].split("|") for score in of_groups)
    table = call(capsys, "tracker", "score", file, "--measure", "JGA", "--by", group).out
    assert f"\nby {group}\n{group}" in table


def test_all_turns_of_a_domain(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--measure", "JGA", "--by", "domain", "--turns", "all", "--json"]
    found = call(capsys, "tracker", "score", file, *words).json
    by_domain = {score["domain"]: (score["n"], round(100 * score["value"], 2)) for score in found["scores"][1:]}
    assert by_domain == {"hotel": (6, 66.67), "pub": (6, 83.33), "taxi": (6, 66.67)}


def test_several_groups_are_one_table(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = call(
        capsys, "tracker", "score", file, "--measure", "JGA", "--by", "turn", "--by", "domain", "--as", "csv"
    ).out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["turn"], row["domain"]) for row in rows] == [
        ("", ""), ("0", ""), ("1", ""), ("2", ""), ("", "hotel"), ("", "pub"), ("", "taxi"),
    ]  # fmt: skip
    assert [(row["n"], row["value"], row["reason"]) for row in rows[4:]] == [
        ("5", "0.600000", ""),
        ("0", "", "nothing to count"),
        ("3", "0.333333", ""),
    ]


@pytest.mark.parametrize(
    ("name", "pack"), [("p.jsonl.gz", gzip.compress), ("p.jsonl.zst", zstd_module().compress), ("p.jsonl", bytes)]
)
def test_compressed_files(
    name: str, pack: object, tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = written(tmp_path / name, pack(native_lines(TOWN)))  # type: ignore[operator]
    assert (
        call(capsys, "tracker", "score", packed, "--json").json["scores"]
        == call(capsys, "tracker", "score", file, "--json").json["scores"]
    )


def test_standard_input(file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = call(capsys, "tracker", "score", file, *ASKED).out
    for data in (native_lines(TOWN), gzip.compress(native_lines(TOWN))):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))  # type: ignore[arg-type]
        result = call(capsys, "tracker", "score", "-", *ASKED)
        heading, _, rest = result.out.partition("\n")
        assert heading.startswith("-  format native  6 turns")
        # A pipe cannot be read again, so there is no next command.
        assert rest == expected.partition("\n")[2].partition("\nNext:")[0]


def test_two_layouts_give_one_result(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    nested = written(tmp_path / "town.json", nested_document(TOWN))
    one, other = (call(capsys, "tracker", "score", each, "--json").json for each in (file, nested))
    assert (one["format"], other["format"]) == ("native", "nested")
    assert one["scores"] == other["scores"]
    forced = call(capsys, "tracker", "score", nested, "--from", "nested", "--json").json
    assert forced["scores"] == one["scores"]


def test_slots_of_the_schema(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = written(tmp_path / "schema.json", '["hotel-area", "taxi-to", "pub-name", "pub-area"]')
    [score] = call(capsys, "tracker", "score", file, "--measure", "SA", "--schema", schema, "--json").json["scores"]
    assert score["value"] == pytest.approx((1 + 0.5 + 0.5 + 0.75 + 1 + 1) / 6)
    assert "K:4" in score["signature"].split("|")


def _turns(*pairs: tuple[dict[str, object], dict[str, object]]) -> list[dict[str, object]]:
    return [{"gold": gold, "pred": pred} for gold, pred in pairs]


RULES: dict[str, tuple[str, list[dict[str, object]], float, float]] = {
    "names": ("as-is", _turns(({"a-book day": "1"}, {"a-day": "1"})), 1, 0),
    "clash": ("last", _turns(({"a-book day": "1", "a-day": "2"}, {"a-day": "2"})), 0, 1),
    "values": ("as-is", _turns(({"a-b": "East"}, {"a-b": "east"})), 1, 0),
    "none": ("keep", _turns(({"a-b": "none"}, {})), 1, 0),
    "dontcare": ("keep", _turns(({"a-b": "dontcare"}, {"a-b": "don't care"})), 1, 0),
    "extra": ("ignore-slots", _turns(({}, {"a-b": "1"})), 0, 1),
    "alternatives": ("literal", _turns(({"a-b": "x|y"}, {"a-b": "y"})), 1, 0),
    "match": ("partial_ratio>=90", _turns(({"a-b": "the gables"}, {"a-b": "gables"})), 0, 1),
    "missing": ("empty", _turns((EAST, EAST)), 1, 1),
    "state": ("update-pred", _turns((EAST, EAST), (BOTH, {"taxi-to": "a-b"})), 0.5, 1),
}


@pytest.mark.parametrize("field", RULES)
def test_a_rule_changes_the_number_and_the_signature(
    field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice, turns, before, after = RULES[field]
    file = written(tmp_path / "p.jsonl", native_lines({"d1": turns}))
    words = ["tracker", "score", file, "--measure", "JGA", "--json"]
    [usual] = call(capsys, *words).json["scores"]
    [changed] = call(capsys, *words, f"--{field}", choice).json["scores"]
    assert (usual["value"], changed["value"]) == (before, after)
    # A rule may also change what is seen of gold.
    lines = difference(usual["signature"], changed["signature"])
    [told] = [each for each in lines if not each.startswith("data: ")]
    assert told.startswith(f"{field}: ")
    assert told.endswith(f" ≠ {choice}")


def test_a_rule_of_a_named_set_may_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "p.jsonl", native_lines({"d1": _turns(({"a-b": "none"}, {}))}))
    words = ["tracker", "score", file, "--measure", "JGA", "--rules", "gca-repo", "--json"]
    assert call(capsys, *words).json["scores"][0]["value"] == 1
    assert call(capsys, *words, "--none", "keep").json["scores"][0]["value"] == 0


def test_rules_from_a_file(tmp_path: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules = written(
        tmp_path / "strict.toml",
        'values = []\nnone = []\ndontcare = "keep"\nextra = "penalise"\nalternatives = "literal"\nmatch = "exact"\n'
        'missing = "error"\nstate = "cumulative"\nmeasures = ["SA"]\n[settings]\nSA = { slots = 10 }\n',
    )
    [score] = call(capsys, "tracker", "score", file, "--rules", rules, "--json").json["scores"]
    assert score["measure"] == "SA"
    assert {"rules:strict", "values:as-is", "none:keep", "K:10"} <= set(score["signature"].split("|"))


class TestNextCommand:
    """The last line of the output is a command that works unchanged."""

    def next_of(self, capsys: pytest.CaptureFixture[str], *words: str | Path) -> list[str]:
        last = call(capsys, "tracker", "score", *words, "--quiet").out.splitlines()[-1]
        assert last.startswith("Next: dialmeter ")
        return shlex.split(last.removeprefix("Next: dialmeter "))

    @pytest.mark.parametrize("name", ["d1", "two words", "it's", "a$b;`c`", "--json", "日本"])
    def test_shows_the_worst_dialogue(self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = written(tmp_path / "my file.jsonl", native_lines({name: TOWN["d1"]}))
        result = call(capsys, *self.next_of(capsys, file))
        assert result.code == 0
        assert f"\ndialogue {name}\n" in result.out

    def test_keeps_what_says_how_it_was_scored(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
        pred = written(tmp_path / "pred.jsonl", native_lines(TOWN, "pred"))
        only = written(tmp_path / "only.txt", "d1\nd3\n")
        words = [pred, "--gold", gold, "--rules", "gca-repo", "--none", "keep", "--from", "native", "--only", only]
        typed = self.next_of(capsys, *words)
        first = call(capsys, "tracker", "score", *words, "--json").json
        again = call(capsys, *typed, "--json").json
        assert again["scores"] == first["scores"]
        assert typed[-2:] == ["--dialogue", "d1"]
