"""One trajectory of SWE-agent as a source of calls.

The shell and the open file stay the same from step to step. A step's `state` gives both: before its
action in 0.x, where it is JSON in a string, and after the action in 1.x, where it is an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.model import Problem, Usage
from groundtrace.storage import Folder
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.moves import folder_after, may_move
from groundtrace.traces.source import Source
from groundtrace.traces.swe_agent.actions import NOT_RUN, answer_of, read_action
from groundtrace.traces.swe_agent.records import Loaded, Said, Step, load, model_of, stated_of


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a trajectory, whole or damaged."""
    loaded = load(folder, path)
    trajectory = Trajectory(path, keep, loaded.said())
    trajectory.steps(loaded.items)
    return trajectory.finish(loaded, model_of(folder))


class Trajectory:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep, said: Iterable[Said]) -> None:
        self.source = Source(path, "transcript", "swe-agent", harness="swe-agent", is_main_log=True)
        self.source.ledger.interrupt()  # tokens are known only for the whole run
        self.log = Log(self.source, keep)
        self.ids = _ids(said)
        self.cwd: str | None = None
        """Directory before the next step, if known."""
        self.open_file: str | None = None
        self.seen = 0

    def steps(self, steps: Iterable[Step | Problem]) -> None:
        for number, step in enumerate(steps):
            if isinstance(step, Problem):
                self.source.problems.append(step)
                self.cwd = self.open_file = None  # the lost step may have changed both
                continue
            self.seen += 1
            self.step(step, number)

    def step(self, step: Step, number: int) -> None:
        place = f"$.trajectory[{number}]"
        action = step.action
        if action is not None and not isinstance(action, str):
            self.log.unusable("an action is not text", place=place)
            action = None
        state, before = _state_of(step.state)
        if before:
            self.enter(state)
        elif self.cwd is None and not may_move(action or ""):
            self.cwd = as_text(state.get("working_dir"))  # the step does not change it
        if self.source.cwd is None and number == 0:
            self.source.cwd = self.cwd
        if action is not None and action.strip() and action.strip() not in NOT_RUN:
            self.call(action, step.observation, number)
        if not before:
            self.enter(state)

    def enter(self, state: Mapping[str, Any]) -> None:
        """Take the directory and the open file from a state, if it has them."""
        self.cwd = as_text(state.get("working_dir")) or self.cwd
        if "open_file" in state:
            name = as_text(state.get("open_file"))
            self.open_file = None if name == "n/a" else name

    def call(self, action: str, observation: Any, number: int) -> None:
        asked = read_action(action, self.open_file)
        ids = self.ids.get(action.strip())
        call = self.log.call(
            asked.name,
            asked.arguments,
            ids.pop(0) if ids else None,
            cwd=folder_after(asked.before, self.cwd),
            step_id=str(number),
        )
        if isinstance(observation, str):
            text, failed = answer_of(asked.name, observation)
            self.log.answer(call, text, failed)
        elif observation is not None:
            place = f"$.trajectory[{number}]"
            self.source.problem("wrong_type", "an observation is not text", place=place)

    def finish(self, loaded: Loaded, run_model: str | None) -> Source:
        source = self.source
        source.problems += loaded.problems
        source.parsed = self.seen > 0
        if not self.seen and not source.problems:
            source.problem("empty_file", "a trajectory without steps")
        stated = stated_of(loaded.root)
        source.stated = stated if stated.model is not None else replace(stated, model=run_model)
        source.model = source.stated.model
        if loaded.other_attempts:
            source.notes.append(f"{loaded.other_attempts} other attempts in the file are not read")
        source.harness_version = source.stated.harness_version
        source.usage = _totals(loaded.root, source)
        self.log.finish(has_lines=False)
        return source


def _state_of(state: Any) -> tuple[Mapping[str, Any], bool]:
    """A state, and whether it is from before the action."""
    if isinstance(state, str):
        return as_mapping(jsonio.loads_text(state)), True
    return as_mapping(state), False


def _totals(root: Mapping[str, Any], source: Source) -> Usage:
    """Tokens of the whole run; unknown if the run counted no model call."""
    stats = as_mapping(as_mapping(root.get("info")).get("model_stats"))
    calls = as_count(stats.get("api_calls"))
    counted = bool(calls)
    output = as_count(stats.get("tokens_received")) if counted else None
    return Usage(
        output_tokens=output or None,
        output_tokens_source="info.model_stats.tokens_received" if output else None,
        input_tokens=(as_count(stats.get("tokens_sent")) or None) if counted else None,
        cost_usd=source.stated.cost_usd,
        cost_source=source.stated.cost_source,
        model_calls=calls or None,
    )


def _ids(said: Iterable[Said]) -> dict[str, list[str]]:
    """Ids of the model's function calls, by the command line that each became, in order.

    A demonstration in the history was not executed. If the history was pruned, calls have no id.
    """
    ids: dict[str, list[str]] = {}
    for item in said:
        if item.is_demo or item.message_type == "demonstration":
            continue
        calls = item.tool_calls if isinstance(item.tool_calls, list) else []
        first = as_text(as_mapping(calls[0]).get("id")) if len(calls) == 1 else None
        if first is not None and isinstance(item.action, str):
            ids.setdefault(item.action.strip(), []).append(first)
    return ids
