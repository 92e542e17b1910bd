"""Which original lines of a file an access showed, found by the text of results (D129).

A document's `line_changes` say how lines moved if an edit shows its place. Many edits do not:
`sed -i '/name/a\\ text'`, a script, `patch`, `git stash`. The text of results shows more:

- a file that git put back has its original lines again (`git checkout FILE`);
- a diff against what git holds numbers the old lines itself;
- text that is shown again is the same lines, wherever they are now. What is not among the lines
  known so far must be the agent's own writing, else nothing is claimed. Where the repository is at
  hand (`--repos`), all lines of the file are known (D218).

Only files for which `line_changes` do not suffice are looked at; most trials have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import UNSET, structs

from groundtrace.answers.numbered import EXACT, EXACT_SIGNS
from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.documents.events import Access, Event, LineRange
from groundtrace.documents.line_map import LineMap, LineRun, joined, runs_shown, size
from groundtrace.events.accesses import Accesses
from groundtrace.events.same_text import ENOUGH, OwnText, WholeText, agreement, place
from groundtrace.model import CallView, FileRef, ToolCall

_SHOWN = frozenset(["read", "matched"])
_GIT = regex(r"git(?!\w)")
"""The word with which the next ones begin, so that `github.com` in a text calls none of them."""
_MOVES_ALL = regex(
    r"\bgit\b[^\n;|&]{0,200}?\s(?:stash(?!\s+(?:list|show|drop))|reset\s+--(?:hard|merge|keep)|merge|rebase|pull"
    r"|cherry-pick|revert|am|switch|checkout\s+(?:-f\s+|--\s+)?(?:\.|:/)(?=\s|$)"
    r"|restore\s+(?:\S+\s+)*?(?:\.|:/)(?=\s|$))"
)
"""Commands that change files which they do not name."""
_COMMITS = regex(
    r"\bgit\b[^\n;|&]{0,200}?\s(?:commit|merge|rebase|pull|cherry-pick|revert|am|reset|switch)\b"
)
"""After these the last commit is another one than the task's."""
_STAGES = regex(r"\bgit\b[^\n;|&]{0,200}?\s(?:add|rm|mv|update-index|apply\s+--index)\b")
"""After these the index holds other contents than the last commit."""


class _Git(Frozen, frozen=True):
    """What git commands did before a call and in it."""

    committed: bool = False
    staged: bool = False
    moved: bool = False
    """This very call changed files without naming them."""


class _Item(Frozen, frozen=True):
    """One access in the order of the trial."""

    step: int
    position: int
    access: Access
    ref: FileRef | None
    """The reference that it was made of; None where several were."""


BaseText = Callable[[Access], WholeText | None]
"""The lines of an access's file at the base commit; None if they are not known."""


def with_base_lines(
    events: Sequence[Event],
    calls: Sequence[ToolCall],
    views: Sequence[CallView],
    made: Accesses,
    base: BaseText | None = None,
) -> list[Event]:
    """The events with `base_lines` on the accesses that need them."""
    placed: frozenset[str] = _SHOWN if base is not None else frozenset({"read"})
    by_file = _by_file(events, views, made, placed)
    # Commands of git only add to these, so they are read if there are any.
    open_files = [items for items in by_file.values() if _needs(items, placed, moves=True)]
    if not open_files:
        return list(events)
    words = [_words(call) for call in calls]
    git = list(_git(words))
    moves = any(one.moved for one in git)
    found: dict[tuple[int, int], list[LineRange] | None] = {}
    for items in open_files:
        if moves or _needs(items, placed, moves=False):
            text = None if base is None else base(items[0].access)
            found.update(_File(items, words, git, text).base_lines())
    if not found:
        return list(events)
    return [_with(event, found) for event in events]


def _with(event: Event, found: Mapping[tuple[int, int], list[LineRange] | None]) -> Event:
    accesses = [] if event.accesses is UNSET else event.accesses
    completed = [
        structs.replace(access, base_lines=found[event.step_index, position])
        if (event.step_index, position) in found
        else access
        for position, access in enumerate(accesses)
    ]
    return structs.replace(event, accesses=completed) if accesses else event


