"""The program's start: `groundtrace` and `python -m groundtrace`.

It imports nothing before signal handlers with exit codes are set. Without that, Ctrl-C while
modules were loading ended the program with a traceback and no exit code.
"""

import sys


def main() -> None:
    """Load the command line and run it."""
    try:
        from groundtrace.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("groundtrace: stopped\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
