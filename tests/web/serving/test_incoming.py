"""Room for bodies: reserved by what is announced or came, freed with the answer; their pace, and where they lie."""

import json
import select
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.web.serving import channel, server
from engine.web.serving.incoming import BodyRoom, Pace, Reservation, SpooledBody
from tests.web.attacks import connect, head
from tests.web.served import until
from tests.web.serving.test_serving import Application, answer, listening

MIB = 1024 * 1024


def test_room_is_taken_once_and_given_back_once():
    room = BodyRoom(of_address=4 * MIB, in_all=8 * MIB)
    one = Reservation(room, "a")
    assert [one.grow(size) for size in (0, 65536, MIB, MIB, 500_000)] == [True] * 5
    assert room.total == MIB
    one.release()
    one.release()
    assert room.total == 0


def test_an_address_has_its_share_and_large_bodies_leave_a_quarter_to_others():
    room = BodyRoom(of_address=4 * MIB, in_all=8 * MIB)
    assert Reservation(room, "a").grow(3 * MIB)
    assert not Reservation(room, "a").grow(2 * MIB)
    assert Reservation(room, "a").grow(MIB)
    assert not Reservation(room, "a").grow(100_000)
    assert Reservation(room, "a").grow(65536)
    assert Reservation(room, "b").grow(2 * MIB)
    assert not Reservation(room, "c").grow(2 * MIB)
    assert Reservation(room, None).grow(MIB)
    assert room.total == 7 * MIB


def test_what_came_early_does_not_make_up_for_what_does_not_come():
    pace = Pace(0.0)
    slow = (second for second in range(100) if pace.is_slow(second, 1_000_000, window=60, least=1000))
    assert next(slow) == 66


def test_a_steady_body_may_take_as_long_as_it_takes():
    pace = Pace(0.0)
    assert not any(pace.is_slow(second, second * 1100, window=60, least=1000) for second in range(600))


def test_a_large_body_lies_in_a_file_of_the_folder_that_nobody_can_name(tmp_path):
    body = SpooledBody(tmp_path)
    body.append(b"x" * 10)
    small = body.getfile().read()
    body.append(b"y" * 300_000)
    file = body.getfile()
    assert Path(f"/proc/self/fd/{file.fileno()}").readlink().is_relative_to(tmp_path)
    assert (small, file.read(), len(body), list(tmp_path.iterdir())) == (b"x" * 10, small + b"y" * 300_000, 300_010, [])
    body.close()


def test_an_empty_body_is_nothing():
    body = SpooledBody()
    assert (body.getfile().read(), len(body)) == (b"", 0)
    body.close()


def begin(closing, port, framing):
    """A body of 2 MiB, all but its end."""
    client = connect(closing, port)
    if framing == "chunked":
        client.sendall(head("POST", "/echo", "Transfer-Encoding: chunked") + b"200000\r\n" + b"x" * (2 * MIB - 1))
    else:
        client.sendall(head("POST", "/echo", f"Content-Length: {2 * MIB}"))
    return client


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_large_bodies_without_an_end_keep_nobody_elses_out(framing, monkeypatch):
    monkeypatch.setattr(server, "INCOMING_BYTES_OF_ADDRESS", 4 * MIB)
    with listening(Application()) as port, ExitStack() as closing:
        with ExitStack() as first:
            both = [begin(first, port, framing) for _ in range(2)]
            (refused, *_), _, _ = select.select(both, [], [], 10)  # in chunks, the one that asks for more first stays
            status, body, top = answer(refused)
            assert (status, json.loads(body)["error"]) == (503, "busy")
            assert {"Retry-After: 2", "Connection: close"} <= set(top.split("\r\n"))
            other = connect(closing, port)
            other.sendall(head("POST", "/echo", "Content-Length: 100000") + b"y" * 100_000)
            assert answer(other)[:2] == (200, b"y" * 100_000)

        def comes_in():
            with ExitStack() as again:
                client = connect(again, port)
                client.sendall(head("POST", "/echo", f"Content-Length: {2 * MIB}") + b"z" * 2 * MIB)
                return answer(client)[0] == 200

        until(comes_in, 10)


def test_a_body_that_stops_is_408_however_fast_it_began(monkeypatch):
    monkeypatch.setattr(channel, "BODY_SECONDS", 0.6)
    with listening(Application()) as port, ExitStack() as closing:
        client = connect(closing, port)
        client.sendall(head("POST", "/echo", "Content-Length: 60000") + b"x" * 50_000)
        assert answer(client)[0] == 408
