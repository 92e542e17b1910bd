"""Printed pages are current and complete; the site builds, and every link leads somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import build_site
import print_reference
import pytest
import site_links
import update_figures
from reference_pages import PAGES

from groundtrace import config, errors, problems
from groundtrace import options as option_table
from groundtrace.cli.group import COMMANDS
from groundtrace.documents import KINDS
from groundtrace.documents.schema import schema
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.shell.programs.table import TABLE
from groundtrace.tables.columns import TABLES
from groundtrace.tools.table import table_for
from groundtrace.truth.sources import SOURCES

REFERENCE = print_reference.ROOT / "docs" / "reference"
HEADINGS = (
    "What it measures",
    "Range and direction",
    "When undefined",
    "Known problems",
    "An example worked by hand",
    "Reference",
)


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def test_printed_pages_and_schemas_are_current() -> None:
    stale = {
        str(path.relative_to(print_reference.ROOT)): [
            line
            for line in text.splitlines()
            if not path.is_file() or line not in path.read_text(encoding="utf-8").splitlines()
        ]
        for path, text in print_reference.stale()
    }
    assert stale == {}, "run python docs/print_reference.py"


def test_printed_pages_say_so_and_there_are_no_others() -> None:
    assert sorted(path.name for path in REFERENCE.iterdir()) == sorted([*PAGES, "api.md"])
    for name in (*PAGES, "api.md"):
        assert page(name).startswith(print_reference.NOTICE)


def test_the_check_names_stale_files(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setitem(print_reference.PAGES, "errors.md", lambda: "# Other\n")
    assert print_reference.main(["--check"]) == 1
    assert "docs/reference/errors.md is stale" in capsys.readouterr().err


def test_every_metric_and_outcome_is_on_the_page_with_every_heading() -> None:
    text = page("metrics.md")
    for name in (*METRICS, *OUTCOMES):
        assert f"`{name}`" in text
    sections = (
        text.partition("## Files (stage 1)")[2].partition("## Outcomes")[0].split("\n### ")[1:]
    )
    assert len(sections) == len({info.family for info in METRICS.values()})
    for section in sections:
        assert [heading for heading in HEADINGS if f"**{heading}.**" not in section] == []


def test_every_command_is_on_the_page_and_in_the_prose() -> None:
    printed = page("commands.md")
    prose = "".join(
        path.read_text(encoding="utf-8")
        for path in (print_reference.ROOT / "docs").rglob("*.md")
        if path.parent.name != "reference"
    )
    for command in COMMANDS:
        assert f"$ groundtrace {command} --help" in printed
        assert f"groundtrace {command}" in prose, f"no page shows groundtrace {command}"


def test_every_field_of_every_document_is_on_the_page() -> None:
    text = page("schemas.md")
    for kind in KINDS:
        made = schema(kind)
        for record in (made, *made["$defs"].values()):
            for name, described in record["properties"].items():
                assert re.search(rf"^\| `{re.escape(name)}`.*\|$", text, re.MULTILINE)
                if "title" not in record:  # it only lists the members of a known version
                    continue
                assert " ".join(described["description"].split()) in text


def test_every_tool_and_program_is_on_the_page() -> None:
    text = page("tools.md")
    for entry in table_for(config.Settings()).entries.values():
        assert f"`{entry.name}`" in text
        assert all(f"`{alias}`" in text for alias in entry.aliases)
    for program in TABLE:
        assert f"`{program}`" in text


def test_every_column_key_error_problem_and_source_is_on_its_page() -> None:
    for name, columns in TABLES.items():
        assert f"## {name}" in page("tables.md")
        assert all(f"| `{column.name}` |" in page("tables.md") for column in columns)
    for table, key in config.PLACES:
        assert f"[{table}] {key}" in page("configuration.md") or (table, key) == ("tools", "NAME")
    assert "`[tools.NAME]`" in page("configuration.md")
    for row in option_table.rows_of(option_table.RunOptions).values():
        assert f"| `{row.flag}` | {row.option.group} |" in page("configuration.md")
    for error in vars(errors).values():
        if isinstance(error, type) and issubclass(error, errors.GroundtraceError):
            assert f"`{error.__name__}` | {error.exit_code} |" in page("errors.md")
    for kind in problems.MEANINGS:
        assert f"| `{kind}` |" in page("errors.md")
    for source in SOURCES:
        assert f"| `{source.path}` | {source.confidence} |" in page("ground-truth.md")


def test_every_decision_that_code_tests_and_pages_cite_is_on_the_page() -> None:
    decisions = (print_reference.ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    defined = set(re.findall(r'^<a id="d(\d+)"></a>\*\*D\1\. ', decisions, re.MULTILINE))
    (head,) = re.findall(r"The numbers ([^.]*) were never used", decisions)
    never = {
        str(number)
        for first, last in re.findall(r"D(\d+)(?:\sto\sD(\d+))?", head)
        for number in range(int(first), int(last or first) + 1)
    }
    newest = max(map(int, defined))
    assert {str(n) for n in range(1, newest + 1)} == defined | never and not defined & never
    for folder in ("src", "tests", "docs"):
        for path in (print_reference.ROOT / folder).rglob("*.py"):
            for number in re.findall(r"\bD(\d{1,3})\b", path.read_text(encoding="utf-8")):
                assert number in defined, f"{path}: D{number}"
    pages = [*(print_reference.ROOT / "docs").rglob("*.md"), print_reference.ROOT / "README.md"]
    linked = [
        (path.name, number)
        for path in pages
        for number in re.findall(r"(?:decisions\.md|\()#d(\d+)", path.read_text(encoding="utf-8"))
    ]
    assert len(linked) > 100
    assert [link for link in linked if link[1] not in defined] == []


def test_decisions_stand_under_their_packages_in_the_order_of_numbers() -> None:
    decisions = (print_reference.ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^## ", decisions, flags=re.MULTILINE)
    packages = [re.findall(r"^`(\w+)`: ", part) for part in parts]
    source = print_reference.ROOT / "src" / "groundtrace"
    assert [names for names in packages if not names or not (source / names[0]).is_dir()] == []
    assert len({names[0] for names in packages}) == len(parts) > 10
    for part in parts:
        numbers = list(map(int, re.findall(r'^<a id="d(\d+)"', part, re.MULTILINE)))
        assert numbers and numbers == sorted(numbers), part.splitlines()[0]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once. A warning of the generator is a fault, and then nothing is built."""
    out = tmp_path_factory.mktemp("built") / "site"
    assert build_site.build(out) == []
    return out


