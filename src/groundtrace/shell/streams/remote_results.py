"""Results of a remote search: `# repository – path`, then numbered lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundtrace.answers.fold import fold
from groundtrace.answers.numbered import COLON as LINE
from groundtrace.answers.sourcegraph_text import HEADER, text_blocks
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
        blocks = text_blocks("\n".join(lines))
        shown = (line for block in blocks if is_file_name(block.path) for line in block.lines(None))
        return fold(shown, self.rule)
