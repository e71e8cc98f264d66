"""How often the collector of garbage looks: what makes many objects and few cycles waits on it for nothing."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rare_collections(objects_between: int) -> Iterator[None]:
    """In the block the collector looks after so many new objects, and never at those that are there already."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays: looking through it again and again finds nothing
    before = gc.get_threshold()
    gc.set_threshold(objects_between, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()  # else DuckDB complains on the way out of objects that were never freed
