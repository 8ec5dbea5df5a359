"""Attack a corpus: each attack is tried on the replies of the corpus until there are enough cases.

Cases depend only on the seed, the attack and the dialogue. They do not depend on the number of workers, or on the batches and their order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import ceil, inf
from threading import Lock
from typing import overload

import msgspec
from msgspec import Struct, field

from .._version import __version__
from ..core.account import Account, Reason
from ..core.document import Count
from ..core.engine import note
from ..english import LIMIT, NOT_ENGLISH, english_notices, words_of_dialogue
from ..errors import DialmeterError
from ..model import Conversation, Move, Notice
from ..progress import track
from .attacks import (
    BEYOND,
    PAPER,
    Attack,
    AttackedReply,
    Kit,
    NoCase,
    Pool,
    Snippet,
    Variant,
    chosen,
    digest,
    make_pool,
    ordered,
    seeded,
    snippets,
    with_resources,
)
from .cases import Case, Place
from .language import SYNONYMS, TOKENS, Language, Resources
from .language.words import changed_spans, same_but_for_case


class Attempt(Struct, frozen=True):
    """One attempt to make a case from a reply with a variant of an attack.

    Attributes:
        rank: the sort key that merges the attempts of several shards: the number of earlier cases from the same dialogue, the
            place that the seed gives the dialogue, its id, and the number of the attempt.
        case: the case; None if the attempt failed.
        reason: the reason if there is no case.
    """

    rank: tuple[int, int, str, int]
    case: Case | None
    reason: str = ""


class Yield(Struct, frozen=True):
    """The yield of one attack.

    Attributes:
        attack: its name.
        tried: number of attempts of a variant on a reply.
        made: number of cases.
        by_variant: number of cases by variant.
        reasons: reason → number of rejected attempts.
        untried: variant that needs a missing resource → what to install.
    """

    attack: str
    tried: Count
    made: Count
    rejected: Count
    by_variant: dict[str, Count] = field(name="variants")
    reasons: dict[str, Count] = {}
    untried: dict[str, str] = {}


class Attacked(Struct, frozen=True):
    """The result of attacking a corpus.

    Attributes:
        cases: all cases, grouped by attack in the requested order.
        yields: one yield per attack.
        notices: warnings.
    """

    cases: list[Case]
    yields: list[Yield]
    notices: list[Notice]


def gather(
    attack: str, attempts: Iterable[Attempt], cases: int, untried: dict[str, str] | None = None
) -> tuple[list[Case], Yield]:
    """Select the first cases by rank. Return them, and the yield up to the last of them. The result does not depend on the shards.

    Args:
        attack: the name of the attack.
        attempts: the attempts of all shards, in any order.
        cases: the number of requested cases.
        untried: variants that were not tried.

    Example:
        >>> gather("pronoun", [Attempt((0, 5, "d1", 0), None, "no pronoun")], 100)[1].reasons
        {'no pronoun': 1}
    """
    made: list[Case] = []
    reasons: Counter[str] = Counter()
    for attempt in sorted(attempts, key=lambda each: each.rank):
        if len(made) == cases:
            break
        if attempt.case is not None:
            made.append(attempt.case)
        else:
            reasons[attempt.reason] += 1
    by_variant = dict(sorted(Counter(case.variant for case in made).items()))
    ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    rejected = reasons.total()
    return made, Yield(attack, len(made) + rejected, len(made), rejected, by_variant, ordered, untried or {})


def case_account(yields: Iterable[Yield], cases: int) -> Account:
    """The number of requested cases, of cases made, and the reasons for missing cases.

    Example:
        >>> case_account([Yield("pronoun", 3, 2, 1, {"person": 2}, {"no pronoun": 1})], 2).line
        '2 of 2 cases made'
    """
    all_yields = list(yields)
    missing = tuple(
        Reason(f"{each.attack}: {'no further reply fits' if each.tried else 'not tried'}", cases - each.made)
        for each in all_yields
        if each.made < cases
    )
    made = sum(each.made for each in all_yields)
    return Account("case", cases * len(all_yields), made, made, missing, "made")


def yield_notices(yields: Sequence[Yield], cases: int) -> list[Notice]:
    """One warning per missing resource, with the variants that need it, and one for attacks with fewer cases than requested."""
    variants_by_resource: dict[str, list[str]] = {}
    for each in yields:
        for variant, resource in each.untried.items():
            variants_by_resource.setdefault(resource, []).append(f"{each.attack}:{variant}")
    notices = [
        Notice("missing-resource", len(variants), f"not tried, {resource}", tuple(variants))
        for resource, variants in variants_by_resource.items()
        if "paraphraser" not in resource  # A paraphraser is optional, so its absence is no warning.
    ]
    few = [each for each in yields if each.made < cases and (each.tried or not each.untried)]
    if few:
        where = tuple(f"{each.attack} {each.made}" for each in few)
        message = f"the corpus gives fewer than {cases} cases of some attacks"
        notices.append(Notice("few-cases", len(few), message, where))
    return notices


class AttackPart(Struct, frozen=True):
    """The result of one task: attempts by attack."""

    number: int
    found: dict[str, list[Attempt]]


def attack_identity(conversations: Iterable[Conversation], *settings: object) -> str:
    """A digest of everything that the parts depend on: the version, the texts of the corpus, and settings with a stable ``repr``."""
    digest = hashlib.sha256(repr((__version__, *settings)).encode())
    for conversation in conversations:
        digest.update(
            msgspec.json.encode([conversation.id, [(move.speaker, move.text) for move in conversation.moves]])
        )
    return digest.hexdigest()


BATCH = 25
_FEW = 4
LONGEST_REPLY = 2000
TOO_LONG = f"the reply has more than {LONGEST_REPLY} characters"
EMPTY = "leaves nothing of the reply"
CHANGES_NOTHING = "changes only case and white space"
NO_CASES = "the attacks of dialmeter change only English text, so these dialogues give no cases"
_ENGLISH = frozenset((*PAPER, *BEYOND))
"""The attacks that know only English words and phrases."""


class AttackSetting(Struct, frozen=True):
    """The settings that all attempts of a run share, in any process.

    Attributes:
        pool: the sample of the corpus from which attacks take texts.
        seed: the seed of all random choices.
        cases: the number of requested cases of each attack.
        corpus: the corpus name in the cases.
        speaker: the speaker whose replies are attacked: ``system``, ``user`` or ``both``.
    """

    pool: Pool
    seed: int
    cases: int
    corpus: str = ""
    speaker: str = "both"


class AttackTask(Struct, frozen=True):
    """Dialogues to attack.

    Attributes:
        number: the index of the task.
        conversations: the dialogues, reduced to speakers and texts, because attacks use nothing else.
        attacks: the names of attacks that still need cases.
        rounds: the largest number of cases from one dialogue; None for no limit.
    """

    number: int
    conversations: tuple[Conversation, ...]
    attacks: tuple[str, ...]
    rounds: int | None


Working = Callable[[AttackSetting, Sequence[AttackTask]], Iterable[AttackPart]]
"""Runs tasks, and yields their results in order."""


def attack_corpus(
    conversations: Sequence[Conversation],
    attacks: Sequence[Attack],
    language: Language,
    *,
    cases: int = 100,
    seed: int = 7,
    corpus: str = "",
    speaker: str = "both",
    working: Working | None = None,
    done: Sequence[AttackPart] = (),
    save: Callable[[AttackPart], None] | None = None,
) -> Attacked:
    """Make cases of every attack.

    Args:
        conversations: the corpus.
        attacks: the attacks to try.
        language: language resources.
        cases: the number of cases of each attack; there are fewer if the corpus does not give enough.
        seed: the seed of all random choices.
        corpus: the corpus name in the cases.
        speaker: the speaker whose replies are attacked: ``system``, ``user`` or ``both``.
        working: runs tasks in other processes; None to run them in this process.
        done: the parts of an interrupted run.
        save: a function that saves each new part.

    Raises:
        DialmeterError: no dialogue is English, and no attack can use another language.

    Example:
        >>> from dialmeter.judges.attacks import named
        >>> from dialmeter.judges.language import Resources
        >>> conversation = Conversation("d1", (Move("a", "Where is the inn?"), Move("b", "The inn is in Mill Lane.")))
        >>> attacked = attack_corpus([conversation], [named("repetition:word")], Resources(light=True).open(), cases=1)
        >>> attacked.cases[0].reply, attacked.yields[0].made
        ('The inn is in Mill Lane.', 1)
    """
    usable, untried = with_resources(attacks, language)
    english_only = [attack for attack in attacks if attack.name in _ENGLISH]
    words = {conversation.id: words_of_dialogue(conversation) for conversation in conversations} if english_only else {}
    english = [conversation for conversation in conversations if not words or words[conversation.id].is_english]
    if conversations and not english and len(english_only) == len(attacks):
        raise DialmeterError(
            f"no case can be made: none of {len(conversations)} dialogues is English (fewer than {100 * LIMIT:.0f} % of the words are "
            "common English words); for other languages use --attack 'llm(endpoint=URL, model=NAME, kind=contradiction)'"
        )
    setting = AttackSetting(make_pool(english or conversations, language, seed), seed, cases, corpus, speaker)
    plan = Plan(conversations, [attack.name for attack in usable], cases, seed, done)
    by_name = {attack.name: attack for attack in usable}
    if not plan.is_done:
        run_task = partial(attack_part, attacks=by_name, language=language, setting=setting)

        def take() -> Iterator[AttackPart]:
            for part in map(run_task, plan) if working is None else working(setting, plan):
                plan.add(part)
                if save is not None:
                    save(part)
                yield part
                if plan.is_done:
                    return

        for _ in track(take(), "attacking", lambda _: plan.state):
            pass
    made: list[Case] = []
    yields: list[Yield] = []
    for attack in attacks:
        own, statistics = gather(attack.name, plan.attempts(attack.name), cases, untried.get(attack.name))
        made += own
        yields.append(statistics)
    return Attacked(made, yields, [*english_notices(words, NO_CASES), *yield_notices(yields, cases)])


class Plan(Sequence[AttackTask]):
    """The tasks of a run, in the order that the seed gives the dialogues, and their results so far.

    In the first round, each dialogue gives at most one case, or more if there are fewer dialogues than requested cases. If that is not
    enough, each dialogue gives a few more in the second round, and all that it has in the third. A task is created when a worker takes
    it. It does not contain attacks that already have enough cases. Extra attempts do no harm: ``gather`` takes the first cases by rank.

    Args:
        conversations: the corpus.
        attacks: the names of the attacks.
        cases: the number of requested cases of each attack.
        seed: the seed of the order.
        parts: results of an interrupted run.
    """

    def __init__(
        self,
        conversations: Iterable[Conversation],
        attacks: Sequence[str],
        cases: int,
        seed: int,
        parts: Iterable[AttackPart] = (),
    ) -> None:
        dialogues = ordered(conversations, seed)
        self._batches = [dialogues[first : first + BATCH] for first in range(0, len(dialogues), BATCH)]
        self._cases = cases
        least = max(1, ceil(cases / max(1, len(dialogues))))
        self._rounds = (least, _FEW * least, None)
        self._attempts: dict[str, dict[tuple[int, int, str, int], Attempt]] = {name: {} for name in attacks}
        self._made: dict[str, Counter[int]] = {name: Counter() for name in attacks}
        self._finished: set[int] = set()
        self._finished_in_order = 0
        for part in parts:
            self.add(part)
        numbers = range(len(self._rounds) * len(self._batches))
        self._left = [number for number in numbers if number not in self._finished]

    def __len__(self) -> int:
        return len(self._left)

    @overload
    def __getitem__(self, place: int) -> AttackTask: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[AttackTask]: ...
    def __getitem__(self, place: int | slice) -> AttackTask | Sequence[AttackTask]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        number = self._left[place]
        round_number, batch = divmod(number, len(self._batches))
        conversations = tuple(
            Conversation(conversation.id, tuple(Move(move.speaker, move.text) for move in conversation.moves))
            for conversation in self._batches[batch]
        )
        unfinished = tuple(name for name in self._attempts if not self._has_enough(name))
        return AttackTask(number, conversations, unfinished, self._rounds[round_number])

    def add(self, part: AttackPart) -> None:
        """Add the result of a task."""
        self._finished.add(part.number)
        while self._finished_in_order in self._finished:
            self._finished_in_order += 1
        for name, attempts in part.found.items():
            by_rank = self._attempts[name]
            for attempt in attempts:
                if attempt.rank not in by_rank:
                    by_rank[attempt.rank] = attempt
                    self._made[name][attempt.rank[0]] += attempt.case is not None

    def _has_enough(self, name: str) -> bool:
        """True if there are enough cases, and no later task can give a case of a lower rank.

        The first cases of dialogues are in the order of the dialogues. Later cases rank after the first cases of all dialogues.
        """
        if self._finished_in_order != len(self._finished):
            return False
        made, rounds = self._made[name], self._finished_in_order // len(self._batches)
        final = (self._rounds[rounds - 1] if rounds else 1) or inf
        return sum(count for cases_before, count in made.items() if cases_before < final) >= self._cases

    @property
    def is_done(self) -> bool:
        """True if no more tasks are needed."""
        return all(map(self._has_enough, self._attempts))

    def attempts(self, name: str) -> Iterable[Attempt]:
        """All attempts of an attack."""
        return self._attempts.get(name, {}).values()

    @property
    def state(self) -> tuple[float, int, str]:
        """The share of the requested cases that are made, and their number."""
        made = sum(min(self._cases, each.total()) for each in self._made.values())
        total = self._cases * len(self._made)
        return made / total, made, f" of {total:,} cases"


def attack_part(
    task: AttackTask, attacks: Mapping[str, Attack], language: Language, setting: AttackSetting
) -> AttackPart:
    """Try attacks on a part of a corpus until this part alone gives enough cases; ``gather`` merges parts.

    A dialogue gives a second case only after a first case was tried on all dialogues.

    Args:
        task: the dialogues and the names of the attacks.
        attacks: attacks by name; they include those of the task.
        language: language resources.
        setting: the settings that all attempts share; its pool is the pool of the whole corpus.
    """
    dialogues = ordered(task.conversations, setting.seed)
    if any(attacks[name].needs for name in task.attacks):
        language.prepare(move.text for conversation in dialogues for move in conversation.moves if move.text.strip())
    by_attack: dict[str, list[Attempt]] = {}
    for name in task.attacks:
        own = by_attack[name] = []
        made = rounds = 0
        unfinished = [attempts(attacks[name], conversation, language, setting) for conversation in dialogues]
        while unfinished and made < setting.cases and rounds != task.rounds:
            rounds += 1
            previous, unfinished = unfinished, []
            for dialogue_attempts in previous:
                if made < setting.cases and _next_case(dialogue_attempts, own):
                    made += 1
                    unfinished.append(dialogue_attempts)
    return AttackPart(task.number, by_attack)


def _next_case(dialogue_attempts: Iterator[Attempt], done: list[Attempt]) -> bool:
    """Try one dialogue until it gives a case, and add the attempts to ``done``. Return False if it gives no more cases."""
    for attempt in dialogue_attempts:
        done.append(attempt)
        if attempt.case is not None:
            return True
    return False


def attempts(
    attack: Attack, conversation: Conversation, language: Language, setting: AttackSetting
) -> Iterator[Attempt]:
    """Try each variant on the replies of a dialogue. The seed decides the order of variants and replies.

    The first variant differs between dialogues: otherwise easy variants would displace rare ones.

    Args:
        attack: the attack, with the variants to try; their resources are installed.
        conversation: the dialogue.
        language: language resources.
        setting: the settings that all attempts share.
    """
    seed = setting.seed
    place = digest(seed, conversation.id)
    if attack.name in _ENGLISH and not words_of_dialogue(conversation).is_english:
        yield Attempt((0, place, conversation.id, 0), None, NOT_ENGLISH)
        return
    own = [each for each in snippets(conversation) if setting.speaker in ("both", each.reply.speaker)]
    replies = sorted(own, key=lambda each: digest(seed, attack.name, conversation.id, each.turn))
    variants = seeded(seed, attack.name, conversation.id).sample(attack.variants, len(attack.variants))
    used: set[int] = set()
    number = 0
    for variant in variants:
        for snippet in replies:
            if snippet.turn not in used:
                made = _make_case(attack, variant, snippet, language, setting)
                rank = (len(used), place, conversation.id, number)
                number += 1
                if isinstance(made, Case):
                    yield Attempt(rank, made)
                    used.add(snippet.turn)
                else:
                    yield Attempt(rank, None, made)


def _make_case(
    attack: Attack, variant: Variant, snippet: Snippet, language: Language, setting: AttackSetting
) -> Case | str:
    """Make a case from a reply with a variant. If there is no case, return the reason: the attack's own, or a rule for all attacks."""
    if len(snippet.reply.text) > LONGEST_REPLY:
        return TOO_LONG
    random = seeded(setting.seed, attack.name, variant.name, snippet.dialogue, snippet.turn)
    try:
        made = variant.make(snippet, Kit(language, setting.pool, random))
    except NoCase as error:
        return str(error)
    both = made if isinstance(made, AttackedReply) else AttackedReply(snippet.reply.text, made)
    if not both.adversarial.strip():
        return EMPTY
    is_same = same_but_for_case(both.adversarial, both.reply) and not both.adversarial_context
    if is_same and not attack.control:
        return CHANGES_NOTHING
    return Case(
        attack=attack.name,
        variant=variant.name,
        context=snippet.context,
        reply=both.reply,
        adversarial=both.adversarial,
        expected=variant.expected or attack.expected,
        facet=variant.facet or attack.facet,
        source=Place(snippet.dialogue, snippet.turn),
        speaker=snippet.reply.speaker,
        spans=changed_spans(both.reply, both.adversarial),
        resources=language.names(variant.needs),
        corpus=setting.corpus,
        seed=setting.seed,
        adversarial_context=both.adversarial_context,
    )


