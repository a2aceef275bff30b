"""The tree as the checks see it: which files there are, their code without comments and strings, their functions.

A lexer of C++, not a parser: it knows comments, literals, preprocessor lines and braces, which is enough to say where a
function begins and ends. What it takes for a function is a block that follows a parameter list.
"""
import dataclasses
import functools
import os
import pathlib
import re

FOLDERS = ("runtime", "compiler", "raster", "icd", "tools", "examples", "bench", "cts-subset", "tests", "testing")
CODE = (".h", ".cpp", ".inc", ".def")

_SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])*\'', re.S)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"]+)[>"]', re.M)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.M)


@dataclasses.dataclass(frozen=True)
class Include:
    line: int
    target: str
    quoted: bool


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    line: int   # where its signature begins
    lines: int  # from there to the closing brace


def _blank(match: re.Match) -> str:
    """As many lines as before; a string stays a string, so that `extern "C"` and operands keep their shape."""
    return ('""' if match.group(0)[0] in "\"'R" else " ") + "\n" * match.group(0).count("\n")


def includes_of(text: str) -> list[Include]:
    return [Include(text.count("\n", 0, m.start()) + 1, m.group(2), m.group(1) == '"') for m in _INCLUDE.finditer(text)]


class Source:
    """One file of code."""

    def __init__(self, root: pathlib.Path, name: str):
        self.name = name  # from the root, with slashes
        self.path = root / name
        self.folder = name.rsplit("/", 1)[0]
        self.text = self.path.read_text(errors="replace")

    @property
    def is_test(self) -> bool:
        """Beside the code, but no part of the product."""
        stem = self.name.rsplit("/", 1)[1]
        return (re.search(r"_(test|bench|fuzz)\.", stem) is not None or stem.startswith("test_")
                or self.folder.endswith("/model"))

    @functools.cached_property
    def code(self) -> str:
        """The text without comments and the contents of literals, line by line where it was."""
        return _SKIPPED.sub(_blank, self.text)

    @functools.cached_property
    def includes(self) -> list[Include]:
        return includes_of(self.text)

    def functions(self) -> list[Function]:
        """Functions with their bodies, those of classes included; lambdas count with what they stand in."""
        return list(_functions(self.code))


def _without_directives(code: str) -> str:
    """Drops preprocessor lines, and all branches of a conditional but the first, whose braces would count twice."""
    lines, depth, skipping = [], 0, 0
    blanked = _DIRECTIVE.sub(lambda m: m.group(0).split("\n")[0] + "\n" * m.group(0).count("\n"), code)
    for line in blanked.split("\n"):
        word = re.match(r"\s*#\s*(\w+)", line)
        if word:
            if word.group(1) in ("if", "ifdef", "ifndef"):
                depth += 1
            elif word.group(1) in ("else", "elif") and not skipping:
                skipping = depth
            elif word.group(1) == "endif":
                if skipping == depth:
                    skipping = 0
                depth -= 1
            line = ""
        lines.append("" if skipping else line)
    return "\n".join(lines)


def _functions(code: str):
    code = _without_directives(code)
    head, line = 0, 1           # where the declaration that we are in began
    stack: list[tuple[str, str, int]] = []  # kind, name and first line of every open brace
    inside = lists = 0          # how many of them are functions, how many initializers
    for match in re.finditer(r"[{};\n]", code):
        mark = match.group(0)
        if mark == "\n":
            continue
        if mark == "{":
            text = code[head:match.start()]
            kind, name = ("block", "") if inside else ("list", "") if lists else _kind(text)
            if kind == "list":  # an initializer: the declaration goes on behind it
                stack.append(("list", "", 0))
                lists += 1
                continue
            start = head + len(text) - len(text.lstrip())
            stack.append((kind, name, code.count("\n", 0, start) + 1))
            inside += kind == "function"
        elif mark == "}" and stack:
            kind, name, line = stack.pop()
            if kind == "function":
                inside -= 1
                yield Function(name, line, code.count("\n", 0, match.start()) + 2 - line)
            if kind == "list":
                lists -= 1
                continue
        if not lists:
            head = match.end()


def _kind(text: str) -> tuple[str, str]:
    """What a brace opens outside of functions, by the declaration before it."""
    text = " ".join(text.split())
    plain = re.sub(r"^(?:(?:public|private|protected) ?: ?)+", "", text)
    plain = re.sub(r"\b__attribute__ ?\(\(.*?\)\)+|\[\[.*?\]\]|\balignas ?\([^()]*\)", "", plain)
    if re.match(r'(inline )?namespace\b|extern ""$', plain):
        return "scope", ""
    if re.search(r"(^|[ >])(class|struct|union|enum)\b", plain) and not re.search(r"\)[^()]*$", plain):
        return "scope", ""
    if re.search(r"=\s*(\w[\w:<>, ]*)?$|\breturn$|\($|,$", plain) and "operator" not in plain:
        return "list", ""
    name = re.search(r"((?:[\w:~<>]|operator ?[^\s\w(]{1,3})+) ?\(", plain)
    if name and re.search(r"\)( ?(const|noexcept|override|final|mutable|&&?|-> ?[\w:<>*&, ]+|requires .*))* ?$", plain):
        return "function", name.group(1)
    if name and re.search(r"\) ?(noexcept)? ?: ?\w", plain):  # a constructor: members initialized by braces or none
        return ("list", "") if re.search(r"[\w>]$", plain) else ("function", name.group(1))
    return "list", ""


@functools.cache
def sources(root: pathlib.Path) -> tuple[Source, ...]:
    """All files of code below the folders of the project, by name."""
    found = []
    for folder in FOLDERS:
        for path, _, files in os.walk(root / folder):
            found += [(pathlib.Path(path) / f).relative_to(root).as_posix() for f in files if f.endswith(CODE)]
    return tuple(Source(root, name) for name in sorted(found))


def circles(edges: dict[str, dict[str, str] | set[str]]) -> list[list[str]]:
    """Groups of nodes that reach each other (strongly connected components of more than one node)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups = []

    def visit(node: str):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(group) > 1:
                groups.append(sorted(group))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return groups
