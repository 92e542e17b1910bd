"""The numbers in other tools' forms: flat tables, TREC files, SQL."""
