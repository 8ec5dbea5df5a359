"""The Python interface of judges: make cases from attacks on dialogues, and compute error rates of judges on cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..core.comparison import check_ci
from ..english import english_notices, known_words
from ..errors import DialmeterError
from ..model import Conversation, Notice
from ..readers.conversations import Conversations, open_conversations
from .ask import Ask, ScorePair, score_cases
from .attack_run import attack_corpus
from .attacks import Attack, chosen
from .case_files import read_cases
from .cases import Case, parse_threshold, scores_digest
from .judge import TRIVIAL, Judge, endpoint_notices, identity_of, load_judge, parse_call
from .judged_items import training_dialogues
from .language import Paraphraser, Resources
from .language.analysis import cache_folder
from .matrix import JudgeDescription, VerdictSettings, describe_judge
from .requests import duplicate_name, make_judges, without_duplicates
from .result import JudgeResult

SPEAKERS = ("both", "system", "user")


def attack_replies(
    dialogues: str | Path | Conversations | Iterable[Conversation],
    attacks: Sequence[str | Attack] = ("default",),
    *,
    cases: int = 100,
    seed: int = 7,
    format: str | None = None,
    corpus: str | None = None,
    speaker: str = "both",
    light: bool = False,
    pipeline: str | None = None,
    paraphraser: Paraphraser | None = None,
    cache: str | Path | bool | None = True,
) -> list[Case]:
    """Make adversarial cases from the replies of dialogues, like ``dialmeter judge attack``.

    Args:
        dialogues: a file of conversations, or conversations.
        attacks: names of attacks, or of one variant as ``dullness:generic``; ``paper`` for the twelve attacks of the paper,
            ``default`` for these without co-reference, ``all`` for all attacks; or your own attacks.
        cases: the number of cases of each attack; there are fewer if the dialogues do not give enough.
        seed: the seed of all random choices; the same seed gives the same cases.
        format: the format of the file; detected if not given.
        corpus: the corpus name in the cases; default: the name of the file.
        speaker: the speaker whose replies are attacked: ``system``, ``user`` or ``both``.
        light: use only the resources that come with dialmeter, and ignore installed ones.
        pipeline: the name of a spaCy pipeline.
        paraphraser: a function that returns a paraphrase of a text (for ``natural-paraphrase``).
        cache: a folder that keeps analyses of utterances between runs; True for the same default folder as the command, which is
            not used with ``light``; None or False for no cache.

    Returns:
        The cases, grouped by attack, for :func:`score_judge`.

    Raises:
        DialmeterError: an attack is unknown, or no dialogue can be read.

    Example:
        >>> from dialmeter.model import Move
        >>> conversation = Conversation("d1", (Move("a", "Where is the inn?"), Move("b", "The inn is in Mill Lane.")))
        >>> [(case.attack, case.reply) for case in attack_replies([conversation], ["repetition:word"], cases=1, light=True)]
        [('repetition', 'The inn is in Mill Lane.')]
    """
    if speaker not in SPEAKERS:
        raise DialmeterError(f"speaker must be one of {', '.join(SPEAKERS)}, not {speaker!r}")
    is_file = isinstance(dialogues, str | Path)
    conversations = list(open_conversations(dialogues, format) if isinstance(dialogues, str | Path) else dialogues)
    if not conversations:
        raise DialmeterError(
            f"{dialogues}: no dialogue could be read" if is_file else "there are no dialogues to attack"
        )
    requested = [attack for each in attacks for attack in ([each] if isinstance(each, Attack) else chosen([each]))]
    name = Path(str(dialogues)).name if is_file else ""
    folder = (None if light else cache_folder()) if cache is True else Path(cache) if cache else None
    language = Resources(pipeline, light, folder, paraphraser or "").open()
    label = name if corpus is None else corpus
    return attack_corpus(
        conversations, requested, language, cases=cases, seed=seed, corpus=label, speaker=speaker
    ).cases


def score_judge(
    cases: str | Path | Sequence[Case],
    judges: Mapping[str, Judge] | Sequence[str | Judge],
    *,
    threshold: str = "paper",
    verdict: str = "paper",
    ci: float = 0.95,
    store: str | Path | None = None,
    dialogues: Sequence[Sequence[str]] | None = None,
    scores: Mapping[str, Sequence[ScorePair]] | None = None,
    lower_is_better: Sequence[str] = (),
) -> JudgeResult:
    """Error rates of judges under attack. The trivial judges are scored, too.

    Args:
        cases: a file of cases, or cases.
        judges: a mapping from names to judges, or a sequence of texts (see :func:`~dialmeter.judges.judge.load_judge`) and
            objects. If a panel is given as text, its members are scored, too.
        threshold: ``paper``, ``sd``, ``noise`` or ``fixed=0.1``.
        verdict: ``paper``, or ``published`` for the expectation of the published code for entrainment.
        ci: the confidence level of the intervals; 0 for no intervals.
        store: a folder that keeps scores between runs.
        dialogues: training dialogues for judges that learn, each as a sequence of utterances; default: the contexts of the
            cases.
        scores: precomputed scores by the judge's name, one pair per case.
        lower_is_better: judges of ``scores`` for which a lower score is better.

    Raises:
        DialmeterError: a judge cannot be loaded, or a setting is not valid.
        InputError: the file of cases cannot be read.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> from dialmeter.model import Move
        >>> context = (Move("user", "a table for two"),)
        >>> cases = [
        ...     Case("speaker", "", context, reply, "a table for two " + reply, "lower", "coherence", Place("d1", n))
        ...     for n, reply in enumerate(["certainly", "for what day"])
        ... ]
        >>> result = score_judge(cases, ["length"], threshold="fixed=0.5")
        >>> result["length", "speaker"].value
        1.0
    """
    check_ci(ci)
    all_cases = read_cases(cases) if isinstance(cases, str | Path) else list(cases)
    if not all_cases:
        raise DialmeterError("there are no cases to score")
    offered = offered_by_cases(all_cases)
    if dialogues is not None:
        offered["dialogues"] = dialogues
    by_name = dict(judges) if isinstance(judges, Mapping) else _make_judges(judges, offered)
    to_ask, descriptions = with_trivial_judges(all_cases, by_name, scores or {}, lower_is_better)
    settings = VerdictSettings(parse_threshold(threshold), verdict, ci)
    return run_judges(all_cases, to_ask, descriptions, scores or {}, settings=settings, store=store)


def with_trivial_judges(
    cases: Sequence[Case],
    judges: Mapping[str, Judge],
    scores: Mapping[str, Sequence[ScorePair]],
    lower_is_better: Sequence[str] = (),
) -> tuple[dict[str, Judge], list[JudgeDescription]]:
    """Return the judges to ask, with the trivial ones last, and the description of each judge.

    Raises:
        DialmeterError: two judges have the same name, or there are no judges.
    """
    duplicates = [name for name in scores if name in judges]
    if duplicates:
        raise duplicate_name(duplicates[0])
    if not judges and not scores:
        raise DialmeterError("name at least one judge")
    trivial = {name: load_judge(name)[1] for name in TRIVIAL if name not in judges and name not in scores}
    descriptions = [describe_judge(name, judge) for name, judge in judges.items()]
    for name, pairs in scores.items():
        identity = f"scores {name}@{scores_digest(zip(cases, pairs, strict=True))}"
        descriptions.append(JudgeDescription(name, identity, name not in lower_is_better))
    descriptions += [describe_judge(name, judge, trivial=True) for name, judge in trivial.items()]
    return {**judges, **trivial}, descriptions


def run_judges(
    cases: Sequence[Case],
    judges: Mapping[str, Judge],
    descriptions: Sequence[JudgeDescription],
    scores: Mapping[str, Sequence[ScorePair]],
    *,
    settings: VerdictSettings,
    store: str | Path | None,
    ask: Ask | None = None,
) -> JudgeResult:
    """Ask judges, and add the precomputed scores. Return the result."""
    scored = score_cases(cases, judges, store, ask)
    for name, pairs in scores.items():
        scored.pairs[name] = list(pairs)
    # A language model knows only after its answers which parameters its server refused.
    models = {name: judge for name, judge in judges.items() if hasattr(getattr(judge, "inner", judge), "omitted")}
    final = [
        replace(each, identity=identity_of(models[each.name])) if each.name in models else each for each in descriptions
    ]
    return JudgeResult(cases, final, scored, settings, [*endpoint_notices(models), *_language_notices(cases, judges)])


def _language_notices(cases: Sequence[Case], judges: Mapping[str, Judge]) -> list[Notice]:
    """A warning if judges that know only English score other text."""
    names = [name for name, judge in judges.items() if getattr(judge, "english", False)]
    texts: dict[str, list[str]] = {}
    for case in cases if names else ():
        texts.setdefault(case.source.dialogue, []).extend(move.text for move in case.context)
    words = {dialogue: known_words(dict.fromkeys(said)) for dialogue, said in texts.items()}
    return english_notices(words, f"{', '.join(names)} know only English, so their scores mean little there")


def _make_judges(judges: Sequence[str | Judge], offered: Mapping[str, Any]) -> dict[str, Judge]:
    """Make the judges that are texts. All keep their order; members of panels come last."""
    made = make_judges([parse_call(each) for each in judges if isinstance(each, str)], offered).judges
    of_texts = iter(made.items())
    own = [dict([next(of_texts)]) if isinstance(each, str) else {each.name: each} for each in judges]
    return without_duplicates(*own, dict(of_texts))


def offered_by_cases(cases: Sequence[Case]) -> dict[str, Any]:
    """What cases offer to judges: their contexts as training data, and the dialogues that a training corpus must not contain."""
    dialogues = training_dialogues(case.items[0] for case in cases)
    return {"dialogues": dialogues, "tested": frozenset(case.source.dialogue for case in cases)}
