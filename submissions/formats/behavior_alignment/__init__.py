"""A recommender's answers beside the human's (Behavior Alignment): reader, dialogues, template."""
