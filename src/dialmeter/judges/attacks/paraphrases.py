"""Attacks that say the reply in other words: *natural-paraphrase* with usual words, *unnatural-paraphrase* with words that people rarely use."""

from __future__ import annotations

import re

from ..language import PARAPHRASER, SYNONYMS
from ..language.analysis import Token
from ..language.synonyms import Synonym, least_frequent, word_frequency
from ..language.words import capitalised, exchanged
from . import Attack, Kit, NoCase, Snippet, require

_LONG = {
    "i'm": "i am", "i've": "i have", "i'll": "i will", "you're": "you are", "you've": "you have", "you'll": "you will",
    "we're": "we are", "we've": "we have", "we'll": "we will", "they're": "they are", "they've": "they have",
    "they'll": "they will", "it'll": "it will", "that'll": "that will", "there'll": "there will",
    "i'd like": "i would like", "i'd love": "i would love", "i'd prefer": "i would prefer",
    "you'd like": "you would like", "we'd like": "we would like", "don't": "do not", "doesn't": "does not",
    "didn't": "did not", "isn't": "is not", "aren't": "are not", "wasn't": "was not", "weren't": "were not",
    "can't": "cannot", "couldn't": "could not", "won't": "will not", "wouldn't": "would not", "shouldn't": "should not",
    "haven't": "have not", "hasn't": "has not",
}  # fmt: skip
_SHORT = {long: short for short, long in _LONG.items()}
# *it's* means *it is* only if no participle follows. Before a participle it may mean *it has*.
_IS = re.compile(
    r"\b(it|that|there|what|where|here|he|she|who|how)['’]s\b(?!\s+(?:been|got|had|\w+ed\b))", re.IGNORECASE
)
_SHORT_FORM = re.compile(
    rf"\b(?:{'|'.join(_LONG).replace(chr(39), '[' + chr(39) + '’]')})\b(?!\s+(?:you|i|we|they|it)\b)", re.IGNORECASE
)
# At the end of a clause (“yes, I am.”) a long form cannot be shortened, and “are you not” is not a long form.
_LONG_FORM = re.compile(
    rf"(?<!\bdo )(?<!\bdid )\b(?:{'|'.join(long for long in _SHORT if not long.endswith('have'))})\b(?=\s+[a-z])"
    # *Have* is an auxiliary only before a participle.
    rf"|\b(?:{'|'.join(long for long in _SHORT if long.endswith('have'))})\b(?=\s+(?:been|found|got|made|seen|heard|\w+ed)\b)",
    re.IGNORECASE,
)


def expand_contractions(text: str) -> str:
    """Replace the short forms of a text by long forms.

    Example:
        >>> expand_contractions("It's fine, i don't mind. Isn't it?")
        "It is fine, i do not mind. Isn't it?"
    """
    text = _IS.sub(r"\1 is", text)
    return _SHORT_FORM.sub(lambda match: _match_case(match[0], _LONG[match[0].lower().replace("’", "'")]), text)


def contract(text: str) -> str:
    """Replace the long forms of a text by short forms, if the grammar allows it.

    Example:
        >>> contract("I am sure I am. We do not know.")
        "I'm sure I am. We don't know."
        >>> contract("Do you have a plan? I have a plan, I have made it.")
        "Do you have a plan? I have a plan, I've made it."
    """
    return _LONG_FORM.sub(lambda match: _match_case(match[0], _SHORT[match[0].lower()]), text)


def _match_case(old: str, new: str) -> str:
    return capitalised(new) if old[0].isupper() else new


_CONDITION = re.compile(
    r"^(if|when|once|after|before|because)\s+([^,.!?]{6,90}),\s+(?!then\b)([^.!?]{6,120})([.!?]?)$", re.IGNORECASE
)
_TAIL = re.compile(r"^([^,.!?]{10,120}?)\s+(if|when|once|because)\s+([^,.!?]{6,90})([.!?]?)$", re.IGNORECASE)
_PLEASE_LAST = re.compile(
    r"^(?P<rest>(?:can|could|would|will|may) (?:you|i|we) [^,.!?]{4,120}?),?\s+please(?P<end>[.!?]?)$", re.IGNORECASE
)
_PLEASE_FIRST = re.compile(r"^please\s+(?P<rest>[^,.!?]{6,140}?)(?P<end>[.!]?)$", re.IGNORECASE)
_ALSO_INSIDE = re.compile(
    r"(I|We|They|It|There)\s+also\s+((?:need|want|have|has|like|offer|offers|serve|serves)\b.*)$", re.DOTALL
)
_ALSO_FIRST = re.compile(
    r"Also,?\s+(I|we|they|it)\s+((?:need|want|have|has|offer|offers|serve|serves)\b.*)$", re.DOTALL
)
_PLEASANTRY = re.compile(r"\b(?:thank|thanks|bye|goodbye|enjoy|great|welcome|nice|lovely|have a)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")


NATURAL_PARAPHRASE = Attack(
    "natural-paraphrase",
    "naturalness",
    "similar",
    "Changes contractions, punctuation or the order of clauses, and keeps words and meaning.",
)


@NATURAL_PARAPHRASE.variant("Short forms become long forms, or long forms become short forms.")
def _contractions(snippet: Snippet, kit: Kit) -> str:
    text = snippet.text
    longer = expand_contractions(text)
    changed = longer if longer != text else contract(text)
    require(changed != text, "nothing to shorten or to write out")
    return changed


