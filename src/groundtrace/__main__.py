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


def _keep_modules(_phase: str, _found: dict[str, int]) -> None:
    """Called by Python before it looks for the first time: what is there are modules, and stays.

    That look found 400 objects among 50,000, and took 20 of the 650 million instructions of
    `normalize` of two trials.
    """
    gc.callbacks.remove(_keep_modules)
    gc.freeze()


def _load_msgspec() -> None:
    """Load msgspec without `typing_extensions`, which it takes if it is installed.

    From Python 3.11 on it needs nothing of it. That module, with `inspect` and `ast` below it, was
    32 of the 470 million instructions before the workers of a small run, 6 ms.
    """
    if "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]
        import msgspec  # noqa: F401

        del sys.modules["typing_extensions"]


def main() -> None:
    """Load the command line and run it."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    gc.callbacks.append(_keep_modules)
    try:
        _load_msgspec()
        from groundtrace.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("groundtrace: stopped\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
