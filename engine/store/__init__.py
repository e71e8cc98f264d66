"""The operational store: the truth, written in revisions. SQLAlchemy is imported nowhere else."""

from engine.store.chain import ChainCheck, EventRow
from engine.store.group import Ahead
from engine.store.revisions import Counts, Note, Revision
from engine.store.rows import Reader
from engine.store.store import PLATFORM, Store

__all__ = ["PLATFORM", "Ahead", "ChainCheck", "Counts", "EventRow", "Note", "Reader", "Revision", "Store"]
