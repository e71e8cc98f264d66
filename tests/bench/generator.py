"""The rows of a demo organization, written nowhere: ``python -m tests.bench.generator ORG``."""

import sys

from data.demo import generate
from engine.cli.common import now


def main() -> None:
    generate(sys.argv[1], now().date())


if __name__ == "__main__":
    main()
