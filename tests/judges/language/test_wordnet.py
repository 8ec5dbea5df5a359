"""The files of WordNet, read without a library."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.judges.language import thesaurus
from dialmeter.judges.language.thesaurus import Synset, WordNet

DATA = "  1 a licence, WordNet 3.0\n00000030 03 n 02 Grand_Inn 0 tavern 0 001 @ 0 n 0000 | a house\n00000099 03 n 01 tavern 0 000 | x\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two nouns and one adjective in WordNet's layout."""
    first = DATA.index("00000030")
    second = DATA.index("00000099")
    for pos in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"index.{pos}").write_text("  1 a licence\n")
        (tmp_path / f"data.{pos}").write_text("  1 a licence, WordNet 3.0\n")
    (tmp_path / "data.noun").write_text(DATA)
    (tmp_path / "index.noun").write_text(
        f"  1 a licence\ngrand_inn n 1 0 1 0 {first:08d}\ntavern n 2 1 @ 2 1 {first:08d} {second:08d}\n"
    )
    return tmp_path


def test_senses_in_their_order(small: Path) -> None:
    read = WordNet(small)
    assert read.synsets("tavern", "NOUN") == [Synset(("Grand Inn", "tavern"), 0), Synset(("tavern",), 1)]
    assert read.synsets("Grand Inn", "NOUN") == [Synset(("Grand Inn", "tavern"), 0)]
    assert read.synsets("tavern", "VERB") == []
    assert read.synsets("tavern", "PRON") == []
    assert read.name == "wordnet-3.0"


def test_uses_of_senses(small: Path) -> None:
    (small / "cntlist.rev").write_text("tavern%1:06:00:: 1 7\ntavern%2:41:00:: 1 3\nold%5:00:00:aged:00 1 2\n")
    assert [synset.uses for synset in WordNet(small).synsets("tavern", "NOUN")] == [7, 0]


@pytest.mark.parametrize(("variable", "below"), [("WNHOME", "."), ("WNHOME", "dict"), ("NLTK_DATA", "corpora/wordnet")])
def test_search_path_of_wordnet(
    variable: str, below: str, small: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path_factory.mktemp("home")
    target = home / below
    target.parent.mkdir(parents=True, exist_ok=True)
    if below == ".":
        home = small
        target = small
    else:
        small.rename(target)
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setenv(variable, str(home))
    assert target in list(thesaurus.wordnet_places())
    if variable == "WNHOME":
        assert thesaurus.wordnet_folder() == target


@pytest.mark.skipif(
    thesaurus.wordnet_folder() is None, reason="WordNet is not installed: apt install wordnet-base, or set WNHOME"
)
def test_the_real_one() -> None:
    folder = thesaurus.wordnet_folder()
    assert folder is not None
    read = WordNet(folder)
    assert "eatery" in read.synsets("restaurant", "NOUN")[0].words
    assert "purchase" in read.synsets("buy", "VERB")[0].words
    assert read.synsets("buy", "VERB")[0].uses > 100
    assert all(word.strip("()") == word for synset in read.synsets("available", "ADJ") for word in synset.words)
