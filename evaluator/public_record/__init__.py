"""What others published about judges and systems, read again from their released files, with intervals."""
