"""Functions of a file: names and lines, in each language (D216)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.functions import spans
from groundtrace.functions.languages import LANGUAGES, grammar_of, language_of, suffix_of
from groundtrace.functions.spans import FileSpans, Nested, Span, met, spans_of
from tests.functions import ast_oracle


def read(path: str, text: str | bytes) -> FileSpans:
    language = language_of(path)
    assert language is not None
    found = spans_of(text.encode() if isinstance(text, str) else text, language)
    assert found is not None
    return found


def functions(path: str, text: str | bytes) -> list[tuple[str, int, int]]:
    return [(one.name, one.first, one.last) for one in read(path, text).functions]


PYTHON = '''import os

@decorated
@twice(
    1)
class Store:
    key = lambda self: 1

    @property
    async def read(self):
        def inner():
            if self:
                return 1
                # behind the code
        return inner
        # behind the code

    # between

def plain(): return """
text
"""

callback = sort(key=lambda x: x)
bound: object = (
    lambda x:
        x)
'''


def test_python_names_and_lines() -> None:
    assert functions("a.py", PYTHON) == [
        ("Store.key", 7, 7),
        ("Store.read", 9, 15),
        ("Store.read.inner", 11, 13),
        ("plain", 20, 22),
        ("bound", 25, 27),
    ]
    assert functions("a.py", PYTHON) == sorted(
        map(tuple, ast_oracle.functions_of(PYTHON.encode())), key=lambda one: one[1]
    )


def test_python_2_is_read() -> None:
    text = "def old(a):\n    print 'x' % a\n    try:\n        pass\n    except E, e:\n        raise E, 'x'\n\ndef new():\n    exec 'a' in b\n"
    assert functions("a.py", text) == [("old", 1, 6), ("new", 8, 9)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.js",
            """function plain() { return 1 }
class Shape extends Base {
  constructor() { super() }
  area = () => 1
  get size() { return 2 }
}
const arrow = async () => {
  it('anonymous', () => { })
}
exports.parse = function named(x) {
  return x
}
const table = { one: () => 1, two() { } }
export default () => 3
""",
            [
                ("plain", 1, 1),
                ("Shape.constructor", 3, 3),
                ("Shape.area", 4, 4),
                ("Shape.size", 5, 5),
                ("arrow", 7, 9),
                ("parse", 10, 12),
                ("one", 13, 13),
                ("two", 13, 13),
            ],
        ),
        (
            "a.tsx",
            """abstract class Store<T> {
  abstract none(): void
  @watched()
  read(x?: T): void {
  }
}
namespace Inner { export function help(): void { } }
function over(a: string): void
function over(a: any): void { }
export const View: Component = () => <p>x</p>
""",
            [("Store.read", 3, 5), ("help", 7, 7), ("over", 9, 9), ("View", 10, 10)],
        ),
        (
            "a.go",
            """package p
func Plain() { go func() { }() }
func (s *Store) Read() error {
	retry := func() { }
	return nil
}
func (l List[T]) Len() int { return 0 }
var handler = func() { }
""",
            [
                ("Plain", 2, 2),
                ("Store.Read", 3, 6),
                ("Store.Read.retry", 4, 4),
                ("List.Len", 7, 7),
                ("handler", 8, 8),
            ],
        ),
        (
            "A.java",
            """class A {
  A() { }
  @Override
  public void run() { Runnable r = () -> { }; }
  interface I { void none(); default void some() { } }
}
""",
            [("A.A", 2, 2), ("A.run", 3, 4), ("A.run.r", 4, 4), ("A.I.some", 5, 5)],
        ),
        (
            "a.rs",
            """#[test]
fn plain() { let add = |x| x; }
impl<T> Store<T> { fn read(&self) { } }
impl Show for Page { fn show() { } }
trait Kind { fn none(); fn some() { } }
mod inner { fn help() { } }
""",
            [
                ("plain", 1, 2),
                ("plain.add", 2, 2),
                ("Store.read", 3, 3),
                ("Page.show", 4, 4),
                ("Kind.some", 5, 5),
                ("help", 6, 6),
            ],
        ),
        (
            "a.c",
            "int proto(int);\nstatic char *name(void)\n{\n}\nint (*pick(int x))(int) { }\n",
            [("name", 2, 4), ("pick", 5, 5)],
        ),
        (
            "a.cpp",
            """namespace n { class A { A(); ~A() { } bool operator==(int x) { } }; }
