"""What waits for a client that reads slowly lies on the disk."""

from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer

from engine.web.serving.outgoing import MOST_IN_MEMORY, MemoryBuffer, SendingChannel


def test_pieces_of_any_size_stay_in_their_order_and_memory_is_bounded():
    channel = SendingChannel.__new__(SendingChannel)  # without a socket
    channel.adj = Adjustments()
    channel.outbufs = [OverflowableBuffer(channel.adj.outbuf_overflow)]
    channel.total_outbufs_len = channel.current_outbuf_count = 0
    pieces = [bytes([place]) * size for place, size in enumerate([100, 560_000, 5_000, 2_000_000] * 20)]
    for piece in pieces:
        channel.hold(piece)
    assert channel.total_outbufs_len == sum(map(len, pieces)) > 4 * MOST_IN_MEMORY
    in_memory = [each for each in channel.outbufs if isinstance(each, MemoryBuffer) or not each.overflowed]
    assert sum(map(len, in_memory)) < MOST_IN_MEMORY + 3_000_000
    assert b"".join(bytes(each.get(len(each))) for each in channel.outbufs) == b"".join(pieces)
    for each in channel.outbufs:
        each.close()
