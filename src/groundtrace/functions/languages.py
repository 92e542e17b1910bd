"""Which grammar reads a file, and what functions and classes are in each language (D216).

The queries are the table of node types. A pattern gives one `@function` or `@class`, with its `@name`;
`@owner` is the class of a function that stands outside of it (a Go receiver), `@value` the function in
a binding (`f = lambda: 0`), which has the name that it is bound to. Functions without a body are
declarations and are left out. Namespaces and modules are not part of a name, except Ruby's modules,
which hold methods as classes do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from groundtrace.base.frozen import Frozen

if TYPE_CHECKING:
    from tree_sitter import Parser, Query


class Language(Frozen, frozen=True):
    """One language: its grammar and its functions."""

    name: str
    module: str
    suffixes: tuple[str, ...]
    query: str
    factory: str = "language"
    """Function of the module that gives the grammar."""
    wrappers: frozenset[str] = frozenset()
    """Nodes around a definition that begin before it: decorators, templates."""
    before: frozenset[str] = frozenset()
    """Nodes before a definition that belong to it: attributes, decorators."""


_JAVASCRIPT = """
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)] @value) @function
(assignment_expression left: (identifier) @name right: [(arrow_function) (function_expression) (generator_function)] @value) @function
(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression) (generator_function)] @value) @function
(pair key: [(property_identifier) (string) (number)] @name value: [(arrow_function) (function_expression) (generator_function)] @value) @function
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class) @value) @class
"""

_JAVASCRIPT_FIELD = """
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @value) @function
"""

_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)] @value) @function
(abstract_class_declaration name: (_) @name) @class
"""
)

LANGUAGES: tuple[Language, ...] = (
    Language(
        name="Python",
        module="tree_sitter_python",
        suffixes=(".py", ".pyi", ".pyw"),
        query="""
(function_definition name: (_) @name) @function
(assignment left: (identifier) @name right: (lambda) @value) @function
(assignment left: (identifier) @name right: (parenthesized_expression (lambda) @value)) @function
(class_definition name: (_) @name) @class
""",
        wrappers=frozenset({"decorated_definition"}),
    ),
    Language(
        name="JavaScript",
        module="tree_sitter_javascript",
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        query=_JAVASCRIPT + _JAVASCRIPT_FIELD,
    ),
    Language(
        name="TypeScript",
        module="tree_sitter_typescript",
        factory="language_typescript",
        suffixes=(".ts", ".mts", ".cts"),
        query=_TYPESCRIPT,
        before=frozenset({"decorator"}),
    ),
    Language(
        name="TSX",
        module="tree_sitter_typescript",
        factory="language_tsx",
        suffixes=(".tsx",),
        query=_TYPESCRIPT,
        before=frozenset({"decorator"}),
    ),
    Language(
        name="Go",
        module="tree_sitter_go",
        suffixes=(".go",),
        query="""
(function_declaration name: (_) @name body: (_)) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name body: (_)) @function
(var_spec . name: (identifier) @name value: (expression_list . (func_literal) @value .)) @function
(short_var_declaration left: (expression_list . (identifier) @name .) right: (expression_list . (func_literal) @value .)) @function
(assignment_statement left: (expression_list . (identifier) @name .) right: (expression_list . (func_literal) @value .)) @function
""",
    ),
    Language(
        name="Java",
        module="tree_sitter_java",
        suffixes=(".java",),
        query="""
(method_declaration name: (_) @name body: (_)) @function
(constructor_declaration name: (_) @name body: (_)) @function
(compact_constructor_declaration name: (_) @name body: (_)) @function
(variable_declarator name: (_) @name value: (lambda_expression) @value) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(annotation_type_declaration name: (_) @name) @class
""",
    ),
    Language(
        name="Rust",
        module="tree_sitter_rust",
        suffixes=(".rs",),
        query="""
(function_item name: (_) @name body: (_)) @function
(let_declaration pattern: (identifier) @name value: (closure_expression) @value) @function
(impl_item type: (_) @name) @class
(trait_item name: (_) @name) @class
""",
        before=frozenset({"attribute_item"}),
    ),
    Language(
        name="C",
        module="tree_sitter_c",
        suffixes=(".c",),
        query="(function_definition declarator: (_) @name) @function",
    ),
    Language(
        name="C++",
        module="tree_sitter_cpp",
        suffixes=(".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx"),
        query="""
(function_definition declarator: (_) @name body: (_)) @function
(function_definition type: [(class_specifier) (struct_specifier)] declarator: (identifier) @name) @class
(init_declarator declarator: (identifier) @name value: (lambda_expression) @value) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
""",
        wrappers=frozenset({"template_declaration"}),
    ),
    Language(
        name="Ruby",
        module="tree_sitter_ruby",
        suffixes=(".rb", ".rake", ".gemspec"),
        query="""
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: [(identifier) (constant)] @name right: (lambda) @value) @function
(assignment left: [(identifier) (constant)] @name right: (call !receiver method: (identifier) @called block: (_)) @value (#any-of? @called "lambda" "proc")) @function
(class name: (_) @name) @class
(module name: (_) @name) @class
""",
    ),
    Language(
        name="PHP",
        module="tree_sitter_php",
        factory="language_php",
        suffixes=(".php", ".phtml"),
        query="""
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name body: (_)) @function
(assignment_expression left: (variable_name (name) @name) right: [(anonymous_function) (arrow_function)] @value) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
""",
    ),
    Language(
        name="C#",
        module="tree_sitter_c_sharp",
        suffixes=(".cs",),
        query="""
(method_declaration name: (_) @name body: (_)) @function
(local_function_statement name: (_) @name body: (_)) @function
(constructor_declaration name: (_) @name body: (_)) @function
(destructor_declaration name: (_) @name body: (_)) @function
(operator_declaration body: (_)) @function
(conversion_operator_declaration body: (_)) @function
(indexer_declaration value: (_)) @function
(indexer_declaration accessors: (accessor_list (accessor_declaration body: (_)))) @function
(event_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
(property_declaration name: (_) @name value: (arrow_expression_clause)) @function
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_)))) @function
(variable_declarator name: (_) @name [(lambda_expression) (anonymous_method_expression)] @value) @function
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
""",
    ),
)

_BY_SUFFIX: Mapping[str, Language] = {
    suffix: language for language in LANGUAGES for suffix in language.suffixes
}

WITHOUT_GRAMMAR = frozenset(
    {".pyx", ".pxd", ".pxi", ".kt", ".kts", ".scala", ".swift", ".m", ".mm", ".dart", ".groovy"}
    | {".lua", ".ex", ".exs", ".erl", ".clj", ".cljs", ".hs", ".ml", ".mli", ".fs", ".vb"}
    | {".jl", ".r", ".pl", ".pm", ".f", ".f90", ".f95", ".zig", ".nim", ".vue", ".svelte"}
)
"""Files that have functions which no grammar here reads. All other files have none."""


def language_of(path: str) -> Language | None:
    """The language of a file, by its name; None if it has no functions, or no grammar."""
    return _BY_SUFFIX.get(suffix_of(path))


def suffix_of(path: str) -> str:
    """The end of a file's name from its last dot on, in lower case."""
    name = path.rpartition("/")[2]
    return f".{name.rpartition('.')[2].lower()}" if "." in name[1:] else ""


@cache
def grammar_of(language: Language) -> tuple[Parser, Query] | None:
    """The parser and the query of a language; None if its package is not installed."""
    try:
        module = import_module(language.module)
        import tree_sitter
    except ImportError:
        return None
    grammar = tree_sitter.Language(getattr(module, language.factory)())
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.query)
