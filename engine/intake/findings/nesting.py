"""What lies inside what, where one item came as an object and several as a list, at every level alike."""

from collections.abc import Iterable, Mapping

from engine.intake.values import as_list, fold


def step(values: Iterable[object], name: str) -> list[object] | None:
    """All that lies under a folded name in any of the values; None where none of them has that name."""
    folded = [fold(value) for value in values if isinstance(value, dict)]
    held = [record[name] for record in folded if name in record]
    return [inner for value in held for inner in as_list(value)] if held else None


def under(values: Iterable[object], *names: str) -> list[object]:
    """All that lies at the end of a path of folded names."""
    found = list(values)
    for name in names:
        found = step(found, name) or []
    return found


def texts_of(record: Mapping[str, object]) -> dict[str, object]:
    """The record with the text of those members that are an element with attributes."""
    return {
        name: value["#text"] if isinstance(value, dict) and "#text" in value else value
        for name, value in record.items()
    }
