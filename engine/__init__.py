"""The product but its reports: store, facts, planning, reporting, and the doors to them.

A checkout keeps its bytecode in ``var/bytecode`` (``make install`` makes it) whatever the environment says: to compile
polars, SQLAlchemy and ourselves again takes a command longer than most of its work. Anywhere else there is no such
folder, and Python does as it always does.
"""

import sys
from pathlib import Path

_BYTECODE = Path(__file__).parents[1] / "var" / "bytecode"

if sys.pycache_prefix is None and _BYTECODE.is_dir():
    sys.pycache_prefix = str(_BYTECODE)
