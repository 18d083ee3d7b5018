"""The trained judge of answers in many languages: pairs in one language, or in two."""
