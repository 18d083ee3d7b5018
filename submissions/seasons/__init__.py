"""Seasons of a shared task: when files are taken, how many, what is public when, and the board that is kept."""
