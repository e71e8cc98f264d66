"""What makes a table other than it looks: its name, columns and keys are those of the migration, and yet it answers,
takes or keeps something else. Each is a sentence of its own; a store that is well has none.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import Connection

HEALTH = """
    SELECT
        (SELECT version_num FROM alembic_version) AS migration,
        (SELECT COUNT(*) FROM organizations) AS organizations,
        (SELECT COUNT(*) FROM heads WHERE last_seq < 1) AS empty_heads,
        (SELECT COUNT(*) FROM deliveries WHERE status = 'pending') AS deliveries_pending,
        (SELECT COUNT(*) FROM deliveries WHERE status = 'failed') AS deliveries_failed
"""  # of the view database_health since migration 33
_WORDS = {  # of the text of a table or an index in SQLite that none of ours has
    "COLLATE": "compares texts by another order",
    "CONFLICT": "takes or leaves rows that have one key",
    "GENERATED": "has a column that is computed",
    "AS": "has a column that is computed",
    "DEFAULT": "fills what was not written",
    "CASCADE": "follows the rows that it refers to",
    "SET": "is emptied with the rows that it refers to",
    "DEFERRABLE": "looks at its references later",
    "WHERE": "has an index over some of its rows",
    "VIRTUAL": "has what is not kept",
}
_ASIDE = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/", re.DOTALL)

_SERVER = (
    """
    SELECT 'rows of ' || k.relname || ' are read with those of ' || c.relname || ' (INHERITS)'
    FROM pg_class c JOIN pg_inherits i ON i.inhparent = c.oid JOIN pg_class k ON k.oid = i.inhrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'f')
    """,
    """
    SELECT 'the table ' || c.relname || ' is a foreign or a partitioned one' FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('f', 'p')
    """,
    """
    SELECT 'the policy ' || p.polname || ' says which rows of ' || c.relname || ' are seen'
    FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE c.relnamespace = current_schema()::regnamespace
    """,
    """
    SELECT 'the column ' || c.relname || '.' || a.attname || CASE
        WHEN a.attgenerated <> '' OR a.attidentity <> '' THEN ' is computed (GENERATED)'
        WHEN a.atthasdef THEN ' is filled where it was not written (DEFAULT)'
        ELSE ' compares texts by another order (COLLATE)' END
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped
    AND (a.attgenerated <> '' OR a.attidentity <> '' OR a.atthasdef OR a.attcollation <> t.typcollation)
    """,
    """
    SELECT 'the reference ' || k.conname || ' of ' || c.relname || ' does more than refuse (CASCADE, SET, DEFERRABLE)'
    FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND k.contype = 'f'
    AND (k.confdeltype <> 'a' OR k.confupdtype <> 'a' OR k.condeferrable)
    """,
    """
    SELECT 'the index ' || k.relname || ' of ' || c.relname || ' holds some of the rows, or later (WHERE, DEFERRABLE)'
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class k ON k.oid = i.indexrelid
    WHERE c.relnamespace = current_schema()::regnamespace
    AND (i.indpred IS NOT NULL OR NOT i.indisvalid OR NOT i.indimmediate)
    """,
    """
    SELECT 'the table ' || c.relname || ' belongs to ' || pg_get_userbyid(c.relowner) || ', alembic_version to '
    || pg_get_userbyid(v.relowner) FROM pg_class c JOIN pg_class v ON v.relnamespace = c.relnamespace
    WHERE c.relnamespace = current_schema()::regnamespace AND v.relname = 'alembic_version'
    AND c.relkind IN ('r', 'v', 'p', 'f') AND c.relowner <> v.relowner
    """,
    """
    SELECT 'references and triggers do not act (session_replication_role = '
    || current_setting('session_replication_role') || ')' WHERE current_setting('session_replication_role') <> 'origin'
    """,
)
_RIGHTS = """
    SELECT DISTINCT CASE r.grantee WHEN 0 THEN 'everybody' ELSE pg_get_userbyid(r.grantee)::text END, c.relname::text
    FROM pg_class c CROSS JOIN LATERAL (
        SELECT grantee, privilege_type FROM aclexplode(c.relacl)
        UNION ALL
        SELECT x.grantee, x.privilege_type
        FROM pg_attribute a CROSS JOIN LATERAL aclexplode(a.attacl) x WHERE a.attrelid = c.oid
    ) r
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'f')
    AND r.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER')
    AND r.grantee <> c.relowner AND r.grantee NOT IN (
        SELECT oid FROM pg_roles WHERE rolname = current_user
        UNION ALL
        SELECT m.roleid FROM pg_auth_members m JOIN pg_roles o ON o.oid = m.member WHERE o.rolname = current_user
    )
"""  # of others than the owner and whoever connects, himself or as one of a group
_VIEW = """
    SELECT pg_get_viewdef(c.oid) FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = 'database_health' AND c.relkind = 'v'
"""


def disguises(connection: Connection) -> Iterator[str]:
    """A sentence for each thing that acts on the records and is none of ours."""
    return _of_file(connection) if connection.dialect.name == "sqlite" else _of_server(connection)


def _of_file(connection: Connection) -> Iterator[str]:
    query = "SELECT tbl_name, type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY tbl_name, name"
    for table, kind, name, sql in connection.exec_driver_sql(query):
        if kind in ("table", "index"):
            present = set(re.findall(r"\w+", _ASIDE.sub(" ", sql).upper()))
            yield from (f"the table {table} {_WORDS[word]} ({word})" for word in _WORDS if word in present)
        elif name == "database_health":
            yield from _other_query(re.sub(r"^.*?\sAS\s", "", sql, count=1, flags=re.DOTALL | re.IGNORECASE))


def _of_server(connection: Connection) -> Iterator[str]:
    for query in _SERVER:
        yield from sorted({str(line) for (line,) in connection.exec_driver_sql(query)})
    tables = defaultdict[str, set[str]](set)
    for role, table in connection.exec_driver_sql(_RIGHTS):
        tables[role].add(table)
    for role, names in sorted(tables.items()):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"{role} may write to {', '.join(sorted(names)[:3])}{more} beside the console (GRANT)"
    for (text,) in connection.exec_driver_sql(_VIEW):
        yield from _other_query(text)


def _other_query(text: str) -> Iterator[str]:
    if _plain(text) != _plain(HEALTH):
        yield "the view database_health answers by another query"


def _plain(text: str) -> str:
    """A query without what engines write differently: brackets, types, and names of what is named anyway."""
    aside = r"::\w+|\b(?:heads|deliveries|alembic_version)\.|\bAS count\b|[()\";]"
    return " ".join(re.sub(aside, " ", text, flags=re.IGNORECASE).lower().split())