template <class T>
int n::A<T>::read(int x) const { }
auto add = [](int x) { return x; };
""",
            [("A.~A", 1, 1), ("A.operator==", 1, 1), ("n.A.read", 2, 3), ("add", 4, 4)],
        ),
        (
            "a.rb",
            """module M
  class A
    def read(x) = 1
    def self.make
    end
    add = ->(x) { x }
  end
end
""",
            [("M.A.read", 3, 3), ("M.A.make", 4, 5), ("M.A.add", 6, 6)],
        ),
        (
            "a.php",
            """<?php
function plain() { }
class A {
  #[Attribute]
  public function read() { }
  abstract function none();
}
$add = function($x) { return $x; };
""",
            [("plain", 2, 2), ("A.read", 4, 5), ("add", 8, 8)],
        ),
        (
            "A.cs",
            """namespace N {
class A {
  A() { }
  [Attr]
  void Read() { void Local() { } }
  int Size => 1;
  int Auto { get; set; }
}
}
""",
            [("A.A", 3, 3), ("A.Read", 4, 5), ("A.Read.Local", 5, 5), ("A.Size", 6, 6)],
        ),
    ],
)
def test_names_and_lines(path: str, text: str, expected: list[tuple[str, int, int]]) -> None:
    assert functions(path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.cpp",
            """class EXPORT Wide final : public Base {
  int size;
  void grow() { }
};
V::operator bool() const { }
struct T { operator T*() { } T& operator+=(int) { } void operator()() { } };
TEST(Suite, Name) { }
void tried() try { } catch (...) { }
class Out { class In { void m(); }; };
void Out::In::m() { }
""",
            [
                "Wide.grow",
                "V.operator bool",
                "T.operator T*",
                "T.operator+=",
                "T.operator()",
                "TEST",
                "tried",
                "Out.In.m",
            ],
        ),
        (
            "A.cs",
            """class A<T> where T : new() {
  static A() { }
  ~A() { }
  public int P { get => 1; }
  public int this[int i] => 1;
  public static implicit operator int(A a) => 1;
  public event E Changed { add { } remove { } }
  void I.M() { Action l = () => { }; }
  record R(int x) { void Rm() { } }
  interface J { void Some() { } void None(); }
}
""",
            [
                "A.A",
                "A.~A",
                "A.P",
                "A.this[]",
                "A.operator",
                "A.Changed",
                "A.M",
                "A.M.l",
                "A.R.Rm",
                "A.J.Some",
            ],
        ),
        (
            "a.rs",
            """impl<'a, T: Clone> Show<T> for &'a mut Page<'a, T> where T: X { pub async fn m() { } }
macro_rules! m { () => { fn hidden() {} } }
extern "C" { fn outside(); }
mod a { mod b { fn c() { fn inner() { } } } }
""",
            ["Page.m", "c", "c.inner"],
        ),
        (
            "a.rb",
            """class A
  class << self
    def made; end
  end
  private def inline; end
  def []=(key, value); end
  MAKE = proc { |x| x }
  make = sort { |x| x }
end
class B::C; def deep; end; end
add = lambda do |x| x end
""",
            ["A.made", "A.inline", "A.[]=", "A.MAKE", "B.C.deep", "add"],
        ),
        (
            "a.php",
            """<html><?php
