"""`python -m tests.support.vectors`: write tests/vectors anew. Nothing changes unless what is tested did."""

import shutil

from tests.support.vectors.coverage import coverage
from tests.support.vectors.stages import bases, vectors
from tests.support.vectors.vector import BASES, FOLDER, Vector, written

COVERAGE = "SPEC_COVERAGE.md"


def numbered() -> list[tuple[int, Vector]]:
    """Each vector with its number within its stage."""
    counts: dict[str, int] = {}
    listed = []
    for vector in vectors():
        counts[vector.stage] = counts.get(vector.stage, 0) + 1
        listed.append((counts[vector.stage], vector))
    return listed


def files() -> dict[str, str]:
    """Every generated file by its path below tests/vectors."""
    made = {f"{BASES}/{name}": written(content) for name, content in bases().items()}
    for number, vector in numbered():
        made |= vector.files(number)
    made[COVERAGE] = coverage(numbered())
    return made


def main() -> None:
    """Write them, and take away what is none of them."""
    made = files()
    for stage in {path.partition("/")[0] for path in made if "/" in path}:
        shutil.rmtree(FOLDER / stage, ignore_errors=True)
    for path, text in made.items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text)


if __name__ == "__main__":
    main()
