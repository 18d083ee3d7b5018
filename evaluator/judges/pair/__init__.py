"""The pair judge: MiniLM reading two texts at once, its trained adapter, and how that was made."""
