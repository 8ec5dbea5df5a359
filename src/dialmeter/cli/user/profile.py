"""``dialmeter user profile``"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...core.output import check_target, write_file
from ...errors import DialmeterError, InputError, one_line
from ...readers.conversations import open_conversations
from ...users.profile_proposal import CorpusSurvey
from ..options import PLAIN, command, force_option, from_option
from ..printer import Block, Output, refusal_notices
from ..progress import track_reading
from .scoring import goals_option


@command(last=PLAIN)
@click.argument("dialogues")
@click.option("--propose", is_flag=True, help="Propose a profile for the corpus of DIALOGUES.")
@goals_option
@from_option("the file")
@click.option("--out", metavar="FILE.toml", help="Write the profile to this file (default: print it).")
@force_option
def profile(**options: Any) -> Output:
    """Propose a profile from the acts and goals of DIALOGUES. Check and edit the profile before you use it.

    `user score --profile FILE.toml` reads the names of acts, slots and services from it.
    """
    if not options["propose"]:
        raise DialmeterError("give --propose (profiles in dialmeter: `dialmeter list profiles`)")
    out = Path(options["out"]) if options["out"] else None
    if out is not None:
        check_target(out, force=options["force"])
    corpus = open_conversations(options["dialogues"], options["format"], options["goals"])
    survey = CorpusSurvey()
    for talk in track_reading(corpus, corpus, options["quiet"]):
        survey.add(talk)
    if not survey.acts:
        raise InputError("there are no acts, so no profile can be proposed", file=corpus.name)
    notices = [*corpus.notices, *refusal_notices(corpus.refused)]
    text = survey.proposal(one_line(Path(options["dialogues"]).name, 80))
    if out is None:
        return Output(parts=[Block(text.rstrip("\n"))], notices=notices)
    write_file(out, text, force=options["force"])
    unknown = survey.kinds().get("other", [])
    lines = [f"profile: {out}, from {survey.dialogues} dialogues and {len(survey.acts)} names of acts"]
    lines += [f"unused acts: {', '.join(map(one_line, unknown))}"] if unknown else []
    lines.append(f"Next: edit it, then run dialmeter user check {one_line(options['dialogues'], 200)} --profile {out}")
    return Output(parts=[Block("\n".join(lines))], notices=notices)
