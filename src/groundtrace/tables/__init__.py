"""The numbers where people already work: flat tables, TREC files, SQL."""
