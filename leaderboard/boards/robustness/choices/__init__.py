"""How stable each rank is: other judges, other ways to count."""
