"""Predictions for tasks of one's own (docs/own_task.md): which task, and what is answered for each of its items."""
