"""Small random corpora in which collisions, deletions, repeats and right turns are frequent."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import Phase, settings
from hypothesis import strategies as st
from msgspec import structs

from dialmeter.measure import Measure, parse, registry
from dialmeter.model import Dialogue, Schema, State, Turn, Value, domain_of
from dialmeter.readers.pairs.state_layouts import FLAT
from dialmeter.readers.pairs.vocabulary import PairDialogue, Vocabulary
from dialmeter.tracking.compared import ComparedDialogue, TrackedTurn
from dialmeter.tracking.pairs import PairRules
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.tally import Alternatives, Deletions, Local, Tally
from dialmeter.tracking.walk import Walk

law = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=50,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
law_of_all_measures = settings(law, max_examples=25)

SLOTS = ("hotel-area", "hotel-name", "taxi-to", "taxi-leave-at")
SCHEMA = Schema(
    {
        domain: {slot.partition("-")[2]: False for slot in SLOTS if domain_of(slot) == domain}
        for domain in map(domain_of, SLOTS)
    }
)
PLAIN = ("1", "2", "3")
SPELLINGS = (
    "east",
    " East ",
    "EAST",
    "a  b",
    "a b",
    "don't care",
    "Do not care",
    "dontcare",
    "none",
    "",
    " NULL",
    "not mentioned",
)
ALTERNATIVES: tuple[Value, ...] = ("1", "1|2", ("2", "3"), ("none", "3"), "2 | 3", ("none", ""), "dont care|3")
HYPHENED = ("-", "a-", "-a", "a-a", "a--", "aa")


Move = tuple[str, str, Value, str, str, Value, int]


def _moves(gold_values: Sequence[Value], pred_values: Sequence[Value], slots: Sequence[str]) -> st.SearchStrategy[Move]:
    """What each side does at a turn, and how far on the turn is; short forms first, to which examples shrink."""
    return st.tuples(
        st.sampled_from(("stay", "set", "set", "drop", "afresh")),
        st.sampled_from(slots),
        st.sampled_from(gold_values),
        st.sampled_from(("stay", "follow", "follow", "set", "drop", "afresh")),
        st.sampled_from(slots),
        st.sampled_from(pred_values),
        st.sampled_from((1, 1, 1, 2)),
    )


def _moved(state: State, move: str, slot: str, value: Value) -> State:
    rest = {} if move == "afresh" else {name: kept for name, kept in state.items() if name != slot}
    return state if move == "stay" else rest if move == "drop" else {**rest, slot: value}


def _dialogue(name: str, moves: Sequence[Move], pred_values: Sequence[Value]) -> Dialogue:
    gold: State = {}
    pred: State = {}
    number = 0
    turns = []
    for gold_move, gold_slot, gold_value, pred_move, pred_slot, pred_value, gap in moves:
        gold = _moved(gold, gold_move, gold_slot, gold_value)
        if pred_move == "follow":
            pred = {slot: value for slot, value in gold.items() if value in pred_values}
        else:
            pred = _moved(pred, pred_move, pred_slot, pred_value)
        turns.append(Turn(number, gold=dict(gold), pred=dict(pred)))
        number += gap
    return Dialogue(name, tuple(turns))


def corpora(
    gold_values: Sequence[Value] = PLAIN, pred_values: Sequence[Value] = PLAIN, slots: Sequence[str] = SLOTS
) -> st.SearchStrategy[list[Dialogue]]:
    """One to four dialogues; at each turn a side stays, follows the other, sets or drops a slot, or starts afresh."""
    dialogues = st.lists(_moves(gold_values, pred_values, slots), min_size=1, max_size=6)
    return st.lists(dialogues, min_size=1, max_size=4).map(
        lambda listed: [_dialogue(f"d{position}", each, pred_values) for position, each in enumerate(listed)]
    )


anything = corpora((*PLAIN, *ALTERNATIVES, "none", "dontcare"), (*PLAIN, "none", "Dont care", "1|2", "[DELETE]"))
"""All values that a file may have, on both sides."""


def scored(
    corpus: Sequence[Dialogue],
    measures: Sequence[str | Measure] | None = None,
    rules: str | Rules = "dialmeter",
    **more: object,
) -> TrackerResult:
    """A corpus through the scorer."""
    scorer = TrackerScorer(measures, rules, **more)  # type: ignore[arg-type]
    for each in corpus:
        scorer.add_dialogue(each)
    return scorer.result()


AS_WRITTEN = structs.replace(named("dialmeter"), values=(), none=(), dontcare="keep", alternatives="literal")
"""Rules that change no value, as the algorithms of the papers are stated."""


def walked(dialogue: Dialogue, rules: Rules, keep_none: bool = False) -> tuple[Walk, PairRules]:
    """A walk that has taken a dialogue."""
    words = Vocabulary()
    pairs = PairRules(rules, words)
    walk = Walk(pairs, keep_none=keep_none)
    walk.take(words.number_dialogue(dialogue, FLAT))
    return walk, pairs


def tallies_of(
    dialogue: Dialogue,
    local: Local | None = "paper",
    deletions: Deletions | None = "ignore",
    rules: Rules = AS_WRITTEN,
    alternatives: Alternatives = "overlap",
) -> list[Tally]:
    """The tallies of a dialogue's turns."""
    walk, _ = walked(dialogue, rules, keep_none=deletions == "code")
    return [Tally(*row) for row in walk.rows(local, deletions, alternatives)]


def compared(dialogue: Dialogue, rules: Rules) -> tuple[TrackedTurn, ...]:
    """The turns of a dialogue as the rules compare them."""
    return ComparedDialogue(*walked(dialogue, rules)).tracked(PairDialogue(dialogue.id)).turns


def values(result: TrackerResult) -> dict[str, float | None]:
    """The value of every requested measure."""
    return {score.measure: score.value for score in result.scores}


_FORMS = {
    "FGA": (
        "FGA(lam=0)",
        "FGA(lam=0.5)",
        "FGA(lam=inf)",
        "FGA(lam=0.5, local=code)",
        "FGA(lam=0.5, local=vector)",
        "FGA(lam=0.5, alternatives=strict)",
        "FGA(lam=0.5, average=dialogue)",
        "FGA(lam={taxi: 0, other: 0.5})",
    ),
    "GCA": ("GCA", "GCA(deletions=count)", "GCA(alternatives=strict)", "GCA(alpha=0.5)", "GCA(average=dialogue)"),
    "RSA": ("RSA(empty=skip)", "RSA(empty=one)", "RSA(empty=skip, average=dialogue)"),
    "IAGA": ("IAGA", "IAGA(divide=aga)"),
    "SA": ("SA", "SA(slots=30)", "SA(average=dialogue)"),
    "JGA": ("JGA", "JGA(average=dialogue)"),
    **{name: (name, f"{name}(deletions=count)") for name in ("VP", "VR", "LP", "LR")},
}


def measures_that_read(*what: str) -> list[Measure]:
    """Every measure of the registry that is made from tallies, states or frames, with its interesting parameters."""
    forms = (parse(form) for name in registry.builtin() for form in _FORMS.get(name, (name,)))
    return [each for each in forms if each.reads() in what]


OF_TURNS = measures_that_read("tally", "states")
OF_FRAMES = measures_that_read("frames")