def test_the_site_holds_every_page_and_asks_nobody_for_anything(site: Path) -> None:
    """No script, style or font from elsewhere: a reader's browser talks to the site alone."""
    written = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    root = print_reference.ROOT
    pages = {path.relative_to(root / "docs") for path in (root / "docs").rglob("*.md")}
    assert {page.with_suffix(".html").as_posix() for page in pages} <= written
    assert {"project/CHANGELOG.html", "project/SECURITY.html", "reference/api.html"} <= written
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|img)[^>]*\bsrc="https?:', text), path
        assert not re.search(r'<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href="https?:', text)
    config = (root / "mkdocs.yml").read_text(encoding="utf-8")
    assert "repo_url" not in config, "the page would ask the code host for stars and releases"


def test_the_site_can_be_searched_and_has_contents_and_neighbours(site: Path) -> None:
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    titles = {entry["title"] for entry in index["items"]}
    assert {"Install", "How runs are laid out", "Glossary", "Shell completion"} <= titles
    text = (site / "guides/layout.html").read_text(encoding="utf-8")
    assert 'class="md-footer__link md-footer__link--next"' in text
    assert 'href="#what-is-looked-for"' in text and 'data-md-color-scheme="slate"' in text
    assert '<meta name="viewport"' in text


def test_examples_of_files_show_their_names_in_the_site(site: Path) -> None:
    """A fence that the generator does not know would show its backticks."""
    text = (site / "guides/layout.html").read_text(encoding="utf-8")
    assert "runs/night/with-search/eggs-1/result.json</span>" in text
    for path in site.rglob("*.html"):
        assert not re.search(r"<p>\s*```", path.read_text(encoding="utf-8")), path


def test_the_site_refuses_a_folder_that_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("keep me")
    assert build_site.main([str(tmp_path)]) == 2
    assert (tmp_path / "letter.txt").exists()


