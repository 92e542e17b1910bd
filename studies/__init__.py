"""Studies: questions answered with groundtrace on public data, each with its page and its numbers."""
