"""An audit of gold as tables, as text, and as a sheet for annotators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import one_line
from ..model import dialogue_key
from ..studies.audit.audit import GoldAudit, RankedCandidate
from ..studies.audit.candidates import KINDS, Candidate
from ..studies.audit.corrected import scores_of
from ..studies.audit.sheet import KEPT, VERDICTS, AuditRow, format_votes, proposal
from .html_env import page
from .tables import Table, decimals, percent, records_table


def reliability_table(audit: GoldAudit) -> Table:
    """What the votes of each tracker are worth."""
    rows = tuple(
        (
            each.tracker,
            "yes" if each.votes else "no, given gold states",
            percent(each.precision),
            percent(each.recall),
            decimals(each.independence),
            percent(each.equal_to_gold),
        )
        for each in audit.reliability
    )
    headings = ("tracker", "votes", "precision", "recall", "independence", "turns equal to gold")
    return Table("trackers, against what all others say", headings, rows, frozenset({2, 3, 4, 5}))


def kinds_table(audit: GoldAudit) -> Table:
    """How many candidates there are of each kind."""
    rows = tuple((kind, str(count), KINDS[kind]) for kind, count in audit.kinds.items())  # type: ignore[index]
    return Table("candidates by kind", ("kind", "candidates", "meaning"), rows, frozenset({1}))


def candidate_table(audit: GoldAudit, most: int) -> Table:
    """The strongest candidates, one line each."""
    rows = tuple(
        (
            rank_of(each),
            each.candidate.kind,
            one_line(each.candidate.dialogue, 30),
            str(each.candidate.turn),
            one_line(each.candidate.slot, 40),
            one_line(each.candidate.gold or "–", 30),
            one_line(proposal(each.candidate), 60),
            f"{each.candidate.strength:.2f}",
        )
        for each in audit.ranked[:most]
    )
    headings = ("rank", "kind", "dialogue", "turn", "slot", "gold", "proposed", "strength")
    tied = sum(each.tied > 1 for each in audit.ranked[:most])
    foot = (f"{len(rows)} of {audit.found} candidates; {tied} of these {len(rows)} share their rank with others",)
    return Table("likely errors of gold", headings, rows, frozenset({3, 7}), foot=foot)


def rank_of(ranked: RankedCandidate) -> str:
    """The rank, or the ranks that tied candidates share.

    Example:
        >>> candidate = Candidate("late", "d", 0, "a-b", None, "a-b", "x", 1.0, (), {})
        >>> rank_of(RankedCandidate(candidate, 3, 2, {})), rank_of(RankedCandidate(candidate, 5, 1, {}))
        ('3-4', '5')
    """
    return str(ranked.rank) if ranked.tied == 1 else f"{ranked.rank}-{ranked.rank + ranked.tied - 1}"


def candidate_lines(audit: GoldAudit, ranked: RankedCandidate) -> Iterator[str]:
    """A candidate with utterances, votes, and the scores of all trackers if it were corrected."""
    found = ranked.candidate
    tie = f", tied with {ranked.tied - 1} others" if ranked.tied > 1 else ""
    place = f"{one_line(found.slot, 60)}, dialogue {one_line(found.dialogue, 60)}, turn {found.turn}"
    yield f"{rank_of(ranked)}  {place}: {KINDS[found.kind]}{tie}"
    for turn, who, text in talk_around(audit, found):
        yield f"  {turn} {who:<6}  {one_line(text, 300)}"
    yield f"  gold      {one_line(found.gold or 'no value', 100)}"
    yield f"  proposed  {one_line(proposal(found), 100)}"
    for name, said in format_votes(found).items():
        yield f"  {one_line(name, 40)}: {said}"
    if found.same_words is not None and found.same_words.dialogues:
        words = found.same_words
        yield f"  users say this value in {words.dialogues} other dialogues with this domain; gold has it in {words.annotated}"
    for tracker in audit.trackers.trackers:
        before, after = scores_of(tracker), ranked.corrected[tracker.name]
        scores = ", ".join(f"{name} {percent(before[name].value)} → {percent(value)}" for name, value in after.items())
        yield f"  if corrected, {one_line(tracker.name, 40)}: {scores}"


def talk_around(audit: GoldAudit, candidate: Candidate) -> list[tuple[int, str, str]]:
    """Turn, speaker and text at the turn of a candidate, and at the one before."""
    talk = audit.talk.get(dialogue_key(candidate.dialogue), {})
    turns = [turn for turn in sorted(talk) if turn <= candidate.turn][-2:]
    return [
        (turn, who, text)
        for turn in turns
        for who, text in (("system", talk[turn].system), ("user", talk[turn].user))
        if text
    ]


def candidate_records(audit: GoldAudit) -> Table:
    """All listed candidates with one value per cell, for other programs."""
    return records_table(
        [
            {
                "rank": each.rank,
                "tied": each.tied,
                "kind": each.candidate.kind,
                "dialogue": each.candidate.dialogue,
                "turn": each.candidate.turn,
                "slot": each.candidate.slot,
                "gold": each.candidate.gold or "",
                "proposed_slot": each.candidate.proposed_slot,
                "proposed": each.candidate.proposed or "",
                "strength": each.candidate.strength,
                "votes": "; ".join(f"{name}: {said}" for name, said in format_votes(each.candidate).items()),
                **{
                    f"{name} {measure}": value
                    for name, scores in each.corrected.items()
                    for measure, value in scores.items()
                },
            }
            for each in audit.ranked
        ]
    )


def sheet_page(rows: Sequence[AuditRow]) -> str:
    """A sheet as one HTML page with keys for every verdict; text from files is escaped."""
    return page("tracker/audit_sheet.html", rows=rows, verdicts=VERDICTS, kept=KEPT) + "\n"
