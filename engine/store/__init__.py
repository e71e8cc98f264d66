"""The operational store: the truth, written in revisions. SQLAlchemy is imported nowhere else.

Its names are loaded when they are first asked for: a command that needs one small part of the store starts without
the rest, and without SQLAlchemy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.store.chain.chain import ChainCheck, EventRow
    from engine.store.ids import PLATFORM
    from engine.store.rows import Reader
    from engine.store.store import Store
    from engine.store.writing.group import Lookups, Write, WriteResult
    from engine.store.writing.revisions import Counts, Note, Revision

__all__ = [
    "PLATFORM",
    "Lookups",
    "ChainCheck",
    "Counts",
    "EventRow",
    "Note",
    "Reader",
    "Revision",
    "Store",
    "Write",
    "WriteResult",
]
_MODULES = {
    "PLATFORM": "ids",
    "Lookups": "writing.group",
    "ChainCheck": "chain.chain",
    "Counts": "writing.revisions",
    "EventRow": "chain.chain",
    "Note": "writing.revisions",
    "Reader": "rows",
    "Revision": "writing.revisions",
    "Store": "store",
    "Write": "writing.group",
    "WriteResult": "writing.group",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found
