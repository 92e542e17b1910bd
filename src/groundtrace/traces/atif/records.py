"""A trajectory and its steps as types, from bytes that may be damaged or too many."""

from __future__ import annotations

import re
from typing import Any, BinaryIO

import msgspec
from msgspec import field

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping
from groundtrace.problems import ProblemKind
from groundtrace.traces.kit.fit import NOT_FITTING, fit
from groundtrace.traces.kit.lists import Elements
from groundtrace.traces.kit.salvage import intact_objects, string_after, to_text

MAX_STEPS = 200_000
"""Most steps of one trajectory; the longest real one seen has some hundreds. 60 MB of empty steps
took 3 GB of memory."""


class Step(msgspec.Struct):
    """One step of a trajectory; members may have any type."""

    step_id: Any = None
    timestamp: Any = None
    source: Any = None
    model_name: Any = None
    message: Any = None
    tool_calls: Any = None
    observation: Any = None
    metrics: Any = None
    is_copied_context: Any = None
    llm_call_count: Any = None
    extra: Any = None


class Around(msgspec.Struct):
    """What a trajectory states beside its steps."""

    schema_version: Any = None
    trajectory_id: Any = None
    agent: Any = None
    final_metrics: Any = None
    continued_trajectory_ref: Any = None
    subagent_trajectories: Any = None


class Root(Around):
    """A trajectory whose steps are all objects, as in nearly all trajectories."""

    steps: list[Step] | None = None


STEP_SIGNS = frozenset({"step_id", "source", "tool_calls", "observation", "message"})
"""An object with two of these members is a step."""


class Damage(msgspec.Struct):
    """A place where steps were lost."""

    place: str
    reason: str
    lost_calls: int = 0
    kind: ProblemKind = "damaged_step"


class Loaded(Around):
    """What could be decoded of a trajectory."""

    steps: list[Step | Damage] = field(default_factory=list)
    ok: bool = False
    """Whether this is a trajectory."""
    reason: str = ""
    """Why it could not be decoded as a whole, or is not a trajectory."""


def from_value(value: Any) -> Loaded:
    """A decoded value of any type as a trajectory."""
    if not isinstance(value, dict):
        return Loaded(reason=f"{type(value).__name__} where a trajectory is expected")
    steps = value.get("steps")
    reason = ""
    if not isinstance(steps, list):
        reason = f"steps is {type(steps).__name__}, not a list"
        # If the key is damaged, the list of steps is under another name.
        steps = next((item for item in value.values() if _are_steps(item)), None)
    around: dict[str, Any] = {name: value.get(name) for name in Around.__struct_fields__}
    loaded = Loaded(**around, reason=reason)
    if not isinstance(steps, list):
        return loaded
    loaded.ok = True
    for index, step in enumerate(steps):
        if index >= MAX_STEPS:
            loaded.steps.append(too_many(len(steps) - index))
            break
        if isinstance(step, dict):
            loaded.steps.append(fit(step, Step))
        else:
            place = f"$.steps[{index}]"
            loaded.steps.append(Damage(place, f"step is {type(step).__name__}, not an object"))
    return loaded


def from_root(root: Root) -> Loaded:
    """A trajectory that was decoded as a whole."""
    steps: list[Step | Damage] = [*(root.steps or ())[:MAX_STEPS]]
    if root.steps is not None and len(root.steps) > MAX_STEPS:
        steps.append(too_many(len(root.steps) - MAX_STEPS))
    around: dict[str, Any] = {name: getattr(root, name) for name in Around.__struct_fields__}
    return Loaded(**around, steps=steps, ok=True)


def too_many(lost_calls: int) -> Damage:
    """Says that the steps beyond the limit are not read."""
    reason = f"more than {MAX_STEPS:,} steps; the others are not read"
    return Damage(f"$.steps[{MAX_STEPS}]", reason, lost_calls, "too_many")


def _are_steps(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and len(STEP_SIGNS & item.keys()) >= 2 for item in value)
    )


# --- damaged trajectories: every intact step; from a damaged step, every intact call and result ---

