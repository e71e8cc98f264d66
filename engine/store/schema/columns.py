"""The words in which the tables are written: one constructor for each kind of column, one for tenant tables."""

from datetime import date, datetime
from typing import Generic, TypeVar, get_args

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)
from sqlalchemy.schema import SchemaItem

from engine.model import vocabulary
from engine.store.types import Instant, Json

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

R_co = TypeVar("R_co", covariant=True)


class TypedTable(Table, Generic[R_co]):
    """A table that says what its rows are, as ``records.py`` declares them; at run time a table like any other."""

    inherit_cache = True  # else no statement on it would be compiled just once


def text(
    name: str, comment: str, *, null: bool = False, internal: bool = False, unlogged: str | None = None
) -> Column[str]:
    """A text without a length limit in the store; doors bound what they accept. ``internal``: nobody imports it."""
    return Column(name, Text, nullable=null, comment=comment, info=_info(internal, unlogged))


def key(name: str, comment: str) -> Column[str]:
    """An identifier of up to 200 characters."""
    return Column(name, String(200), nullable=False, comment=comment)


def person(name: str, comment: str, *, null: bool = False) -> Column[str]:
    """Who: the e-mail address of a person, or several joined by '; '. Erasure looks for people here first."""
    return Column(name, Text, nullable=null, comment=comment, info={"person": True})


def person_key(name: str, comment: str) -> Column[str]:
    """The same where rows are found by it."""
    return Column(name, String(200), nullable=False, comment=comment, info={"person": True})


def reference(name: str, comment: str, table: str, *, null: bool = False) -> Column[str]:
    """The ``id`` of a row of ``table`` in the same organization; writers check that it exists."""
    return Column(name, String(200), nullable=null, comment=comment, info={"references": table})


def whole_number(
    name: str,
    comment: str,
    *,
    null: bool = False,
    low: int | None = None,
    high: int | None = None,
    internal: bool = False,
    unlogged: str | None = None,
) -> Column[int]:
    """An integer, bounded where a bound has a meaning. ``internal``: nobody imports it."""
    info = {"low": low, "high": high, **_info(internal, unlogged)}
    return Column(name, BigInteger, nullable=null, comment=comment, info=info)


def number(
    name: str, comment: str, *, null: bool = False, low: float | None = 0, high: float | None = None
) -> Column[float]:
    """A real number; not negative unless ``low`` says so."""
    return Column(name, Float, nullable=null, comment=comment, info={"low": low, "high": high})


def flag(name: str, comment: str, *, default: bool | None = None) -> Column[bool]:
    """True or false; unknown (null) unless a default is given."""
    return Column(name, Boolean, nullable=default is None, comment=comment, info={"default": default})


def day(name: str, comment: str, *, null: bool = False, internal: bool = False) -> Column[date]:
    """A business date of the organization. ``internal``: nobody imports it."""
    return Column(name, Date, nullable=null, comment=comment, info=_info(internal))


def instant(
    name: str, comment: str, *, null: bool = False, internal: bool = False, unlogged: str | None = None
) -> Column[datetime]:
    """A moment in UTC. ``internal``: nobody imports it."""
    return Column(name, Instant, nullable=null, comment=comment, info=_info(internal, unlogged))


def json(
    name: str, comment: str, *, null: bool = True, holds: str = "Json", unlogged: str | None = None
) -> Column[vocabulary.Json]:
    """A JSON value as canonical text. ``holds``: its type, where nobody but the console itself writes it."""
    return Column(name, Json, nullable=null, comment=comment, info={"holds": holds, **_info(unlogged=unlogged)})


def _info(internal: bool = False, unlogged: str | None = None) -> dict[str, bool | str]:
    """``unlogged`` says why the change log does without a column."""
    return {**({"internal": True} if internal else {}), **({"unlogged": unlogged} if unlogged else {})}


def blob(name: str, comment: str) -> Column[bytes]:
    """Bytes; only in tables that are not replicated."""
    return Column(name, LargeBinary, nullable=False, comment=comment)


def choice(
    name: str, comment: str, words: str, *, null: bool = False, default: str | None = None, internal: bool = False
) -> Column[str]:
    """One of the words of a ``Literal`` in the vocabulary, given by its name; the store refuses any other."""
    choices: tuple[str, ...] = get_args(getattr(vocabulary, words))
    info = {"choices": choices, "default": default, "words": words, **({"internal": True} if internal else {})}
    return Column(name, String(60), nullable=null, comment=comment, info=info)


def control(null: bool = False) -> tuple[Column[str], Column[str]]:
    """The two columns that name a control of a catalogue: framework and the control's own identifier."""
    return (
        Column("framework", String(60), nullable=null, comment="framework of the control", info={"framework": True}),
        Column("control_id", String(60), nullable=null, comment="identifier in that framework", info={"control": True}),
    )


def tenant_table(
    name: str,
    comment: str,
    *columns: SchemaItem,
    primary: tuple[str, ...] = ("id",),
    natural: tuple[str, ...] = (),
    importable: bool = True,
    replicated: bool = True,
    clustered: bool = False,
    due: str | None = None,
    unlogged: str | None = None,
) -> TypedTable[R_co]:
    """A table whose rows belong to one organization and carry the revision that last changed them.

    ``natural`` names the columns that a missing ``id`` is made from on import; ``importable`` opens the table to
    ``hq import``; ``replicated`` tables are copied to the analytics store; ``clustered`` stores rows in key order.
    ``due`` names the column that dates a duty: the store counts its moves in ``moves``, the SEQUENCE of calendars.
    ``unlogged`` says why the change log does without the table; every other table is logged.
    """
    moves = [
        Column(
            "moves",
            BigInteger,
            nullable=False,
            comment="times that the date moved",
            info={"default": 0, "internal": True},
        )
    ]
    checks = [
        CheckConstraint(
            f"{column.name} IN ({', '.join(repr(word) for word in column.info['choices'])})", name=column.name
        )
        for column in columns
        if isinstance(column, Column) and "choices" in column.info
    ]
    return TypedTable(
        name,
        metadata,
        Column(
            "org_id",
            String(200),
            ForeignKey("organizations.id"),
            nullable=False,
            comment="organization that the row belongs to",
        ),
        *columns,
        *(moves if due else ()),
        Column(
            "revision",
            BigInteger,
            nullable=False,
            comment="sequence number of the audit event that opened the last change",
        ),
        PrimaryKeyConstraint("org_id", *primary),
        Index(None, "org_id", "revision"),
        *checks,
        comment=comment,
        sqlite_with_rowid=not clustered,
        info={
            "primary": primary,
            "natural": natural,
            "importable": importable,
            "replicated": replicated,
            "due": due,
            "unlogged": unlogged,
        },
    )
