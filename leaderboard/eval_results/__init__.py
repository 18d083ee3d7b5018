"""Ranked results as the Hub's community evaluation files, for model cards and for the benchmark's dataset."""
