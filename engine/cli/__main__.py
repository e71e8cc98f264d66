"""``python -m engine.cli`` is ``hq``."""

from engine.cli import main

main()
