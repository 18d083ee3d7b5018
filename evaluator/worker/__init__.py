"""The worker: claim, evaluate, record, finish; and the processes that watch it."""
