"""The reference pages, each printed from the table in the package that it describes."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import groupby, pairwise
from typing import Any

import click
from click.testing import CliRunner

import groundtrace
from groundtrace import config, errors, problems
from groundtrace import options as option_table
from groundtrace.cli.group import COMMANDS, cli
from groundtrace.documents import KINDS, SCHEMA_VERSION, SCHEMA_VERSIONS
from groundtrace.documents.schema import schema
from groundtrace.metrics import example
from groundtrace.metrics.catalogue import METRICS, OUTCOMES, SECTIONS
from groundtrace.metrics.file_level import SHOWN_PREFIX
from groundtrace.metrics.record import Metric, MetricSection
from groundtrace.shell.programs.table import TABLE as SHELL_TABLE
from groundtrace.tables.analysis import ALL_TABLES, ANALYSIS_TABLES
from groundtrace.tables.columns import KEY
from groundtrace.tools.table import CATEGORIES, ToolEntry, table_for
from groundtrace.truth.sources import CHUNK_SOURCES, EDIT_SOURCES, SOURCES, SYMBOL_SOURCES

HELP_WIDTH = 100


def code(text: object) -> str:
    """Text as code, also inside a table."""
    shown = str(text).replace("|", "\\|")
    return f"``{shown}``" if "`" in shown else f"`{shown}`"


def codes(texts: Iterable[object]) -> str:
    return ", ".join(code(text) for text in texts)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = list(heads)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(" ".join(cell.split()) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def page(title: str, *blocks: str) -> str:
    return "\n\n".join([f"# {title}", *(block.strip("\n") for block in blocks if block)]) + "\n"


# --- metrics --------------------------------------------------------------------------------


def metrics() -> str:
    """Every metric and outcome, with fixed headings."""
    return page(
        "Metrics",
        "Every metric has one name: the key in run summaries and in the impact analysis, the "
        "value of the column `metric` in tables, and the heading in reports. A metric without "
        "a value is null with a reason, never zero ([D19](../decisions.md#d19)). Means are "
        "over the tasks that have a value; each mean has its n and the reasons for missing "
        "values.",
        "Metrics of the first group exist twice. Without a prefix they are over **retrieved** "
        "files: all files that were accessed in a way other than writing, in the order of "
        f"their first access. With the prefix `{SHOWN_PREFIX}` they are over files whose "
        "content was **shown** ([D18](../decisions.md#d18)).",
        table(
            ["name", "title", "range and direction"],
            (
                [f"[{code(info.name)}](#{_anchor(info)})", info.title, _range(info)]
                for info in METRICS.values()
            ),
        ),
        "## The example",
        "All examples below were computed by hand on one small trial; a test checks each of "
        "them. Relevant files: " + codes(example.RELEVANT) + ". Expected edits: "
        f"{codes(example.EXPECTED_EDITS)}. Line ranges: "
        + ", ".join(f"{code(f)} {a}–{b}" for f, (a, b) in example.CHUNKS.items())
        + f". The submitted patch: {codes(example.PATCH)}, where {codes(example.CREATED)} is "
        f"new and {codes(example.TEST_FILES)} is a file of the task's test patch. The final "
        f"context that the agent names: {code(example.USED[0])} "
        f"{example.USED[1]}–{example.USED[2]}.",
        table(
            ["step", "tool", "kind", "file", "seconds", "tokens so far"],
            (
                [str(n), c.tool, c.kind, code(c.file), f"{c.seconds:g}", f"{c.tokens:,}"]
                for n, c in enumerate(example.CALLS)
            ),
        ),
        *(block for section in SECTIONS for block in _section(section)),
        "## Outcomes",
        "An outcome is what became of a trial. The impact analysis relates metrics to outcomes.",
        *(_outcome(name) for name in OUTCOMES),
    )


def _range(info: Metric) -> str:
    end = f"up, in {info.unit}" if info.upper is None else f"to {info.upper:g}"
    return f"from 0 {end}; {info.better} is better"


def _anchor(info: Metric) -> str:
    return info.family.replace("_", "-")


def _stored(info: Metric) -> str:
    """The field as documents spell it: `acc@1` is no name of a Python field."""
    return info.name if info.field.startswith("acc_at_") else info.field


def _section(section: MetricSection[Any]) -> Iterator[str]:
    """A section of the metrics document: each family of metrics under the same headings."""
    yield f"## {section.heading}"
    for declared in section.declarations:
        infos = [info for info in METRICS.values() if info.family == declared.name]
        first = infos[0]
        yield f'<a id="{_anchor(first)}"></a>\n\n### {declared.title}'
        places = dict.fromkeys(f"{info.section}.{_stored(info)}" for info in infos)
        yield (
            f"Names: {codes(info.name for info in infos)}. In the metrics document: "
            f"{codes(places)}. Formula: {declared.formula}."
        )
        yield f"**What it measures.** {declared.measures}"
        yield f"**Range and direction.** {_range(first)}."
        yield f"**When undefined.** It has no value when {declared.undefined}."
        yield f"**Known problems.** {declared.known_problems}"
        yield "**An example worked by hand.**"
        yield table(
            ["name", "calculation", "value"],
            (
                [code(info.name), info.example[0].replace("|", "\\|"), f"{info.example[1]:g}"]
                for info in infos
            ),
        )
        yield f"**Reference.** {declared.reference}."


def _outcome(name: str) -> str:
    info = OUTCOMES[name]
    unit = f" Unit: {info.unit}." if info.unit else ""
    return (
        f"### {info.title}\n\nName: {code(name)}.\n\n**What it measures.** {info.measures}{unit}\n\n"
        f"**Range and direction.** {info.better.capitalize()} is better.\n\n"
        f"**When undefined.** It has no value when {info.undefined}."
    )


# --- commands -------------------------------------------------------------------------------


def commands() -> str:
    """Every command's help, as the program prints it."""
    return page(
        "Commands",
        "What each command prints for `--help`. Results go to stdout, progress and messages to "
        "stderr.",
        _help([], "groundtrace"),
        *(f"## {name}\n\n{_help([name], f'groundtrace {name}')}" for name in COMMANDS),
    )