trait Loud { static function shout() { } abstract function none(); }
enum E: string { case X = 'x'; function label() { } }
function outer() { function inner() { } return fn($x) => $x; }
$made = new class { function own() { } };
if (true) { function late() { } } ?>
""",
            ["Loud.shout", "E.label", "outer", "outer.inner", "own", "late"],
        ),
        (
            "a.js",
            """class A { static #own() { } static async *gen() { } static { start(); } 'a b'() { } }
A.prototype.run = function () { const inner = x => x }
export const curried = a => b => a
export default function () { }
const memo = useMemo(() => 1)
class B extends mixin(class { q() { } }) { r() { } }
""",
            ["A.#own", "A.gen", "A.a b", "run", "run.inner", "curried", "B.q", "B.r"],
        ),
        (
            "A.java",
            """class A { static { start(); } { more(); }
  void m() { new Runnable() { public void run() { } }; class Local { void in() { } } }
  enum E { X { void b() { } }; void c() { } }
  record R(int x) { R { } }
  Function<A, B> f = a -> a.b();
}
""",
            ["A.m", "A.m.run", "A.m.Local.in", "A.E.b", "A.E.c", "A.R.R", "A.f"],
        ),
    ],
)
def test_names_of_rarer_definitions(path: str, text: str, expected: list[str]) -> None:
    assert [one.name for one in read(path, text).functions] == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "d = ((lambda:\n  1))\n", [("d", 1, 2)]),
        ("a.py", "def union():\n  pass\n", [("union", 1, 2)]),
        ("a.js", "const o = { class() { }, struct() { } }\n", [("class", 1, 1), ("struct", 1, 1)]),
        (
            "a.js",
            "const f = (function () {\n})\nconst g = ((x) => x)\nconst none = (1, () => 2)\n",
            [("f", 1, 2), ("g", 3, 3)],
        ),
        (
            "a.ts",
            """export const load = (async () => {
  return 1
}) satisfies Load
const cast = (() => 1) as any as Show, old = <Show>(() => 2), sure = (() => 3)!
class A {
  @input() // why

  @watched()
  // note
  read() { }
  size = 1 // no decorator
  write() { }
}
export function over(a: string): void
""",
            [
                ("load", 1, 3),
                *((name, 4, 4) for name in ("cast", "old", "sure")),
                ("A.read", 6, 10),
                ("A.write", 12, 12),
            ],
        ),
        (
            "a.rs",
            """#[test]
/// what it does
#[ignore]
fn noted() { }
struct S; // a remark
fn plain() { }
static HOOK: fn() = || { };
""",
            [("noted", 1, 4), ("plain", 6, 6), ("HOOK", 7, 7)],
        ),
        (
            "a.cpp",
            """template <class T>
template <class U>
void V<T>::read(U u) { }
API_BEGIN
class Store : public Base {
  int size() { return 1; }
};
API_BEGIN
namespace inner { void help() { } }
""",
            [("V.read", 1, 3), ("Store.size", 6, 6), ("help", 9, 9)],
        ),
        (
            "a.rb",
            """class A
  define_method(:made) { |x|
    x
  }
  LATER = Proc.new { }
  call(:other) { }
end
Point = Struct.new(:x) do
  def far; end
end
""",
            [("A.made", 2, 4), ("A.LATER", 5, 5), ("Point.far", 9, 9)],
        ),
        (
            "a.php",
            "<?php class A { public $x = 1; public string $hook { get => 1;\n set { } } }",
            [("A.hook", 1, 2)],
        ),
    ],
)
def test_what_stands_around_a_function(
    path: str, text: str, expected: list[tuple[str, int, int]]
) -> None:
    """Brackets, casts, macros, comments between decorators, templates of templates."""
    assert functions(path, text) == expected


def test_every_language_has_a_grammar_here() -> None:
    assert [one.name for one in LANGUAGES if grammar_of(one) is None] == []
    assert len({one.module for one in LANGUAGES}) == 11


def test_a_broken_file_gives_what_parses() -> None:
    found = read(
        "a.py",
        "def good():\n    return 1\n\ndef bad(:\n    (\n\nclass A:\n    def also(self):\n        pass\n",
    )
    assert found.is_broken
    assert ("good", 1, 2) in [(one.name, one.first, one.last) for one in found.functions]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_form_feeds_tabs_and_other_encodings(ending: str) -> None:
    lines = [
        "# \xe9",
        "def a():",
        "\treturn 1",
        "\x0c",
        "def b():",
        "\tx = '\x0c\x1c'",
        "\treturn x",
        "",
    ]
    text = ending.join(lines)
    for data in (text.encode(), text.encode("latin-1"), b"\xef\xbb\xbf" + text.encode()):
        assert functions("a.py", data) == [("a", 2, 3), ("b", 5, 7)]


def test_very_many_and_very_deep() -> None:
    many = read("a.py", "@d\ndef f():\n    pass\n" * 21_000)
    assert many.functions[-1] == ("f", 62_998, 63_000, False)
    assert len(many.functions) == 21_000
    deep = "".join(f"{' ' * n}def f{n}():\n" for n in range(90)) + " " * 90 + "pass\n"
    assert len(read("a.py", deep).functions) == 90
    brackets = "x = " + "(" * 5_000 + ")" * 5_000 + "\ndef f():\n    pass\n"
    assert ("f", 2, 3) in functions("a.py", brackets)


def test_a_file_that_is_not_read_to_its_end_has_no_known_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some of its functions would be an answer that looks whole."""
    text = "def f():\n    pass\n" * 400
    monkeypatch.setattr("groundtrace.functions.spans.MAX_FOUND", 399)
    assert read("a.py", text) == FileSpans((), True, True)
    monkeypatch.setattr("groundtrace.functions.spans.MAX_FOUND", 400)
    assert len(read("a.py", text).functions) == 400
    monkeypatch.setattr("groundtrace.functions.spans.MAX_SECONDS", 0.0)
    assert read("a.py", text) == FileSpans((), True, True)


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 6), st.booleans()), max_size=12),
    st.lists(st.tuples(st.integers(1, 18), st.integers(0, 3)), max_size=6),
)
def test_lines_meet_functions_wherever_they_begin_and_end(
    made: list[tuple[int, int, bool]], asked: list[tuple[int, int]]
) -> None:
    """Also spans that share lines without nesting: `} function next() {`."""
    spans = sorted(
        (Span("f", first, first + more, kind) for first, more, kind in made),
        key=lambda one: (one.first, -one.last),
    )
    own = [span for span in spans if not span.is_class]
    runs = [(first, first + more) for first, more in asked]
    assert met(spans, runs) == [
        s for s in own if any(a <= s.last and s.first <= b for a, b in runs)
    ]
    for first, last in runs:
        holding = [s for s in own if s.first <= first and last <= s.last]
        assert Nested(spans).innermost(first, last) == (holding[-1] if holding else None)


