"""Attacks that use whole turns: *entailment* and *dullness* replace the reply, *speaker* puts an earlier answer before it."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Move
from ..language.words import GREETINGS, content_words, is_question, same_but_for_case, word_list
from . import Attack, Kit, Snippet, require

_DRAWN = 12
_SAMPLE_SIZE = 100
_SHORTEST, _SHORTEST_REPEATED = 5, 4

ENTAILMENT = Attack(
    "entailment", "coherence", "lower", "Replaces the reply by an utterance that does not follow from the context."
)


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
        if _has_content(move.text) and not same_but_for_case(move.text, snippet.text)
    ]
    require(usable, "no other utterance with content")
    others = [move.text for move in usable if move.speaker != snippet.reply.speaker]
    texts = list(dict.fromkeys(others or [move.text for move in usable]))
    sample = kit.random.sample(texts, min(_DRAWN, len(texts)))
    last_words = {word for move in (*snippet.context[-2:], snippet.reply) for word in content_words(move.text)}

    def shared(text: str) -> float:
        words = content_words(text)
        return sum(word in last_words for word in words) / len(words)

    return min(sample, key=shared)


@ENTAILMENT.variant("A later utterance of the same dialogue.")
def _later(snippet: Snippet, kit: Kit) -> str:
    return _least_related(snippet, require(snippet.later, "no later utterance"), kit)


@ENTAILMENT.variant("An utterance of another dialogue.", name="other-dialogue")
def unrelated(snippet: Snippet, kit: Kit) -> str:
    """An utterance of another dialogue that does not fit the context."""
    others = kit.random.sample(kit.pool.utterances, min(_SAMPLE_SIZE, len(kit.pool.utterances)))
    return _least_related(snippet, (move for dialogue, move in others if dialogue != snippet.dialogue), kit)


SPEAKER = Attack(
    "speaker", "coherence", "lower", "After a question and its answer, repeats the answer before the reply."
)


@SPEAKER.variant("The answer, then the reply.")
def _answer_first(snippet: Snippet, kit: Kit) -> str:
    require(len(snippet.context) >= 2, "no question and answer before")
    question, answer = snippet.context[-2:]
    require(is_question(question.text), "no question before the last turn")
    by_the_other = answer.speaker not in (question.speaker, snippet.reply.speaker)
    require(by_the_other, "the question is not answered by the other speaker")
    require(not is_question(answer.text), "the question is followed by another question")
    return f"{odd_if_repeated(answer.text, 'answer').strip()} {snippet.text}"


def odd_if_repeated(text: str, turn: str) -> str:
    """Return the text of a turn that is long enough: a repeated “Yes.” is not a noticeable fault."""
    is_long = len(word_list(text)) >= _SHORTEST_REPEATED and bool(content_words(text))
    require(is_long, f"the {turn} is too short to be odd if it is repeated")
    return text


DULLNESS = Attack("dullness", "interest", "lower", "Replaces the reply by one that adds nothing.")
_REPLIES = (
    "I am not sure what to say.", "I have no idea what to do with that.", "That could be so, who knows.",
    "Fine, if you say so.", "Well, that is how it goes.", "I never thought about it.", "Hm, I cannot say much about that.",
    "There is not much to say here.", "It is what it is.", "Let us leave it at that.",
)  # fmt: skip
_ANSWERS = (
    "I do not know.", "I could not tell you.", "That is hard to say.", "I have no answer to that.",
    "Who can say?", "Maybe, maybe not.", "I would have to think about it.", "No idea, sorry.",
)  # fmt: skip


@DULLNESS.variant("A generic response.")
def _generic(snippet: Snippet, kit: Kit, replies: tuple[str, ...] = _REPLIES) -> str:
    is_dull = len(word_list(snippet.text)) < 4 or not set(content_words(snippet.text)) - GREETINGS
    require(not is_dull, "the reply says too little to be made dull")
    return kit.random.choice(replies)


@DULLNESS.variant("The answer to a question becomes a generic answer.")
def _generic_answer(snippet: Snippet, kit: Kit) -> str:
    answer = _generic(snippet, kit, _ANSWERS)
    last = snippet.context[-1]
    is_answer = last.speaker != snippet.reply.speaker and is_question(last.text)
    require(is_answer, "the reply does not answer a question")
    return answer


@DULLNESS.variant("The speaker repeats an earlier turn.")
def _own_earlier(snippet: Snippet, kit: Kit) -> str:
    own = [
        text
        for text in dict.fromkeys(snippet.own_turns)
        if len(content_words(text)) >= 2 and not same_but_for_case(text, snippet.text)
    ]
    return kit.random.choice(require(own, "no earlier turn of the speaker with content"))
