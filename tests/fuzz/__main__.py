"""`python -m tests.fuzz --seconds N [--seed S] [--only NAME] [--case NUMBER]`"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.runner import NAMES, Worked, run_target, save, try_one, work

FOLDER = Path("fuzz-failures")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0, help="other seeds, other inputs")
    parser.add_argument("--only", choices=NAMES, help="one target")
    parser.add_argument("--case", type=int, help="one input of the target, with its traceback")
    parser.add_argument("--save", type=Path, default=FOLDER, help="where reproducers go")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker is not None:
        work(asked.only, asked.seed, asked.seconds, 0, asked.worker)
        return 0
    if asked.case is not None:
        return one(asked.only or parser.error("--case goes with --only"), asked.seed, asked.case)
    targets = [asked.only] if asked.only else list(NAMES)
    return every(targets, asked.seed, asked.seconds, asked.save)


def one(target: str, seed: int, number: int) -> int:
    """One input once more."""
    failure = try_one(target, seed, number, seconds=60)
    print(failure.error if failure is not None else f"{target} {number}: holds")
    return 1 if failure is not None else 0


def every(targets: list[str], seed: int, seconds: float, folder: Path) -> int:
    """All targets one after another, each its share of the time."""
    share = seconds / len(targets)
    done: list[Worked] = []
    for target in targets:
        worked = run_target(target, seed, share, folder)
        done.append(worked)
        failed = len(worked.failures)
        print(f"{target:<10} {worked.tried:>9,} inputs, {failed} failures{worked.cost}", flush=True)
        for failure in worked.failures:
            print(
                f"  {save(failure, seed, folder)}: {failure.error.strip().splitlines()[-1][:160]}"
            )
    tried = sum(worked.tried for worked in done)
    failures = sum(len(worked.failures) for worked in done)
    print(f"{'all':<10} {tried:>9,} inputs, {failures} failures (seed {seed}, {seconds:g} s)")
    if not failures and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
