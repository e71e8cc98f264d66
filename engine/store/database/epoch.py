"""The schema that this process works with, and what it does where the store has another one.

The number is that of the newest migration, written here and not looked up: the files of a process that runs may be
replaced beneath it. It is read inside every transaction that writes, so that whoever migrates the store shuts out the
processes of other versions, whether they were stopped or not.
"""

from engine.model.errors import Unavailable

EPOCH = "0047"


class SchemaChanged(Unavailable):
    """The store was migrated while this process ran: it writes nothing more and ends."""

    word = "schema_changed"

    def __init__(self, at: str | None) -> None:
        found = at or "no migration"
        super().__init__(
            f"The store is at migration {found}, this process expected {EPOCH}: nothing was changed. The process ends; "
            "start the version that the store belongs to.",
            headers={"Retry-After": "5"},
            details=[{"found": found, "expected": EPOCH}],
        )


def must_be_of_this_epoch(at: str | None) -> None:
    """SchemaChanged unless ``at``, read in the transaction that writes, is the schema of this process."""
    if at != EPOCH:
        raise SchemaChanged(at)


def other_schema(at: str | None) -> Unavailable:
    """What a command says of a store that it does not work with, and does not change either."""
    if at is not None and at > EPOCH:
        return Unavailable(
            f"The store is at migration {at}, this version knows up to {EPOCH}: install the version that migrated it.",
            word="store_too_new",
            details=[{"found": at, "expected": EPOCH}],
        )
    found = at or "no migration"
    return Unavailable(
        f"The store is at {found}, {EPOCH} is expected: stop what runs and bring it there with `hq migrate`.",
        word="schema_outdated",
        details=[{"found": found, "expected": EPOCH}],
    )
