"""Values of PowerShell: words of commands, text in quotes, operators and members."""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n

MAX_DEPTH = 60
"""How deep brackets may be nested."""
_SPACE = regex(r"(?:[ \t\r\f\v\xa0]|`\r?\n|<#(?:(?!#>|<#).)*+#>)+", re.DOTALL)
_GAP = regex(r"(?:[ \t\r\n\f\v\xa0;]|`\r?\n|<#(?:(?!#>|<#).)*+#>|#[^\n]*)+", re.DOTALL)
VARIABLE = regex(r"\$(?:\{(?P<braced>[^{}\n]{0,200})\}|(?P<name>(?:\w+:)?\w+|[_?^$]))")
NUMBER = regex(
    r"(?P<hex>0x[0-9a-fA-F]+)|(?P<number>\d+(?:\.\d+)?)(?P<unit>[kmgKMG][bB])?(?![\w.\\/:-])"
)
RANGE_NUMBER = regex(r"\d+(?=\s*\.\.)")
_WORD_END = frozenset(" \t\r\n;|)}(,&")
_OPERATOR = regex(
    r"-(?P<name>[ci]?(?:eq|ne|gt|ge|lt|le|like|notlike|match|notmatch|replace|split|contains|notcontains|in|notin)"
    r"|join|f|and|or|xor|is|isnot|as|band|bor|bxor|shl|shr)(?![\w-])",
    re.IGNORECASE,
)
UNARY = regex(r"-(?P<name>not|bnot|join|split|isplit|csplit)(?![\w-])", re.IGNORECASE)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_LEVELS = {
    "and": 1, "or": 1, "xor": 1, "+": 3, "-": 3, "*": 4, "/": 4, "%": 4, "f": 5, "..": 6, ",": 7,
}  # fmt: skip
"""How tightly an operator binds; comparisons and the rest are 2."""


class NotPowerShellError(ValueError):
    """The text is not PowerShell, or uses what is not followed."""


