"""The check of the language names each breach, and only breaches."""

from pathlib import Path

import pytest

from tests.support.node import REPOSITORY
from tools.language import complaints

SECTIONS = frozenset({"4", "4.2"})

BREACHES = {
    "a docstring that begins vaguely": ('"""What a node knows."""\n', 1, "not with 'what'"),
    "a vague class": ('class Figure:\n    """One figure."""\n', 1, "not with 'one'"),
    "a vague function": ('def read() -> None:\n    """How many wait."""\n', 1, "not with 'how'"),
    "a private word in a class": ("\n\nclass PayerLane:\n    pass\n", 3, "PayerLane is a private word"),
    "a private word in a function": ("async def _end_strays() -> None: ...\n", 1, "_end_strays is a private word"),
    "a page that is not there": ("# See decisions.md 3.\n", 1, "cites a page that is not in the repository"),
    "a section that is not there": ("X = 1\n# spec 9.9\n", 2, "docs/specification.md has no 9.9"),
    "too many parameters": ("def f(a, b, c, d, e, *, g, h): ...\n", 1, "f takes 7 parameters; at most 6"),
    "too many of a method": ("class A:\n    def f(self, a, b, c, d, e, g, h): ...\n", 2, "A.f takes 7 parameters"),
    "a vague word in a docstring": ('"""Reads the file.\n\nIt is for whoever asks.\n"""\n', 3, "'whoever' is vague"),
    "a vague word in a comment": ("X = 1\n# Nobody reads it.\n", 2, "'Nobody' is vague"),
    "a vague word of a constant": ('X = 1\n"""Pauses after so many failures."""\n', 2, "'so many' is vague"),
    "a vague word after code": ("X = 1  # held against the lock\n", 1, "'held against' is vague"),
    "a long docstring": (f'"""Reads {"a" * 90}."""\n', 1, "has 103 characters; at most 100"),
    "a long comment": (f"# {'a' * 99}\n", 1, "has 101 characters; at most 100"),
    "a long comment after code": (f"X = 1  # {'a' * 92}\n", 1, "has 101 characters; at most 100"),
}

PLAIN_PROSE = f'''"""Reads a file.

See
https://docs.example/{"a" * 99}
"""

WORD = "nobody, {"a" * 90}"
"""Name of the account without an owner."""
COUNT = 1  # noqa: E501 - {"a" * 90}
# {"a" * 98}
# https://docs.example/{"a" * 99}
'''

SOUND = '''"""Reads a node's state (docs/contract.md, spec 4.2)."""


class Planet:
    """A planet. What orbits it is a moon."""

    def orbit(self, a, b, c, d, e, f):
        """Return how it moves."""
'''


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_is_named_with_its_line(breach: str, tmp_path: Path) -> None:
    text, line, message = BREACHES[breach]
    path = tmp_path / "sample.py"
    path.write_text(text)
    (found,) = complaints(path, SECTIONS)
    assert found.startswith(f"{path}:{line}: ")
    assert message in found


def test_a_module_named_with_a_private_word_is_named(tmp_path: Path) -> None:
    path = tmp_path / "purses.py"
    path.write_text("")
    assert list(complaints(path, SECTIONS)) == [f"{path}:1: purses is a private word; use the field's"]


@pytest.mark.parametrize("text", [SOUND, PLAIN_PROSE], ids=["names", "prose"])
def test_a_sound_module_is_not_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(text)
    assert list(complaints(path, SECTIONS)) == []


def test_make_lint_checks_the_language() -> None:
    assert "-m tools.language" in (REPOSITORY / "Makefile").read_text()
