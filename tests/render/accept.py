"""Accept the present output as the golden one: ``python -m tests.render.accept``.

Read the diff before committing it.
"""

from pathlib import Path

from engine.model.declarations.declaration import HEAVY
from engine.render import RENDERERS
from tests.render.editions import posture

GOLDEN = Path(__file__).parent / "golden"
TEXTS = tuple(name for name in RENDERERS if name not in HEAVY)  # others are compressed, by whichever library there is


def main() -> None:
    for name in TEXTS:
        renderer = RENDERERS[name]
        path = GOLDEN / f"posture.{renderer.extension}"
        path.write_bytes(renderer.render(posture()))
        print(path)


if __name__ == "__main__":
    main()
