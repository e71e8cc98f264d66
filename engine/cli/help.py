"""How ``hq --help`` is laid out: commands by what one wants to do, each with a whole sentence."""

from collections.abc import Mapping, Sequence

import click

LONGEST_LINE = 100


class TaskGroup(click.Group):
    """A group whose help lists its commands under ``tasks``, in their order."""

    def __init__(self, tasks: Mapping[str, Sequence[click.Command]], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]  # what click.group passes on
        self.tasks = tasks
        for command in (command for commands in tasks.values() for command in commands):
            if command.name not in self.commands:  # one may serve two tasks
                self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by task; their first sentences are not cut."""
        for task, commands in self.tasks.items():
            with formatter.section(task):
                formatter.write_dl([(str(one.name), one.get_short_help_str(limit=1000)) for one in commands])
