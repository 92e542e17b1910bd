"""The first prompt of a trace: the same from the first piece of a file as from a larger one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundtrace.storage import open_folder
from groundtrace.traces.kit import prompt


def said(*messages: tuple[str, str]) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in messages]


ASKED = ("user", "The code is in /repo.")
LONG = "x" * 40_000
SESSIONS = {
    "answered at once": said(ASKED, ("assistant", "Well."), ("user", "later")),
    "answer at the end of the first piece": said(ASKED, ("assistant", LONG), ("user", "later")),
    "asked twice, far apart": said(
        ASKED, ("system", LONG), ("user", "And fix it."), ("assistant", "")
    ),
    "never answered": said(ASKED, ("user", LONG)),
}


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("name", SESSIONS)
def test_more_of_the_file_changes_nothing(
    name: str, lines: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = SESSIONS[name]
    text = (
        "\n".join(map(json.dumps, session))
        if lines
        else json.dumps({"messages": session}, indent=1)
    )
    (tmp_path / "trace.json").write_text(text)
    found = prompt.first_prompt(open_folder(str(tmp_path)), "trace.json")
    assert found.startswith("The code is in /repo.")
    assert ("And fix it." in found) == (name == "asked twice, far apart")
    assert "later" not in found
    monkeypatch.setattr(prompt, "_HEADS", (256 * 1024,))
    assert prompt.first_prompt(open_folder(str(tmp_path)), "trace.json") == found


SHAPES = (
    {"info": {"type": "user", "n": [1]}, "messages": said(ASKED, ("assistant", "I will"))},
    {"messages": [{"type": "user", "text": "fix it"}, {"type": "assistant", "text": "no role"}]},
    {"type": "user", "message": {"role": "user", "content": "one line"}, "items": said(ASKED)},
    {"id": 1, "from": "human", "messages": said(ASKED, ("assistant", "x"))},
    {"a": [], "b": [[]], "messages": said(("system", "be"), ASKED, ("tool", "out"), ASKED)},
    {"history": [[{"source": "agent", "text": "x"}, {"role": "user", "content": [{"text": "y"}]}]]},
    [*said(ASKED, ("user", 'say "]" and \\n'), ("model", "yes"), ASKED)],
    {"message": {"role": "assistant", "content": "first"}, "messages": said(ASKED)},
)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_read_up_to_the_answer_is_what_all_of_the_text_says(
    shape: object, indent: int | None
) -> None:
    text = json.dumps(shape, indent=indent)
    for end in range(len(text) + 1):
        found = prompt._said_before_answer(text[:end].encode())
        assert found == prompt._said_in_records(text[:end]), text[:end]


def test_an_answer_that_names_its_role_ends_the_prompt_though_it_is_cut() -> None:
    head = b'{"messages": [{"role": "user", "content": "fix it"}, {"role": "assistant", "content": "I wi'
    assert prompt._said_before_answer(head) == (["fix it"], True)
    by_type = head.replace(b'"role": "assistant"', b'"type": "assistant"')
    assert prompt._said_before_answer(by_type) == (["fix it"], False)
