"""What texts say, read without a model: quantities, negation, sentences that two texts share. Pure functions."""
