"""Intervals, rank bands, agreement: plain sequences in, numbers out."""
