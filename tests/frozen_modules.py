"""What makes freezegun cheap to start, as nearly every test of the web does: it goes through all loaded modules each time.

A few dozen of some three thousand have a function or a type of time by a name of their own, and none takes one up later.
"""

import sys
from types import ModuleType

from freezegun import api as freezegun

REAL = freezegun._real_time_object_ids


class TimeModules:
    """``sys.modules`` for freezegun: all of them by name, those alone to go through that have something to replace."""

    def __init__(self) -> None:
        self._count = 0
        self._with_time: list[tuple[str, ModuleType]] = []

    def keys(self):
        return sys.modules.keys()

    def get(self, name, default=None):
        return sys.modules.get(name, default)

    def items(self):
        if len(sys.modules) != self._count:  # else none was loaded since
            self._count = len(sys.modules)
            self._with_time = [(name, module) for name, module in list(sys.modules.items()) if _has_time(module)]
        return self._with_time


def _has_time(module: ModuleType | None) -> bool:
    return any(id(value) in REAL for value in list(getattr(module, "__dict__", {}).values()))


class System:
    """``sys`` for freezegun."""

    modules = TimeModules()

    def __getattr__(self, name):
        return getattr(sys, name)


def install():
    freezegun.sys = System()
