"""The commands of `python -m leaderboard` beside its first one."""
