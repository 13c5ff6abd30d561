"""The files of the checks: one for each group, of its name, which makes the checks of that group alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from svc_verifier import check, checks
from svc_verifier.check import Group

(FOLDER,) = map(Path, checks.__path__)
MAKERS = {maker.__name__ for maker in (check.passed, check.failed, check.unknown, check.skipped, check.not_made)}


def made(tree: ast.AST, constants: dict[str, str]) -> Iterator[str]:
    """Yields the ids of the checks that a file makes by a literal, or by a constant of its own."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in MAKERS:
            continue
        match call.args[0]:
            case ast.Constant(value=str(name)):
                yield name
            case ast.Name(id=name) if name in constants:
                yield constants[name]


def test_every_group_has_a_file_of_its_name() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} - {"__init__"} == set(Group)


@pytest.mark.parametrize("group", Group)
def test_a_file_makes_checks_of_its_group_alone(group: Group) -> None:
    tree = ast.parse((FOLDER / f"{group}.py").read_text())
    constants = {
        target.id: statement.value.value
        for statement in tree.body
        if isinstance(statement, ast.AnnAssign | ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name) and isinstance(statement.value.value, str)
    }
    found = set(made(tree, constants))
    assert {name for name in found if not name.startswith(f"{group}.")} == set()
