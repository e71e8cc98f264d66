"""Whether an organization knows what a filter names: what is misspelt is refused, not answered with no rows."""

from collections.abc import Callable

import polars as pl

from engine.model.declarations.filters import FILTERS
from engine.model.entities import EntityKind
from engine.model.errors import BadRequest

Fact = Callable[[str], pl.DataFrame]


def check_name(kind: EntityKind, value: str, framework: str, fact: Fact) -> None:
    """BadRequest where no record of the organization has that name; it says the right one of who is called so.

    ``framework`` is that of the report, if it is of one.
    """
    match kind:
        case "control":
            _check_control(value, framework, fact)
        case "framework":
            known = fact("frameworks")
            called = known.filter(pl.col("name") == value).get_column("framework")
            _check(kind, value, known.get_column("framework"), called, "a framework of the program or of one's own")
        case "owner":
            people, members = fact("people"), fact("members")
            addresses = pl.concat([people.select("email"), members.select("email")])
            called = people.filter(pl.col("name") == value).get_column("email")
            _check(
                kind, value, addresses.get_column("email"), called, "the address of one of the organization's people"
            )
        case "vendor":
            vendors = fact("vendors")
            called = vendors.filter(pl.col("name") == value).get_column("vendor_id")
            _check(
                kind,
                value,
                vendors.get_column("vendor_id"),
                called,
                "the identifier of one of the organization's vendors",
            )


def _check(kind: EntityKind, value: str, known: pl.Series, called: pl.Series, expected: str) -> None:
    if value not in known:
        right = f"; {value[:80]} is {' or '.join(called.sort())}" if called.len() else ""
        raise _refusal(kind, value, f"{expected}{right}")


def control_of(value: str, framework: str) -> tuple[str, str]:
    """Framework and control of what a filter names; ``framework`` is that of a control that is named alone."""
    before, colon, after = value.partition(":")
    return (before, after) if colon else (framework, value)


def _check_control(value: str, framework: str, fact: Fact) -> None:
    controls = fact("controls")
    framework, control = control_of(value, framework)
    own = controls.filter(pl.col("framework") == framework) if framework else controls
    if control not in own.get_column("control_id"):
        names = dict(fact("frameworks").select("framework", "name").iter_rows())
        where = names.get(framework, framework) if framework else "a framework in scope"
        raise _refusal("control", value, f"a control of {where}, such as soc2:CC6.1")


def _refusal(kind: EntityKind, value: str, expected: str) -> BadRequest:
    return next(parameter for parameter in FILTERS if parameter.name == kind).refusal(value, expected)
