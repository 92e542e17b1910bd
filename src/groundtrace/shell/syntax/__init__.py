"""The command as text: its syntax tree, and what the grammar says without files or variables.

`parse` gives the tree, `statements` the order of commands in it and what a loop goes over, and `holes`
the characters that stand for unknown text.
"""
