"""How well the judge of pairs in many languages judges in each of them."""
