"""The calls of one file while it is read, each joined with its answer, and what was lost.

A reader says what it finds in the order of the file: `call`, `answer`, `orphan` for an answer to no
call, `noise` for a line that is not an event, `broken` and `unusable` for losses. `finish` reports
what is only known at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from groundtrace.base.jsonl import RawLine
from groundtrace.base.visible import plural
from groundtrace.model import Problem
from groundtrace.problems import ProblemKind
from groundtrace.traces.kit.fit import fit
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.source import RawCall, Source

S = TypeVar("S", bound=msgspec.Struct)


class Log:
    """What one file says, so far."""

    def __init__(self, source: Source, keep: Keep) -> None:
        self.source = source
        self.keep = keep
        self.by_id: dict[str, RawCall] = {}
        """Calls by id. The last one counts if the file uses an id again."""
        self.lines = 0
        self.noisy = 0
        self.first_noise: int | None = None
        self.orphans = 0
        self.first_orphan: int | None = None

    # --- calls ---

    def call(
        self,
        name: str,
        arguments: dict[str, Any],
        call_id: str | None = None,
        server: str | None = None,
        made_at: float | None = None,
        position: int | None = None,
        cwd: str | None = None,
        step_id: str | None = None,
    ) -> RawCall:
        """Add a call. `position` is known from the ledger, unless tokens are counted later."""
        source = self.source
        if position is None:
            position = source.ledger.position
        call = RawCall(
            name,
            self.keep.arguments(arguments),
            call_id=call_id,
            step_id=step_id,
            server=server,
            made_at=made_at,
            position=position,
            cwd=cwd,
        )
        if server is not None:
            source.mcp_servers.setdefault(server)
        source.calls.append(call)
        if call_id:
            self.by_id[call_id] = call
        return call

    def answer(
        self,
        call: RawCall,
        text: str,
        failed: bool = False,
        data: Any = None,
        path: str | None = None,
    ) -> None:
        """Give a call its answer, as far as memory allows; `path` is the file that holds all of it."""
        call.result, call.result_cut = self.keep.result(text, data, failed, path)
        self.source.cut_results += call.result_cut

    def orphan(self, line: int | None) -> None:
        """Note an answer to no call of the file."""
        self.orphans += 1
        self.first_orphan = self.first_orphan or line

    def unusable(self, reason: str, *, line: int | None = None, place: str | None = None) -> None:
        """Note a call that is lost: its name or its arguments cannot be used."""
        self.source.problem("wrong_type", reason, line=line, place=place, lost_calls=1)

    # --- lines ---

    def noise(self, line: int) -> None:
        """Note a line that is not an event."""
        self.noisy += 1
        self.first_noise = self.first_noise or line

    def broken(self, raw: RawLine, reason: str, lost_calls: int) -> None:
        """Note a line that does not decode; what could be read of it was read."""
        kind: ProblemKind = "broken_line" if raw.ended else "truncated_line"
        said = f"line cannot be decoded ({reason})"
        self.source.problem(kind, said, line=raw.number, lost_calls=max(0, lost_calls))

    # --- elements of a list ---

    def fitted(
        self,
        items: Iterable[Any],
        what: str,
        kind: type[S],
        fitting: Callable[[dict[str, Any]], S] | None = None,
        lost: Callable[[], None] | None = None,
    ) -> Iterator[tuple[int, S]]:
        """The elements of the file's list of `what`s as a type, with their numbers.

        An element may be of the type already, a decoded object, or the problem of one that could
        not be read; `lost` is called after such a problem.
        """
        for number, item in enumerate(items):
            if isinstance(item, kind):
                yield number, item
            elif isinstance(item, dict):
                yield number, fit(item, kind) if fitting is None else fitting(item)
            elif isinstance(item, Problem):
                self.source.problems.append(item)
                self.source.ledger.interrupt()
                if lost is not None:
                    lost()
            else:
                a = "an" if what[0] in "aeiou" else "a"
                reason = f"{a} {what} is {type(item).__name__}, not an object"
                self.source.problem("wrong_type", reason, place=f"$.{what}s[{number}]")

    # --- end ---

    def finish(self, *, has_lines: bool = True) -> None:
        """Report lines that are no events, answers to no call, and answers that were cut."""
        if has_lines:
            self.source.report_lines(self.lines, self.noisy, self.first_noise)
        if self.orphans:
            what = plural(self.orphans, "result answers", "results answer")
            reason = f"{what} no call of the file"
            self.source.problem("orphan_results", reason, line=self.first_orphan)
        self.source.report_cut_results()
