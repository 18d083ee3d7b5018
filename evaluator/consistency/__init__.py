"""Consistency of answers across languages (ELOQUENT 2025)."""
