"""Judges: each turns requests into judgments; the prompts they are asked are data."""
