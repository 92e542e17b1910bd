"""Scripts of code mode: the calls that a script spells out, and which of its texts is whose output.

    const r = await tools.exec_command({"cmd": "sed -n 1,20p a.py", "workdir": "/w"});
    text(r.output);

Nothing is executed. A call counts if its arguments are literal and it certainly runs once; a text
that the script prints belongs to a call if it is that call's output and nothing else (D202). A
script with loops or built strings is not static, and its calls stay unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty
from groundtrace.traces.codex.records import Output, read_output
from groundtrace.traces.kit.frames import SHORTENED

MAX_SCRIPT = 400_000
"""A longer script is not read."""


class NotStaticError(ValueError):
    """What a script does depends on more than its text."""


class ScriptCall(Frozen, frozen=True):
    """A call that a script makes."""

    name: str
    arguments: dict[str, Any]


class Printed(Frozen, frozen=True):
    """What one `text(…)` prints: outputs of calls with texts between them."""

    calls: tuple[int, ...]
    """The calls whose outputs these are, by their place in the script."""
    between: tuple[str, ...]
    """Text before, between and behind the outputs: one more than there are calls."""
    whole: bool = False
    """The whole result is printed as JSON, not only its output."""


class Script(Frozen, frozen=True):
    """A script that is static."""

    calls: tuple[ScriptCall, ...]
    texts: tuple[Printed, ...]
    """One for each item of the answer."""


_TOKEN = regex(
    r"(?P<space>(?:\s|//[^\n]*|/\*(?:(?!\*/).)*\*/)+)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>-?(?:0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?))"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"
    r"|(?P<sign>=>|\?\?|\?\.|\.\.\.|[-+=(){}\[\],;:.?!<>&|])",
    re.DOTALL,
)
_ESCAPE = regex(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_TYPE_OF_NAME = {"true": True, "false": False, "null": None, "undefined": None}
_PRINTERS = frozenset(["text", "print", "output"])


class _Token(Frozen, frozen=True):
    kind: str
    text: str


class _Call(Frozen, frozen=True):
    """A value that is the result of a call."""

    at: int


class _Output(Frozen, frozen=True):
    """A value that is the output of a call."""

    at: int


class _Joined(Frozen, frozen=True):
    """Texts and outputs, one behind the other."""

    pieces: tuple[Any, ...]


def read_script(source: str) -> Script:
    """The calls and texts of a script; NotStaticError if they depend on more than its text."""
    if len(source) > MAX_SCRIPT:
        raise NotStaticError("too large")
    reader = _Reader(_tokens(source))
    reader.statements()
    return Script(tuple(reader.calls), tuple(reader.texts))


def _tokens(source: str) -> list[_Token]:
    out: list[_Token] = []
    at = 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None:
            raise NotStaticError(f"unexpected {source[at]!r}")
        at = found.end()
        if found.lastgroup != "space":
            out.append(_Token(str(found.lastgroup), found[0]))
    return out


class _Reader:
    """Reads statements one after the other."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.calls: list[ScriptCall] = []
        self.texts: list[Printed] = []
        self.names: dict[str, Any] = {}
        self.depth = 0

    def _peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def _is(self, *texts: str) -> bool:
        return [token.text for token in self.tokens[self.at : self.at + len(texts)]] == list(texts)

    def _take(self, text: str) -> bool:
        if self._peek() == text:
            self.at += 1
            return True
        return False

    def _expect(self, *texts: str) -> None:
        for text in texts:
            if not self._take(text):
                raise NotStaticError(f"{text} is missing before {self._peek()!r}")

    def _name(self) -> str:
        token = self.tokens[self.at] if self.at < len(self.tokens) else _Token("", "")
        if token.kind != "name":
            raise NotStaticError(f"a name is missing before {token.text!r}")
        self.at += 1
        return token.text

    # --- statements -----------------------------------------------------------------------------

    def statements(self) -> None:
        while self.at < len(self.tokens):
            if not self._take(";"):
                self._statement()

    def _statement(self) -> None:
        if self._peek() in ("const", "let", "var"):
            self.at += 1
            self._bind()
        elif self._is("for", "(") and self._peek(2) in ("const", "let"):
            self._for()
        else:
            self._value()
        if self.at < len(self.tokens) and self._peek() in ("=", "?", "<", ">"):
            raise NotStaticError(f"unexpected {self._peek()!r}")

    def _bind(self) -> None:
        """`const a = …`, `const [a, b] = …`, `const {output} = …`."""
        while True:
            if self._take("["):
                names = self._listed("]")
                self._expect("=")
                values = self._value()
                if not isinstance(values, list) or len(values) < len(names):
                    raise NotStaticError("a list of unknown length")
                self.names.update(zip(names, values, strict=False))
            elif self._take("{"):
                names = self._listed("}")
                self._expect("=")
                value = self._value()
                if not isinstance(value, _Call) or names != ["output"]:
                    raise NotStaticError("members of an unknown value")
                self.names["output"] = _Output(value.at)
            else:
                name = self._name()
                self._expect("=")
                self.names[name] = self._value()
            if not self._take(","):
                return

    def _listed(self, end: str) -> list[str]:
        names: list[str] = []
        while not self._take(end):
            names.append(self._name())
            if not self._take(","):
                self._expect(end)
                return names
        return names

    def _for(self) -> None:
        """`for (const r of results) { text(r.output); }` over results that are known."""
        self._expect("for", "(")
        self.at += 1
        name = self._name()
        self._expect("of")
        values = self._value()
        self._expect(")")
        if not isinstance(values, list):
            raise NotStaticError("a loop over unknown values")
        start = self.at
        for value in values or [None]:
            self.at = start
            self.names[name] = value
            if not self._block():
                self._inside()

    def _block(self) -> bool:
        """The statements in braces that come next, if there are braces."""
        if not self._take("{"):
            return False
        while not self._take("}"):
            if self.at >= len(self.tokens):
                raise NotStaticError("} is missing")
            if not self._take(";"):
                self._inside()
        return True

    def _inside(self) -> None:
        """A statement of a loop: only texts, since a call in it would run several times."""
        before = len(self.calls)
        self._statement()
        if len(self.calls) != before:
            raise NotStaticError("a call in a loop")

    # --- values ---------------------------------------------------------------------------------

    def _value(self) -> Any:
        self.depth += 1
        if self.depth > 60:
            raise NotStaticError("nested too deeply")
        left = self._primary()
        while self._peek() == "+":
            self.at += 1
            left = _joined(left, self._primary())
        if self._peek() in ("?", "&", "|", "-", "<", ">", "??", "!"):
            if self._is("??") or self._is("|", "|"):
                self._skip_default(left)
            else:
                raise NotStaticError(f"unexpected {self._peek()!r}")
        self.depth -= 1
        return left

    def _skip_default(self, left: Any) -> None:
        """`r.output ?? ""`: the output is there."""
        self.at += 1 if self._is("??") else 2
        if not isinstance(left, _Output | _Call):
            raise NotStaticError("a value that depends on another")
        self._primary()

    def _primary(self) -> Any:
        token = self.tokens[self.at] if self.at < len(self.tokens) else _Token("", "")
        self.at += 1
        value: Any
        if token.kind == "string":
            value = self._string(token.text)
        elif token.kind == "number":
            value = _number(token.text)
        elif token.text == "await":
            return self._primary()
        elif token.text == "(":
            value = self._value()
            self._expect(")")
        elif token.text == "[":
            value = self._items("]")
        elif token.text == "{":
            value = self._object()
        elif token.kind == "name":
            value = self._named(token.text)
        else:
            raise NotStaticError(f"unexpected {token.text!r}")
        return self._members(value)

    def _items(self, end: str) -> list[Any]:
        out: list[Any] = []
        while not self._take(end):
            out.append(self._value())
            if not self._take(","):
                self._expect(end)
                break
        return out

    def _object(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        while not self._take("}"):
            token = self.tokens[self.at] if self.at < len(self.tokens) else _Token("", "")
            self.at += 1
            if token.kind == "string":
                key = str(self._string(token.text))
            elif token.kind in ("name", "number"):
                key = token.text
            else:
                raise NotStaticError(f"unexpected {token.text!r}")
            if self._take(":"):
                out[key] = self._value()
            elif key in self.names:
                out[key] = self.names[key]
            else:
                raise NotStaticError(f"{key} is not known")
            if not self._take(","):
                self._expect("}")
                break
        return out

    def _string(self, text: str) -> Any:
        body = text[1:-1]
        if text[0] != "`" or "${" not in body:
            return _unescaped(body)
        pieces: list[Any] = []
        at = 0
        for found in regex(r"\$\{\s*([\w$]+)(\.output)?\s*\}").finditer(body):
            pieces.append(_unescaped(body[at : found.start()]))
            value = self.names.get(found[1])
            if found[2] and isinstance(value, _Call):
                value = _Output(value.at)
            if not isinstance(value, str | int | _Output | _Joined):
                raise NotStaticError(f"{found[1]} is not known")
            pieces.append(value)
            at = found.end()
        rest = body[at:]
        if "${" in rest:
            raise NotStaticError("a text that is built")
        pieces.append(_unescaped(rest))
        value = pieces[0]
        for piece in pieces[1:]:
            value = _joined(value, piece)
        return value

    def _named(self, name: str) -> Any:
        if name in _TYPE_OF_NAME:
            return _TYPE_OF_NAME[name]
        if name == "tools":
            return self._tool()
        if name == "Promise" and self._is(".", "all", "("):
            self.at += 3
            values = self._items(")")
            if len(values) == 1 and isinstance(values[0], list):
                return values[0]
            raise NotStaticError("calls that are not listed")
        if name == "JSON" and self._is(".", "stringify", "("):
            self.at += 3
            values = self._items(")")
            if values and isinstance(values[0], _Call | _Output):
                return values[0]
            raise NotStaticError("a text that is built")
        if name == "String" and self._is(".", "raw"):
            self.at += 2
            token = self.tokens[self.at] if self.at < len(self.tokens) else _Token("", "")
            if token.kind != "string" or "${" in token.text:
                raise NotStaticError("a text that is built")
            self.at += 1
            return token.text[1:-1]
        if name in _PRINTERS and self._peek() == "(" and name not in self.names:
            self.at += 1
            values = self._items(")")
            self.texts.append(_printed(values[0] if values else ""))
            return None
        if name in self.names:
            return self.names[name]
        raise NotStaticError(f"{name} is not known")

    def _tool(self) -> Any:
        if self._take("["):
            token = self.tokens[self.at]
            name = _unescaped(token.text[1:-1]) if token.kind == "string" else ""
            self.at += 1
            self._expect("]")
        else:
            self._expect(".")
            name = self._name()
        self._expect("(")
        values = self._items(")")
        if not name or len(values) > 1:
            raise NotStaticError("a call that is not static")
        given = values[0] if values else {}
        if isinstance(given, str):
            given = {"input": given}
        if not isinstance(given, dict) or not _is_plain(given):
            raise NotStaticError("arguments that are not literal")
        self.calls.append(ScriptCall(name, given))
        return _Call(len(self.calls) - 1)

    def _members(self, value: Any) -> Any:
        """`.output`, `.trim()`, `[0]`, `.map(r => r.output).join("…")` behind a value."""
        while True:
            if self._peek() in (".", "?."):
                self.at += 1
                value = self._member(value, self._name())
            elif self._is("[") and isinstance(value, list):
                self.at += 1
                index = self._value()
                self._expect("]")
                if not isinstance(index, int) or not 0 <= index < len(value):
                    raise NotStaticError("an unknown place in a list")
                value = value[index]
            else:
                return value

    def _member(self, value: Any, name: str) -> Any:
        if isinstance(value, _Call) and name in ("output", "stdout", "text", "content", "result"):
            return _Output(value.at)
        if name in ("trim", "trimEnd", "toString") and self._is("(", ")"):
            self.at += 2
            return value
        if isinstance(value, list) and name in ("map", "forEach") and self._peek() == "(":
            return self._each(value)
        if isinstance(value, list) and name == "join" and self._peek() == "(":
            self.at += 1
            given = self._items(")")
            by = given[0] if given else ","
            joined: Any = value[0] if value else ""
            for piece in value[1:]:
                joined = _joined(_joined(joined, by), piece)
            return joined
        if isinstance(value, dict) and name in value:
            return value[name]
        raise NotStaticError(f"{name} is not followed")

    def _each(self, values: Sequence[Any]) -> list[Any]:
        """`(r => …)` or `((r) => { …; })` for each value."""
        self._expect("(")
        bracket = self._take("(")
        name = self._name()
        if bracket:
            self._expect(")")
        self._expect("=>")
        start = self.at
        out: list[Any] = []
        for value in values or [None]:
            self.at = start
            self.names[name] = value
            if self._block():
                out.append(None)
            else:
                before = len(self.calls)
                out.append(self._value())
                if len(self.calls) != before:
                    raise NotStaticError("a call in a loop")
        self._expect(")")
        return out


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)


