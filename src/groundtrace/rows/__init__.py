"""One row for each trial, kept in memory instead of its documents, and statistics over rows.

The modules in the order of the data: `make` makes a `trial_row` from a trial's documents, with
counts of `finders` and `unknown_tools`; `kept` stores rows. `units` says which rows count and what
one unit is. `value_columns` (with `means`), `clocks`, `groups`, `verdicts` and `looked_at` collect
rows, and `summarise` makes the run summary of them.
"""
