"""Results of a remote search: `# repository – path`, then numbered lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundtrace.answers.sourcegraph_text import HEADER, LINE, text_blocks
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name
from groundtrace.shell.streams.part import Part
from groundtrace.shell.weights import BESIDE_REMOTE, HEADING, NUMBERED_LINE


class RemoteSearch(Part, kw_only=True, frozen=True):
    """Results of a remote search: `# repository – path`, then numbered lines."""

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        if HEADER.fullmatch(line) or line.startswith("## Query"):
            return HEADING
        return NUMBERED_LINE if not line or LINE.match(line) else BESIDE_REMOTE

    def obtained(self, lines: Sequence[str]) -> bool:
        return any(map(HEADER.fullmatch, lines))

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        spans: dict[tuple[str, str], list[int]] = {}
        for block in text_blocks("\n".join(lines)):
            if is_file_name(block.path):
                numbers = spans.setdefault((block.repo, block.path), [])
                numbers.extend(n for n in (block.start, block.end) if n is not None)
        for (repo, path), numbers in spans.items():
            if numbers:
                yield FileRef(path, "matched", repo, min(numbers), max(numbers), rule=self.rule)
            else:
                yield FileRef(path, "surfaced", repo, rule=self.rule)
