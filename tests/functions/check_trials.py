"""Functions shown and recall of real trials, counted again with `ast` from the documents' lines.

`python -m tests.functions.check_trials RESULTS TASKS REPOS`: RESULTS were made with `--repos REPOS`.
Lines that the agent's own edits moved are moved back here too, in another way.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.functions import ast_oracle


def check(events: dict[str, Any], metrics: dict[str, Any], row: dict[str, str], repos: Path) -> str:
    """What the second count of one trial says."""
    section = metrics["function_level_metrics"]
    if section["function_precision"] is None:
        return "not computable"
    repository = repos / f"{row['repo'].replace('/', '__')}.git"
    lines = _shown(events)
    shown, gold = set(), set()
    for path, numbers in lines.items():
        if path.startswith(("/", "~", "../")) or not path.endswith(".py"):
            continue
        source = ast_oracle.text_at(repository, row["base_commit"], path)
        for one in [] if source is None else ast_oracle.functions_of(source):
            if any(one.first <= number <= one.last for number in numbers):
                shown.add((path, *one))
    sources = {
        path: ast_oracle.text_at(repository, row["base_commit"], path)
        for path in ast_oracle.paths_of(row["patch"])
    }
    patch = ast_oracle.fitting(row["patch"], sources)
    for path, source in sources.items():
        functions = (
            [] if source is None or not path.endswith(".py") else ast_oracle.functions_of(source)
        )
        for changed, first, last in ast_oracle.old_lines(patch):
            found = ast_oracle.innermost(functions, first, last) if changed == path else None
            gold.update([(path, *found)] if found is not None else [])
    counted = (len(gold), len(shown), len(gold & shown) / len(gold))
    stated = (section["functions_relevant"], section["functions_shown"], section["function_recall"])
    return "equal" if counted == stated else f"differs: {stated} {counted}"


def _shown(events: dict[str, Any]) -> dict[str, set[int]]:
    """Lines shown by file, as numbered at the base commit.

    Each file is a list of the base's line numbers, in which a write puts None for its own lines.
    """
    found: dict[str, set[int]] = {}
    now: dict[str, list[int | None] | None] = {}
    for event in events["events"]:
        for access in event["accesses"]:
            name = access["file"]
            lines = now.setdefault(name, list(range(1, 30_000)))
            if access["kind"] == "written" and lines is not None:
                now[name] = _after(lines, access)
            elif access["kind"] in ("read", "matched"):
                seen = found.setdefault(name, set())
                for run in _runs(access):
                    first, last = run["line_start"], run["line_end"]
                    if "base_lines" in access:
                        seen.update(range(first, last + 1))
                    else:
                        seen.update(n for n in (lines or [])[first - 1 : last] if n is not None)
    return found


def _runs(access: dict[str, Any]) -> list[dict[str, int]]:
    if "base_lines" in access:
        return access["base_lines"] or []
    first = access.get("line_start")
    whole = [{"line_start": first, "line_end": access.get("line_end", first)}]
    return [] if access.get("other_revision") else access.get("line_ranges", whole if first else [])


def _after(lines: list[int | None], access: dict[str, Any]) -> list[int | None] | None:
    if "line_changes" not in access:
        return lines if access.get("line_shift") == 0 else None
    for change in access["line_changes"]:
        first, last = change["line_start"] - 1, change["line_end"]
        lines = [*lines[:first], *[None] * (last - first + change["line_shift"]), *lines[last:]]
    return lines


def main() -> None:
    """Print the counts; exit with 1 if any differs."""
    results, tasks, repos = map(Path, sys.argv[1:4])
    rows = {row["instance_id"]: row for row in map(json.loads, tasks.open(encoding="utf-8"))}
    said: Counter[str] = Counter()
    for path in sorted(results.rglob("*.retrieval_events.json")):
        other = path.with_name(path.name.replace("retrieval_events", "retrieval_metrics"))
        row = rows.get(path.name.removesuffix(".retrieval_events.json"))
        if row is not None and other.exists():
            one = check(json.loads(path.read_bytes()), json.loads(other.read_bytes()), row, repos)
            said[one.partition(":")[0]] += 1
            if one.startswith("differs"):
                print(path.name, one)
    print(dict(said))
    sys.exit("differs" in said)


if __name__ == "__main__":
    main()
