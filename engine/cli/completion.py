"""The command that a shell is taught with to complete what is typed."""

import click

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="Example: echo 'eval \"$(hq completion bash)\"' >> ~/.bashrc")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what makes a shell complete commands, options, and the names of reports, figures and organizations.

    bash: eval "$(hq completion bash)" in ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit. fish: hq
    completion fish > ~/.config/fish/completions/hq.fish.
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root()
    completion_class = get_completion_class(shell)
    if completion_class is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    click.echo(completion_class(root.command, {}, "hq", "_HQ_COMPLETE").source())
