"""Commands that run, describe, back up and fill an installation."""
