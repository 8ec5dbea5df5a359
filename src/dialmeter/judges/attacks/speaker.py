"""Attack: the other speaker's answer to a question is repeated before the reply, as if speakers answered their own question."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language.words import content_words, is_question, word_list
from . import Attack, Kit, NoCase, Variant

_SHORTEST = 4


def _answer_first(snippet: Snippet, kit: Kit) -> str:
    if len(snippet.context) < 2:
        raise NoCase("no question and answer before")
    question, answer = snippet.context[-2:]
    if not is_question(question.text):
        raise NoCase("no question before the last turn")
    if answer.speaker in (question.speaker, snippet.reply.speaker):
        raise NoCase("the question is not answered by the other speaker")
    if is_question(answer.text):
        raise NoCase("the question is followed by another question")
    if len(word_list(answer.text)) < _SHORTEST or not content_words(answer.text):
        # A repeated “Yes.” is not a noticeable fault.
        raise NoCase("the answer is too short to be odd if it is repeated")
    return f"{answer.text.strip()} {snippet.reply.text}"


ATTACK = Attack(
    name="speaker",
    facet="coherence",
    expected="lower",
    help="After a question and its answer, repeats the answer before the reply.",
    variants=(Variant("answer-first", _answer_first, "The answer, then the reply."),),
    cite=("khalid-2022",),
)
