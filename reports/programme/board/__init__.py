"""The programme for the board."""
