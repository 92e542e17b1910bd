"""The generated session: calls of an agent, with answers as long as those of real trials.

Half of the calls are shell commands; the others read, search and edit. Lengths of answers are
log-normal: the median is 450 characters, the mean about 1,500, the longest 30,000; 878 real answers
of Claude Code have 441, 1,569 and 25,194. Texts look like code, matches of a search and logs of
tests; no line is made to repeat. A seventh of all characters is in answers with letters beyond
ASCII, which take longer to decode, as in real traces. Each call depends only on its number, so that
a short session is the start of a long one.
"""

from __future__ import annotations

import base64
import hashlib
import math
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

from benchmarks.traces import THINKING
from groundtrace.demo.recorder import iso

Kind = Literal["shell", "read", "search", "edit"]
MIX: dict[Kind, int] = {"shell": 50, "read": 22, "search": 16, "edit": 12}
"""How many of a hundred calls are of each kind."""
MEDIAN, SPREAD, LONGEST = 450, 1.6, 30_000
"""Characters of answers: median, spread of the logarithm, most."""
FOREIGN = 4
"""One of so many calls has letters beyond ASCII."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it, without their whole parts, are spread evenly between 0 and 1."""
STARTED = 1777888800.0
ROOT = "/workspace/harbour"
MODEL = "tern-small-1"

_WORDS = (
    *("anchor", "beam", "cargo", "derrick", "eddy", "fender", "gauge", "hawser", "inlet", "jetty"),
    *("keel", "lock", "mooring", "notch", "oar", "pilot", "quay", "rudder", "shoal", "tide"),
    *("upstream", "vessel", "winch", "yard", "buffer", "cursor", "digest", "encoder", "filter"),
    *("handler", "index", "journal", "kernel", "lease", "merge", "node", "offset", "parser"),
    *("queue", "router", "schema", "token", "update", "value", "window", "cache", "batch"),
)
_FOREIGN = ("größe", "naïve", "→", "café", "—", "“quoted”", "東京", "é", "…")
_FOLDERS = ("src/core", "src/api", "internal/store", "pkg/net", "cmd", "tests/unit", "docs")
_ENDINGS = (".py", ".go", ".ts", ".rs", ".md")


@dataclass(frozen=True, slots=True)
class Call:
    """One call and its answer, in the words that all harnesses share."""

    number: int
    kind: Kind
    path: str
    """The file that is read or edited."""
    folder: str
    """The folder that is searched, or in which a command runs."""
    pattern: str
    first: int
    """Number of the first line that is shown."""
    old: str
    new: str
    command: str
    """What a shell runs for it; every kind has one, for harnesses that have only a shell."""
    output: str
    thought: str
    signature: str
    """Sealed reasoning, which only the harness reads."""

    @property
    def asked(self) -> float:
        """When the call was made, in seconds since the epoch."""
        return STARTED + 9.25 * self.number

    @property
    def answered(self) -> float:
        """When it was answered."""
        return self.asked + 1.375

    @property
    def lines(self) -> int:
        """Lines of the answer."""
        return self.output.count("\n") + 1

    @property
    def plain(self) -> str:
        """The answer without line numbers."""
        return "\n".join(line.partition("\t")[2] for line in self.output.split("\n"))

    @property
    def about(self) -> str:
        """What the call is for, as models describe it."""
        return f"Look at {self.pattern} in {self.folder}"

    def identifier(self, prefix: str) -> str:
        """An id of 24 characters that no other call has."""
        return f"{prefix}{_digest(self.number, prefix)[:24]}"

    def uuid(self, what: str) -> str:
        """A UUID that no other call has."""
        return str(uuid.UUID(_digest(self.number, what)[:32]))


@dataclass(frozen=True, slots=True)
class Session:
    """A session of some calls."""

    calls: tuple[Call, ...]
    name: str = field(default=str(uuid.UUID("5e5510" + "0" * 26)))
    system: str = field(default_factory=lambda: prose(random.Random("system"), 900))
    prompt: str = field(default_factory=lambda: prose(random.Random("prompt"), 400))

    @property
    def ended(self) -> float:
        """When the last call was answered."""
        return self.calls[-1].answered


def made(calls: int) -> Session:
    """The session of so many calls."""
    return Session(tuple(_call(number) for number in range(calls)))


def when(seconds: float) -> str:
    """A time as JavaScript writes it."""
    return iso(seconds)


def naive(seconds: float) -> str:
    """A time as Python writes it without a zone."""
    return (
        datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(" ").replace(" ", "T")
    )


def prose(chance: random.Random, words: int) -> str:
    """Words of a thought or a prompt."""
    text = " ".join(chance.choices((*_WORDS, "the", "of", "is", "and", "where", "let me"), k=words))
    return text.capitalize() + "."


def _digest(number: int, what: str) -> str:
    return hashlib.sha256(f"{number}/{what}".encode()).hexdigest()


