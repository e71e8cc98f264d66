"""What the operating system says of files and disks: a word for programs, a sentence on what it is and what to do."""

import errno
from typing import NamedTuple

from engine.model.errors import Unavailable


class FileFault(NamedTuple):
    """One kind of fault that an operator mends in one way."""

    word: str
    reason: str
    remedy: str
    retry_after: int


FULL = FileFault("disk_full", "the disk is full, or a limit of size is reached", "free some space", 30)
READ_ONLY = FileFault("files_read_only", "the disk is mounted read-only", "mount it so that it can be written", 60)
FORBIDDEN = FileFault(
    "files_no_permission",
    "the account that runs the console may not",
    "give it the owner's rights on the data folder and all that is below",
    60,
)
EXHAUSTED = FileFault(
    "files_exhausted", "too many files and connections are open", "raise the limit of open files (ulimit -n)", 5
)
BROKEN = FileFault("files_io_error", "the disk reports an input or output error", "look at the disk", 60)
NO_MEMORY = FileFault("out_of_memory", "there is not enough memory", "ask for less at once, or give it more", 5)

_FAULTS = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EFBIG: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: FORBIDDEN,
    errno.EPERM: FORBIDDEN,
    errno.EMFILE: EXHAUSTED,
    errno.ENFILE: EXHAUSTED,
    errno.EIO: BROKEN,
    errno.ENOMEM: NO_MEMORY,
}


def file_fault(error: OSError) -> FileFault | None:
    """The kind of fault; None for what says nothing about files or disks, such as a refused connection."""
    return _FAULTS.get(error.errno or 0)


def file_problem(what: str, error: OSError) -> Unavailable:
    """The error for a person: ``what`` did not come about ("The archive cannot be kept"), why, and what to do.

    It names no path: whoever asks over HTTP is not to learn them.
    """
    fault = file_fault(error) or FileFault("files_unusable", error.strerror or "unknown", "look at the data folder", 60)
    return fault_problem(what, fault)


def fault_problem(what: str, fault: FileFault) -> Unavailable:
    """The same for a fault that is known already."""
    return Unavailable(
        f"{what}: {fault.reason}; {fault.remedy}, then try again.",
        word=fault.word,
        headers={"Retry-After": str(fault.retry_after)},
    )


def door_problem(error: BaseException) -> Unavailable | None:
    """What a door says where nobody before it knew better: the machine is at an end, not the program; None else."""
    if isinstance(error, MemoryError):
        return fault_problem("This was not done", NO_MEMORY)
    fault = file_fault(error) if isinstance(error, OSError) else None
    return None if fault is None else fault_problem("This was not done", fault)
