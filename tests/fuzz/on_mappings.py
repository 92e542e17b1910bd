"""Damaged mappings of trace formats, and what they read."""

from __future__ import annotations

from random import Random

from groundtrace.errors import InputError
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.mapped.reader import BUNDLED, MappedReader, bundled_text
from tests.fuzz import checks, seeds
from tests.fuzz.cases import Case, damaged
from tests.fuzz.memory import MemoryFolder


def make_mapping(rng: Random) -> Case:
    """A mapping that groundtrace brings, damaged, and a trace of any format."""
    name = rng.choice(BUNDLED).name
    text = damaged("mapping.toml", bundled_text(name).encode(), rng)
    trial = rng.choice(seeds.trials())
    file = rng.choice(sorted(trial.files))
    return Case({"mapping.toml": text, "trace": trial.files[file]}, (), trial.real)


def check_mapping(case: Case) -> None:
    """It is used or refused with its name, and what it reads has the right types."""
    text = case.files["mapping.toml"].decode("utf-8", errors="replace")
    reader = MappedReader("fuzzed", text, "mapping.toml")
    try:
        declared = reader.mapping
    except InputError as error:
        assert str(error).startswith("mapping.toml: ")
        return
    assert declared.reader and declared.layout
    source = reader.read(MemoryFolder(case.files), "trace", Keep())
    for call in source.calls:
        assert isinstance(call.name, str) and call.name
        assert isinstance(call.arguments, dict)
    checks.check_problems(source.problems)
