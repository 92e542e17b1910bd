"""The program's start: `groundtrace` and `python -m groundtrace`.

It imports nothing before signal handlers with exit codes are set. Without that, Ctrl-C while
modules were loading ended the program with a traceback and no exit code.
"""

import gc
import sys

NEW_OBJECTS = 50_000
"""New objects after which Python looks for unreachable ones; its own number is 700. Loading modules
makes objects that stay, and looking through them again and again took a tenth of the start. With
10,000 it is still 14 of 476 million instructions of `evaluate`; with 100,000, which saves no more
there, 400 trials take 65 MB instead of 51."""


def main() -> None:
    """Load the command line and run it."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    try:
        from groundtrace.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("groundtrace: stopped\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
