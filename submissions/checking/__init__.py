"""Checks of files that anybody may send: in processes of their own, within a budget, and in turn."""
