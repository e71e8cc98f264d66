"""What stands where in an OSCAL document, looked at before anything is made of it.

The readers behind take lists, objects and texts as their names promise; whatever is something else is refused here
with its place. A member that is empty is as if it were not there.
"""

from collections.abc import Mapping
from typing import Any

from engine.frameworks.content import refuse

_LIST_NAMES = (
    "imports include-controls exclude-controls matching insert-controls set-parameters alters adds removes add remove "
    "groups controls params props links parts resources rlinks constraints guidelines parties"
)
_ONE_OR_MORE = "include-controls exclude-controls matching insert-controls adds removes add remove"
_OBJECT_NAMES = "catalog profile metadata merge modify back-matter custom select"
_TEXT_NAMES = (
    "id uuid param-id control-id title prose name value ns class label href position order pattern by-id by-name "
    "by-class by-item-name by-ns oscal-version version usage depends-on text with-child-controls"
)
_LISTS, _MAY_BE_ONE = frozenset(_LIST_NAMES.split()), frozenset(_ONE_OR_MORE.split())
_OBJECTS, _TEXTS = frozenset(_OBJECT_NAMES.split()), frozenset(_TEXT_NAMES.split())
_WORDS = frozenset(("with-ids", "values", "choice"))


def check_shape(file: str, document: dict[str, Any], *, named: bool) -> None:
    """Usage for the first member of a document that is not what its name says; ``named``: controls need an id."""
    _check(file, document, "", named)


def _check(file: str, holder: dict[str, Any], path: str, named: bool) -> None:
    for key in [key for key in holder if path and holder[key] is None and key in _LISTS | _OBJECTS]:
        del holder[key]
    for key, value in holder.items():
        place = f"{path}.{key}" if path else key
        if key in _LISTS:
            _check_list(file, key, value, place, named)
        elif key in _OBJECTS:
            if not isinstance(value, dict):
                raise refuse(f"{file}, {place}", "an object", value)
            _check(file, value, place, named)
        elif key in _TEXTS and value is not None and not isinstance(value, str | int | float):
            raise refuse(f"{file}, {place}", "a text", value)
        elif key in _WORDS and not _are_texts(value):
            raise refuse(f"{file}, {place}", "a list of texts", value)


def _check_list(file: str, key: str, value: object, place: str, named: bool) -> None:
    items = [value] if key in _MAY_BE_ONE and isinstance(value, Mapping) else value
    if not isinstance(items, list):
        raise refuse(f"{file}, {place}", "a list of objects", value)
    for number, item in enumerate(items, start=1):
        here = f"{place}[{number}]"
        if not isinstance(item, dict):
            raise refuse(f"{file}, {here}", "an object", item)
        if named and key == "controls" and not item.get("id"):
            raise refuse(f"{file}, {here}", "an id", item.get("id"))
        _check(file, item, here, named)


def _are_texts(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return all(isinstance(one, str | int | float) for one in items)
