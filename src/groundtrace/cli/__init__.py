"""The command line, one small module a command; only this package prints and exits."""
