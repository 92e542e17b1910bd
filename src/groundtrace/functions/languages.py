"""Which grammar reads a file, and what functions and classes are in each language (D216).

The queries are the table of node types. A pattern gives one `@function` or `@class`, with its `@name`;
`@owner` is the class of a function that stands outside of it (a Go receiver), `@value` the function in
a binding (`f = lambda: 0`), which has the name that it is bound to. `@around` begins where the
definition `@inner` does (decorators, templates); `@before` stands before a definition and belongs to it,
a `@comment` between them does not part them. Functions without a body are declarations and are left
out. Namespaces and modules are not part of a name, except Ruby's modules, which hold methods as classes
do.
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


_IN_BRACKETS = " (parenthesized_expression)"
"""A binding's value may stand in brackets, in TypeScript also in a cast: `const f = (() => 1) as Show`."""
_CAST = " (as_expression) (satisfies_expression) (non_null_expression)"
_TYPE_FIRST = " (type_assertion)"
"""`<Show>(() => 1)`, which TSX does not have."""


def _javascript(around: str) -> str:
    value = f"[(arrow_function) (function_expression) (generator_function){around}] @value"
    return f"""
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name value: {value}) @function
(assignment_expression left: (identifier) @name right: {value}) @function
(assignment_expression left: (member_expression property: (_) @name) right: {value}) @function
(pair key: [(property_identifier) (string) (number)] @name value: {value}) @function
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(variable_declarator name: (identifier) @name value: (class) @value) @class
"""


_JAVASCRIPT_FIELD = """
(field_definition property: (_) @name value: [(arrow_function) (function_expression)] @value) @function
"""

_TYPES = """
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)] @value) @function
(abstract_class_declaration name: (_) @name) @class
(export_statement decorator: (_) declaration: (_) @inner) @around
(decorator) @before
(comment) @comment
"""

LANGUAGES: tuple[Language, ...] = (
    Language(
        name="Python",
        module="tree_sitter_python",
        suffixes=(".py", ".pyi", ".pyw"),
        query="""
(function_definition name: (_) @name) @function
(assignment left: (identifier) @name right: [(lambda) (parenthesized_expression)] @value) @function
(class_definition name: (_) @name) @class
(decorated_definition definition: (_) @inner) @around
""",
    ),
    Language(
        name="JavaScript",
        module="tree_sitter_javascript",
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        query=_javascript(_IN_BRACKETS) + _JAVASCRIPT_FIELD,
    ),
    Language(
        name="TypeScript",
        module="tree_sitter_typescript",
        factory="language_typescript",
        suffixes=(".ts", ".mts", ".cts"),
        query=_javascript(_IN_BRACKETS + _CAST + _TYPE_FIRST) + _TYPES,
    ),
    Language(
        name="TSX",
        module="tree_sitter_typescript",
        factory="language_tsx",
        suffixes=(".tsx",),
        query=_javascript(_IN_BRACKETS + _CAST) + _TYPES,
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
(static_item name: (_) @name value: (closure_expression) @value) @function
(const_item name: (_) @name value: (closure_expression) @value) @function
(impl_item type: (_) @name) @class
(trait_item name: (_) @name) @class
(attribute_item) @before
[(line_comment) (block_comment)] @comment
""",
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
        suffixes=(
            *(".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inl", ".tpp"),
            *(".cu", ".cuh"),
        ),
        query="""
(function_definition declarator: (_) @name body: (_) (#not-match? @name "^(class|struct|union|namespace)$")) @function
(function_definition type: [(class_specifier) (struct_specifier)] declarator: (identifier) @name) @class
(function_definition declarator: (identifier) @keyword (ERROR) @name (#any-of? @keyword "class" "struct" "union")) @class
(init_declarator declarator: (identifier) @name value: (lambda_expression) @value) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(template_declaration (_) @inner .) @around
""",
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
(assignment left: [(identifier) (constant)] @name right: (call receiver: (constant) @of method: (identifier) @called block: (_)) @value (#eq? @of "Proc") (#eq? @called "new")) @function
(call method: (identifier) @called arguments: (argument_list . [(simple_symbol) (string)] @name) block: (_) (#any-of? @called "define_method" "define_singleton_method")) @function
(assignment left: (constant) @name right: (call receiver: (constant) @of method: (identifier) @called block: (_)) (#any-of? @of "Class" "Module" "Struct" "Data") (#any-of? @called "new" "define")) @class
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
(property_declaration (property_element name: (variable_name (name) @name)) (property_hook_list (property_hook body: (_)))) @function
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
    | {".coffee", ".sol", ".cr", ".elm", ".astro", ".rkt", ".scm", ".lisp", ".tcl", ".pas", ".gd"}
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
