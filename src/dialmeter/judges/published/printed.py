"""The error rates in Tables 3 and 4 of Khalid and Lee (2022)."""

from __future__ import annotations

from msgspec import Struct


class PrintedRow(Struct, frozen=True):
    """A row of a printed table: a metric on a data set, and its error rate per attack."""

    table: int
    metric: str
    data: str
    values: tuple[float, ...]

    @property
    def cells(self) -> dict[str, float]:
        """The values by the names of attacks in dialmeter."""
        return dict(zip(ATTACKS[self.table], self.values, strict=True))


ATTACKS = {
    3: ("entailment", "pronoun", "named-entity", "co-reference", "speaker", "contradiction", "dullness"),
    4: ("repetition", "vocabulary", "unnatural-paraphrase", "natural-paraphrase", "entrainment"),
}

PRINTED = (
    PrintedRow(3, "DialogRPT", "DDial", (0.30, 0.48, 0.60, 0.56, 0.98, 0.78, 0.48)),
    PrintedRow(3, "DialogRPT", "Reddit", (0.13, 0.66, 0.64, 0.32, 0.91, 0.72, 0.53)),
    PrintedRow(3, "DialogRPT", "PerCh", (0.40, 0.55, 0.74, 0.45, 0.89, 0.87, 0.47)),
    PrintedRow(3, "Pang-C", "DDial", (0.46, 0.08, 0.49, 0.03, 0.01, 0.26, 0.78)),
    PrintedRow(3, "Pang-C", "Reddit", (0.50, 0.49, 0.41, 0.58, 0.04, 0.47, 0.90)),
    PrintedRow(3, "Pang-C", "PerCh", (0.47, 0.20, 0.53, 0.74, 0.00, 0.51, 0.86)),
    PrintedRow(3, "Pang-L", "DDial", (0.45, 0.75, 0.72, 0.23, 0.74, 0.32, 0.67)),
    PrintedRow(3, "Pang-L", "Reddit", (0.49, 0.63, 0.57, 0.35, 0.59, 0.29, 0.81)),
    PrintedRow(3, "Pang-L", "PerCh", (0.54, 0.76, 0.73, 0.35, 0.69, 0.33, 0.81)),
    PrintedRow(3, "UWBERT", "MultiWOz", (0.98, 1.00, 1.00, 0.01, 1.00, 0.97, 0.98)),
    PrintedRow(3, "WHiGRU", "MultiWOz", (0.93, 0.98, 0.94, 0.07, 0.96, 0.96, 0.95)),
    PrintedRow(3, "WBERT", "MultiWOz", (0.98, 0.97, 0.97, 0.01, 0.96, 0.98, 0.94)),
    PrintedRow(4, "DialogRPT", "DDial", (0.86, 0.14, 0.42, 0.44, 0.62)),
    PrintedRow(4, "DialogRPT", "Reddit", (0.90, 0.08, 0.42, 0.35, 0.59)),
    PrintedRow(4, "DialogRPT", "PerCh", (0.91, 0.08, 0.53, 0.41, 0.67)),
    PrintedRow(4, "Pang-C", "DDial", (0.02, 0.00, 0.00, 0.87, 0.46)),
    PrintedRow(4, "Pang-C", "Reddit", (0.05, 0.02, 0.15, 0.33, 0.59)),
    PrintedRow(4, "Pang-C", "PerCh", (0.01, 0.06, 0.00, 0.89, 0.23)),
    PrintedRow(4, "Pang-F", "DDial", (0.99, 0.88, 1.00, 0.97, 1.00)),
    PrintedRow(4, "Pang-F", "Reddit", (0.80, 0.64, 0.88, 0.44, 0.93)),
    PrintedRow(4, "Pang-F", "PerCh", (0.87, 0.83, 0.98, 0.87, 0.94)),
    PrintedRow(4, "UWBERT", "MultiWOz", (1.00, 0.01, 0.98, 0.04, 1.00)),
    PrintedRow(4, "WHiGRU", "MultiWOz", (0.96, 0.02, 0.98, 0.10, 0.95)),
    PrintedRow(4, "WBERT", "MultiWOz", (0.99, 0.00, 0.98, 0.03, 1.00)),
)

METRICS = {
    "DialogRPT": ("dialogrpt", "rpt"),
    "Pang-C": ("pangc", "pangcontext", "pangcoherence", "context", "contextcoherence"),
    "Pang-F": ("pangf", "pangfluency", "fluency"),
    "Pang-L": ("pangl", "panglogic", "logic", "logicalconsistency", "logicconsistency"),
    "UWBERT": ("uwbert",),
    "WHiGRU": ("whigru", "higru"),
    "WBERT": ("wbert",),
}
"""The metrics of the tables → their spellings in names of files and folders, in lower case, with letters and digits only."""

DATA = {
    "DDial": ("ddial", "dailydialog", "daily"),
    "Reddit": ("reddit",),
    "PerCh": ("perch", "personachat", "persona"),
    "MultiWOz": ("multiwoz", "mwoz"),
}
"""The data sets of the tables → their spellings, in the same form."""


def table_name(text: str, spellings: dict[str, tuple[str, ...]]) -> str:
    """The name in the tables for a text; empty if the text is not a known spelling.

    Example:
        >>> table_name("Daily_Dialog", DATA), table_name("pang-c", METRICS), table_name("other", METRICS)
        ('DDial', 'Pang-C', '')
    """
    plain = "".join(letter for letter in text.lower() if letter.isalnum())
    return next((name for name, forms in spellings.items() if plain in (*forms, name.lower())), "")