def _help(arguments: list[str], line: str) -> str:
    result = CliRunner().invoke(
        cli, [*arguments, "--help"], prog_name="groundtrace", terminal_width=HELP_WIDTH
    )
    if result.exit_code:
        raise SystemExit(f"{line} --help failed: {result.output}")
    return f"```text\n$ {line} --help\n{result.output.rstrip()}\n```"


# --- schemas --------------------------------------------------------------------------------


def schemas() -> str:
    """Every document, every field, its type and its description."""
    blocks = [
        f"Documents are of version {SCHEMA_VERSION}; groundtrace writes "
        f"{' and '.join(SCHEMA_VERSIONS)} and reads any version 1.x (the fields that it knows) "
        "([D12](../decisions.md#d12)). The JSON Schemas (draft 2020-12) are in `schemas/` and "
        "printed by `groundtrace schema NAME`; `groundtrace validate FILE…` checks documents. "
        "A field is required unless it is marked as optional.",
        table(
            ["document", "file", "purpose"],
            (
                [f"[{code(kind)}](#{kind.replace('_', '-')})", code(info.file_name), info.purpose]
                for kind, info in KINDS.items()
            ),
        ),
    ]
    for kind, info in KINDS.items():
        made = schema(kind)
        name = code(("*" if info.file_name.startswith(".") else "") + info.file_name)
        blocks.append(
            f'<a id="{kind.replace("_", "-")}"></a>\n\n## {kind}\n\n{info.purpose} File: {name}.'
        )
        blocks.append(_record(made))
        for inner in (part for part in made["$defs"].values() if "title" in part):
            blocks.append(f"### {kind}: {inner['title']}\n\n{inner.get('description', '')}")
            blocks.append(_record(inner))
    return page("Schemas", *blocks)


def _record(record: Mapping[str, Any]) -> str:
    required = record.get("required", [])
    return table(
        ["field", "type", "meaning"],
        (
            [
                code(name) + ("" if name in required else " (optional)"),
                _type(described),
                described.get("description", ""),
            ]
            for name, described in record["properties"].items()
        ),
    )


