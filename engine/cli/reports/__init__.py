"""Commands that show reports, figures, differences and plans."""
