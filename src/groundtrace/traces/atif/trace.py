"""One trajectory as a `Source`, with the trajectories that it refers to.

A result belongs to the call of the same step whose id it names. Trajectories of subagents and
continuations are followed only inside the trial's folder (D37).
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base import jsonio
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_amount, as_count, as_items, as_mapping, as_text
from groundtrace.model import Usage
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder, LocalFolder
from groundtrace.traces.atif.calls import StepCall, StepReader
from groundtrace.traces.atif.dialect import Dialect
from groundtrace.traces.atif.records import (
    LARGE,
    Damage,
    Loaded,
    Step,
    from_value,
    load,
    load_large,
)
from groundtrace.traces.claude_code.trace import SPAWNERS as TASKS
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import Ledger, TokenCounts
from groundtrace.traces.openhands.dialect import OPENHANDS
from groundtrace.traces.source import RawCall, Source

MAX_DEPTH = 16
"""How deep trajectories may refer to trajectories."""


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a trajectory and the trajectories that it refers to."""
    return Trajectory(folder, path, keep).read()


class Trajectory:
    """State of reading one trajectory and the trajectories that it refers to."""

    def __init__(self, folder: Folder, path: str, keep: Keep) -> None:
        # Files that a trace names must be below the trial's own folder, even through links (D37).
        self.folder = LocalFolder(folder.path) if isinstance(folder, LocalFolder) else folder
        self.trial = folder
        self.path = path
        # Harbor's trajectories leave out subagents and raw results, so they come last.
        self.source = Source(
            path, "trajectory", "atif", rank=3, omits_subagents=True, spawners=SPAWNERS
        )
        self.keep = keep
        self.visited: set[str] = set()
        self.seen: set[tuple[str | None, str, str]] = set()
        self.keyed = 0
        """How many of the source's calls are in `seen`. It is filled only when needed, because few
        trajectories copy context."""

    def read(self) -> Source:
        loaded = self._load(self.trial, self.path)
        if loaded is None:
            return self.source
        self.visited.add(self.path)
        source = self.source
        source.parsed = loaded.ok
        if loaded.reason:
            kind: ProblemKind = (
                "empty_file" if loaded.reason == "the file is empty" else "broken_trajectory"
            )
            source.problem(kind, loaded.reason)
        agent = as_mapping(loaded.agent)
        source.harness = harness_of(loaded) or None
        source.harness_version = as_text(agent.get("version"))
        source.model = as_text(agent.get("model_name"))
        cwds = as_mapping(agent.get("extra")).get("cwds")
        if isinstance(cwds, list) and cwds:
            source.cwd = as_text(cwds[0])
        self.trajectory(loaded, self.path, depth=0, subagent=False, spawned_by=None)
        source.report_cut_results()
        source.usage = self._usage(loaded)
        return source

    def _load(self, folder: Folder, path: str) -> Loaded | None:
        """A trajectory from its file; None, and a problem, if the file cannot be read."""
        try:
            entry = folder.stat(path)
            if entry is not None and entry.size > LARGE:
                with folder.open(path) as stream:
                    return load_large(stream)
            data = folder.read(path)
            return load_large(io.BytesIO(data)) if jsonio.is_heavy(data) else load(data)
        except OSError as error:
            self.source.problem("unreadable", str(error), file=path)
            return None

    # --- one trajectory ---

    def trajectory(
        self, loaded: Loaded, file: str, *, depth: int, subagent: bool, spawned_by: str | None
    ) -> None:
        embedded = _embedded(loaded.subagent_trajectories)
        used: set[str] = set()
        agent = as_mapping(loaded.agent)
        repair = dialect_of(loaded).repair
        reader = StepReader(self.source, self.keep, file, None if repair is None else repair(agent))
        tokens = StepTokens.for_trajectory(loaded, self.source.ledger, subagent=subagent)
        for index, step in enumerate(loaded.steps):
            if isinstance(step, Damage):
                self.source.problem(
                    step.kind,
                    step.reason,
                    place=step.place,
                    lost_calls=step.lost_calls,
                    file=file,
                )
                self.source.ledger.interrupt()
                continue
            self.source.saw(parse_time(step.timestamp))
            if self.source.model is None and not subagent:
                self.source.model = as_text(step.model_name)
            copied = step.is_copied_context is True
            if not copied:
                tokens.step(step)
            for item in reader.calls(step, index):
                if not self._is_new(item.call, copied):
                    continue
                self._add(item, step, subagent=subagent, spawned_by=spawned_by)
                for reference in item.references:
                    self._follow(
                        reference, embedded, used, file, depth, spawned_by=item.call.call_id
                    )
        self.source.notes += reader.notes()
        for key, value in embedded.items():
            if key not in used:
                self._enter(from_value(value), file, depth, subagent=True, spawned_by=None)
        if loaded.continued_trajectory_ref is not None:
            self._continue(loaded.continued_trajectory_ref, file, depth, subagent, spawned_by)

    def _is_new(self, call: RawCall, copied: bool) -> bool:
        """Whether the call is new, and not a copy in the context that a step repeats."""
        if not copied:
            return True
        for earlier in self.source.calls[self.keyed :]:
            self.seen.add(_key(earlier))
        self.keyed = len(self.source.calls)
        return _key(call) not in self.seen

    def _add(self, item: StepCall, step: Step, *, subagent: bool, spawned_by: str | None) -> None:
        call = item.call
        extra = as_mapping(step.extra)
        call.is_subagent = subagent or extra.get("is_sidechain") is True
        call.spawned_by = spawned_by
        call.cwd = as_text(extra.get("cwd")) or call.cwd
        call.made_at = parse_time(step.timestamp)
        call.position = self.source.ledger.position
        if call.server is not None:
            self.source.mcp_servers.setdefault(call.server)
        self.source.calls.append(call)

    # --- references ---

    def _follow(
        self,
        reference: Any,
        embedded: Mapping[str, Any],
        used: set[str],
        file: str,
        depth: int,
        *,
        spawned_by: str | None,
    ) -> None:
        """Read a subagent's trajectory, inside this file or next to it."""
        if isinstance(reference, str):
            reference = {"trajectory_path": reference}
        reference = as_mapping(reference)
        for key in ("trajectory_id", "session_id"):
            name = as_text(reference.get(key))
            if name is not None and name in embedded:
                if name not in used:
                    used.add(name)
                    self._enter(
                        from_value(embedded[name]),
                        file,
                        depth,
                        subagent=True,
                        spawned_by=spawned_by,
                    )
                return
        path = as_text(reference.get("trajectory_path"))
        if path is None:
            self.source.problem(
                "reference_missing",
                "a subagent's trajectory is named but does not exist",
                file=file,
            )
            return
        self._open(path, file, depth, subagent=True, spawned_by=spawned_by)

    def _continue(
        self, reference: Any, file: str, depth: int, subagent: bool, spawned_by: str | None
    ) -> None:
        if isinstance(reference, dict):
            reference = reference.get("trajectory_path") or reference.get("path")
        path = as_text(reference)
        if path is None:
            self.source.problem("wrong_type", "continued_trajectory_ref is not a path", file=file)
            return
        self._open(path, file, depth, subagent=subagent, spawned_by=spawned_by)

    def _open(
        self, path: str, file: str, depth: int, *, subagent: bool, spawned_by: str | None
    ) -> None:
        target = inside(path, file)
        if target is None:
            self.source.problem(
                "reference_escapes", f"{path} is outside the trial's folder; not read", file=file
            )
            return
        if target in self.visited:
            return
        if not self.folder.has_file(target):
            self.source.problem(
                "reference_missing", f"{path} is named but does not exist", file=file
            )
            return
        self.visited.add(target)
        loaded = self._load(self.folder, target)
        if loaded is None:
            return
        if loaded.reason:
            self.source.problem("broken_trajectory", loaded.reason, file=target)
        self._enter(loaded, target, depth, subagent=subagent, spawned_by=spawned_by)

    def _enter(
        self, loaded: Loaded, file: str, depth: int, *, subagent: bool, spawned_by: str | None
    ) -> None:
        if depth >= MAX_DEPTH:
            self.source.problem(
                "reference_missing", "trajectories are nested too deeply", file=file
            )
            return
        self.trajectory(loaded, file, depth=depth + 1, subagent=subagent, spawned_by=spawned_by)

    # --- totals ---

    def _usage(self, loaded: Loaded) -> Usage:
        """Totals that the file states; output tokens that sum placeholders are left out."""
        final = as_mapping(loaded.final_metrics)
        cost = as_amount(final.get("total_cost_usd"))
        output = None
        if not dialect_of(loaded).output_is_placeholder:
            output = as_count(final.get("total_completion_tokens"))
        prompt = as_count(final.get("total_prompt_tokens"))
        return Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "final_metrics",
            input_tokens=self.source.ledger.main_input(),
            total_tokens=prompt + output if prompt is not None and output is not None else None,
            cost_usd=cost,
            cost_source=None if cost is None else "final_metrics.total_cost_usd",
        )


