"""Accept the present output as the golden one: ``python -m tests.reporting.render.accept``.

Read the diff before committing it.
"""

from pathlib import Path

from engine.reporting.render import RENDERERS
from tests.reporting.render.editions import posture

GOLDEN = Path(__file__).parent / "golden"


def main() -> None:
    for renderer in RENDERERS.values():
        path = GOLDEN / f"posture.{renderer.extension}"
        path.write_bytes(renderer.render(posture()))
        print(path)


if __name__ == "__main__":
    main()
