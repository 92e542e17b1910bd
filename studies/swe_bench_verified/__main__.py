"""Print the study: `python -m studies.swe_bench_verified DATA`.

Without DATA, the page and its figures are printed again from the tables that are there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from groundtrace.errors import GroundtraceError
from studies.swe_bench_verified import measure
from studies.swe_bench_verified.csv_tables import csv_text, read_csv
from studies.swe_bench_verified.figures import all_figures
from studies.swe_bench_verified.page import page
from studies.swe_bench_verified.tables import all_tables

HERE = Path(__file__).parent


def main() -> int:
    """Measure if DATA is given, then print tables, figures and page."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.swe_bench_verified", description=__doc__
    )
    parser.add_argument("data", nargs="?", type=Path, help="the unpacked data")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the page (default: here)")
    parser.add_argument(
        "--work", type=Path, help="folder of groundtrace's results (default: OUT/results)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--reader", action="append", default=[], help="mapping of another format (repeatable)"
    )
    given = parser.parse_args()
    try:
        if given.data is not None:
            work = given.work or given.out / "results"
            measured(given.data, given.out, work, given.jobs, given.reader)
    except GroundtraceError as error:
        print(f"studies.swe_bench_verified: {error}", file=sys.stderr)
        return 2
    for name, text in printed(given.out / "tables").items():
        (given.out / name).parent.mkdir(parents=True, exist_ok=True)
        (given.out / name).write_text(text, encoding="utf-8")
    return 0


def measured(data: Path, out: Path, work: Path, jobs: int, reader: Sequence[str] = ()) -> None:
    """What needs DATA: one row per trial, and groundtrace's answer."""
    done = measure.evaluate(data, work, jobs=jobs, reader=reader)
    rows, words = measure.answer(done)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    texts = {
        "tables/trials.csv": csv_text(measure.trials(data, work)),
        "tables/e_answer.csv": csv_text(rows),
        "tables/e_answer.txt": "\n".join([*words, ""]),
        "report.md": measure.report(done),
    }
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")


def printed(folder: Path) -> dict[str, str]:
    """Everything that follows from the measured tables: path below the study to its text."""
    tables = all_tables(read_csv(folder / "trials.csv"), read_csv(folder / "e_answer.csv"))
    words = (folder / "e_answer.txt").read_text(encoding="utf-8").splitlines()
    figures = all_figures(tables)
    return {
        **{f"tables/{name}.csv": csv_text(table) for name, table in tables.items()},
        **{f"figures/{name}.svg": text for name, text in figures.items()},
        "README.md": page(tables, words),
    }


if __name__ == "__main__":
    sys.exit(main())
