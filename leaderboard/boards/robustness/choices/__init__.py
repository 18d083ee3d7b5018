"""Ranks under other choices: other judges, other ways to count."""
