"""OpenTelemetry exports, and how they are recognised.

Where they lie: wherever a file exporter writes them: `traces.jsonl` of a collector, the file that
Gemini CLI's `telemetry.outfile` names.

Their shape: OTLP in JSON, one export per line or one document
(`resourceSpans[].scopeSpans[].spans[]`, `resourceLogs[].scopeLogs[].logRecords[]`), or one span per
line. By the conventions for GenAI, a span of operation `execute_tool` is a call, `chat` a model
call, `invoke_agent` an agent. Results are there only if their content was captured.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsSamples

_START = regex(rb"(?:\xef\xbb\xbf)?\s*+[\[{]")
_EXPORT = regex(
    rb'"(?:resource(?:Spans|_spans|Logs|_logs)|(?:scope|instrumentationLibrary)Spans)"\s*:'
)
_SPAN = regex(rb'"(?:traceId|trace_id|_spanContext|hrTime)"\s*:')
_GENAI = regex(
    rb'"(?:gen_ai\.|claude_code\.|codex\.|gemini_cli\.|qwen-code\.|ai\.toolCall|openinference\.span'
    rb"|traceloop\.span|mlflow\.span|gcp\.vertex\.agent)"
)


class OtelReader(ReadsSamples):
    """Reader of OpenTelemetry exports."""

    name = "otel"
    patterns: tuple[str, ...] = ("agent/otel*.json", "agent/otel*.jsonl")

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the lists of an export, or by members of a span; and by names of the conventions."""
        head = probe.head
        if not _START.match(head):
            return None
        is_export = b"resource" in head and _EXPORT.search(head) is not None
        if not is_export and not (b'"attributes"' in head and _SPAN.search(head)):
            return None
        if _GENAI.search(head):
            what = "an OpenTelemetry export" if is_export else "OpenTelemetry spans"
            return Recognised("marker", f"{what} with GenAI's names")
        return None
