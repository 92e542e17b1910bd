"""The calls of one ATIF step, with their results.

They are not joined by `kit/log`: ids are only unique within a step, and a step may copy earlier calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from groundtrace.base.cut_json import CutText, read_cut, scan
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, as_text
from groundtrace.problems import ProblemKind
from groundtrace.traces.atif.dialect import CallRepair
from groundtrace.traces.atif.records import Step
from groundtrace.traces.claude_code.records import says_failure
from groundtrace.traces.kit import screens
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep, whole_lines
from groundtrace.traces.kit.stored_output import shown_part
from groundtrace.traces.source import RawCall, Source

TRIM_MARK = "...[truncated]..."
"""End of the previews in trimmed trajectories."""


class StepCall(msgspec.Struct):
    """A call, and what its result refers to."""

    call: RawCall
    references: tuple[Any, ...] = ()
    """`subagent_trajectory_ref` entries."""


class _Observed(msgspec.Struct):
    call_id: str | None
    content: Any
    extra: Mapping[str, Any]
    references: tuple[Any, ...]
    cut: bool = False


class StepReader:
    """Reads steps in order."""

    def __init__(
        self,
        source: Source,
        keep: Keep,
        file: str,
        repair: CallRepair | None,
    ) -> None:
        self.source = source
        self.keep = keep
        self.file = file
        self.repair = repair
        """Repair of the harness's dialect; None if the harness writes calls correctly."""
        self.counts: Counter[str] = Counter()

    def notes(self) -> list[str]:
        """What was repaired, for the evidence."""
        if not self.counts["repaired"]:
            return []
        return [f"{self.counts['repaired']} calls' arguments taken from the message"]

    def calls(self, step: Step, index: int) -> Iterator[StepCall]:
        """The calls of a step, each with its result."""
        place = f"$.steps[{index}]"
        if step.source == "corpus_builder":
            self._problem("trimmed_steps", "steps were removed from the file here", place)
        raw = self._raw_calls(step, place)
        if not raw:
            answered = as_mapping(step.observation).get("results")
            if step.tool_calls is None and isinstance(answered, list):
                named = sum(bool(as_mapping(item).get("source_call_id")) for item in answered)
                if named:
                    reason = "results of calls that the step does not hold"
                    self._problem("orphan_results", reason, f"{place}.observation", lost=named)
            return
        observed = self._observed(step, place)
        built = [self._build(item, step, f"{place}.tool_calls[{n}]") for n, item in enumerate(raw)]
        answers = _join([call.call_id if call else None for call in built], observed)
        single = len(built) == 1
        shared = sum(answer is not None for answer in answers) == 1
        for call, answer in zip(built, answers, strict=True):
            if call is None:
                continue
            if answer is not None:
                self._answer(call, answer, step, single=single)
                if screens.types(built) and call.result is not None:
                    screens.answered(built if shared else [call], call.result)
            if self.repair is not None:
                self._mend(call, step, self.repair, place)
            call.arguments = self.keep.arguments(call.arguments)
            yield StepCall(call, answer.references if answer is not None else ())

    # --- calls ---

    def _raw_calls(self, step: Step, place: str) -> list[Any]:
        calls = step.tool_calls
        if calls is None:
            return []
        if isinstance(calls, list):
            return calls
        if isinstance(calls, dict):
            if "function_name" in calls:
                return [calls]
            preview = calls.get("preview")
            if isinstance(preview, str):
                return self._trimmed_calls(preview, place)
        kind = type(calls).__name__
        self._problem("wrong_type", f"tool_calls is {kind}", f"{place}.tool_calls", lost=1)
        return []

    def _trimmed_calls(self, preview: str, place: str) -> list[Any]:
        """Calls that a preview replaced: id, name and the arguments that are complete."""
        value = read_cut(preview.removesuffix(TRIM_MARK))
        found = []
        for item in as_items(value):
            if isinstance(item, dict) and isinstance(item.get("function_name"), str):
                whole = {
                    key: member
                    for key, member in as_mapping(item.get("arguments")).items()
                    if not isinstance(member, CutText)
                }
                found.append({**item, "arguments": whole})
        self._problem(
            "trimmed_call",
            (
                "tool_calls was replaced by a preview; only arguments that are complete in it "
                "are used"
            ),
            f"{place}.tool_calls",
            lost=0 if found else 1,
        )
        return found

    def _build(self, raw: Any, step: Step, place: str) -> RawCall | None:
        if not isinstance(raw, dict):
            self._problem("wrong_type", f"call is {type(raw).__name__}", place, lost=1)
            return None
        name = as_text(raw.get("function_name"))
        if name is None or isinstance(name, CutText):
            self._problem("wrong_type", "call without a function_name", place, lost=1)
            return None
        arguments = as_arguments(raw.get("arguments"))
        if arguments is None:
            kind = type(raw.get("arguments")).__name__
            self._problem("wrong_type", f"arguments is {kind}", f"{place}.arguments")
            arguments = {}
        step_id = step.step_id
        return RawCall(
            name,
            arguments,
            call_id=as_text(raw.get("tool_call_id")),
            step_id=str(step_id) if isinstance(step_id, int | str) else None,
            server=server_in_name(name),
        )

    def _mend(self, call: RawCall, step: Step, repair: CallRepair, place: str) -> None:
        """Undo what the harness does to arguments and tool names."""
        mended = repair.arguments(
            call.name,
            call.arguments,
            step.message if isinstance(step.message, str) else "",
            suspicious=not as_mapping(step.metrics) or not call.arguments,
            result_text="" if call.result is None else call.result.text,
        )
        call.arguments = mended.arguments
        self.counts["repaired"] += mended.repaired
        if mended.lost:
            self._problem(
                "arguments_lost",
                (
                    f"the arguments of {call.name} belong to another call, and the message does "
                    "not say what its own are"
                ),
                f"{place}.tool_calls",
            )
        if call.server is None:
            call.server = repair.server(call.name)

    # --- results ---

    def _observed(self, step: Step, place: str) -> list[_Observed]:
        observation = step.observation
        if observation is None:
            return []
        cut = False
        if isinstance(observation, dict) and isinstance(observation.get("preview"), str):
            text = observation["preview"].removesuffix(TRIM_MARK)
            observation, cut = read_cut(text), True
            self._problem(
                "trimmed_result",
                "observation was replaced by a preview; only what it shows is used",
                f"{place}.observation",
            )
        results = observation.get("results") if isinstance(observation, dict) else observation
        if isinstance(results, str):
            results = [{"content": results}]
        if not isinstance(results, list):
            if not cut:
                kind = type(results).__name__
                self._problem("wrong_type", f"results is {kind}", f"{place}.observation.results")
            return []
        return [item for raw in results if (item := self._one(raw, place, cut)) is not None]

    def _one(self, raw: Any, place: str, cut: bool) -> _Observed | None:
        if not isinstance(raw, dict):
            kind = type(raw).__name__
            self._problem("wrong_type", f"result is {kind}", f"{place}.observation.results")
            return None
        content = raw.get("content")
        references = raw.get("subagent_trajectory_ref")
        if references is None:
            references = []
        return _Observed(
            as_text(raw.get("source_call_id")),
            content,
            as_mapping(raw.get("extra")),
            tuple(references) if isinstance(references, list) else (references,),
            cut=cut and isinstance(content, CutText),
        )

    def _answer(self, call: RawCall, answer: _Observed, step: Step, *, single: bool) -> None:
        extra = as_mapping(step.extra)
        metadata = _metadata_for(call, answer.extra, extra, single=single)
        raw = as_mapping(metadata.get("raw_tool_result"))
        structured = metadata.get("tool_use_result")
        failed = raw.get("is_error") is True or answer.extra.get("is_error") is True
        failed = failed or (single and extra.get("tool_result_is_error") is True)
        content = content_text(answer.content)
        if "content" in raw:
            text = content_text(raw["content"])
        elif self.repair is not None:
            text, refused = self.repair.own_text(content, cut=answer.cut)
            failed = failed or refused
        else:
            text, structured, noted = _from_sections(content, structured)
            failed = failed or noted
        text, path = shown_part(text, structured)
        if answer.cut:
            text = whole_lines(text)
        failed = failed or says_failure(text, structured)
        data = structured if isinstance(structured, dict | list) else None
        call.result, over = self.keep.result(text, data, failed, path)
        call.result_cut = answer.cut or over
        self.source.cut_results += over

    def _problem(
        self, kind: ProblemKind, reason: str, place: str | None = None, *, lost: int = 0
    ) -> None:
        self.source.problem(kind, reason, place=place, lost_calls=lost, file=self.file)


