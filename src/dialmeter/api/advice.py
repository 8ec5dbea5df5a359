"""What to write instead: names that people expect from other libraries, and options of the command line in messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from ..errors import DialmeterError, InputError

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_SCORE, _SYSTEM, _RATINGS = "dm.score(gold, pred)", "dm.score(df, subject='system')", "dm.score(RATINGS, judges=…)"
_COMPARED = "scores; two results: dm.compare({'a': one, 'b': other})"
_ROWS = "to_dicts(), one row per system and measure"
MODULE = {
    "print(dm.score(gold, pred)), or dm.score(gold, pred).by('slot') for every slot": "report",
    "dm.score(gold, pred, measures='JGA')": "load metric metrics",
    _SCORE: "evaluate eval compute compute_metrics compute_jga tracker score_tracker scorer evaluator",
    "dm.score(gold, pred).by('slot')": "classification_report slot_report by_slot",
    "dm.score(gold, pred).by('domain')": "by_domain",
    "dm.score(CASES or RATINGS, judges={'mine': function})": "judge metric_eval",
    f"{_RATINGS}, with a file or items that have ratings": "agreement correlation kappa spearman pearson kendall alpha krippendorff cohen_kappa",
    "dm.score(CASES, judges=…)": "score_judge",
    "dm.score(df, subject='system', measures=['Success', 'Pass(k=2)'])": "agent agents",
    _SYSTEM: "system score_system score_agent log trajectories",
    f"{_SYSTEM}.by('task')": "success_rate by_task",
    "dm.score(df, subject='system', measures='Pass(k=2)')": "pass_hat_k pass_hat pass_k",
    "dm.score(df, subject='system', measures='AnyPass(k=2)')": "pass_at_k pass_at",
    "dm.score(FILE, subject='user'), with a file of dialogues that have goals": "user score_user simulator goal_f1 gcdf1",
    "`dialmeter list measures`, or sorted(dialmeter.measure.registry.builtin())": "list_metrics list_measures measures available_metrics list",
    "`dialmeter list settings`": "settings list_settings",
    "dm.compare({'a': …, 'b': …}, gold=…)": "diff significance significance_test paired_bootstrap bootstrap_test permutation_test paired_test",
    "dm.score(gold, pred)['JGA'].ci": "bootstrap confidence_interval ci",
    "`dialmeter view RUN`": "view show",
    "dm.score(gold, pred).plot()": "plot chart",
    "dm.score(path), which reads the file": "load_file load_data read_json from_file",
    "dm.score(df), with a column for each of dialogue, turn, gold and pred": "from_pandas score_df",
    "`dialmeter report RUN -o report.html`": "to_html html_report",
}
"""What to write → the names that people expect for it in the module."""
KEYWORDS = {
    "measures": "metrics metric",
    "measures='JGA(average=dialogue)'": "average",
    "measures='FGA(lam=0.5)'": "lam",
    "measures='Pass(k=2)'": "k",
    "ci": "confidence confidence_level level",
    "ci=0.95, or measures='GCA(alpha=0.9)'": "alpha",
    "resamples": "bootstrap n_bootstrap n_resamples n_boot n_bootstraps num_samples",
    "seed": "random_state rng",
    "values": "normalize normalise lowercase lower tokenizer",
    "rules": "ruleset",
    "dm.score(RATINGS, judges={'mine': function})": "human",
    "judges": "judge",
    "pred": "prediction preds hypotheses hyps hypothesis outputs candidates sys",
    "gold": "reference labels target targets truth golds refs ref ground_truth",
    "columns": "fields",
    "subject": "kind",
    ".by('domain') of the result": "by group_by",
    "`dialmeter score FILE -o RUN`": "save output out",
    "`dialmeter score FILE --workers 2`": "workers jobs n_jobs num_workers processes",
    "a dict: dm.compare({'a': …, 'b': …})": "names",
    "print(result), and .to_dicts() for everything": "verbose show details full",
}
"""What to write → the keywords of other libraries."""
RESULT = {
    "by('domain')": "by_domain per_domain",
    "by('slot')": "by_slot per_slot",
    "by('task')": "by_task",
    "rows()": "per_turn per_dialogue turns",
    "errors": "mistakes failures wrong items_failed",
    "to_dict()": "compute to_json asdict dict json",
    "to_dicts(), or print(result)": "summary to_string text table describe",
    "worst(n)": "worst_turns top bottom",
    "to_pandas()": "to_df to_frame df",
    "ci": "confidence_interval interval",
    "value": "score",
    "to_pandas().head()": "head tail",
    "keys()": "metrics measures names measure_names columns",
    "to_pandas().to_csv(PATH)": "to_csv",
    "to_pandas().to_excel(PATH)": "to_excel",
    "to_pandas().to_html()": "to_html",
    "scores, or print(result)": "print show",
    "by('slot'), or print(result)": "report classification_report",
    "worst()": "worst_dialogues",
    "scores; p values belong to dm.compare({'a': …, 'b': …}, gold=…)": "p p_value",
    _COMPARED: "compare significance",
    "to_dicts(); a run on disk: `dialmeter score FILE -o RUN`": "save",
}
"""What a result has → what people write."""
SCORE = {
    "ci": "interval confidence_interval ci95 bounds conf_int",
    "ci[0]": "low lower ci_low ci_lower",
    "ci[1]": "high upper ci_high ci_upper",
    "value": "score mean val result",
    "n": "count support total",
    "measure": "name metric",
    "ci; p values belong to dm.compare({'a': …, 'b': …}, gold=…)": "p p_value pvalue std se stderr",
}
"""What a score has → what people write."""
COMPARISON = {
    f"{_ROWS} with p and p_holm": "p p_value pvalue pvalues p_values p_holm",
    _ROWS: "difference diff",
    "rungs[0].ci, or to_dicts()": "ci",
    "verdict": "significant winner better is_significant is_better decision conclusion",
    "verdicts": "best",
    "to_pandas()": "table df to_frame",
    "to_pandas().to_csv(PATH)": "to_csv",
    "to_pandas().to_excel(PATH)": "to_excel",
    "to_dicts()": "to_dict to_json to_records",
    "verdict, or print(comparison)": "summary",
    "results, or to_pandas()": "scores",
    "rungs": "ladder",
}
"""What a comparison has → what people write."""
SCORER = {
    "add('d1', pred=[…], gold=[…])": "update",
    "add(…), once per dialogue": "add_batch",
    "result()": "compute",
}
"""What a scorer has → what people write."""
SUBJECTS = {
    "tracker": "dst state belief states dialogue_state",
    "user": "simulator user_simulator simulation",
    "judge": "metric llm evaluator rating case",
    "system": "agent trajectory log tool",
}
"""Subject → other words for it."""
MEASURES = {
    "JGA": "jointgoalaccuracy jointaccuracy accuracy",
    "SA": "slotaccuracy",
    "SlotF1": "f1",
    "Success": "successrate passrate",
}
"""Measure → what people write for it, without case and underscores."""


def advice(table: Mapping[str, str], name: str) -> str | None:
    """Return what to write instead of a name that people expect; None if nobody expects it.

    Example:
        >>> advice(MODULE, "significance_test")
        "dm.compare({'a': …, 'b': …}, gold=…)"
    """
    return next((text for text, names in table.items() if name in names.split()), None)


_OPTIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"--set ([\w.-]+)=([^\s;,)]+)", lambda match: f"{match[1].replace('-', '_')}={match[2]!r}"),
    (r"--columns (\w+)=([\w:,-]*\w)", lambda match: f"columns={{{match[1]!r}: {match[2]!r}}}"),
    (r"--from\b", lambda _: "format="),
    (r"--by (\w+)", lambda match: f".by({match[1]!r})"),
    (r"--(gold|only|rules|subject)\b", lambda match: f"{match[1]}="),
    (r"--(measure|judge)\b", lambda match: f"{match[1]}s="),
)
"""Options of the command line in messages, and the keywords of Python."""


def in_python_words(message: str) -> str:
    """Return a message with the keywords of Python instead of the options of the command line.

    Example:
        >>> in_python_words("allow it with --set missing=empty or --only FILE")
        "allow it with missing='empty' or only= FILE"
    """
    for pattern, replace in _OPTIONS:
        message = re.sub(pattern, replace, message)
    return message


def in_python(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Return a function whose errors have the words of Python."""

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        try:
            return function(*args, **kwargs)
        except DialmeterError as error:
            error.args = tuple(in_python_words(str(each)) for each in error.args)
            if isinstance(error, InputError):
                error.message = in_python_words(error.message)
            raise

    return call
