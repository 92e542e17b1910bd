"""Files read by a mapping give what plain JMESPath gives, whatever is wrong with the files."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from jmespath.visitor import TreeInterpreter

from benchmarks.sessions import WRITERS, made
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.mapped.mapping import Declared, parse_mapping
from groundtrace.traces.mapped.reader import BUNDLED, bundled_text
from groundtrace.traces.mapped.trace import read
from tests.fuzz.memory import MemoryFolder

ODD: tuple[Any, ...] = (
    None, 0, 1, 2.5, True, False, "", "x", "\ud800", [], {}, [None], [{}], {"a": 1}, {"type": "tool"},
    ["x", {"text": "t"}], {"stdout": "s", "exit_code": 1}, 10**30, "2026-05-04T10:00:00Z", "assistant",
    "tool.call", {"_record": 3}, '{"a":1}', "{bad",
)  # fmt: skip
OTHERS = (
    "keys(@)", "@", "_record", "_record.type", "type == 'message' && length(@)", "abs(type)", "type",
    "message.role != 'assistant' && message", "type == 'x' || cwd", "sum([a, b])", "`false`", "''",
    "not_null(_record.cwd, cwd)", "_record.data.x || toolCallId", "*.type | [0]", "event || data",
    "[event, data, message][]", "data.toolRequests[*].arguments | [0]", "success == `true`", "!type",
    "contains(keys(@), '_record')", "{arguments: args, name: name, id: id}", "message.content[0]",
    "_record.length(@)", "message.content[?type == 'toolCall'].id | [0]", "[@, @][]", "data.*",
)  # fmt: skip
_KEY = re.compile(r'"(\w+)":')
_EXPRESSION = re.compile(
    r"(?m)^(?!reader|layout|marks|records|match|plain_reads|usage_comes|cwd_after)(\w+) = .*$"
)


class PlainExpression:
    """An expression that the library evaluates, for an element with its record."""

    can_fail = True
    is_of_element = False
    of_record = None

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def evaluate(self, value: Any) -> Any:
        return TreeInterpreter().visit(self.tree, value)


def plain(mapping: Declared) -> Declared:
    """The same mapping, without anything that saves work."""
    expressions: Any = {key: PlainExpression(e.tree) for key, e in mapping.expressions.items()}
    return msgspec.structs.replace(mapping, expressions=expressions)


@cache
def written(name: str) -> bytes:
    return WRITERS[name].write(made(3))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = [] if not path else [path]
    if isinstance(value, dict | list):
        for key, item in inside:
            found += places(item, (*path, key)) if isinstance(item, dict | list) else [(*path, key)]
    return found


def damage_value(value: Any, rng: Random) -> Any:
    """The value with some of its members replaced, removed, renamed or repeated elsewhere."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        found = places(value)
        if not found:
            break
        *way, last = rng.choice(found)
        parent = value
        for step in way:
            parent = parent[step]
        match rng.randrange(4):
            case 0 | 1:
                parent[last] = deepcopy(rng.choice(ODD))  # a shared one could end up in itself
            case 2:
                del parent[last]
            case _ if isinstance(parent, dict):
                parent[rng.choice(["type", "id", "name", "_record", "event"])] = parent.pop(last)
    return value


def damage_text(text: str, rng: Random) -> str:
    """The text cut off, with a key repeated or written with an escape, or twice on its line."""
    key = rng.choice([*_KEY.finditer(text), None])
    if key is None:
        return text
    name = key[1]
    odd = json.dumps(rng.choice(ODD))
    return rng.choice(
        [
            text[: rng.randrange(len(text))],
            f"{text[: key.start()]}{key[0]}{odd},{text[key.start() :]}",
            text.replace(key[0], f'"\\u{ord(name[0]):04x}{name[1:]}":'),
            text.replace(":0", ":NaN", 1),
            f"{text} {text}",
            text,
        ]
    )


def damaged(data: bytes, is_lines: bool, rng: Random) -> bytes:
    rate = rng.choice([0.05, 0.4])
    records = []
    for record in data.decode().splitlines() if is_lines else [data.decode()]:
        value = json.loads(record)
        if rng.random() < rate or not is_lines:
            value = damage_value(value, rng)
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        records.append(damage_text(text, rng) if rng.random() < rate / 2 else text)
    result = "\n".join(records).encode("utf-8", errors="surrogatepass")
    if rng.random() < 0.2:
        place = rng.randrange(len(result))
        result = result[:place] + rng.choice([b"\xff", b"\n", b"\xed\xa0\x80"]) + result[place:]
    return result


def changed(text: str, rng: Random) -> str:
    """The mapping with one or two other expressions."""
    for _ in range(rng.choice([0, 0, 1, 2])):
        key = rng.choice([match[1] for match in _EXPRESSION.finditer(text)])
        other = json.dumps(rng.choice(OTHERS))
        text = re.sub(rf"(?m)^{key} = .*$", lambda _, k=key, o=other: f"{k} = {o}", text)
    return text


@settings(max_examples=300)
@given(st.sampled_from([reader.name for reader in BUNDLED]), st.integers(0, 1 << 32))
def test_a_file_gives_what_plain_expressions_give(name: str, seed: int) -> None:
    rng = Random(seed)
    text = changed(bundled_text(name), rng)
    data = damaged(written(name), WRITERS[name].file.endswith(".jsonl"), rng)
    mapping = parse_mapping(text, "mapping.toml")
    folder = MemoryFolder({"trace": data})
    source = read(mapping, folder, "trace", None, Keep())
    assert repr(source) == repr(read(plain(mapping), folder, "trace", None, Keep()))
