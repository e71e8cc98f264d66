"""Bring the replica of ``SVC_DATA_DIR`` up to date for one organization: ``python -m tests.bench.sync ORG``."""

import sys

from engine.cli.common import open_console_services


def main() -> None:
    with open_console_services() as services:
        services.replica.sync([sys.argv[1]])


if __name__ == "__main__":
    main()
