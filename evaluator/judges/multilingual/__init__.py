"""The judge of answers in several languages, and how well its embedding model reads each of them."""
