"""Figures: the numbers that people quote, and the formulas behind them."""
