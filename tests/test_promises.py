"""Every test that docs/explanation/promises.md names is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "promises.md").read_text()


def test_every_promise_is_held_by_tests_that_there_are():
    rows = re.findall(r"^\| (\d+) \| (.*) \| (.*) \| (.*) \|$", PAGE, re.M)
    assert [int(number) for number, *_ in rows] == list(range(1, 14))
    missing = []
    for number, _, held, _ in rows:
        named = re.findall(r"`(tests/[a-z_/0-9]+\.py)::(\w+)`", held)
        assert named, f"promise {number} names no test"
        assert held.count("`tests/") == len(named), f"promise {number} names something else than file::test"
        for file, name in named:
            path = ROOT / file
            functions = ast.parse(path.read_text()).body if path.is_file() else []
            if name not in {each.name for each in functions if isinstance(each, ast.FunctionDef)}:
                missing.append(f"{file}::{name}")
    assert missing == []