def test_faults_are_found(tmp_path: Path) -> None:
    """A missing page, a page nobody names, a link and an anchor that lead nowhere."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(
        "# Title\n\n[a](gone.md) [b](#nowhere) [c](#title) [d](https://example.org)\n\n"
        '<img src="x.png">\n\n![e](no.png) [f](../CHANGELOG.md#unreleased)\n'
    )
    (docs / "orphan.md").write_text("# Orphan\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n")
    config = (build_site.ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    nav = "nav: [index.md, lost.md, project/CHANGELOG.md]"
    (tmp_path / "mkdocs.yml").write_text(f"{config}\n{nav}\n")
    faults = build_site.build(tmp_path / "site", tmp_path)
    parts = ("lost.md", "orphan.md", "gone.md", "anchor does not exist", "in HTML", "no.png")
    for part in parts:
        assert any(part in fault for fault in faults), (part, faults)
    assert sum("anchor" in fault for fault in faults) == 1, "the others are there"
    assert not (tmp_path / "site").exists()


def test_links_work_in_the_repository_and_in_the_site() -> None:
    assert site_links.site_link("../CHANGELOG.md#a", "index.md") == "project/CHANGELOG.md#a"
    assert site_links.site_link("../../schemas/x.json", "guides/a.md") == "../schemas/x.json"
    assert site_links.site_link("docs/index.md", "project/CHANGELOG.md") == "../index.md"
    assert site_links.site_link("b.md", "guides/a.md") == "b.md"
    assert site_links.site_link("#here", "guides/a.md") == "#here"


def test_links_of_files_outside_the_site_lead_somewhere() -> None:
    readme = print_reference.ROOT / "README.md"
    for link in re.findall(r"\]\(([^)]+)\)", readme.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if not re.match(r"[a-z]+:", link):
            assert (print_reference.ROOT / path).exists(), link
            assert not anchor or path.endswith(".md")


@pytest.mark.corpus
def test_the_extraction_table_is_what_the_benchmark_prints(corpus: Path) -> None:
    """Mend with `python docs/update_figures.py`."""
    shown = update_figures.shown(update_figures.VALIDITY, update_figures.EXTRACTION)
    assert shown == update_figures.measured(corpus)
    by_format = update_figures.shown(update_figures.VALIDITY, update_figures.FORMATS)
    assert by_format == update_figures.measured(corpus, "--formats")


def test_the_readme_quotes_the_ratios_that_the_benchmark_printed() -> None:
    """Mend with `python docs/update_figures.py`."""
    shown = update_figures.shown(update_figures.DESIGN, update_figures.RATIOS)
    assert shown == update_figures.ratios()


def test_the_number_of_fuzzed_inputs_is_that_of_the_tests() -> None:
    """Mend with `python docs/update_figures.py`."""
    assert update_figures.fuzzed() in update_figures.VALIDITY.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["docs/design.md", "docs/validity.md"])
def test_files_and_folders_of_the_repository_that_pages_name_exist(name: str) -> None:
    """A module that moved would leave the map behind."""
    root = print_reference.ROOT
    text = (root / name).read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+(?:\.(?:py|toml|md)|/))`", text)
    assert named
    for path in named:
        found = [base / path for base in (root, root / "src" / "groundtrace", root / "docs")]
        assert any(place.exists() for place in found), f"{name}: {path}"


@pytest.mark.parametrize("name", ["docs/design.md", "docs/validity.md"])
def test_tests_that_pages_name_exist(name: str) -> None:
    root = print_reference.ROOT
    defined = "\n".join(
        path.read_text(encoding="utf-8") for path in root.glob("tests/**/test_*.py")
    )
    for test in re.findall(r"`(test_\w+)`", (root / name).read_text(encoding="utf-8")):
        assert f"def {test}(" in defined, f"{name}: {test}"


def test_the_api_page_has_every_name_of_the_api() -> None:
    import groundtrace

    text = page("api.md")
    for name in groundtrace.__all__:
        assert name.startswith("__") or f"\n### {name}\n" in text, name
    assert "Raises UsageError" in text and "| `rows()` |" in text


def test_guides_do_not_lean_on_numbers_of_decisions() -> None:
    """They are for maintainers: a guide says the rule itself."""
    docs = print_reference.ROOT / "docs"
    guides = [*docs.glob("guides/*.md"), docs / "tutorial.md", docs / "faq.md", docs / "install.md"]
    for path in (*guides, docs / "glossary.md", print_reference.ROOT / "README.md"):
        if path.name in FOR_DEVELOPERS:
            continue
        assert not re.findall(r"\bD\d+\b", path.read_text(encoding="utf-8")), path


FOR_DEVELOPERS = (
    *("add-a-harness.md", "add-a-metric.md", "add-a-tool.md"),
    *("formats.md", "map-a-format.md", "published-numbers.md"),
)
"""Guides to changing groundtrace or to the details of formats, whose readers look into decisions."""
