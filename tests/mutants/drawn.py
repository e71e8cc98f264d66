"""Mutants that cosmic-ray draws from the rooms on which the most rests.

mutmut puts a wrapper around every function; a fact whose parameters name the facts that it is made from would lose them.
cosmic-ray changes one place of one file.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.changed import is_test, quick
from tests.import_graph import ImportGraph, module_name
from tests.mutants.named import settings
from tests.mutants.trial import Trial, copy_of

# what tests cannot notice, or cannot fail to: types are written with |, and no decorator of ours may go
LEFT_OUT = ("BitOr", "RemoveDecorator")
FAR = 3  # steps of the import graph within which a test is about a module


@dataclass(frozen=True)
class DrawnMutant:
    """The ``occurrence``-th place of a file to which an operator of cosmic-ray applies."""

    room: str
    file: Path
    operator: str
    occurrence: int
    line: int


def draw(root: Path, seed: int, of_each_room: int) -> list[DrawnMutant]:
    """A sample of each room; the same seed draws the same from the same files."""
    chosen = []
    for room, patterns in settings()["rooms"].items():
        files = sorted({path for pattern in patterns for path in root.glob(pattern) if path.name != "__init__.py"})
        draws = random.Random(f"{seed} {room}")
        # files first: a long table of numbers would take the whole sample
        for file in draws.choices(files, k=of_each_room):
            every = list(mutants_of(room, file))
            chosen += draws.sample(every, 1) if every else []
    return list(dict.fromkeys(chosen))


def mutants_of(room: str, file: Path) -> Iterator[DrawnMutant]:
    """Every mutant of a file."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    tree = get_ast_from_path(file)
    for name in sorted(operator_names()):
        operator = get_operator(name)
        if operator.arguments() or any(word in name for word in LEFT_OUT):
            continue
        places = [place for node in ast_nodes(tree) for place in operator().mutation_positions(node)]
        for number, (start, _) in enumerate(places):
            yield DrawnMutant(room, file, name, number, start[0])


def nearest_tests(graph: ImportGraph, file: Path, most: int) -> list[str]:
    """The test files that are about a module: of its name, in folders of the same names, then by the steps between."""
    module = module_name(file.relative_to(graph.root).as_posix())
    folders = set(module.split(".")[1:])
    tests = [(steps, name) for name, steps in graph.reach([module]).items() if is_test(name)]
    stem = f"test_{module.rpartition('.')[2]}"

    def distance(test: tuple[int, str]) -> tuple[int, bool, int, str]:
        steps, name = test
        parts = name.split(".")
        return -len(folders & set(parts)) - 2 * (parts[-1] == stem), steps > FAR, steps, name

    ordered = sorted(tests, key=distance)
    return [graph.files[name].relative_to(graph.root).as_posix() for _, name in ordered[:most]]


def trial(seed: int, of_each_room: int) -> Iterator[tuple[DrawnMutant, bool]]:
    """Each mutant of the sample, and whether it is noticed."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    asked = settings()
    with copy_of() as copy:
        graph, trial = ImportGraph(copy), Trial(copy, asked["seconds"], quick(copy))
        for mutant in draw(copy, seed, of_each_room):
            text = mutate_code(mutant.file.read_text(), get_operator(mutant.operator)(), mutant.occurrence)
            if text is not None:
                yield (
                    mutant,
                    trial.is_noticed(mutant.file, text, nearest_tests(graph, mutant.file, asked["test_files"])),
                )