def _type(described: Mapping[str, Any]) -> str:
    """A type of JSON Schema in words."""
    if "$ref" in described:
        return described["$ref"].rpartition("/")[2]
    if "anyOf" in described:
        return " or ".join(dict.fromkeys(_type(option) for option in described["anyOf"]))
    if "enum" in described:
        return " or ".join("null" if v is None else code(v) for v in described["enum"])
    kind = described.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_type(described.get('items', {}))}"
    if kind == "object":
        return f"object of {_type(described.get('additionalProperties') or {})}"
    limits = [
        f"{sign} {described[key]}"
        for key, sign in (("minimum", "≥"), ("maximum", "≤"))
        if key in described and described[key] < 2**53
    ]
    return " ".join([kind, " ".join(limits)]).strip()


# --- tools ----------------------------------------------------------------------------------


def tools() -> str:
    """The tool table and the table of shell commands."""
    entries = table_for(config.Settings()).entries
    servers: dict[str, list[str]] = {}
    for alias, name in table_for(config.Settings()).servers.items():
        servers.setdefault(name, []).append(alias)
    shells: dict[str, list[str]] = {}
    for name, entry in SHELL_TABLE.items():
        shells.setdefault(entry.handler.__module__, []).append(name)
    return page(
        "Tools",
        "This page lists the tools that groundtrace knows, with the category of their calls "
        "([D2](../decisions.md#d2)). Case does not matter in names, and the prefix of an MCP "
        "server is left out. If a tool is not in this list, groundtrace reads its calls from "
        "their arguments and results ([guide](../guides/unknown-tools.md)), and the run "
        "summary counts them under `unknown_tools`. How to add one: "
        "[guide](../guides/add-a-tool.md).",
        "## Categories\n\n" + codes(CATEGORIES),
        "## Tools of harnesses",
        _tool_table(entry for entry in entries.values() if entry.server is None),
        "## Tools of MCP servers",
        "Which servers count as MCP is a setting ([D3](../decisions.md#d3)). A server may have "
        "several names:",
        table(["server", "names"], ([code(n), codes(a)] for n, a in servers.items())),
        _tool_table(entry for entry in entries.values() if entry.server is not None),
        "## Shell commands",
        "These are the programs in shell commands that groundtrace knows "
        "([D6](../decisions.md#d6)). If another program prints something, groundtrace connects "
        "it only with the program's input.",
        table(
            ["group", "programs"],
            (
                [_first_sentence(importlib.import_module(module).__doc__), codes(sorted(names))]
                for module, names in shells.items()
            ),
        ),
    )


def _first_sentence(doc: str | None) -> str:
    return " ".join((doc or "").partition("\n\n")[0].split())


def _tool_table(entries: Iterable[ToolEntry]) -> str:
    return table(
        ["tool", "category", "other names", "arguments with the place", "result read by"],
        (
            [
                code(entry.name) + (f" (needs {codes(entry.requires)})" if entry.requires else ""),
                code(entry.category),
                codes(entry.aliases),
                codes(entry.path_arguments),
                code(entry.reads) if entry.reads else "nothing",
            ]
            for entry in entries
        ),
    )


# --- tables ---------------------------------------------------------------------------------


def tables() -> str:
    """The flat tables of `export` and `sql`."""
    blocks = [
        "These are the tables that `groundtrace export` writes and `groundtrace sql` queries. "
        f"{codes(column.name for column in KEY)} come first in each table of trials: they are "
        "the key of a trial. A cell without a value is null (empty in CSV), never zero.",
    ]
    for name, columns in ALL_TABLES.items():
        blocks.append(f"## {name}")
        if name == next(iter(ANALYSIS_TABLES)):
            blocks.append(
                "This table and the next come from `impact_analysis.json`, the analysis over all of "
                "RUNS; they are empty before `groundtrace impact` or `groundtrace run`."
            )
        blocks.append(
            table(
                ["column", "type", "unit", "meaning"],
                ([code(c.name), c.type, c.unit, c.meaning] for c in columns),
            )
        )
    return page("Tables", *blocks)


# --- configuration --------------------------------------------------------------------------


def field_docs(record: type) -> dict[str, str]:
    """The text under each field of a dataclass."""
    found: dict[str, str] = {}
    body = ast.parse(textwrap.dedent(inspect.getsource(record))).body[0].body  # type: ignore[attr-defined]
    for before, after in pairwise(body):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[before.target.id] = " ".join(str(after.value.value).split())
    return found


