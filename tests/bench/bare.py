"""The baseline of HTTP: a Bottle route that returns the bytes of a file.

``python -m tests.bench.bare PORT THREADS FILE``. In the same waitress: no credential, no
checks, no headers of ours, nothing logged.
"""

import logging
import sys
from pathlib import Path

import bottle
import waitress


def main() -> None:
    port, threads, data = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]).read_bytes()
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app = bottle.Bottle()

    @app.get("/page")
    def page() -> bytes:
        bottle.response.content_type = "application/json"
        return data

    waitress.serve(app, host="127.0.0.1", port=port, threads=threads, ident=None, _quiet=True)


if __name__ == "__main__":
    main()
