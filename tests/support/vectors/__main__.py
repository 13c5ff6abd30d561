"""`python -m tests.support.vectors`: write tests/vectors anew. Nothing changes unless what is tested did."""

import shutil
from collections.abc import Iterable

from tests.support.vectors.stages import bases, vectors
from tests.support.vectors.vector import BASES, FOLDER, Vector, written


def files(made: Iterable[Vector]) -> dict[str, str]:
    """Every generated file by its path below tests/vectors. Raises ValueError for two vectors of one folder."""
    contents = {f"{BASES}/{name}": written(content) for name, content in bases().items()}
    for vector in made:
        if contents.keys() & vector.files():
            raise ValueError(f"two vectors are {vector.folder}: give one of the cases another name")
        contents |= vector.files()
    return contents


def main() -> None:
    """Write them, and take away what is none of them."""
    made = files(vectors())
    for stage in {path.partition("/")[0] for path in made if "/" in path}:
        shutil.rmtree(FOLDER / stage, ignore_errors=True)
    for path, text in made.items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text)


if __name__ == "__main__":
    main()
