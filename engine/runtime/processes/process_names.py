"""The name that ``ps -o comm`` and ``top`` show."""

import contextlib
from pathlib import Path


def show_name(name: str) -> None:
    """Be shown under this name, of which 15 characters count; where the system has no such thing, nothing changes."""
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(name[:15])
