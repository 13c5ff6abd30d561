"""The budget of lines names each folder above it."""

import subprocess
from pathlib import Path

from tools.budget import complaints, lines


def test_tracked_lines_are_counted_by_folder_and_language(tmp_path: Path) -> None:
    for name, text in {"node/a.py": "1\n2\n", "node/b/c.py": "3", "node/page/d.mjs": "4\n", "setup.py": "5\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "node/untracked.py").write_text("6\n" * 100)
    assert lines(tmp_path) == {"python": {"node": 3}, "javascript": {"node": 1}}


def test_a_folder_above_its_budget_is_named_and_one_at_it_is_not() -> None:
    counted = {"python": {"node": 101, "attest": 50}, "javascript": {}}
    budget = {"python": {"node": 100, "attest": 50}, "javascript": {"gone": 1}}
    above, gone = complaints(budget, counted)
    assert above == "node has 101 lines of python, 1 above its budget of 100"
    assert gone == "gone has no javascript: its budget goes"
