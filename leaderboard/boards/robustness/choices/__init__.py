"""Rank sensitivity: other judges, other ways to count."""