def _key(call: RawCall) -> tuple[str | None, str, str]:
    """Equal for copies of one call."""
    return call.call_id, call.name, repr(sorted(call.arguments.items(), key=str))[:2000]


def _embedded(value: Any) -> dict[str, Any]:
    """Trajectories inside the file, by id; those without an id by session."""
    result: dict[str, Any] = {}
    for number, item in enumerate(as_items(value)):
        item_map = as_mapping(item)
        key = as_text(item_map.get("trajectory_id")) or as_text(item_map.get("session_id"))
        result[key or f"#{number}"] = item
    return result


def inside(path: str, file: str) -> str | None:
    """The path that `file` refers to, relative to the trial's folder; None if it is outside."""
    if path.startswith(("/", "\\")) or "\0" in path or ":" in path.split("/", 1)[0]:
        return None
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
    return None if joined == ".." or joined.startswith("../") else joined


# --- tokens ---

_COLLAPSED = ("ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2")
"""Versions with one step per content block, for every harness."""


class StepTokens(msgspec.Struct):
    """Writes the usage of steps into the ledger of the source."""

    ledger: Ledger
    subagent: bool
    collapse: bool
    """Whether each content block is a step with the usage of the whole message. Steps in a row with
    equal usage then are one model call; there is no message id that shows it."""
    add_creation: bool
    """Whether `prompt_tokens` lacks cache creation: 14,003 where the prompt was 33,630."""
    usage_once_an_answer: bool
    """Whether a step without usage is a further call of the same model answer, not a gap."""
    last: tuple[int, int, int] | None = field(default=None)
    model_call: object = None
    """Key of the model call that the last step belongs to."""

    @classmethod
    def for_trajectory(cls, loaded: Loaded, ledger: Ledger, *, subagent: bool) -> StepTokens:
        dialect = dialect_of(loaded)
        version = as_text(loaded.schema_version) or ""
        steps = [step for step in loaded.steps if isinstance(step, Step)]
        return cls(
            ledger,
            subagent,
            collapse=dialect.repeats_usage or version in _COLLAPSED,
            add_creation=any(_leaves_creation_out(step.metrics) for step in steps),
            usage_once_an_answer=dialect.usage_once_an_answer,
        )

    def step(self, step: Step) -> None:
        """Account for one step."""
        if step.source == "corpus_builder":
            # A placeholder for steps that were removed: their usage is unknown.
            self.ledger.interrupt()
            self.last = None
            return
        if step.source in ("user", "system"):
            self.last = None
            return
        if step.llm_call_count == 0 and step.llm_call_count is not False:
            return
        metrics = as_mapping(step.metrics)
        prompt = as_count(metrics.get("prompt_tokens"))
        if prompt is None:
            if not self.usage_once_an_answer and step.tool_calls:
                self.ledger.interrupt()
            return
        extra = as_mapping(metrics.get("extra"))
        created = as_count(extra.get("cache_creation_input_tokens")) or 0
        cached = as_count(metrics.get("cached_tokens")) or 0
        key = (prompt, cached, created)
        if not (self.collapse and key == self.last):
            self.model_call = object()
        self.last = key
        counts = TokenCounts(
            prompt + (created if self.add_creation else 0),
            as_count(metrics.get("completion_tokens")) or 0,
        )
        self.ledger.add(self.model_call, counts, subagent=self._is_subagent(step))

    def _is_subagent(self, step: Step) -> bool:
        return self.subagent or as_mapping(step.extra).get("is_sidechain") is True