def _by_file(
    events: Sequence[Event], views: Sequence[CallView], made: Accesses, placed: frozenset[str]
) -> dict[str, list[_Item]]:
    """The accesses of files that were written, or shown without lines."""
    wanted: set[str] = set()
    for event in events:
        for access in event.accesses or ():
            if access.kind == "written" or (access.kind in placed and runs_shown(access) is None):
                wanted.add(access.file)
    for view in views:
        for ref in view.refs:
            if ref.old_side == "revision" and (key := made.key(ref)) is not None:
                wanted.add(key[0])
    out: dict[str, list[_Item]] = {}
    if not wanted:
        return out
    for event, view in zip(events, views, strict=True):
        if event.accesses is UNSET or wanted.isdisjoint([a.file for a in event.accesses]):
            continue
        sources: dict[tuple[object, ...], list[FileRef]] = {}
        for ref in view.refs:
            sources.setdefault(made.key(ref) or (), []).append(ref)
        for position, access in enumerate(event.accesses):
            refs = sources.get((access.file, access.kind, (access.line_start, access.line_end)), [])
            only = refs[0] if len(refs) == 1 else None
            if access.file in wanted:
                out.setdefault(access.file, []).append(
                    _Item(event.step_index, position, access, only)
                )
    return out


def _needs(items: Sequence[_Item], kinds: frozenset[str], *, moves: bool) -> bool:
    """Whether `line_changes` leave anything open: something is shown, and not all its lines are known."""
    if not any(item.access.kind in _SHOWN for item in items):
        return False
    written = False
    for access, ref in ((item.access, item.ref) for item in items):
        if access.kind == "written":
            written = True
            placed = access.line_changes is not UNSET or access.line_shift == 0
            if not placed or (ref is not None and ref.restored):
                return True
        elif (access.kind in kinds and runs_shown(access) is None) or (
            ref is not None and ref.old_lines is not None and (written or _of_revision(ref))
        ):
            return True
    return written and moves


def _words(call: ToolCall) -> str:
    """Everything that the agent wrote in a call's arguments."""
    return "\n".join(_texts(call.arguments))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _git(words: Sequence[str]) -> Iterator[_Git]:
    committed = staged = False
    for text in words:
        has_git = "git" in text and _GIT.search(text) is not None
        # `git add -A && git diff --cached` compares with the last commit still.
        staged = staged or (has_git and _STAGES.search(text) is not None)
        committed = committed or (has_git and _COMMITS.search(text) is not None)
        yield _Git(committed, staged, has_git and _MOVES_ALL.search(text) is not None)


