"""Does a text answer its prompt? The question, the embedded head that answers it, its data and how it was made."""