def _leaves_creation_out(metrics: Any) -> bool:
    """Whether a prompt is smaller than its cached and created parts, so it cannot include both."""
    metrics = as_mapping(metrics)
    prompt = as_count(metrics.get("prompt_tokens"))
    created = as_count(as_mapping(metrics.get("extra")).get("cache_creation_input_tokens"))
    cached = as_count(metrics.get("cached_tokens")) or 0
    return prompt is not None and created is not None and prompt < cached + created


# --- dialects ---

CLAUDE_CODE = Dialect(
    harness="claude-code",
    tools=frozenset({"Bash", "Read", "Grep", "Glob", "Write", "Edit", *TASKS}),
    spawners=TASKS,
    repeats_usage=True,
    output_is_placeholder=True,
)
"""What is special in Claude Code's trajectories (D9)."""
DIALECTS: tuple[Dialect, ...] = (OPENHANDS, CLAUDE_CODE)
"""Harnesses whose trajectories need special treatment."""

PLAIN = Dialect()

SPAWNERS = frozenset[str]().union(*(dialect.spawners for dialect in DIALECTS))
"""Tools that start a subagent, of every dialect: the harness's name may be lost by damage."""


def harness_of(loaded: Loaded) -> str:
    """The harness's name in lower case; if damaged, known by its tools; empty if unknown."""
    name = as_text(as_mapping(loaded.agent).get("name"))
    if name is not None:
        return name.lower()
    tools = {
        call.get("function_name")
        for step in loaded.steps
        if isinstance(step, Step) and isinstance(step.tool_calls, list)
        for call in step.tool_calls
        if isinstance(call, dict) and isinstance(call.get("function_name"), str)
    }
    return next((dialect.harness for dialect in DIALECTS if tools & dialect.tools), "")


def dialect_of(loaded: Loaded) -> Dialect:
    """The dialect of a trajectory; the default one if the harness is unknown."""
    name = harness_of(loaded)
    return next((dialect for dialect in DIALECTS if dialect.is_of(name)), PLAIN)
