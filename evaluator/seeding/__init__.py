"""What an installation enters by itself: null rows on every board, example systems on the demonstration board."""
