"""What teams send and where it waits: formats, checks, prompt sets, store, queue, archive."""