def test_functions_are_looked_for_down_to_a_level_of_the_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """60,000 functions inside each other took 13 seconds, although only a hundred are kept."""
    text = "function a() {\n function b() {\n function c() {\n}}}\n"
    assert [name for name, _, _ in functions("a.js", text)] == ["a", "a.b", "a.b.c"]
    monkeypatch.setattr(spans, "MAX_LEVELS", 4)
    assert [name for name, _, _ in functions("a.js", text)] == ["a", "a.b"]


def test_a_file_of_too_many_tokens_has_no_known_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of 5 MB of `[1,` took 1.5 GB."""
    monkeypatch.setattr(spans, "MAX_TOKENS", 40)
    few = "def f():\n    return 'é'\n" + "#" + " " * 100
    assert functions("a.py", few) == [("f", 1, 2)]
    many = read("a.py", few + "[" * 40)
    assert many == FileSpans((), True, True)


def test_files_without_functions() -> None:
    assert language_of("README.rst") is None
    assert language_of("folder.py/notes") is None
    assert suffix_of(".gitignore") == ""
    assert language_of("A.PY") is not None


# --- laws -------------------------------------------------------------------------------------


@st.composite
def sources(draw: st.DrawFn) -> str:
    """A Python file of nested functions, classes and lambdas."""
    lines: list[str] = []

    def block(depth: int) -> None:
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["def", "class", "lambda", "pass", "comment", "if"]))
            blank = "    " * depth
            if kind in ("def", "class") and depth < 4:
                lines.extend(f"{blank}@wrap" for _ in range(draw(st.integers(0, 2))))
                name = draw(st.sampled_from("abc"))
                lines.append(f"{blank}{kind} {name}{'()' if kind == 'def' else ''}:")
                block(depth + 1)
            elif kind == "if" and depth < 4:
                lines.append(f"{blank}if x:")
                block(depth + 1)
            elif kind == "lambda":
                lines.append(f"{blank}f = lambda: 0")
            elif kind == "comment":
                lines.append(f"{blank}# note")
            lines.extend([""] * draw(st.integers(0, 2)))
            lines.append(f"{blank}pass")
            lines.extend(f"{blank}# behind" for _ in range(draw(st.integers(0, 1))))

    block(0)
    return "\n".join(lines) + "\n"


@given(sources())
def test_python_is_as_ast_has_it(text: str) -> None:
    own = sorted(functions("a.py", text))
    assert own == sorted(map(tuple, ast_oracle.functions_of(text.encode())))


@given(sources())
def test_spans_nest_and_a_line_has_one_innermost_function(text: str) -> None:
    spans = read("a.py", text).spans
    nested = Nested(spans)
    for one in spans:
        for other in spans:
            apart = one.last < other.first or other.last < one.first
            within = (one.first <= other.first and other.last <= one.last) or (
                other.first <= one.first and one.last <= other.last
            )
            assert apart or within
    oracle = ast_oracle.functions_of(text.encode())
    for line in range(1, text.count("\n") + 1):
        found = nested.innermost(line, line)
        expected = ast_oracle.innermost(oracle, line, line)
        assert (found and found[:3]) == (expected and tuple(expected))
        assert (found is not None) == bool(met(spans, [(line, line)]))


@given(st.binary(max_size=400), st.sampled_from(LANGUAGES))
def test_any_bytes_are_read(data: bytes, language: object) -> None:
    found = spans_of(data, language)  # type: ignore[arg-type]
    assert found is not None
    last = data.count(b"\n") + 1
    assert all(1 <= one.first <= one.last <= last for one in found.spans)
