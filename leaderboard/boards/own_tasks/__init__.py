"""The boards of tasks of one's own: one for each installed task, made of what its organiser declared."""
