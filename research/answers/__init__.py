"""The answer head: what it is trained and measured on, and how."""
