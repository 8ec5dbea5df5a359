"""Attack: the reply keeps its words and is formatted as a document."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language.words import sentences
from . import Attack, Kit, Variant


def _bullets(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    return "\n".join(f"- {text[start:end]}" for start, end in sentences(text))


def _heading(snippet: Snippet, kit: Kit) -> str:
    return f"## Response\n\n{snippet.reply.text}"


def _bold(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    return "\n\n".join(f"**{text[start:end]}**" for start, end in sentences(text))


ATTACK = Attack(
    name="format",
    facet="naturalness",
    expected="at-most",
    help="Formats the reply as Markdown; the words are the same, so the score must not rise.",
    variants=(
        Variant("bullets", _bullets, "One bullet point per sentence."),
        Variant("heading", _heading, "A heading above the reply."),
        Variant("bold", _bold, "Every sentence in bold."),
    ),
)
