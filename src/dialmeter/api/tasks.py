"""The calls of Python that make something: cases, explanations, dialogues, other files, citations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..citations import for_measures
from ..core.open_runs import open_run
from ..core.output import compressed, new_file
from ..errors import DialmeterError
from ..judges.case_files import read_cases
from ..judges.cases import Case
from ..judges.explanation import CaseExplained, explain_case
from ..judges.judge import load_judge
from ..judges.scorer import attack_replies
from ..model import Conversation
from ..readers.corpus import open_corpus
from ..readers.layouts.own import WRITERS, Losses
from ..readers.pairs.vocabulary import Vocabulary
from ..readers.validation import Role
from ..simulation.bots import choose
from ..simulation.play import MAX_TURNS, Setting, sampled
from ..simulation.play import play as play_tasks
from ..tracking.align import plain_dialogues, read_pair
from .advice import in_python
from .judges import judges_of


@in_python
def attack(dialogues: Any, attacks: str | Sequence[str] = "default", n: int = 100, **settings: Any) -> list[Case]:
    """Make adversarial cases from the replies of dialogues, like ``dialmeter judge attack``.

    Args:
        dialogues: a file of conversations, or conversations.
        attacks: an attack or several; ``default``, ``paper`` or ``all``.
        n: number of cases of each attack.
        settings: further settings, such as ``seed``, ``speaker`` and ``light``.
    """
    return attack_replies(dialogues, [attacks] if isinstance(attacks, str) else attacks, cases=n, **settings)


@in_python
def explain(
    cases: str | Path | Iterable[Case],
    judge: Any,
    n: int | None = None,
    *,
    base: Any = "masked",
    budget: int = 512,
    seed: int = 0,
) -> list[CaseExplained]:
    """Return the words of replies that decide the score of a judge, like ``dialmeter judge explain``.

    Args:
        cases: a file of cases, or cases.
        judge: a judge, its name, or a function ``function(context, reply)``.
        n: number of cases; default: all.
        base: what replaces a word: ``masked`` or ``zero``.
        budget: largest number of replies to score for one explanation.
        seed: seed of the sampled replies.
    """
    objects, texts = judges_of(judge if isinstance(judge, str) else [judge])
    chosen = load_judge(texts[0])[1] if texts else next(iter(objects.values()))
    listed = read_cases(cases) if isinstance(cases, str | Path) else list(cases)
    return [explain_case(case, chosen, base=base, budget=budget, seed=seed) for case in listed[:n]]


@in_python
def play(
    user: str = "agenda",
    system: str = "rule",
    n: int = 50,
    *,
    seed: int = 0,
    noise: float = 0.0,
    max_turns: int = MAX_TURNS,
    world: str | Path = "town",
) -> list[Conversation]:
    """Play dialogues between a user and a system in the demo data, or in a folder of tables, like ``dialmeter play``.

    Example:
        >>> len(play("agenda", "rule", 2, seed=7))
        2
    """
    setting = Setting(choose(user, "user"), choose(system, "system"), noise, seed, max_turns, str(world))
    return list(play_tasks(sampled(n, seed, setting.world), setting))


@in_python
def convert(
    source: str | Path,
    target: str | Path,
    to: str | None = None,
    *,
    gold: str | Path | None = None,
    format: str | None = None,
    force: bool = False,
) -> int:
    """Convert a file of states to another format, like ``dialmeter convert``.

    Args:
        source: the file.
        target: the new file; it is compressed if it ends in .gz or .zst.
        to: its format: ``native``, ``csv`` …; default: ``csv`` if its name ends in .csv, else ``native``.
        gold: the file of gold states, if the source has only predictions.
        format: the format of the source.
        force: replace an existing file.

    Returns:
        The number of dialogues.
    """
    chosen = to or ("csv" if ".csv" in Path(target).suffixes else "native")
    if chosen not in WRITERS:
        raise DialmeterError(f"cannot write {chosen!r}; known: {', '.join(WRITERS)}")
    corpus = open_corpus(source, Role.PRED if gold else Role.GOLD, format, is_role_sure=gold is not None)
    words = Vocabulary()
    gold_corpus = open_corpus(gold, Role.GOLD) if gold else None
    losses = Losses(chosen)
    dialogues = plain_dialogues(read_pair(corpus, gold_corpus, words), words, corpus)
    with new_file(str(target), force=force) as plain, compressed(plain, Path(target).suffix) as file:
        file.writelines(WRITERS[chosen].write(losses.count_losses(dialogues)))
    return losses.count


@in_python
def cite(*names: Any) -> str:
    """Return the BibTeX entries of measures, results or runs.

    Example:
        >>> "dey-2022" in cite("FGA(lam=0.5)")
        True
    """
    measures: list[str] = []
    for each in names:
        if hasattr(each, "scores"):
            measures += [score.measure for score in each.scores]
        elif Path(str(each)).is_dir():
            measures += [score["measure"] for score in open_run(each).scores]
        else:
            measures.append(str(each))
    return "\n\n".join(for_measures(measures))
