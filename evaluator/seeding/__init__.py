"""What an installation enters by itself: null rows, example systems, the recorded runs of SmolLM2."""
