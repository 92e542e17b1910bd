"""Files on disk: the documents' types, whole writes, summaries and incremental state."""
