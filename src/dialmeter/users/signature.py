"""The line that says how a number about users was made."""

from __future__ import annotations

from collections.abc import Sequence

from .._version import __version__
from ..errors import one_line
from ..values.maps import ValueMap
from .profile import Profile
from .rules import UserRules


def how_scored(rules: UserRules, profile: Profile, value_map: ValueMap | None, from_text: bool) -> tuple[str, ...]:
    """The fields that all numbers of a run share: rules with what is changed in them, profile, value map.

    Example:
        >>> from .profile import named as profile
        >>> from .rules import changed, named
        >>> how_scored(changed(named("gcdf1-repo"), "requests.max=1"), profile("multiwoz"), None, False)
        ('rules:gcdf1-repo', 'requests.max:1', 'profile:multiwoz', 'values:exact')
    """
    base = (f"base:{rules.base}",) if rules.base not in ("", rules.name) else ()
    changes = (f"{name}:{value}" for name, value in rules.changes().items())
    return (
        f"rules:{rules.name}",
        *base,
        *changes,
        f"profile:{profile.shown or profile.name}",
        f"map:{value_map.shown}" if value_map is not None and rules.values.map else "values:exact",
        *(("from:text",) if from_text else ()),
    )


def signature(
    measure: str,
    domain: str,
    shared: tuple[str, ...],
    *,
    dialogues: int,
    turns: int,
    data: str,
    account: Sequence[str] = (),
) -> str:
    """The signature of one score.

    Args:
        measure: its name.
        domain: a domain, or ``combined``.
        shared: what ``how_scored`` gives.
        dialogues: how many were scored.
        turns: of the scored ones.
        data: the digest of their goals.
        account: fields that say which dialogues were asked for and how many of them were scored, where not all were.

    Example:
        >>> signature("I-GCDF1", "combined", ("rules:dialmeter",), dialogues=48, turns=924, data="3f9a1c07be")
        ... # doctest: +ELLIPSIS
        'I-GCDF1|rules:dialmeter|domain:combined|d:48|t:924|data:3f9a1c07be|v:...'
    """
    counts = (f"d:{dialogues}", f"t:{turns}", f"data:{data}", f"v:{__version__}")
    return "|".join((measure, *shared, f"domain:{_plain(domain)}", *account, *counts))


def _plain(domain: str) -> str:
    """A domain's name as part of one line whose parts are set off by bars; it comes from a file and may be anything."""
    return one_line(domain.replace("|", "/").replace("`", "'"))
