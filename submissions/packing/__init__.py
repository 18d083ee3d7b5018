"""Making submissions of the files that a team has: which belong together is found out, no answer is altered."""
