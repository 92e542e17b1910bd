"""One row for each trial: made from its documents, and kept in memory instead of them."""
