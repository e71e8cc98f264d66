"""What is wrong with a body, in terms of its own fields; every bad record is looked at before anything is refused."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from engine.intake.values import plain
from engine.model.errors import BadRequest, TooLarge

LISTED = 100
SHOWN = 60

R = TypeVar("R")
T = TypeVar("T")


class MalformedRecord(Exception):
    """A field of a record whose shape is known: where, what belongs there, what came. Never leaves this package."""

    def __init__(self, field: str, expected: str, found: object) -> None:
        super().__init__(field)
        self.field = field
        self.expected = expected
        self.found = display(found)


def expect(record: Mapping[str, object], name: str, expected: str, holds: Callable[[object], bool]) -> None:
    """MalformedRecord for a value that is there and wrong; most are not there."""
    value = record.get(name)
    if value is None or holds(value) or (isinstance(value, str) and plain(value) is None):
        return
    raise MalformedRecord(name, expected, value)


class RefusedRecord(NamedTuple):
    """A record that cannot be read: its number among its fellows, its path in the body, and what is wrong with it."""

    number: int
    place: str
    field: str
    expected: str
    found: str

    @property
    def reason(self) -> str:
        """A sentence."""
        return f"{self.field} must be {self.expected}; got {self.found}."


def read_records(records: Iterable[tuple[str, R]], read: Callable[[R], T]) -> tuple[list[T], list[RefusedRecord]]:
    """Every record through ``read``: what it made of them, and those for which it raised MalformedRecord.

    A record comes with the path under which its sender knows it, such as ``alerts[3]``; empty for the body itself.
    """
    good: list[T] = []
    refused: list[RefusedRecord] = []
    for index, (path, record) in enumerate(records):
        try:
            good.append(read(record))
        except MalformedRecord as problem:
            field = ".".join(part for part in (path, problem.field) if part)
            refused.append(RefusedRecord(index, path, field, problem.expected, problem.found))
    return good, refused


def refuse_all(refused: Sequence[RefusedRecord], count: int, *, word: str, noun: str) -> BadRequest:
    """The refusal of a body of ``count`` records because of these, of which it lists the first 100."""
    which = f"The {noun}" if count == 1 else f"{len(refused):,} of {count:,} {noun}s"
    return BadRequest(
        f"{which} cannot be read, so nothing was taken: {refused[0].reason}",
        word=word,
        details=[
            {"index": one.number, "field": one.field, "expected": one.expected, "found": one.found}
            for one in refused[:LISTED]
        ],
    )


def read_each(records: Iterable[tuple[str, R]], read: Callable[[R], T], *, word: str, noun: str) -> list[T]:
    """Every record through ``read``; BadRequest where one raised MalformedRecord."""
    good, refused = read_records(records, read)
    if refused:
        raise refuse_all(refused, len(good) + len(refused), word=word, noun=noun)
    return good


def check_count(noun: str, count: int, most: int) -> None:
    """BadRequest for a body of more than ``most`` records."""
    if count > most:
        raise BadRequest(
            f"A body may hold at most {most:,} {noun}s; got {count:,}. Send them in several.",
            word=f"too_many_{noun}s",
            details=[{"field": f"{noun}s", "expected": f"at most {most}", "found": str(count)}],
        )


def check_size(noun: str, count: int, most: int) -> None:
    """TooLarge: whoever runs the console may raise the limit, and the body is kept to be read again then."""
    if count > most:
        raise TooLarge(
            f"A body may hold at most {most:,} {noun}s (SVC_INGEST_MAX_{noun.upper()}S); got {count:,}. "
            "Send them in several.",
            word=f"too_many_{noun}s",
            details=[{"field": f"{noun}s", "expected": f"at most {most}", "found": str(count)}],
        )


def no_records(noun: str, shape: str, field: str, found: object) -> BadRequest:
    """The refusal of a body whose shape is known and that holds nothing; ``field`` is where records belong."""
    return BadRequest(
        f"The body has the shape {shape} and holds no {noun}: {field} must be a list of at least one {noun}; "
        f"got {display(found)}.",
        word=f"no_{noun}s",
        details=[{"field": field, "expected": f"a list of at least one {noun}", "found": display(found)}],
    )


def unknown_shape(noun: str, wrong: str, shapes: Mapping[str, str], found: str) -> BadRequest:
    """The refusal of a body in no format of ``shapes``, which its details list; ``wrong`` says what the body is not."""
    return BadRequest(
        f"The body {wrong} that is known here. Got {found}.",
        word=f"unknown_{noun}_shape",
        details=[{"shape": name, "expected": shape} for name, shape in shapes.items()],
    )


def display(value: object) -> str:
    """A value in an error message: short, clean, an object or list only by its kind."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if not isinstance(value, str):
        return plain(value) or "a number out of range"
    text = plain(value[:SHOWN]) or value[:SHOWN].strip()
    return f"'{text}'" if len(value) <= SHOWN else f"'{text}…'"