class _File:
    """One file of a trial, followed from its first access to the last."""

    def __init__(
        self,
        items: Sequence[_Item],
        words: Sequence[str],
        git: Sequence[_Git],
        base: WholeText | None,
    ) -> None:
        self._items = items
        self._git = git
        self._own = OwnText(words)
        self._text: dict[int, str] = {} if base is None else base.known
        """Original lines of the file, as far as results or the repository show them."""
        self._given = self._whole = base is not None
        """These are all lines of the file."""
        self._index = base
        self._rewritten = False
        """Unknown lines were changed, so what is shown now may not be the original text."""

    def base_lines(self) -> dict[tuple[int, int], list[LineRange] | None]:
        """What documents must say in addition to `line_changes`, by step and position."""
        followed = list(self._followed())
        hunks = self._hunks([item for item, *_ in followed])
        out: dict[tuple[int, int], list[LineRange] | None] = {}
        for item, runs, plain, edited in followed:
            if _of_revision(item.ref):
                runs = hunks.get((item.step, item.position))
            elif runs is None and item.access.other_revision is not True:
                runs = self._placed(item, edited)
            if runs != plain:
                ranges = [LineRange(line_start=a, line_end=b) for a, b in runs or ()]
                out[item.step, item.position] = None if runs is None else ranges
        return out

    def _followed(self) -> Iterator[tuple[_Item, list[LineRun] | None, list[LineRun] | None, int]]:
        """Each access that shows the file: its first lines as this module and as the metrics know
        them, and how many calls may have put their words into the file by then; 0 if none changed
        it."""
        own, plain = LineMap(), LineMap()
        edited = 0
        checked = -1
        for item in self._items:
            if edited and any(one.moved for one in self._git[checked + 1 : item.step + 1]):
                own = LineMap.unknown()
            checked = item.step
            access, ref = item.access, item.ref
            if access.kind == "written":
                edited = item.step + 1
                plain = _after(plain, access)
                self._rewritten = self._rewritten or access.line_changes is UNSET
                git = self._git[item.step]
                if ref is not None and ref.restored:
                    changed = git.committed or git.staged
                    own = LineMap.unknown() if changed else LineMap()
                    self._rewritten = changed
                else:
                    own = _after(own, access)
            elif access.kind in _SHOWN:
                runs = self._old_side(item)
                runs = _taken_back(access, own) if runs is None else runs
                if own.known and (ref is None or ref.old_lines is None):
                    self._learn(item, own)
                yield item, runs, _taken_back(access, plain), edited and max(edited, item.step)

    def _old_side(self, item: _Item) -> list[LineRun] | None:
        ref, git = item.ref, self._git[item.step]
        if ref is None or ref.old_lines is None or git.committed:
            return None
        if ref.old_side == "revision" or (ref.old_side == "index" and git.staged):
            return None
        first, last = ref.old_lines
        return [(first, last)] if last >= first else []

    def _learn(self, item: _Item, lines: LineMap) -> None:
        runs, text = runs_shown(item.access), _contents(item)
        if self._given or not runs or text is None or self._rewritten or size(runs) != len(text):
            return
        numbers = (number for first, last in runs for number in range(first, last + 1))
        for number, line in zip(numbers, text, strict=True):
            for old in lines.originals(number):
                self._text.setdefault(old, line)
        self._whole = self._whole or (item.ref is not None and item.ref.whole)

    def _placed(self, item: _Item, edited: int) -> list[LineRun] | None:
        text = _contents(item)
        if text is None or (item.access.kind != "read" and not self._given):
            return None
        own = self._own.until(edited) if edited else None
        if self._whole:
            self._index = self._index or WholeText(self._text)
            numbers = self._index.numbers(text, own)
        else:
            numbers = place(text, self._text, own)
        return None if numbers is None else joined((number, number) for number in numbers)

    def _hunks(self, items: Sequence[_Item]) -> dict[tuple[int, int], list[LineRun]]:
        """Hunks of a diff between revisions, where one side is the file as it was at the start.

        Known lines that a side agrees with, and none that it does not, say which side that is. Where
        two hunks are where the diff says, so are the others of that diff.
        """
        out: dict[tuple[int, int], list[LineRun]] = {}
        calls: dict[int, list[_Item]] = {}
        for item in items:
            if _of_revision(item.ref):
                calls.setdefault(item.step, []).append(item)
        for group in calls.values():
            for sign in "-+":
                sides = [(item, *_side(item, sign)) for item in group]
                agree = [agreement(text, self._text, first) for _, first, text in sides]
                if None in agree or sum(agree) < ENOUGH:  # type: ignore[arg-type]
                    continue
                sure = sum(count >= ENOUGH for count in agree if count is not None) > 1
                for (item, first, text), count in zip(sides, agree, strict=True):
                    if sure or (count or 0) >= ENOUGH:
                        last = first + len(text) - 1
                        out[item.step, item.position] = [(first, last)] if text else []
                break
        return out


def _of_revision(ref: FileRef | None) -> bool:
    return ref is not None and ref.old_side == "revision"


def _side(item: _Item, sign: str) -> tuple[int, list[str]]:
    """First line and text of one side of a hunk."""
    ref = item.ref
    if ref is None or ref.old_lines is None or ref.printed is None:
        return 1, []
    text = [line[1:] for line in ref.printed if line[:1] in (" ", "", sign)]
    return (ref.old_lines[0] if sign == "-" else ref.line_start or 1), text


def _after(lines: LineMap, access: Access) -> LineMap:
    changes, shift = access.line_changes, access.line_shift
    lines.write([] if changes is UNSET else changes, None if shift is UNSET else shift)
    return lines


def _taken_back(access: Access, lines: LineMap) -> list[LineRun] | None:
    runs = runs_shown(access)
    if runs is None or not lines.known:
        return None
    return joined(r for run in joined(runs) for r in lines.old(run))


def _contents(item: _Item) -> list[str] | None:
    """The lines that an access shows, without numbers; None if the result does not tell."""
    printed = None if item.ref is None else item.ref.printed
    if printed is None:
        return None
    lines = printed.split("\n") if isinstance(printed, str) else list(printed)
    runs = runs_shown(item.access)
    if runs is None:
        return lines
    wanted = [number for first, last in runs for number in range(first, last + 1)]
    last = wanted[-1] if wanted else 0
    text = printed if isinstance(printed, str) else "\n".join(printed)
    if not any(f"{last}{sign}" in text for sign in EXACT_SIGNS):
        found = {}  # as in most outputs; to match every line took a fiftieth of `normalize`
    else:
        found = {int(m[1]): m[2] for m in map(EXACT.match, lines) if m is not None}
    if all(number in found for number in wanted):
        return [found[number] for number in wanted]
    return lines if len(lines) == len(wanted) else None
