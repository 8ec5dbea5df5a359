"""``dialmeter judge attack``"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dialmeter.judges.attacks import PAPER
from dialmeter.judges.case_files import read_cases
from dialmeter.judges.language import Language, thesaurus
from dialmeter.readers.layouts.own import conversation_to_dict

from ...cli.invoke import Cli, files_in
from .talk import VILLAGE


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "village.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(conversation_to_dict(talk)) for talk in VILLAGE))
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_cases_and_their_yield(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "cases.jsonl"
    words = ["judge", "attack", corpus, "--out", out, "--light", "--no-cache", "--cases", "3", "--attack", "all"]
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


def test_json(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "cases.jsonl"
    words = ["judge", "attack", corpus, "--out", out, "--light", "--no-cache", "--cases", "2"]
    found = cli.json(*words)
    assert found["counts"]["cases"] == found["counts"]["written"] == len(lines(out))
    assert found["seed"] == 7
    assert [each["attack"] for each in found["yields"]][:2] == ["entailment", "pronoun"]
    assert "tokens-by-rule" in found["resources"]


def test_co_reference_is_not_in_the_default_set(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    def attacks(*words: str) -> set[str]:
        options = ["--out", tmp_path / f"{len(words)}.jsonl", "--light", "--no-cache", "--json", "--cases", "1"]
        return {each["attack"] for each in cli("judge", "attack", corpus, *options, *words).json["yields"]}

    assert attacks() == set(PAPER) - {"co-reference"}
    assert attacks("--attack", "paper") == set(PAPER)
    assert attacks("--attack", "default", "--attack", "co-reference") == set(PAPER)


def test_one_variant_and_pairs(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "pairs.jsonl"
    words = ["--light", "--no-cache", "--pairs", "--attack", "dullness:generic", "--attack", "entrainment:shared-word"]
    cli("judge", "attack", corpus, "--out", out, *words)
    found = lines(out)
    assert {pair["attack"] for pair in found} == {"dullness"}
    assert {"context", "chosen", "rejected"} <= found[0].keys()


def test_published_folders_there_and_back(corpus: Path, tmp_path: Path, cli: Cli) -> None:
    folder, out = tmp_path / "published", tmp_path / "cases.jsonl"
    words = ["--light", "--no-cache", "--attack", "pronoun", "--cases", "4", "--layout", "published"]
    cli("judge", "attack", corpus, "--out", folder, *words)
    assert sorted(files_in(folder)) == [f"pronoun/case_{number}" for number in range(4)]
    found = cli.json("judge", "attack", folder, "--out", out)
    assert found["counts"] == {"cases": 4, "left_out": 0, "written": 4}
    assert [case.attack for case in read_cases(out)] == ["pronoun"] * 4


def test_a_paraphraser_of_ones_own(corpus: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_words.py").write_text("def reworded(text):\n    return 'In other words: ' + text\n")
    monkeypatch.syspath_prepend(tmp_path)
    out = tmp_path / "cases.jsonl"
    words = ["--light", "--no-cache", "--attack", "natural-paraphrase:model", "--paraphraser", "my_words:reworded"]
    cli("judge", "attack", corpus, "--out", out, *words)
    sys.modules.pop("my_words")
    assert all(case["adversarial"].startswith("In other words: ") for case in lines(out))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--attack", "pronouns"], "unknown attack 'pronouns'; did you mean pronoun?"),
        (["--attack", "pronoun:gendre"], "the attack pronoun has no variant 'gendre'; did you mean gender?"),
        (["--paraphraser", "nowhere:f"], "--paraphraser nowhere:f"),
        (["--paraphraser", "json"], "write it as module:function"),
        (["--pairs", "--layout", "published"], "--pairs cannot be combined with --layout published"),
        (["--pipeline", "xx_no_such"], "cannot load the pipeline 'xx_no_such'"),
        (["--from", "nothing"], "unknown conversation format"),
    ],
)
def test_errors_are_one_line(words: list[str], complaint: str, corpus: Path, tmp_path: Path, cli: Cli) -> None:
    if "--pipeline" in words:
        pytest.importorskip("spacy", reason="the extra `attacks` is not installed")
    out = tmp_path / "cases.jsonl"
    assert complaint in cli.refused("judge", "attack", corpus, "--out", out, "--no-cache", "--quiet", *words)
    assert not out.exists()


def test_a_corpus_that_is_not_there(tmp_path: Path, cli: Cli) -> None:
    assert "no such file" in cli.refused("judge", "attack", tmp_path / "no.jsonl", "--out", tmp_path / "c.jsonl")


def test_fallbacks_are_reported(
    corpus: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, full: Language
) -> None:
    monkeypatch.setattr(thesaurus, "wordnet_places", lambda: iter(()))
    out = tmp_path / "cases.jsonl"
    words = ["--no-cache", "--attack", "entrainment", "--attack", "unnatural-paraphrase", "--cases", "3"]
    said = cli("judge", "attack", corpus, "--out", out, *words)
    lines = [line for line in said.err.splitlines() if "WordNet" in line]
    assert lines == [f"warning: the built-in lexicon replaces WordNet; {thesaurus.INSTALL}"]
    made = read_cases(out)
    assert {case.attack for case in made} == {"entrainment", "unnatural-paraphrase"}
    assert all("dialmeter-lexicon-1" in case.resources for case in made)
