"""A store that cannot answer now is told from one that never will: whoever sends may send again."""

import pytest
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.model.errors import Unavailable


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OperationalError("", None, Exception("database is locked")), "does not answer: database is locked."),
        (InterfaceError("", None, Exception("closed")), "its connection is lost, or all are taken."),
        (PoolTimeout("QueuePool limit"), "its connection is lost, or all are taken."),
    ],
)
def test_a_store_that_is_busy_or_lost_is_unavailable_for_some_seconds(store, error, said):
    with pytest.raises(Unavailable) as caught, store.reader():
        raise error
    assert caught.value.message.endswith(said)
    assert (caught.value.word, caught.value.headers) == ("store_unavailable", {"Retry-After": "5"})
