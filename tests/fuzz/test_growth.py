"""No regular expression, and no function that walks over text, takes time that grows faster than its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from dialmeter import measure
from dialmeter.api.advice import in_python_words
from dialmeter.conditions import parse_condition
from dialmeter.core.secrets import mask_secret
from dialmeter.errors import DialmeterError, one_line
from dialmeter.judges.adapters.answer_forms import FORMS, read_score
from dialmeter.judges.adapters.llm import read_preference
from dialmeter.judges.attacks.paraphrases import contract, expand_contractions
from dialmeter.judges.judge import parse_call
from dialmeter.judges.language.words import changed_spans, sentences, tokens
from dialmeter.model import SYSTEM, USER, Act, ExpectedAction, Move, Step, TaskGoal, Trajectory
from dialmeter.readers.completions import state_in
from dialmeter.readers.layouts.llm import _id_pattern
from dialmeter.readers.records.reading import TURN_OF_ID
from dialmeter.simulation.understand import understand
from dialmeter.simulation.world import town
from dialmeter.users import profile
from dialmeter.users.blame.exchange import ExchangeItem
from dialmeter.users.blame.words import find_value
from dialmeter.users.counting import _is_absent
from dialmeter.users.items.goal_items import GoalItem, asked_at, form_of, outcomes_of
from dialmeter.users.items.text_events import LogWords, text_events
from dialmeter.users.rules import named as named_rules
from dialmeter.users.scorer import UserScorer
from dialmeter.users.text.reader import TextSchema, TextTurn
from dialmeter.users.text.rules import RuleMaker
from dialmeter.values.languages import han_number, spelling
from dialmeter.values.steps import clock_time, difference, tidy, without_article

from .growth import caller, grows, texts
from .patterns import computed, packages, uses

COMPUTED = {
    "dialmeter.api.advice.in_python_words",
    "dialmeter.core.secrets._pattern",
    "dialmeter.judges.adapters.answer_forms._mark_scales",
    "dialmeter.readers.layouts.llm._id_pattern",
    "dialmeter.simulation.understand._domain_words",
    "dialmeter.simulation.understand._forms",
    "dialmeter.simulation.understand._compile",
    "dialmeter.users.counting._is_absent",
    "dialmeter.values.languages._digits",
    "dialmeter.values.languages.han_number",
    "dialmeter.users.blame.words._is_part_of_label",
    "dialmeter.users.blame.words._find_form",
    "dialmeter.users.blame.words._find_number",
    "dialmeter.users.blame.words.find_value",
    "dialmeter.users.items.goal_items.form_of",
    "dialmeter.users.prepared_dialogue.__init__",
    "dialmeter.users.text.rules.__init__",
    "dialmeter.users.items.text_events.said_values",
    "dialmeter.users.items.text_events._missing_ids",
    "dialmeter.users.items.text_events._leaks",
    "dialmeter.users.items.text_events._wrong_slot_words",
    "dialmeter.users.items.goal_items.asked_at",
    "dialmeter.users.profile.classifier",
    "dialmeter.users.profile.__post_init__",
    "dialmeter.users.rules.__post_init__",
}
"""Functions that put patterns together: tested below by what calls them."""

_SETUP = UserScorer().setup
_NO_ANSWER = named_rules("dialmeter").values.no_answer
_READER = RuleMaker(profile.named("multiwoz"), None)
_SCHEMA = TextSchema({"hotel": frozenset(["area", "stars", "parking", "day"])}, {"hotel": {"area": ("east end",)}})


def events_of(said: str, instruction: str) -> Any:
    """The events of a dialogue with one message and one answer."""
    actions = (ExpectedAction("book", {"cabin": "economy", "day": "2024-05-20", "bags": "two_bags"}),)
    steps = (Step(0, "user", said), Step(1, "system", said), Step(2, "user", said))
    talk = Trajectory(id="1:0", task="1", steps=steps, goal=TaskGoal(instruction, actions), ending="user_stop")
    return text_events(
        talk,
        outcomes_of(talk, {"SEA": "Seattle"}),
        LogWords({"SEA": "Seattle"}, {"cabin": frozenset({"economy", "business"})}),
    )


FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "a completion": state_in,
    "sentences": sentences,
    "tokens": tokens,
    "a measure": measure.parse,
    "a condition": parse_condition,
    "a judge": parse_call,
    "a clock time": clock_time,
    "a tidy value": tidy,
    "an article": without_article,
    "one line": one_line,
    "short forms": contract,
    "long forms": expand_contractions,
    "talk in the town, of a user": lambda text: understand(text, "user", town()),
    "talk in the town, of a system": lambda text: understand(text, "system", town()),
    "a difference of values": lambda text: difference(text, f"{text}x"),
    "changed words": lambda text: changed_spans(text, f"{text} x"),
    "a preference of a judge": read_preference,
    "words of the user of a log": lambda text: events_of(text, "You are mia_li_3668 and want economy."),
    "the instruction of the user of a log": lambda text: events_of("I want economy.", text),
    "a message in the words of Python": in_python_words,
    "a value in another language": spelling,
    "a number in Han digits": lambda text: han_number("一" * len(text)) + han_number("十一" * len(text)),
    "a key": lambda text: mask_secret(text, "a/b-c.1 12345"),
    "an id of a batch": lambda text: _id_pattern("run1/{dialogue}-t{turn}").fullmatch(text),
    "an id with a turn": TURN_OF_ID.fullmatch,
    "a task of a goal": lambda text: _is_absent(["area=east", "food=a a"], text),
    "a question of an agent": lambda text: asked_at(
        GoalItem("text", "east", ("book.__area_a__", "book._")), [Step(0, SYSTEM, text), Step(1, USER, "a")]
    ),
    **{
        f"an answer of a judge, {form}": lambda text, form=form: read_score(text, form, (1, 5))
        for form in FORMS
        if form != "logprobs"
    },
    **{
        f"the words of a value, {slot} {value}": lambda text, slot=slot, value=value: find_value(
            _SETUP, ExchangeItem("tell", "hotel", slot, value), text, by_reference=True
        )
        for slot, value in (("people", "1"), ("stay", "2"), ("parking", "no"), ("area", "east end"))
    },
    **{
        f"a form of a {kind}": lambda text, kind=kind, value=value: form_of(kind, value, {"JFK": "New York"}).search(
            text
        )
        for kind, value in (
            ("date", "2024-05-20"),
            ("airport", "JFK"),
            ("number", "250"),
            ("count", "2"),
            ("id", "A1"),
            ("text", "a a"),
        )
    },
    "a placeholder": lambda text: [re.search(pattern, text) for pattern in _NO_ANSWER],
    **{
        f"text read by rules, of a {speaker}": lambda text, speaker=speaker: _READER.acts(
            TextTurn(speaker, text, Move("system", text, acts=(Act("Request", "hotel", "area"),)), "hotel"), _SCHEMA
        )
        for speaker in ("user", "system")
    },
}
UNITS = (
    " ",
    ".",
    ". ",
    "a",
    "1",
    "'",
    '"',
    "-",
    "(",
    "{",
    "[",
    "a ",
    "a: ",
    "a=",
    "a-b: c\n",
    "<think>",
    "```",
    "\\",
    "no ",
    "ab12.",
)
LEADS = ("", "--set a=", "SELECT * FROM hotel WHERE area = east", '{"a": "', "hotel(", "the 12")
TAILS = ("\0", "a", "")


def slow_texts(call: Callable[[str], Any], parts: Iterable[tuple[str, str, str]]) -> str:
    """The first text that takes too long, and how long."""
    for lead, unit, tail in parts:

        def make(size: int, lead: str = lead, unit: str = unit, tail: str = tail) -> str:
            return lead + unit * (size // len(unit)) + tail

        if unit and (slow := grows(call, make)):
            return f"{lead!r} + n * {unit!r} + {tail!r}: {slow}"
    return ""


@pytest.mark.parametrize("package", packages())
def test_patterns(package: str) -> None:
    found = [
        f"{place} {method}: {slow}"
        for place, pattern, methods in uses(package)
        for method in methods
        if (slow := slow_texts(caller(pattern, method), texts(pattern)))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["multiwoz", "sgd", "town"])
def test_patterns_of_profiles(name: str) -> None:
    import re

    import msgspec

    for field, written in msgspec.structs.asdict(profile.named(name).acts).items():
        if isinstance(written, str) and written:
            pattern = re.compile(written)
            slow = slow_texts(caller(pattern, "search"), texts(pattern))
            assert not slow, f"{field}: {slow}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    def call(text: str) -> None:
        with suppress(DialmeterError):
            FUNCTIONS[name](text)

    assert not (slow := slow_texts(call, product(LEADS, UNITS, TAILS))), slow


def test_composed_patterns_known() -> None:
    assert computed() == COMPUTED


def test_sentence_ends() -> None:
    assert [text[start:end] for text in ("One. Two", '. "Yes!" no', "...a", ".. b", "a?! )b.") for start, end in sentences(text)] == [
        "One.", "Two", '. "Yes!"', "no", "...a", "..", "b", "a?!", ")b.",
    ]  # fmt: skip


def test_changes_in_long_texts() -> None:
    old = "a b " * 2000
    assert changed_spans(old, old) == ()
    assert changed_spans(old, f"{old}c") == ((8000, 8001),)
    assert changed_spans(old, f"{old[:400]}x y {old[404:]}") == ((400, 403),)


def test_quadratic_time_is_noticed() -> None:
    """The check itself."""
    blanks = [("", " ", "a")]
    assert slow_texts(caller(re.compile(r" +$"), "search"), blanks)
    assert slow_texts(lambda text: sum(one == other for one in text for other in text), blanks)
    assert not slow_texts(caller(re.compile(r"(?<! ) +$"), "search"), blanks)
