"""Every reader of what comes from outside, fed by a fuzzer that sees which branches an input took."""
