"""The Judges board: how far a judge keeps its verdict when two answers change places."""
