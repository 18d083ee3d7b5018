"""Making submissions of 2026 of the files that a team has: which belong together is found out, no answer is altered."""
