"""`python -m groundtrace`: the command line, for where its script is not on the path."""

from groundtrace.cli.main import main

if __name__ == "__main__":
    main()
