"""Is the number of a row the one its file gives? One module per measure whose rows can be made anew."""
