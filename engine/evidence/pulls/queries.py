"""Queries of checks: one SELECT over tables that are loaded, with the days filled in; anything else is refused.

DuckDB itself takes the text apart; nothing is read and nothing runs. What would answer differently tomorrow about the
same rows is refused, too: a check has to come to the same from the rows that are held.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import duckdb

from engine.evidence.pulls.declarations import DaySpan
from engine.model.errors import Usage

LONGEST = 100_000  # characters of a query
_FUNCTIONS = ("unnest", "range", "generate_series", "json_each", "json_tree")  # that make tables of values
_CHANGING_WORDS = """
    current_connection_id current_database current_date current_localtime current_localtimestamp
    current_query current_schema current_schemas current_setting current_time current_timestamp current_user
    currval gen_random_uuid get_current_time get_current_timestamp getenv getvariable localtime
    localtimestamp nextval now parse_duckdb_log_message pg_backend_pid query_id random setseed today
    transaction_timestamp txid_current uuid uuidv4 uuidv7 version write_log
"""
_STATEMENTS = ("SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "RECURSIVE_CTE_NODE")
_CHANGING = frozenset(_CHANGING_WORDS.split())
_BRACE = re.compile(r"\{([^{}]*)\}|[{}]")
_DAYS = ("since", "until")


@dataclass(frozen=True)
class QueryShape:
    """The tables that a query looks at, by name, and the names of the columns that it asks for."""

    tables: frozenset[str]
    columns: frozenset[str] = frozenset()


def fill_days(query: str, span: DaySpan) -> str:
    """The query with ``{since}`` and ``{until}`` as ISO days."""
    return query.replace("{since}", span.since.isoformat()).replace("{until}", span.until.isoformat())


def check_braces(query: str, place: str) -> None:
    """Usage for any brace but ``{since}`` and ``{until}``."""
    for brace in _BRACE.finditer(query):
        if brace[1] not in _DAYS:
            raise Usage(f"{place} may have {{since}} and {{until}} in braces and nothing else; it has {brace[0]!r}.")


def query_shape(query: str, place: str) -> QueryShape:
    """What one SELECT looks at. Usage for anything that is none, or that would reach beyond the tables."""
    if len(query) > LONGEST:
        raise Usage(f"{place} may have {LONGEST:,} characters; it has {len(query):,}.")
    tree = json.loads(_syntax(query))
    if tree.get("error"):
        reason = str(tree.get("error_message", "")).splitlines()[0] if tree.get("error_message") else "no statement"
        if tree.get("error_type") == "parser":
            raise Usage(f"{place} is not SQL that can be read: {reason}.")
        kind = _kind(query)
        if kind in ("SELECT", "WITH", "FROM", "VALUES"):
            raise Usage(f"{place} must be one SELECT; another statement stands beside it.")
        raise Usage(f"{place} must be one SELECT; {kind} is not allowed.")
    statements = tree.get("statements", [])
    if len(statements) != 1:
        raise Usage(f"{place} must be one SELECT; it has {len(statements)} statements.")
    inner: set[str] = set()
    tables: set[str] = set()
    for node in _nodes(statements[0]):
        _look(node, place, inner, tables)
    return QueryShape(frozenset(tables - inner), frozenset(_columns(statements[0])))


@lru_cache(maxsize=256)  # an engine takes longer to open than a query to be read
def _syntax(query: str) -> str:
    """The syntax tree of a text, or what is wrong with it, as JSON."""
    with duckdb.connect(":memory:", config={"autoload_known_extensions": "false"}) as connection:
        ((text,),) = connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()
    return str(text)


def _columns(statement: object) -> Iterator[str]:
    for node in _nodes(statement):
        names = node.get("column_names") if node.get("type") == "COLUMN_REF" else node.get("using_columns")
        if isinstance(names, list) and names:
            yield from (str(name).lower() for name in (names[-1:] if node.get("type") == "COLUMN_REF" else names))


def _look(node: dict[str, object], place: str, inner: set[str], tables: set[str]) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        path = _path(node)
        name = path[-1] if path else str(node.get("table_name", ""))
        if len(path) > 1:
            raise Usage(f"{place} may name tables by their source alone; it has {'.'.join(path)!r}.")
        tables.add(name.lower())
    elif kind == "TABLE_FUNCTION":
        function = _member(node, "function")
        name = str(function.get("function_name", "")).lower()
        if name not in _FUNCTIONS:
            raise Usage(f"{place} must look at loaded tables alone; it calls {name}().")
    elif isinstance(kind, str) and kind.endswith("_NODE") and kind not in _STATEMENTS:
        raise Usage(f"{place} must be one SELECT; {kind.partition('_')[0]} inside it is not allowed.")
    elif kind == "SHOW_REF":
        raise Usage(f"{place} must be one SELECT; it describes a table.")
    elif kind == "FUNCTION":
        name = str(node.get("function_name", "")).lower()
        if name in _CHANGING:
            raise Usage(f"{place} must answer the same tomorrow; it calls {name}(): use '{{until}}' for the day.")
        if name.startswith("read_"):
            raise Usage(f"{place} must look at loaded tables alone; it calls {name}().")
    elif kind == "COLUMN_REF":
        names = node.get("column_names")
        if isinstance(names, list) and len(names) == 1 and str(names[0]).lower() in _CHANGING:
            raise Usage(f"{place} must answer the same tomorrow; it asks {names[0]}: use '{{until}}' for the day.")
    if node.get("class") == "PARAMETER":
        raise Usage(f"{place} has a parameter, which nothing would fill.")
    if node.get("sample"):
        raise Usage(f"{place} must answer the same tomorrow; it draws a sample.")
    cte = node.get("cte_map")
    if isinstance(cte, dict):
        inner.update(str(entry["key"]).lower() for entry in cte.get("map", []))
    if kind == "RECURSIVE_CTE_NODE" or kind == "CTE_NODE":
        inner.add(str(node.get("cte_name", "")).lower())


def _path(node: dict[str, object]) -> list[str]:
    path = _member(node, "qualified_name").get("path")
    return [str(part) for part in path] if isinstance(path, list) else []


def _member(node: dict[str, object], name: str) -> dict[str, object]:
    value = node.get(name)
    return value if isinstance(value, dict) else {}


def _nodes(value: object) -> Iterator[dict[str, object]]:
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            yield one
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)


def _kind(query: str) -> str:
    words = re.sub(r"--[^\n]*|/\*.*?\*/", " ", query, flags=re.DOTALL).split()
    return words[0].upper()[:20] if words else "an empty text"