class AttackWork(Struct, dict=True):
    """Runs tasks in any process. The first task opens the resources. Only the attributes are sent to a worker.

    Attributes:
        attacks: names of attacks, as on the command line.
        resources: the language resources to open.
        names: the names of the resources in the process that distributes the work, see :func:`resource_names`.
        setting: the settings that all attempts share.
    """

    attacks: tuple[str, ...]
    resources: Resources
    names: tuple[str, ...]
    setting: AttackSetting

    def __post_init__(self) -> None:
        self._lock = Lock()

    def __call__(self, task: AttackTask) -> AttackPart:
        """Run a task. Only one task runs at a time, because resources may not be thread-safe.

        Raises:
            DialmeterError: a resource is not installed in this process, or has another version.
        """
        note(f"dialogues {task.conversations[0].id} to {task.conversations[-1].id}")
        with self._lock:
            return attack_part(task, *self._opened, self.setting)

    @cached_property
    def _opened(self) -> tuple[dict[str, Attack], Language]:
        language = self.resources.open()
        names = resource_names(language)
        if names != self.names:
            difference = f"a worker has {', '.join(names)}, but the main process has {', '.join(self.names)}"
            raise DialmeterError(f"{difference}; install the same versions everywhere")
        usable, _ = with_resources(chosen(self.attacks), language)
        return {attack.name: attack for attack in usable}, language


def resource_names(language: Language) -> tuple[str, ...]:
    """The names of the resources that cases depend on; all workers of a run need the same ones."""
    return language.names((TOKENS, SYNONYMS))
