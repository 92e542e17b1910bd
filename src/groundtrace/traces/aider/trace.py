"""One session of aider as a `Source`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from groundtrace.base.times import parse_time
from groundtrace.model import ContextMark, Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.aider.records import (
    ADDED,
    ADDED_FOLDER,
    ALLOWED,
    CLEARED,
    COMMANDS,
    DROPPED,
    ECHO,
    EDITED,
    GIT,
    MODEL,
    NO_FILE,
    OFFERED,
    OLD_TOKENS,
    PATH,
    RAN,
    REMOVED,
    REPO_MAP,
    SESSION_COST,
    TOKENS,
    VERSION,
    Said,
    Session,
    dollars,
    exact,
    said_in,
    sessions_of,
)
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import Source

HARNESS = "aider"
ADD, EDIT, RUN = "aider_add", "aider_edit", "aider_run"
"""Names of what aider did: it has no tools, so these are the reader's words."""
_YES = ("", "y", "yes", "a", "all")


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The sessions of a history; one in which nobody said anything is not a trial."""
    with folder.open(path) as stream:
        found = list(sessions_of(stream))
    asked = [one for one in found if any(not said.is_notice for said in said_in(one.lines))]
    for session in found:
        alone = len(asked) == 1 and session is asked[0]
        source = Chat(path, Keep()).read(session)
        why = None if session in asked else "a chat of aider in which nothing was asked"
        yield Sample(None if alone else session.name, source.stated, why)


def read(folder: Folder, path: str, sample_id: str | None, keep: Keep) -> Source:
    """Read one session; without a name, all sessions of the file as one."""
    chat = Chat(path, keep)
    with folder.open(path) as stream:
        for session in sessions_of(stream):
            if sample_id is None or session.name == sample_id:
                chat.read(session)
    chat.log.finish(has_lines=False)
    if not chat.source.parsed:
        what = "no session" if sample_id is None else f"no session {sample_id!r}"
        chat.source.problem("unrecognised", f"{what} in the file")
    return chat.source


class Chat:
    """State of reading one session, or several as one."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", HARNESS, harness=HARNESS, is_main_log=True)
        self.log = Log(self.source, keep)
        self.subjects: list[str] = []
        """Notices that a question may be about."""
        self.cost: float | None = None
        """What this session cost so far."""
        self.earlier: float | None = None
        """What the sessions before it cost."""
        self.replies = 0
        self.in_chat: set[str] = set()
        self.allowed: list[str] = []
        """Files that the next model call sees, if there is one."""

    def read(self, session: Session) -> Source:
        """Read the lines of a session. Each begins without files and with its own costs."""
        source = self.source
        source.parsed = True
        source.saw(parse_time(session.started))
        self.subjects, self.in_chat, self.allowed = [], set(), []
        self.earlier, self.cost = self.total(), None
        for said in said_in(session.lines):
            if said.is_notice:
                self.notice(said.text)
            elif ECHO.match(said.text) is None:
                self.subjects = []
                self.asked(said)
        return self.finish()

    def total(self) -> float | None:
        """What all sessions cost, as far as they say."""
        known = [cost for cost in (self.earlier, self.cost) if cost is not None]
        return sum(known) if known else None

    def asked(self, said: Said) -> None:
        """Read a line of the user: the commands that run something."""
        command = None if said.goes_on else COMMANDS.match(said.text)
        if command is not None:
            words = command["command"]
            is_git = said.text.startswith(GIT)
            self.log.call(RUN, {"command": f"git {words}" if is_git else words})

    def notice(self, text: str) -> None:
        offered = OFFERED.match(text)
        if offered is not None:
            if offered["answer"].casefold() in _YES:
                self.agreed(offered["what"])
            self.subjects = []
        elif (added := ADDED.match(text)) is not None:
            self.added(added["path"])
        elif (edited := EDITED.match(text)) is not None:
            call = self.log.call(EDIT, {"path": edited["path"]})
            self.log.answer(call, text)
        elif (ran := RAN.match(text)) is not None:
            self.log.call(RUN, {"command": ran["command"]})
        elif (allowed := ALLOWED.match(text)) is not None:
            if allowed["answer"].casefold() in _YES:
                self.allowed += [allowed["path"]] if allowed["path"] else self.subjects[-1:]
            self.subjects = []
        elif text.startswith("Removed ") or DROPPED.match(text) or CLEARED.match(text):
            self.removed(text)
        elif not self.fact(text):
            self.subjects.append(text)
            del self.subjects[:-50]

    def agreed(self, what: str) -> None:
        """The user agreed to add the file, or the files, of the last notices, or a named one."""
        if what == "file":
            found = self.subjects[-1:]
        elif what == "these files":
            found = [*takewhile(PATH.fullmatch, reversed(self.subjects))][::-1]
        else:
            found = [] if NO_FILE.match(what) else [what]
        for path in found:
            self.added(path)

    def added(self, path: str) -> None:
        """A file was put before the model, whole; the history does not repeat its text."""
        if path in self.in_chat:
            return
        self.in_chat.add(path)
        call = self.log.call(ADD, {"path": path})
        self.log.answer(call, "", data={"file": {"filePath": path}})

    def removed(self, text: str) -> None:
        one = REMOVED.match(text)
        if one is not None:
            self.in_chat.discard(one["path"])
        elif DROPPED.match(text):
            self.in_chat.clear()
        if CLEARED.match(text) and self.source.calls:
            self.source.calls[-1].context_change = ContextMark("truncation", drops_all=False)

    def fact(self, text: str) -> bool:
        """Read a notice about the model, tokens or costs; returns whether it is one."""
        source = self.source
        spent = TOKENS.match(text) or OLD_TOKENS.match(text)
        if spent is not None:
            sent, received = exact(spent["sent"]), exact(spent["received"])
            known = sent is not None and received is not None
            counts = TokenCounts(sent or 0, received or 0) if known else None
            source.ledger.add(self.replies, counts)
            self.replies += 1
            self.spent(text)
            for path in self.allowed:
                self.added(path)
            self.allowed = []
            return True
        if (model := MODEL.match(text)) is not None:
            source.model = source.model or model["model"]
            return True
        if (version := VERSION.match(text)) is not None:
            source.harness_version = source.harness_version or version["version"]
            return True
        if REPO_MAP.match(text):
            self.note("the model also saw a map of the repository, whose files are not recorded")
            return True
        if ADDED_FOLDER.match(text):
            self.note("a whole folder was added to the chat, whose files are not recorded")
            return True
        return False

    def note(self, text: str) -> None:
        if text not in self.source.notes:
            self.source.notes.append(text)

    def spent(self, text: str) -> None:
        """Take the cost: the session's last total, else the sum of older notices."""
        total = SESSION_COST.search(text)
        old = OLD_TOKENS.match(text)
        if total is not None:
            self.cost = dollars(total["cost"])
        elif old is not None and old["cost"] is not None:
            self.cost = (self.cost or 0.0) + (dollars(old["cost"]) or 0.0)

    def finish(self) -> Source:
        source, cost = self.source, self.total()
        paid = None if cost is None else "notices of costs"
        source.usage = source.totals("notices of tokens", cost_usd=cost, cost_source=paid)
        source.stated = Stated(
            model=source.model,
            harness=HARNESS,
            harness_version=source.harness_version,
            cost_usd=cost,
            cost_source=source.usage.cost_source,
        )
        return source
