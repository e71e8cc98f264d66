"""What the system shows of a process: its name, and whether it was stopped."""

import contextlib
from pathlib import Path


def show_name(name: str) -> None:
    """Be shown under this name, of which 15 characters count; where the system has no such thing, nothing changes."""
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(name[:15])


def is_stopped(process_id: int) -> bool:
    """Whether a signal stopped it (proc(5), state T), as a debugger does; no where the system does not say."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[:1] in (["T"], ["t"])
