"""Speed and memory as ratios: each figure beside a named baseline of the same run. Never a timed test."""
