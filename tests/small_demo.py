"""`hq demo --no-serve` with two organizations, the first with a short past: `python -m tests.small_demo`, in the folder of its data.

It says what the whole one says, in a third of the time; the weekly job fills all four.
"""

from dataclasses import replace

from data import demo
from data.demo.cast.organizations import PROFILES
from engine.cli import hq

# outside of the condition below: the processes that it starts need it, too
demo.DEMO_ORGANIZATIONS = ("aurora", "dune")
PROFILES["aurora"] = replace(PROFILES["aurora"], weeks=8)

if __name__ == "__main__":
    hq(["demo", "--no-serve"])
