"""Verdicts of judges as values: what a raw text says, what two orders say together, and how many of each there are."""
