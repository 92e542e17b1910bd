"""A small parser of PowerShell: what agents type at a prompt, not whole modules.

A statement is a command (`Get-Content a.py -TotalCount 20`), whose arguments are words, or a value
(`(Get-Content a.py)[0..9]`). Its first character says which of the two it is, as in PowerShell.
"""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell.parse_values import (
    NUMBER,
    RANGE_NUMBER,
    UNARY,
    VARIABLE,
    NotPowerShellError,
    ValueReader,
    variable_name,
)

MAX_SOURCE = 200_000
"""A longer text is data, not something that an agent reads with."""
_COMMENT = regex(r"#[^\n]*")
_OPTION = regex(r"-(?P<name>[A-Za-z_?][\w-]*)(?P<colon>:)?")
_REDIRECT = regex(r"(?P<stream>[1-6*])?>(?P<adds>>)?(?:&(?P<other>[12]))?")
_KEYWORD = regex(
    r"(?P<name>if|foreach|for|while|do|switch|function|filter|try|param|return|throw|exit|break|continue|begin|process"
    r"|end|trap|using|class|data)(?![\w.:\\/-])",
    re.IGNORECASE,
)
_ASSIGN = regex(r"(?P<operator>[-+*/%]|\?\?)?=(?!=)")
_SPACES = " \t\r\n"


def parse(source: str) -> n.Script:
    """The statements of a script; NotPowerShellError if it cannot be read."""
    if len(source) > MAX_SOURCE:
        raise NotPowerShellError("too large")
    reader = _Reader(source)
    script = reader.statements("")
    if reader.at < len(source):
        raise NotPowerShellError(f"unexpected {source[reader.at]!r}")
    return script


