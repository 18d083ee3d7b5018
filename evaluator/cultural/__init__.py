"""Distances between answers in several languages (ELOQUENT 2026)."""
