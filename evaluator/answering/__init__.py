"""A model answers what submissions ask: questions under preferences, and templates with open prompts."""