def _joined(left: Any, right: Any) -> Any:
    if isinstance(left, str | int) and isinstance(right, str | int):
        return f"{left}{right}" if isinstance(left, str) or isinstance(right, str) else left + right
    pieces: list[Any] = []
    for value in (left, right):
        if isinstance(value, _Joined):
            pieces.extend(value.pieces)
        elif isinstance(value, str | int | _Output | _Call):
            pieces.append(value)
        else:
            raise NotStaticError("a text that is built")
    return _Joined(tuple(pieces))


def _printed(value: Any) -> Printed:
    pieces = value.pieces if isinstance(value, _Joined) else (value,)
    calls: list[int] = []
    between = [""]
    for piece in pieces:
        if isinstance(piece, _Output | _Call):
            calls.append(piece.at)
            between.append("")
        elif isinstance(piece, str | int):
            between[-1] += str(piece)
        else:
            raise NotStaticError("a text that is built")
    whole = any(isinstance(piece, _Call) for piece in pieces)
    return Printed(tuple(calls), tuple(between), whole)


def _number(text: str) -> Any:
    text = text.replace("_", "")
    try:
        return (
            int(text, 0)
            if not any(c in text for c in ".eE") or text[:2].lower() == "0x"
            else float(text)
        )
    except ValueError as error:
        raise NotStaticError("a number that is not one") from error


