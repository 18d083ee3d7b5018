"""The commands of `python -m evaluator`."""
