"""Robustness of answers when only the style of a question changes (ELOQUENT 2024), and what all editions share."""
