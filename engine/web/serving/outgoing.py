"""What leaves by a connection: header and body in one go, without copies, and never more in one turn than is fair."""

import socket
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from waitress.buffers import OverflowableBuffer, ReadOnlyFileBasedBuffer, TempfileBasedBuffer
from waitress.channel import HTTPChannel

SMALL_BYTES = 4096  # up to which copying an answer costs less than keeping it apart from its header
MOST_IN_MEMORY = 4 * 1024 * 1024  # of a connection's answers, beyond which what follows goes to the disk
MOST_AT_ONCE = 256 * 1024  # bytes that one client is sent in one turn of the loop


class MemoryBuffer:
    """An answer in memory on its way out, as waitress's buffers are: nothing of it is copied."""

    def __init__(self, data: bytes) -> None:
        self._left = memoryview(data)

    def __len__(self) -> int:
        return len(self._left)

    def get(self, most: int) -> memoryview:
        """What comes next."""
        return self._left[:most]

    def skip(self, number: int, prune: bool) -> None:
        """So much of it is sent."""
        self._left = self._left[number:]

    def close(self) -> None:
        """Nothing is to be let go of."""


class AnswerFile(TempfileBasedBuffer):  # type: ignore[misc] # waitress has no types
    """An answer in a file of the folder that has no name: nothing of it outlives the process."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        super().__init__()

    def newfile(self) -> IO[bytes]:
        """Where it lies; without a folder in the system's."""
        return TemporaryFile("w+b", dir=self._folder)


class AnswerBuffer(OverflowableBuffer):  # type: ignore[misc] # waitress has no types
    """An answer on its way out: from ``overflow`` bytes on in a file of the folder, or of the system's without room."""

    buf: Any  # waitress has no types

    def __init__(self, overflow: int, folder: Path | None = None) -> None:
        super().__init__(overflow)
        self._folder = folder

    def _set_large_buffer(self) -> None:
        before = self.buf
        try:
            self.buf = _in_file(self._folder, before)
        except OSError:
            self.buf = _in_file(None, before)
        if before is not None:
            before.close()
        self.overflowed = True


def _in_file(folder: Path | None, before: Any) -> AnswerFile:
    # Any: a buffer of waitress, which has no types
    kept = AnswerFile(folder)
    try:
        if before is not None:
            in_memory = before.getfile()
            with in_memory.getbuffer() as view:
                kept.append(view[in_memory.tell() :])
            kept.getfile().flush()
    except OSError:
        with suppress(OSError):
            kept.close()
        raise
    return kept


class SendingChannel(HTTPChannel):  # type: ignore[misc] # waitress has no types
    """The half of waitress's channel that sends."""

    close_when_flushed: bool
    will_close: bool
    total_outbufs_len: int
    current_outbuf_count: int

    def __init__(self, server: Any, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        # Any: waitress has no types
        self.quiet_since = time.monotonic()
        self.sent_bytes = 0
        self._corked = False  # whether what was written waits for more
        super().__init__(server, sock, addr, adj, map)
        self.outbufs = [self._new_buffer()]

    def cork(self, corked: bool) -> None:
        """Whether what is written next waits for what follows it."""
        self._corked = corked

    def hold(self, data: Any) -> None:  # bytes or a buffer
        """Keep what is to be sent: on the disk what does not fit into memory, else as it is."""
        if isinstance(data, ReadOnlyFileBasedBuffer):
            self._hold_apart(data)
        elif SMALL_BYTES < len(data) < self.adj.outbuf_overflow and self.total_outbufs_len < MOST_IN_MEMORY:
            self._hold_apart(MemoryBuffer(data))
        else:
            if self.current_outbuf_count >= self.adj.outbuf_high_watermark:
                self.outbufs.append(self._new_buffer())
                self.current_outbuf_count = 0
            self.outbufs[-1].append(data)
            self.current_outbuf_count += len(data)
        self.total_outbufs_len += len(data)

    def _hold_apart(self, buffer: Any) -> None:
        self.outbufs += [buffer, self._new_buffer()]
        self.current_outbuf_count = 0

    def _new_buffer(self) -> AnswerBuffer:
        return AnswerBuffer(self.adj.outbuf_overflow, self.server.spool)

    def send_buffered(self) -> None:
        """Send what is held as far as the client takes it, unless more follows at once."""
        if self._corked:
            self._corked = False
            return
        self._flush_exception(self._flush_some, do_close=False)
        if self.total_outbufs_len:
            self.server.pull_trigger()

    def _flush_some(self, do_close: bool = True) -> bool:
        """Send as much as the client takes, up to what one turn allows. waitress sends until the client is full."""
        sent = 0
        while self.total_outbufs_len and sent < MOST_AT_ONCE:
            number = self._send_first(MOST_AT_ONCE - sent, do_close)
            if not number:
                break
            sent += number
        if not sent:
            return False
        self.sent_bytes += sent
        self.last_activity = time.time()
        self.quiet_since = time.monotonic()
        return True

    def _send_first(self, most: int, do_close: bool) -> int:
        """Send what is at the front, a header together with its body; how much of it was taken."""
        while len(self.outbufs) > 1 and not len(self.outbufs[0]):
            self.outbufs.pop(0).close()
        front = self.outbufs[:2] if len(self.outbufs[0]) < SMALL_BYTES else self.outbufs[:1]
        pieces = []
        for outbuf in front:
            pieces.append(outbuf.get(most))
            most -= len(pieces[-1])
        number = left = self._send(pieces, do_close)
        self.total_outbufs_len -= number
        for outbuf, piece in zip(front, pieces, strict=True):
            if left:
                outbuf.skip(min(left, len(piece)), True)
                left -= min(left, len(piece))
        return number

    def _send(self, pieces: list[bytes | memoryview], do_close: bool) -> int:
        if len(pieces) == 1:
            return int(self.send(pieces[0], do_close=do_close))
        try:
            return int(self.socket.sendmsg(pieces))
        except (BlockingIOError, InterruptedError):
            return 0
        except ConnectionError:
            if do_close:
                self.handle_close()
            return 0
