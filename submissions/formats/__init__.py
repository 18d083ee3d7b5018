"""One reader per edition or kind; each room has the line of `submissions.kinds.KINDS` in its `kind.py`."""