def _unescaped(body: str) -> str:
    if "\\" not in body:
        return body

    def plain(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            number = int(code, 16)
            return chr(number) if number < 0x110000 else "\ufffd"
        if found[4]:
            return ""
        return _LETTERS.get(found[5], found[5])

    text = _ESCAPE.sub(plain, body)
    # Two escapes may be the halves of one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def divided(script: Script, items: Sequence[str]) -> list[str | None]:
    """The output of each call, from the items that the script printed; None if it is not known."""
    out: list[str | None] = [None] * len(script.calls)
    if len(items) != len(script.texts):
        return out
    for printed, item in zip(script.texts, items, strict=True):
        pieces = _pieces(printed, item)
        for at, piece in zip(printed.calls, pieces, strict=True):
            if piece is not None:
                out[at] = piece if out[at] is None else out[at]
    return out


def _pieces(printed: Printed, item: str) -> list[str | None]:
    """The outputs in one printed text, by the texts between them."""
    unknown: list[str | None] = [None] * len(printed.calls)
    first, *others = printed.between
    if not printed.calls or not item.startswith(first):
        return unknown
    at = len(first)
    out: list[str | None] = []
    for index, text in enumerate(others):
        if index == len(others) - 1:
            if not item.endswith(text) or len(item) - len(text) < at:
                return unknown
            out.append(item[at : len(item) - len(text)])
            break
        if not text or item.count(text, at) < 1:
            return unknown
        where = item.find(text, at)
        if item.count(text, at) > others[index:-1].count(text) and len(set(others[:-1])) == 1:
            return unknown  # an output may hold the text itself
        out.append(item[at:where])
        at = where + len(text)
    return out


# --- calls with their outputs ---------------------------------------------------------------------

_HEADER = regex(r"Script (?P<end>completed|failed|running)[^\n]*\n(?:[^\n]+\n)*?Output:\n?")


def made_calls(source: Any, given: Any) -> list[tuple[str, dict[str, Any], Output | None]]:
    """The calls of a script with their outputs, from the script and its answer.

    Empty if the script is not static. The output of a call is None if it was printed, but not in a
    way in which it can be told from the rest; what a script did not print, the model did not see.
    """
    if not isinstance(source, str) or "tools" not in source:
        return []
    try:
        script = read_script(source)
    except (NotStaticError, RecursionError):
        return []
    header, items = _items(given, len(script.texts))
    outputs = divided(script, items)
    printed = {at: text.whole for text in script.texts for at in text.calls}
    ended = header is not None and header["end"] == "completed"
    made: list[tuple[str, dict[str, Any], Output | None]] = []
    for at, call in enumerate(script.calls):
        text = outputs[at]
        output: Output | None = None
        if text is not None:
            warning = SHORTENED.match(text)
            text = text if warning is None else text[warning.end() :]
            whole = printed[at] and text.startswith("{")
            output = read_output(_decoded(text) or text) if whole else Output(text)
        elif at not in printed and ended:
            output = Output("")
        made.append((call.name, dict(call.arguments), output))
    return made


def _items(given: Any, wanted: int) -> tuple[re.Match[str] | None, list[str]]:
    """The heading of an answer, and the texts below it."""
    texts = [text_or_empty(as_mapping(item).get("text")) for item in as_items(given)]
    if isinstance(given, str):
        texts = [given]
    header = _HEADER.match(texts[0]) if texts else None
    if header is None:
        return None, texts
    rest = texts[0][header.end() :]
    return header, [*([rest] if rest or (wanted and len(texts) == 1) else []), *texts[1:]]


def _decoded(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
