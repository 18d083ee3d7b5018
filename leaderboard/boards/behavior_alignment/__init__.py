"""The board of conversational recommenders."""
