"""The users that come with dialmeter: one that does well, and four that do not, each in its own way."""

from __future__ import annotations

from .agenda_user import AgendaUser, UserDials
from .agent import Kind

AGENDA = Kind("user", "says all that its goal asks for, from an agenda", UserDials(), AgendaUser)
FORGETFUL = Kind("user", "forgets constraints and requests until it is asked", UserDials(forgetting=0.7), AgendaUser)
LOOPING = Kind(
    "user", "repeats constraints and questions after they were answered", UserDials(repetition=0.9), AgendaUser
)
INVENTIVE = Kind("user", "says things that are not in its goal", UserDials(invention=0.8), AgendaUser)
HASTY = Kind("user", "leaves before it has what it wants", UserDials(haste=0.12), AgendaUser)
