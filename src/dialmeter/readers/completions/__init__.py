"""Finding the belief state in what a language model wrote."""

from .choose import state_in
from .objects import state_from

__all__ = ["state_from", "state_in"]
