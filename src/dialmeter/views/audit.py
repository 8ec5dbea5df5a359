"""Tables and text of an audit of gold."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import one_line
from ..studies.audit.audit import GoldAudit, format_votes, proposal
from ..studies.audit.candidates import KINDS, Candidate
from .tables import Table, percent, records_of, records_table, table_of


def reliability_table(audit: GoldAudit) -> Table:
    """Return the reliability of the votes of each tracker."""
    return table_of(
        "trackers, compared with the votes of all others",
        audit.reliability,
        "<tracker",
        ("<votes", lambda each: "yes" if each.votes else "no, given gold states"),
        "precision:percent | recall:percent | independence:decimals | turns equal to gold=equal_to_gold:percent",
    )


def candidate_tables(audit: GoldAudit, most: int) -> Iterator[Table]:
    """Yield the number of candidates of each kind, and the strongest candidates."""
    columns = (("<kind", str), ("candidates", audit.kinds.__getitem__), ("<meaning", lambda kind: KINDS[kind]))
    yield table_of("candidates by kind", audit.kinds, *columns)
    listed = audit.ranked[:most]
    tied = sum(each.tied > 1 for each in listed)
    foot = (f"{len(listed)} of {audit.found} candidates; {tied} of these {len(listed)} share their rank with others",)
    yield table_of(
        "likely errors of gold",
        listed,
        ("<rank", rank_text),
        "<kind",
        ("<dialogue", lambda each: one_line(each.dialogue, 30)),
        "turn",
        ("<slot", lambda each: one_line(each.slot, 40)),
        ("<gold", lambda each: one_line(each.gold or "–", 30)),
        ("<proposed", lambda each: one_line(proposal(each), 60)),
        ("strength", lambda each: f"{each.strength:.2f}"),
        foot=foot,
    )


def rank_text(ranked: Candidate) -> str:
    """Return the rank, or the range of ranks of tied candidates.

    Example:
        >>> parts = ("late", "d", 0, "a-b", None, "a-b", "x", 1.0, (), {})
        >>> rank_text(Candidate(*parts, rank=3, tied=2)), rank_text(Candidate(*parts, rank=5, tied=1))
        ('3-4', '5')
    """
    return str(ranked.rank) if ranked.tied == 1 else f"{ranked.rank}-{ranked.rank + ranked.tied - 1}"


def candidate_lines(audit: GoldAudit, candidate: Candidate) -> Iterator[str]:
    """Yield the lines of a candidate: utterances, votes, and the scores of all trackers after a correction."""
    tie = f", tied with {candidate.tied - 1} others" if candidate.tied > 1 else ""
    place = f"{one_line(candidate.slot, 60)}, dialogue {one_line(candidate.dialogue, 60)}, turn {candidate.turn}"
    yield f"{rank_text(candidate)}  {place}: {KINDS[candidate.kind]}{tie}"
    for each in candidate.talk:
        yield f"  {each.turn} {each.speaker:<6}  {one_line(each.text, 300)}"
    yield f"  gold      {one_line(candidate.gold or 'no value', 100)}"
    yield f"  proposed  {one_line(proposal(candidate), 100)}"
    for name, vote in format_votes(candidate).items():
        yield f"  {one_line(name, 40)}: {vote}"
    if candidate.same_words is not None and candidate.same_words.dialogues:
        words = candidate.same_words
        yield f"  users say this value in {words.dialogues} other dialogues with this domain; gold has it in {words.annotated}"
    for tracker in audit.trackers.trackers:
        scores = ", ".join(
            f"{each.measure} {percent(tracker.result[each.measure].value)} → {percent(each.value)}"
            for each in candidate.corrected
            if each.system == tracker.name
        )
        yield f"  if corrected, {one_line(tracker.name, 40)}: {scores}"


def candidate_records(audit: GoldAudit) -> Table:
    """Return all listed candidates as a machine-readable table."""
    keys = "rank tied kind dialogue turn slot gold proposed_slot proposed strength"
    return records_table(
        [
            {
                **record,
                "votes": "; ".join(f"{name}: {vote}" for name, vote in format_votes(each).items()),
                **{f"{score.system} {score.measure}": score.value for score in each.corrected},
            }
            for each, record in zip(audit.ranked, records_of(audit.ranked, keys), strict=True)
        ]
    )
