"""Liveness and readiness."""

from engine.model.errors import NotReady, Unavailable
from engine.store.database.migrations import database_health
from engine.web.answers.health import DatabaseReadiness, Liveness
from engine.web.http import Request, Response, answer


def alive(request: Request) -> Response:
    """Whether the process answers; no longer well once it met a store of another schema."""
    services = request.services
    uptime = int((request.now - services.started_at).total_seconds())
    return answer(
        Liveness(
            ok=not services.store.outdated.is_set(), service=services.settings.service_name, uptime_s=max(uptime, 0)
        )
    )


def database(request: Request) -> Response:
    """Whether the operational store answers and has every migration, 15 among them; 503 says what differs."""
    try:
        with request.services.store.reader() as connection:
            row = database_health(connection)
    except Unavailable as problem:
        raise NotReady(
            problem.message, word=problem.word, details=problem.details, headers=problem.headers
        ) from problem
    return answer(
        DatabaseReadiness(
            ok=True,
            database=request.services.store.dialect,
            migration=str(row["migration"]),
            expected=str(row["expected"]),
        )
    )
