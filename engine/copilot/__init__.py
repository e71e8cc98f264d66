"""The copilot: a language model where one is configured, and an answer computed from the reports where none answers.

Three functions are all that other rooms call: ``answer`` for a turn of a conversation, ``look_up`` for what the records
say to its question, ``conversations`` for those that a member keeps. What they return and raise stands beside them.
"""

from engine.copilot.providers import ProviderError
from engine.copilot.threads import Conversations, conversations
from engine.copilot.turns import Lookup, Turn, answer, look_up

__all__ = ("Conversations", "Lookup", "ProviderError", "Turn", "answer", "conversations", "look_up")
