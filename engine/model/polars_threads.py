"""How many threads Polars has. It reads that once, as it is loaded."""

import os


def limit_threads() -> None:
    """One for this process and those that it starts, unless the environment says how many: frames are small once DuckDB
    has read them, and idle threads cost a quarter of the time, spinning."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
