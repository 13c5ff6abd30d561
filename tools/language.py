"""Checks the language of the source. `python -m tools.language [FOLDER…]` prints breaches.

The rules are those of CONTRIBUTING.md, "Language": a docstring begins with a plain statement, a
citation can be opened, names are the field's words, a function takes at most six parameters.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

FOLDERS: Final = ("node", "attest", "verifier", "compose", "image", "client", "devkit", "benchmarks", "tools")
CITING: Final = (*FOLDERS, "tests")
"""Folders whose Python and JavaScript files may cite only pages that are there."""
PROSE_CHARACTERS: Final = 100
"""Characters of a line with a docstring or a comment; longer lines are hard to read."""
PARAMETERS_MAX: Final = 6
MANY_PARAMETERS: Final = {
    "command": "click passes each option as a parameter",
    "AsyncClient.__init__": "each is a word of svc-verify",
    "AttestedConnector.connect": "aiohttp's own signature",
    "Client.__init__": "made from AsyncClient",
}
"""Functions with more parameters, and the reason of each."""

_VAGUE_FIRST_WORDS: Final = frozenset(
    [
        "what",
        "who",
        "whose",
        "whoever",
        "whom",
        "where",
        "how",
        "it",
        "they",
        "those",
        "one",
        "none",
        "everybody",
        "nobody",
    ]
)
_PRIVATE_WORDS: Final = re.compile(
    r"(?<![a-z])(room|lane|purse|doubt|standing|shelf|shelves|sight|sighting|seldom|forgive|forgiveness|witness|witnesses"
    r"|electorate|dissent|upkeep|restoration|conclusion|untold|stray)s?(?![a-z])"
)
_RIDDLES: Final = re.compile(r"(?i)\b(whoever|nobody|somebody|held against|as once|so many)\b")
_PRAGMA: Final = re.compile(r"#\s*(noqa|type:|pragma:|fmt:|!)")
_ABSENT_PAGES: Final = re.compile(
    r"(?<!docs/)(?<!\")\b(decisions|attestation|engine|spec|architecture|contract|anchors)\.md\b"
)
_JAVASCRIPT: Final = frozenset([".js", ".mjs", ".ts", ".mts"])
_SECTION: Final = re.compile(r"(?<!-)\bspec (\d+(?:\.\d+)?)\b")
_SAMPLES: Final = Path("tests/rules/test_language.py")
"""Its samples are breaches."""
_SPECIFICATION: Final = Path("docs/specification.md")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def complaints(path: Path, sections: frozenset[str]) -> Iterator[str]:
    """Yields each breach in one file as `path:line: message`. `sections` has those of the spec."""
    text = path.read_text(encoding="utf-8")
    if _PRIVATE_WORDS.search(_words(path.stem)):
        yield f"{path}:1: {path.stem} is a private word; use the field's"
    yield from stale_citations(path, sections)
    for node in ast.walk(ast.parse(text)):
        yield from _of_node(path, node)
    yield from _of_prose(path, text)


def stale_citations(path: Path, sections: frozenset[str]) -> Iterator[str]:
    """Yields each citation of a page or section that is not in the repository."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if _ABSENT_PAGES.search(line):
            yield f"{path}:{number}: cites a page that is not in the repository; cite docs/ or `spec N.M`"
        for section in _SECTION.findall(line):
            if section not in sections:
                yield f"{path}:{number}: docs/specification.md has no {section}"


def _of_prose(path: Path, text: str) -> Iterator[str]:
    """Yields the long lines and the vague words of docstrings and comments."""
    lines = text.splitlines()
    for number in sorted(_prose(text)):
        line = lines[number - 1]
        # A URL cannot be broken.
        if len(line) > PROSE_CHARACTERS and not re.fullmatch(r"[\s#(]*https?://\S+", line):
            yield f"{path}:{number}: a line of prose has {len(line)} characters; at most {PROSE_CHARACTERS}"
        if found := _RIDDLES.search(line):
            yield f"{path}:{number}: {found[0]!r} is vague; name the role or the number"


def _prose(text: str) -> Iterator[int]:
    """Yields the numbers of the lines of docstrings and comments, those of constants too."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), end_lineno=int(end)):
                yield from range(node.lineno, end + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not _PRAGMA.match(token.string):
            yield token.start[0]


def _of_node(path: Path, node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        docstring = ast.get_docstring(node) or ""
        first = re.split(r"[\s,.;:]", docstring.strip("`"), maxsplit=1)[0].lower()
        if first in _VAGUE_FIRST_WORDS:
            yield f"{path}:{getattr(node, 'lineno', 1)}: a docstring begins with a plain statement, not with {first!r}"
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and _PRIVATE_WORDS.search(
        _words(node.name)
    ):
        yield f"{path}:{node.lineno}: {node.name} is a private word; use the field's"
    if isinstance(node, ast.ClassDef):
        for member in node.body:
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _too_many(path, member, f"{node.name}.{member.name}")
    elif isinstance(node, ast.Module):
        for member in node.body:
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _too_many(path, member, member.name)


def _too_many(path: Path, function: Function, name: str) -> Iterator[str]:
    arguments = function.args
    given = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    count = len([each for each in given if each not in {"self", "cls"}])
    if count > PARAMETERS_MAX and name not in MANY_PARAMETERS:
        yield f"{path}:{function.lineno}: {name} takes {count} parameters; at most {PARAMETERS_MAX}"


def _words(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _sections() -> frozenset[str]:
    text = _SPECIFICATION.read_text(encoding="utf-8")
    return frozenset(re.findall(r"^(?:## )?(\d+(?:\.\d+)?)[. ]", text, re.MULTILINE))


def _tracked(folders: Sequence[str]) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--", *folders], capture_output=True, text=True, check=True)  # noqa: S603, S607 - no foreign input
    paths = [Path(name) for name in listed.stdout.splitlines()]
    return [path for path in paths if path.suffix in {".py", *_JAVASCRIPT} and path.is_file()]


def main() -> None:
    """Check the tracked files of the folders named, or of all."""
    folders = sys.argv[1:] or [each for each in FOLDERS if Path(each).is_dir()]
    sections = _sections()
    found = [each for path in _tracked(folders) if path.suffix == ".py" for each in complaints(path, sections)]
    if not sys.argv[1:]:
        others = [
            path
            for path in _tracked(CITING)
            if path.suffix in _JAVASCRIPT or ("tests" in path.parts and path != _SAMPLES)
        ]
        found += [each for path in others for each in stale_citations(path, sections)]
    print("".join(f"{each}\n" for each in found), end="")  # noqa: T201 - its output
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