_AGENT_NAME = regex(r'"agent"\s*:\s*\{\s*"name"\s*:\s*"([^"\\]+)"')
_CALL = regex(r'"function_name"\s*:')


def salvage_trajectory(text: str, reason: str) -> Loaded:
    """Every intact step; from a damaged step, every intact call and result."""
    if not text.strip("\ufeff \t\r\n"):
        return Loaded(reason="the file is empty")
    loaded = Loaded(reason=f"broken JSON ({reason})")
    loaded.schema_version = string_after(text[:4096], "schema_version")
    named = _AGENT_NAME.search(text)
    loose = _Loose()
    embedded: list[Any] = []
    gap_start = 0
    for piece in intact_objects(text):
        value = piece.value
        if len(STEP_SIGNS & value.keys()) >= 2:
            loose.flush(loaded, text[gap_start : piece.start])
            loaded.steps.append(fit(value, Step))
            gap_start = piece.end
        elif isinstance(value.get("steps"), list):
            if not text[: piece.start].strip("\ufeff \t\r\n"):
                # The only damage was a control character inside a string.
                whole = from_value(value)
                whole.reason = loaded.reason
                return whole
            embedded.append(value)
        elif not loose.take(value) and loaded.agent is None and {"name", "version"} <= value.keys():
            loaded.agent = value
    loose.flush(loaded, text[gap_start:])
    if loaded.agent is None and named is not None:
        loaded.agent = {"name": named.group(1)}
    loaded.subagent_trajectories = embedded
    loaded.ok = any(isinstance(step, Step) for step in loaded.steps)
    return loaded


