"""The Robustness board of 2024: ranking, items, answers, and what the paper printed."""