@NATURAL_PARAPHRASE.variant("Changes, adds or removes a mark at the end of a sentence.")
def _punctuation(snippet: Snippet, kit: Kit) -> str:
    text = snippet.text.rstrip()
    require(any(map(str.isalpha, text)), "no words")
    if "!" in text:
        return re.sub(r"!+", ".", text)
    if re.search(r"[^.]\.$", text):
        return text[:-1] + ("!" if _PLEASANTRY.search(_SENTENCE.findall(text)[-1]) else "")
    if text and text[-1].isalnum():
        question = re.match(
            r"(?:what|where|when|who|how|which|is|are|do|does|can|could|would|will)\b",
            _SENTENCE.findall(text)[-1].strip(),
            re.IGNORECASE,
        )
        return text + ("?" if question else ".")
    raise NoCase("no punctuation that can change")


@NATURAL_PARAPHRASE.variant("A condition, or please, moves to the other end of its sentence.")
def _clause_order(snippet: Snippet, kit: Kit) -> str:
    text = snippet.text
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        reordered = _reorder(sentence)
        if reordered is not None:
            return text.replace(sentence, reordered, 1)
    raise NoCase("no clause that can move")


def _reorder(sentence: str) -> str | None:
    """A sentence with its parts in another order; None if no order is known."""
    if (match := _CONDITION.match(sentence)) and match[4] != "?":
        return f"{capitalised(match[3])} {match[1].lower()} {match[2]}{match[4]}"
    if match := _PLEASE_LAST.match(sentence):
        verb, subject, rest = match["rest"].split(" ", 2)
        return f"{verb} {subject} please {rest}{match['end']}"
    if (match := _PLEASE_FIRST.match(sentence)) and not re.search(r"\bplease\b", match["rest"], re.IGNORECASE):
        return f"{capitalised(match['rest']) if sentence[0].isupper() else match['rest']}, please{match['end']}"
    if (
        (match := _TAIL.match(sentence))
        and not re.match(
            r"(?i)(?:what|where|who|which|how|do|does|is|are|can|could|would|let|i was|i am wondering|know|see|or|and|but)\b",
            match[1],
        )
        and not re.search(r"(?i)\b(?:know|see|ask|check|wonder|wondering|sure|tell|as|even|only|like|out)$", match[1])
    ):
        return f"{capitalised(match[2].lower())} {match[3]}, {_lower_first(match[1])}{match[4]}"
    if match := _ALSO_INSIDE.match(sentence):
        return f"Also, {_lower_first(match[1])} {match[2]}"
    if match := _ALSO_FIRST.match(sentence):
        return f"{match[1]} also {match[2]}"
    return None


def _lower_first(text: str) -> str:
    return text if re.match(r"I\b|[A-Z]\w*[A-Z]", text) else text[:1].lower() + text[1:]


@NATURAL_PARAPHRASE.variant("A paraphrase by the given paraphraser.", PARAPHRASER)
def _model(snippet: Snippet, kit: Kit) -> str:
    assert kit.language.paraphraser is not None
    return kit.language.paraphraser(snippet.text)


UNNATURAL_PARAPHRASE = Attack(
    "unnatural-paraphrase",
    "naturalness",
    "lower",
    "Replaces content words by synonyms of the same part of speech, a quarter of them by the least used one.",
)
_NEAREST = 5
_RARE_SHARE = 4
_FEWEST_ODD = 2
_RARE = 4.0
_RARER_BY = 1.0


@UNNATURAL_PARAPHRASE.variant("Three quarters of the words that have synonyms.", SYNONYMS)
def _synonyms(snippet: Snippet, kit: Kit) -> str:
    text = snippet.text
    tokens = kit.language.analysis(text).tokens
    choices = [
        (token, synonyms[:_NEAREST])
        for token in tokens
        if _is_whole_word(text, token) and (synonyms := kit.language.synonyms.of(token))
    ]
    require(len(choices) >= 2, "fewer than two words with a synonym")
    chosen = sorted(kit.random.sample(range(len(choices)), max(2, len(choices) * 3 // 4)))
    # A quarter of the words, and at least two, become the least used synonym. Words with a rare synonym come first.
    ranked = kit.random.sample(chosen, len(chosen))
    ranked.sort(key=lambda place: not _is_odd(choices[place][0], least_frequent(choices[place][1])))
    rare = set(ranked[: max(_FEWEST_ODD, -(-len(chosen) // _RARE_SHARE))])
    words = {
        place: least_frequent(choices[place][1]) if place in rare else kit.random.choice(choices[place][1])
        for place in chosen
    }
    odd = sum(_is_odd(choices[place][0], word) for place, word in words.items())
    require(odd >= _FEWEST_ODD, "fewer than two synonyms that are odd")
    replaced = [(choices[place][0], word.form) for place, word in words.items()]
    return exchanged(text, [(token.start, token.end, form) for token, form in replaced])


def _is_whole_word(text: str, token: Token) -> bool:
    """True for a separate word, False for a part of a code that a tagger has split."""
    neighbours = text[token.start - 1 : token.start] + text[token.end : token.end + 1]
    return len(token.text) > 2 and not any(map(str.isalnum, neighbours)) and "-" not in neighbours


def _is_odd(token: Token, word: Synonym) -> bool:
    """True if a synonym is rare, and much rarer than the word that it replaces, or if frequencies are unknown."""
    old_frequency = word_frequency(token.lemma)
    if word.frequency is None or old_frequency is None:
        return True
    return word.frequency < _RARE and word.frequency < old_frequency - _RARER_BY
