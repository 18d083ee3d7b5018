"""Answers with and without user preferences (PERG): reader, rows, coverage, template."""
