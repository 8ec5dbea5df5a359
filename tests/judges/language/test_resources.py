"""Inflection, synonyms, coreference, and messages about missing resources."""

from __future__ import annotations

import pytest

from dialmeter.errors import DialmeterError, MissingExtra
from dialmeter.judges.language import Language, Resources, analysis
from dialmeter.judges.language.analysis import Pipeline, Token
from dialmeter.judges.language.coreference import references
from dialmeter.judges.language.synonyms import Synonyms
from dialmeter.judges.language.thesaurus import Lexicon, by_rule, has_lemminflect, inflected


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