class _Reader(ValueReader):
    """Reads one script from left to right."""

    __slots__ = ()

    # --- statements -----------------------------------------------------------------------------

    def statements(self, end: str) -> n.Script:
        """Statements up to a closing bracket, which is not taken; to the end of the text if empty."""
        self._deeper()
        out: list[n.Node] = []
        while True:
            self._gap()
            if self.at >= len(self.text):
                if end:
                    raise NotPowerShellError(f"{end!r} is missing")
                break
            if end and self._peek() == end:
                break
            before = self.at
            out.append(self._statement())
            if self.at == before:
                raise NotPowerShellError(f"unexpected {self._peek()!r}")
        self.depth -= 1
        return n.Script(tuple(out))

    def _body(self) -> n.Script:
        """`{ … }`."""
        self._gap()
        self._expect("{")
        script = self.statements("}")
        self.at += 1
        return script

    def _statement(self) -> n.Node:
        keyword = self._match(_KEYWORD)
        if keyword is not None:
            statement = self._keyword(keyword["name"].lower(), keyword.end())
            if statement is not None:
                return statement
        return self._chain()

    def _keyword(self, name: str, end: int) -> n.Node | None:
        before = self.at
        self.at = end
        if name == "if":
            return self._if()
        if name == "foreach":
            self._space()
            if self._peek() == "(":
                return self._foreach()
            self.at = before  # `foreach { … }` behind a pipe is the alias of a cmdlet
            return None
        if name == "for":
            return self._for()
        if name in ("return", "throw", "exit"):
            self._space()
            if self._peek() in ("", ";", "\n", "}", "|"):
                return n.Script(())
            value = self._chain()
            return value if name == "return" else n.Script(())
        if name in ("break", "continue"):
            return n.Script(())
        if name == "try":
            return self._try()
        if name in ("begin", "process", "end"):
            self._gap()
            if self._peek() == "{":
                return self._body()
            self.at = before
            return None
        return self._unread(name)

    def _condition(self) -> n.Node:
        self._gap()
        self._expect("(")
        script = self.statements(")")
        self.at += 1
        return script

    def _if(self) -> n.Node:
        branches: list[tuple[n.Node | None, n.Script]] = [(self._condition(), self._body())]
        while True:
            before = self.at
            self._gap()
            word = self._take(regex(r"elseif|else(?!\w)", re.IGNORECASE))
            if word is None:
                self.at = before
                return n.If(tuple(branches))
            condition = self._condition() if word[0].lower() == "elseif" else None
            branches.append((condition, self._body()))

    def _foreach(self) -> n.Node:
        self._expect("(")
        self._gap()
        name = self._take(VARIABLE)
        if name is None:
            raise NotPowerShellError("a loop without a variable")
        self._gap()
        if self._take(regex(r"in(?!\w)", re.IGNORECASE)) is None:
            raise NotPowerShellError("a loop without in")
        source = self.statements(")")
        self.at += 1
        return n.ForEach(variable_name(name), source, self._body())

    def _for(self) -> n.Node:
        self._gap()
        self._expect("(")
        parts: list[n.Node | None] = []
        for end in (";", ";", ")"):
            self._take(regex(r"[ \t\r\n]+"))
            parts.append(None if self._peek() == end else self._statement())
            self._take(regex(r"[ \t\r\n]+"))
            self._expect(end)
        return n.For(parts[0], parts[1], parts[2], self._body())

    def _try(self) -> n.Node:
        body = self._body()
        others: list[n.Node] = []
        while True:
            before = self.at
            self._gap()
            word = self._take(regex(r"(?:catch|finally)(?!\w)", re.IGNORECASE))
            if word is None:
                self.at = before
                return n.Script((body, *others))
            self._gap()
            while self._peek() == "[":
                self._type()
                self._gap()
            inner = self._body()
            if word[0].lower() == "finally":
                others.append(inner)

    def _unread(self, name: str) -> n.Node:
        """A statement that is not followed; its bodies are parsed to find its end."""
        bodies: list[n.Node] = []
        while True:
            self._gap()
            char = self._peek()
            if char == "(":
                self._condition()
            elif char == "{":
                bodies.append(self._body())
                if name not in ("do", "begin"):
                    break
            elif name == "do" and self._take(regex(r"while|until", re.IGNORECASE)):
                self._condition()
                break
            elif char == "[":
                self._type()
            elif not self._take(regex(r"[-\w:.$]+")):
                break
            if name in ("param", "using"):
                break
        return n.Unread(name, n.Script(tuple(bodies)))

    # --- pipelines ------------------------------------------------------------------------------

    def _chain(self) -> n.Node:
        items = [self._assigned()]
        operators: list[str] = []
        while True:
            self._space()
            operator = self._peek(2)
            if operator not in ("&&", "||"):
                break
            self.at += 2
            self._gap()
            operators.append(operator)
            items.append(self._assigned())
        return items[0] if not operators else n.Chain(tuple(items), tuple(operators))

    def _assigned(self) -> n.Node:
        """An assignment, or a pipeline."""
        before = self.at
        if self._peek() in "$[@":
            try:
                target = self._expression(7)
                self._space()
                operator = self._take(_ASSIGN)
            except NotPowerShellError:
                operator = None
            if operator is not None:
                self._gap_in_line()
                return n.Assignment(target, operator[0], self._statement())
            self.at = before
        return self._pipeline()

    def _pipeline(self) -> n.Node:
        stages = [self._stage()]
        while True:
            self._space()
            if self._peek() == "|" and self._peek(2) != "||":
                self.at += 1
                self._gap_in_line()
                stages.append(self._stage())
                continue
            following = regex(r"(?:[ \t\r\n]|#[^\n]*)*\n[ \t]*\|(?!\|)").match(self.text, self.at)
            if following is None:
                break
            self.at = following.end() - 1  # PowerShell 7: the pipe is on the next line
        redirects = self._redirects()
        if self._peek() == "&" and self._peek(2) != "&&":
            self.at += 1  # a job in the background
        if len(stages) == 1 and not redirects:
            return stages[0]
        return n.Pipeline(tuple(stages), tuple(redirects))

    def _stage(self) -> n.Node:
        self._space()
        char = self._peek()
        if char == "&" and self._peek(2) != "&&":
            self.at += 1
            self._space()
            if self._peek() == "{":
                return n.Block(self._body())
            return self._command(self._word_value())
        if char == "." and self.text[self.at + 1 : self.at + 2] in _SPACES + "'\"$":
            self.at += 1
            self._space()
            return self._command(self._word_value())
        if self._begins_value(char):
            return self._expression(1)
        return self._command(self._word_value())

    def _begins_value(self, char: str) -> bool:
        if char in "$('\"@[{":
            return bool(char)
        if char in "+!-":
            return (
                char == "!"
                or UNARY.match(self.text, self.at) is not None
                or self.text[self.at + 1 : self.at + 2] in tuple("$(0123456789")
            )
        return NUMBER.match(self.text, self.at) is not None or bool(
            RANGE_NUMBER.match(self.text, self.at)
        )

    def _redirects(self) -> list[n.Redirect]:
        out: list[n.Redirect] = []
        while True:
            self._space()
            mark = self._take(_REDIRECT)
            if mark is None:
                return out
            out.append(self._redirect(mark))

    def _redirect(self, mark: re.Match[str]) -> n.Redirect:
        stream = mark["stream"] or "1"
        if mark["other"]:
            return n.Redirect(stream, None)
        self._space()
        return n.Redirect(stream, self._word_value(), bool(mark["adds"]))

    def _command(self, name: n.Node) -> n.Node:
        arguments: list[n.Argument] = []
        redirects: list[n.Redirect] = []
        while True:
            self._space()
            char = self._peek()
            if char in ("", "\n", ";", "|", ")", "}") or self._peek(2) == "&&":
                break
            if char == "&":
                self.at += 1
                break
            if char == "#" and self._take(_COMMENT):
                break
            mark = self._take(_REDIRECT)
            if mark is not None:
                redirects.append(self._redirect(mark))
                continue
            start = self.at
            arguments.append(self._argument())
            if self.at == start:
                raise NotPowerShellError(f"unexpected {char!r}")
        return n.Command(name, tuple(arguments), tuple(redirects))

    def _argument(self) -> n.Argument:
        start = self.at
        option = self._match(_OPTION)
        if option is not None and self.text[option.end() : option.end() + 1] in (
            "", " ", "\t", "\r", "\n", ";", "|", ")", "}", "(", "'", '"', "$", "{", ","
        ):  # fmt: skip
            self.at = option.end()
            if option["colon"]:
                self._space()
                value = self._list_value()
                return n.Argument(value, option["name"], self.text[start : self.at])
            return n.Argument(None, option["name"], option[0])
        value = self._list_value()
        return n.Argument(value, "", self.text[start : self.at])
