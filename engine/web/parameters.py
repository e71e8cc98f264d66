"""Query parameters of routes that are no reports."""

from engine.model.declarations.ask import Parameter
from engine.model.errors import BadRequest
from engine.web.http import Options, Request


def parameters(request: Request, *declared: Parameter) -> Options:
    """The value or default of each declared parameter; BadRequest names one that is malformed or unknown."""
    known = {parameter.name: parameter for parameter in declared}
    for name in request.query:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise BadRequest(
                f"The parameter {name[:80]!r} is not known here; this route accepts {allowed}.",
                word="invalid_parameter",
                details=[{"parameter": name[:80], "expected": allowed, "got": "unknown parameter"}],
            )
    return {
        name: parameter.parse(request.query[name]) if name in request.query else parameter.default
        for name, parameter in known.items()
    }
