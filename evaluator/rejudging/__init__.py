"""Runs judged again: a whole board by another judge, asked at once; what an earlier answer head gated, by and by."""
