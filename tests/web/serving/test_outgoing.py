"""What waits for a client that reads slowly lies on the disk."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from waitress.adjustments import Adjustments

from engine.web.serving import outgoing
from engine.web.serving.outgoing import MOST_IN_MEMORY, AnswerBuffer, MemoryBuffer, SendingChannel


def test_pieces_of_any_size_stay_in_their_order_and_memory_is_bounded(tmp_path):
    channel = SendingChannel.__new__(SendingChannel)  # without a socket
    channel.adj, channel.server = Adjustments(), SimpleNamespace(spool=tmp_path)
    channel.outbufs = [channel._new_buffer()]
    channel.total_outbufs_len = channel.current_outbuf_count = 0
    pieces = [bytes([place]) * size for place, size in enumerate([100, 560_000, 5_000, 2_000_000] * 20)]
    for piece in pieces:
        channel.hold(piece)
    assert channel.total_outbufs_len == sum(map(len, pieces)) > 4 * MOST_IN_MEMORY
    in_memory = [each for each in channel.outbufs if isinstance(each, MemoryBuffer) or not each.overflowed]
    assert sum(map(len, in_memory)) < MOST_IN_MEMORY + 3_000_000
    assert b"".join(bytes(each.get(len(each))) for each in channel.outbufs) == b"".join(pieces)
    files = [Path(f"/proc/self/fd/{each.getfile().fileno()}") for each in channel.outbufs if is_in_file(each)]
    assert files
    assert all(file.readlink().is_relative_to(tmp_path) for file in files)
    assert list(tmp_path.iterdir()) == []
    for each in channel.outbufs:
        each.close()


def is_in_file(buffer):
    return isinstance(buffer, AnswerBuffer) and buffer.overflowed


@pytest.mark.parametrize("size", [100, 3_000_000])
def test_an_answer_goes_elsewhere_where_the_folder_takes_none(size, tmp_path):
    buffer = AnswerBuffer(1_000_000, tmp_path / "gone")
    buffer.append(b"x" * size)
    assert (bytes(buffer.get(size)), is_in_file(buffer)) == (b"x" * size, size > 1_000_000)
    buffer.skip(size, True)
    assert len(buffer) == 0
    buffer.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
def test_an_answer_goes_elsewhere_where_the_disk_is_full(monkeypatch):
    opened, full = outgoing.TemporaryFile, partial(Path("/dev/full").open, "w+b")
    monkeypatch.setattr(outgoing, "TemporaryFile", lambda mode, dir: opened(mode) if dir is None else full())
    buffer = AnswerBuffer(1_000_000, Path("somewhere"))
    buffer.append(b"x" * 2_000_000)
    assert bytes(buffer.get(2_000_000)) == b"x" * 2_000_000
    buffer.close()
