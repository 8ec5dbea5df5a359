"""Resources of a language: what is found, kept and downloaded, and WordNet."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, MissingExtra
from dialmeter.judges.language import Language, Resources, analysis, thesaurus
from dialmeter.judges.language.analysis import Analysis, Light, Pipeline, TextSpan, Token, cache_folder, stored_analyses
from dialmeter.judges.language.coreference import references
from dialmeter.judges.language.synonyms import Synonyms
from dialmeter.judges.language.thesaurus import Lexicon, Synset, WordNet, by_rule, has_lemminflect, inflected


@pytest.fixture(scope="module")
def full() -> Language:
    if analysis.installed_pipeline() is None:
        pytest.skip("no spaCy pipeline is installed: pip install 'dialmeter[attacks]'")
    return Resources().open()


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        ("inn", "NNS", "inns"), ("church", "NNS", "churches"), ("city", "NNS", "cities"), ("stop", "VBD", "stopped"),
        ("look", "VBG", "looking"), ("reserve", "VBG", "reserving"), ("see", "VBG", "seeing"), ("play", "VBZ", "plays"),
        ("carry", "VBN", "carried"), ("cheap", "JJ", "cheap"), ("open", "VBD", "opened"),
    ],
)  # fmt: skip
def test_regular_forms(lemma: str, tag: str, form: str) -> None:
    assert by_rule(lemma, tag) == form
    if has_lemminflect():
        assert inflected(lemma, tag) == form


def test_comparatives_are_never_invented() -> None:
    assert by_rule("intimate", "JJR") is None
    assert inflected("intimate", "RBR") is None


def test_the_lexicon_is_sound() -> None:
    lexicon = Lexicon.builtin()
    assert len(lexicon.forms) > 600
    for form, (lemma, pos, tag) in lexicon.forms.items():
        assert lexicon.synsets(lemma, pos)
        assert lexicon.form(lemma, tag) == form or tag in ("VBN", "VBD")
        assert len(lexicon.synsets(lemma, pos)[0].words) >= 2


def test_synonyms_without_any_resource() -> None:
    found = Synonyms(Lexicon.builtin()).of(Token("bought", 0, "VERB", "VBD", "buy"))
    assert [each.form for each in found] == ["purchased", "acquired"]
    assert Synonyms(Lexicon.builtin()).of(Token("the", 0, "DET", "DT", "the")) == []


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["I recommend the Bear Inn. Shall I book it?"], [("it", "the Bear Inn")]),
        (["Do you know the Bear Inn?", "Is it cheap?"], [("it", "the Bear Inn")]),
        (["The Bear Inn is old.", "Its garden is large."], [("Its", "The Bear Inn".replace("The", "the"))]),
        (["My sister met Anna. She is kind."], []),
        (["We met Anna in town. She is kind."], [("She", "Anna")]),
        (["I bought the two lamps.", "Are they green?"], [("they", "the two lamps")]),
        (["I know the Bear Inn.", "It is raining, and it is possible to wait."], []),
        (["I know the Bear Inn.", "That was it!"], []),
        (["I saw your dog. It barks."], []),
    ],
)
def test_coreference(turns: list[str], expected: list[tuple[str, str]], full: Language) -> None:
    found = references([(text, full.analysis(text)) for text in turns])
    last = turns[-1]
    assert [(last[each.start : each.end], each.antecedent) for each in found] == expected


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pip install 'dialmeter[attacks]'" in str(Resources(light=True).open().lacks(["entities"]))
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"dialmeter\[attacks\]"):
        Pipeline("en_core_web_sm")


def test_an_unknown_resource_is_an_error() -> None:
    with pytest.raises(DialmeterError, match="unknown resource 'magic'"):
        Resources(light=True).open().lacks(["magic"])


def test_analyses_keep_positions_with_much_white_space(full: Language) -> None:
    text = "  The   old\n\ninn \t is open . "
    found = full.analysis(text)
    assert [text[token.start : token.end] for token in found.tokens] == ["The", "old", "inn", "is", "open", "."]
    assert all(0 <= token.head < len(found.tokens) for token in found.tokens)


def test_batches_and_single_calls_agree() -> None:
    if analysis.installed_pipeline() is None:
        pytest.skip("no spaCy pipeline is installed: pip install 'dialmeter[attacks]'")
    loaded = Pipeline(str(analysis.installed_pipeline()))
    texts = ["I saw Anna in London.", "It is late.", "Book a table for two people, please."]
    assert list(loaded.analyse(texts)) == [next(loaded.analyse([text])) for text in texts]


TEXTS = ["Where is the hotel?", "It is near the river.", "Where is the hotel?", "שלום", "🙂"]
ANALYSIS = Analysis(
    (Token("a", 0, "DET", "DT", "a", "det", 1),), (TextSpan(0, 1, "ORG"),), (TextSpan(0, 1, "0"),), (TextSpan(0, 1),)
)


def test_stored_analyses_can_be_read(tmp_path: Path) -> None:
    stored_analyses(tmp_path, "some/pipeline 1.0").add({"a": ANALYSIS})
    assert stored_analyses(tmp_path, "some/pipeline 1.0").values == {"a": ANALYSIS}
    assert stored_analyses(tmp_path, "other").values == {}


def test_a_second_run_analyses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysed: list[str] = []
    analyse = Light.analyse_one
    monkeypatch.setattr(Light, "analyse_one", lambda self, text: analysed.append(text) or analyse(self, text))
    first = Resources(light=True, cache=tmp_path).open()
    first.prepare(TEXTS)
    assert analysed == list(dict.fromkeys(TEXTS))
    told = [first.analysis(text) for text in TEXTS]
    second = Resources(light=True, cache=tmp_path).open()
    second.prepare(TEXTS)
    assert len(analysed) == 4
    assert [second.analysis(text) for text in TEXTS] == told


def test_a_folder_that_cannot_be_made_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    language = Resources(light=True, cache=tmp_path / "file" / "below").open()
    assert language.analysis("\ud800 hotel").tokens[-1].text == "hotel"


def test_the_cache_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALMETER_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / "dialmeter"


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
def test_wordnet_path(
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