def _from_sections(content: str, structured: Any) -> tuple[str, Any, bool]:
    sections = take_apart(content)
    if structured is None and sections.metadata is not None:
        structured = dict(sections.metadata)
        if sections.stdout is not None:
            structured.setdefault("stdout", sections.stdout)
        if sections.stderr is not None:
            structured.setdefault("stderr", sections.stderr)
    return sections.text, structured, sections.failed


def _metadata_for(
    call: RawCall, of_result: Mapping[str, Any], of_step: Mapping[str, Any], *, single: bool
) -> Mapping[str, Any]:
    """The record of the raw result that belongs to this call, from the result or from the step."""
    for holder, certain in ((of_result, True), (of_step, single)):
        for key in ("tool_result_metadata", "metadata"):
            metadata = as_mapping(holder.get(key))
            if not {"tool_use_result", "raw_tool_result"} & set(metadata):
                continue
            owner = as_mapping(metadata.get("raw_tool_result")).get("tool_use_id")
            if owner == call.call_id if isinstance(owner, str) else certain:
                return metadata
        if certain and "tool_use_result" in holder:
            return holder
    return {}


def _join(call_ids: list[str | None], observed: list[_Observed]) -> list[_Observed | None]:
    """A result for each call: by id within the step, then by position."""
    answers: list[_Observed | None] = [None] * len(call_ids)
    left: list[_Observed] = []
    for item in observed:
        slot = next(
            (
                n
                for n, call_id in enumerate(call_ids)
                if answers[n] is None and item.call_id is not None and call_id == item.call_id
            ),
            None,
        )
        if slot is None:
            left.append(item)
        else:
            answers[slot] = item
    open_slots = [n for n, answer in enumerate(answers) if answer is None]
    # A result that names another call does not answer this one.
    unnamed = [item for item in left if item.call_id is None]
    for slot, item in zip(open_slots, unnamed, strict=False):
        answers[slot] = item
    return answers


