"""Write figures that are measured elsewhere into the pages that quote them.

    [GROUNDTRACE_CORPUS=FOLDER] python docs/update_figures.py

docs/design.md quotes the ratios of benchmarks/DIARY.md. docs/validity.md says how many hostile inputs
a test run tries, and shows what benchmarks/extraction.py prints for the labels of real trials,
where there are any.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VALIDITY = ROOT / "docs" / "validity.md"
DESIGN = ROOT / "docs" / "design.md"
BENCHMARKS = ROOT / "benchmarks" / "DIARY.md"


def _place(name: str) -> re.Pattern[str]:
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    return re.compile(rf"({begin}\n```text\n)(.*?)(```\n{end})", re.DOTALL)


EXTRACTION = _place("extraction")
FORMATS = _place("formats")
RATIOS = _place("ratios")
FUZZED = re.compile(r"tries [0-9,]+ inputs with a fixed seed")


def measured(corpus: Path, table: str = "--shell") -> str:
    """What the benchmark prints for labelled calls."""
    command = [sys.executable, "benchmarks/extraction.py", str(corpus / "labels.jsonl"), table]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def ratios() -> str:
    """The ratios that the benchmark of the whole path printed, as its page shows them."""
    found = re.search(
        r"^ratios at .*?(?=^\s*$|^```)",
        BENCHMARKS.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    if found is None:
        raise SystemExit(f"{BENCHMARKS}: no ratios in it")
    return found[0]


def fuzzed() -> str:
    """How many hostile inputs every test run tries."""
    sys.path.insert(0, str(ROOT))
    from tests.fuzz import runner
    from tests.fuzz.test_fuzz_short import INPUTS

    tried = sum(number * runner.inputs_of(target) for target, number in INPUTS.items())
    return f"tries {tried:,} inputs with a fixed seed"


def shown(page: Path, place: re.Pattern[str]) -> str:
    """What a page shows."""
    found = place.search(page.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{page}: no place for the figures")
    return found[2]


def put(page: Path, place: re.Pattern[str], fresh: str) -> None:
    """Write the figures into a page."""
    text = page.read_text(encoding="utf-8")
    page.write_text(place.sub(lambda m: m[1] + fresh + m[3], text), encoding="utf-8")


def main() -> int:
    """The exit code."""
    put(DESIGN, RATIOS, ratios())
    text = VALIDITY.read_text(encoding="utf-8")
    VALIDITY.write_text(FUZZED.sub(fuzzed(), text), encoding="utf-8")
    corpus = os.environ.get("GROUNDTRACE_CORPUS")
    if corpus:
        put(VALIDITY, EXTRACTION, measured(Path(corpus)))
        put(VALIDITY, FORMATS, measured(Path(corpus), "--formats"))
    else:
        print("GROUNDTRACE_CORPUS is not set: extraction was not measured", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
