"""The commands of `python -m submissions`."""
