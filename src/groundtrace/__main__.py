"""The program's start: `groundtrace` and `python -m groundtrace`.

It imports nothing before signal handlers with exit codes are set. Without that, Ctrl-C while
modules were loading ended the program with a traceback and no exit code.
"""

import sys


def main() -> None:
    """Load the command line and run it. For the version alone, nothing is loaded."""
    if sys.argv[1:] == ["--version"]:
        from groundtrace import __version__

        try:
            sys.stdout.write(f"groundtrace {__version__}\n")
            sys.stdout.flush()
        except OSError:
            pass  # the command line fails in the same way, and says so
        else:
            return
    try:
        from groundtrace.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("groundtrace: stopped\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
