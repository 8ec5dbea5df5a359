"""``dialmeter judge attack``"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dialmeter.errors import InputError
from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import PAPER, named
from dialmeter.judges.case_files import PUBLISHED_NAMES, read_cases, read_published, write_published
from dialmeter.judges.cases import Case, pairs
from dialmeter.judges.language import Language, thesaurus
from dialmeter.readers.content import case_folders
from dialmeter.readers.layouts.own import conversation_to_dict

from ...cli.invoke import Cli, files_in, set_place
from ...docs.test_plugins import install, run
from .talk import VILLAGE


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "village.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(conversation_to_dict(talk)) for talk in VILLAGE))
    return path


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    set_place(monkeypatch, no_cache="true")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_cases_and_their_yield(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "cases.jsonl"
    words = ["judge", "attack", corpus, "--out", out, "--set", "light", "--limit", "3", "--attack", "all"]
    said = cli(*words)
    assert "named-entity" in said.out
    assert "pip install 'dialmeter[attacks]'" in said.err
    cases = lines(out)
    assert {"attack", "variant", "context", "reply", "adversarial", "spans", "source", "expected", "facet"} <= cases[
        0
    ].keys()
    assert {case["corpus"] for case in cases} == {"village.jsonl"}
    assert len(read_cases(out)) == len(cases)
    assert "--force" in cli.refused(*words)
    before = out.read_bytes()
    cli(*words, "--force", "--quiet")
    assert out.read_bytes() == before


def test_light_attacks_load_no_network(corpus: Path, tmp_path: Path) -> None:
    words = [
        "judge",
        "attack",
        str(corpus),
        "--out",
        str(tmp_path / "cases.jsonl"),
        "--set",
        "light",
        "--attack",
        "all",
    ]
    code = f"from dialmeter.cli.main import cli; cli.main({words!r}, standalone_mode=False)"
    report = "import sys; print(*({'torch', 'spacy', 'thinc', 'lemminflect', 'lemminflect.core'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ("lemminflect.core" if thesaurus.has_lemminflect() else "")


def test_json(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "cases.jsonl"
    words = ["judge", "attack", corpus, "--out", out, "--set", "light", "--limit", "2"]
    found = cli.json(*words)
    assert found["counts"]["cases"] == len(lines(out))
    assert found["seed"] == 7
    assert [each["attack"] for each in found["yields"]][:2] == ["entailment", "pronoun"]
    assert "tokens-by-rule" in found["resources"]


def test_co_reference_is_not_in_the_default_set(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    def attacks(*words: str) -> set[str]:
        options = ["--out", tmp_path / f"{len(words)}.jsonl", *["--set", "light", "-f", "json", "--limit", "1"]]
        return {each["attack"] for each in cli("judge", "attack", corpus, *options, *words).json["yields"]}

    assert attacks() == set(PAPER) - {"co-reference"}
    assert attacks("--attack", "paper") == set(PAPER)
    assert attacks("--attack", "default", "--attack", "co-reference") == set(PAPER)


def test_variants_and_pairs(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    made, out = tmp_path / "cases.jsonl", tmp_path / "pairs.jsonl"
    words = ["--set", "light", "--attack", "dullness:generic", "--attack", "entrainment:shared-word"]
    cli("judge", "attack", corpus, "--out", made, *words)
    cli("convert", made, out, "--to", "pairs")
    found = lines(out)
    assert {pair["attack"] for pair in found} == {"dullness"}
    assert {"context", "chosen", "rejected"} <= found[0].keys()


def test_published_folders_there_and_back(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    made, folder, out = tmp_path / "made.jsonl", tmp_path / "published", tmp_path / "cases.jsonl"
    words = ["--set", "light", "--attack", "pronoun", "--limit", "4"]
    cli("judge", "attack", corpus, "--out", made, *words)
    cli("convert", made, folder, "--to", "published")
    assert sorted(files_in(folder)) == [f"pronoun/case_{number}" for number in range(4)]
    assert "write `dialmeter convert" in cli.refused("judge", "attack", folder, "--out", out)
    said = cli("convert", folder, out)
    assert said.err == f"4 of 4 cases read; 4 cases in {out}\n"
    assert [case.attack for case in read_cases(out)] == ["pronoun"] * 4


def test_a_paraphraser_of_ones_own(corpus: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_words.py").write_text("def reworded(text):\n    return 'In other words: ' + text\n")
    monkeypatch.syspath_prepend(tmp_path)
    out = tmp_path / "cases.jsonl"
    words = ["--set", "light", "--attack", "natural-paraphrase:model", "--set", "paraphraser=my_words:reworded"]
    cli("judge", "attack", corpus, "--out", out, *words)
    sys.modules.pop("my_words")
    assert all(case["adversarial"].startswith("In other words: ") for case in lines(out))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--attack", "pronouns"], "unknown attack 'pronouns'; did you mean pronoun?"),
        (["--attack", "pronoun:gendre"], "the attack pronoun has no variant 'gendre'; did you mean gender?"),
        (["--set", "paraphraser=nowhere:f"], "paraphraser"),
        (["--set", "paraphraser=json"], "write it as module:function"),
        (["--attack", "llm(kind=dull)"], "attack llm needs a model: set DIALMETER_ENDPOINT and DIALMETER_MODEL"),
        (["--set", "pipeline=xx_no_such"], "cannot load the pipeline 'xx_no_such'"),
        (["--from", "nothing"], "unknown dialogue format"),
    ],
)
def test_errors_are_one_line(words: list[str], complaint: str, corpus: Path, tmp_path: Path, cli: Cli) -> None:
    if "--set pipeline" in words:
        pytest.importorskip("spacy", reason="the extra `attacks` is not installed")
    out = tmp_path / "cases.jsonl"
    assert complaint in cli.refused("judge", "attack", corpus, "--out", out, "--quiet", *words)
    assert not out.exists()


def test_a_corpus_that_is_not_there(tmp_path: Path, cli: Cli) -> None:
    assert "no such file" in cli.refused("judge", "attack", tmp_path / "no.jsonl", "--out", tmp_path / "c.jsonl")


def test_fallbacks(corpus: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, full: Language) -> None:
    monkeypatch.setattr(thesaurus, "wordnet_places", lambda: iter(()))
    out = tmp_path / "cases.jsonl"
    words = ["--attack", "entrainment", "--attack", "unnatural-paraphrase", "--limit", "3"]
    said = cli("judge", "attack", corpus, "--out", out, *words)
    lines = [line for line in said.err.splitlines() if "WordNet" in line]
    assert lines == [f"warning: the built-in lexicon replaces WordNet; {thesaurus.INSTALL}"]
    made = read_cases(out)
    assert {case.attack for case in made} == {"entrainment", "unnatural-paraphrase"}
    assert all("dialmeter-lexicon-1" in case.resources for case in made)


def test_the_attack_of_the_page(tmp_path: Path) -> None:
    install(tmp_path)
    corpus, out = tmp_path / "village.jsonl", tmp_path / "cases.jsonl"
    corpus.write_bytes(b"\n".join(msgspec.json.encode(conversation_to_dict(talk)) for talk in VILLAGE))
    words = ["--attack", "backwards", "--limit", "4", "--set", "light"]
    done = run(tmp_path, "judge", "attack", str(corpus), "--out", str(out), *words)
    assert done.returncode == 0, done.stderr
    cases = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(cases) == 4
    for case in cases:
        assert (case["attack"], case["variant"], case["expected"]) == ("backwards", "words", "lower")
        assert case["adversarial"].split() == case["reply"].split()[::-1]


@pytest.fixture
def cases(light: Language) -> list[Case]:
    return attack_corpus(VILLAGE, [named("pronoun"), named("dullness"), named("entrainment")], light, cases=6).cases


def test_published_folders_are_read_as_they_were_written(cases: list[Case], tmp_path: Path) -> None:
    assert write_published(tmp_path, cases) == len(cases)
    assert case_folders(tmp_path)
    back, notices = read_published(tmp_path)
    assert notices == []
    # The published format has no variants, so the expectation is that of the attack.
    expected = {
        (case.attack, named(case.attack).expected, named(case.attack).facet, case.reply, case.adversarial)
        for case in cases
    }
    assert {(case.attack, case.expected, case.facet, case.reply, case.adversarial) for case in back} == expected
    texts = {tuple(move.text for move in case.context) for case in cases}
    assert {tuple(move.text for move in case.context) for case in back} == texts


def test_every_attack_of_the_paper_has_its_published_name() -> None:
    assert list(PUBLISHED_NAMES) == list(PAPER)
    assert len(set(PUBLISHED_NAMES.values())) == len(PAPER)


def published(folder: Path, name: str, original: list[str], modified: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    lines = ["original_conversation", *original, "modified_conversation", *modified]
    (folder / name).write_text("\n".join(lines) + "\n", "utf-8")


def test_faulty_published_cases_are_skipped_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "ner-1"
    published(folder, "case_0", ["Hi", "I am Ida."], ["Hi", "I am Leeds."])
    published(folder, "case_1", ["Hi", "I am Ida."], ["Hi", "i am  ida ."])
    published(folder, "case_2", ["Hi", "I am Ida."], ["Ho", "I am Leeds."])
    published(folder, "case_10", ["I am Ida."], ["I am Leeds."])
    (folder / "prob_cases_x").write_text("case_0 1 2")
    cases, notices = read_published(tmp_path)
    assert [(case.attack, case.adversarial, case.spans) for case in cases] == [
        ("named-entity", "I am Leeds.", ((5, 10),))
    ]
    assert {notice.message: notice.where for notice in notices} == {
        "1 cases unscored: no context": ("ner-1/case_10",),
        "1 cases unscored: nothing changes": ("ner-1/case_1",),
        "1 cases unscored: the context changes": ("ner-1/case_2",),
    }


def test_a_file_that_is_not_a_case_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "dullness"
    folder.mkdir()
    (folder / "case_3").write_text("hello")
    with pytest.raises(InputError, match=r"case_3.*expected a line original_conversation"):
        read_published(tmp_path)


def test_pairs_only_if_one_reply_is_better(cases: list[Case]) -> None:
    found = list(pairs(cases))
    assert {pair.attack for pair in found} == {case.attack for case in cases if case.expected == "lower"}
    assert {(pair.chosen, pair.rejected) for pair in found} == {
        (case.reply, case.adversarial) for case in cases if case.expected == "lower"
    }
