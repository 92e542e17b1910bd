"""What each program reads, finds, lists or writes: one module for each group of programs.

`call` is what a program gets: its arguments and the shell around it. A handler maps a call to the
parts that the program prints. `table` holds all programs by name, with those of users.
"""