@lru_cache(maxsize=4096)
def _call(number: int) -> Call:
    chance = random.Random(f"call {number}")
    kind = chance.choices(tuple(MIX), tuple(MIX.values()))[0]
    # Evenly spread: of a hundred lengths drawn by chance, the mean was 2 kB.
    drawn = NormalDist(math.log(MEDIAN), SPREAD).inv_cdf((number + 0.5) * GOLDEN % 1)
    length = min(LONGEST, round(math.exp(drawn)))
    folder = f"{ROOT}/{chance.choice(_FOLDERS)}"
    path = f"{folder}/{_name(chance)}{chance.choice(_ENDINGS)}"
    pattern, first = _name(chance), chance.randrange(1, 900)
    line = _FORMS[kind](chance, path, first)
    if number % FOREIGN:
        line = _in_ascii(line)
    old, new = (_texts(chance, chance.randrange(60, 600), _in_ascii(code)) for _ in range(2))
    made_up = _texts(chance, length, line)
    output = f"File updated: {path}\n{made_up}" if kind == "edit" else made_up
    sealed = chance.randbytes(chance.randrange(*THINKING) * 3 // 4)
    return Call(
        number=number,
        kind=kind,
        path=path,
        folder=folder,
        pattern=pattern,
        first=first,
        old=old,
        new=new,
        command=_COMMANDS[kind](chance, path, folder, pattern, first, new),
        output=output,
        thought=prose(chance, chance.randrange(15, 80)),
        signature=base64.b64encode(sealed).decode(),
    )


# --- texts ----------------------------------------------------------------------------------

_Line = Callable[[random.Random], str]


def _texts(chance: random.Random, length: int, line: _Line) -> str:
    """Lines of so many characters, at least one."""
    lines = [line(chance)]
    size = len(lines[0])
    while size < length:
        lines.append(line(chance))
        size += len(lines[-1]) + 1
    return "\n".join(lines)


def _in_ascii(line: _Line) -> _Line:
    """The same lines, with ? for letters beyond ASCII."""

    def plain(chance: random.Random) -> str:
        text = line(chance)
        return text if text.isascii() else text.encode("ascii", "replace").decode()

    return plain


def _name(chance: random.Random) -> str:
    return "_".join(chance.sample(_WORDS, 2)) + str(chance.randrange(100))


def code(chance: random.Random) -> str:
    """A line of code, with quotes, backslashes, tabs and a few letters beyond ASCII."""
    a, b, c = chance.choices(_WORDS, k=3)
    number = chance.randrange(10_000)
    word = chance.choice(_FOREIGN) if chance.random() < 0.05 else b
    indent = chance.choice(("", "    ", "        ", "\t", "\t\t"))
    return indent + chance.choice(
        (
            f'def {a}_{b}{number}({c}: int, *, {word}_limit: str = "{c}") -> dict[str, {a}]:',
            f"{a} := new{b.title()}({c}, {number})",
            f'log.warn("{a} of %s waits for {word} {number}\\n", {c}.{b}())',
            f"if {a}.{b}[{number}] != '{c}': raise ValueError(f\"{{{a}}}: {word}\")",
            f"return {a}.{b}({c}, {number}), nil",
            f"# {a} keeps the {word} until {c} {number} is full",
            f"}} // {a}{number}",
        )
    )


def _numbered(_: random.Random, __: str, first: int) -> _Line:
    numbers = iter(range(first, first + LONGEST))
    return lambda chance: f"{next(numbers):6}\t{code(chance)}"


def _matches(_: random.Random, __: str, ___: int) -> _Line:
    def line(chance: random.Random) -> str:
        folder, ending = chance.choice(_FOLDERS), chance.choice(_ENDINGS)
        return f"{folder}/{_name(chance)}{ending}:{chance.randrange(1, 2000)}:{code(chance)}"

    return line


def _log(_: random.Random, __: str, ___: int) -> _Line:
    def line(chance: random.Random) -> str:
        name = f"tests/unit/test_{_name(chance)}.py::test_{_name(chance)}"
        ending = chance.choice(("PASSED", "PASSED", "FAILED", f"in 0.{chance.randrange(99):02}s"))
        return chance.choice((f"{name} {ending}", f"E   {code(chance)}", code(chance)))

    return line


def _printed(chance: random.Random, path: str, first: int) -> _Line:
    """What a command prints: matches, a log or code."""
    form = chance.choice((_matches, _log, lambda *_: code))
    return form(chance, path, first)


_FORMS: dict[Kind, Callable[[random.Random, str, int], _Line]] = {
    "shell": _printed,
    "read": _numbered,
    "search": _matches,
    "edit": _numbered,
}


def _shell(chance: random.Random, path: str, folder: str, pattern: str, *_: object) -> str:
    return chance.choice(
        (
            f'cd {ROOT} && grep -rn "{pattern}" {folder} --include="*.py" | head -40',
            f"cat {path} | sed -n '1,120p'",
            f"cd {ROOT} && python -m pytest tests/unit -q -k {pattern} 2>&1 | tail -60",
            f'find {folder} -type f -name "*{pattern}*" -not -path "*/node_modules/*"',
            f"cd {ROOT}\nls -la {folder}\ngit log --oneline -20 -- {path}",
        )
    )


_COMMANDS: dict[Kind, Callable[..., str]] = {
    "shell": _shell,
    "read": lambda _, path, __, ___, first, ____: f"sed -n '{first},{first + 80}p' {path}",
    "search": lambda _, __, folder, pattern, ___, ____: f'rg -n "{pattern}" {folder}',
    "edit": lambda _, path, __, ___, ____, new: f"cat >> {path} <<'EOF'\n{new}\nEOF",
}
