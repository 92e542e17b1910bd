"""The numbers in forms for other tools: flat tables, TREC files, SQL."""
