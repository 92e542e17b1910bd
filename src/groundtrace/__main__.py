"""`python -m groundtrace`: the command line, for when its script is not on the PATH."""

from groundtrace.cli.main import main

if __name__ == "__main__":
    main()
