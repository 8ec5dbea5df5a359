"""Statistics of each attack: how many replies were tried, how many cases were made, and why the others were rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from ..core.account import Account, Reason
from ..model import Notice
from .cases import Case


class Attempt(Struct, frozen=True):
    """One variant of an attack, tried on one reply.

    Attributes:
        rank: the order in which attempts of several shards are merged: the number of cases that the dialogue gave before, the
            place that the seed gives the dialogue, its id, and the number of the attempt.
        case: the case, or None.
        reason: why there is no case.
    """

    rank: tuple[int, int, str, int]
    case: Case | None
    reason: str = ""


class Yield(Struct, frozen=True):
    """The yield of one attack.

    Attributes:
        attack: its name.
        tried: how often a variant was tried on a reply.
        made: the number of cases.
        by_variant: cases by variant.
        why: rejected attempts by reason.
        skipped: variants that lack a resource, each with what to install.
    """

    attack: str
    tried: int
    made: int
    by_variant: dict[str, int] = field(default_factory=dict)
    why: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        """The number of attempts that gave no case."""
        return self.tried - self.made


class Attacked(Struct, frozen=True):
    """The result of attacking a corpus.

    Attributes:
        cases: attack by attack, in the order of the request.
        yields: one per attack.
        notices: warnings.
    """

    cases: list[Case]
    yields: list[Yield]
    notices: list[Notice]


def gather(
    attack: str, attempts: Iterable[Attempt], cases: int, skipped: dict[str, str] | None = None
) -> tuple[list[Case], Yield]:
    """The first cases by rank, and the yield up to the last of them; independent of how attempts were split over shards.

    Args:
        attack: its name.
        attempts: of all shards, in any order.
        cases: how many are wanted.
        skipped: variants that were not tried.

    Example:
        >>> gather("pronoun", [Attempt((0, 5, "d1", 0), None, "no pronoun")], 100)[1].why
        {'no pronoun': 1}
    """
    made: list[Case] = []
    why: Counter[str] = Counter()
    for attempt in sorted(attempts, key=lambda each: each.rank):
        if len(made) == cases:
            break
        if attempt.case is not None:
            made.append(attempt.case)
        else:
            why[attempt.reason] += 1
    by_variant = Counter(case.variant for case in made)
    ordered = dict(sorted(why.items(), key=lambda item: (-item[1], item[0])))
    tried = len(made) + why.total()
    return made, Yield(attack, tried, len(made), dict(sorted(by_variant.items())), ordered, skipped or {})


def made_of(yields: Iterable[Yield], cases: int) -> Account:
    """How many of the requested cases could be made.

    Example:
        >>> made_of([Yield("pronoun", 3, 2, {"person": 2}, {"no pronoun": 1})], 2).line
        '2 of 2 cases made'
    """
    every = list(yields)
    short = tuple(
        Reason(f"{each.attack}: {'no further reply fits' if each.tried else 'not tried'}", cases - each.made)
        for each in every
        if each.made < cases
    )
    made = sum(each.made for each in every)
    return Account("case", cases * len(every), made, made, short, "made")


_KNOWN_FREQUENCY = 4.0
_LEAST_KNOWN = 0.6
_LEAST_FUNCTION_WORDS = 0.15


def language_notices(words: Mapping[str, int]) -> list[Notice]:
    """A warning where most words of a corpus are not English, because attacks know English only.

    With wordfreq a word is known if it is frequent in English; without it, the share of English function words decides.

    Example:
        >>> [each.code for each in language_notices({"der": 30, "zug": 20, "fährt": 20, "nach": 20, "ulm": 10})]
        ['not-english']
        >>> language_notices({"the": 30, "train": 20, "leaves": 20, "for": 20, "ely": 5})
        []
    """
    from .language.synonyms import usual
    from .language.words import STOP_WORDS

    spoken = {word: count for word, count in words.items() if word.isalpha()}
    total = sum(spoken.values())
    if not total:
        return []
    with_frequencies = usual("the") is not None
    known = sum(
        count for word, count in spoken.items() if word in STOP_WORDS or (usual(word) or 0.0) >= _KNOWN_FREQUENCY
    )
    share = known / total
    if share >= (_LEAST_KNOWN if with_frequencies else _LEAST_FUNCTION_WORDS):
        return []
    what = "frequent English words" if with_frequencies else "English function words"
    message = (
        f"{100 * share:.0f} % of the words are {what}; attacks know English only, and their cases may be wrong here"
    )
    return [Notice("not-english", total - known, message)]


def yield_notices(yields: Sequence[Yield], cases: int) -> list[Notice]:
    """One warning per resource to install, with the variants that need it, and one for attacks with fewer cases than requested."""
    by_lack: dict[str, list[str]] = {}
    for each in yields:
        for variant, lack in each.skipped.items():
            by_lack.setdefault(lack, []).append(f"{each.attack}:{variant}")
    found = [
        Notice("missing-resource", len(names), f"skipped, {lack}", tuple(names))
        for lack, names in by_lack.items()
        if "paraphraser" not in lack  # used only by those who name one
    ]
    few = [each for each in yields if each.made < cases and (each.tried or not each.skipped)]
    if few:
        where = tuple(f"{each.attack} {each.made}" for each in few)
        found.append(Notice("few-cases", len(few), f"the corpus gives fewer than {cases} cases of some attacks", where))
    return found
