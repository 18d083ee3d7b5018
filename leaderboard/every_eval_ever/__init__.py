"""Ranked rows, their items and their judges as records of Every Eval Ever (schema 0.3.0, arXiv 2606.14516)."""