class _Loose:
    """Intact parts of a step that is itself damaged."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.results: list[Any] = []
        self.metrics: Any = None
        self.extra: Any = None

    def take(self, value: dict[str, Any]) -> bool:
        if "function_name" in value and "arguments" in value:
            self.calls.append(value)
        elif "source_call_id" in value and "content" in value:
            self.results.append(value)
        elif isinstance(value.get("results"), list):
            self.results += value["results"]
        elif "prompt_tokens" in value:
            self.metrics = value
        elif "is_sidechain" in value or "tool_use_name" in value:
            self.extra = value
        else:
            return False
        return True

    def flush(self, loaded: Loaded, gap: str) -> None:
        """Close the damaged step, if there was one in the gap before the next intact step."""
        mentioned = len(_CALL.findall(gap))
        if mentioned or self.calls or self.results or _has_step(gap):
            lost = max(0, mentioned - len(self.calls))
            damage = Damage(f"$.steps[{len(loaded.steps)}]", "step is damaged", lost)
            loaded.steps.append(damage)
            if self.calls:
                loaded.steps.append(self._step(gap))
        self.__init__()  # type: ignore[misc]

    def _step(self, gap: str) -> Step:
        number = re.search(r'"step_id"\s*:\s*(\d{1,9})\b', gap)
        return Step(
            step_id=None if number is None else int(number.group(1)),
            timestamp=string_after(gap, "timestamp"),
            source=string_after(gap, "source") or "agent",
            message=string_after(gap, "message"),
            tool_calls=self.calls,
            observation={"results": self.results} if self.results else None,
            metrics=self.metrics,
            extra=self.extra,
        )


def _has_step(gap: str) -> bool:
    return re.search(r'"(?:step_id|source)"\s*:', gap) is not None


# --- from bytes to steps ---

_decoder = msgspec.json.Decoder(Root)


def load(data: bytes) -> Loaded:
    """Decode a trajectory; never raises."""
    try:
        root = _decoder.decode(data)
        if root.steps is not None:
            return from_root(root)
    except NOT_FITTING:
        pass
    try:
        value = jsonio.loads(data)
    except jsonio.BadJsonError as error:
        reason = str(error) if error.line is None else f"{error} at line {error.line}"
        return salvage_trajectory(to_text(data), reason)
    return from_value(value)


# --- trajectories too large to decode as a whole, read step by step ---
# Decoding needs several times a file's size in memory. For a file over `LARGE` bytes the steps are
# found one after another in the stream, and only what the reader needs of each step is kept.

LARGE = 48 * 1024 * 1024
MAX_STEP = 64 * 1024 * 1024
CHUNK = 1 << 20
BUDGET = 64 * 1024 * 1024
"""Bytes of text kept with steps; after that each step keeps only the start of its texts."""
LONG, SHORT = 65_536, 512
"""Characters kept of one text: before the budget is used up, and after."""

_STEPS = regex(rb'"steps"\s*:\s*\[')
_CALL_BYTES = regex(rb'"function_name"\s*:')


def load_large(stream: BinaryIO) -> Loaded:
    """The trajectory in a stream, with long texts cut; never raises because of its content."""
    head = bytearray()
    while (found := _STEPS.search(head)) is None:
        chunk = stream.read(CHUNK)
        if not chunk or len(head) > MAX_STEP:
            return Loaded(reason="no list of steps was found")
        head += chunk
    after = bytes(head[found.end() :])
    scanner = Elements(stream, after, _CALL_BYTES, chunk=CHUNK, longest=MAX_STEP)
    steps: list[Step | Damage] = []
    keeper = _Keeper()
    for number, element in enumerate(scanner.elements()):
        if number >= MAX_STEPS:
            return _stopped(bytes(head[: found.end()]), steps, element, scanner)
        steps.append(keeper.step(element, number, scanner.lost))
    # The file without its steps is small and is read in the normal way.
    loaded = load(bytes(head[: found.end()]) + b"]" + scanner.rest())
    loaded.ok = True
    loaded.steps = steps
    reasons = [loaded.reason, f"{keeper.cut} long texts were shortened" if keeper.cut else ""]
    if not scanner.closed:
        reasons.append("the file ends inside a step")
        steps.append(Damage(f"$.steps[{len(steps)}]", "step is cut off", scanner.lost_calls()))
    loaded.reason = "; ".join(reason for reason in reasons if reason)
    return loaded


def _stopped(head: bytes, steps: list[Step | Damage], element: bytes, scanner: Elements) -> Loaded:
    """A trajectory with too many steps: those that were read, and how many calls follow."""
    lost = len(_CALL_BYTES.findall(element)) + len(
        _CALL_BYTES.findall(scanner.data, scanner.position)
    )
    while chunk := scanner.stream.read(CHUNK):
        lost += len(_CALL_BYTES.findall(chunk))
    loaded = load(head + b"]}")
    loaded.ok = True
    loaded.steps = [*steps, too_many(max(lost, 1))]
    return loaded


class _Keeper:
    """Keeps what the reader needs of each step."""

    def __init__(self) -> None:
        self.used = 0
        self.cut = 0

    def step(self, data: bytes, number: int, lost: int) -> Step | Damage:
        """The step in `data`. `data` is empty for a step that was too long; it had `lost` calls."""
        place = f"$.steps[{number}]"
        if not data:
            return Damage(place, f"step of more than {MAX_STEP:,} bytes was not decoded", lost)
        try:
            value = jsonio.loads(data)
        except jsonio.BadJsonError as error:
            lost = len(_CALL_BYTES.findall(data))
            return Damage(place, f"step cannot be decoded ({error})", lost)
        if not isinstance(value, dict):
            return Damage(place, f"step is {type(value).__name__}, not an object")
        step = fit(value, Step)
        step.message = self.shorten(step.message)
        step.tool_calls = self.shorten(step.tool_calls)
        step.observation = self.shorten(step.observation)
        step.extra = self.shorten(as_mapping(step.extra) or None)
        return step

    def shorten(self, value: Any) -> Any:
        """The value with long strings cut at the end of a line."""
        if isinstance(value, str):
            limit = LONG if self.used < BUDGET else SHORT
            if len(value) > limit:
                self.cut += 1
                value = value[: value.rfind("\n", 0, limit) + 1] or value[:limit]
            self.used += len(value)
            return value
        if isinstance(value, dict):
            return {key: self.shorten(item) for key, item in value.items() if key != "metadata"}
        if isinstance(value, list):
            return [self.shorten(item) for item in value]
        return value
