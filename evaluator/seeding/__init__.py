"""What an installation enters by itself: baselines, example systems, the recorded runs of SmolLM2."""
