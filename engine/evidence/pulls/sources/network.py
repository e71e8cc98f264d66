"""Servers as a source: HTTPS over the pinned transport, and LDAP with ldap3, which is an extra."""

import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.files import read_formatted
from engine.evidence.pulls.sources.reading import (
    SECONDS,
    SourceProblem,
    SourceReaders,
    SourceRows,
    records_table,
    refuse_many,
)

MOST_ANSWER = 64 << 20  # bytes, where a source says nothing
_PAGE = 500


def read_https(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """What an address answers, read as CSV, JSON or JSON Lines."""
    token = _secret(source, "token_env", readers) if source.text("token_env") else ""
    body = readers.fetch(
        source.text("url"), token, source.number("timeout_seconds", SECONDS), source.number("max_bytes", MOST_ANSWER)
    )
    out = folder / f"answer.{source.text('format')}"
    out.write_bytes(body)
    table = read_formatted(source, source.text("format"), [out], connection)
    return SourceRows({source.name: table}, ((source.text("url").partition("?")[0], table.sha256),))


def read_ldap(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """Entries below a base that a filter matches: ``dn`` and the attributes, several values joined by '; '."""
    place = f"[source.{source.name}]"
    try:
        import ldap3  # type: ignore[import-untyped]
        from ldap3.core.exceptions import LDAPException  # type: ignore[import-untyped]
    except ImportError as error:
        raise SourceProblem(f"{place} needs ldap3: install hq-console[ldap].") from error
    url = source.text("url") or _secret(source, "url_env", readers)
    user = _secret(source, "user_env", readers) if source.text("user_env") else None
    word = _secret(source, "password_env", readers) if source.text("password_env") else None
    seconds = source.number("timeout_seconds", SECONDS)
    attributes = list(source.words("attributes"))
    rows: list[list[object]] = []
    try:
        server = ldap3.Server(url, tls=_verified_tls(ldap3), connect_timeout=min(seconds, 30), get_info=ldap3.NONE)
        directory = ldap3.Connection(
            server, user, word, read_only=True, receive_timeout=seconds, raise_exceptions=True, auto_referrals=False
        )
        try:
            directory.open()
            if source.options.get("start_tls"):
                directory.start_tls()
            directory.bind()
            entries = directory.extend.standard.paged_search(
                source.text("base"), source.text("filter"), attributes=attributes, paged_size=_PAGE, generator=True
            )
            for entry in entries:
                if entry.get("type") == "searchResEntry":
                    rows.append([entry["dn"], *(_value(entry, name) for name in attributes)])
                    refuse_many(source, len(rows))
        finally:
            with suppress(LDAPException, OSError):  # of a connection that failed
                directory.unbind()
    except (LDAPException, OSError) as error:
        words = str(error).replace(" - None", "")[:200].rstrip(".")
        raise SourceProblem(f"{place} cannot be read: {words}.") from error
    columns = [("dn", "VARCHAR"), *((name.lower().replace("-", "_"), None) for name in attributes)]
    table = records_table(connection, source, folder, columns, rows)
    return SourceRows({source.name: table}, ((source.text("base"), table.sha256),))


def _verified_tls(ldap3: Any) -> Any:
    """TLS that asks who the server is: left alone, ldap3 sends the password to whoever answers."""

    class VerifiedTls(ldap3.Tls):  # type: ignore[misc]
        def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:
            host = connection.server.host
            connection.socket = ssl.create_default_context().wrap_socket(connection.socket, server_hostname=host)

    return VerifiedTls()


def _value(entry: dict[str, Any], name: str) -> str | None:
    raw: list[bytes] = next(
        (value for key, value in entry["raw_attributes"].items() if key.lower() == name.lower()), []
    )
    values = [value.decode(errors="replace") for value in raw]
    return "; ".join(sorted(values)) if values else None


def _secret(source: PullSource, option: str, readers: SourceReaders) -> str:
    variable = source.text(option)
    value = readers.environment.get(variable, "")
    if not value:
        raise SourceProblem(f"[source.{source.name}] needs the variable {variable}, which is not set.")
    return value