def configuration() -> str:
    """Every key of groundtrace.toml, and what can be added to the tables."""
    meanings = field_docs(config.Settings)
    defaults = {f.name: getattr(config.Settings(), f.name) for f in fields(config.Settings)}
    options = option_table.rows_of(option_table.RunOptions)
    flags = {row.option.sets or name: row.flag for name, row in options.items()}
    flags |= {"readers": options["reader"].flag, "mask": options["no_mask"].flag}
    rows = [
        [
            code(f"[{section}.{key}]" if section == "tools" else f"[{section}] {key}"),
            code(_toml(defaults[name])),
            code(flags[name]) if name in flags else "",
            meanings[name],
        ]
        for (section, key), name in config.PLACES.items()
    ]
    only_flags = [name for name in defaults if name not in config.PLACES.values()]
    return page(
        "Configuration",
        f"Settings are in {code(config.FILE_NAME)}, found in the current folder or above it, or "
        "named by `--config FILE`. A flag has priority over the file. For an unknown key, "
        "groundtrace stops with an error that names the most similar known key; a wrong type "
        "is also an error.",
        table(["key", "default", "flag", "meaning"], rows),
        "Settings that are not in the file:",
        table(
            ["setting", "default", "flag", "meaning"],
            (
                [code(name), code(_toml(defaults[name])), code(flags[name]), meanings[name]]
                for name in only_flags
            ),
        ),
        "## Options",
        "An option is for one command. It is a flag of the commands, and with underscores instead of "
        "dashes a keyword of the functions in the [Python API](api.md). In Python, `jobs` is 1 unless it is "
        "given, and a settings file is read only if `config` names it. Options of the terminal "
        "(`--json`, `--quiet`), and of a single command, are under [commands](commands.md).",
        table(
            ["option", "group", "values", "default", "commands and functions", "meaning"],
            (_option(row) for row in options.values()),
        ),
        *_additions(),
        "## Environment",
        "`SOURCE_DATE_EPOCH` (seconds since 1970) replaces the time of writing in every "
        "document, so that two runs over the same input give the same bytes. Object stores "
        "take their credentials from the environment; see [clusters and object "
        "stores](../guides/cluster.md).",
    )


def _additions() -> tuple[str, ...]:
    """What can be added to the tables of tools and of shell commands."""
    return (
        "## Adding a tool",
        "`[tools.NAME]` adds a tool to the [tool table](tools.md); `NAME` is its raw name in the "
        "trace, compared without case. See the [guide](../guides/add-a-tool.md).",
        table(
            ["key", "meaning"],
            [
                [
                    code("like"),
                    (
                        "A tool of the table that works in the same way; other keys change "
                        "parts of that."
                    ),
                ],
                *(
                    [code(name), meaning]
                    for name, meaning in field_docs(ToolEntry).items()
                    if name != "name"
                ),
            ],
        ),
        "Either `like` or `category` is needed. A tool with a category and `path_arguments` is "
        "read in the same way as the table's tools of that category.",
        "## Adding a shell command",
        "`[shell.commands.NAME]` adds a program to the table of "
        "[shell commands](tools.md#shell-commands).",
        "\n".join(inspect.getdoc(_added_commands()).split("\n\n", 1)[1:]),
        table(
            ["key", "values"],
            [
                [code("like"), "a known program"],
                [code("kind"), codes(_shell_commands()._KINDS)],
                [code("operands"), codes(_shell_commands()._PLACES)],
                [code("value_options"), 'a list of options, such as `["-n", "--lines"]`'],
            ],
        ),
    )


def _option(row: option_table.OptionRow) -> list[str]:
    """A row of the table of options."""
    shape, limits = row.shape, str(row.option.limits).strip()
    kinds = {bool: "switch", int: "whole number", float: "number", str: "text"}
    values = codes(shape.choices) or f"{kinds.get(shape.kind, 'path')} {limits}".strip()
    functions = (f"{name}()" for name in groundtrace.__all__ if row.name in _keywords(name))
    context = click.Context(cli)
    commands = [name for name in COMMANDS if _takes(cli.get_command(context, name), row)]
    default = row.default or ("off" if shape.kind is bool else "none")
    return [
        code(row.flag),
        row.option.group,
        values + (", several" if shape.many else ""),
        default,
        codes([*commands, *functions]),
        f"{row.option.help}.",
    ]


