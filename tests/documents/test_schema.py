"""One definition gives types, schemas and validation; these tests check that the three agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec.inspect as inspect
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundtrace.documents import KINDS, codec, kind_of
from groundtrace.documents.base import cutoff_order
from groundtrace.documents.schema import render, schema
from groundtrace.errors import InputError, VersionError
from groundtrace.metrics import evaluate
from groundtrace.metrics.example import example_document
from groundtrace.rows.make import row_from
from groundtrace.rows.summarise import summarise
from tests.documents.strategies import spoiled, values, with_known_names

VALIDATORS = {kind: jsonschema_rs.validator_for(schema(kind)) for kind in KINDS}
DOCUMENTS = {kind: values(inspect.type_info(info.type)) for kind, info in KINDS.items()}
SLOW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)


def drawn(kind: str, data: st.DataObject) -> Any:
    return with_known_names(data.draw(DOCUMENTS[kind]))


def accepted_by_types(kind: str, value: Any) -> bool:
    try:
        codec.decode(kind, json.dumps(value).encode(), "a.json")
    except (InputError, VersionError):
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
@SLOW
@given(data=st.data())
def test_valid_documents_are_accepted_by_both(kind: str, data: st.DataObject) -> None:
    document = drawn(kind, data)
    assert VALIDATORS[kind].is_valid(document)
    assert accepted_by_types(kind, document)


@pytest.mark.parametrize("kind", KINDS)
@SLOW
@given(data=st.data())
def test_spoiled_documents_are_judged_alike(kind: str, data: st.DataObject) -> None:
    document = with_known_names(data.draw(spoiled(DOCUMENTS[kind])))
    if document.get("schema_version") == "1.1":
        # A later minor version may have members that are not known here; all else holds for it.
        document["schema_version"] = data.draw(st.sampled_from(["1.1", "1.9"]))
    if str(document.get("schema_version")).startswith("1."):
        assert accepted_by_types(kind, document) == VALIDATORS[kind].is_valid(document)


@pytest.mark.parametrize("kind", KINDS)
@SLOW
@given(data=st.data())
def test_encoding_and_decoding_gives_the_same_document_and_bytes(
    kind: str, data: st.DataObject
) -> None:
    document = codec.decode(kind, json.dumps(drawn(kind, data)).encode(), "a.json")
    encoded = codec.encode(document)
    again = codec.decode(kind, encoded, "a.json")
    assert again == document
    assert codec.encode(again) == encoded


@pytest.mark.parametrize("kind", KINDS)
def test_published_schema_is_current_and_a_valid_draft_2020_12_schema(kind: str) -> None:
    published = Path(__file__).parents[2] / "schemas" / f"{kind}_schema.json"
    assert published.read_text(encoding="utf-8") == render(kind), "run: make docs"
    jsonschema_rs.meta.validate(schema(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_has_a_description_and_unknown_fields_are_refused(kind: str) -> None:
    made = schema(kind)
    known = {n: part for n, part in made["$defs"].items() if n.startswith("known.")}
    assert all(part["additionalProperties"] is False for part in known.values())
    records = {name: part for name, part in made["$defs"].items() if name not in known}
    assert len(known) == len(records) + 1
    for name, part in {"document": made, **records}.items():
        assert part["description"], name
        for field, described in part["properties"].items():
            assert described.get("description"), f"{name}.{field}"


EMPTY_OUTCOMES = {
    "schema_version": "1.1",
    "generated_at": "2026-01-01T00:00:00Z",
    "scope": "run",
    "trials": [],
    "skipped": [],
    "problems": {},
}


def test_a_later_minor_version_is_read_by_the_fields_known_here() -> None:
    """D12: any 1.x can be read; what a later version added is left aside."""
    later = EMPTY_OUTCOMES | {"schema_version": "1.7", "invented_later": {"a": [1]}}
    assert accepted_by_types("outcomes", later)
    assert VALIDATORS["outcomes"].is_valid(later)
    known = EMPTY_OUTCOMES | {"invented_later": 1}
    assert not accepted_by_types("outcomes", known)
    assert not VALIDATORS["outcomes"].is_valid(known)


def test_documents_of_the_published_1_0_and_of_ours_are_read() -> None:
    """D59: a time of making, a suite that is text, no batch; and the same without these."""
    ours = json.loads(codec.encode(example_document()))
    published = ours | {"schema_version": "1.0", "generated_at": "2026-01-01T00:00:00Z"}
    published["provenance"] = {**ours["provenance"], "benchmark": ""}
    del published["provenance"]["batch_timestamp"]
    for document in (ours, published, published | {"schema_version": "1.2"}):
        assert accepted_by_types("retrieval_events", document)
        assert VALIDATORS["retrieval_events"].is_valid(document)
    assert not accepted_by_types("retrieval_events", published | {"generated_at": 3})


def test_what_the_published_1_0_leaves_optional_may_be_absent() -> None:
    """Other programs write none of these, or nested arguments."""
    document = json.loads(codec.encode(example_document())) | {"schema_version": "1.0"}
    for name in ("trial_name", "model", "batch_timestamp"):
        del document["provenance"][name]
    for name in ("ground_truth_source", "ground_truth_confidence"):
        del document["coverage"][name]
    truth = document["ground_truth"]
    truth["symbols"] = [{"file": "a.py", "symbol": "run"}]
    truth["chunks"] = [{"file": "a.py", "line_start": 1, "line_end": 2}]
    for event in document["events"]:
        del event["arguments"]
    document["events"][0]["arguments"] = {"edits": [{"old": "a", "new": {"text": "b"}}]}
    assert accepted_by_types("retrieval_events", document)
    assert VALIDATORS["retrieval_events"].is_valid(document)


def test_moments_have_the_format_of_moments() -> None:
    """As a remark: what another program wrote there is read all the same."""
    for kind in KINDS:
        made = schema(kind)["properties"]["generated_at"]
        assert made.get("format") == "date-time", kind


def test_cutoffs_stand_in_the_order_of_their_numbers() -> None:
    """1, 3, 5, 10: sorted as text, 10 comes second and people misread the row."""
    document = evaluate(example_document(), generated_at="now")
    data = json.loads(codec.encode(document))
    for name in ("precision", "recall", "f1", "ndcg"):
        assert list(data["file_level_metrics"][name]) == ["1", "3", "5", "10"]
    assert codec.decode("retrieval_metrics", codec.encode(document), "x.json") == document
    row = row_from(document)
    summary = json.loads(codec.encode(summarise([row], scope="r", generated_at="now")))
    names = list(summary["overall"]["metrics"])
    assert [n for n in names if n.startswith("recall@")] == [f"recall@{k}" for k in (1, 3, 5, 10)]
    keys = schema("retrieval_metrics")["$defs"]["FileLevelMetrics"]["properties"]["recall"]
    assert {"enum": ["1", "3", "5", "10"]} in [o.get("propertyNames") for o in keys["anyOf"]]


def plainly_ordered(value: Any) -> Any:
    """The same value with the keys of every mapping in the order in which they are written."""
    if isinstance(value, list):
        return [plainly_ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: plainly_ordered(value[key]) for key in sorted(sorted(value), key=cutoff_order)}


@pytest.mark.parametrize("kind", ["retrieval_metrics", "run_retrieval_summary"])
@given(data=st.data())
@SLOW
def test_what_is_in_order_is_written_as_what_is_not(kind: str, data: st.DataObject) -> None:
    """Keys of any order, cutoffs among them, give the same file as keys that were sorted before."""
    plain = data.draw(DOCUMENTS[kind])
    if not accepted_by_types(kind, plain):
        return
    turned = codec.decode(kind, json.dumps(turned_round(plain)).encode(), "a.json")
    ordered = codec.decode(kind, json.dumps(plainly_ordered(plain)).encode(), "a.json")
    assert codec.encode(turned) == codec.encode(ordered)
    assert codec.decode(kind, codec.encode(turned), "a.json") == ordered


def turned_round(value: Any) -> Any:
    """The same value with the keys of every mapping in reverse order."""
    if isinstance(value, list):
        return [turned_round(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: turned_round(value[key]) for key in reversed(list(value))}


def test_another_major_version_is_refused_with_file_and_versions() -> None:
    data = json.dumps(EMPTY_OUTCOMES | {"schema_version": "2.0"}).encode()
    with pytest.raises(VersionError, match=r"runs/x\.json: schema version 2\.0.*reads 1\.x"):
        codec.decode("outcomes", data, "runs/x.json")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"trials": [3]}, r"\$\.trials\[0\]"),
        ({"problems": {"x": -1}}, r"\$\.problems"),
        ({"scope": None}, r"\$\.scope"),
        ({"schema_version": None}, r"\$\.schema_version: missing"),
        ({"schema_version": "one"}, r"\$\.schema_version: 'one'"),
    ],
)
def test_an_invalid_document_is_refused_with_the_place(change: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError, match=rf"^x\.json: {place}"):
        codec.decode("outcomes", json.dumps(EMPTY_OUTCOMES | change).encode(), "x.json")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"[]", "expected an object"),
        (b'{"a":\n 1,', "x.json:2:"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 100_000, "nested too deeply|not valid JSON"),
    ],
)
def test_what_is_not_a_document_is_refused_with_the_place(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        codec.decode("outcomes", data, "x.json")


def test_integral_floats_are_integers_as_in_json_schema() -> None:
    assert accepted_by_types("outcomes", EMPTY_OUTCOMES | {"problems": {"x": 2.0}})
    assert not accepted_by_types("outcomes", EMPTY_OUTCOMES | {"problems": {"x": 2.5}})


def test_kinds_are_known_by_file_name_and_else_by_content() -> None:
    assert kind_of("a/b/t.retrieval_events.json") == "retrieval_events"
    assert kind_of("outcomes.json") == "outcomes"
    assert kind_of("my_outcomes.json") is None
    assert codec.kind_of_file("renamed.json", json.dumps(EMPTY_OUTCOMES).encode()) == "outcomes"
    with pytest.raises(InputError, match="not a document of groundtrace"):
        codec.kind_of_file("renamed.json", b'{"a": 1}')


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    """It would be written again as null, so that reading it back gave another document."""
    data = codec.encode(evaluate(example_document(), generated_at="now"))
    changed = data.replace(b'"ttfr_seconds": 8.0', f'"ttfr_seconds": {number}'.encode())
    assert changed != data
    with pytest.raises(InputError):
        codec.decode("retrieval_metrics", changed, "x.retrieval_metrics.json")
