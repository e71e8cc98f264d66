"""The operational store: the truth, written in revisions. SQLAlchemy is imported nowhere else."""

from engine.store.chain import ChainCheck, EventRow
from engine.store.group import Ahead
from engine.store.revisions import Counts, Note, Revision
from engine.store.store import PLATFORM, Store

__all__ = ["PLATFORM", "Ahead", "ChainCheck", "Counts", "EventRow", "Note", "Revision", "Store"]