def _keywords(name: str) -> Iterable[str]:
    made = getattr(groundtrace, name)
    return inspect.signature(made).parameters if inspect.isfunction(made) else ()


def _takes(command: click.Command | None, row: option_table.OptionRow) -> bool:
    taken: option_table.OptionRow | None = getattr(command, "rows", {}).get(row.name)
    return taken is not None and taken.option == row.option


def _shell_commands() -> Any:
    return importlib.import_module("groundtrace.shell.programs.table")


def _added_commands() -> Callable[..., Any]:
    return _shell_commands().added_programs


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return json.dumps(list(value))
    return "{}" if isinstance(value, Mapping) else json.dumps(value)


# --- errors ---------------------------------------------------------------------------------


def error_page() -> str:
    """What stops a command, what is recorded instead, and every kind of problem."""
    classes = [
        item
        for item in vars(errors).values()
        if isinstance(item, type) and issubclass(item, errors.GroundtraceError)
    ]
    return page(
        "Errors and problems",
        "An **error** stops the command: it prints one line on stderr that says what is wrong "
        "and what to do, and ends with an exit code. `-v` adds the traceback. A **problem** is "
        "something that could not be read inside a trial or a task: groundtrace records it "
        "with file, line and reason, counts it in `coverage.problems` of the trial and in the "
        "run summary, and evaluates the rest ([D38](../decisions.md#d38)).",
        "## Exit codes",
        table(
            ["code", "meaning"],
            [
                ["0", "done"],
                [
                    "1",
                    (
                        "some trials could not be processed, the others were; for `validate`: "
                        "a document is invalid"
                    ),
                ],
                ["2", "wrong usage or unreadable input"],
                ["3", "nothing found to evaluate"],
                ["130", "stopped by Ctrl-C"],
            ],
        ),
        "## Errors",
        "In Python all of them are `groundtrace.GroundtraceError`.",
        table(
            ["class", "exit code", "meaning"],
            ([code(c.__name__), str(c.exit_code), _first_sentence(c.__doc__)] for c in classes),
        ),
        "## Kinds of problems",
        *(
            f"### {title}\n\n"
            + table(["kind", "meaning"], ([code(k), m] for k, m in sorted(kinds.items())))
            for title, kinds in problems.GROUPS.items()
        ),
    )


# --- ground truth ---------------------------------------------------------------------------


def ground_truth() -> str:
    """The chain of sources, from the table that the loader walks."""
    rows = []
    for _, group in groupby(SOURCES, key=lambda source: (source.path, source.confidence)):
        source = next(group)
        when = "" if source.when == "always" else "only while no source has given files"
        rows.append([code(source.path), source.confidence, when])
    return page(
        "Sources of ground truth",
        "Files of a task's folder, in the order in which they are tried. The first one that gives "
        "files gives `ground_truth.files`, and its name and confidence are recorded "
        "([D25](../decisions.md#d25)).",
        table(["source", "confidence", "read"], rows),
        f"Expected edits come from {codes(EDIT_SOURCES)}; symbols from {codes(SYMBOL_SOURCES)}; "
        f"line ranges from {codes(CHUNK_SOURCES)}; in each case the first one that gives some is used.",
        "## A registry in one file",
        "For tasks without a folder, `--ground-truth FILE` ([D30](../decisions.md#d30)). "
        + _after_title(importlib.import_module("groundtrace.truth.task_registry").__doc__ or ""),
    )


def _after_title(doc: str) -> str:
    return doc.split("\n\n", 1)[1].strip()


PAGES: Mapping[str, Callable[[], str]] = {
    "metrics.md": metrics,
    "commands.md": commands,
    "schemas.md": schemas,
    "tools.md": tools,
    "tables.md": tables,
    "configuration.md": configuration,
    "errors.md": error_page,
    "ground-truth.md": ground_truth,
}
"""File in docs/reference to the function that prints it."""
