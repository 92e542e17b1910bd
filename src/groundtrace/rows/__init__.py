"""One row for each trial, kept in memory instead of its documents, and statistics over rows."""
