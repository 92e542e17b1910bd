"""One row a trial: what summaries, impact and reports keep in memory instead of documents."""
