"""Programs that run other commands: prefixes, shells, xargs; and `cd`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.model import RootSign
from groundtrace.paths.windows import is_drive
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.programs.effects import run_prefixed
from groundtrace.shell.programs.listers import run_with_names
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.part import Notice, Opaque, Parts
from groundtrace.shell.streams.spans import WHOLE
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word, filled, split_text
from groundtrace.shell.syntax.holes import HOLE, has_hole

_PLACES = regex(r"/\S+$|\S+ is |\S+: aliased|alias ")


def _which(call: Call) -> Parts:
    """`which`, `type`, `command -v`: places of programs, which are not counted as files."""
    return [Opaque(rule=call.name, expected=False, form=_PLACES)]


def _command(call: Call) -> Parts:
    asks = any(re.fullmatch(r"-[pvV]*[vV]", word.text) for word in call.args[:1])
    return _which(call) if asks else run_prefixed(call)


_TIMES = regex(r"(?:real|user|sys)[\t ]+(?:\d+m)?[\d.]+s?$")


def _time(call: Call) -> Parts:
    """The command after it, and then how long it took, below the output."""
    parts = run_prefixed(call)
    said = 3 if any(word.text == "-p" for word in call.args[:1]) else 4
    return [*parts, Notice(form=_TIMES, size=said, maybe=True, rule=call.name)]


def _container(call: Call) -> Parts:
    """`docker exec name command`: the command runs in a container with its own directories."""
    words = call.args[1:] if call.args and call.args[0].text == "compose" else call.args
    if not words or words[0].text != "exec":
        return [Opaque(rule=call.name, expected=False)]
    folder: str | None = None
    at, program = 1, call.program
    while at < len(words) and words[at].text.startswith("-"):
        name, equals, value = words[at].text.partition("=")
        needs = not equals and (name in program.long or name[1:] in set(program.takes))
        if needs and at + 1 < len(words):
            value = words[at + 1].text
        if name in {"-w", "--workdir"}:
            folder = value
        at += 2 if needs else 1
    texts = [word.text for word in words]
    # `kubectl exec pod -c web -- cat f`, and `docker exec web cat f`
    at = texts.index("--") + 1 if program.skip == 0 and "--" in texts else at + 1
    with call.shell.inside(call.shell.env.at(folder)):
        return call.shell.command(words[at:], call.stdin)


def _read(call: Call) -> Parts:
    """`read name < file`: the variable holds the first line."""
    names = [word.text for word in call.args if re.fullmatch(r"[A-Za-z_]\w*", word.text)]
    stream = tuple(algebra.head(call.stdin or [], 1))
    word = Word(HOLE, stream=stream if len(names) == 1 else None)
    call.shell.change(call.shell.env.holding(dict.fromkeys(names, (word,))))
    return []


def _shell(call: Call) -> Parts:
    """`bash -c script name args`, `sh -lc`, or a script on standard input."""
    args = call.args
    for index, word in enumerate(args):
        is_script = "c" in word.text and re.fullmatch(r"-\w+", word.text) is not None
        if is_script and index + 1 < len(args):
            script = args[index + 1]
            if script.stream is not None:
                return [Opaque(rule=call.name)]
            return call.shell.run_text(script.text, args[index + 2 :])
        if word.text in {"-o", "-O", "--rcfile", "--init-file"}:
            continue
        if not word.text.startswith("-") and not _is_value(args, index):
            path = call.shell.path(word.text) if word.known else None
            text = None if path is None else call.shell.written.get(path)
            if text is None:
                return [Opaque(rule=call.name)]
            return call.shell.run_text(text, args[index:])
    fed = _texts(call)
    if fed and all(isinstance(part, Text) for part in fed):
        return call.shell.run_text(
            "\n".join(line for part in fed if isinstance(part, Text) for line in part.lines)
        )
    return [Opaque(rule=call.name)]


def _is_value(args: Sequence[Word], index: int) -> bool:
    """Whether a word belongs to the option before it: `-o pipefail`."""
    return index > 0 and args[index - 1].text in {"-o", "-O", "--rcfile", "--init-file"}


def _texts(call: Call) -> Parts:
    """The scripts that a shell gets as input; text of files that the agent wrote is known.

    An example: `cat x.sh | bash`.
    """
    out: Parts = []
    for part in call.stdin or []:
        text = call.shell.written.get(part.path or "") if isinstance(part, Content) else None
        whole = isinstance(part, Content) and part.spans == WHOLE
        out.append(Text(lines=tuple(text.split("\n"))) if text is not None and whole else part)
    return out


def _eval(call: Call) -> Parts:
    return call.shell.run_here(" ".join(word.text for word in call.args))


def _source(call: Call) -> Parts:
    """`source file` if the agent wrote the file; other files are unknown."""
    path = call.shell.path(call.args[0].text) if call.args and call.args[0].known else None
    text = None if path is None else call.shell.written.get(path)
    if text is None:
        return [Opaque(rule=call.name, expected=False)]
    return call.shell.run_here(text)


def _xargs(call: Call) -> Parts:
    args = list(call.args)
    mark: str | None = None
    size: int | None = None
    while args and args[0].text.startswith("-"):
        text = args.pop(0).text
        if text in {"-I", "-i", "--replace"}:
            mark = args.pop(0).text if text == "-I" and args else "{}"
        elif text.startswith("-I"):
            mark = text[2:]
        elif text in {"-n", "-L", "--max-args", "--max-lines"} and args:
            size = _size(args.pop(0).text)
        elif re.match(r"-[nL]\d|--max-(?:args|lines)=", text):
            size = _size(re.sub(r"^\D+", "", text))
        elif text in {"-a", "--arg-file"} and args:
            call.stdin = call.opened([args.pop(0)])
        elif text in {"-P", "-s", "-d", "-E", "--max-procs", "--delimiter"} and args:
            args.pop(0)
    command = args or [Word("echo")]
    words = known_words(call.stdin or [])
    if words is not None:
        parts: Parts = []
        if mark is None:
            step = size or max(1, len(words))
            for at in range(0, max(1, len(words)), step):
                parts.extend(call.shell.command([*command, *words[at : at + step]], None))
            return parts
        for word in words:
            parts.extend(call.shell.command(filled(command, mark, word.text), None))
        return parts
    if mark is None and size == 1:
        mark, command = "{}", [*command, Word("{}")]
    return run_with_names(call, command, mark, call.stdin or [])


def _size(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[1-9]\d{0,4}", text) else None


def known_words(parts: Parts) -> list[Word] | None:
    """The words of a stream of known text; None if the text is not known."""
    words: list[Word] = []
    for part in parts:
        if not isinstance(part, Text):
            return None
        for line in part.lines:
            if has_hole(line):
                return None
            words.extend(replace(word, glob=False) for word in split_text(line))
    return words


_CD_OPTION = regex(r"-[LPe]|--$")


def _cd(call: Call) -> Parts:
    env = call.shell.env
    words = [word for word in call.args if not _CD_OPTION.match(word.text)]
    if call.name == "popd":
        call.shell.change(env.popped())
        return []
    if call.name == "pushd":
        env = env.pushed()
    if words and words[0].text == "-":
        call.shell.change(env.at(env.scalar("OLDPWD")))
    else:
        target = "~" if not words else words[0].text if words[0].known else HOLE
        if words and env.cwd is not None:
            env = env.holding({"OLDPWD": (Word(env.cwd),)})
        if target not in call.shell.missing:
            env = env.entered(target)
            if env.cwd is not None and (env.cwd.startswith(("/", "~")) or is_drive(env.cwd)):
                call.shell.signs[RootSign("entered", env.cwd)] = None
        call.shell.change(env)
    return [Opaque(rule=call.name, expected=False, limit=1)] if call.name == "pushd" else []


def _parallel(call: Call) -> Parts:
    texts = [word.text for word in call.args]
    if ":::" not in texts:
        return [Opaque(rule=call.name)]
    at = texts.index(":::")
    command, words = call.args[:at], call.args[at + 1 :]
    return _for_words(call, command, words)


def _for_words(call: Call, command: Sequence[Word], words: Sequence[Word]) -> Parts:
    parts: Parts = []
    for word in words:
        if any("{}" in w.text for w in command):
            given = filled(command, "{}", word.text)
        else:
            given = [*command, word]
        parts.extend(call.shell.command(given, None))
    return parts


HANDLERS: dict[str, Handler] = {
    "command": _command, "time": _time, "container": _container, "which": _which, "read": _read, "shell": _shell, "eval": _eval, "source": _source,
    "xargs": _xargs, "parallel": _parallel, "cd": _cd,
}  # fmt: skip
