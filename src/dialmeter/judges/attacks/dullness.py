"""Attack: the reply becomes one that adds nothing."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language.words import GREETINGS, content_words, is_question, same_but_for_case, word_list
from . import Attack, Kit, NoCase, Variant

_REPLIES = (
    "I am not sure what to say.", "I have no idea what to do with that.", "That could be so, who knows.",
    "Fine, if you say so.", "Well, that is how it goes.", "I never thought about it.", "Hm, I cannot say much about that.",
    "There is not much to say here.", "It is what it is.", "Let us leave it at that.",
)  # fmt: skip
_ANSWERS = (
    "I do not know.", "I could not tell you.", "That is hard to say.", "I have no answer to that.",
    "Who can say?", "Maybe, maybe not.", "I would have to think about it.", "No idea, sorry.",
)  # fmt: skip


def _require_content(snippet: Snippet) -> None:
    """Raise ``NoCase`` for a reply that is already dull."""
    words = word_list(snippet.reply.text)
    if len(words) < 4 or not set(content_words(snippet.reply.text)) - GREETINGS:
        raise NoCase("the reply says too little to be made dull")


def _generic(snippet: Snippet, kit: Kit) -> str:
    _require_content(snippet)
    return kit.random.choice(_REPLIES)


def _generic_answer(snippet: Snippet, kit: Kit) -> str:
    _require_content(snippet)
    last = snippet.context[-1]
    if last.speaker == snippet.reply.speaker or not is_question(last.text):
        raise NoCase("the reply does not answer a question")
    return kit.random.choice(_ANSWERS)


def _own_earlier(snippet: Snippet, kit: Kit) -> str:
    own = [
        move.text
        for move in snippet.context
        if move.speaker == snippet.reply.speaker
        and len(content_words(move.text)) >= 2
        and not same_but_for_case(move.text, snippet.reply.text)
    ]
    if not own:
        raise NoCase("no earlier turn of the speaker with content")
    return kit.random.choice(list(dict.fromkeys(own)))


ATTACK = Attack(
    name="dullness",
    facet="interest",
    expected="lower",
    help="Replaces the reply by one that adds nothing.",
    variants=(
        Variant("generic", _generic, "A generic response."),
        Variant("generic-answer", _generic_answer, "The answer to a question becomes a generic answer."),
        Variant("own-earlier", _own_earlier, "The speaker repeats an earlier turn."),
    ),
    cite=("khalid-2022",),
)
