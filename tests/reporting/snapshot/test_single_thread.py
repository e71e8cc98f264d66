"""Computing with small frames in the thread that asks."""

import threading

import polars as pl
import pytest

from engine.reporting.snapshot.single_thread import in_own_thread


def test_it_gives_what_is_computed_in_the_thread_that_asks():
    frame = pl.DataFrame({"n": [1, 2, 3]})
    thread = in_own_thread(lambda: (threading.get_ident(), frame.filter(pl.col("n") > 1)["n"].to_list()))
    assert thread == (threading.get_ident(), [2, 3])
    assert in_own_thread(lambda: in_own_thread(lambda: None)) is None


@pytest.mark.parametrize("error", [KeyError("gone"), pl.exceptions.ColumnNotFoundError("x"), SystemExit(3)])
def test_it_raises_what_is_raised(error):
    def fail():
        raise error

    with pytest.raises(type(error)) as caught:
        in_own_thread(fail)
    assert caught.value is error


def test_others_go_on_meanwhile():
    inside, go_on = threading.Event(), threading.Event()

    def wait():
        inside.set()
        return go_on.wait(30)

    thread = threading.Thread(target=in_own_thread, args=(wait,))
    thread.start()
    assert inside.wait(30)
    frame = pl.DataFrame({"n": [1, 2, 3]})
    assert [frame.filter(pl.col("n") > 2).height, in_own_thread(lambda: frame.sum().item())] == [1, 6]
    go_on.set()
    thread.join()
