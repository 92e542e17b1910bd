"""The command line, with a small module for each command. Only this package prints and exits."""
