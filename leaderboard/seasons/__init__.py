"""What organisers make of a season: its frozen board, its report, and what every page says of it."""
