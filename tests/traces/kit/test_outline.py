"""An outline has all members, and is JSON."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.traces.kit.choose import MAX_MEMBER, MAX_OUTLINE, MAX_TEXT, outline

TEXT = st.text(max_size=20) | st.builds(
    lambda text, times: text * times, st.text(min_size=1, max_size=9), st.integers(0, 900)
)
LEAF = st.none() | st.booleans() | st.integers() | TEXT
VALUE = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=40) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=60,
)
ROW = st.dictionaries(st.text(max_size=8), VALUE, max_size=5)


def names(value: Any) -> list[str]:
    return list(value)


@example({"patch": '"' * 2000}, None, False)  # nothing but escaped quotes at the cut
@given(ROW, st.sampled_from((None, 1)), st.booleans())
def test_an_outline_is_json_with_the_same_members(
    row: dict[str, Any], indent: int | None, in_list: bool
) -> None:
    data = json.dumps([row] if in_list else row, indent=indent, ensure_ascii=False)
    found, _ = outline(data.encode("utf-8", errors="surrogatepass"))
    assert len(found) < MAX_OUTLINE + MAX_TEXT
    if len(found) < MAX_OUTLINE:
        shown = json.loads(found.decode("utf-8", errors="replace"), strict=False)
        assert names(shown[0] if in_list else shown) == names(row)


@given(ROW)
def test_what_is_short_is_kept_as_it_is(row: dict[str, Any]) -> None:
    data = json.dumps(row).encode()
    if len(data) < MAX_TEXT:
        assert outline(data) == (data, True)


def test_long_texts_keep_their_ends_and_long_lists_their_start() -> None:
    row = {
        "patch": "+" * 90_000 + "the end",
        "tests": [f"test_{number}" for number in range(9_000)],
        "messages": [{"role": "system", "content": "s" * 70_000}, {"role": "assistant"}],
    }
    found = json.loads(outline(json.dumps(row).encode())[0])
    assert list(found) == list(row)
    assert found["patch"].startswith("+++") and found["patch"].endswith("the end")
    assert found["tests"] == row["tests"][: len(found["tests"])]
    assert len(json.dumps(found["tests"])) < 2 * MAX_MEMBER
    assert [message["role"] for message in found["messages"]] == ["system", "assistant"]


def test_every_row_of_a_file_of_lines_has_members() -> None:
    rows = [{"patch": "+" * 5_000, "messages": [number]} for number in range(5)]
    data = "\n".join(map(json.dumps, rows)).encode()
    found = [json.loads(line) for line in outline(data)[0].split(b"\n")]
    assert [row["messages"] for row in found] == [[number] for number in range(5)]


def test_a_text_that_goes_on_behind_the_data_asks_for_more() -> None:
    data = json.dumps({"patch": "+" * 5_000, "messages": []}).encode()
    assert outline(data[:2_000]) == (b'{"patch": ', True)
    full = b"[" + b",".join([b'{"messages": [1, 2, 3]}'] * 9_000)
    assert outline(full)[1] is False
