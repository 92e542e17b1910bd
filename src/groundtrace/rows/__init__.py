"""One row for each trial: made from its documents, kept in memory instead of them."""
