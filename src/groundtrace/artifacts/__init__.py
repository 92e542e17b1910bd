"""Files on disk: where they go, what they are called, whole writes, locks, incremental state."""
