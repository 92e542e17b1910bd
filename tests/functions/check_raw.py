"""Needed functions shown, held against the raw logs of the study, without groundtrace's reading of them.

`python -m tests.functions.check_raw RESULTS STUDY [TRIALS]`: RESULTS were made from STUDY with its
`repos`. A telling line of a needed function, which its file has once and the agent did not write, says
that the function was shown if an answer has it, and that it was not if none has it. What remains to be
read by hand is printed: answers of tests and tracebacks show lines that do not count, and an edit
repeats the lines that it replaces.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.functions import ast_oracle

SHORTEST = 20
"""Characters of a line that tells one place of a file."""


def answers(log: Any) -> tuple[str, str]:
    """What the agent wrote and what it was answered, of either agent's log."""
    if isinstance(log, Mapping) and "messages" in log:
        own = [m for m in log["messages"] if m["role"] == "assistant"]
        seen = [m for m in log["messages"][2:] if m["role"] == "user"]
        return "\n".join(_texts(own)), "\n".join(_texts(seen))
    calls = [one for one in log["trajectory"] if one["type"] == "tool_call"]
    own = [call["arguments"] for call in calls]
    return "\n".join(_texts(own)), "\n".join(_texts([call["result"] for call in calls]))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def telling(source: bytes, function: ast_oracle.Function) -> list[str]:
    """Lines of a function that its file has once."""
    lines = [line.strip() for line in source.decode("utf-8", errors="replace").split("\n")]
    count = Counter(lines)
    own = lines[function.first - 1 : function.last]
    return [line for line in own if len(line) >= SHORTEST and count[line] == 1]


def main() -> None:
    """Print what differs, and the counts."""
    results, study = map(Path, sys.argv[1:3])
    most = int(sys.argv[3]) if sys.argv[3:] else None
    tasks = {row["instance_id"]: row for row in map(json.loads, (study / "verified.jsonl").open())}
    said: Counter[tuple[str, str]] = Counter()
    for agent in sorted(path.parent.name for path in study.glob("*/trajs")):
        files = {p.name: p for p in results.rglob("*.retrieval_events.json") if agent in p.parts}
        chosen = sorted(files)
        for name in random.Random(0).sample(chosen, most) if most else chosen:
            task = name.removesuffix(".retrieval_events.json")
            folder = study / agent / "trajs"
            raw = [*folder.glob(f"{task}/*.traj.json"), *folder.glob(f"{task}.json")]
            for kind in _compared(json.loads(files[name].read_bytes()), raw[0], tasks[task], study):
                said[agent, kind.partition(":")[0]] += 1
                if ":" in kind:
                    print(agent, task, kind)
    print(dict(said))


def _compared(events: Any, raw: Path, row: Any, study: Path) -> Iterator[str]:
    own, seen = answers(json.loads(raw.read_bytes()))
    shown = {
        (at["file"], at["line_start"])
        for event in events["events"]
        for access in event.get("accesses", [])
        for at in (events["functions"]["listed"][n] for n in access.get("functions", []))
    }
    repository = study / "repos" / f"{row['repo'].replace('/', '__')}.git"
    for needed in events["ground_truth"].get("functions", []):
        source = ast_oracle.text_at(repository, row["base_commit"], needed["file"]) or b""
        for function in ast_oracle.functions_of(source):
            if function.first == needed["line_start"]:
                lines = [line for line in telling(source, function) if line not in own]
                stated = (needed["file"], function.first) in shown
                found = [line for line in lines if line in seen]
                if not lines:
                    yield "no telling line"
                elif stated == bool(found):
                    yield "equal"
                else:
                    way = "shown, no line seen" if stated else "not shown, lines seen"
                    yield f"{way}: {needed['function']} {found[:1]}"


if __name__ == "__main__":
    main()
