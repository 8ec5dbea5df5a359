"""One run of attacks: each attack is tried on the replies of a corpus until there are enough cases.

Cases depend on the seed, the attack and the dialogue only. The number of workers, the batches and their order do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import ceil, inf
from threading import Lock
from typing import overload

from msgspec import Struct

from ..errors import DialmeterError
from ..model import Conversation, Move
from .attack_statistics import Attacked, Attempt, Yield, gather, language_notices, yield_notices
from .attacks import Attack, AttackedReply, Kit, NoCase, Variant, chosen, with_resources
from .cases import Case, Place
from .checkpoint import AttackCheckpoint, AttackPart
from .corpus_pool import Pool, Snippet, digest, make_pool, ordered, seeded, snippets
from .language import SYNONYMS, TOKENS, Language, Resources
from .language.text_diff import changed_spans
from .language.words import same_but_for_case

BATCH = 25
_FEW = 4
LONGEST_REPLY = 2000
TOO_LONG = f"the reply has more than {LONGEST_REPLY} characters"
EMPTY = "leaves nothing of the reply"
CHANGES_NOTHING = "changes nothing but capitals and blanks"

Watch = Callable[[str, int, int], None]
"""Reports progress: the attack with the most work left, cases made, cases wanted."""


class AttackSetting(Struct, frozen=True):
    """What all attempts of a run share, in any process.

    Attributes:
        pool: what attacks may borrow from the corpus.
        seed: of all random choices.
        corpus: the corpus name that goes into the cases.
        speaker: whose replies are attacked: ``system``, ``user`` or ``both``.
    """

    pool: Pool
    seed: int
    corpus: str = ""
    speaker: str = "both"


class AttackTask(Struct, frozen=True):
    """Dialogues to attack.

    Attributes:
        number: the index of the task.
        talks: the dialogues, reduced to speakers and texts, because attacks see nothing else.
        attacks: names of the attacks that still lack cases.
        rounds: how many cases a dialogue may give; None for as many as it has.
    """

    number: int
    talks: tuple[Conversation, ...]
    attacks: tuple[str, ...]
    rounds: int | None


Working = Callable[[AttackSetting, Sequence[AttackTask]], Iterable[AttackPart]]
"""Runs tasks, and yields their results in order."""


def attack_corpus(
    talks: Sequence[Conversation],
    attacks: Sequence[Attack],
    language: Language,
    *,
    cases: int = 100,
    seed: int = 7,
    corpus: str = "",
    speaker: str = "both",
    watch: Watch | None = None,
    working: Working | None = None,
    checkpoint: AttackCheckpoint | None = None,
) -> Attacked:
    """Makes cases of every attack.

    Args:
        talks: the corpus.
        attacks: those to make.
        language: resources.
        cases: how many of each attack; fewer where the corpus does not give more.
        seed: of all random choices.
        corpus: the corpus name that goes into the cases.
        speaker: whose replies are attacked: ``system``, ``user`` or ``both``.
        watch: reports progress.
        working: runs tasks elsewhere; None to run them in this process.
        checkpoint: has the parts of an interrupted run; new parts are added to it.

    Example:
        >>> from dialmeter.judges.attacks import named
        >>> from dialmeter.judges.language import open_language
        >>> talk = Conversation("d1", (Move("a", "Where is the inn?"), Move("b", "The inn is in Mill Lane.")))
        >>> found = attack_corpus([talk], [named("repetition:word")], open_language(light=True), cases=1)
        >>> found.cases[0].reply, found.yields[0].made
        ('The inn is in Mill Lane.', 1)
    """
    able, skipped = with_resources(attacks, language)
    setting = AttackSetting(make_pool(talks, language, seed), seed, corpus, speaker)
    plan = Plan(talks, [attack.name for attack in able], cases, seed, checkpoint.parts if checkpoint else ())
    by_name = {attack.name: attack for attack in able}
    if not plan.is_done:
        here = partial(attack_part, attacks=by_name, language=language, setting=setting, cases=cases)
        for part in map(here, plan) if working is None else working(setting, plan):
            plan.take(part)
            if checkpoint is not None:
                checkpoint.add(part)
            if watch is not None:
                watch(*plan.progress())
            if plan.is_done:
                break
    made: list[Case] = []
    yields: list[Yield] = []
    for attack in attacks:
        own, statistics = gather(attack.name, plan.attempts(attack.name), cases, skipped.get(attack.name))
        made += own
        yields.append(statistics)
    return Attacked(made, yields, [*language_notices(setting.pool.words), *yield_notices(yields, cases)])


class Plan(Sequence[AttackTask]):
    """The tasks of a run, in the order that the seed gives the dialogues, and their results so far.

    First, each dialogue is asked for one case. If that does not give enough cases, each is asked for a few more, and at last
    for all that it has. A task is created when a worker takes it, without attacks that have enough cases by then.
    More attempts than needed do no harm: ``gather`` takes the first cases by rank.

    Args:
        talks: the corpus.
        attacks: names.
        cases: how many are wanted of each.
        seed: of the order.
        parts: results of an interrupted run.
    """

    def __init__(
        self,
        talks: Iterable[Conversation],
        attacks: Sequence[str],
        cases: int,
        seed: int,
        parts: Iterable[AttackPart] = (),
    ) -> None:
        dialogues = ordered(talks, seed)
        self._batches = [dialogues[first : first + BATCH] for first in range(0, len(dialogues), BATCH)]
        self._cases = cases
        least = max(1, ceil(cases / max(1, len(dialogues))))
        self._rounds = (least, _FEW * least, None)
        self._found: dict[str, dict[tuple[int, int, str, int], Attempt]] = {name: {} for name in attacks}
        self._made: dict[str, Counter[int]] = {name: Counter() for name in attacks}
        self._taken: set[int] = set()
        self._upto = 0
        for part in parts:
            self.take(part)
        self._left = [number for number in range(len(self._rounds) * len(self._batches)) if number not in self._taken]

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
        turn, batch = divmod(number, len(self._batches))
        talks = tuple(
            Conversation(talk.id, tuple(Move(move.speaker, move.text) for move in talk.moves))
            for talk in self._batches[batch]
        )
        lacking = tuple(name for name in self._found if not self._has_enough(name))
        return AttackTask(number, talks, lacking, self._rounds[turn])

    def take(self, part: AttackPart) -> None:
        """Adds the result of a task."""
        self._taken.add(part.number)
        while self._upto in self._taken:
            self._upto += 1
        for name, attempts in part.found.items():
            known = self._found[name]
            for attempt in attempts:
                if attempt.rank not in known:
                    known[attempt.rank] = attempt
                    self._made[name][attempt.rank[0]] += attempt.case is not None

    def _has_enough(self, name: str) -> bool:
        """True if there are enough cases, and no later task can give a case of a lower rank.

        The first cases of dialogues are in the order of the dialogues; later cases rank behind the first ones of all dialogues.
        """
        if self._upto != len(self._taken):
            return False
        made, turns = self._made[name], self._upto // len(self._batches)
        sure = (self._rounds[turns - 1] if turns else 1) or inf
        return sum(count for cases_before, count in made.items() if cases_before < sure) >= self._cases

    @property
    def is_done(self) -> bool:
        """True if no more task is needed."""
        return all(map(self._has_enough, self._found))

    def attempts(self, name: str) -> Iterable[Attempt]:
        """All attempts of an attack."""
        return self._found[name].values() if name in self._found else ()

    def progress(self) -> tuple[str, int, int]:
        """The attack with the most work left, cases made, cases wanted."""
        made = {name: min(self._cases, self._made[name].total()) for name in self._found}
        return min(made, key=lambda name: made[name]), sum(made.values()), self._cases * len(made)


def attack_part(
    task: AttackTask, attacks: Mapping[str, Attack], language: Language, setting: AttackSetting, cases: int
) -> AttackPart:
    """Tries attacks on a part of a corpus until this part alone gives enough cases; ``gather`` merges parts.

    A dialogue gives a second case only after all dialogues were asked for a first one.

    Args:
        task: what to attack.
        attacks: by name, those of the task among them.
        language: resources.
        setting: what all attempts share; its pool is that of the whole corpus.
        cases: how many are wanted of each attack.
    """
    dialogues = ordered(task.talks, setting.seed)
    if any(attacks[name].needs for name in task.attacks):
        language.prepare(move.text for talk in dialogues for move in talk.moves if move.text.strip())
    found: dict[str, list[Attempt]] = {}
    for name in task.attacks:
        own = found[name] = []
        made = turn = 0
        unfinished = [attempts(attacks[name], talk, language, setting) for talk in dialogues]
        while unfinished and made < cases and turn != task.rounds:
            turn += 1
            open_before, unfinished = unfinished, []
            for walk in open_before:
                if made < cases and _next_case(walk, own):
                    made += 1
                    unfinished.append(walk)
    return AttackPart(task.number, found)


def _next_case(walk: Iterator[Attempt], found: list[Attempt]) -> bool:
    """Tries one dialogue until it gives a case; False if it gives none any more."""
    for attempt in walk:
        found.append(attempt)
        if attempt.case is not None:
            return True
    return False


def attempts(attack: Attack, talk: Conversation, language: Language, setting: AttackSetting) -> Iterator[Attempt]:
    """Tries each variant on the replies of a dialogue, all in an order that the seed decides.

    Each dialogue has another first variant, so that easy variants do not crowd out rare ones.

    Args:
        attack: with the variants to try; their resources are installed.
        talk: the dialogue.
        language: resources.
        setting: what all attempts share.
    """
    seed = setting.seed
    place = digest(seed, talk.id)
    own = [each for each in snippets(talk) if setting.speaker in ("both", each.reply.speaker)]
    replies = sorted(own, key=lambda each: digest(seed, attack.name, talk.id, each.turn))
    variants = seeded(seed, attack.name, talk.id).sample(attack.variants, len(attack.variants))
    used: set[int] = set()
    number = 0
    for variant in variants:
        for snippet in replies:
            if snippet.turn not in used:
                made = _case(attack, variant, snippet, language, setting)
                rank = (len(used), place, talk.id, number)
                number += 1
                if isinstance(made, Case):
                    yield Attempt(rank, made)
                    used.add(snippet.turn)
                else:
                    yield Attempt(rank, None, made)


def _case(attack: Attack, variant: Variant, snippet: Snippet, language: Language, setting: AttackSetting) -> Case | str:
    """The case that a variant makes of a reply, or why there is none: a reason of the attack, or a rule for all attacks."""
    if len(snippet.reply.text) > LONGEST_REPLY:
        return TOO_LONG
    random = seeded(setting.seed, attack.name, variant.name, snippet.dialogue, snippet.turn)
    try:
        made = variant.make(snippet, Kit(language, setting.pool, random))
    except NoCase as no:
        return str(no)
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
    """Runs tasks in any process; the first task opens the resources. Only the attributes are sent to a worker.

    Attributes:
        attacks: names, as on the command line.
        resources: what to open.
        names: the resources that are open in the process that hands out the work, see :func:`resource_names`.
        setting: what all attempts share.
        cases: how many are wanted of each attack.
    """

    attacks: tuple[str, ...]
    resources: Resources
    names: tuple[str, ...]
    setting: AttackSetting
    cases: int

    def __post_init__(self) -> None:
        self._lock = Lock()

    def __call__(self, task: AttackTask) -> AttackPart:
        """Runs a task; one at a time, because resources need not be safe for several threads.

        Raises:
            DialmeterError: a resource is not installed here, or in another version.
        """
        with self._lock:
            return attack_part(task, *self._opened, self.setting, self.cases)

    @cached_property
    def _opened(self) -> tuple[dict[str, Attack], Language]:
        language = self.resources.open()
        names = resource_names(language)
        if names != self.names:
            difference = f"a worker has {', '.join(names)}, and here there is {', '.join(self.names)}"
            raise DialmeterError(f"{difference}; install the same everywhere")
        able, _ = with_resources(chosen(self.attacks), language)
        return {attack.name: attack for attack in able}, language


def resource_names(language: Language) -> tuple[str, ...]:
    """The resources that cases depend on, by name; all workers of a run need the same."""
    return language.names((TOKENS, SYNONYMS))
