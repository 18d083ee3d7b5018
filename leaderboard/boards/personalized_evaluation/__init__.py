"""The boards of evaluators: predicted ratings, and predicted choices."""