class ValueReader:
    """Reads one script from left to right."""

    __slots__ = ("at", "depth", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    # --- characters -----------------------------------------------------------------------------

    def _peek(self, size: int = 1) -> str:
        return self.text[self.at : self.at + size]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.match(self.text, self.at)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def _space(self) -> None:
        self._take(_SPACE)

    def _gap(self) -> None:
        """Blanks, line ends and comments."""
        self._take(_GAP)

    def _gap_in_line(self) -> None:
        self._take(regex(r"(?:[ \t\r\n]|`\r?\n)+"))

    def _expect(self, char: str) -> None:
        if self._peek() != char:
            raise NotPowerShellError(f"{char!r} is missing")
        self.at += 1

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotPowerShellError("nested too deeply")

    def statements(self, end: str) -> n.Script:
        """Statements up to a closing bracket; `parse` reads them."""
        raise NotImplementedError

    def _body(self) -> n.Script:
        raise NotImplementedError

    def _chain(self) -> n.Node:
        raise NotImplementedError

    # --- words of commands ----------------------------------------------------------------------

    def _list_value(self) -> n.Node:
        """A word, or words with commas between them."""
        items = [self._word_value()]
        while True:
            before = self.at
            self._space()
            if self._peek() != ",":
                self.at = before
                break
            self.at += 1
            self._gap_in_line()
            items.append(self._word_value())
        return items[0] if len(items) == 1 else n.Array(tuple(items))

    def _word_value(self) -> n.Node:
        """One word of a command: in quotes, a variable, something in brackets, or bare text."""
        char = self._peek()
        if char in "({" or self._peek(2) in ("@(", "@{", "$("):
            return self._postfix(self._primary())
        if self._peek(2) in ('@"', "@'"):
            return self._here_string()
        pieces: list[n.Node] = []
        bare: list[str] = []
        quoted = False
        while self.at < len(self.text):
            char = self._peek()
            if char in _WORD_END or (char in "<>" and not bare):
                break
            if char in "\"'":
                if pieces and not bare and quoted and len(pieces) == 1:
                    break
                self._flush(bare, pieces)
                pieces.append(self._quoted())
                quoted = True
            elif char == "$" and (self._peek(2) == "$(" or self._match(VARIABLE)):
                self._flush(bare, pieces)
                alone = not pieces
                value = self._primary()
                pieces.append(self._postfix(value) if alone else value)
            elif char == "`" and self.at + 1 < len(self.text):
                following = self.text[self.at + 1]
                bare.append(_ESCAPES.get(following, following))
                self.at += 2
            elif char in "<>":
                break
            else:
                bare.append(char)
                self.at += 1
        self._flush(bare, pieces)
        if not pieces:
            raise NotPowerShellError(f"unexpected {self._peek()!r}")
        return pieces[0] if len(pieces) == 1 else n.Joined(tuple(pieces))

    def _flush(self, bare: list[str], pieces: list[n.Node]) -> None:
        if bare:
            pieces.append(n.Literal("".join(bare), bare=True))
            bare.clear()

    # --- values ---------------------------------------------------------------------------------

    def _expression(self, level: int) -> n.Node:
        self._deeper()
        left = self._unary()
        while True:
            before = self.at
            self._space()
            operator = self._operator()
            if operator is None or _LEVELS.get(operator, 2) < level:
                self.at = before
                break
            self._gap_in_line()
            if operator == ",":
                left = self._array(left)
            else:
                left = n.Binary(operator, left, self._expression(_LEVELS.get(operator, 2) + 1))
        self.depth -= 1
        return left

    def _array(self, first: n.Node) -> n.Node:
        items = [first, self._unary()]
        while True:
            before = self.at
            self._space()
            if self._peek() != ",":
                self.at = before
                return n.Array(tuple(items))
            self.at += 1
            self._gap_in_line()
            items.append(self._unary())

    def _operator(self) -> str | None:
        named = self._take(_OPERATOR)
        if named is not None:
            name = named["name"].lower()
            return (
                name[1:]
                if name[0] in "ci" and name not in ("contains", "is", "isnot", "in")
                else name
            )
        two = self._peek(2)
        if two == "..":
            self.at += 2
            return ".."
        if two in ("++", "--", "+=", "-=", "*=", "/="):
            return None
        char = self._peek()
        if char in ("+", "-", "*", "/", "%", ","):
            self.at += 1
            return char
        return None

    def _unary(self) -> n.Node:
        self._space()
        named = self._take(UNARY)
        if named is not None:
            return n.Unary(named["name"].lower(), self._unary())
        two, char = self._peek(2), self._peek()
        if two in ("++", "--"):
            self.at += 2
            return n.Unary(two, self._unary())
        if char and char in "!-+,":
            self.at += 1
            return n.Unary(char, self._unary())
        if char == "[":
            kind = self._type()
            if self._peek(2) == "::":
                return self._postfix(kind)
            self._space()
            if (self._peek() and self._peek() in "$('\"@[") or self._match(NUMBER):
                return self._unary()  # a cast
            return kind
        return self._postfix(self._primary())

    def _type(self) -> n.Type:
        depth, start = 0, self.at
        while self.at < len(self.text):
            char = self._peek()
            self.at += 1
            depth += (char == "[") - (char == "]")
            if depth == 0:
                name = self.text[start + 1 : self.at - 1]
                if "\n" in name or not name.strip():
                    break
                return n.Type(name.strip())
        raise NotPowerShellError("']' is missing")

    def _primary(self) -> n.Node:
        char, two = self._peek(), self._peek(2)
        if char == "(" or two in ("$(", "@("):
            self.at += 1 if char == "(" else 2
            script = self.statements(")")
            self.at += 1
            return script
        if two == "@{":
            return self._hash()
        if two in ('@"', "@'"):
            return self._here_string()
        if char in "\"'" and char:
            return self._quoted()
        if char == "{":
            return n.Block(self._body())
        variable = self._take(VARIABLE)
        if variable is not None:
            return n.Variable(variable_name(variable))
        splat = self._take(regex(r"@(\w+)"))
        if splat is not None:
            return n.Variable(splat[1])
        whole = self._take(RANGE_NUMBER)
        if whole is not None:
            return n.Literal(int(whole[0][:9]))
        number = self._take(NUMBER)
        if number is not None:
            if number["hex"]:
                return n.Literal(int(number["hex"][:18], 16))
            text = number["number"]
            return n.Literal(text if "." in text or len(text) > 12 else int(text))
        raise NotPowerShellError(f"unexpected {char!r}")

    def _hash(self) -> n.Node:
        self.at += 2
        self._deeper()
        pairs: list[tuple[str, n.Node]] = []
        while True:
            self._gap()
            if self._peek() == "}":
                self.at += 1
                self.depth -= 1
                return n.Hash(tuple(pairs))
            key = self._take(regex(r"\w+|'[^']*'|\"[^\"]*\""))
            self._space()
            if key is None or self._peek() != "=":
                raise NotPowerShellError("a table without a key")
            self.at += 1
            self._gap_in_line()
            pairs.append((key[0].strip("'\"").lower(), self._chain()))

    def _postfix(self, value: n.Node) -> n.Node:
        while True:
            two, char = self._peek(2), self._peek()
            if two == "::" or (char == "." and two != ".."):
                found = regex(r"(?:::|\.)([A-Za-z_]\w*)").match(self.text, self.at)
                if found is None:
                    return value
                self.at = found.end()
                value = n.Member(value, found[1].lower(), self._call_arguments())
            elif char == "[":
                self.at += 1
                self._gap_in_line()
                index = self._expression(1)
                self._gap_in_line()
                self._expect("]")
                value = n.Indexed(value, index)
            elif two in ("++", "--"):
                self.at += 2
                value = n.Unary(two, value)
            else:
                return value

    def _call_arguments(self) -> tuple[n.Node, ...] | None:
        if self._peek() != "(":
            return None
        self.at += 1
        self._gap_in_line()
        if self._peek() == ")":
            self.at += 1
            return ()
        value = self._expression(1)
        self._gap_in_line()
        self._expect(")")
        return value.items if isinstance(value, n.Array) else (value,)

    def _quoted(self) -> n.Node:
        quote = self._peek()
        self.at += 1
        if quote == "'":
            end = self.at
            while True:
                end = self.text.find("'", end)
                if end < 0:
                    raise NotPowerShellError("a quotation mark is missing")
                if self.text[end + 1 : end + 2] != "'":
                    break
                end += 2
            text = self.text[self.at : end].replace("''", "'")
            self.at = end + 1
            return n.Literal(text)
        return self._interpolated('"')

    def _interpolated(self, end: str) -> n.Node:
        """Text in double quotes up to `end`, with its variables."""
        pieces: list[n.Node] = []
        text: list[str] = []

        def flush() -> None:
            if text:
                pieces.append(n.Literal("".join(text)))
                text.clear()

        while True:
            if self.at >= len(self.text):
                raise NotPowerShellError("a quotation mark is missing")
            if self._peek(len(end)) == end:
                if end == '"' and self._peek(2) == '""':
                    text.append('"')
                    self.at += 2
                    continue
                self.at += len(end)
                break
            char = self._peek()
            if char == "`" and self.at + 1 < len(self.text):
                following = self.text[self.at + 1]
                text.append(_ESCAPES.get(following, following))
                self.at += 2
            elif char == "$" and self._peek(2) == "$(":
                flush()
                pieces.append(self._primary())
            elif char == "$" and (variable := self._take(VARIABLE)) is not None:
                flush()
                pieces.append(n.Variable(variable_name(variable)))
            else:
                text.append(char)
                self.at += 1
        flush()
        if not pieces:
            return n.Literal("")
        if len(pieces) == 1 and isinstance(pieces[0], n.Literal):
            return pieces[0]
        return n.Joined(tuple(pieces))

    def _here_string(self) -> n.Node:
        """`@'` … `'@`: text between lines of its own."""
        quote = self.text[self.at + 1]
        head = regex(r"@['\"][ \t]*\r?\n").match(self.text, self.at)
        if head is None:
            raise NotPowerShellError("text after @" + quote)
        self.at = head.end()
        if quote == "'":
            end = self.text.find("\n'@", self.at - 1)
            if end < 0:
                raise NotPowerShellError("'@ is missing")
            text = self.text[self.at : max(end, self.at)]
            self.at = end + 3
            return n.Literal(text.removesuffix("\r"))
        if self.text.startswith('"@', self.at):
            self.at += 2
            return n.Literal("")
        return self._interpolated('\n"@')


def variable_name(found: re.Match[str]) -> str:
    return str(found["braced"] if found["braced"] is not None else found["name"]).lower()
