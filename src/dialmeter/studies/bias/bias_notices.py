"""What a reader of the bias study should be warned of."""

from __future__ import annotations

from collections import Counter

from ...model import Notice, dialogue_key
from .bias import LEAST
from .bias_filter import SAME
from .bias_findings import Study


def notices_of_study(study: Study) -> list[Notice]:
    """Too few dialogues, no mistakes, measures that are constant, dialogues that stand in several pooled files.

    Example:
        >>> from dialmeter.studies.bias.bias import Row, study
        >>> from dialmeter.studies.bias.error_position import traits_of
        >>> [notice.message for notice in notices_of_study(study([Row("", "d", (0, 1), traits_of((0, 1)), {"JGA": 0.5})]))]
        ['1 dialogues are too few for correlations; the study needs 5 or more']
    """
    name, n = f"{study.system}: " if study.system else "", len(study.rows)
    if n < LEAST:
        message = f"{name}{n} dialogues are too few for correlations; the study needs {LEAST} or more"
        return [Notice("few-dialogues", n, message)]
    if not any(any(row.mistakes) for row in study.rows):
        message = f"{name}no dialogue has a mistake, so that there is nothing for measures to depend on"
        return [Notice("no-mistakes", n, message)]
    constant = [measure for measure in study.measures if _is_constant(study, measure)]
    repeated = [key for key, times in Counter(dialogue_key(row.dialogue) for row in study.rows).items() if times > 1]
    found = [
        Notice("constant", len(constant), f"{name}{', '.join(constant)} give all dialogues the same value"),
        Notice(
            "repeated-dialogues",
            len(repeated),
            f"{name}{len(repeated)} dialogues stand in several files; intervals take them for independent "
            "and are too narrow",
            tuple(sorted(repeated)[:10]),
        ),
    ]
    return [notice for notice in found if notice.count]


def _is_constant(study: Study, measure: str) -> bool:
    values = [value for row in study.rows if (value := row.values[measure]) is not None]
    return not values or max(values) - min(values) <= SAME
