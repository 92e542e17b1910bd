"""Shell commands and outputs: real ones damaged, and new ones from a small grammar."""

from __future__ import annotations

from random import Random

from tests.fuzz import mutate, seeds

_SIMPLE = (
    *("cat {f}", "head -n {n} {f}", "tail -{n} {f}", "sed -n '{n},{m}p' {f}", "grep -rn {w} {d}"),
    *("rg {w} {d}", "find {d} -name '{g}'", "ls -la {d}", "git diff {f}", "git show HEAD:{f}"),
    *(
        "git grep -n {w}",
        "wc -l {f}",
        "awk '{{print $1}}' {f}",
        "xargs cat",
        "tee {f}",
        "cp {f} {f}",
    ),
    *("sed -i 's/{w}/x/' {f}", "echo {w} > {f}", "printf '%s' {w} >> {f}", "cd {d}", "pushd {d}"),
    *(
        "python3 -c \"print(open('{f}').read())\"",
        "jq . {f}",
        "tree {d}",
        "diff {f} {f}",
        "sort {f}",
    ),
    *("curl -s https://h/{f}", "cat <<'E'\n{w}\nE", "cat <<E > {f}\n$({w})\nE", "X={w} env", "{w}"),
    *("export P={d}; cat $P/{f}", "cat {f} | head -{n} | tail -{m}", "unzip -l {f}", "nl -ba {f}"),
)
_JOINTS = (" && ", " || ", "; ", " | ", "\n", " & ", " |& ", " 2>/dev/null; ", " 2>&1 | ")
_WRAPS = (
    *("({})", "{{ {}; }}", "$({})", "`{}`", "bash -c '{}'", "for f in a b c; do {}; done", "! {}"),
    *("if {}; then x; fi", "while read l; do {}; done < a.txt", "f() {{ {}; }}; f", "sudo {}"),
    *(
        "timeout 5 {}",
        "find . -type f | while read f; do {}; done",
        "[[ -f a ]] && {}",
        "eval '{}'",
    ),
    *('docker exec c sh -c "{}"', "ssh h '{}'", "nohup {} &", "time {}", "case x in *) {};; esac"),
)
_FILES = (
    "a.py",
    "src/a.py",
    "/workspace/src/b.go",
    "$f",
    '"my file.txt"',
    "*.py",
    "{a,b}.c",
    "-",
    "..",
)


def command(rng: Random) -> str:
    """A command; most are valid bash."""
    known = seeds.commands()
    if known and rng.random() < 0.5:
        text = rng.choice(known)
        for _ in range(rng.randrange(4)):
            text = mutate.damage_text(text, rng)
        return text
    text = "".join(
        part for _ in range(rng.randrange(1, 5)) for part in (_wrapped(rng), rng.choice(_JOINTS))
    )
    if rng.random() < 0.3:
        text = mutate.damage_text(text, rng)
    if rng.random() < 0.01:
        wrap = rng.choice(
            ("(", "$(", "{ ", "`", "[[ ", "if ", '"$(', "<<E\n", "\\\n", "case x in ")
        )
        text = wrap * rng.choice((50, 3000)) + text
    return text


def _wrapped(rng: Random) -> str:
    text = rng.choice(_SIMPLE).format(
        f=rng.choice(_FILES),
        d=rng.choice((".", "src", "/workspace", "$HOME", "~", "")),
        g=rng.choice(("*.py", "a*", "[", "**")),
        w=rng.choice(("word", "'a b'", '"x y"', "-e x", "\\.py", "$(", "''", *mutate.WORDS)),
        n=rng.choice((0, 1, 5, 99999999999999999999)),
        m=rng.choice((1, 20, "$")),
    )
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        text = rng.choice(_WRAPS).replace("{{", "{").replace("}}", "}").replace("{}", text)
    return text


_LINES = (
    *(
        "a.py",
        "src/a.py",
        "src/a.py:12:x = 1",
        "src/a.py-13-y",
        "12:x",
        "12-y",
        "--",
        "",
        "total 8",
    ),
    *("-rw-r--r-- 1 u u 12 Jan  1 00:00 a.py", "./src/a.py", "     1\tx", "==> a.py <==", "{", "}"),
    *(
        "cat: a.py: No such file or directory",
        "diff --git a/x b/x",
        "+++ b/src/a.py",
        "@@ -1 +1 @@",
    ),
    *(
        "Binary file a.bin matches",
        " src/a.py | 2 +-",
        "src:",
        "├── a.py",
        "bash: x: command not found",
    ),
    *(
        "[... 200 lines omitted ...]",
        "  12 src/a.py",
        " 300 total",
        "commit 0123abc",
        "Exit code 1",
    ),
)


def output(rng: Random) -> str:
    """What a command may have printed."""
    if rng.random() < 0.1:
        return str(mutate.leaf(rng))
    lines = rng.choices((*_LINES, *mutate.WORDS), k=rng.choice((0, 1, 3, 10, 60)))
    text = "\n".join(lines)
    return mutate.damage_text(text, rng) if rng.random() < 0.3 else text
