"""Finds the canonical values of a map for what users say. Matching is fuzzy, and results are cached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..values.maps import SlotValues, ValueMap
from .rules import Values

_MEMORY = 1 << 18
"""Size of the cache."""


class Matcher:
    """Finds the canonical form of values under the rules, and caches the results.

    Args:
        value_map: the map; without one every value stays as it is.
        threshold: how alike, from 0 to 1, a form must be.
        fuzzy: False for forms that are written alike, letter case aside.
        kept: values that stay as they are, by domain.

    Example:
        >>> areas = ValueMap({"area": {"centre": ["centre", "city center", "middle of town"], "north": ["north"]}})
        >>> matcher = Matcher(areas, threshold=0.9)
        >>> matcher("hotel", "area", "center of the city"), matcher("hotel", "area", "city  center.")
        ('center of the city', 'centre')
    """

    def __init__(
        self,
        value_map: ValueMap | None,
        *,
        threshold: float = 0.9,
        fuzzy: bool = True,
        kept: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.map = value_map
        self._threshold = threshold
        self._fuzzy = fuzzy
        self._kept = kept or {}
        self._forms: dict[SlotValues, dict[str, str]] = {}
        self._near: dict[tuple[SlotValues, str], str | None] = {}
        self._answers: dict[tuple[str, str, str, tuple[str, ...]], str] = {}

    @classmethod
    def under(cls, rules: Values, value_map: ValueMap | None, kept: Mapping[str, Sequence[str]]) -> Matcher:
        """A matcher as a rule set wants it."""
        return cls(value_map if rules.map else None, threshold=rules.threshold, fuzzy=rules.fuzzy, kept=kept)

    def __call__(self, domain: str, slot: str, value: str, goal_values: tuple[str, ...] = ()) -> str:
        """The canonical form of a value.

        Args:
            domain: where it is said.
            slot: what it is said of.
            value: in lower case.
            goal_values: what the goal wants of the slot in this domain; their forms are compared first.
        """
        if self.map is None:
            return value
        key = (domain, slot, value, goal_values)
        found = self._answers.get(key)
        if found is None:
            if len(self._answers) >= _MEMORY:
                self._answers.clear()
                self._near.clear()
            found = self._answers[key] = self._find(self.map, domain, slot, value, goal_values)
        return found

    def _find(self, value_map: ValueMap, domain: str, slot: str, value: str, goal_values: tuple[str, ...]) -> str:
        table = value_map.table(domain, slot)
        if table is None or value in self._kept.get(domain, ()):
            return value
        if table.steps:
            value = table.canonical(value)
            # A goal may write its value in a form that the steps change, such as a name with its article.
            for wanted in goal_values:
                if table.canonical(wanted) == value:
                    return wanted
        if value in table.known:
            return value
        if not self._fuzzy:
            return _written_alike(table, goal_values, value) or value
        near = self._nearest_of(table, goal_values, value) or self._nearest(table, value)
        return value if near is None else near

    def _nearest(self, table: SlotValues, value: str) -> str | None:
        """The canonical value of the form that is most like a value."""
        key = (table, value)
        if key not in self._near:
            forms = self._forms.get(table)
            if forms is None:
                forms = self._forms[table] = {form: _sorted_words(form) for form in table.by_form}
            self._near[key] = self._best(table, value, forms)
        return self._near[key]

    def _nearest_of(self, table: SlotValues, goal_values: Iterable[str], value: str) -> str | None:
        """The same among the forms of some canonical values."""
        forms = {form: _sorted_words(form) for each in goal_values for form in table.values.get(each, ())}
        return self._best(table, value, forms) if forms else None

    def _best(self, table: SlotValues, value: str, forms: Mapping[str, str]) -> str | None:
        """The canonical value of the best of some forms, which are given with their words sorted."""
        from rapidfuzz import fuzz, process

        percent = 100 * self._threshold
        best = process.extractOne(_sorted_words(value), forms, scorer=fuzz.ratio, score_cutoff=max(percent - 0.5, 0))
        # Published scores are whole percents.
        if best is None or round(best[1]) < round(percent, 6):
            return None
        return table.by_form[best[2]]


def _written_alike(table: SlotValues, goal_values: Iterable[str], value: str) -> str | None:
    """The canonical value of a form that is written just like this, letter case aside."""
    forms = [form for each in goal_values for form in table.values.get(each, ())]
    return next((table.by_form[form] for form in (*forms, *table.by_form) if form.lower() == value), None)


def _sorted_words(text: str) -> str:
    """The words in order; the likeness of two such texts is the published one, ``token_sort_ratio``."""
    from rapidfuzz.utils import default_process

    return " ".join(sorted(default_process(text).split()))
