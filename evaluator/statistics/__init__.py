"""Intervals, paired draws, rank bands, agreement: plain sequences in, numbers out."""
