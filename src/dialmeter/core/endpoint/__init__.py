"""Chat endpoints: one client for judges, agents, and all other code that calls a language model."""

from .answers import AnswerStore, AnswerToken, ChatAnswer
from .client import OWN_PARAMETERS, ChatEndpoint, Messages
from .cost import BudgetSpent, Price, Usage, estimate_tokens
from .dry_run import CostEstimate, DryRun
from .throttle import Clock, Throttle

__all__ = [
    "OWN_PARAMETERS",
    "AnswerStore",
    "AnswerToken",
    "BudgetSpent",
    "ChatAnswer",
    "ChatEndpoint",
    "Clock",
    "CostEstimate",
    "DryRun",
    "Messages",
    "Price",
    "Throttle",
    "Usage",
    "estimate_tokens",
]
