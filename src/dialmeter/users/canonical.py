"""Canonicalisation of values with a value map. Matching is fuzzy, and results are cached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..values.maps import SlotValues, ValueMap

_CACHE_SIZE = 1 << 18
"""Maximum number of entries of the cache."""


class Matcher:
    """Finds the canonical form of values under the rules, and caches the results.

    Args:
        value_map: the map; without one, values are not changed.
        threshold: minimum similarity of a form, from 0 to 1.
        fuzzy: False to accept only equal forms, ignoring letter case.
        kept: domain → values that are not changed.

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
        self._cache: dict[tuple[str, str, str, tuple[str, ...]], str] = {}

    def __call__(self, domain: str, slot: str, value: str, goal_values: tuple[str, ...] = ()) -> str:
        """Return the canonical form of a value.

        Args:
            domain: the domain of the value.
            slot: the slot of the value.
            value: the value in lower case.
            goal_values: the values of the slot in this domain of the goal. Their forms are compared first.
        """
        if self.map is None:
            return value
        key = (domain, slot, value, goal_values)
        canonical = self._cache.get(key)
        if canonical is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
                self._near.clear()
            canonical = self._cache[key] = self._find(self.map, domain, slot, value, goal_values)
        return canonical

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
        goal_forms = sorted(form for each in goal_values for form in table.values.get(each, ()))
        if not self._fuzzy:
            forms = (*goal_forms, *sorted(table.by_form))
            return next((table.by_form[form] for form in forms if form.lower() == value), "") or value
        near = self._best(table, value, {form: _sorted_words(form) for form in goal_forms}) if goal_forms else None
        near = near or self._nearest(table, value)
        return value if near is None else near

    def _nearest(self, table: SlotValues, value: str) -> str | None:
        """Return the canonical value of the form that is most similar to a value."""
        key = (table, value)
        if key not in self._near:
            forms = self._forms.get(table)
            if forms is None:
                forms = self._forms[table] = {form: _sorted_words(form) for form in sorted(table.by_form)}
            self._near[key] = self._best(table, value, forms)
        return self._near[key]

    def _best(self, table: SlotValues, value: str, forms: Mapping[str, str]) -> str | None:
        """Return the canonical value of the most similar form; of equally similar ones, the first in the alphabet.

        The forms, with their sorted words, are in alphabetical order, so that the order of the map does not matter.
        """
        from rapidfuzz import fuzz, process

        percent = 100 * self._threshold
        best = process.extractOne(_sorted_words(value), forms, scorer=fuzz.ratio, score_cutoff=max(percent - 0.5, 0))
        # The published similarities are whole percentages.
        if best is None or round(best[1]) < round(percent, 6):
            return None
        return table.by_form[best[2]]


def _sorted_words(text: str) -> str:
    """Return the sorted words of a text. The published similarity, ``token_sort_ratio``, compares two such texts."""
    from rapidfuzz.utils import default_process

    return " ".join(sorted(default_process(text).split()))
