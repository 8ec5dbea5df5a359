"""Attacks that use whole turns: *entailment* and *dullness* replace the reply, *speaker* puts an earlier answer before it."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Move
from ..language.words import GREETINGS, content_words, is_question, same_but_for_case, word_list
from . import Attack, Kit, NoCase, Snippet, Variant

_DRAWN = 12
_SAMPLE_SIZE = 100
_SHORTEST = 5


def _has_content(text: str) -> bool:
    """False for short texts, thanks and greetings, which fit almost anywhere."""
    words = word_list(text)
    return len(words) >= _SHORTEST and len(content_words(text)) >= 2 and not set(words[:2]) & GREETINGS


def _least_related(snippet: Snippet, candidates: Iterable[Move], kit: Kit) -> str:
    """Of some random candidates, the one with the smallest share of words from the last turns: an utterance that fits is no attack.

    Utterances of the other speaker are preferred: a second request of a user may follow, but an offer by a user does not.
    """
    usable = [
        move
        for move in dict.fromkeys(candidates)
        if _has_content(move.text) and not same_but_for_case(move.text, snippet.reply.text)
    ]
    if not usable:
        raise NoCase("no other utterance with content")
    others = [move.text for move in usable if move.speaker != snippet.reply.speaker]
    texts = list(dict.fromkeys(others or [move.text for move in usable]))
    sample = kit.random.sample(texts, min(_DRAWN, len(texts)))
    last_words = {word for move in (*snippet.context[-2:], snippet.reply) for word in content_words(move.text)}

    def shared(text: str) -> float:
        words = content_words(text)
        return sum(word in last_words for word in words) / len(words)

    return min(sample, key=shared)


def _later(snippet: Snippet, kit: Kit) -> str:
    if not snippet.later:
        raise NoCase("no later utterance")
    return _least_related(snippet, snippet.later, kit)


def unrelated(snippet: Snippet, kit: Kit) -> str:
    """An utterance of another dialogue that does not fit the context.

    Raises:
        NoCase: there is no such utterance.
    """
    others = kit.random.sample(kit.pool.utterances, min(_SAMPLE_SIZE, len(kit.pool.utterances)))
    return _least_related(snippet, (move for dialogue, move in others if dialogue != snippet.dialogue), kit)


ENTAILMENT = Attack(
    name="entailment",
    facet="coherence",
    expected="lower",
    help="Replaces the reply by an utterance that does not follow from the context.",
    variants=(
        Variant("later", _later, "A later utterance of the same dialogue."),
        Variant("other-dialogue", unrelated, "An utterance of another dialogue."),
    ),
    cite=("khalid-2022",),
)


_SHORTEST_ANSWER = 4


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
    if len(word_list(answer.text)) < _SHORTEST_ANSWER or not content_words(answer.text):
        # A repeated “Yes.” is not a noticeable fault.
        raise NoCase("the answer is too short to be odd if it is repeated")
    return f"{answer.text.strip()} {snippet.reply.text}"


SPEAKER = Attack(
    name="speaker",
    facet="coherence",
    expected="lower",
    help="After a question and its answer, repeats the answer before the reply.",
    variants=(Variant("answer-first", _answer_first, "The answer, then the reply."),),
    cite=("khalid-2022",),
)


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


DULLNESS = Attack(
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
