"""Judges' logs that other tools wrote, read into one table of judgements: one module per format."""
