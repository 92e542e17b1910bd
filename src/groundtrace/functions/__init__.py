"""Functions of a repository's files at a commit: where each begins and ends, and its name.

languages    which grammar reads a file, and what a function is in each language
spans        the functions of one file
objects      objects of a repository, read by one process of git
repositories which repository a task means, and its files at a commit
"""