# --- text ---
# Taking Harbor's observation text apart.
#
# Harbor appends to a tool's output: a second copy of stdout, stderr, the structured result as JSON,
# and a note of failure. A file name in the metadata of a Write is not something the tool printed. So
# the tool's own output must be separated from what was added.

_METADATA = "[metadata] "
_ERROR = regex(r"(?:^|\n)\[error\][^\n]*\s*$")
_STDOUT = regex(r"(?:^|\n)\[stdout\]\n")
_STDERR = regex(r"(?:^|\n)\[stderr\]\n")


class Sections(msgspec.Struct, frozen=True):
    """The text of an observation, by origin."""

    text: str
    """The tool's own output."""
    metadata: dict[str, Any] | None = None
    """The structured result that was appended."""
    stdout: str | None = None
    stderr: str | None = None
    failed: bool = False
    """Whether the text ends with the note that the tool reported failure."""


def take_apart(content: str) -> Sections:
    """Separate the appended sections; a text without any is returned unchanged."""
    body = content
    failed = False
    # The patterns are slow when nothing matches; a search for plain text is fast.
    note = _ERROR.search(body, max(0, len(body) - 400)) if "[error]" in body[-400:] else None
    if note is not None:
        body, failed = body[: note.start()], True
    body, metadata = _cut_metadata(body)
    body, stdout, stderr = _cut_streams(body, appended=metadata is not None or failed)
    text = _unflatten(body.rstrip("\n"))
    if not text.strip() and stdout:
        text = stdout
    return Sections(text, metadata, stdout, stderr, failed)


def _cut_metadata(body: str) -> tuple[str, dict[str, Any] | None]:
    """The last `[metadata] {…}` that goes to the end of the text.

    Metadata repeats file contents, but escaped inside JSON strings. So no line in them can begin
    with the tag and be mistaken for it.
    """
    tag = f"{_METADATA}{{"
    place = body.rfind(tag)
    while place >= 0:
        if place == 0 or body[place - 1] == "\n":
            value, end = _scanned(body, place + len(_METADATA))
            if isinstance(value, dict) and not body[end:].strip():
                return body[: max(0, place - 1)], value
        place = body.rfind(tag, 0, place)
    return body, None


def _scanned(body: str, start: int) -> tuple[Any, int]:
    try:
        return scan(body, start)
    except (StopIteration, ValueError, RecursionError):
        return None, start


def _cut_streams(body: str, *, appended: bool) -> tuple[str, str | None, str | None]:
    """The second copy of stdout and stderr.

    Output with its own line `[stdout]` is left alone, unless what follows that line really is a
    copy of what comes before it.
    """
    if "[stdout]\n" not in body and "[stderr]\n" not in body:
        return body, None, None
    candidates = list(_STDOUT.finditer(body))
    for found in candidates:
        before, after = body[: found.start()], body[found.end() :]
        out, err = _split_stderr(after)
        if _is_copy(before, out, err):
            return before, out, err
    if not candidates and appended:
        for found in _STDERR.finditer(body):
            before, err = body[: found.start()], body[found.end() :]
            if (err.strip() and err.strip() in before) or not before.strip():
                return before, None, err
    return body, None, None


def _split_stderr(after: str) -> tuple[str, str | None]:
    found = list(_STDERR.finditer(after))
    if not found:
        return after, None
    return after[: found[-1].start()], after[found[-1].end() :]


def _is_copy(before: str, out: str, err: str | None) -> bool:
    shown = before.strip()
    if not shown:
        return True
    if out.strip() == shown:
        return True
    if err is not None:
        return shown.startswith(out.strip()) and err.strip() in shown
    # Claude cuts a long output, but the copy of stdout is complete.
    return bool(out.strip()) and (shown in out or out.strip() in shown)


def _unflatten(body: str) -> str:
    """The text of a list of text parts, which Harbor wrote as JSON objects one after another."""
    if not body.startswith('{"type": "'):
        return body
    texts: list[str] = []
    position = 0
    while position < len(body):
        try:
            value, position = scan(body, position)
        except (StopIteration, ValueError, RecursionError):
            return body
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return body
        if isinstance(value.get("text"), str):
            texts.append(value["text"])
        while position < len(body) and body[position].isspace():
            position += 1
    return "\n".join(texts) if texts else body
